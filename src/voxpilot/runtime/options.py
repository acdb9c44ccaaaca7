"""A person's choice among what an agent offers: its mode, its model, its other options.

Lives here: whether a choice can be made now. Lives elsewhere: how an agent is
told (agents/choosing.py), what it offers (agents/options.py).
"""

from __future__ import annotations

from voxpilot.agents import choosing
from voxpilot.agents.opening import find_session
from voxpilot.errors import Conflict
from voxpilot.storage.ledger import Ledger
from voxpilot.storage.rows import Process


def choose(ledger: Ledger, session_name: str, option_id: str, value: str | bool, now: float) -> None:
    agent = ledger.chat.agent
    session = find_session(ledger, agent, session_name) if agent else None
    process = ledger.get(Process, session.process_id) if session else None
    if session is None or process is None or process.state != "ready":
        raise Conflict("The agent is not running now.", "Send a message first; then choose again.")
    choosing.set_option(ledger, session, option_id, value, now)
