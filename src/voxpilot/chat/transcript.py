"""The fold: what a chat looks like after its events.

Lives here: one pure rule for each kind of event, the head (what is true of the
whole chat now) and the blocks (what is drawn, in order). The page folds the
same events by the same rules. Lives elsewhere: keeping folded blocks
(storage/folds.py), drawing them (frontend/).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from voxpilot.chat.events import Json

KEPT_BLOCKS = 200
"""Blocks kept in memory beyond those of the newest turn."""

_ENDED = ("completed", "failed", "cancelled")


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


class Transcript:
    """A chat folded so far: its head and its newest blocks."""

    def __init__(self, head: Json | None = None, blocks: Iterable[Json] = ()) -> None:
        self.head = head or new_head()
        self._blocks: list[Json] = []
        self._changed: dict[int, Json] = {}
        self._index: dict[tuple[str, str], Json] = {}
        self._unjoined: dict[int, list[str]] = {}
        """Text that belongs at the end of blocks; joined only when somebody looks, for it may grow long."""
        for block in blocks:
            self._remember(block)

    @property
    def blocks(self) -> list[Json]:
        self._join()
        return self._blocks

    @property
    def changed(self) -> dict[int, Json]:
        """Blocks that differ from what was last kept, by position."""
        self._join()
        return self._changed

    def apply(self, kind: str, body: Json) -> None:
        """Take in one event. One that was seen already changes nothing."""
        if body["seq"] <= self.head["seq"]:
            return
        self.head["seq"] = body["seq"]
        self.head["last_at"] = body.get("last_at", body["at"])
        rule = _RULES.get(kind, _unknown)
        rule(self, body)

    def kept(self) -> None:
        """All changes are stored: forget which they were, and the blocks nothing can change any more."""
        self.changed.clear()
        surplus = len(self._blocks) - KEPT_BLOCKS
        if surplus <= 0:
            return
        newest = self._blocks[-1].get("turn")
        old = [block for block in self._blocks[:surplus] if block.get("turn") != newest]
        gone = {block["pos"] for block in old}
        self._blocks = [block for block in self._blocks if block["pos"] not in gone]
        self._index = {key: block for key, block in self._index.items() if block["pos"] not in gone}

    def open_tools(self, turn: str, tool_call_id: str | None) -> list[str]:
        """Tool calls of this turn that have not ended."""
        return [
            block["id"]
            for block in self._blocks
            if block["kind"] == "tool"
            and block.get("turn") == turn
            and block.get("tool_call_id") == tool_call_id
            and block.get("status") not in _ENDED
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

    def open_tool_at(self, turn: str | None, tool_call_id: str | None, path: str) -> str | None:
        """The newest tool call of this turn that has not ended and tells of this path."""
        for block in reversed(self._blocks):
            if (
                block["kind"] == "tool"
                and block.get("turn") == turn
                and block.get("tool_call_id") == tool_call_id
                and block.get("status") not in _ENDED
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
        block = self.find("asked", f"{tool_call_id or ''}/{id}")
        return block is not None and block.get("turn") == turn

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
            self._index["asked", _tool_key({**block, "id": block["detail"]["tool"]})] = block


def fold(events: Iterable[tuple[str, Json]]) -> Transcript:
    """The whole fold of a list of events."""
    transcript = Transcript()
    for kind, body in events:
        transcript.apply(kind, body)
    return transcript


def _key_of(block: Json) -> str | None:
    match block["kind"]:
        case "text" | "thought":
            return str(block["message_id"])
        case "tool":
            return _tool_key(block)
        case "question" | "message":
            return str(block["id"])
        case "notice":
            return f"{block['code']}/{block.get('turn')}"
        case "terminal":
            return str(block["terminal_id"])
        case "plan":
            return f"{block.get('turn')}/{block.get('tool_call_id')}"
    return None


def _tool_key(body: Json) -> str:
    return f"{body.get('tool_call_id', '')}/{body['id']}"


_BOOKKEEPING = frozenset({"seq", "at", "last_at", "first_seq", "turn", "tool_call_id"})


def _own(body: Json) -> Json:
    return {name: value for name, value in body.items() if name not in _BOOKKEEPING}


def _message(chat: Transcript, body: Json) -> None:
    queue = [message for message in chat.head["queue"] if message["id"] != body["id"]]
    if body.get("queued"):
        queue.insert(_place(chat.head["queue"], body), _own(body))
    elif not body.get("removed"):
        chat.add("message", body, **_own(body))
    chat.head["queue"] = queue


def _place(queue: list[Json], body: Json) -> int:
    """Where a message waits: where it did, behind those that go ahead like it, or at the end."""
    for place, message in enumerate(queue):
        if message["id"] == body["id"] or (body.get("ahead") and not message.get("ahead")):
            return place
    return len(queue)


def _turn_started(chat: Transcript, body: Json) -> None:
    head = chat.head
    head["turn"] = {
        "id": body["turn"],
        "since": body["at"],
        **{name: body[name] for name in ("by", "agent", "session_name") if name in body},
    }
    waiting = {message["id"]: message for message in head["queue"]}
    if (message := waiting.pop(body["message_id"], None)) is not None:
        message.pop("queued", None)
        message.pop("ahead", None)
        chat.add("message", body, **message)
    head["queue"] = list(waiting.values())


def _spoken(kind: str) -> Callable[[Transcript, Json], None]:
    def rule(chat: Transcript, body: Json) -> None:
        block = chat.find(kind, body["message_id"])
        if block is None:
            block = chat.add(kind, body, message_id=body["message_id"], text="")
        chat.lengthen(block, body["content"])
        if "block" in body:
            parts = block.setdefault("parts", [])
            parts.append({"after": len(chat.changed[block["pos"]]["text"]), "content": body["block"]})

    return rule


def _tool_call(chat: Transcript, body: Json) -> None:
    _tool(chat, body, new=True)


def _tool(chat: Transcript, body: Json, new: bool = False) -> None:
    block = chat.find("tool", _tool_key(body))
    # Some agents count their calls from one in every turn.
    if block is None or (new and block.get("turn") != body.get("turn")):
        defaults = {"title": "", "tool_kind": "other", "status": "pending", "locations": [], "content": []}
        chat.add("tool", body, **{**defaults, **_own(body), **_cuts({}, body)})
        return
    kept = _diffs_kept(block, body)
    block.update({**_own(body), **kept, **_cuts(block, body, kept)})
    chat.touch(block)


def _diffs_kept(block: Json, body: Json) -> Json:
    """New content takes the place of the old, but a file's last diff stays: some agents show it only once."""
    told = {item.get("path") for item in body.get("content", ()) if item.get("type") == "diff"}
    kept = [i for i in block["content"] if i.get("type") == "diff" and i.get("path") not in told]
    return {"content": [*body["content"], *kept]} if kept and "content" in body else {}


