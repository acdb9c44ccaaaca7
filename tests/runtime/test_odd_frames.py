"""Whatever an agent's frames look like, the chat continues.

Every frame of a whole conversation is sent once with each of its values replaced by an unexpected one. The
agent here answers our requests; the steps are those of the server, without a process or a disk.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from voxpilot.agents.installed.catalog import Catalog
from voxpilot.agents.requests import sessions
from voxpilot.chat.events import Json
from voxpilot.chat.transcript import Transcript
from voxpilot.keeper.journal import Record
from voxpilot.runtime.step import decisions, journal_step
from voxpilot.runtime.step.progress import Progress
from voxpilot.runtime.turns import turn
from voxpilot.settings.live import LiveSettings
from voxpilot.storage.chats.ledger import Ledger
from voxpilot.storage.database.rows import Chat, Process, Question, Session, Turn
from voxpilot.storage.database.states import ProcessState, SessionPhase, TurnState

ODD: tuple[Any, ...] = (True, 5, "", "x", None, [], {}, [[]], [{"type": []}], {"path": [], "id": {}})
OPTION = {
    "id": "model",
    "name": "Model",
    "category": "model",
    "type": "select",
    "currentValue": "a",
    "options": [{"value": "", "name": "Default"}, {"value": "a", "name": "A"}, {"value": "b"}],
}
OFFERED = {
    "configOptions": [OPTION],
    "modes": {"currentModeId": "m", "availableModes": [{"id": "m", "name": "M"}]},
    "models": {"currentModelId": "a", "availableModels": [{"modelId": "a", "name": "A"}]},
}
DIFF = {"type": "diff", "path": "/tmp/f", "oldText": "a", "newText": "b"}
CALL = {
    "toolCallId": "t1",
    "title": "Edit",
    "kind": "edit",
    "status": "pending",
    "content": [DIFF, {"type": "content", "content": {"type": "text", "text": "c"}}],
    "locations": [{"path": "/tmp/f", "line": 1}],
    "rawInput": {"command": ["ls"], "cwd": "/tmp"},
    "_meta": {
        "terminal_info": {"terminal_id": "x", "cwd": "/tmp"},
        "terminal_output": {"terminal_id": "x", "data": "d"},
        "terminal_exit": {"terminal_id": "x", "exit_code": 0, "signal": None},
    },
}
TEXT = {"type": "text", "text": "fine"}
BEGUN = {
    "protocolVersion": 1,
    "agentCapabilities": {"loadSession": True, "sessionCapabilities": {"list": {}}},
    "agentInfo": {"name": "Copilot", "version": "1.0.0"},
    "authMethods": [
        {"id": "one", "name": "One", "type": "terminal", "args": ["login"], "env": {"A": "b"}},
        {"id": "two", "_meta": {"terminal-auth": {"command": "c", "args": ["d"]}}},
    ],
}


class Talk:
    """A chat with an agent that sends one modified frame, counted from 0."""

    def __init__(self, folder: Path, odd: int | None = None, instead: Sequence[Json] = ()) -> None:
        live = LiveSettings({"HOME": str(folder)})
        chat = Chat(
            id="c", title="t", workspace=str(folder), mode="agent", agent="copilot", policy="auto",
            created_at=0.0, updated_at=0.0,
        )  # fmt: skip
        self.ledger = Ledger(chat, Transcript())
        self.progress = Progress(self.ledger, live.now, Catalog(live, {}))
        self.odd, self.instead = odd, instead
        self.frames: list[Json] = []
        self.seqs: list[int] = []
        self.now = 1000.0
        self.offset = 0
        self.signed_in = False
        self.wrong: list[str] = []

    def run(self, name: str) -> str:
        """A new process and a message; returns the state of its turn once the agent is done."""
        for old in self.ledger.all(Process):
            self.progress.process_ended(old, {"reason": "exited", "code": 1}, self.now)
        self.ledger.change(self.ledger.chat, crashes=())
        process = Process(
            id=name, chat_id="c", agent="copilot", started_at=self.now, state=ProcessState.STARTING
        )
        sessions.begin(self.ledger, self.ledger.save(process), self.now)
        posted = turn.post(self.ledger, "hello", (), self.now)
        self.step()
        while (lines := self.ledger.outbox_after(name, 0)) or self.decide():
            for line in lines:
                self.ledger.delete(line)
                for frame in self.answers(json.loads(line.line)):
                    self.hear(name, frame)
            self.step()
        return self.states.get(posted.id, "open")

    def decide(self) -> bool:
        """Answer our own questions to the person; True if there were any."""
        for question in self.ledger.all(Question):
            offered = [option["id"] for option in question.options]
            wanted = {"context": "leave-out", "sign-in": "method:two"}.get(question.purpose)
            if wanted in offered:
                decisions.decide_for_person(self.ledger, question, str(wanted), "auto", self.now)
                return True
        return False

    @property
    def states(self) -> dict[str, str]:
        ends = [block for block in self.ledger.transcript.blocks if block["kind"] == "turn"]
        return {block["turn"]: block["stop_reason"] for block in ends}

    def step(self) -> None:
        self.now += 10.0
        self.progress.on_time(self.now)
        self.progress.advance(self.now)
        step = self.ledger.take(self.now)
        self.seqs += [event.seq for event in step.events]
        self.ledger.committed()

    def hear(self, process: str, frame: Json) -> None:
        instead = self.instead if len(self.frames) == self.odd else [frame]
        self.frames.append(frame)
        for said in instead:
            if self.ledger.get(Process, process) is None:
                return
            line = json.dumps(said).encode() + b"\n"
            self.offset += len(line)
            try:
                journal_step.take_record(self.progress, process, Record(b"<", line, self.now, self.offset))
                self.step()
            except Exception as error:
                self.wrong.append(f"{line.decode()[:300]}: {error!r}")

    def answers(self, asked: Json) -> Iterator[Json]:
        if "method" not in asked or "id" not in asked:
            return
        method = asked["method"]
        if method == "authenticate" or method.startswith("session/set"):
            result: Any = {"configOptions": [OPTION]}
        elif method == "initialize":
            result = BEGUN
        elif method == "session/new" and not self.signed_in:
            self.signed_in = True
            yield {"id": asked["id"], "error": {"code": -32000, "message": "m", "data": {}}}
            return
        elif method == "session/new":
            yield update({"sessionUpdate": "available_commands_update", "availableCommands": [{"name": "c"}]})
            result = {"sessionId": "s", **OFFERED}
        elif method == "session/list":
            result = {"sessions": [{"sessionId": "s", "cwd": "/tmp"}]}
        elif method == "session/load":
            yield update({"sessionUpdate": "user_message_chunk", "messageId": "u", "content": TEXT})
            yield update({"sessionUpdate": "agent_message_chunk", "content": TEXT})
            yield update({"sessionUpdate": "tool_call", **CALL})
            result = OFFERED
        else:
            yield from self.prompt()
            result = {"stopReason": "end_turn"}
        yield {"id": asked["id"], "result": result}

    def prompt(self) -> Iterator[Json]:
        yield update({"sessionUpdate": "agent_message_chunk", "content": TEXT})
        yield update({"sessionUpdate": "agent_thought_chunk", "messageId": "x", "content": TEXT})
        yield update({"sessionUpdate": "tool_call", **CALL})
        yield update({"sessionUpdate": "tool_call_update", **CALL, "status": "completed"})
        yield update({"sessionUpdate": "plan", "entries": [{"content": "a", "priority": "high"}]})
        yield update({"sessionUpdate": "current_mode_update", "currentModeId": "m"})
        yield update({"sessionUpdate": "config_option_update", "configOptions": [OPTION]})
        yield update({"sessionUpdate": "usage_update", "used": 1, "size": 2, "cost": {"amount": 1}})
        yield update({"sessionUpdate": "session_info_update", "title": "T"})
        options = [{"optionId": "y", "name": "Yes", "kind": "allow_once"}]
        yield call(1, "session/request_permission", toolCall=CALL, options=options)
        schema = {"type": "object", "properties": {"a": {"type": "string"}}}
        yield call(2, "elicitation/create", mode="form", message="M", requestedSchema=schema)
        yield call(3, "elicitation/create", mode="url", message="M", url="https://a.example/")
        yield call(4, "fs/read_text_file", path="/tmp/f", line=1, limit=2)
        yield call(5, "terminal/create", command="ls", args=["-l"], env=[{"name": "A", "value": "b"}])
        yield {"method": "$/cancel_request", "params": {"requestId": 2}}
        yield {"id": 99, "error": {"code": -32603, "message": "m"}}


def update(what: Json) -> Json:
    return {"method": "session/update", "params": {"sessionId": "s", "update": what}}


def call(id: int, method: str, **params: Any) -> Json:
    return {"id": id, "method": method, "params": {"sessionId": "s", **params}}


def replaced(frame: Any, path: tuple[Any, ...], value: Any) -> Any:
    if not path:
        return value
    copy = frame.copy()
    copy[path[0]] = replaced(frame[path[0]], path[1:], value)
    return copy


def paths_in(value: Any, here: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, inner in inside:
        yield (*here, name)
        yield from paths_in(inner, (*here, name))


def frames_of(folder: Path) -> list[Json]:
    """The agent's unmodified frames in two processes."""
    talk = Talk(folder)
    assert converse(talk) == "end_turn"
    assert any("load" in json.dumps(frame) for frame in talk.frames)
    return talk.frames


