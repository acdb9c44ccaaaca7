"""Stop also ends the command of an agent that stops but leaves its command running.

Lives here: the start time of the oldest command that must not be left behind, and the notice if one was.
Lives elsewhere: finding and ending them, because they are children of the agent
(keeper/program/commands/leftovers.py).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson

from voxpilot.chat.acting import runs_command
from voxpilot.chat.events import Json, NoticeGiven
from voxpilot.storage.chats.ledger import Ledger
from voxpilot.storage.database.rows import Session, Task
from voxpilot.storage.database.states import SessionPhase

if TYPE_CHECKING:
    from voxpilot.chat.shapes import ToolBlock

EARLY_SECONDS = 1.0
"""Some agents report a command only after it has started."""


def to_end(ledger: Ledger, task: Task, session: Session) -> Json | None:
    """What to tell the keeper with the line that stops this task's agent; None if no command is running.

    Nothing is ended while the agent still works in another session: its command could be mistaken for ours.
    """
    calls = ledger.transcript.open_calls(task.turn, task.tool_call_id)
    begun = [ledger.steady_at(call) for call in calls if runs_command(call) and _may_run(ledger, call)]
    others = [s for s in ledger.all(Session) if s.process_id == session.process_id and s.turn != task.turn]
    if not begun or any(other.phase is SessionPhase.PROMPTING for other in others):
        return None
    since = max(min(begun) - EARLY_SECONDS, task.created_at)
    return {"since": since, "about": {"turn": task.turn, "tool_call_id": task.tool_call_id}}


def _may_run(ledger: Ledger, call: ToolBlock) -> bool:
    """A call that needs permission does not run before it is allowed."""
    asked = ledger.transcript.asked_about(call["id"], call.get("tool_call_id"))
    if asked is None or asked.get("turn") != call.get("turn"):
        return True
    outcome = str(asked.get("answer", {}).get("outcome", "cancelled"))
    return outcome not in ("cancelled", "expired") and not outcome.startswith("reject")


def tell(ledger: Ledger, payload: bytes, at: float) -> None:
    """The keeper has ended the commands that the agent left running."""
    told = orjson.loads(payload)
    text = "The agent left a command running when it was stopped. VoxPilot stopped the command."
    if told["left"]:
        text = "The agent left a command running when it was stopped. VoxPilot could not stop it."
    about = {name: value for name, value in told["about"].items() if value is not None}
    notice = NoticeGiven(
        level="warning", code="left-running", text=text, detail="\n".join(told["ended"]), **about
    )
    ledger.emit(notice, at)
