"""An assistant's turn: model, tools, model, until it has answered.

Lives here: what comes next, decided from the rows alone: a step of the model,
its calls, the end. Lives elsewhere: asking the model and running tools, which
happens outside the step (thinking.py), delegated work (delegating.py).
"""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass
from typing import Any

from voxpilot.agents.catalog import Catalog
from voxpilot.assistant import toolbox
from voxpilot.assistant.shapes import Step, ToolCall
from voxpilot.chat.events import Json, MessageSuperseded, NoticeGiven, ToolCallStarted
from voxpilot.errors import VoxPilotError
from voxpilot.runtime import delegating, questions, tasks, turn
from voxpilot.runtime.ground import real_path
from voxpilot.settings import Settings
from voxpilot.storage.ledger import Ledger
from voxpilot.storage.model_rows import Call, ModelStep
from voxpilot.storage.rows import Question, Turn

RESUMPTIONS = 3
"""How often a turn may lose its model's answer or its tools to a dying server before it is given up."""
OUTSIDE = "read-outside"
"""The purpose of asking whether a file outside the workspace may be read."""


@dataclass(frozen=True, slots=True)
class Assisting:
    ledger: Ledger
    settings: Settings
    catalog: Catalog

    def advance(self, current: Turn, now: float) -> None:
        """Do whatever this turn lacks."""
        steps = self._steps(current)
        if current.cancelled_at is not None:
            if not tasks.of_turn(self.ledger, current):
                self._stop(current, now)
        elif not steps:
            self._ask(current, 1, now)
        elif steps[-1].state == "done":
            self._after(current, steps[-1], now)

    def begin_attempt(self, step_id: str, now: float) -> Json:
        """Before the model is asked. Asked before means that the server died over its answer."""
        step = self.ledger.get(ModelStep, step_id)
        current = self.ledger.get(Turn, step.turn) if step else None
        if step is None or current is None or step.state != "asking":
            return {"wanted": False}
        if step.attempts:
            current = self.ledger.change(current, resumptions=current.resumptions + 1)
            if step.message_id is not None:
                self.ledger.emit(MessageSuperseded(message_id=step.message_id, turn=current.id), now)
        if current.resumptions > RESUMPTIONS:
            self._end(current, "interrupted", "interrupted", now, _MODEL_CUT)
            return {"wanted": False}
        attempt = step.attempts + 1
        self.ledger.change(step, attempts=attempt, message_id=f"{step.id}-{attempt}")
        return {"wanted": True, "step": step.id, "message_id": f"{step.id}-{attempt}", "turn": current.id}

    def is_wanted(self, begun: Json) -> bool:
        """Whether what the model says on this attempt still counts."""
        step = self.ledger.get(ModelStep, begun["step"])
        return step is not None and step.state == "asking" and step.message_id == begun["message_id"]

    def answered(self, step_id: str, answer: Step, now: float) -> Json:
        """The model has answered: the whole of it is stored before any of its calls begins."""
        step = self.ledger.get(ModelStep, step_id)
        if step is None or step.state != "asking":
            return {}
        usage = {name: count for name, count in asdict(answer.usage).items() if count}
        self.ledger.change(step, state="done", text=answer.text, message=answer.message, usage=usage or None)
        for number, called in enumerate(answer.calls):
            self._take_call(step, number, called, now)
        return {}

    def failed(self, step_id: str, error: Json, now: float) -> Json:
        step = self.ledger.get(ModelStep, step_id)
        current = self.ledger.get(Turn, step.turn) if step else None
        if step is not None and step.state == "asking" and current is not None:
            self.ledger.change(step, state="failed")
            self._end(current, "failed", "error", now, error)
        return {}

    def run_again(self, turn_id: str, now: float) -> Json:
        """Before tools are run that ran when the server died: perhaps it died of one of them."""
        current = self.ledger.get(Turn, turn_id)
        if current is None:
            return {}
        current = self.ledger.change(current, resumptions=current.resumptions + 1)
        if current.resumptions > RESUMPTIONS:
            for call in [c for c in self.ledger.all(Call) if runs_here(c) and c.turn == current.id]:
                cut = self.ledger.change(call, cut=True)
                delegating.end(self.ledger, cut, _TOOLS_CUT["message"], None, True, now)
        return {}

    def returned(self, call_id: str, content: str, display: str, is_error: bool, now: float) -> Json:
        """A tool that runs here has ended."""
        call = self.ledger.get(Call, call_id)
        if call is not None and call.state == "running":
            delegating.end(self.ledger, call, content, display, is_error, now)
        return {}

    # What comes next

    def _after(self, current: Turn, step: ModelStep, now: float) -> None:
        calls = [call for call in self.ledger.all(Call) if call.step == step.id]
        for call in calls:
            if call.state == "waiting":
                self._start(call, now)
        calls = [self.ledger.get(Call, call.id) or call for call in calls]
        if any(call.state != "done" for call in calls):
            return
        if cut := [call for call in calls if call.cut]:
            gone = any(call.name == toolbox.DELEGATE for call in cut)
            self._end(current, "interrupted", "interrupted", now, _AGENT_GONE if gone else _TOOLS_CUT)
        elif not calls:
            self._end_with_answer(current, step, now)
        elif step.number >= self.settings.max_agent_iterations:
            self._warn(current, "too-many-steps", f"The assistant stopped after {step.number} steps.", now)
            self._end(current, "done", "max_turn_requests", now)
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
            delegating.end(self.ledger, call, called.error, None, True, now)

    def _start(self, call: Call, now: float) -> None:
        try:
            wanted = toolbox.checked(ToolCall(call.provider_id, call.name, call.arguments))
        except VoxPilotError as error:
            delegating.end(self.ledger, call, f"{error.message} {error.hint}".strip(), None, True, now)
            return
        if isinstance(wanted, toolbox.Delegation):
            delegating.begin(self.ledger, self.catalog, call, wanted, now)
        elif call.name == toolbox.READ_EXTERNAL:
            self._ask_to_read(call, now)
        else:
            self.ledger.change(call, state="running")

    def _ask_to_read(self, call: Call, now: float) -> None:
        if any(question.detail.get("call") == call.id for question in self.ledger.all(Question)):
            return
        wanted = os.path.expanduser(str(call.arguments["path"]))
        path = real_path(wanted)
        if "\0" in wanted or path != path.encode(errors="replace").decode():
            why = "The name of this file is no text, so nobody can be asked about it."
            delegating.end(self.ledger, call, why, None, True, now)
            return
        questions.ask_ourselves(
            self.ledger,
            OUTSIDE,
            "confirm",
            f"May the assistant read {path}, which is outside the workspace?",
            {"call": call.id, "path": path},
            (
                {"id": "allow", "label": "Allow", "kind": "allow_once"},
                {"id": "reject", "label": "Reject", "kind": "reject_once"},
            ),
            now,
            turn=call.turn,
        )

    # Ends

    def _stop(self, current: Turn, now: float) -> None:
        for call in self.ledger.all(Call):
            if call.turn == current.id and call.state != "done":
                delegating.end(self.ledger, call, "The person stopped this.", None, True, now)
        self._end(current, "cancelled", "cancelled", now)

    def _end_with_answer(self, current: Turn, step: ModelStep, now: float) -> None:
        finish = (step.message or {}).get("finish_reason", "")
        if not step.text:
            self._warn(current, "empty-answer", "The model answered nothing.", now)
        elif finish is None:
            text = "The model did not say that it had finished: its answer may be cut short."
            self._warn(current, "unfinished-answer", text, now)
        self._end(current, "done", _STOPS.get(finish, "end_turn"), now)

    def _warn(self, current: Turn, code: str, text: str, now: float) -> None:
        self.ledger.emit(NoticeGiven(level="warning", code=code, text=text, turn=current.id), now)

    def _end(
        self, current: Turn, state: Any, stop_reason: str, now: float, error: Json | None = None
    ) -> None:
        turn.end(self.ledger, current, state, stop_reason, now, error)
        for row in [*self._steps(current), *(c for c in self.ledger.all(Call) if c.turn == current.id)]:
            self.ledger.change(row, over=True)

    def _steps(self, current: Turn) -> list[ModelStep]:
        return [step for step in self.ledger.all(ModelStep) if step.turn == current.id]