def converse(talk: Talk) -> str:
    """A session, one that is restored with another model, and one without modifications."""
    talk.run("p1")
    for session in talk.ledger.all(Session):
        talk.ledger.change(session, model="", unseen=session.phase is SessionPhase.CLOSED)
    talk.run("p2")
    talk.odd = None
    for waiting in talk.ledger.all(Turn):
        assert waiting.state is TurnState.RUNNING, "a turn that nobody carries on"
    return talk.run("p3")


def oddities(frame: Json) -> Iterator[list[Json]]:
    """Frames to send instead of this one: all at once if they are independent."""
    if "result" in frame:
        for path, value in itertools.product(paths_in(frame), ODD[::3]):
            yield [replaced(frame, path, value)]
    else:
        yield [replaced(frame, path, value) for path, value in itertools.product(paths_in(frame), ODD)]


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
def test_a_chat_goes_on_after_any_odd_frame(tmp_path: Path, part: int) -> None:
    frames = frames_of(tmp_path)
    first: dict[str, int] = {}
    for number, frame in enumerate(frames):
        first.setdefault(json.dumps({**frame, "id": 0}), number)
    wrong: list[str] = []
    count = 0
    for number in sorted(first.values())[part::4]:
        for instead in oddities(frames[number]):
            talk = Talk(tmp_path, number, instead)
            outcome = converse(talk)
            count += len(instead)
            wrong += talk.wrong
            if outcome != "end_turn" or talk.seqs != list(range(1, len(talk.seqs) + 1)):
                wrong.append(f"{json.dumps(instead[0])[:300]}: {outcome}, {len(talk.seqs)} events")
    assert count > 100
    assert wrong == []
