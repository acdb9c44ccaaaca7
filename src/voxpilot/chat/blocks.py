"""The state of a fold: a head, and blocks in order.

Lives here: keeping them, finding one, changing one, and dropping stored ones to save memory. Lives elsewhere:
which event changes what (transcript.py), storing them (storage/chats/folds.py).
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal, cast, overload

from voxpilot.chat.events import Json

if TYPE_CHECKING:  # shapes take long to import, and nothing needs them at run time
    from voxpilot.chat.head_shapes import Head
    from voxpilot.chat.shapes import (
        Block,
        MessageBlock,
        NoticeBlock,
        PlanBlock,
        QuestionBlock,
        SpokenBlock,
        TerminalBlock,
        ToolBlock,
    )

KEPT_BLOCKS = 100
"""Blocks kept in memory beyond those of the newest turn."""

_SMALL = 300
"""About the bytes of a block without its text."""

_OBJECT = 60
"""About the bytes of a value in memory in addition to its text."""

_AT_ONCE = 1_000
"""How many blocks are looked at to drop some of them; takes a hundredth of a second."""

ENDED = ("completed", "failed", "cancelled")
"""The final states of a tool call."""


class BlocksAway(Exception):
    """A block is needed that was dropped from memory: read the fold again, from this position on."""

    def __init__(self, since: int) -> None:
        super().__init__(since)
        self.since = since


def new_head() -> Head:
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

    def __init__(self, head: Head | None = None, blocks: Iterable[Block] = ()) -> None:
        self.head = head or new_head()
        self._blocks: list[Block] = []
        self._changed: dict[int, Block] = {}
        self._index: dict[tuple[str, str], Block] = {}
        self._unjoined: dict[int, list[str]] = {}
        """Text that belongs at the end of blocks; joined only when read, because it may grow long."""
        self._away = array("q")
        """Hashes of the keys of dropped blocks, in order. An equal hash of another key does no harm."""
        self._away_since: int | None = None
        """The position of the first dropped block."""
        self._away_newest: Block | None = None
        for block in blocks:
            self._remember(block)
        self.size = 0
        """About the bytes that the blocks take."""
        self._held = -1
        """What they took when none of them could be dropped; -1 if that may have changed."""
        self.replayed = 0
        """Bytes of events that were folded again although an earlier fold was stored."""
        self.has_older = len(self._blocks) >= KEPT_BLOCKS
        """There may be blocks that are not in memory."""

    @property
    def blocks(self) -> list[Block]:
        """All blocks; raises BlocksAway if some were dropped."""
        if self._away_since is not None:
            raise BlocksAway(self._away_since)
        return self.here

    @property
    def here(self) -> list[Block]:
        """The blocks in memory."""
        self.join()
        return self._blocks

    @property
    def is_whole(self) -> bool:
        """Whether no block was dropped by `hold`."""
        return self._away_since is None

    def hold(self, most_bytes: int) -> None:
        """Drop stored blocks, the oldest first, until the rest takes about this much memory.

        Those that are still open stay. Code that needs a dropped one gets BlocksAway. One call looks at
        a limited number of blocks, so that nobody waits for it; call it again for the rest.
        """
        if self.size <= most_bytes or self.size == self._held:
            return
        sizes = [_weight(block) for block in self._blocks[:_AT_ONCE]]
        if len(sizes) == len(self._blocks):  # until now it was an estimate
            self.size = sum(sizes)
        gone: list[Block] = []
        for block, size in zip(self._blocks[:-1], sizes, strict=False):
            if self.size <= most_bytes:
                break
            if block["pos"] not in self._changed and not _is_open(block):
                gone.append(block)
                self.size = max(0, self.size - size)
        self._held = -1 if gone else self.size
        self._drop(gone)

    @property
    def changed(self) -> dict[int, Block]:
        """Blocks that have changed since they were last stored, by position."""
        self.join()
        return self._changed

    def changed_size(self) -> int:
        """About how many bytes have to be stored."""
        waiting = sum(len(text) for texts in self._unjoined.values() for text in texts)
        return waiting + sum(_SMALL + len(str(block.get("text", ""))) for block in self._changed.values())

    def kept(self, prune: bool = True) -> None:
        """All changes are stored: forget them, and drop the blocks that nothing can change any more."""
        self.changed.clear()
        self._held = -1
        surplus = len(self._blocks) - KEPT_BLOCKS
        if surplus <= 0 or not prune:
            return
        newest = self._blocks[-1].get("turn")
        self._forget_old(newest)
        old = [block for block in self._blocks[:surplus] if block.get("turn") != newest]
        gone = {block["pos"] for block in old}
        self.has_older |= bool(gone)
        self.size = self.size * (len(self._blocks) - len(gone)) // len(self._blocks)
        self._blocks = [block for block in self._blocks if block["pos"] not in gone]
        self._index = {key: block for key, block in self._index.items() if block["pos"] not in gone}

    def open_calls(self, turn: str, tool_call_id: str | None) -> list[ToolBlock]:
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
        """Commands of this turn whose end was not reported."""
        return [
            block["terminal_id"]
            for block in self._blocks
            if block["kind"] == "terminal"
            and block.get("turn") == turn
            and block.get("tool_call_id") == tool_call_id
            and "exit" not in block
        ]

    def told_terminal(self, name: str, tool_call_id: str | None) -> TerminalBlock | None:
        """The newest terminal in memory to which an agent gave this name."""
        first = self.find("terminal", name)
        if first is not None and "exit" not in first and first.get("tool_call_id") == tool_call_id:
            return first
        self._need("told", name)
        told = [
            block
            for block in self._blocks
            if block["kind"] == "terminal"
            and block.get("told_as", block["terminal_id"]) == name
            and block.get("tool_call_id") == tool_call_id
        ]
        return told[-1] if told else None

    def open_tool_at(self, turn: str | None, tool_call_id: str | None, path: str) -> str | None:
        """The newest tool call of this turn that has not ended and names this path."""
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

    @overload
    def find(self, kind: Literal["tool"], key: str) -> ToolBlock | None: ...
    @overload
    def find(self, kind: Literal["terminal"], key: str) -> TerminalBlock | None: ...
    @overload
    def find(self, kind: Literal["text", "thought"], key: str) -> SpokenBlock | None: ...
    @overload
    def find(self, kind: Literal["question", "asked"], key: str) -> QuestionBlock | None: ...
    @overload
    def find(self, kind: Literal["message"], key: str) -> MessageBlock | None: ...
    @overload
    def find(self, kind: Literal["notice"], key: str) -> NoticeBlock | None: ...
    @overload
    def find(self, kind: Literal["plan"], key: str) -> PlanBlock | None: ...

    def find(self, kind: str, key: str) -> Block | None:
        """A block in memory by the id of its message or question; `asked` finds the question about a call."""
        found = self._index.get((kind, key))
        if found is None and self._away:
            self._need(kind, key)
        return found

    def tool(self, id: str, tool_call_id: str | None) -> ToolBlock | None:
        """A tool call in memory; the second name is the delegated call it belongs to."""
        return self.find("tool", _call_key(tool_call_id, id))

    def was_asked(self, turn: str | None, id: str, tool_call_id: str | None) -> bool:
        """Whether there was a question about this tool call in this turn."""
        block = self.asked_about(id, tool_call_id)
        return block is not None and block.get("turn") == turn

    def asked_about(self, id: str, tool_call_id: str | None) -> QuestionBlock | None:
        """The last question about a tool call."""
        return self.find("asked", _call_key(tool_call_id, id))

    @overload
    def add(self, kind: Literal["text", "thought"], body: Json, **fields: Any) -> SpokenBlock: ...
    @overload
    def add(self, kind: Literal["terminal"], body: Json, **fields: Any) -> TerminalBlock: ...
    @overload
    def add(
        self,
        kind: Literal["message", "tool", "plan", "question", "notice", "turn", "unknown"],
        body: Json,
        **fields: Any,
    ) -> Block: ...

    def add(self, kind: str, body: Json, **fields: Any) -> Block:
        """A new block with these fields; the event's own place, time and turn are added."""
        block: Any = {"pos": body.get("first_seq", body["seq"]), "kind": kind, "at": body["at"]}
        for name in ("turn", "tool_call_id"):
            if name in body:
                block[name] = body[name]
        block.update(fields)
        self._remember(block)
        self.touch(block)
        return cast("Block", block)

    def change(self, block: Block, fields: Mapping[str, Any]) -> None:
        """Set fields of a block to what an event says."""
        cast("Json", block).update(fields)
        self.touch(block)

    def touch(self, block: Block) -> None:
        self._changed[block["pos"]] = block

    def lengthen(self, block: SpokenBlock | TerminalBlock, text: str) -> None:
        self._unjoined.setdefault(block["pos"], []).append(text)
        self.touch(block)

    def join(self) -> None:
        """Add the text that waits to its blocks."""
        for pos, texts in self._unjoined.items():
            block = self._changed[pos]
            if block["kind"] in ("text", "thought", "terminal"):
                block["text"] += "".join(texts)
        self._unjoined.clear()

    def _drop(self, gone: list[Block]) -> None:
        if not gone:
            return
        keys = {key for block in gone for key in _names_of(block) if self._index.get(key, block) is block}
        for key in keys:
            self._index.pop(key, None)
        self._away = array("q", sorted({*self._away, *map(hash, keys)}))
        places = {block["pos"] for block in gone}
        self._away_since = min(places if self._away_since is None else {*places, self._away_since})
        newest = max(gone, key=lambda block: block["pos"])
        if self._away_newest is None or newest["pos"] > self._away_newest["pos"]:
            self._away_newest = cast("Block", {"pos": newest["pos"], "turn": newest.get("turn")})
        self._blocks = [block for block in self._blocks if block["pos"] not in places]

    def _need(self, kind: str, key: str) -> None:
        """Raises BlocksAway if a block with this key was dropped."""
        wanted = hash((kind, key))
        place = bisect_left(self._away, wanted)
        if place < len(self._away) and self._away[place] == wanted:
            assert self._away_since is not None
            raise BlocksAway(self._away_since)

    def _forget_old(self, newest: str | None) -> None:
        """Dropped blocks that nothing can change any more need not be known."""
        old = self._away_newest
        if old is not None and old.get("turn") != newest:
            later = sum(block["pos"] > old["pos"] for block in self._blocks)
            if later >= KEPT_BLOCKS:
                self._away, self._away_since, self._away_newest = array("q"), None, None
                self.has_older = True

    def _remember(self, block: Block) -> None:
        self._blocks.append(block)
        for name in _names_of(block):
            if name[0] != "told":
                self._index[name] = block