def _cuts(block: Json, body: Json, kept: Iterable[str] = ()) -> Json:
    """`cut_at`: the events that hold the whole of those fields of which only a preview is shown."""
    if not body.get("cut") and "cut_at" not in block:
        return {}
    fields = [name for name in ("input", "output", "content", "locations") if name in body]
    others = {
        name: seq for name, seq in block.get("cut_at", {}).items() if name not in fields or name in kept
    }
    return {"cut_at": others | {name: body["seq"] for name in fields if body.get("cut")}}


def _terminal(chat: Transcript, body: Json) -> Json:
    """The block of a terminal, also of one whose opening was not told."""
    block = chat.find("terminal", body["terminal_id"])
    if block is None:
        block = chat.add("terminal", body, terminal_id=body["terminal_id"], text="")
    return block


def _terminal_opened(chat: Transcript, body: Json) -> None:
    block = _terminal(chat, body)
    block.update(_own(body))
    chat.touch(block)


def _terminal_output(chat: Transcript, body: Json) -> None:
    block = _terminal(chat, body)
    chat.lengthen(block, body["data"])
    if "skipped" in body:
        block["skipped"] = block.get("skipped", 0) + body["skipped"]
    if "held" in body:
        block["held"] = body["held"]


def _terminal_exit(chat: Transcript, body: Json) -> None:
    block = _terminal(chat, body)
    block.pop("held", None)
    block["exit"] = {name: value for name, value in _own(body).items() if name != "terminal_id"}
    chat.touch(block)


def _plan(chat: Transcript, body: Json) -> None:
    block = chat.find("plan", f"{body.get('turn')}/{body.get('tool_call_id')}")
    if block is None:
        chat.add("plan", body, entries=body["entries"])
        return
    block["entries"] = body["entries"]
    chat.touch(block)


def _question(chat: Transcript, body: Json) -> None:
    chat.head["questions"].append(body["id"])
    chat.add("question", body, **_own(body))


def _answer(chat: Transcript, body: Json) -> None:
    chat.head["questions"] = [q for q in chat.head["questions"] if q != body["question_id"]]
    if (block := chat.find("question", body["question_id"])) is not None:
        block["answer"] = {**_own(body), "at": body["at"]}
        chat.touch(block)


def _agent_status(chat: Transcript, body: Json) -> None:
    status = _own(body)
    chat.head["agents"][status.pop("agent")] = status


def _per_session(name: str) -> Callable[[Transcript, Json], None]:
    def rule(chat: Transcript, body: Json) -> None:
        chat.head[name][body.get("session_name", "main")] = body[name]

    return rule


def _chat_info(chat: Transcript, body: Json) -> None:
    chat.head.update(_own(body))


def _notice(chat: Transcript, body: Json) -> None:
    if body["code"] == "stopping":
        if chat.head["turn"] is not None:
            chat.head["turn"]["stopping"] = True
        return
    chat.add("notice", body, **_own(body))


def _turn_ended(chat: Transcript, body: Json) -> None:
    started = chat.head["turn"]
    chat.head["turn"] = None
    since = started["since"] if started else body["at"]
    chat.add("turn", body, **_own(body), since=since)


def _unknown(chat: Transcript, body: Json) -> None:
    chat.add("unknown", body, raw=body.get("raw", _own(body)))


_RULES: dict[str, Callable[[Transcript, Json], None]] = {
    "message": _message,
    "turn-started": _turn_started,
    "text-delta": _spoken("text"),
    "thought-delta": _spoken("thought"),
    "tool-call": _tool_call,
    "tool-update": _tool,
    "terminal": _terminal_opened,
    "terminal-output": _terminal_output,
    "terminal-exit": _terminal_exit,
    "plan": _plan,
    "question": _question,
    "answer": _answer,
    "agent-status": _agent_status,
    "options": _per_session("options"),
    "commands": _per_session("commands"),
    "usage": _per_session("usage"),
    "chat-info": _chat_info,
    "notice": _notice,
    "turn-ended": _turn_ended,
    "unknown": _unknown,
}
