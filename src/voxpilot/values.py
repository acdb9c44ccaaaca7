"""Frozen dataclasses that are quick to import.

Lives here: `dataclass`, which is that of the standard library to a type checker. The program has some two
hundred classes, and the library compiles up to seven methods for each of them, a fifth of a start. Ours
compiles `__init__` and shares the others. Lives elsewhere: the classes, among them events (chat/events.py)
and rows (storage/database/rows.py).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from operator import attrgetter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(*, frozen=False, slots=False, kw_only=False, eq=True):
        """`frozen` goes with `slots`; a class that can be changed is left to the standard library."""
        if not frozen:
            return dataclasses.dataclass(slots=slots, kw_only=kw_only, eq=eq)
        assert slots, "a frozen class has slots"
        assert eq, "a frozen class is compared by its fields"
        return lambda cls: _frozen(cls, kw_only)


_contents: dict[type, Callable[[Any], Any]] = {}


def _frozen(cls: type, kw_only: bool) -> type:
    if cls.__doc__ is None:
        cls.__doc__ = f"{cls.__name__}()"  # otherwise the library writes down the signature
    made: Any = dataclasses.dataclass(init=False, repr=False, eq=False, slots=True, kw_only=kw_only)(cls)
    made.__init__ = _compiled_init(made)
    for method in (_eq, _hash, _repr, _setattr, _delattr, _getstate, _setstate):
        name = f"_{method.__name__}__"
        if name not in made.__dict__:
            setattr(made, name, method)
    return made  # type: ignore[no-any-return]


def _compiled_init(cls: Any) -> Any:
    """Fills the slots directly, because nothing can be assigned."""
    known: dict[str, Any] = {"MISSING": dataclasses.MISSING}
    positional: list[str] = []
    named: list[str] = []
    lines: list[str] = []
    for field in dataclasses.fields(cls):
        name = field.name
        known[f"set_{name}"] = getattr(cls, name).__set__
        value, parameter = name, name
        if field.default is not dataclasses.MISSING:
            known[f"usual_{name}"] = field.default
            parameter = f"{name}=usual_{name}"
        elif field.default_factory is not dataclasses.MISSING:
            known[f"make_{name}"] = field.default_factory
            parameter = f"{name}=MISSING"
            value = f"make_{name}() if {name} is MISSING else {name}"
        (named if field.kw_only else positional).append(parameter)
        lines.append(f" set_{name}(self, {value})")
    if hasattr(cls, "__post_init__"):
        lines.append(" self.__post_init__()")
    star = ["*"] if named else []
    head = f"def __init__({', '.join(['self', *positional, *star, *named])}):"
    exec("\n".join([head, *(lines or [" pass"])]), known)
    return known["__init__"]


def _eq(self: Any, other: object) -> Any:
    if type(other) is not type(self):
        return NotImplemented
    content = _content_of(type(self))
    return content(self) == content(other)


def _hash(self: Any) -> int:
    return hash(_content_of(type(self))(self))


def _repr(self: Any) -> str:
    shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in _names(type(self)))
    return f"{type(self).__qualname__}({shown})"


def _setattr(self: Any, name: str, value: object) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _delattr(self: Any, name: str) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")


def _getstate(self: Any) -> list[Any]:
    return [getattr(self, name) for name in _names(type(self))]


def _setstate(self: Any, state: list[Any]) -> None:
    for name, value in zip(_names(type(self)), state, strict=True):
        object.__setattr__(self, name, value)


def _content_of(cls: type) -> Callable[[Any], Any]:
    if (found := _contents.get(cls)) is None:
        names = _names(cls)
        found = _contents[cls] = attrgetter(*names) if names else lambda value: ()
    return found


def _names(cls: Any) -> list[str]:
    return [field.name for field in dataclasses.fields(cls)]
