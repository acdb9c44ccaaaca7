"""Tool calls that ask for permission."""

from __future__ import annotations

from typing import Any

from tests.fakes.script import (
    ALLOW,
    ALWAYS,
    REJECT,
    request,
    update,
)

OPTIONS = [
    {"optionId": ALWAYS, "name": "Always", "kind": "allow_always"},
    {"optionId": ALLOW, "name": "Allow", "kind": "allow_once"},
    {"optionId": REJECT, "name": "Reject", "kind": "reject_once"},
]


def wish(call: str, options: list[dict[str, Any]] | None = None, **fields: Any) -> str:
    """The agent asks for permission to do this, and reports the answer."""
    params = {"toolCall": {"toolCallId": call, **fields}, "options": OPTIONS if options is None else options}
    return request("session/request_permission", params)


def run(command: str, **fields: Any) -> str:
    return wish(f"run {command}", title=command, kind="execute", rawInput={"command": command}, **fields)


def tool_call(id: str, status: str, **fields: Any) -> str:
    return update({"sessionUpdate": "tool_call", "toolCallId": id, "title": id, "status": status, **fields})
