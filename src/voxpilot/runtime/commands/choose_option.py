"""A person chooses one of an agent's options: its mode, its model or another one.

Lives here: whether a choice can be made now. Lives elsewhere: how an agent is
told (agents/requests/choosing.py), what it offers (agents/updates/options.py).
"""

from __future__ import annotations

from voxpilot.agents.requests import choosing
from voxpilot.agents.requests.opening import find_session
from voxpilot.agents.updates.options import options_of
from voxpilot.errors import Conflict
from voxpilot.storage.chats.ledger import Ledger
from voxpilot.storage.database.rows import Process
from voxpilot.storage.database.states import ProcessState


def choose(ledger: Ledger, session_name: str, option_id: str, value: str | bool, now: float) -> None:
    agent = ledger.chat.agent
    session = find_session(ledger, agent, session_name) if agent else None
    process = ledger.get(Process, session.process_id) if session else None
    if session is None or process is None or process.state is not ProcessState.READY:
        raise Conflict("The agent is not running.", "Send a message first, then choose again.")
    choosing.set_option(ledger, session, option_id, value, now)


def category_of(ledger: Ledger, session_name: str, option_id: str) -> str | None:
    """The agent's category of an option; None if the agent does not offer it."""
    agent = ledger.chat.agent
    session = find_session(ledger, agent, session_name) if agent else None
    offered = options_of(session.options or {}) if session else ()
    return next((str(option["category"]) for option in offered if option["id"] == option_id), None)
