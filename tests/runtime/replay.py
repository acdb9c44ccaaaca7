"""A recorded agent instead of a real one: its frames go through our steps, with restarts where requested.

Lives here: playing our side of a recording like the server, step by step on a real database. Lives elsewhere:
the recordings (tests/kit/oracles/traces.py).
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson

from tests.kit.oracles.traces import RecordedFrame
from voxpilot.agents.installed.catalog import Catalog
from voxpilot.agents.requests import choosing, dialogue, opening
from voxpilot.agents.updates.options import accepts, options_of
from voxpilot.agents.wire import frames as wire
from voxpilot.chat.events import Json
from voxpilot.chat.transcript import Transcript
from voxpilot.keeper.journal import Record
from voxpilot.runtime.questions import open_questions
from voxpilot.runtime.step import journal_step
from voxpilot.runtime.step.progress import Progress
from voxpilot.runtime.turns import turn
from voxpilot.settings.live import LiveSettings
from voxpilot.storage.chats import ledger as ledgers
from voxpilot.storage.chats.ledger import Ledger
from voxpilot.storage.database.migrate import migrate
from voxpilot.storage.database.request_rows import Request
from voxpilot.storage.database.rows import Chat, OutboxLine, Process, Question, Session
from voxpilot.storage.database.sqlite import Batch, connect
from voxpilot.storage.database.states import SessionPhase
from voxpilot.storage.database.subjects import NOTHING, OpenSession, Prompt, Subject

CHAT = "c0"


class Replay:
    """Feed frames with `play`; `restart` forgets everything but the database."""

    def __init__(self, folder: Path, name: str) -> None:
        path = folder / f"{name}.db"
        migrate(path)
        self.db: sqlite3.Connection = connect(path)
        self.db.execute("PRAGMA synchronous = OFF")
        live = LiveSettings({"HOME": str(folder)})
        self.settings = live.now
        self.catalog = Catalog(live, {})
        chat = Chat(
            id=CHAT, title="t", workspace=str(folder), mode="agent", agent="copilot", policy="ask",
            created_at=0.0, updated_at=0.0,
        )  # fmt: skip
        self.ledger = Ledger(chat, Transcript())
        self.ledger.save(chat)
        self.offset = 0
        self.names = 0
        self.loads: dict[str, str] = {}
        """Sessions that requests load, by the id of the request."""
        self.commit(0.0)

    @property
    def progress(self) -> Progress:
        return Progress(self.ledger, self.settings, self.catalog, may_begin=False)

    def play(self, frame: RecordedFrame) -> None:
        """Process one frame and commit its changes."""
        if frame.from_agent:
            self._hear(frame)
        else:
            self._send(frame)
        self.commit(frame.at)

    def commit(self, now: float) -> None:
        step = self.ledger.take(now)
        write(self.db, step.batch)
        self.ledger.committed()

    def restart(self) -> None:
        self.ledger = ledgers.load(self.db, CHAT)

    def events(self) -> list[tuple[str, Json]]:
        rows = self.db.execute("SELECT kind, body FROM events ORDER BY seq").fetchall()
        return [(kind, orjson.loads(body)) for kind, body in rows]

    def close(self) -> None:
        self.db.close()

    def _hear(self, frame: RecordedFrame) -> None:
        line = json.dumps(frame.message).encode() + b"\n"
        self.offset += len(line)
        process = f"p{frame.run}"
        if self.ledger.get(Process, process) is None:
            self._new_process(process, frame.at)
        waiting = [r for r in self.ledger.all(Request) if r.id in self.loads]
        journal_step.take_record(self.progress, process, Record(b"<", line, frame.at, self.offset))
        for request in waiting:
            if self.ledger.get(Request, request.id) is None:
                self._loaded(request, frame.message, frame.at)

    def _send(self, frame: RecordedFrame) -> None:
        """What the recording client sent, as the rows that our server would have created."""
        message, process = frame.message, f"p{frame.run}"
        if self.ledger.get(Process, process) is None:
            self._new_process(process, frame.at)
        if "method" not in message and "id" not in message:
            return  # the recording client sent invalid data on purpose
        if "method" not in message:
            self._answer(process, message, frame.at)
        elif "id" not in message:
            self._cancel(process, message, frame.at)
        else:
            self._ask(process, message, frame.at)

    def _new_process(self, process: str, at: float) -> None:
        for old in self.ledger.all(Process):
            self.progress.process_ended(old, {"reason": "exited", "signal": 9}, at)
        self.ledger.save(Process(id=process, chat_id=CHAT, agent="copilot", started_at=at))

    def _ask(self, process: str, message: Json, at: float) -> None:
        method, params = message["method"], message.get("params", {})
        session = dialogue.session_of(self.ledger, process, params.get("sessionId"))
        subject: Subject = NOTHING
        loads: str | None = None
        if method in ("session/new", "session/fork"):
            self.names += 1
            subject = OpenSession(session_name=f"s{self.names}")
        elif method in ("session/load", "session/resume") and session is None:
            loads = self._take_over(process, params["sessionId"])
        elif method == "session/prompt" and session is not None:
            subject = Prompt(turn=self._begin(session, params, at), session=session.id)
        elif method.startswith("session/set_") and session is not None and self._choose(session, message, at):
            return
        if method == "session/fork":
            method = "session/new"  # our server forks outside any chat; only what follows matters
        request = dialogue.ask(self.ledger, process, method, params, at, subject)
        if loads is not None:
            self.loads[request.id] = loads
        self.ledger.change(request, rpc_id=wire.id_text(message["id"]))
        self._sent()

    def _take_over(self, process: str, acp_session_id: str) -> str | None:
        """A session is loaded, and its repeated history is shown."""
        known = next((s for s in self.ledger.all(Session) if s.acp_session_id == acp_session_id), None)
        if known is None:
            return None
        loading = {"phase": SessionPhase.RESTORING, "process_id": process, "unseen": True, "replay": None}
        self.ledger.change(known, **loading, turn=None)
        return known.id

    def _loaded(self, request: Request, answer: Json, at: float) -> None:
        """The load was answered; some recordings continue with the session although it was refused."""
        session = self.ledger.get(Session, self.loads[request.id])
        process = self.ledger.get(Process, request.process_id)
        assert session is not None
        assert process is not None
        if "error" in answer:
            self.ledger.change(session, phase=SessionPhase.IDLE, unseen=False, replay=None)
        else:
            named = replace(request, subject=OpenSession(session_name=session.name))
            opening.opened(self.ledger, process, named, answer.get("result"), at)

    def _choose(self, session: Session, message: Json, at: float) -> bool:
        """A choice as our server sends it; False for one that it would refuse."""
        params = message["params"]
        given = {"session/set_mode": "modeId", "session/set_model": "modelId"}.get(message["method"], "value")
        via = {"modeId": "mode", "modelId": "model"}.get(given)
        option_id = via or params.get("configId")
        offered = next((o for o in options_of(session.options or {}) if o["id"] == option_id), None)
        if offered is None or (via or "config") != offered["via"] or not accepts(offered, params[given]):
            return False
        before = {request.id for request in self.ledger.all(Request)}
        choosing.set_option(self.ledger, session, option_id, params[given], at)
        [request] = [request for request in self.ledger.all(Request) if request.id not in before]
        self.ledger.change(request, rpc_id=wire.id_text(message["id"]))
        self._sent()
        return True

    def _begin(self, session: Session, params: Json, at: float) -> str:
        text = "".join(block.get("text", "") for block in params["prompt"])
        posted = self.ledger.change(turn.post(self.ledger, text, (), at), session_name=session.name)
        turn.start(self.ledger, posted, at)
        begun = {"phase": SessionPhase.PROMPTING, "turn": posted.id, "answered_at": None}
        self.ledger.change(session, **begun, heard=False, speaking=None)
        return posted.id

    def _answer(self, process: str, message: Json, at: float) -> None:
        rpc_id = wire.id_text(message["id"])
        for question in self.ledger.all(Question):
            request = self.ledger.get(Request, question.request_id)
            if request is None or request.rpc_id != rpc_id or request.process_id != process:
                continue
            choice = _choice(message)
            if question.type == "form":
                result = message["result"]
                open_questions.respond(
                    self.ledger, question.id, result["action"], result.get("content"), "here", at
                )
            elif any(option["id"] == choice for option in question.options):
                open_questions.answer(self.ledger, question.id, str(choice), "here", None, at)
            else:
                open_questions.cancel(self.ledger, question, at)
        self._sent()

    def _cancel(self, process: str, message: Json, at: float) -> None:
        session = dialogue.session_of(self.ledger, process, message.get("params", {}).get("sessionId"))
        current = turn.running(self.ledger)
        if current is not None and session is not None and current.session_name == session.name:
            turn.cancel(self.ledger, at)
        self._sent()

    def _sent(self) -> None:
        for line in self.ledger.all(OutboxLine):
            self.ledger.delete(line)


def write(db: sqlite3.Connection, batch: Batch) -> None:
    db.execute("BEGIN")
    for sql, parameters in batch.statements:
        db.execute(sql, parameters)
    for sql, many in batch.many:
        db.executemany(sql, many)
    db.execute("COMMIT")


def play_all(
    folder: Path, name: str, frames: tuple[RecordedFrame, ...], restart_after: Callable[[int], bool]
) -> list[tuple[str, Json]]:
    """The events of a whole recording, with restarts after the given frames."""
    played = Replay(folder, name)
    try:
        for number, frame in enumerate(frames):
            played.play(frame)
            if restart_after(number):
                played.restart()
        return played.events()
    finally:
        played.close()


def _choice(message: Json) -> Any:
    outcome = (message.get("result") or {}).get("outcome")
    return outcome.get("optionId") if isinstance(outcome, dict) else None
