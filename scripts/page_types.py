"""Generates the page's types from the server's: `python scripts/page_types.py`.

Lives here: from chat/events.py, the shapes next to it and the OpenAPI document to TypeScript. The
result is committed; tests/test_page.py fails if it is out of date. Lives elsewhere: the
shapes themselves.
"""

from __future__ import annotations

import ast
import hashlib
import inspect
import json
import re
import subprocess
import sys
import tempfile
import types
from collections.abc import Iterator
from dataclasses import MISSING, Field, fields
from functools import cache
from itertools import zip_longest
from pathlib import Path
from typing import Any, Literal, NotRequired, Union, get_args, get_origin, get_type_hints, is_typeddict

from voxpilot.chat import head_shapes, shapes
from voxpilot.chat.events import EVENT_TYPES, Event
from voxpilot.web.app import create_api

ROOT = Path(__file__).resolve().parents[1]
API = ROOT / "frontend" / "src" / "api"
EVENTS = API / "events.ts"
SCHEMA = API / "schema.ts"
SHAPES = ROOT / "frontend" / "src" / "state" / "shapes.ts"


def main() -> None:
    EVENTS.write_text(event_types(), encoding="utf-8")
    SHAPES.write_text(shape_types(), encoding="utf-8")
    SCHEMA.write_text(f"{schema_heading()}\n{_schema_types()}", encoding="utf-8")


def event_types() -> str:
    """events.ts: one interface for each kind of event, and their union."""
    lines = [
        "// Generated from chat/events.py by `make types`; do not edit.",
        "",
        f'import type {{ {", ".join(_imported())} }} from "../state/shapes";',
        "",
        "/** The fields that the log adds to every event. */",
        "type Logged = {",
        "  seq: number;",
        "  /** Seconds since 1970. */",
        "  at: number;",
        "  /** If a run of deltas was joined: the first number it covers, and the time of its last. */",
        "  first_seq?: number;",
        "  last_at?: number;",
        "  /** Only a preview; the whole has `size` bytes. */",
        "  cut?: boolean;",
        "  size?: number;",
        "};",
    ]
    for cls in EVENT_TYPES:
        lines += ["", *_interface(cls)]
    lines += ["", "/** Every kind of event, with its body. */", "export interface Events {"]
    lines += [f'  "{cls.kind}": {cls.__name__};' for cls in EVENT_TYPES]
    lines += ["}", "", "export type EventKind = keyof Events;"]
    lines += ["export type ChatEvent = { [K in EventKind]: { kind: K; body: Events[K] } }[EventKind];", ""]
    return "\n".join(lines)


def shape_types() -> str:
    """shapes.ts: the head and the blocks that the fold produces."""
    lines = [
        "// Generated from chat/head_shapes.py and chat/shapes.py by `make types`; do not edit.",
        "",
        "/** JSON from an agent: check it before you use it. */",
        "export type Json = null | boolean | number | string | Json[] | JsonObject;",
        "export type JsonObject = { [name: string]: Json | undefined };",
    ]
    for module in (head_shapes, shapes):
        for value in vars(module).values():
            if is_typeddict(value) and value.__module__ == module.__name__:
                lines += ["", *_shape(value)]
    lines += [
        "",
        "/** What a tool call shows, as ACP sends it. Any field may be missing: agents are careless. */",
        f"export type ToolContent = {_type(shapes.ToolContent)} | UnknownContent;",
        "type UnknownContent = { type?: undefined; [more: string]: Json | undefined };",
        "",
        f"export type Block = {_type(shapes.Block)};",
        'export type BlockKind = Block["kind"];',
        "export type BlockOf<K extends BlockKind> = Extract<Block, { kind: K }>;",
        "",
        "/** A chat as the page holds it. */",
        "export type ChatState = { id: string; head: Head; blocks: Block[] };",
        "",
    ]
    return "\n".join(lines)


def schema_heading() -> str:
    """The first line of schema.ts, which changes whenever the OpenAPI document does."""
    return f"// Generated from the OpenAPI document {openapi_digest()} by `make types`; do not edit."


def openapi_digest() -> str:
    return hashlib.sha256(json.dumps(_openapi(), sort_keys=True).encode()).hexdigest()[:16]


