"""Restarting a chat's agent at a person's request.

Lives here: the request to end it and to open a new session or the same one. Lives elsewhere: carrying it out
(step/progress.py, processes/session_restore.py).
"""

from __future__ import annotations

import uuid

from voxpilot.chat.events import Json, NoticeGiven
from voxpilot.errors import Invalid
from voxpilot.runtime.processes import stopping
from voxpilot.runtime.shared.stop import stop_process
from voxpilot.storage.chats.ledger import Ledger
from voxpilot.storage.database.rows import Process, Session
from voxpilot.storage.database.states import SessionPhase


def restart(ledger: Ledger, reload: bool, now: float) -> Json:
    """End the agent now and start it again, with its session or with a new one."""
    agent = ledger.chat.agent
    if agent is None:
        raise Invalid("This chat has no agent to restart.", "Choose an agent for this chat.")
    for process in ledger.all(Process):
        if process.agent == agent and reload:
            stop_process(ledger, process, at_once=True)
        elif process.agent == agent:
            stopping.end(ledger, process, now)
    known = [session for session in ledger.all(Session) if session.agent == agent]
    for session in known:
        # A session without any message is not restored; until then the old one may still send updates.
        changes: Json = {} if reload else {"note": None, "prompts": 0}
        ledger.change(session, wanted=True, **changes)
    if not known:
        ledger.save(wanted_session(ledger, agent, now))
    text = (
        "The agent was restarted with its session."
        if reload
        else "The agent was restarted with a new session."
    )
    ledger.emit(NoticeGiven(level="info", code="restarted", text=text), now)
    return {"agent": agent}


def wanted_session(ledger: Ledger, agent: str, now: float, acp_session_id: str = "") -> Session:
    """A session to open without a turn: one from the agent's own history, or a first one."""
    return Session(
        id=uuid.uuid4().hex[:12],
        chat_id=ledger.chat.id,
        agent=agent,
        name="main",
        phase=SessionPhase.CLOSED if acp_session_id else SessionPhase.UNOPENED,
        acp_session_id=acp_session_id,
        cwd=ledger.chat.workspace,
        process_id="",
        created_at=now,
        prompts=1 if acp_session_id else 0,
        unseen=bool(acp_session_id),
        wanted=True,
    )
