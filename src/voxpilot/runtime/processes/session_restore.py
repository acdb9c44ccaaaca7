"""Getting a session ready for a prompt: a new one, or one of an earlier process.

Lives here: which request comes next, decided from the rows; the notices when an agent has lost a session.
Lives elsewhere: the requests (agents/requests/opening.py), signing in (sign_in.py), who needs a session
(step/progress.py), what a new session is told about a lost one (lost_context.py).
"""

from __future__ import annotations

import logging
from collections.abc import Iterator

from voxpilot.agents.installed.capabilities import Abilities, abilities_of
from voxpilot.agents.installed.catalog import Catalog
from voxpilot.agents.installed.failures import AgentRefused, describe_error, wants_sign_in
from voxpilot.agents.requests import choosing, opening, sessions
from voxpilot.agents.requests.dialogue import Answered
from voxpilot.agents.requests.purposes import OPENING
from voxpilot.agents.updates import comparing, replay
from voxpilot.chat.events import AgentStatusChanged, Json, NoticeGiven
from voxpilot.errors import Problem
from voxpilot.runtime.processes import command_approval, lost_context, sign_in
from voxpilot.runtime.questions import open_questions
from voxpilot.runtime.shared.stop import stop_process
from voxpilot.runtime.turns import tasks, turn
from voxpilot.settings import Settings
from voxpilot.storage.chats.ledger import Ledger
from voxpilot.storage.database.request_rows import Purpose, Request
from voxpilot.storage.database.rows import Process, Session, Task
from voxpilot.storage.database.states import Direction, ProcessState, SessionPhase, TurnState
from voxpilot.storage.database.subjects import OpenSession
from voxpilot.values import dataclass

log = logging.getLogger(__name__)
MOST_PAGES = 200
"""The most pages read of an agent's session list; some agents start over after the last one."""
_UNOPENED: Json = {"phase": SessionPhase.UNOPENED, "acp_session_id": "", "process_id": ""}


