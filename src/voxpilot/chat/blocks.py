"""What events have added up to so far: a head, and blocks in order.

Lives here: keeping them, finding one, changing one. Lives elsewhere: which
event changes what (transcript.py).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from voxpilot.chat.events import Json

KEPT_BLOCKS = 200
"""Blocks kept in memory beyond those of the newest turn."""

ENDED = ("completed", "failed", "cancelled")
"""How a tool call may end."""


def new_head() -> Json:
    return {
        "seq": 0,
        "last_at": None,
        "turn": None,
        "queue": [],
        "questions": [],
        "agents": {},
        "options": {},
        "commands": {},
        "usage": {},
    }


class Blocks:
    """The head and the newest blocks."""

    def __init__(self, head: Json | None = None, blocks: Iterable[Json] = ()) -> None:
        self.head = head or new_head()
        self._blocks: list[Json] = []
        self._changed: dict[int, Json] = {}
        self._index: dict[tuple[str, str], Json] = {}
        self._unjoined: dict[int, list[str]] = {}
        """Text that belongs at the end of blocks; joined only when somebody looks, for it may grow long."""
        for block in blocks:
            self._remember(block)
        self.has_older = len(self._blocks) >= KEPT_BLOCKS
        """There may be blocks that are not in memory."""

    @property
    def blocks(self) -> list[Json]:
        self._join()
        return self._blocks

    @property
    def changed(self) -> dict[int, Json]:
        """Blocks that differ from what was last kept, by position."""
        self._join()
        return self._changed

    def kept(self) -> None:
        """All changes are stored: forget which they were, and the blocks nothing can change any more."""
        self.changed.clear()
        surplus = len(self._blocks) - KEPT_BLOCKS
        if surplus <= 0:
            return
        newest = self._blocks[-1].get("turn")
        old = [block for block in self._blocks[:surplus] if block.get("turn") != newest]
        gone = {block["pos"] for block in old}
        self.has_older |= bool(gone)
        self._blocks = [block for block in self._blocks if block["pos"] not in gone]
        self._index = {key: block for key, block in self._index.items() if block["pos"] not in gone}

    def open_calls(self, turn: str, tool_call_id: str | None) -> list[Json]:
        """Tool calls of this turn that have not ended."""
        return [
            block
            for block in self._blocks
            if block["kind"] == "tool"
            and block.get("turn") == turn
            and block.get("tool_call_id") == tool_call_id
            and block.get("status") not in ENDED
        ]

    def open_terminals(self, turn: str, tool_call_id: str | None) -> list[str]:
        """Commands of this turn whose end was not told."""
        return [
            block["terminal_id"]
            for block in self._blocks
            if block["kind"] == "terminal"
            and block.get("turn") == turn
            and block.get("tool_call_id") == tool_call_id
            and "exit" not in block
        ]

    def told_terminal(self, name: str, tool_call_id: str | None) -> Json | None:
        """The newest terminal in memory that an agent calls so."""
        first = self.find("terminal", name)
        if first is not None and "exit" not in first and first.get("tool_call_id") == tool_call_id:
            return first
        for block in reversed(self._blocks):
            if (
                block["kind"] == "terminal"
                and block.get("told_as", block["terminal_id"]) == name
                and block.get("tool_call_id") == tool_call_id
            ):
                return block
        return None

    def open_tool_at(self, turn: str | None, tool_call_id: str | None, path: str) -> str | None:
        """The newest tool call of this turn that has not ended and tells of this path."""
        for block in reversed(self._blocks):
            if (
                block["kind"] == "tool"
                and block.get("turn") == turn
                and block.get("tool_call_id") == tool_call_id
                and block.get("status") not in ENDED
                and any(place.get("path") == path for place in (*block["locations"], *block["content"]))
            ):
                return str(block["id"])
        return None

    def find(self, kind: str, key: str) -> Json | None:
        """A block in memory by what names it: a message's or question's id."""
        return self._index.get((kind, key))

    def tool(self, id: str, tool_call_id: str | None) -> Json | None:
        """A tool call in memory; the second name is the delegated call it belongs to."""
        return self.find("tool", f"{tool_call_id or ''}/{id}")

    def was_asked(self, turn: str | None, id: str, tool_call_id: str | None) -> bool:
        """Whether there was a question about this tool call in this turn."""
        block = self.asked_about(id, tool_call_id)
        return block is not None and block.get("turn") == turn

    def asked_about(self, id: str, tool_call_id: str | None) -> Json | None:
        """The last question about a tool call."""
        return self.find("asked", f"{tool_call_id or ''}/{id}")

    def add(self, kind: str, body: Json, **fields: Any) -> Json:
        block: Json = {"pos": body.get("first_seq", body["seq"]), "kind": kind, "at": body["at"]}
        for name in ("turn", "tool_call_id"):
            if name in body:
                block[name] = body[name]
        block.update(fields)
        self._remember(block)
        self._changed[block["pos"]] = block
        return block

    def touch(self, block: Json) -> None:
        self._changed[block["pos"]] = block

    def lengthen(self, block: Json, text: str) -> None:
        self._unjoined.setdefault(block["pos"], []).append(text)
        self.touch(block)

    def _join(self) -> None:
        for pos, texts in self._unjoined.items():
            block = self._changed[pos]
            block["text"] += "".join(texts)
        self._unjoined.clear()

    def _remember(self, block: Json) -> None:
        self._blocks.append(block)
        if (key := _key_of(block)) is not None:
            self._index[(block["kind"], key)] = block
        if block["kind"] == "question" and "tool" in block["detail"]:
            self._index["asked", tool_key({**block, "id": block["detail"]["tool"]})] = block


def _key_of(block: Json) -> str | None:
    match block["kind"]:
        case "text" | "thought":
            return str(block["message_id"])
        case "tool":
            return tool_key(block)
        case "question" | "message":
            return str(block["id"])
        case "notice":
            return f"{block['code']}/{block.get('turn')}"
        case "terminal":
            return str(block["terminal_id"])
        case "plan":
            return f"{block.get('turn')}/{block.get('tool_call_id')}"
    return None


def tool_key(body: Json) -> str:
    return f"{body.get('tool_call_id', '')}/{body['id']}"
