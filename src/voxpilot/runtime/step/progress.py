"""Moving turns forward: what to do next, decided from the rows alone.

Lives here: `advance`, which looks at the rows and starts what is missing, so that it works the same before
and after a restart; and the effects of an answer, an agent's exit and timers. Lives elsewhere: starting and
ending turns (turns/turn.py), running the steps (live_chat.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import inf

from voxpilot.agents.installed.capabilities import name_of
from voxpilot.agents.installed.catalog import Catalog
from voxpilot.agents.installed.exits import NOT_TAKEN, ORDERLY, explain
from voxpilot.agents.installed.failures import describe_error, wants_sign_in
from voxpilot.agents.requests import choosing, sessions
from voxpilot.agents.requests.dialogue import Answered, AnswerWanted, Happening, HelpWanted, Withdrawn
from voxpilot.agents.requests.opening import no_longer_wanted
from voxpilot.agents.requests.purposes import OPENING
from voxpilot.chat.events import AgentStatusChanged, Json, NoticeGiven
from voxpilot.errors import Problem
from voxpilot.runtime.assistant.assistant_turn import Assisting
from voxpilot.runtime.callbacks import routing
from voxpilot.runtime.context import needs
from voxpilot.runtime.processes import sign_in, stopping
from voxpilot.runtime.processes.process_start import Launching
from voxpilot.runtime.processes.session_restore import Restoring
from voxpilot.runtime.questions import open_questions
from voxpilot.runtime.shared.boundaries import folder_missing
from voxpilot.runtime.shared.stop import stop_process
from voxpilot.runtime.step import policy, prompting
from voxpilot.runtime.turns import tasks, turn
from voxpilot.settings import Settings
from voxpilot.storage.chats.ledger import Ledger
from voxpilot.storage.database.request_rows import Purpose, Request
from voxpilot.storage.database.rows import EarlyFrame, OutboxLine, Process, Question, Session, Task, Turn
from voxpilot.storage.database.states import ProcessState, SessionPhase, TurnState
from voxpilot.storage.database.subjects import Choice, OpenSession, Prompt
from voxpilot.values import dataclass


@dataclass(frozen=True, slots=True)
class Progress:
    """Decides the next steps of one chat."""

    ledger: Ledger
    settings: Settings
    catalog: Catalog
    may_begin: bool = True
    """False while the server is stopping: queued messages wait for the next start."""
    place_of: Callable[[str], int] = lambda _: 0
    """A process's position in the start queue; 0 if it may start."""
    is_heard: bool = True
    """False until the agents' journals have been read: their contents may have arrived in time."""
    ever_sent: Callable[[str], float] = lambda _: inf
    """The number of the last line that may have reached a process; higher numbers never left the outbox."""

    def advance(self, now: float) -> None:
        """Start the next turn if none is running, and start whatever the running turn needs."""
        policy.review(self.ledger, self.settings, now)
        current = turn.running(self.ledger)
        if current is None:
            waiting = turn.queued(self.ledger)
            if self.may_begin and not waiting:
                self._open_wanted(now)
            if not waiting or not self.may_begin or now < self._quiet_until():
                return
            self._tell_of_switch(waiting[0], now)
            current = turn.start(self.ledger, waiting[0], now)
            current = needs.begin(self.ledger, self.settings, self.catalog.personal_skills, current, now)
        if current.agent == turn.ASSISTANT:
            self._assist(current, now)
        else:
            self._pursue_all(current, now)

    def happened(self, happening: Happening, at: float) -> None:
        match happening:
            case Answered():
                self._answered(happening, at)
            case AnswerWanted():
                process = self.ledger.get(Process, happening.request.process_id)
                task = tasks.behind(self.ledger, process.agent) if process else None
                open_questions.ask(self.ledger, happening, task, at)
            case HelpWanted():
                routing.begin(self.ledger, self.catalog, happening, at)
            case Withdrawn(request):
                routing.withdraw(self.ledger, request, at)

    def process_ended(self, process: Process, end: Json, now: float) -> None:
        """An agent has ended, for any reason."""
        ledger = self.ledger
        orderly = end.get("reason") in ORDERLY
        why = explain(end, self.catalog.describe(process.agent))
        for question in [q for q in ledger.all(Question) if q.process_id == process.id]:
            open_questions.expire(ledger, question, why.message, now)
        again = [
            task for task in tasks.of_agent(ledger, process.agent) if self._may_resend(process, task, end)
        ]
        for task in again:
            self._take_back(task)
        self._note_cut(process, orderly, now)
        for task in tasks.of_agent(ledger, process.agent):
            if task not in again:
                self._end_with(task, process, orderly, why, now)
        self._clear_away(process)
        ledger.change(process, state=ProcessState.ENDED, ended_at=now, ended=end)
        event = AgentStatusChanged(
            agent=process.agent,
            status="disconnected" if orderly else "error",
            message=why.message,
            hint=why.hint or None,
        )
        ledger.emit(event, now)
        if not orderly:
            crashes = (*ledger.chat.crashes, now)[-self.settings.crash_limit :]
            ledger.change(ledger.chat, crashes=crashes)

    def on_time(self, now: float) -> None:
        """Handle timers that are due."""
        policy.turn_down_late(self.ledger, self.settings, now)
        for process in self.ledger.all(Process):
            if process.state is ProcessState.WAITING and self.may_begin:
                self._launching().line_up(process, now)
            elif process.state is ProcessState.STARTING and self.is_heard:
                self._launching().watch(process, now)
            elif process.state is ProcessState.STOPPING and not process.lines_out:
                self.process_ended(process, {"reason": "stopped"}, now)  # it never started
            elif process.state is ProcessState.STOPPING:
                stopping.on_time(self.ledger, process, now)
        if not self.is_heard:
            return
        self._restoring().on_time(now)
        sign_in.on_time(self.ledger, self.settings, self.catalog, now)
        current = turn.running(self.ledger)
        if current is None or current.cancelled_at is None:
            return
        if now >= current.cancelled_at + self.settings.cancel_timeout:
            self._force(current, now)

    def deadlines(self) -> Iterator[float]:
        """When `on_time` or `advance` may have something to do."""
        yield from policy.deadlines(self.ledger, self.settings)
        for process in self.ledger.all(Process):
            if process.state is ProcessState.STARTING:
                wait = self.settings.start_timeout if process.slow else self.settings.start_notice
                yield process.started_at + wait
            elif process.state is ProcessState.STOPPING:
                yield from stopping.deadlines(self.ledger, process)
        yield from self._restoring().deadlines()
        yield from sign_in.deadlines(self.ledger, self.settings)
        current = turn.running(self.ledger)
        if current is None and self.may_begin and turn.queued(self.ledger):
            yield self._quiet_until()
        elif current is not None and current.cancelled_at is not None and self._unforced(current):
            yield current.cancelled_at + self.settings.cancel_timeout

    # The running turn

    def _tell_of_switch(self, following: Turn, now: float) -> None:
        """Show where in the conversation somebody else begins to answer."""
        if self.ledger.chat.answered_by in (None, following.agent):
            return
        named = self.catalog.describe(following.agent).display_name
        name = "The assistant" if following.agent == turn.ASSISTANT else named
        text = f"{name} answers from here on."
        self.ledger.emit(NoticeGiven(level="info", code="switched", text=text), now)

    def _assist(self, current: Turn, now: float) -> None:
        """The assistant's next request may be refused immediately, and then it may request something else."""
        while current.cancelled_at is not None or not needs.waits(current):
            Assisting(self.ledger, self.settings, self.catalog).advance(current, now)
            waiting = len(tasks.of_turn(self.ledger, current))
            self._pursue_all(current, now)
            if len(tasks.of_turn(self.ledger, current)) == waiting:
                return

    def _pursue_all(self, current: Turn, now: float) -> None:
        if current.cancelled_at is None:
            for task in tasks.of_turn(self.ledger, current):
                self._pursue(task, now)

    def _pursue(self, task: Task, now: float) -> None:
        if tasks.prompt_request(self.ledger, task) is not None:
            return
        process = tasks.process_of(self.ledger, task.agent)
        if process is not None and (
            process.state is not ProcessState.READY or prompting.waits(self.ledger, task)
        ):
            return
        if (problem := folder_missing(self.ledger)) is not None:
            turn.finish(self.ledger, task, TurnState.FAILED, "error", now, problem)
        elif process is None:
            self._start_process(task, now)
        else:
            self._prompt(task, process, now)

    def _prompt(self, task: Task, process: Process, now: float) -> None:
        restoring = self._restoring()
        session = restoring.session_for(process, task.session_name, now)
        if (
            session is None
            or session.phase is SessionPhase.PROMPTING
            or not restoring.prepare_prompt(session, task, now)
        ):
            return
        session = self.ledger.get(Session, session.id) or session
        session = self.ledger.change(session, agent_version=name_of(process.initialized)[1])
        current = self.ledger.get(Turn, task.turn) if task.tool_call_id is None else None
        handed = current.handover["text"] if current is not None and current.handover else ""
        blocks = prompting.content(self.ledger, current, task, process, now)
        sessions.prompt(self.ledger, session, task, blocks, now, handed)
        self.ledger.emit(AgentStatusChanged(agent=task.agent, status="busy", turn=task.turn), now)

    def _open_wanted(self, now: float) -> None:
        """Sessions that somebody wants to have open although no turn needs them yet."""
        for session in [session for session in self.ledger.all(Session) if session.wanted]:
            process = tasks.process_of(self.ledger, session.agent)
            if process is None and (problem := self._launching().crash_loop(now)) is not None:
                self.ledger.emit(NoticeGiven(level="error", code="crash-loop", text=problem.message), now)
                no_longer_wanted(self.ledger, session.agent)
            elif process is None:
                self._launching().launch(session.agent, now)
            elif process.state is ProcessState.READY:
                self._restoring().session_for(process, session.name, now)

    def _launching(self) -> Launching:
        return Launching(self.ledger, self.settings, self.catalog, self.place_of)

    def _restoring(self) -> Restoring:
        return Restoring(self.ledger, self.settings, self.catalog)

    def _start_process(self, task: Task, now: float) -> None:
        if (problem := self._launching().crash_loop(now)) is not None:
            turn.finish(self.ledger, task, TurnState.FAILED, "error", now, problem)
        else:
            self._launching().launch(task.agent, now)

    # What comes in

    def _answered(self, answered: Answered, at: float) -> None:
        process = self.ledger.get(Process, answered.request.process_id)
        if process is None:
            return
        match answered.request.purpose:
            case Purpose.START:
                self._launching().begun(process, answered, at)
            case Purpose.SIGN_IN:
                sign_in.answered(self.ledger, process, self.catalog.describe(process.agent), answered, at)
            case purpose if purpose in OPENING and isinstance(answered.request.subject, OpenSession):
                self._restoring().answered(process, answered, at)
            case Purpose.PROMPT:
                self._prompt_answered(answered, at)
            case Purpose.CHOOSE:
                self._option_answered(answered, at)

    def _prompt_answered(self, answered: Answered, at: float) -> None:
        prompt = answered.request.subject
        task = self.ledger.get(Task, prompt.task_id) if isinstance(prompt, Prompt) else None
        current = self.ledger.get(Turn, task.turn) if task else None
        if not isinstance(prompt, Prompt) or task is None or current is None:
            return
        session = self.ledger.get(Session, prompt.session)
        if current.cancelled_at is not None:
            turn.finish(self.ledger, task, TurnState.CANCELLED, "cancelled", at)
        elif session is not None and wants_sign_in(answered.error):
            self.ledger.change(session, phase=SessionPhase.IDLE)
            if (process := self.ledger.get(Process, session.process_id)) is not None:
                sign_in.ask(self.ledger, process, self.catalog.describe(process.agent), at)
        elif answered.error is not None and self._is_leaving(session):
            turn.finish(
                self.ledger, task, TurnState.INTERRUPTED, "interrupted", at, describe_error(answered.error)
            )
        elif answered.error is not None:
            turn.finish(self.ledger, task, TurnState.FAILED, "error", at, describe_error(answered.error))
        else:
            reason = sessions.stop_reason_of(answered.result)
            if reason == "end_turn" and session is not None and not session.heard:
                self._note_silence(task, at)
            state = TurnState.CANCELLED if reason == "cancelled" else TurnState.DONE
            turn.finish(self.ledger, task, state, reason, at)

    def _is_leaving(self, session: Session | None) -> bool:
        """Whether its agent is being ended and reports this for its prompt."""
        process = self.ledger.get(Process, session.process_id) if session else None
        return process is not None and process.state is ProcessState.STOPPING

    def _option_answered(self, answered: Answered, at: float) -> None:
        if not isinstance(answered.request.subject, Choice):
            return
        if answered.error is None:
            choosing.option_set(self.ledger, answered.request, answered.result, at)
            return
        choosing.option_refused(self.ledger, answered.request, answered.error, at)
        text = describe_error(answered.error).message
        self.ledger.emit(NoticeGiven(level="error", code="option-refused", text=text), at)

    def _note_silence(self, task: Task, at: float) -> None:
        notice = NoticeGiven(
            level="warning",
            code="empty-answer",
            text="The agent returned an empty response.",
            detail="It may need an API key or a sign-in. Its error output, if any, follows.",
            turn=task.turn,
            tool_call_id=task.tool_call_id,
        )
        self.ledger.emit(notice, at)

    # Ends

    def _end_with(self, task: Task, process: Process, orderly: bool, problem: Problem, now: float) -> None:
        """End a task whose agent is gone: as stopped, interrupted, or never started."""
        if self._is_stopped(task):
            turn.finish(self.ledger, task, TurnState.CANCELLED, "cancelled", now)
        elif process.state is ProcessState.READY or orderly:
            turn.finish(self.ledger, task, TurnState.INTERRUPTED, "interrupted", now, problem)
        else:
            turn.finish(self.ledger, task, TurnState.FAILED, "error", now, problem)

    def _is_stopped(self, task: Task) -> bool:
        current = self.ledger.get(Turn, task.turn)
        return current is not None and current.cancelled_at is not None

    def _may_resend(self, process: Process, task: Task, end: Json) -> bool:
        """A prompt the agent never got may go to the next process; one that it got may not."""
        if self._is_stopped(task):
            return False
        request = tasks.prompt_request(self.ledger, task)
        if process.state is ProcessState.STOPPING and request is None:
            return True  # the turn started while an agent that was told to stop was still stopping
        unsent = self.ledger.outbox_after(process.id, 0)
        if end.get("reason") not in NOT_TAKEN:
            if process.state is not ProcessState.READY:
                return False
            # The message arrived before anybody knew that the agent was gone.
            unsent = [line for line in unsent if line.n > self.ever_sent(process.id)]
            if not unsent:
                return False
        return request is None or request.rpc_id in {line.prompt for line in unsent}

    def _take_back(self, task: Task) -> None:
        request = tasks.prompt_request(self.ledger, task)
        session = self.ledger.get(Session, request.about(Prompt).session) if request else None
        if session is not None:
            sessions.take_back(self.ledger, session)

    def _note_cut(self, process: Process, orderly: bool, now: float) -> None:
        """Its sessions may lack the prompt that was in progress."""
        for session in [s for s in self.ledger.all(Session) if s.process_id == process.id]:
            if session.unseen:
                self._restoring().cut_short(session, now)
            is_cut = session.cut or session.phase is SessionPhase.PROMPTING
            self.ledger.change(session, cut=is_cut, unseen=False)
        if not orderly:
            no_longer_wanted(self.ledger, process.agent)

    def _clear_away(self, process: Process) -> None:
        """Nothing can be sent to a process that is gone, and it will answer nothing."""
        ledger = self.ledger
        for session in [s for s in ledger.all(Session) if s.process_id == process.id]:
            ledger.change(session, phase=SessionPhase.CLOSED, process_id="", replay=None)
        for request in [r for r in ledger.all(Request) if r.process_id == process.id]:
            sessions.abandon(ledger, request, "the agent has ended", is_told=False)
        for line in [line for line in ledger.all(OutboxLine) if line.process_id == process.id]:
            ledger.delete(line)
        for early in [early for early in ledger.all(EarlyFrame) if early.process_id == process.id]:
            ledger.delete(early)

    def _force(self, current: Turn, now: float) -> None:
        """The agents did not stop when asked, so they are killed. The turn ends when they are gone."""
        unforced = self._unforced(current)
        if not unforced:
            return
        text = "The agent did not stop when asked. Stopping its process."
        self.ledger.emit(NoticeGiven(level="warning", code="forced-stop", text=text, turn=current.id), now)
        for task in unforced:
            if (process := tasks.process_of(self.ledger, task.agent)) is not None:
                stop_process(self.ledger, process, at_once=True)
            else:
                turn.finish(self.ledger, task, TurnState.CANCELLED, "cancelled", now)

    def _unforced(self, current: Turn) -> list[Task]:
        """The tasks whose agents are not being killed."""
        found = [
            (task, tasks.process_of(self.ledger, task.agent)) for task in tasks.of_turn(self.ledger, current)
        ]
        return [task for task, process in found if process is None or not process.force]

    def _quiet_until(self) -> float:
        """Some agents answer the prompt before they send their last output; the next prompt waits for it."""
        ends = [session.answered_at for session in self.ledger.all(Session) if session.answered_at]
        return max(ends, default=0.0) + self.settings.quiet_time
