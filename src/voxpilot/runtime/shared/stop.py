"""The one way to stop an agent process.

Lives here: setting the state that makes it stop once the step is committed. Lives elsewhere: closing its
sessions first (processes/stopping.py), telling its keeper (live_chat.py), its end (step/progress.py).
"""

from __future__ import annotations

from voxpilot.storage.chats.ledger import Ledger
from voxpilot.storage.database.rows import Process
from voxpilot.storage.database.states import ProcessState


def stop_process(ledger: Ledger, process: Process, *, at_once: bool) -> Process:
    """Stop it: immediately, or by asking it to exit. An immediate stop is never downgraded."""
    current = ledger.get(Process, process.id) or process
    return ledger.change(current, state=ProcessState.STOPPING, force=current.force or at_once)