def _names_of(block: Block) -> Iterator[tuple[str, str]]:
    """What the block is found by."""
    if (key := _key_of(block)) is not None:
        yield block["kind"], key
    if block["kind"] == "question" and "tool" in block["detail"]:
        yield "asked", _call_key(block.get("tool_call_id"), block["detail"]["tool"])
    if block["kind"] == "terminal":
        yield "told", str(block.get("told_as", block["terminal_id"]))


def _is_open(block: Block) -> bool:
    """Whether events about it are still expected."""
    match block["kind"]:
        case "tool":
            return block.get("status") not in ENDED
        case "terminal":
            return "exit" not in block
    return False


def _weight(value: object) -> int:
    """About the bytes that a value takes."""
    if isinstance(value, str):
        return _OBJECT + len(value)
    if isinstance(value, Mapping):
        return _OBJECT * 3 + sum(map(_weight, value.values()))
    return _OBJECT + sum(map(_weight, value)) if isinstance(value, list | tuple) else _OBJECT


def _key_of(block: Block) -> str | None:
    match block["kind"]:
        case "text" | "thought":
            return str(block["message_id"])
        case "tool":
            return _call_key(block.get("tool_call_id"), block["id"])
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
    return _call_key(body.get("tool_call_id"), body["id"])


def _call_key(tool_call_id: str | None, id: str | None) -> str:
    return f"{tool_call_id or ''}/{id}"
