"""The page's types, made from ours: `python scripts/page_types.py` writes them.

Lives here: from chat/events.py and the OpenAPI document to TypeScript. What is
written is committed; tests/test_page.py says when it is out of date.
Lives elsewhere: the shapes themselves.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import tempfile
import types
from collections.abc import Iterator
from dataclasses import MISSING, Field, fields
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from voxpilot.chat.events import EVENT_TYPES, Event
from voxpilot.web.app import create_api

ROOT = Path(__file__).resolve().parents[1]
API = ROOT / "frontend" / "src" / "api"
EVENTS = API / "events.ts"
SCHEMA = API / "schema.ts"


def main() -> None:
    EVENTS.write_text(event_types(), encoding="utf-8")
    SCHEMA.write_text(f"{schema_heading()}\n{_schema_types()}", encoding="utf-8")


def event_types() -> str:
    """events.ts: one interface for each kind of event, and their union."""
    lines = [
        "// Made from chat/events.py by `make types`; do not edit.",
        "",
        'import type { Json, JsonObject } from "../state/shapes";',
        "",
        "/** What the log adds to every event. */",
        "interface Logged {",
        "  seq: number;",
        "  /** Seconds since 1970. */",
        "  at: number;",
        "  /** Where a run of deltas was joined: the first number it covers, the time of its last. */",
        "  first_seq?: number;",
        "  last_at?: number;",
        "  /** Only a preview; the whole has `size` bytes. */",
        "  cut?: boolean;",
        "  size?: number;",
        "}",
    ]
    for cls in EVENT_TYPES:
        lines += ["", *_interface(cls)]
    lines += ["", "/** Every kind of event, with its body. */", "export interface Events {"]
    lines += [f'  "{cls.kind}": {cls.__name__};' for cls in EVENT_TYPES]
    lines += ["}", "", "export type EventKind = keyof Events;"]
    lines += ["export type ChatEvent = { [K in EventKind]: { kind: K; body: Events[K] } }[EventKind];", ""]
    return "\n".join(lines)


def schema_heading() -> str:
    """The first line of schema.ts, which changes whenever the OpenAPI document does."""
    return f"// Made from the OpenAPI document {openapi_digest()} by `make types`; do not edit."


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


def _interface(cls: type[Event]) -> Iterator[str]:
    if cls.__doc__ and not cls.__doc__.startswith(f"{cls.__name__}("):
        yield f"/** {cls.__doc__.strip().splitlines()[0]} */"
    yield f"export interface {cls.__name__} extends Logged {{"
    hints = get_type_hints(cls)
    for field in fields(cls):
        yield f"  {field.name}{'?' if _may_be_left_out(field) else ''}: {_type(hints[field.name])};"
    yield "}"


def _may_be_left_out(field: Field[Any]) -> bool:
    """What has a default may also be absent from a preview or an older log."""
    return field.default is not MISSING


def _type(hint: Any) -> str:
    if hint is Any:
        return "Json"
    simple = {str: "string", int: "number", float: "number", bool: "boolean"}
    if hint in simple:
        return simple[hint]
    origin, args = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return " | ".join(_type(arg) for arg in args if arg is not type(None))
    if origin is Literal:
        return " | ".join(f'"{arg}"' for arg in args)
    if origin is tuple:
        return f"{_type(args[0])}[]"
    if origin is dict:
        return "JsonObject"
    raise TypeError(f"no TypeScript for {hint!r}: teach {__name__} about it")


if __name__ == "__main__":
    main()
