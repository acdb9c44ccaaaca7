"""Whether a tool call changes something, or has already done so, as far as it says.

Lives elsewhere: what exactly it does (permissions/calls.py), whether it may (permissions/decide.py).
"""

from __future__ import annotations

from voxpilot.chat.events import Fields

MUTATING = frozenset({"edit", "delete", "move", "execute"})


def acts(call: Fields) -> bool:
    """Whether a tool call changes something: by its kind, a diff, or a command."""
    if call.get("tool_kind") in MUTATING:
        return True
    if any(isinstance(item, dict) and item.get("type") == "diff" for item in call.get("content") or ()):
        return True
    return runs_command(call)


def has_acted(call: Fields) -> bool:
    """Whether a tool call has changed something: a failed command may have, a failed edit has not."""
    status = call.get("status")
    return acts(call) and (status == "completed" or (status == "failed" and runs_command(call)))


def runs_command(call: Fields) -> bool:
    given = call.get("input")
    named = [given.get(name) for name in ("command", "cmd")] if isinstance(given, dict) else []
    return call.get("tool_kind") == "execute" or any(map(_has_words, named))


def _has_words(value: object) -> bool:
    return bool(value) and isinstance(value, str | list | tuple)
