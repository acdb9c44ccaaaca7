"""What a person must see of a recorded conversation, derived from its raw frames.

Lives here: a simple interpretation of the protocol that shares no code with the product: from frames to what
is shown. Lives elsewhere: the recordings (traces.py), the product's result in the same format
(trace_shown.py).
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from tests.kit.oracles.trace_seen import Json, Seen, Turn, choices
from tests.kit.oracles.traces import RecordedFrame

LATE = 2.0
"""For this many seconds after the answer to a prompt, an agent's text still belongs to that turn."""
_STATE = {
    "available_commands_update",
    "current_mode_update",
    "config_option_update",
    "usage_update",
    "session_info_update",
}
_REMARKS = ("Error: ", "Warning: ", "Info: ")
"""How Copilot's own remarks begin, which it mixes into its model's text."""
_OVER = ("completed", "failed", "cancelled")


@dataclass
class Session:
    name: str
    run: int
    turn: Turn | None = None
    running: list[Turn] = field(default_factory=list)
    """Turns whose prompts are not answered yet; our server sends one at a time."""
    answered: float = 0.0
    speaking: tuple[str, Json] | None = None
    """The message that chunks without an id continue."""
    loading: bool = False
    heard: str | None = None
    """The person's message in a history that is being repeated."""
    offers: Json = field(default_factory=dict)


def read(frames: Iterable[RecordedFrame], repeated: str = "shown") -> Seen:
    """The whole recording; `repeated`: whether a history that the agent repeats is shown."""
    reader = _Reader(repeated)
    for frame in frames:
        reader.take(frame)
    return reader.seen


