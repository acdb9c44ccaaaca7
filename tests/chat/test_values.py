"""Our frozen dataclasses behave as those of the standard library do."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError, field, replace
from typing import Any, ClassVar

import pytest

from voxpilot import values
from voxpilot.chat.events import TextSpoken, ThoughtSpoken


def test_values_are_equal_when_class_and_fields_are() -> None:
    spoken = TextSpoken(message_id="m", content="a")
    others: list[object] = [
        TextSpoken(message_id="m", content="b"),
        ThoughtSpoken(message_id="m", content="a"),
    ]
    assert spoken == TextSpoken(message_id="m", content="a")
    assert hash(spoken) == hash(TextSpoken(message_id="m", content="a"))
    assert spoken not in [*others, "a"]


def test_a_value_shows_its_fields() -> None:
    assert repr(TextSpoken(message_id="m", content="a")) == (
        "TextSpoken(turn=None, tool_call_id=None, message_id='m', content='a', block=None)"
    )


def test_a_value_does_not_change() -> None:
    spoken = TextSpoken(message_id="m", content="a")
    with pytest.raises(FrozenInstanceError):
        spoken.content = "b"  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        del spoken.content
    with pytest.raises(FrozenInstanceError):
        spoken.unheard_of = "b"  # type: ignore[attr-defined]
    assert spoken == TextSpoken(message_id="m", content="a")


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))]
)
def test_a_value_can_be_copied(copied: Callable[[Any], Any]) -> None:
    spoken = TextSpoken(message_id="m", content="a", block={"x": [1]})
    assert copied(spoken) == spoken


def _classes(made_by: Any) -> dict[str, Any]:
    """The same classes, made by one or the other."""

    @made_by(frozen=True, slots=True)
    class Point:
        KIND: ClassVar[str] = "point"
        x: int
        y: int = 2
        seen: list[int] = field(default_factory=list)

        def __repr__(self) -> str:
            return "a point"

    @made_by(frozen=True, slots=True, kw_only=True)
    class Named(Point):
        """Has a name."""

        name: str
        tags: tuple[str, ...] = ()

    @made_by(frozen=True, slots=True)
    class Nothing:
        pass

    @made_by(frozen=True, slots=True)
    class Checked:
        x: int

        def __post_init__(self) -> None:
            if self.x < 0:
                raise TypeError(f"{self.x} is negative")

    return {"Point": Point, "Named": Named, "Nothing": Nothing, "Checked": Checked}


ACTS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "positions": lambda made: dataclasses.astuple(made["Point"](1, 3, [4])),
    "names": lambda made: dataclasses.asdict(made["Point"](y=1, x=3)),
    "a default for each": lambda made: made["Point"](1).seen is made["Point"](1).seen,
    "too few": lambda made: made["Point"](),
    "too many": lambda made: made["Point"](1, 2, [], 4),
    "an unknown name": lambda made: made["Point"](1, z=4),
    "by name only": lambda made: made["Named"](1, 2, [], "n"),
    "a subclass": lambda made: dataclasses.asdict(made["Named"](1, name="n")),
    "checked": lambda made: dataclasses.astuple(made["Checked"](1)),
    "checked and refused": lambda made: made["Checked"](-1),
    "checked when replaced": lambda made: replace(made["Checked"](1), x=-1),
    "no fields": lambda made: made["Nothing"]() == made["Nothing"](),
    "shown": lambda made: [repr(made["Point"](1)), repr(made["Named"](1, name="n")).partition(".")[2]],
    "replaced": lambda made: dataclasses.asdict(replace(made["Named"](1, name="n"), y=5, name="m")),
    "replaced, unknown": lambda made: replace(made["Point"](1), z=5),
    "subclass and base": lambda made: made["Point"](1) == made["Named"](1, name="n"),
    "no dict": lambda made: hasattr(made["Named"](1, name="n"), "__dict__"),
    "no hash": lambda made: hash(made["Point"](1)),
    "match": lambda made: [made["Point"].__match_args__, made["Named"].__match_args__],
    "fields": lambda made: [(f.name, f.type, f.kw_only) for f in dataclasses.fields(made["Named"])],
    "docs": lambda made: made["Named"].__doc__,
}


@pytest.mark.parametrize("act", ACTS.values(), ids=ACTS)
def test_our_classes_do_what_the_library_s_do(act: Callable[[dict[str, Any]], Any]) -> None:
    ours, theirs = (_outcome(act, made) for made in (values.dataclass, dataclasses.dataclass))
    assert ours == theirs


def _outcome(act: Callable[[dict[str, Any]], Any], dataclass: Any) -> Any:
    try:
        return act(_classes(dataclass))
    except TypeError as error:
        return type(error), str(error).rpartition("__init__() ")[2]
