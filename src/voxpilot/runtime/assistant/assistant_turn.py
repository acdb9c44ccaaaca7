"""An assistant's turn: model, tools, model, until it has answered.

Lives here: what comes next, decided from the rows alone: a step of the model,
its calls, the end. Lives elsewhere: asking the model and running tools, which
happens outside the step (model_runner.py), delegated work (turns/delegation.py).
"""

from __future__ import annotations

import os
from dataclasses import asdict

from voxpilot.agents.installed.catalog import Catalog
from voxpilot.assistant import toolbox
from voxpilot.assistant.shapes import Step, ToolCall
from voxpilot.chat.events import Json, MessageSuperseded, NoticeGiven, ToolCallStarted
from voxpilot.errors import Problem, VoxPilotError
from voxpilot.runtime.processes import trust
from voxpilot.runtime.questions import open_questions
from voxpilot.runtime.questions.open_questions import NewQuestion
from voxpilot.runtime.shared.boundaries import real_path
from voxpilot.runtime.turns import delegation, tasks, turn
from voxpilot.settings import Settings
from voxpilot.storage.chats.ledger import Ledger
from voxpilot.storage.database.model_rows import Call, ModelStep
from voxpilot.storage.database.rows import Question, Turn
from voxpilot.storage.database.states import CallState, StepState, TurnState
from voxpilot.values import dataclass

RESUMPTIONS = 3
"""How often a crash of the server may interrupt a turn's model or tools before the turn is given up."""
OUTSIDE = "read-outside"
"""The purpose of asking whether a file outside the workspace may be read."""


