"""Forms that agents have a person fill in: flat schemas, and answers that fit them.

Lives here: checking an answer against the schema it was asked with. Lives
elsewhere: drawing the form (frontend/), asking and answering (agent_questions.py).
"""

from __future__ import annotations

import re
from typing import Any

from voxpilot.chat.events import Json
from voxpilot.errors import Invalid


def checked(schema: Json, content: Json) -> Json:
    """The answer without fields that were not asked for; raises Invalid with the problem."""
    properties = schema.get("properties")
    properties = properties if isinstance(properties, dict) else {}
    for name in _list(schema.get("required")):
        if isinstance(name, str) and content.get(name) in (None, ""):
            raise Invalid(f"{_title(properties, name)} is required.")
    return {
        name: _check(properties, name, value)
        for name, value in content.items()
        if name in properties and value is not None
    }


def _check(properties: Json, name: str, value: Any) -> Any:
    field = properties[name] if isinstance(properties[name], dict) else {}
    title = _title(properties, name)
    match field.get("type"):
        case "boolean":
            _demand(isinstance(value, bool), f"{title} must be yes or no.")
        case "integer":
            _demand(
                isinstance(value, int) and not isinstance(value, bool), f"{title} must be a whole number."
            )
            _check_range(field, title, value)
        case "number":
            _demand(
                isinstance(value, int | float) and not isinstance(value, bool), f"{title} must be a number."
            )
            _check_range(field, title, value)
        case "array":
            _check_list(field, title, value)
        case _:
            _demand(isinstance(value, str), f"{title} must be text.")
            _check_text(field, title, value)
    return value


def _check_range(field: Json, title: str, value: float) -> None:
    least, most = _number(field, "minimum"), _number(field, "maximum")
    _demand(least is None or value >= least, f"{title} must be at least {least}.")
    _demand(most is None or value <= most, f"{title} must be at most {most}.")


def _check_text(field: Json, title: str, value: str) -> None:
    choices = _choices(field)
    _demand(not choices or value in choices, f"{title} must be one of the choices.")
    least, most = _number(field, "minLength"), _number(field, "maxLength")
    _demand(least is None or len(value) >= least, f"{title} must be at least {least} characters long.")
    _demand(most is None or len(value) <= most, f"{title} must be at most {most} characters long.")
    if field.get("format") == "email":
        _demand(re.fullmatch(r"[^@\s]+@[^@\s]+", value) is not None, f"{title} must be an email address.")


def _check_list(field: Json, title: str, value: Any) -> None:
    _demand(
        isinstance(value, list) and all(isinstance(item, str) for item in value), f"{title} must be a list."
    )
    items = field.get("items")
    choices = _choices(items) if isinstance(items, dict) else []
    _demand(not choices or all(item in choices for item in value), f"{title} must be chosen from the list.")
    least, most = _number(field, "minItems"), _number(field, "maxItems")
    _demand(least is None or len(value) >= least, f"{title} needs at least {least} items.")
    _demand(most is None or len(value) <= most, f"{title} allows at most {most} items.")


def _choices(field: Json) -> list[Any]:
    named = _list(field.get("oneOf")) or _list(field.get("anyOf"))
    return [
        *_list(field.get("enum")),
        *(one["const"] for one in named if isinstance(one, dict) and "const" in one),
    ]


def _list(given: object) -> list[Any]:
    """A part of a schema that is to be a list; agents write others."""
    return given if isinstance(given, list) else []


def _number(field: Json, name: str) -> float | None:
    given = field.get(name)
    return given if isinstance(given, int | float) and not isinstance(given, bool) else None


def _title(properties: Json, name: str) -> str:
    field = properties.get(name)
    return str(field.get("title") or name) if isinstance(field, dict) else name


def _demand(holds: bool, message: str) -> None:
    if not holds:
        raise Invalid(message)
