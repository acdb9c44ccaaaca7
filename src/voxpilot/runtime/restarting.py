"""Restarting a chat's agent because a person wants it.

Lives here: the order to end it and open its session again, new or as it was.
Lives elsewhere: carrying that out (progress.py, restoring.py).
"""

from __future__ import annotations

import uuid

from voxpilot.chat.events import Json, NoticeGiven
from voxpilot.errors import Invalid
from voxpilot.runtime import leaving
from voxpilot.storage.ledger import Ledger
from voxpilot.storage.rows import Process, Session


def restart(ledger: Ledger, reload: bool, now: float) -> Json:
    """End the agent now and start it again, with its session or with a new one."""
    agent = ledger.chat.agent
    if agent is None:
        raise Invalid("This chat has no agent to restart.", "Choose an agent for the chat.")
    for process in ledger.all(Process):
        if process.agent == agent and reload:
            ledger.change(process, state="stopping", force=True)
        elif process.agent == agent:
            leaving.end(ledger, process, now)
    known = [session for session in ledger.all(Session) if session.agent == agent]
    for session in known:
        # One in which nothing was ever said is not brought back; until then the old one may still speak.
        changes: Json = {} if reload else {"note": None, "prompts": 0}
        ledger.change(session, wanted=True, **changes)
    if not known:
        ledger.save(wanted_session(ledger, agent, now))
    text = (
        "The agent is restarted with its session." if reload else "The agent is restarted with a new session."
    )
    ledger.emit(NoticeGiven(level="info", code="restarted", text=text), now)
    return {"agent": agent}


def wanted_session(ledger: Ledger, agent: str, now: float, acp_session_id: str = "") -> Session:
    """A session to be opened for its own sake: one of the agent's own history, or a first one."""
    return Session(
        id=uuid.uuid4().hex[:12],
        chat_id=ledger.chat.id,
        agent=agent,
        name="main",
        acp_session_id=acp_session_id,
        cwd=ledger.chat.workspace,
        process_id="",
        created_at=now,
        prompts=1 if acp_session_id else 0,
        loading="shown" if acp_session_id else None,
        wanted=True,
    )