def _openapi() -> dict[str, Any]:
    document = create_api().openapi()
    # A new release is not a new shape.
    document["info"]["version"] = "0"
    return document


def _schema_types() -> str:
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(_openapi(), file)
        file.flush()
        command = [str(ROOT / "frontend/node_modules/.bin/openapi-typescript"), file.name]
        made = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT / "frontend")
    return made.stdout


def _imported() -> list[str]:
    """The shapes that event fields are made of."""
    names = {found for hint in shapes.EVENT_FIELDS.values() for found in re.findall(r"[A-Z]\w+", _type(hint))}
    return sorted(names | {"Json", "JsonObject"})


def _interface(cls: type[Event]) -> Iterator[str]:
    if cls.__doc__ and not cls.__doc__.startswith(f"{cls.__name__}("):
        yield f"/** {cls.__doc__.strip().splitlines()[0]} */"
    yield f"export type {cls.__name__} = Logged & {{"
    hints = get_type_hints(cls)
    for field in fields(cls):
        hint = shapes.EVENT_FIELDS.get(f"{cls.__name__}.{field.name}", hints[field.name])
        yield f"  {field.name}{'?' if _may_be_left_out(field) else ''}: {_type(hint, null=False)};"
    yield "};"


def _shape(cls: Any) -> Iterator[str]:
    """A type, not an interface: only a type can be passed where JSON is expected."""
    written = _written(cls)
    bases = [base.id for base in written.bases if isinstance(base, ast.Name) and base.id != "TypedDict"]
    yield f"/** {' '.join(cls.__doc__.split())} */"
    yield f"export type {cls.__name__} = {' & '.join([*bases, '{'])}"
    hints = get_type_hints(cls, include_extras=True)
    for name, doc in _own_fields(written):
        if doc:
            yield f"  /** {doc} */"
        is_optional = name in cls.__optional_keys__ or get_origin(hints[name]) is NotRequired
        yield f"  {name}{'?' if is_optional else ''}: {_type(hints[name])};"
    if cls in shapes.OPEN_SHAPES:
        yield "  [more: string]: Json | undefined;"
    yield "};"


def _written(cls: type) -> ast.ClassDef:
    """A class of shapes.py, parsed from its source: docstrings of fields do not exist at run time."""
    return next(
        node
        for node in _source(cls.__module__).body
        if isinstance(node, ast.ClassDef) and node.name == cls.__name__
    )


def _own_fields(written: ast.ClassDef) -> Iterator[tuple[str, str]]:
    """The fields of a class without those of its bases, each with the string below it."""
    for field, below in zip_longest(written.body, written.body[1:]):
        match field, below:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                yield name, " ".join(text.split())
            case ast.AnnAssign(target=ast.Name(id=name)), _:
                yield name, ""


@cache
def _source(module: str) -> ast.Module:
    return ast.parse(inspect.getsource(sys.modules[module]))


def _may_be_left_out(field: Field[Any]) -> bool:
    """A field with a default may also be missing from a preview or an older log."""
    return field.default is not MISSING


def _type(hint: Any, null: bool = True) -> str:
    """TypeScript for a type; without `null`, an optional value is left out and not null."""
    simple = {Any: "Json", str: "string", int: "number", float: "number", bool: "boolean"}
    if hint in simple:
        return simple[hint]
    if hint is type(None):
        return "null"
    if is_typeddict(hint):
        return str(hint.__name__)
    origin, args = get_origin(hint), get_args(hint)
    if origin is NotRequired:
        return _type(args[0])
    if origin in (Union, types.UnionType):
        return " | ".join(_type(arg) for arg in args if null or arg is not type(None))
    if origin is Literal:
        return " | ".join(f'"{arg}"' for arg in args)
    if origin is tuple or origin is list:
        return "ToolContent[]" if args[0] == shapes.ToolContent else f"{_type(args[0])}[]"
    if origin is dict:
        return "JsonObject" if args[1] is Any else f"{{ [name: string]: {_type(args[1])} }}"
    raise TypeError(f"no TypeScript for {hint!r}: teach {__name__} about it")


if __name__ == "__main__":
    main()
