"""Getting a session ready for a prompt: a new one, or one of an earlier process.

Lives here: which request comes next, decided from the rows; what is told when
an agent has lost a session. Lives elsewhere: the requests (agents/opening.py),
signing in (signing_in.py), who needs a session (progress.py).
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass

from voxpilot.agents import choosing, opening, replay, sessions
from voxpilot.agents.abilities import Abilities, abilities_of
from voxpilot.agents.catalog import Catalog
from voxpilot.agents.dialogue import Answered
from voxpilot.agents.failures import AgentRefused, describe_error, wants_sign_in
from voxpilot.chat.events import AgentStatusChanged, Json, NoticeGiven
from voxpilot.runtime import agreeing, questions, signing_in, tasks, turn
from voxpilot.settings import Settings
from voxpilot.storage.ledger import Ledger
from voxpilot.storage.rows import Process, Question, Request, Session, Task

log = logging.getLogger(__name__)
CONTEXT = "context"
"""The purpose of asking whether a new session may be told what the lost one was about."""
MOST_PAGES = 200
"""Of an agent's list of sessions; some agents begin anew after the last."""


@dataclass(frozen=True, slots=True)
class Restoring:
    ledger: Ledger
    settings: Settings
    catalog: Catalog

    def session_for(self, process: Process, name: str, now: float) -> Session | None:
        """The session of this name, ready for a prompt; None while it is on its way."""
        if self._is_busy(process):
            return None
        lost = [s for s in self.ledger.all(Session) if s.agent == process.agent and _is_elsewhere(s, process)]
        if lost and not self._may_open(process, now):
            return None
        for old in lost:
            self._begin(process, old, now)
        if self._is_busy(process):
            return None
        session = opening.find_session(self.ledger, process.agent, name)
        if session is not None and session.process_id == process.id and session.acp_session_id:
            return session
        if self._may_open(process, now):
            opening.open_new(self.ledger, process, name, self._place(process), now)
            self._tell_of_servers_left_out(process, now)
        return None

    def may_prompt(self, session: Session, task: Task, now: float) -> bool:
        """Whether its model is set, and settled what a new session is told of a lost one."""
        if any(chosen_in.id == session.id for _, chosen_in in choosing.under_way(self.ledger)):
            return False
        note = session.note
        if note is None or note.get("use") is not None:
            return True
        if task.tool_call_id is not None:
            self._send_context(session, task, note, now)
            return True
        if questions.asked(self.ledger, CONTEXT, task.turn) is None:
            self._ask_about_context(session, task, note, now)
        return False

    def answered(self, process: Process, answered: Answered, at: float) -> None:
        session = opening.find_session(self.ledger, process.agent, answered.request.subject["session_name"])
        match answered.request.method:
            case "session/list" if session is not None:
                self._looked_up(process, session, answered, at)
            case "session/resume" | "session/load" if session is not None:
                self._brought_back(process, session, answered, at)
            case "session/new":
                self._opened(process, session, answered, at)

    def cut_short(self, session: Session, now: float) -> None:
        """The agent is gone before it has told all of a session of its history; the rest is not shown."""
        replay.finish(self.ledger, session, now, "interrupted")
        text = "The agent ended before it had told all of this session. Not all of it is shown."
        self.ledger.emit(NoticeGiven(level="warning", code="history-unseen", text=text), now)

    def deadlines(self) -> Iterator[float]:
        for process, request in self._waited_for():
            yield self._deadline(process, request)
        for _, session, request in self._choosing():
            yield self._choice_deadline(session, request)

    def on_time(self, now: float) -> None:
        for process, request in self._waited_for():
            if now >= self._deadline(process, request):
                self._too_slow(process, request, now)
        for process, session, request in self._choosing():
            if now >= self._choice_deadline(session, request):
                self._not_chosen(process, request, now)

    def _waited_for(self) -> list[tuple[Process, Request]]:
        """Requests that an agent may still answer: one that is being ended is not waited for again.

        Nor is one waited for that itself waits for a person.
        """
        found = [(self.ledger.get(Process, request.process_id), request) for request in self._under_way()]
        ready = [(p, r) for p, r in found if p is not None and p.state == "ready"]
        return [(p, r) for p, r in ready if not questions.holds_up(self.ledger, p)]

    def _deadline(self, process: Process, request: Request) -> float:
        """A request made while frames are read bears the keeper's time, which need not be ours."""
        return max(request.created_at, process.started_at) + self.settings.restore_timeout

    def _choosing(self) -> list[tuple[Process, Session, Request]]:
        found = [
            (self.ledger.get(Process, request.process_id), session, request)
            for request, session in choosing.under_way(self.ledger)
        ]
        ready = [(p, s, request) for p, s, request in found if p is not None and p.state == "ready"]
        return [(p, s, request) for p, s, request in ready if not questions.holds_up(self.ledger, p)]

    def _choice_deadline(self, session: Session, request: Request) -> float:
        return max(request.created_at, session.answered_at or 0.0) + self.settings.restore_timeout

    # One step after the other

    def _begin(self, process: Process, session: Session, now: float) -> None:
        able = abilities_of(process.initialized)
        if not session.prompts and session.loading != "shown":
            self.ledger.change(session, acp_session_id="", process_id="")  # nothing was ever said in it
        elif not able.restores:
            self._lose(session, "the agent cannot bring sessions back", None, now)
        else:
            name = self.catalog.describe(process.agent).display_name
            status = AgentStatusChanged(
                agent=process.agent, status="connected", message=f"Restoring the {name} session."
            )
            self.ledger.emit(status, now)
            if able.list and session.loading != "shown":
                opening.look_up(self.ledger, process, session, now)
            else:
                self._bring_back(process, session, able, now)

    def _looked_up(self, process: Process, session: Session, answered: Answered, at: float) -> None:
        """Absent after the last page means gone; a list that fails, or never ends, says nothing."""
        cursor, page = opening.next_page(answered.result), answered.request.subject.get("page", 1)
        is_endless = cursor is not None and page >= MOST_PAGES
        if answered.error is not None or is_endless or opening.listed(answered.result, session):
            self._bring_back(process, session, abilities_of(process.initialized), at)
        elif cursor is not None:
            opening.look_up(self.ledger, process, session, at, cursor, page + 1)
        else:
            self._lose(session, "it is not among the agent's sessions", None, at)

    def _bring_back(self, process: Process, session: Session, able: Abilities, at: float) -> None:
        shown = session.loading == "shown"
        method = "session/load" if able.load and (shown or not able.resume) else "session/resume"
        self._ask_for(process, session, method, at)

    def _ask_for(self, process: Process, session: Session, method: str, at: float) -> None:
        if self._may_open(process, at):
            opening.bring_back(self.ledger, process, session, method, self._place(process), at)
        else:
            self._step_back(session)

    def _brought_back(self, process: Process, session: Session, answered: Answered, at: float) -> None:
        if wants_sign_in(answered.error):
            self._step_back(session)
            self._sign_in(process, answered.error or {}, at)
        elif answered.error is not None:
            self._not_brought_back(process, session, answered, at)
        else:
            is_known = session.prompts > 0 and session.loading != "shown"
            forgot = answered.request.method == "session/load" and replay.is_empty(session) and is_known
            restored = opening.opened(self.ledger, process, answered.request, answered.result, at)
            if forgot:
                self._lose(restored, "the agent brought it back empty", None, at, keep=True)
                self._tell_lost(process, at)
            elif session.loading != "shown":
                self._tell_restored(process, restored, at)
            elif answered.request.method != "session/load":
                self._tell_unseen(process, at)
            self._tell_ready(process, at)
            choosing.choose_again(self.ledger, self.ledger.change(restored, cut=False), at)

    def _not_brought_back(self, process: Process, session: Session, answered: Answered, at: float) -> None:
        error = answered.error or {}
        if answered.request.method == "session/resume" and abilities_of(process.initialized).load:
            self._ask_for(process, session, "session/load", at)
            return
        shown = session.loading == "shown"
        self._lose(session, str(error.get("message") or "the agent refused"), error.get("code"), at)
        if shown:
            described = describe_error(error)
            text = f"The session could not be opened. {described['message']}"
            self.ledger.emit(NoticeGiven(level="error", code="history-not-opened", text=text), at)
            self._tell_ready(process, at)

    def _opened(self, process: Process, before: Session | None, answered: Answered, at: float) -> None:
        error: Json | None = None
        if wants_sign_in(answered.error):
            self._sign_in(process, answered.error or {}, at)
            return
        if answered.error is not None:
            error = describe_error(answered.error)
        else:
            try:
                session = opening.opened(self.ledger, process, answered.request, answered.result, at)
            except AgentRefused as refused:
                error = {"message": refused.message, "hint": refused.hint}
            else:
                choosing.choose_again(self.ledger, session, at)
        if error is not None:
            self._fail(process, error, at)
        elif session.note is not None:
            self._tell_lost(process, at)
            self._tell_ready(process, at)
        elif before is None and not abilities_of(process.initialized).restores:
            self._tell_forgetful(process, at)

    # What goes wrong

    def _lose(self, session: Session, why: str, code: object, at: float, keep: bool = False) -> None:
        """The agent does not have it any more; the chat has."""
        log.warning(
            "session not restored: chat=%s agent=%s session=%s code=%s why=%s",
            self.ledger.chat.id, session.agent, session.acp_session_id, code, why,
        )  # fmt: skip
        replay.finish(self.ledger, session, at, "interrupted")
        note = {"why": why, "text": session.asked, "use": None if session.asked else False}
        changes: Json = {} if keep else {"acp_session_id": "", "process_id": ""}
        self.ledger.change(session, loading=None, replay=None, wanted=False, note=note, **changes)

    def _step_back(self, session: Session) -> None:
        """As it was before it was asked for, to be asked for again."""
        self.ledger.change(session, process_id="", replay=None)

    def _sign_in(self, process: Process, error: Json, at: float) -> None:
        agent = self.catalog.describe(process.agent)
        signing_in.ask(self.ledger, process, agent, at)

    def _fail(self, process: Process, error: Json, at: float) -> None:
        waiting = tasks.waiting_for(self.ledger, process.agent)
        for task in waiting:
            turn.finish(self.ledger, task, "failed", "error", at, error)
        if not waiting:
            self.ledger.emit(NoticeGiven(level="error", code="agent-refused", text=error["message"]), at)
        opening.no_longer_wanted(self.ledger, process.agent)

    def _too_slow(self, process: Process, request: Request, now: float) -> None:
        """An agent that hangs here cannot be used: it is ended, and the next message begins anew."""
        seconds = f"{self.settings.restore_timeout:.0f} s"
        session = opening.find_session(self.ledger, process.agent, request.subject["session_name"])
        if session is not None and request.method != "session/new":
            self._lose(session, f"no answer within {seconds}", None, now)
        sessions.drop(self.ledger, request)
        error = {
            "message": f"The agent gave no session within {seconds}.",
            "hint": "It was stopped. Send the message again to begin a new session.",
        }
        self._fail(process, error, now)
        self.ledger.change(process, state="stopping", force=True)

    def _not_chosen(self, process: Process, request: Request, now: float) -> None:
        """An agent that does not answer a choice is prompted without it."""
        sessions.drop(self.ledger, request)
        error = {"message": "it took too long"}
        request = self.ledger.change(request, response={"error": error})
        choosing.option_refused(self.ledger, request, error, now)
        name = self.catalog.describe(process.agent).display_name
        text = f"{name} did not take a choice within {self.settings.restore_timeout:.0f} s."
        self.ledger.emit(NoticeGiven(level="error", code="option-refused", text=text), now)

    # What is told

    def _tell_lost(self, process: Process, at: float) -> None:
        name = self.catalog.describe(process.agent).display_name
        text = (
            f"The previous {name} session could not be restored. A new session has been started. "
            "Your conversation history in VoxPilot is intact."
        )
        self.ledger.emit(NoticeGiven(level="warning", code="session-not-restored", text=text), at)

    def _tell_restored(self, process: Process, session: Session, at: float) -> None:
        name = self.catalog.describe(process.agent).display_name
        detail = "What it said last, before it ended, may be missing on its side." if session.cut else None
        text = f"{name} has its session back."
        self.ledger.emit(NoticeGiven(level="info", code="restored", text=text, detail=detail), at)

    def _tell_ready(self, process: Process, at: float) -> None:
        """Nothing is being restored any more."""
        self.ledger.emit(AgentStatusChanged(agent=process.agent, status="connected"), at)

    def _tell_unseen(self, process: Process, at: float) -> None:
        name = self.catalog.describe(process.agent).display_name
        text = f"{name} goes on with this session, but cannot show what was said in it before."
        self.ledger.emit(NoticeGiven(level="info", code="history-unseen", text=text), at)

    def _tell_forgetful(self, process: Process, at: float) -> None:
        name = self.catalog.describe(process.agent).display_name
        text = f"{name} cannot bring sessions back: once it ends, it will not remember this chat."
        self.ledger.emit(NoticeGiven(level="info", code="no-memory", text=text), at)

    def _send_context(self, session: Session, task: Task, note: Json, now: float) -> None:
        """Nobody is asked about delegated work; it is told instead."""
        self.ledger.change(session, note={**note, "use": True})
        notice = NoticeGiven(
            level="info",
            code="context-sent",
            text="The new session is told what the lost one was last asked for.",
            detail=note["text"],
            turn=task.turn,
            tool_call_id=task.tool_call_id,
        )
        self.ledger.emit(notice, now)

    def _ask_about_context(self, session: Session, task: Task, note: Json, now: float) -> None:
        name = self.catalog.describe(session.agent).display_name
        questions.ask_ourselves(
            self.ledger,
            CONTEXT,
            "confirm",
            f"Tell the new {name} session what you last asked for?",
            {"text": note["text"]},
            (
                {"id": "include", "label": "Send it along", "kind": "allow_once"},
                {"id": "leave-out", "label": "Leave it out", "kind": "reject_once"},
            ),
            now,
            turn=task.turn,
            session=session,
            agent=session.agent,
        )

    # The rows

    def _is_busy(self, process: Process) -> bool:
        return signing_in.is_under_way(self.ledger, process) or any(
            request.process_id == process.id for request in self._under_way()
        )

    def _under_way(self) -> list[Request]:
        return [r for r in self.ledger.all(Request) if r.direction == "out" and r.method in opening.OPENING]

    def _may_open(self, process: Process, now: float) -> bool:
        """Whether sessions may be given the tool servers that there are now."""
        servers = self.settings.mcp_servers
        return agreeing.are_servers_given(self.ledger, self.catalog, process.agent, servers, now)

    def _tell_of_servers_left_out(self, process: Process, now: float) -> None:
        names = opening.left_out(abilities_of(process.initialized), self.settings.mcp_servers)
        if names:
            name = self.catalog.describe(process.agent).display_name
            text = f"{name} cannot use some of the tool servers in the settings: {', '.join(names)}."
            self.ledger.emit(NoticeGiven(level="warning", code="tool-servers-left-out", text=text), now)

    def _place(self, process: Process) -> Json:
        return opening.place_of(self.ledger, abilities_of(process.initialized), self.settings.mcp_servers)


def context_decided(ledger: Ledger, question: Question, at: float) -> None:
    """The person said whether the new session is told of the lost one."""
    session = ledger.get(Session, question.session_id)
    if session is not None and session.note is not None:
        ledger.change(session, note={**session.note, "use": question.option_id == "include"})


def _is_elsewhere(session: Session, process: Process) -> bool:
    return bool(session.acp_session_id) and session.process_id != process.id