@dataclass(frozen=True, slots=True)
class Assisting:
    ledger: Ledger
    settings: Settings
    catalog: Catalog

    def advance(self, current: Turn, now: float) -> None:
        """Start whatever this turn needs next."""
        steps = self._steps(current)
        if current.cancelled_at is not None:
            if not tasks.of_turn(self.ledger, current):
                self._stop(current, now)
        elif not steps:
            self._ask(current, 1, now)
        elif steps[-1].state is StepState.DONE:
            self._after(current, steps[-1], now)

    def begin_attempt(self, step_id: str, now: float) -> Json:
        """Called before the model is asked. If it was asked before, the server crashed before the answer was
        stored."""
        step = self.ledger.get(ModelStep, step_id)
        current = self.ledger.get(Turn, step.turn) if step else None
        if step is None or current is None or step.state is not StepState.ASKING:
            return {"wanted": False}
        if step.attempts:
            current = self.ledger.change(current, resumptions=current.resumptions + 1)
            if step.message_id is not None:
                self.ledger.emit(MessageSuperseded(message_id=step.message_id, turn=current.id), now)
        if current.resumptions > RESUMPTIONS:
            self._end(current, TurnState.INTERRUPTED, "interrupted", now, _MODEL_CUT)
            return {"wanted": False}
        attempt = step.attempts + 1
        self.ledger.change(step, attempts=attempt, message_id=f"{step.id}-{attempt}")
        return {"wanted": True, "step": step.id, "message_id": f"{step.id}-{attempt}", "turn": current.id}

    def is_wanted(self, begun: Json) -> bool:
        """Whether the answer of this attempt is still wanted."""
        step = self.ledger.get(ModelStep, begun["step"])
        return step is not None and step.state is StepState.ASKING and step.message_id == begun["message_id"]

    def answered(self, step_id: str, answer: Step, now: float) -> Json:
        """The model has answered: the whole answer is stored before any of its calls starts."""
        step = self.ledger.get(ModelStep, step_id)
        if step is None or step.state is not StepState.ASKING:
            return {}
        usage = {name: count for name, count in asdict(answer.usage).items() if count}
        self.ledger.change(
            step, state=StepState.DONE, text=answer.text, message=answer.message, usage=usage or None
        )
        for number, called in enumerate(answer.calls):
            self._take_call(step, number, called, now)
        if answer.is_cut and (current := self.ledger.get(Turn, step.turn)) is not None:
            text = f"The model called more than {len(answer.calls)} tools at once; the rest were ignored."
            self._warn(current, "too-many-calls", text, now)
        return {}

    def failed(self, step_id: str, problem: Problem, now: float) -> Json:
        step = self.ledger.get(ModelStep, step_id)
        current = self.ledger.get(Turn, step.turn) if step else None
        if step is not None and step.state is StepState.ASKING and current is not None:
            self.ledger.change(step, state=StepState.FAILED)
            self._end(current, TurnState.FAILED, "error", now, problem)
        return {}

    def run_again(self, turn_id: str, now: float) -> Json:
        """Called before tools run again that were running when the server crashed: one of them may be the
        cause."""
        current = self.ledger.get(Turn, turn_id)
        if current is None:
            return {}
        current = self.ledger.change(current, resumptions=current.resumptions + 1)
        if current.resumptions > RESUMPTIONS:
            for call in [c for c in self.ledger.all(Call) if runs_here(c) and c.turn == current.id]:
                cut = self.ledger.change(call, cut=True)
                delegation.end(self.ledger, cut, _TOOLS_CUT.message, None, True, now)
        return {}

    def returned(self, call_id: str, content: str, display: str, is_error: bool, now: float) -> Json:
        """One of the assistant's own tools has finished."""
        call = self.ledger.get(Call, call_id)
        if call is not None and call.state is CallState.RUNNING:
            delegation.end(self.ledger, call, content, display, is_error, now)
        return {}

    # What comes next

    def _after(self, current: Turn, step: ModelStep, now: float) -> None:
        calls = [call for call in self.ledger.all(Call) if call.step == step.id]
        for call in calls:
            if call.state is CallState.WAITING:
                self._start(call, now)
        calls = [self.ledger.get(Call, call.id) or call for call in calls]
        if any(call.state is not CallState.DONE for call in calls):
            return
        if cut := [call for call in calls if call.cut]:
            gone = any(call.name == toolbox.DELEGATE for call in cut)
            self._end(current, TurnState.INTERRUPTED, "interrupted", now, _AGENT_GONE if gone else _TOOLS_CUT)
        elif not calls:
            self._end_with_answer(current, step, now)
        elif step.number >= self.settings.max_agent_iterations:
            self._warn(current, "too-many-steps", f"The assistant stopped after {step.number} steps.", now)
            self._end(current, TurnState.DONE, "max_turn_requests", now)
        else:
            self._ask(current, step.number + 1, now)

    def _ask(self, current: Turn, number: int, now: float) -> None:
        step = ModelStep(
            id=f"s-{current.id}-{number}",
            chat_id=self.ledger.chat.id,
            turn=current.id,
            number=number,
            created_at=now,
        )
        self.ledger.save(step)

    def _take_call(self, step: ModelStep, number: int, called: ToolCall, now: float) -> None:
        call = Call(
            id=f"c-{step.id}-{number}",
            chat_id=step.chat_id,
            turn=step.turn,
            step=step.id,
            number=number,
            provider_id=called.id,
            name=called.name,
            arguments=called.arguments or {},
            created_at=now,
        )
        self.ledger.save(call)
        started = ToolCallStarted(
            id=call.id,
            title=called.name,
            name=called.name,
            tool_kind=_KINDS.get(called.name, "other"),
            status="in_progress",
            input=called.arguments if called.arguments is not None else called.raw,
            turn=step.turn,
        )
        self.ledger.emit(started, now)
        if called.arguments is None:
            delegation.end(self.ledger, call, called.error, None, True, now)

    def _start(self, call: Call, now: float) -> None:
        try:
            called = ToolCall(call.provider_id, call.name, call.arguments)
            wanted = toolbox.checked(called, off=self.ledger.chat.tools_off)
        except VoxPilotError as error:
            delegation.end(self.ledger, call, f"{error.message} {error.hint}".strip(), None, True, now)
            return
        if isinstance(wanted, toolbox.Delegation):
            delegation.begin(self.ledger, self.catalog, call, wanted, now)
        elif call.name == toolbox.READ_EXTERNAL:
            self._ask_to_read(call, now)
        elif toolbox.needs_trust(call.name) and not self._is_trusted(call, now):
            return  # a person is asked, or has answered
        else:
            self.ledger.change(call, state=CallState.RUNNING)

    def _is_trusted(self, call: Call, now: float) -> bool:
        if trust.was_refused(self.ledger, call.turn):
            delegation.end(self.ledger, call, trust.NOT_RUN, None, True, now)
            return False
        return trust.require_trust(self.ledger, self.settings, self.catalog.consents, None, now, call.id)

    def _ask_to_read(self, call: Call, now: float) -> None:
        if any(question.detail.get("call") == call.id for question in self.ledger.all(Question)):
            return
        wanted = os.path.expanduser(str(call.arguments["path"]))
        path = real_path(wanted)
        if "\0" in wanted or path != path.encode(errors="replace").decode():
            why = "The name of this file is not valid text, so the user cannot be asked about it."
            delegation.end(self.ledger, call, why, None, True, now)
            return
        open_questions.ask_ourselves(
            self.ledger,
            NewQuestion(
                purpose=OUTSIDE,
                type="confirm",
                title=f"May the assistant read {path}, outside the chat's folder?",
                detail={"call": call.id, "path": path},
                options=(
                    {"id": "allow", "label": "Allow", "kind": "allow_once"},
                    {"id": "reject", "label": "Reject", "kind": "reject_once"},
                ),
                turn=call.turn,
            ),
            now,
        )

    # Ends

    def _stop(self, current: Turn, now: float) -> None:
        for call in self.ledger.all(Call):
            if call.turn == current.id and call.state is not CallState.DONE:
                delegation.end(self.ledger, call, "The user stopped this call.", None, True, now)
        self._end(current, TurnState.CANCELLED, "cancelled", now)

    def _end_with_answer(self, current: Turn, step: ModelStep, now: float) -> None:
        finish = (step.message or {}).get("finish_reason", "")
        if not step.text:
            self._warn(current, "empty-answer", "The model returned an empty response.", now)
        elif finish is None:
            text = "The model's response ended without a finish signal, so it may be incomplete."
            self._warn(current, "unfinished-answer", text, now)
        self._end(current, TurnState.DONE, _STOPS.get(finish, "end_turn"), now)

    def _warn(self, current: Turn, code: str, text: str, now: float) -> None:
        self.ledger.emit(NoticeGiven(level="warning", code=code, text=text, turn=current.id), now)

    def _end(
        self, current: Turn, state: TurnState, stop_reason: str, now: float, problem: Problem | None = None
    ) -> None:
        turn.end(self.ledger, current, state, stop_reason, now, problem)
        for row in [*self._steps(current), *(c for c in self.ledger.all(Call) if c.turn == current.id)]:
            self.ledger.change(row, over=True)

    def _steps(self, current: Turn) -> list[ModelStep]:
        return [step for step in self.ledger.all(ModelStep) if step.turn == current.id]


