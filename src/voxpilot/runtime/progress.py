"""Carrying turns on: what to do next, decided from the rows alone.

Lives here: `advance`, which looks at what is and asks for what is missing, so
that it does the same after a restart as before; and what an answer, an agent's
end or the clock changes. Lives elsewhere: beginning and ending turns (turn.py),
running the steps (live_chat.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from voxpilot.agents import choosing, sessions
from voxpilot.agents.abilities import abilities_of, name_of
from voxpilot.agents.attached import as_blocks
from voxpilot.agents.catalog import Catalog
from voxpilot.agents.dialogue import Answered, AnswerWanted, Happening, HelpWanted, Withdrawn
from voxpilot.agents.exits import NOT_TAKEN, ORDERLY, explain
from voxpilot.agents.failures import describe_error, wants_sign_in
from voxpilot.agents.opening import OPENING, no_longer_wanted
from voxpilot.chat.events import AgentStatusChanged, Json, NoticeGiven
from voxpilot.errors import Invalid
from voxpilot.runtime import callbacks, leaving, moving, policy, questions, signing_in, tasks, turn
from voxpilot.runtime.assisting import Assisting
from voxpilot.runtime.launching import Launching
from voxpilot.runtime.restoring import Restoring
from voxpilot.settings import Settings
from voxpilot.storage.ledger import Ledger
from voxpilot.storage.rows import (
    EarlyFrame,
    OutboxLine,
    Process,
    Question,
    Request,
    Session,
    Task,
    Turn,
)


@dataclass(frozen=True, slots=True)
class Progress:
    """One chat's next steps."""

    ledger: Ledger
    settings: Settings
    catalog: Catalog
    may_begin: bool = True
    """False while winding down: queued messages wait for the next start."""
    place_of: Callable[[str], int] = lambda _: 0
    """A process's place in the line of those that want to start; 0 if it may."""
    is_heard: bool = True
    """False before the agents' journals were looked into: what they hold may have come in time."""

    def advance(self, now: float) -> None:
        """Begin the next turn if none runs, and do whatever the running one lacks."""
        policy.review(self.ledger, self.settings, now)
        current = turn.running(self.ledger)
        if current is None:
            waiting = turn.queued(self.ledger)
            if self.may_begin and not waiting:
                self._open_wanted(now)
            if not waiting or not self.may_begin or now < self._quiet_until():
                return
            current = turn.start(self.ledger, waiting[0], now)
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
                questions.ask(self.ledger, happening, task, at)
            case HelpWanted():
                callbacks.begin(self.ledger, self.catalog, happening, at)
            case Withdrawn(request):
                callbacks.withdraw(self.ledger, request, at)

    def process_ended(self, process: Process, end: Json, now: float) -> None:
        """An agent is gone, whoever ended it."""
        ledger = self.ledger
        orderly = end.get("reason") in ORDERLY
        why = explain(end, self.catalog.describe(process.agent))
        error = {"message": why.message, "hint": why.hint, "detail": why.detail}
        for question in [q for q in ledger.all(Question) if q.process_id == process.id]:
            questions.expire(ledger, question, why.message, now)
        self._note_cut(process, orderly, now)
        for task in tasks.of_agent(ledger, process.agent):
            if not self._may_resend(process, task, end):
                self._end_with(task, process, orderly, error, now)
        self._clear_away(process)
        ledger.change(process, state="ended", ended_at=now, ended=end)
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
        """Do what the clock asks for."""
        policy.turn_down_late(self.ledger, self.settings, now)
        for process in self.ledger.all(Process):
            if process.state == "waiting" and self.may_begin:
                self._launching().line_up(process, now)
            elif process.state == "starting" and self.is_heard:
                self._launching().watch(process, now)
            elif process.state == "stopping" and not process.lines_out:
                self.process_ended(process, {"reason": "stopped"}, now)  # it never began
            elif process.state == "stopping":
                leaving.on_time(self.ledger, process, now)
        if not self.is_heard:
            return
        self._restoring().on_time(now)
        signing_in.on_time(self.ledger, self.settings, self.catalog, now)
        current = turn.running(self.ledger)
        if current is None or current.cancelled_at is None:
            return
        if now >= current.cancelled_at + self.settings.cancel_timeout:
            self._force(current, now)

    def deadlines(self) -> Iterator[float]:
        """When `on_time` or `advance` may have something to do."""
        yield from policy.deadlines(self.ledger, self.settings)
        for process in self.ledger.all(Process):
            if process.state == "starting":
                wait = self.settings.start_timeout if process.slow else self.settings.start_notice
                yield process.started_at + wait
            elif process.state == "stopping":
                yield from leaving.deadlines(self.ledger, process)
        yield from self._restoring().deadlines()
        yield from signing_in.deadlines(self.ledger, self.settings)
        current = turn.running(self.ledger)
        if current is None and self.may_begin and turn.queued(self.ledger):
            yield self._quiet_until()
        elif current is not None and current.cancelled_at is not None:
            yield current.cancelled_at + self.settings.cancel_timeout

    # The running turn

    def _assist(self, current: Turn, now: float) -> None:
        """What the assistant wants next may be refused at once, and then it may want something else."""
        while True:
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
        if process is not None and process.state != "ready":
            return
        if (error := moving.missing(self.ledger)) is not None:
            turn.finish(self.ledger, task, "failed", "error", now, error)
        elif process is None:
            self._start_process(task, now)
        else:
            self._prompt(task, process, now)

    def _prompt(self, task: Task, process: Process, now: float) -> None:
        restoring = self._restoring()
        session = restoring.session_for(process, task.session_name, now)
        if session is None or session.prompting or not restoring.may_prompt(session, task, now):
            return
        try:
            attached = as_blocks(task.attachments, abilities_of(process.initialized))
        except Invalid as error:
            turn.finish(
                self.ledger, task, "failed", "error", now, {"message": error.message, "hint": error.hint}
            )
            return
        session = self.ledger.get(Session, session.id) or session
        session = self.ledger.change(session, agent_version=name_of(process.initialized)[1])
        sessions.prompt(self.ledger, session, task, attached, now)
        self.ledger.emit(AgentStatusChanged(agent=task.agent, status="busy", turn=task.turn), now)

    def _open_wanted(self, now: float) -> None:
        """Sessions that somebody wants open although no turn needs them yet."""
        for session in [session for session in self.ledger.all(Session) if session.wanted]:
            process = tasks.process_of(self.ledger, session.agent)
            if process is None and (error := self._launching().crash_loop(now)) is not None:
                self.ledger.emit(NoticeGiven(level="error", code="crash-loop", text=error["message"]), now)
                no_longer_wanted(self.ledger, session.agent)
            elif process is None:
                self._launching().launch(session.agent, now)
            elif process.state == "ready":
                self._restoring().session_for(process, session.name, now)

    def _launching(self) -> Launching:
        return Launching(self.ledger, self.settings, self.catalog, self.place_of)

    def _restoring(self) -> Restoring:
        return Restoring(self.ledger, self.settings, self.catalog)

    def _start_process(self, task: Task, now: float) -> None:
        if (error := self._launching().crash_loop(now)) is not None:
            turn.finish(self.ledger, task, "failed", "error", now, error)
        else:
            self._launching().launch(task.agent, now)

    # What comes in

    def _answered(self, answered: Answered, at: float) -> None:
        process = self.ledger.get(Process, answered.request.process_id)
        if process is None:
            return
        match answered.request.method:
            case "initialize":
                self._launching().begun(process, answered, at)
            case "authenticate":
                signing_in.answered(self.ledger, process, self.catalog.describe(process.agent), answered, at)
            case method if method in OPENING and "session_name" in answered.request.subject:
                self._restoring().answered(process, answered, at)
            case "session/prompt":
                self._prompt_answered(answered, at)
            case method if method in choosing.METHODS:
                self._option_answered(answered, at)

    def _prompt_answered(self, answered: Answered, at: float) -> None:
        task = self.ledger.get(Task, tasks.task_id_of(answered.request))
        current = self.ledger.get(Turn, task.turn) if task else None
        if task is None or current is None:
            return
        session = self.ledger.get(Session, answered.request.subject.get("session"))
        if current.cancelled_at is not None:
            turn.finish(self.ledger, task, "cancelled", "cancelled", at)
        elif session is not None and wants_sign_in(answered.error):
            self.ledger.change(session, prompting=False)
            if (process := self.ledger.get(Process, session.process_id)) is not None:
                signing_in.ask(self.ledger, process, self.catalog.describe(process.agent), at)
        elif answered.error is not None and self._is_leaving(session):
            turn.finish(self.ledger, task, "interrupted", "interrupted", at, describe_error(answered.error))
        elif answered.error is not None:
            turn.finish(self.ledger, task, "failed", "error", at, describe_error(answered.error))
        else:
            reason = sessions.stop_reason_of(answered.result)
            if reason == "end_turn" and session is not None and not session.heard:
                self._note_silence(task, at)
            state = "cancelled" if reason == "cancelled" else "done"
            turn.finish(self.ledger, task, state, reason, at)  # type: ignore[arg-type]

    def _is_leaving(self, session: Session | None) -> bool:
        """Whether its agent is being ended, and says so of the prompt that it had."""
        process = self.ledger.get(Process, session.process_id) if session else None
        return process is not None and process.state == "stopping"

    def _option_answered(self, answered: Answered, at: float) -> None:
        if "option" not in answered.request.subject:
            return
        if answered.error is None:
            choosing.option_set(self.ledger, answered.request, answered.result, at)
            return
        choosing.option_refused(self.ledger, answered.request, answered.error, at)
        text = describe_error(answered.error)["message"]
        self.ledger.emit(NoticeGiven(level="error", code="option-refused", text=text), at)

    def _note_silence(self, task: Task, at: float) -> None:
        notice = NoticeGiven(
            level="warning",
            code="empty-answer",
            text="The agent returned nothing.",
            detail="It may lack a key or a sign-in; its own messages, if it wrote any, follow.",
            turn=task.turn,
            tool_call_id=task.tool_call_id,
        )
        self.ledger.emit(notice, at)

    # Ends

    def _end_with(self, task: Task, process: Process, orderly: bool, error: Json, now: float) -> None:
        """End a task whose agent is gone: stopped, cut off, or never begun."""
        if self._is_stopped(task):
            turn.finish(self.ledger, task, "cancelled", "cancelled", now)
        elif process.state == "ready" or orderly:
            turn.finish(self.ledger, task, "interrupted", "interrupted", now, error)
        else:
            turn.finish(self.ledger, task, "failed", "error", now, error)

    def _is_stopped(self, task: Task) -> bool:
        current = self.ledger.get(Turn, task.turn)
        return current is not None and current.cancelled_at is not None

    def _may_resend(self, process: Process, task: Task, end: Json) -> bool:
        """A prompt the agent never got may go to the next process; one that it got may not."""
        if self._is_stopped(task):
            return False
        request = tasks.prompt_request(self.ledger, task)
        if process.state == "stopping" and request is None:
            return True  # the turn began while an agent that was told to leave was still leaving
        if end.get("reason") not in NOT_TAKEN:
            return False
        unsent = {line.prompt for line in self.ledger.all(OutboxLine) if line.process_id == process.id}
        return request is None or request.rpc_id in unsent

    def _note_cut(self, process: Process, orderly: bool, now: float) -> None:
        """Its sessions may lack what they were in the midst of."""
        for session in [s for s in self.ledger.all(Session) if s.process_id == process.id]:
            if session.loading == "shown":
                self._restoring().cut_short(session, now)
            loading = "quiet" if session.loading == "shown" else session.loading
            self.ledger.change(session, cut=session.cut or session.prompting, loading=loading)
        if not orderly:
            no_longer_wanted(self.ledger, process.agent)

    def _clear_away(self, process: Process) -> None:
        """Nothing can be sent to a process that is gone, and nothing it was asked will be answered."""
        ledger = self.ledger
        for request in [r for r in ledger.all(Request) if r.process_id == process.id]:
            ledger.change(request, response={"error": {"message": "the agent is gone"}})
        for line in [line for line in ledger.all(OutboxLine) if line.process_id == process.id]:
            ledger.delete(line)
        for early in [early for early in ledger.all(EarlyFrame) if early.process_id == process.id]:
            ledger.delete(early)

    def _force(self, current: Turn, now: float) -> None:
        """The agent did not stop when asked."""
        text = "The agent did not stop when asked, so it was ended."
        self.ledger.emit(NoticeGiven(level="warning", code="forced-stop", text=text, turn=current.id), now)
        for task in tasks.of_turn(self.ledger, current):
            turn.finish(self.ledger, task, "cancelled", "cancelled", now)
            if (process := tasks.process_of(self.ledger, task.agent)) is not None:
                self.ledger.change(process, state="stopping", force=True)

    def _quiet_until(self) -> float:
        """Some agents answer the prompt before their last words; the next prompt waits for them."""
        ends = [session.answered_at for session in self.ledger.all(Session) if session.answered_at]
        return max(ends, default=0.0) + self.settings.quiet_time
