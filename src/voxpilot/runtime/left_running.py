"""Stop means stop: also for the command of an agent that stops but leaves its command running.

Lives here: since when the commands run that an agent must not leave behind, and
what is told when it did. Lives elsewhere: finding and ending them, for they are
children of the agent (keeper/program/leftovers.py).
"""

from __future__ import annotations

import orjson

from voxpilot.chat.events import Json, NoticeGiven
from voxpilot.chat.permissions import runs_command
from voxpilot.storage.ledger import Ledger
from voxpilot.storage.rows import Session, Task

EARLY_SECONDS = 1.0
"""Some agents tell of a command only once it runs."""


def to_end(ledger: Ledger, task: Task, session: Session) -> Json | None:
    """What to tell the keeper with the word that has this task's agent stop; None if no command runs.

    Nor is anything ended while the agent works on in another session: its command could be taken for ours.
    """
    calls = ledger.transcript.open_calls(task.turn, task.tool_call_id)
    begun = [call["at"] for call in calls if runs_command(call) and _may_run(ledger, call)]
    others = [s for s in ledger.all(Session) if s.process_id == session.process_id and s.turn != task.turn]
    if not begun or any(other.prompting for other in others):
        return None
    since = max(min(begun) - EARLY_SECONDS, task.created_at)
    return {"since": since, "about": {"turn": task.turn, "tool_call_id": task.tool_call_id}}


def _may_run(ledger: Ledger, call: Json) -> bool:
    """A call that was asked about does not run before it is allowed."""
    asked = ledger.transcript.asked_about(call["id"], call.get("tool_call_id"))
    if asked is None or asked.get("turn") != call.get("turn"):
        return True
    outcome = str(asked.get("answer", {}).get("outcome", "cancelled"))
    return outcome not in ("cancelled", "expired") and not outcome.startswith("reject")


def tell(ledger: Ledger, payload: bytes, at: float) -> None:
    """The keeper has ended what the agent left."""
    told = orjson.loads(payload)
    text = "The agent left a command running when it was stopped. VoxPilot has ended it."
    if told["left"]:
        text = "The agent left a command running when it was stopped, and it could not be ended."
    about = {name: value for name, value in told["about"].items() if value is not None}
    notice = NoticeGiven(
        level="warning", code="left-running", text=text, detail="\n".join(told["ended"]), **about
    )
    ledger.emit(notice, at)