class _Reader:
    def __init__(self, repeated: str) -> None:
        self.seen = Seen()
        self.repeated = repeated
        self.run = 0
        self.sessions: dict[str, Session] = {}
        self.proposed: set[str] = set()
        self.early: dict[tuple[int, str], list[tuple[Json, float]]] = {}
        self.requests: dict[tuple[int, str], tuple[str, Any, Json]] = {}
        """Our open requests: the method, the session, the parameters."""
        self.questions: dict[tuple[int, str], tuple[Turn, Json]] = {}
        self.messages: dict[tuple[str, str, str], tuple[Turn | None, Json]] = {}
        self.calls: dict[str, tuple[Turn | None, Json]] = {}
        self.plans: dict[int, Json] = {}
        self.terminals: dict[str, Json] = {}
        self.names = 0
        self.agent = ""
        """The agent's own name."""

    def take(self, frame: RecordedFrame) -> None:
        message = frame.message
        if frame.run != self.run:
            self._run_ends()
            self.run = frame.run
        if "method" not in message:
            if "id" in message:
                (self._answered if frame.from_agent else self._decided)(message, frame.at)
        elif frame.from_agent:
            self._heard(message, frame.at)
        else:
            self._sent(message)

    # Our side

    def _sent(self, message: Json) -> None:
        method, params = message["method"], message.get("params") or {}
        session = self._session(params.get("sessionId"))
        about: Any = session
        if method == "session/cancel":
            if session and session.running:
                session.running[0].stopped_by_us = True
                self._close_questions(session.running[0], "cancelled")
            return
        if method in ("session/new", "session/fork"):
            self.names += 1
            about = f"s{self.names}"
        elif method in ("session/load", "session/resume") and session is None:
            about = self.sessions.get(params["sessionId"])
            if about is not None:
                about.run, about.loading, about.heard, about.turn = self.run, True, None, None
        elif method == "session/prompt" and session is not None:
            text = "".join(block.get("text", "") for block in params["prompt"])
            about = (session, self._begin(session, text))
            session.running.append(about[1])
        if "id" in message:
            self.requests[self._key(message)] = (method, about, params)

    def _decided(self, message: Json, at: float) -> None:
        """The answer that was sent to the agent."""
        asked = self.questions.pop(self._key(message), None)
        if asked is None:
            return
        _, question = asked
        result = message.get("result") or {}
        if question["type"] == "form":
            question["outcome"] = result.get("action", "cancelled")
            return
        outcome = result.get("outcome")
        chosen = outcome.get("optionId") if isinstance(outcome, dict) else None
        kinds = {option["id"]: option["kind"] for option in question["options"]}
        question["outcome"] = kinds.get(chosen, "cancelled")

    # The agent's side

    def _answered(self, message: Json, at: float) -> None:
        method, about, params = self.requests.pop(self._key(message), ("", None, {}))
        result: Json = message.get("result") or {}
        failed = "error" in message
        if method == "initialize":
            self.agent = (result.get("agentInfo") or {}).get("name", "")
        if method in ("session/new", "session/fork") and not failed:
            session = Session(about, self.run)
            self.sessions[result["sessionId"]] = session
            self._offers(session, result)
            for update, when in self.early.pop((self.run, result["sessionId"]), []):
                self._update(session, update, when)
        elif method in ("session/load", "session/resume") and about is not None and about.loading:
            if not failed:
                self._history_turn(about)
                self._end(about, "end_turn")
                self._offers(about, result)
            about.loading = False
        elif method == "session/prompt" and isinstance(about, tuple):
            session, turn = about
            self._prompt_answered(session, turn, message, at)
        elif method.startswith("session/set_") and about is not None and not failed:
            self._chosen(about, method, params, result)

    def _prompt_answered(self, session: Session, turn: Turn, message: Json, at: float) -> None:
        error = message.get("error")
        session.running.remove(turn)
        if turn.stopped_by_us:
            stop = "cancelled"
        elif error is not None and error.get("code") == -32000:
            return  # the turn continues when the person has signed in
        else:
            stop = "error" if error is not None else message["result"]["stopReason"]
        session.answered, session.speaking = at, None
        self._finish(turn, stop)

    def _heard(self, message: Json, at: float) -> None:
        method, params = message["method"], message.get("params") or {}
        if method == "session/update":
            session = self._session(params["sessionId"])
            if session is not None:
                self._live_update(session, params["update"], at)
            elif any(
                m in ("session/new", "session/load", "session/resume", "session/fork") for m in self._open()
            ):
                self.early.setdefault((self.run, params["sessionId"]), []).append((params["update"], at))
            else:
                self.seen.outside.append({"unknown": params})
        elif method == "$/cancel_request":
            asked = self.questions.pop((self.run, json.dumps(params["requestId"])), None)
            if asked is not None:
                asked[1]["outcome"] = "cancelled"
        elif method in ("session/request_permission", "elicitation/create"):
            self._question(message, params)

    def _question(self, message: Json, params: Json) -> None:
        session = self._session(params["sessionId"])
        if session is None or session.turn is None or not session.running or session.turn.stopped_by_us:
            return  # nobody is asked about stopped work
        question: Json
        if message["method"] == "session/request_permission":
            call = params["toolCall"]
            self._patch(session, call)
            merged = self.calls[call["toolCallId"]][1]
            options = [
                {"id": option["optionId"], "label": option["name"], "kind": option["kind"]}
                for option in params["options"]
            ]
            question = {"type": "permission", "title": merged["title"] or merged["kind"], "options": options}
            question["tool"] = call["toolCallId"]
        else:
            question = {"type": params["mode"], "title": params["message"], "options": []}
            question["tool"] = params.get("toolCallId")
        question["outcome"] = None
        session.turn.flow.append({"question": question})
        self.questions[self._key(message)] = (session.turn, question)

    # Updates

    def _live_update(self, session: Session, update: Json, at: float) -> None:
        if session.loading and update["sessionUpdate"] not in _STATE:
            self._repeated(session, update, at)
            return
        if not session.loading and not session.running and at > session.answered + LATE:
            session.turn = None
        if self._is_remark(session, update):
            self._flow(session).append({"remark": update["content"]["text"]})
        else:
            self._update(session, update, at)

    def _is_remark(self, session: Session, update: Json) -> bool:
        if update["sessionUpdate"] != "agent_message_chunk" or self.agent != "Copilot":
            return False
        goes_on = session.speaking is not None and session.speaking[0] == "text"
        return not goes_on and update["content"]["text"].startswith(_REMARKS)

    def _repeated(self, session: Session, update: Json, at: float) -> None:
        if self.repeated != "shown":
            return
        if update["sessionUpdate"] == "user_message_chunk":
            if session.heard is None:
                self._end(session, "end_turn")
                session.heard = ""
            session.heard += update["content"]["text"]
            return
        self._history_turn(session)
        self._update(session, update, at)

    def _history_turn(self, session: Session) -> None:
        if session.heard is not None:
            self._begin(session, session.heard)
            session.heard = None

    def _update(self, session: Session, update: Json, at: float) -> None:
        match update["sessionUpdate"]:
            case "agent_message_chunk":
                self._chunk(session, "text", update)
            case "agent_thought_chunk":
                self._chunk(session, "thought", update)
            case "user_message_chunk":
                said = update["content"]["text"].strip()
                if not (session.running and session.turn and said in session.turn.said):
                    self._flow(session).append({"unknown": update})
            case "tool_call":
                self._announce(session, update)
            case "tool_call_update":
                session.speaking = None
                self._patch(session, update)
                self._terminal(session, update)
            case "plan":
                self._plan(session, update["entries"])
            case "available_commands_update":
                self.seen.commands[session.name] = update["availableCommands"]
            case "usage_update":
                used = {k: update[k] for k in ("used", "size", "cost") if update.get(k) is not None}
                self.seen.usage[session.name] = used
            case "session_info_update":
                self.seen.title = update.get("title") or self.seen.title
            case "current_mode_update":
                self._mode(session, update["currentModeId"])
            case "config_option_update":
                self._offers(session, {**session.offers, "configOptions": update["configOptions"]})
            case _:
                self._flow(session).append({"unknown": update})

    def _chunk(self, session: Session, kind: str, update: Json) -> None:
        """Within a turn, the same id continues the same message; without an id, the same kind does."""
        text = update["content"]["text"]
        if not text:
            return
        if (id := update.get("messageId")) is not None:
            turn, item = self.messages.get((session.name, kind, id), (None, None))
            item = item if turn is session.turn else None
        else:
            item = session.speaking[1] if session.speaking and session.speaking[0] == kind else None
        if item is None:
            item = {kind: ""}
            self._flow(session).append(item)
        item[kind] += text
        if id is not None:
            self.messages[session.name, kind, id] = (session.turn, item)
        else:
            session.speaking = (kind, item)

    def _announce(self, session: Session, update: Json) -> None:
        session.speaking = None
        id = update["toolCallId"]
        known = self.calls.get(id)
        if known is not None and known[0] is not session.turn:
            del self.calls[id]  # another call that happens to have the same id
        fresh = {"title": "", "kind": "other", "status": "pending", "locations": [], "content": []}
        said = {name: value for name, value in update.items() if value is not None}
        if id in self.calls and id not in self.proposed:  # an empty update removes nothing
            fresh, said = {}, {name: value for name, value in said.items() if value != fresh.get(name)}
        self.proposed.discard(id)
        self._patch(session, {**fresh, **said})
        self._terminal(session, update)

    def _patch(self, session: Session, update: Json) -> None:
        """Absent and null values stay; lists are replaced, but a file's last diff is never lost."""
        id = update["toolCallId"]
        if id not in self.calls:
            if update.get("status") == "pending" and "sessionUpdate" not in update:
                self.proposed.add(id)
            call: Json = {"tool": id, "title": "", "kind": "other", "status": "pending"}
            call |= {"locations": [], "content": [], "input": None, "output": None}
            self.calls[id] = (session.turn, call)
            self._flow(session).append(call)
        call = self.calls[id][1]
        names = {"rawInput": "input", "rawOutput": "output"}
        for name in ("title", "kind", "status", "locations", "rawInput", "rawOutput"):
            if update.get(name) is not None:
                call[names.get(name, name)] = update[name]
        if (content := update.get("content")) is not None:
            told = {item["path"] for item in content if item["type"] == "diff"}
            before = [i for i in call["content"] if i["type"] == "diff" and i["path"] not in told]
            call["content"] = [*content, *before]

    def _terminal(self, session: Session, update: Json) -> None:
        """What an agent reports about its own command, outside the protocol."""
        meta = update.get("_meta") or {}
        if "terminal_info" in meta:
            id = meta["terminal_info"]["terminal_id"]
            if id not in self.terminals:
                self.terminals[id] = {"terminal": id, "printed": "", "exit_code": None}
                self._flow(session).append(self.terminals[id])
        if "terminal_output_delta" in meta:
            told = meta["terminal_output_delta"]
            self.terminals[told["terminal_id"]]["printed"] += told["data"]
        if "terminal_exit" in meta:
            told = meta["terminal_exit"]
            self.terminals[told["terminal_id"]]["exit_code"] = told["exit_code"]

    def _plan(self, session: Session, entries: list[Json]) -> None:
        """The turn's plan, replaced as a whole."""
        shaped = [{name: entry[name] for name in ("content", "priority", "status")} for entry in entries]
        item = self.plans.get(id(session.turn))
        if item is None:
            item = self.plans[id(session.turn)] = {"plan": shaped}
            self._flow(session).append(item)
        item["plan"] = shaped

    # What can be chosen

    def _offers(self, session: Session, offers: Json) -> None:
        given = {name: offers[name] for name in ("configOptions", "modes", "models") if offers.get(name)}
        if given:
            session.offers = given
            self.seen.options[session.name] = choices(given)

    def _mode(self, session: Session, mode: str) -> None:
        """Reported in the older form; if the mode is a config option, this is its value."""
        modes = {**session.offers.get("modes", {}), "currentModeId": mode}
        config = [
            {**option, "currentValue": mode} if option.get("category") == "mode" else option
            for option in session.offers.get("configOptions", [])
        ]
        self._offers(session, {**session.offers, "modes": modes, "configOptions": config})

    def _chosen(self, session: Session, method: str, params: Json, result: Json) -> None:
        offers = dict(session.offers)
        if method == "session/set_config_option":
            offers["configOptions"] = result.get("configOptions") or offers.get("configOptions")
        elif method == "session/set_mode" and "modes" in offers:
            offers["modes"] = {**offers["modes"], "currentModeId": params["modeId"]}
        elif method == "session/set_model" and "models" in offers:
            offers["models"] = {**offers["models"], "currentModelId": params["modelId"]}
        self._offers(session, offers)

    # Turns

    def _begin(self, session: Session, text: str) -> Turn:
        turn = Turn(text)
        session.turn, session.speaking = turn, None
        self.seen.turns.append(turn)
        return turn

    def _end(self, session: Session, stop: str) -> None:
        if session.turn is not None:
            self._finish(session.turn, stop)
            session.turn = session.speaking = None

    def _finish(self, turn: Turn, stop: str) -> None:
        """Nothing stays open in a turn that is over."""
        if turn.stop is None:
            turn.stop = stop
        self._close_questions(turn, "cancelled")
        for item in turn.flow:
            if "tool" in item and item["status"] not in _OVER:
                item["status"] = "cancelled"

    def _run_ends(self) -> None:
        for session in self.sessions.values():
            if session.run == self.run:
                if session.turn is not None and session.turn.stop is None:
                    self._close_questions(session.turn, "expired")
                    self._finish(session.turn, "cancelled" if session.turn.stopped_by_us else "interrupted")
                session.running.clear()

    def _close_questions(self, turn: Turn, outcome: str) -> None:
        for key, (owner, question) in list(self.questions.items()):
            if owner is turn:
                question["outcome"] = outcome
                del self.questions[key]

    # Finding things

    def _session(self, id: Any) -> Session | None:
        session = self.sessions.get(id)
        return session if session is not None and session.run == self.run else None

    def _flow(self, session: Session) -> list[Json]:
        return session.turn.flow if session.turn is not None else self.seen.outside

    def _open(self) -> list[str]:
        return [method for (run, _), (method, _, _) in self.requests.items() if run == self.run]

    def _key(self, message: Json) -> tuple[int, str]:
        return self.run, json.dumps(message["id"])
