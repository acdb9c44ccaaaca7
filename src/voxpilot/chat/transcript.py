"""The fold: what a chat looks like after its events.

Lives here: one pure rule for each kind of event, the head (what is true of the
whole chat now) and the blocks (what is drawn, in order). The page folds the
same events by the same rules. Lives elsewhere: keeping folded blocks
(storage/folds.py), drawing them (frontend/).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from voxpilot.chat.blocks import Blocks, tool_key
from voxpilot.chat.events import Json


class Transcript(Blocks):
    """A chat folded so far: its head and its newest blocks."""

    def apply(self, kind: str, body: Json) -> None:
        """Take in one event. One that was seen already changes nothing."""
        if body["seq"] <= self.head["seq"]:
            return
        rule = _RULES.get(kind, _unknown)
        rule(self, body)
        self.head["seq"] = body["seq"]
        self.head["last_at"] = body.get("last_at", body["at"])


def fold(events: Iterable[tuple[str, Json]]) -> Transcript:
    """The whole fold of a list of events."""
    transcript = Transcript()
    for kind, body in events:
        transcript.apply(kind, body)
    return transcript


_BOOKKEEPING = frozenset({"seq", "at", "last_at", "first_seq", "turn", "tool_call_id"})


def _own(body: Json) -> Json:
    return {name: value for name, value in body.items() if name not in _BOOKKEEPING}


def _message(chat: Blocks, body: Json) -> None:
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


def _turn_started(chat: Blocks, body: Json) -> None:
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


def _spoken(kind: str) -> Callable[[Blocks, Json], None]:
    def rule(chat: Blocks, body: Json) -> None:
        block = chat.find(kind, body["message_id"])
        if block is None:
            block = chat.add(kind, body, message_id=body["message_id"], text="")
        chat.lengthen(block, body["content"])
        if "block" in body:
            parts = block.setdefault("parts", [])
            parts.append({"after": len(chat.changed[block["pos"]]["text"]), "content": body["block"]})

    return rule


def _tool_call(chat: Blocks, body: Json) -> None:
    _tool(chat, body, new=True)


def _tool(chat: Blocks, body: Json, new: bool = False) -> None:
    block = chat.find("tool", tool_key(body))
    # Some agents count their calls from one in every turn.
    if block is None or (new and block.get("turn") != body.get("turn")):
        defaults = {"title": "", "tool_kind": "other", "status": "pending", "locations": [], "content": []}
        chat.add("tool", body, **{**defaults, **_own(body), **_cuts({}, body)})
        return
    block.update({**_own(body), **_diffs_kept(block, body), **_cuts(block, body)})
    chat.touch(block)


def _diffs_kept(block: Json, body: Json) -> Json:
    """New content takes the place of the old, but a file's last diff stays: some agents show it only once.

    One of which only a preview may be here says where it is whole: `whole_at`, an event and a place in it.
    """
    told = [item.get("path") for item in body.get("content", ()) if item.get("type") == "diff"]
    cut_at = block.get("cut_at", {}).get("content")
    kept = [
        item if cut_at is None or "whole_at" in item else {**item, "whole_at": {"seq": cut_at, "item": place}}
        for place, item in enumerate(block["content"])
        if item.get("type") == "diff" and item.get("path") not in told
    ]
    return {"content": [*body["content"], *kept]} if kept and "content" in body else {}


def _cuts(block: Json, body: Json) -> Json:
    """`cut_at`: the events that hold the whole of those fields of which only a preview is shown."""
    if not body.get("cut") and "cut_at" not in block:
        return {}
    fields = [name for name in ("input", "output", "content", "locations") if name in body]
    others = {name: seq for name, seq in block.get("cut_at", {}).items() if name not in fields}
    return {"cut_at": others | {name: body["seq"] for name in fields if body.get("cut")}}


def _terminal(chat: Blocks, body: Json) -> Json:
    """The block of a terminal, also of one whose opening was not told."""
    block = chat.find("terminal", body["terminal_id"])
    if block is None:
        block = chat.add("terminal", body, terminal_id=body["terminal_id"], text="")
    return block


def _terminal_opened(chat: Blocks, body: Json) -> None:
    block = _terminal(chat, body)
    block.update(_own(body))
    chat.touch(block)


def _terminal_output(chat: Blocks, body: Json) -> None:
    block = _terminal(chat, body)
    chat.lengthen(block, body["data"])
    if "skipped" in body:
        block["skipped"] = block.get("skipped", 0) + body["skipped"]
    if "held" in body:
        block["held"] = body["held"]


def _terminal_exit(chat: Blocks, body: Json) -> None:
    block = _terminal(chat, body)
    block.pop("held", None)
    block["exit"] = {name: value for name, value in _own(body).items() if name != "terminal_id"}
    chat.touch(block)


def _delegate_done(chat: Blocks, body: Json) -> None:
    if (block := chat.tool(body["tool_call_id"], None)) is not None:
        block["delegated"] = _own(body)
        chat.touch(block)


def _tool_result(chat: Blocks, body: Json) -> None:
    if (block := chat.tool(body["id"], None)) is not None:
        own = _own(body)
        result = {name: value for name, value in own.items() if name not in ("id", "name")}
        block["result"] = {**result, "seq": body["seq"]}
        block["status"] = "failed" if body["is_error"] else "completed"
        chat.touch(block)


def _superseded(chat: Blocks, body: Json) -> None:
    for kind in ("text", "thought"):
        if (block := chat.find(kind, body["message_id"])) is not None:
            block["superseded"] = True
            chat.touch(block)


def _plan(chat: Blocks, body: Json) -> None:
    block = chat.find("plan", f"{body.get('turn')}/{body.get('tool_call_id')}")
    if block is None:
        chat.add("plan", body, entries=body["entries"])
        return
    block["entries"] = body["entries"]
    chat.touch(block)


def _question(chat: Blocks, body: Json) -> None:
    chat.head["questions"].append(body["id"])
    chat.add("question", body, **_own(body))


def _answer(chat: Blocks, body: Json) -> None:
    chat.head["questions"] = [q for q in chat.head["questions"] if q != body["question_id"]]
    if (block := chat.find("question", body["question_id"])) is not None:
        block["answer"] = {**_own(body), "at": body["at"]}
        chat.touch(block)


def _agent_status(chat: Blocks, body: Json) -> None:
    status = _own(body)
    chat.head["agents"][status.pop("agent")] = status


def _per_session(name: str) -> Callable[[Blocks, Json], None]:
    def rule(chat: Blocks, body: Json) -> None:
        chat.head[name][body.get("session_name", "main")] = body[name]

    return rule


def _chat_info(chat: Blocks, body: Json) -> None:
    chat.head.update(_own(body))


def _notice(chat: Blocks, body: Json) -> None:
    if body["code"] == "stopping":
        if chat.head["turn"] is not None:
            chat.head["turn"]["stopping"] = True
        return
    chat.add("notice", body, **_own(body))


def _turn_ended(chat: Blocks, body: Json) -> None:
    started = chat.head["turn"]
    chat.head["turn"] = None
    since = started["since"] if started else body["at"]
    chat.add("turn", body, **_own(body), since=since)


def _unknown(chat: Blocks, body: Json) -> None:
    chat.add("unknown", body, raw=body.get("raw", _own(body)))


_RULES: dict[str, Callable[[Blocks, Json], None]] = {
    "message": _message,
    "turn-started": _turn_started,
    "text-delta": _spoken("text"),
    "thought-delta": _spoken("thought"),
    "copilot-delta": _spoken("text"),
    "copilot-done": _delegate_done,
    "tool-result": _tool_result,
    "superseded": _superseded,
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
