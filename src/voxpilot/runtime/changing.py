"""A person changes a chat: its name, and who answers in it.

Lives here: what may be changed and what is told of it; a change counts from the
next message. Lives elsewhere: its folder (moving.py), the policy (policy.py), the agent's own options
(options.py).
"""

from __future__ import annotations

from voxpilot.chat.events import ChatInfoChanged, Json
from voxpilot.errors import Invalid
from voxpilot.storage.ledger import Ledger


def change(ledger: Ledger, now: float, **wished: str | None) -> None:
    """Title, mode or agent; what is None stays as it is."""
    changed: Json = {
        name: value for name, value in wished.items() if value not in (None, getattr(ledger.chat, name))
    }
    after: Json = {"mode": ledger.chat.mode, "agent": ledger.chat.agent, **changed}
    if after["mode"] == "agent" and after["agent"] is None:
        raise Invalid("Agent mode needs an agent.", "Name one of the agents in the list.")
    if changed:
        ledger.change(ledger.chat, **changed)
        ledger.emit(ChatInfoChanged(**changed), now)
