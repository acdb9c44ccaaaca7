"""The fold: what a chat looks like after its events.

Lives here: one pure rule for each kind of event, the head (what is true of the
whole chat now) and the blocks (what is drawn, in order). The page folds the
same events by the same rules. Lives elsewhere: storing folded blocks (storage/chats/folds.py), drawing them
(frontend/).
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Literal, cast

from voxpilot.chat.blocks import Blocks, tool_key
from voxpilot.chat.events import Json

if TYPE_CHECKING:
    from voxpilot.chat.head_shapes import AgentStatus, OpenTurn, QueuedMessage
    from voxpilot.chat.shapes import DiffContent, TerminalBlock, ToolBlock, ToolCut

log = logging.getLogger(__name__)


class Transcript(Blocks):
    """A chat folded so far: its head and its newest blocks."""

    def apply(self, kind: str, body: Json) -> None:
        """Apply one event. An event that was seen already changes nothing.

        An event that its rule cannot handle is kept whole, marked `broken`, so that one event cannot make a
        chat unreadable.
        """
        try:
            self.apply_new(kind, body)
        except (LookupError, TypeError, AttributeError, ValueError):
            log.exception("event not folded: kind=%s seq=%s", kind, body["seq"])
            self.add("unknown", body, raw=_own(body), broken=True)
            self._reached(body)

    def apply_new(self, kind: str, body: Json) -> None:
        """Apply an event that is not stored yet; errors of its rule are raised, so that a broken event is
        never stored."""
        if body["seq"] > self.head["seq"]:
            _RULES.get(kind, _unknown)(self, body)
            self._reached(body)

    def _reached(self, body: Json) -> None:
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
        queue.insert(_place(chat.head["queue"], body), cast("QueuedMessage", _own(body)))
    elif not body.get("removed"):
        chat.add("message", body, **_own(body))
    chat.head["queue"] = queue


def _place(queue: list[QueuedMessage], body: Json) -> int:
    """The position of a message in the queue: its old one, after others with priority, or at the end."""
    for place, message in enumerate(queue):
        if message["id"] == body["id"] or (body.get("ahead") and not message.get("ahead")):
            return place
    return len(queue)


def _turn_started(chat: Blocks, body: Json) -> None:
    head = chat.head
    by = {name: body[name] for name in ("by", "agent", "session_name") if name in body}
    head["turn"] = cast("OpenTurn", {"id": body["turn"], "since": body["at"], **by})
    waiting = {message["id"]: message for message in head["queue"]}
    if (message := waiting.pop(body["message_id"], None)) is not None:
        message.pop("queued", None)
        message.pop("ahead", None)
        message.pop("to", None)
        chat.add("message", body, **message)
    head["queue"] = list(waiting.values())


def _spoken(kind: Literal["text", "thought"]) -> Callable[[Blocks, Json], None]:
    def rule(chat: Blocks, body: Json) -> None:
        block = chat.find(kind, body["message_id"])
        if block is None:
            block = chat.add(kind, body, message_id=body["message_id"], text="")
        chat.lengthen(block, body["content"])
        if "block" in body:
            parts = block.setdefault("parts", [])
            chat.join()
            parts.append({"after": len(block["text"]), "content": body["block"]})

    return rule


def _tool_call(chat: Blocks, body: Json) -> None:
    _tool(chat, body, new=True)


def _tool(chat: Blocks, body: Json, new: bool = False) -> None:
    block = chat.find("tool", tool_key(body))
    # Some agents count their calls from one in every turn.
    if block is None or (new and block.get("turn") != body.get("turn")):
        # The call replaces what a question before it only proposed.
        early = {} if new else {"early": "proposed" if body.get("status") == "pending" else True}
        chat.add("tool", body, **{**_defaults(), **_own(body), **_cuts(None, body), **early})
        return
    if new and block.get("early") != "proposed":
        body = _filled_in(block, body)
    elif new:
        del block["early"]
    chat.change(block, {**_own(body), **_diffs_kept(block, body), **_cuts(block, body)})


def _defaults() -> Json:
    """The defaults of a tool call."""
    return {"title": "", "tool_kind": "other", "status": "pending", "locations": [], "content": []}


def _filled_in(block: ToolBlock, body: Json) -> Json:
    """What a call adds if it arrives after its first updates, or a second time: it removes nothing.

    Updates that came before the call were meant to follow it, so the call fills in only missing fields.
    """
    defaults = _defaults()
    silent = {name for name, value in defaults.items() if body.get(name) == value}
    if block.pop("early", None) is not None:
        known: Json = {**block}
        silent |= {name for name in body if name in known and known[name] != defaults.get(name)} - {
            *_BOOKKEEPING,
            "input",
        }  # the request for a call may differ from what the call runs
        if block["content"]:
            block["content"] = [*block["content"], *_further_diffs(block, body)]
    return {name: value for name, value in body.items() if name not in silent or name == "id"}


def _further_diffs(block: ToolBlock, body: Json) -> list[DiffContent]:
    """Diffs of files for which the block shows none yet."""
    shown = [item.get("path") for item in block["content"] if item.get("type") == "diff"]
    found: list[Json] = [
        {**item, "whole_at": {"seq": body["seq"], "item": place}} if body.get("cut") else item
        for place, item in enumerate(body.get("content", ()))
        if item.get("type") == "diff" and item.get("path") not in shown
    ]
    return cast("list[DiffContent]", found)


def _diffs_kept(block: ToolBlock, body: Json) -> Json:
    """New content replaces the old, but a file's last diff stays, because some agents show it only once.

    If only a preview of it may be here, `whole_at` says where the complete diff is: an event and a place in
    it.
    """
    told = [item.get("path") for item in body.get("content", ()) if item.get("type") == "diff"]
    cut_at = block.get("cut_at", {}).get("content")
    kept = [
        item if cut_at is None or "whole_at" in item else {**item, "whole_at": {"seq": cut_at, "item": place}}
        for place, item in enumerate(block["content"])
        if item.get("type") == "diff" and item.get("path") not in told
    ]
    return {"content": [*body["content"], *kept]} if kept and "content" in body else {}


def _cuts(block: ToolBlock | None, body: Json) -> Json:
    """`cut_at`: the events that hold the complete values of fields shown as a preview."""
    if not body.get("cut") and (block is None or "cut_at" not in block):
        return {}
    fields = [name for name in ("input", "output", "content", "locations") if name in body]
    cut_at: ToolCut = block.get("cut_at", {}) if block else {}
    others = {name: seq for name, seq in cut_at.items() if name not in fields}
    return {"cut_at": others | {name: body["seq"] for name in fields if body.get("cut")}}


def _terminal(chat: Blocks, body: Json) -> TerminalBlock:
    """The block of a terminal, even if its start was not reported."""
    block = chat.find("terminal", body["terminal_id"])
    if block is None:
        block = chat.add("terminal", body, terminal_id=body["terminal_id"], text="")
    return block


def _terminal_opened(chat: Blocks, body: Json) -> None:
    chat.change(_terminal(chat, body), _own(body))


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
    chat.change(block, {"exit": {k: value for k, value in _own(body).items() if k != "terminal_id"}})


def _delegate_done(chat: Blocks, body: Json) -> None:
    if (block := chat.tool(body["tool_call_id"], None)) is not None:
        chat.change(block, {"delegated": _own(body)})


def _tool_result(chat: Blocks, body: Json) -> None:
    if (block := chat.tool(body["id"], None)) is not None:
        own = _own(body)
        result = {name: value for name, value in own.items() if name not in ("id", "name")}
        status = "failed" if body["is_error"] else "completed"
        chat.change(block, {"result": {**result, "seq": body["seq"]}, "status": status})


_SENT = ("skills_folder", "indexed", "skills", "instructions", "files", "left_out")


def _context(chat: Blocks, body: Json) -> None:
    if (block := chat.find("message", body["message_id"])) is not None:
        chat.change(block, {"context": {name: body[name] for name in _SENT if name in body}})


def _superseded(chat: Blocks, body: Json) -> None:
    kinds: tuple[Literal["text", "thought"], ...] = ("text", "thought")
    for kind in kinds:
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
        chat.change(block, {"answer": {**_own(body), "at": body["at"]}})


def _agent_status(chat: Blocks, body: Json) -> None:
    status = _own(body)
    chat.head["agents"][status.pop("agent")] = cast("AgentStatus", status)


def _per_session(name: Literal["options", "commands", "usage"]) -> Callable[[Blocks, Json], None]:
    def rule(chat: Blocks, body: Json) -> None:
        of_sessions: dict[str, Any] = chat.head[name]
        of_sessions[body.get("session_name", "main")] = body[name]

    return rule


def _chat_info(chat: Blocks, body: Json) -> None:
    cast("Json", chat.head).update(_own(body))


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
    "context": _context,
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
