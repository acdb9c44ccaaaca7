"""The fold produces the shapes that shapes.py describes: checked on every golden list.

Lives here: comparing values with types. Lives elsewhere: what the fold makes of the
lists (test_golden.py), the page's types made from the shapes (tests/test_page.py).
"""

from __future__ import annotations

import json
import types
from pathlib import Path
from typing import Any, Literal, NotRequired, Union, get_args, get_origin, get_type_hints, is_typeddict

import pytest

from voxpilot.chat import head_shapes, shapes
from voxpilot.chat.blocks import new_head
from voxpilot.chat.events import EVENT_TYPES
from voxpilot.chat.transcript import fold

GOLDEN = sorted((Path(__file__).parents[1] / "golden").glob("*.json"))


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_the_fold_produces_these_shapes(path: Path) -> None:
    chat = fold((kind, body) for kind, body in json.loads(path.read_text(encoding="utf-8"))["events"])
    assert list(misfits(chat.head, head_shapes.Head, "head")) == []
    by_kind = {get_args(get_type_hints(cls)["kind"])[0]: cls for cls in get_args(shapes.Block)}
    for block in chat.blocks:
        assert list(misfits(block, by_kind[block["kind"]], f"{block['kind']} at {block['pos']}")) == []


def test_a_new_head_has_its_shape() -> None:
    assert list(misfits(new_head(), head_shapes.Head, "head")) == []


@pytest.mark.parametrize(
    ("value", "hint"),
    [
        ({"used": "much"}, head_shapes.Usage),
        ({"id": "t", "since": 1, "by": "nobody"}, head_shapes.OpenTurn),
        ({"id": "t", "by": "agent"}, head_shapes.OpenTurn),
        ({"path": "a.txt", "column": 3}, shapes.Location),
        ({"hint": 1}, dict[str, str]),
        ([{"content": 1, "priority": "low", "status": "pending"}], list[shapes.PlanEntry]),
    ],
)
def test_a_value_that_does_not_fit_is_found(value: Any, hint: Any) -> None:
    assert list(misfits(value, hint, "value")) != []


def test_the_named_event_fields_exist() -> None:
    fields = {f"{cls.__name__}.{name}" for cls in EVENT_TYPES for name in get_type_hints(cls)}
    assert set(shapes.EVENT_FIELDS) - fields == set()


def misfits(value: Any, hint: Any, where: str) -> list[str]:
    """Where a value does not match its type."""
    if hint is Any:
        return []
    if is_typeddict(hint):
        return _misfits_of_fields(value, hint, where)
    origin, args = get_origin(hint), get_args(hint)
    if origin is NotRequired:
        return misfits(value, args[0], where)
    if origin in (Union, types.UnionType):
        tries = [misfits(value, arg, where) for arg in args]
        return min(tries, key=len)
    if origin is Literal:
        return [] if value in args else [f"{where}: {value!r} is none of {args}"]
    if origin is list:
        return [one for at, item in enumerate(value) for one in misfits(item, args[0], f"{where}[{at}]")]
    if origin is dict:
        return [one for key, item in value.items() for one in misfits(item, args[1], f"{where}.{key}")]
    accepted = (int, float) if hint is float else hint
    return [] if isinstance(value, accepted) else [f"{where}: {value!r} is not {hint}"]


def _misfits_of_fields(value: Any, hint: Any, where: str) -> list[str]:
    if not isinstance(value, dict):
        return [f"{where}: {value!r} is not an object"]
    hints = get_type_hints(hint, include_extras=True)
    found = []
    for name, inner in hints.items():
        if name in value:
            found += misfits(value[name], inner, f"{where}.{name}")
        elif name not in hint.__optional_keys__ and get_origin(inner) is not NotRequired:
            found.append(f"{where}: {name} is missing")
    if hint not in shapes.OPEN_SHAPES:
        found += [f"{where}: {name} is not described" for name in value if name not in hints]
    return found