def runs_here(call: Call) -> bool:
    """Whether it is one of the assistant's own tools, at work."""
    return call.state == "running" and call.name != toolbox.DELEGATE


def reading_decided(ledger: Ledger, question: Question, at: float) -> None:
    """The person said whether a file outside may be read."""
    call = ledger.get(Call, question.detail.get("call"))
    if call is None or call.state != "waiting":
        return
    if question.option_id == "allow":
        ledger.change(call, state="running", agreed=question.detail["path"])
    else:
        why = "The person did not allow it." if question.decided_by == "person" else question.reason or ""
        delegating.end(ledger, call, why, None, True, at)


_STOPS = {"length": "max_tokens", "content_filter": "refusal"}
"""Why a model broke off its answer, in the words that agents have for it."""
_KINDS = {
    "read_file": "read",
    "read_file_external": "read",
    "list_directory": "read",
    "grep_search": "search",
    "glob_search": "search",
    "git_diff": "read",
    "git_show": "read",
}
_MODEL_CUT: Json = {
    "message": "The server was restarted too often while the model answered.",
    "hint": "Press Continue to go on.",
}
_TOOLS_CUT: Json = {
    "message": "The server was restarted too often while tools ran.",
    "hint": "Press Continue to go on.",
}
_AGENT_GONE: Json = {
    "message": "The agent ended in the midst of its work.",
    "hint": "Press Continue to have the assistant go on.",
}
