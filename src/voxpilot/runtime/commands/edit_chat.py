"""A person changes a chat: its name, and who answers in it.

Lives here: what may be changed and what is reported; a change applies from the
next message. Lives elsewhere: what another agent is told (turns/handover.py), the chat's folder
(move_chat.py), the policy (step/policy.py), the agent's own options (choose_option.py).
"""

from __future__ import annotations

from voxpilot.agents.requests.opening import find_session
from voxpilot.agents.updates.options import COMMANDS, options_of
from voxpilot.chat.events import ChatInfoChanged, CommandsChanged, Json, OptionsChanged, UsageReported
from voxpilot.chat.permissions.decide import default_policy
from voxpilot.errors import Invalid
from voxpilot.runtime.step import policy
from voxpilot.runtime.turns import handover, turn
from voxpilot.storage.chats.ledger import Ledger

MAIN = "main"
"""The session in which people talk to an agent themselves."""


def check(ledger: Ledger, mode: str | None, agent: str | None) -> None:
    """Refuse an invalid request before anything is changed."""
    if (mode or ledger.chat.mode) == "agent" and (agent or ledger.chat.agent) is None:
        raise Invalid("Agent mode needs an agent.", "Choose an agent from the list.")


def change(ledger: Ledger, now: float, title: str | None, mode: str | None, agent: str | None) -> None:
    """Fields that are None stay as they are. Switching to agent mode sets the policy to ask."""
    wished = {"title": title, "mode": mode, "agent": agent}
    changed: Json = {
        name: value for name, value in wished.items() if value not in (None, getattr(ledger.chat, name))
    }
    before = handover.answerer(ledger.chat)
    if changed:
        ledger.change(ledger.chat, **changed)
        ledger.emit(ChatInfoChanged(**changed), now)
    if handover.answerer(ledger.chat) != before:
        handover.offer(ledger, now)
        turn.tell_who_gets(ledger, now)
    if "agent" in changed:
        _tell_of_agent(ledger, changed["agent"], now)
    if "mode" in changed and default_policy(changed["mode"]) == "ask":
        policy.change(ledger, "ask", now)


def _tell_of_agent(ledger: Ledger, agent: str, now: float) -> None:
    """Replace what was shown about the previous agent."""
    head, session = ledger.transcript.head, find_session(ledger, agent, MAIN)
    offered = (session.options if session else None) or {}
    if offered or head["options"].get(MAIN):
        ledger.emit(OptionsChanged(options=options_of(offered), session_name=MAIN), now)
    if offered.get(COMMANDS) or head["commands"].get(MAIN):
        commands = tuple(offered.get(COMMANDS) or ())
        ledger.emit(CommandsChanged(commands=commands, session_name=MAIN), now)
    if head["usage"].get(MAIN):
        ledger.emit(UsageReported(usage={}, session_name=MAIN), now)