def runs_here(call: Call) -> bool:
    """Whether it is one of the assistant's own tools, and is running."""
    return call.state is CallState.RUNNING and call.name != toolbox.DELEGATE


def reading_decided(ledger: Ledger, question: Question, at: float) -> None:
    """The person decided whether a file outside the workspace may be read."""
    call = ledger.get(Call, question.detail.get("call"))
    if call is None or call.state is not CallState.WAITING:
        return
    if question.option_id == "allow":
        ledger.change(call, state=CallState.RUNNING, agreed=question.detail["path"])
    else:
        why = "The user did not allow this." if question.decided_by == "person" else question.reason or ""
        delegation.end(ledger, call, why, None, True, at)


_STOPS = {"length": "max_tokens", "content_filter": "refusal"}
"""Why a model stopped early, as an agent's stop reason."""
_KINDS = {
    "read_file": "read",
    "read_file_external": "read",
    "read_skill": "read",
    "list_directory": "read",
    "grep_search": "search",
    "glob_search": "search",
    "git_diff": "read",
    "git_show": "read",
}
_MODEL_CUT = Problem(
    "The server was restarted too often while the model was responding.",
    "Select Continue to resume.",
)
_TOOLS_CUT = Problem(
    "The server was restarted too often while tools were running.",
    "Select Continue to resume.",
)
_AGENT_GONE = Problem(
    "The agent exited before it finished.",
    "Select Continue to let the assistant continue.",
)