@dataclass(frozen=True, slots=True)
class Restoring:
    ledger: Ledger
    settings: Settings
    catalog: Catalog

    def session_for(self, process: Process, name: str, now: float) -> Session | None:
        """The session with this name, ready for a prompt; None while it is being opened."""
        if self._is_busy(process):
            return None
        lost = [
            session
            for session in self.ledger.all(Session)
            if session.agent == process.agent and session.phase is SessionPhase.CLOSED
        ]
        if lost and not self._require_servers(process, now):
            return None
        for old in lost:
            self._begin(process, old, now)
        if self._is_busy(process):
            return None
        session = opening.find_session(self.ledger, process.agent, name)
        if session is not None and session.phase in (SessionPhase.IDLE, SessionPhase.PROMPTING):
            return session
        if self._require_servers(process, now):
            opening.open_new(self.ledger, process, name, self._place(process), now)
            self._tell_of_servers_left_out(process, now)
        return None

    def prepare_prompt(self, session: Session, task: Task, now: float) -> bool:
        """Whether its model is set, and it is decided what a new session is told about a lost one."""
        if any(chosen_in.id == session.id for _, chosen_in in choosing.under_way(self.ledger)):
            return False
        name = self.catalog.describe(session.agent).display_name
        return lost_context.is_settled(self.ledger, session, task, name, now)

    def answered(self, process: Process, answered: Answered, at: float) -> None:
        session = opening.find_session(
            self.ledger, process.agent, answered.request.about(OpenSession).session_name
        )
        match answered.request.purpose:
            case Purpose.LOOK_UP if session is not None:
                self._looked_up(process, session, answered, at)
            case Purpose.RESUME | Purpose.LOAD if session is not None:
                self._brought_back(process, session, answered, at)
            case Purpose.OPEN:
                self._opened(process, session, answered, at)

    def cut_short(self, session: Session, now: float) -> None:
        """The agent exited before it had sent the whole history of a session; the rest is not shown."""
        replay.finish(self.ledger, session, now, "interrupted")
        text = "The agent exited before it had sent the whole session, so the history is incomplete."
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
        """Requests that an agent may still answer: an agent that is being ended is not waited for again.

        A request that itself waits for a person has no deadline.
        """
        found = [(self.ledger.get(Process, request.process_id), request) for request in self._under_way()]
        ready = [(p, r) for p, r in found if p is not None and p.state is ProcessState.READY]
        return [(p, r) for p, r in ready if not open_questions.holds_up(self.ledger, p)]

    def _deadline(self, process: Process, request: Request) -> float:
        """A request made while frames are processed has the keeper's time, which may differ from ours."""
        return max(request.created_at, process.started_at) + self.settings.restore_timeout

    def _choosing(self) -> list[tuple[Process, Session, Request]]:
        found = [
            (self.ledger.get(Process, request.process_id), session, request)
            for request, session in choosing.under_way(self.ledger)
        ]
        ready = [
            (p, s, request) for p, s, request in found if p is not None and p.state is ProcessState.READY
        ]
        return [(p, s, request) for p, s, request in ready if not open_questions.holds_up(self.ledger, p)]

    def _choice_deadline(self, session: Session, request: Request) -> float:
        return max(request.created_at, session.answered_at or 0.0) + self.settings.restore_timeout

    # One step after the other

    def _begin(self, process: Process, session: Session, now: float) -> None:
        able = abilities_of(process.initialized)
        if not session.prompts and not session.unseen:
            self.ledger.change(session, **_UNOPENED)  # it has no messages
        elif not able.restores:
            self._lose(session, "the agent cannot restore sessions", None, now)
        else:
            name = self.catalog.describe(process.agent).display_name
            status = AgentStatusChanged(
                agent=process.agent, status="connected", message=f"Restoring the {name} session."
            )
            self.ledger.emit(status, now)
            if able.list and not session.unseen:
                opening.look_up(self.ledger, process, session, now)
            else:
                self._bring_back(process, session, able, now)

    def _looked_up(self, process: Process, session: Session, answered: Answered, at: float) -> None:
        """A session that is missing after the last page is gone; a list that fails or never ends proves
        nothing."""
        cursor, page = opening.next_page(answered.result), answered.request.about(OpenSession).page
        self._tell_other_folder(process, session, answered, at)
        opening.keep_title(self.ledger, session, answered.result)
        session = self.ledger.get(Session, session.id) or session
        is_endless = cursor is not None and page >= MOST_PAGES
        if answered.error is not None or is_endless or opening.listed(answered.result, session):
            self._bring_back(process, session, abilities_of(process.initialized), at)
        elif cursor is not None:
            opening.look_up(self.ledger, process, session, at, cursor, page + 1)
        else:
            self._lose(session, "it is not among the agent's sessions", None, at)

    def _bring_back(self, process: Process, session: Session, able: Abilities, at: float) -> None:
        how = Purpose.LOAD if able.load and (session.unseen or not able.resume) else Purpose.RESUME
        self._ask_for(process, session, how, at)

    def _ask_for(self, process: Process, session: Session, how: Purpose, at: float) -> None:
        if self._require_servers(process, at):
            opening.bring_back(self.ledger, process, session, how, self._place(process), at)
        else:
            self._step_back(session)

    def _brought_back(self, process: Process, session: Session, answered: Answered, at: float) -> None:
        if wants_sign_in(answered.error):
            self._step_back(session)
            self._sign_in(process, answered.error or {}, at)
        elif answered.error is not None:
            self._not_brought_back(process, session, answered, at)
        else:
            is_known = session.prompts > 0 and not session.unseen
            forgot = answered.request.purpose is Purpose.LOAD and replay.is_empty(session) and is_known
            restored = opening.opened(self.ledger, process, answered.request, answered.result, at)
            if forgot:
                self._lose(restored, "the agent restored it empty", None, at, keep=True)
                self._tell_lost(process, at)
            elif not session.unseen:
                self._tell_restored(process, restored, at)
                self._tell_differences(process, comparing.differences(session, restored, answered.result), at)
            elif answered.request.purpose is not Purpose.LOAD:
                self._tell_unseen(process, at)
            self._tell_ready(process, at)
            choosing.choose_again(self.ledger, self.ledger.change(restored, cut=False), at)

    def _not_brought_back(self, process: Process, session: Session, answered: Answered, at: float) -> None:
        error = answered.error or {}
        if answered.request.purpose is Purpose.RESUME and abilities_of(process.initialized).load:
            self._ask_for(process, session, Purpose.LOAD, at)
            return
        self._lose(
            session, str(error.get("message") or "the agent rejected the request"), error.get("code"), at
        )
        if session.unseen:
            problem = describe_error(error)
            text = f"The session could not be opened. {problem.message}"
            self.ledger.emit(NoticeGiven(level="error", code="history-not-opened", text=text), at)
            self._tell_ready(process, at)

    def _opened(self, process: Process, before: Session | None, answered: Answered, at: float) -> None:
        problem: Problem | None = None
        if wants_sign_in(answered.error):
            self._sign_in(process, answered.error or {}, at)
            return
        if answered.error is not None:
            problem = describe_error(answered.error)
        else:
            try:
                session = opening.opened(self.ledger, process, answered.request, answered.result, at)
            except AgentRefused as refused:
                problem = refused.problem()
            else:
                choosing.choose_again(self.ledger, session, at)
        if problem is not None:
            self._fail(process, problem, at)
        elif session.note is not None:
            self._tell_lost(process, at)
            self._tell_ready(process, at)
        elif before is None and not abilities_of(process.initialized).restores:
            self._tell_forgetful(process, at)

    # What goes wrong

    def _lose(self, session: Session, why: str, code: object, at: float, keep: bool = False) -> None:
        """The agent has lost the session; the chat still has its history."""
        log.warning(
            "session not restored: chat=%s agent=%s session=%s code=%s why=%s",
            self.ledger.chat.id, session.agent, session.acp_session_id, code, why,
        )  # fmt: skip
        replay.finish(self.ledger, session, at, "interrupted")
        note = {"why": why, "text": session.asked, "use": None if session.asked else False}
        changes: Json = {} if keep else _UNOPENED
        self.ledger.change(session, unseen=False, replay=None, wanted=False, note=note, **changes)

    def _step_back(self, session: Session) -> None:
        """Reset a session so that it is requested again."""
        self.ledger.change(session, phase=SessionPhase.CLOSED, process_id="", replay=None)

    def _sign_in(self, process: Process, error: Json, at: float) -> None:
        agent = self.catalog.describe(process.agent)
        sign_in.ask(self.ledger, process, agent, at)

    def _fail(self, process: Process, problem: Problem, at: float) -> None:
        waiting = tasks.waiting_for(self.ledger, process.agent)
        for task in waiting:
            turn.finish(self.ledger, task, TurnState.FAILED, "error", at, problem)
        if not waiting:
            self.ledger.emit(NoticeGiven(level="error", code="agent-refused", text=problem.message), at)
        opening.no_longer_wanted(self.ledger, process.agent)

    def _too_slow(self, process: Process, request: Request, now: float) -> None:
        """An agent that hangs here cannot be used: it is ended, and the next message starts it again."""
        seconds = f"{self.settings.restore_timeout:.0f} s"
        session = opening.find_session(self.ledger, process.agent, request.about(OpenSession).session_name)
        if session is not None and request.purpose is not Purpose.OPEN:
            self._lose(session, f"no answer within {seconds}", None, now)
        sessions.abandon(self.ledger, request, "it took too long")
        problem = Problem(
            f"The agent did not open a session within {seconds}.",
            "It was stopped. Send the message again to start a new session.",
        )
        self._fail(process, problem, now)
        stop_process(self.ledger, process, at_once=True)

    def _not_chosen(self, process: Process, request: Request, now: float) -> None:
        """If an agent does not confirm a chosen option, the prompt is sent without it."""
        request = sessions.abandon(self.ledger, request, "it took too long")
        choosing.option_refused(self.ledger, request, {}, now)
        name = self.catalog.describe(process.agent).display_name
        text = f"{name} did not confirm an option within {self.settings.restore_timeout:.0f} s."
        self.ledger.emit(NoticeGiven(level="error", code="option-refused", text=text), now)

    # Notices

    def _tell_lost(self, process: Process, at: float) -> None:
        name = self.catalog.describe(process.agent).display_name
        text = (
            f"The previous {name} session could not be restored. A new session has been started. "
            "Your conversation history in VoxPilot is intact."
        )
        self.ledger.emit(NoticeGiven(level="warning", code="session-not-restored", text=text), at)

    def _tell_restored(self, process: Process, session: Session, at: float) -> None:
        name = self.catalog.describe(process.agent).display_name
        detail = "The agent may not remember its last messages." if session.cut else None
        text = f"The {name} session was restored."
        self.ledger.emit(NoticeGiven(level="info", code="restored", text=text, detail=detail), at)

    def _tell_other_folder(self, process: Process, session: Session, answered: Answered, at: float) -> None:
        if (folder := comparing.other_folder(session, opening.sessions_in(answered.result))) is not None:
            self._tell_differences(process, [f"It works in {folder}, not in {session.cwd}."], at)

    def _tell_differences(self, process: Process, differences: list[str], at: float) -> None:
        if differences:
            name = self.catalog.describe(process.agent).display_name
            text, detail = f"The session restored by {name} differs from this chat.", "\n".join(differences)
            event = NoticeGiven(level="warning", code="session-differs", text=text, detail=detail)
            self.ledger.emit(event, at)

    def _tell_ready(self, process: Process, at: float) -> None:
        """Nothing is being restored any more."""
        self.ledger.emit(AgentStatusChanged(agent=process.agent, status="connected"), at)

    def _tell_unseen(self, process: Process, at: float) -> None:
        name = self.catalog.describe(process.agent).display_name
        text = f"{name} resumed this session but cannot show its earlier messages."
        self.ledger.emit(NoticeGiven(level="info", code="history-unseen", text=text), at)

    def _tell_forgetful(self, process: Process, at: float) -> None:
        name = self.catalog.describe(process.agent).display_name
        text = f"{name} cannot restore sessions. It will not remember this chat after it exits."
        self.ledger.emit(NoticeGiven(level="info", code="no-memory", text=text), at)

    # The rows

    def _is_busy(self, process: Process) -> bool:
        return sign_in.is_under_way(self.ledger, process) or any(
            request.process_id == process.id for request in self._under_way()
        )

    def _under_way(self) -> list[Request]:
        return [r for r in self.ledger.all(Request) if r.direction is Direction.OUT and r.purpose in OPENING]

    def _require_servers(self, process: Process, now: float) -> bool:
        """Whether sessions may get the current tool servers."""
        servers = self.settings.mcp_servers
        return command_approval.require_servers(self.ledger, self.catalog, process.agent, servers, now)

    def _tell_of_servers_left_out(self, process: Process, now: float) -> None:
        names = opening.left_out(abilities_of(process.initialized), self.settings.mcp_servers)
        if names:
            name = self.catalog.describe(process.agent).display_name
            text = f"{name} cannot use some of the MCP servers in the settings: {', '.join(names)}."
            self.ledger.emit(NoticeGiven(level="warning", code="tool-servers-left-out", text=text), now)

    def _place(self, process: Process) -> Json:
        return opening.place_of(self.ledger, abilities_of(process.initialized), self.settings.mcp_servers)
