"""Opening an agent's sessions: new ones, and those of an earlier process.

Lives here: the requests that open, find and restore sessions, and reading their answers. Lives elsewhere:
which of them to send (runtime/processes/session_restore.py), the history that an agent repeats
(updates/replay.py).
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping

from voxpilot.agents.installed.capabilities import Abilities
from voxpilot.agents.installed.failures import AgentRefused
from voxpilot.agents.requests.dialogue import ask, pass_over_early, welcome
from voxpilot.agents.updates import replay
from voxpilot.agents.updates.comparing import other_name
from voxpilot.agents.updates.options import COMMANDS, offered_in
from voxpilot.agents.updates.translate import LONGEST_TITLE, change_options
from voxpilot.chat.events import Json
from voxpilot.settings import McpServer
from voxpilot.storage.chats.ledger import Ledger
from voxpilot.storage.database.request_rows import Purpose, Request
from voxpilot.storage.database.rows import Process, Session
from voxpilot.storage.database.states import SessionPhase
from voxpilot.storage.database.subjects import OpenSession

_METHODS = {Purpose.LOAD: "session/load", Purpose.RESUME: "session/resume"}


def find_session(ledger: Ledger, agent: str, name: str) -> Session | None:
    for session in ledger.all(Session):
        if session.agent == agent and session.name == name:
            return session
    return None


def no_longer_wanted(ledger: Ledger, agent: str) -> None:
    """Opening a session without a turn failed; it is not retried automatically."""
    for session in ledger.all(Session):
        if session.agent == agent and session.wanted:
            ledger.change(session, wanted=False)


def open_new(ledger: Ledger, process: Process, name: str, place: Json, at: float) -> None:
    ask(ledger, process.id, "session/new", place, at, OpenSession(session_name=name))


def look_up(
    ledger: Ledger, process: Process, session: Session, at: float, cursor: str | None = None, page: int = 1
) -> None:
    """Ask whether the agent still has a session."""
    params: Json = {"cwd": session.cwd} if session.cwd else {}
    if cursor is not None:
        params["cursor"] = cursor
    ask(ledger, process.id, "session/list", params, at, OpenSession(session_name=session.name, page=page))


def bring_back(
    ledger: Ledger, process: Process, session: Session, how: Purpose, place: Json, at: float
) -> None:
    """Ask for a session of an earlier process: load or resume it. The agent may repeat its history."""
    params = {"sessionId": session.acp_session_id, **place, "cwd": session.cwd or place["cwd"]}
    ledger.change(session, phase=SessionPhase.RESTORING, process_id=process.id, replay=None)
    ask(ledger, process.id, _METHODS[how], params, at, OpenSession(session_name=session.name))


def place_of(ledger: Ledger, able: Abilities, servers: Mapping[str, McpServer]) -> Json:
    """Where a session works and what it may use: the chat's folders, the person's MCP servers."""
    place: Json = {"cwd": ledger.chat.workspace, "mcpServers": _servers(able, servers)}
    if able.directories and ledger.chat.directories:
        place["additionalDirectories"] = list(ledger.chat.directories)
    return place


def left_out(able: Abilities, servers: Mapping[str, McpServer]) -> list[str]:
    """The names of those MCP servers that this agent will not use."""
    return [name for name, server in servers.items() if not _can_use(able, server)]


def listed(result: object, session: Session) -> bool:
    return any(found.get("sessionId") == session.acp_session_id for found in sessions_in(result))


def sessions_in(result: object) -> list[Json]:
    """The sessions on one page of an agent's list."""
    given = result.get("sessions") if isinstance(result, dict) else None
    return [entry for entry in given if isinstance(entry, dict)] if isinstance(given, list) else []


def title_in(entry: Json) -> str | None:
    """The title that an agent gives to a session."""
    title = entry.get("title")
    return title[:LONGEST_TITLE] if isinstance(title, str) and title else None


def keep_title(ledger: Ledger, session: Session, result: object) -> None:
    """The title of this session on a page of the agent's list."""
    for entry in sessions_in(result):
        if entry.get("sessionId") == session.acp_session_id and (title := title_in(entry)) is not None:
            ledger.change(session, title=title)


def next_page(result: object) -> str | None:
    cursor = result.get("nextCursor") if isinstance(result, dict) else None
    return cursor if isinstance(cursor, str) and cursor else None


def opened(ledger: Ledger, process: Process, request: Request, result: object, at: float) -> Session:
    """Store the session that the agent has opened, before anything is sent to it."""
    name = request.about(OpenSession).session_name
    before = find_session(ledger, process.agent, name)
    if request.purpose is Purpose.OPEN:
        session = _new(ledger, process, name, before, _id_in(result), at)
    else:
        assert before is not None
        replay.finish(ledger, before, at)
        session = ledger.change(
            before,
            phase=SessionPhase.IDLE,
            process_id=process.id,
            unseen=False,
            replay=None,
            wanted=False,
        )
        if (other := other_name(session, result)) is not None:
            session = ledger.change(session, acp_session_id=other)
            if not before.unseen:  # what it repeated under that id is in the chat already
                pass_over_early(ledger, session)
    kept = {name: value for name, value in (session.options or {}).items() if name == COMMANDS}
    offered = offered_in(result)
    if offered or (request.purpose is Purpose.OPEN and ledger.transcript.head["options"].get(name)):
        change_options(ledger, session, {**kept, **offered}, at)
    welcome(ledger, session, at)
    return ledger.get(Session, session.id) or session


def _new(
    ledger: Ledger, process: Process, name: str, before: Session | None, acp_session_id: str, at: float
) -> Session:
    return ledger.save(
        Session(
            id=before.id if before else uuid.uuid4().hex[:12],
            chat_id=ledger.chat.id,
            agent=process.agent,
            name=name,
            phase=SessionPhase.IDLE,
            acp_session_id=acp_session_id,
            cwd=ledger.chat.workspace,
            process_id=process.id,
            created_at=at,
            messages=before.messages if before else 0,
            note=before.note if before else None,
            model=before.model if before else None,
        )
    )


def _id_in(result: object) -> str:
    given = result.get("sessionId") if isinstance(result, dict) else None
    if not isinstance(given, str) or not given:
        raise AgentRefused("The agent opened a session without an id.", "Restart the agent.")
    return given


def _servers(able: Abilities, servers: Mapping[str, McpServer]) -> list[Json]:
    """Servers of the kinds that the agent supports, and all programs: an agent that drops those may support
    them later."""
    return [_server(name, s) for name, s in servers.items() if s.type == "stdio" or _can_use(able, s)]


def _can_use(able: Abilities, server: McpServer) -> bool:
    return {"stdio": able.mcp_stdio, "http": able.mcp_http, "sse": able.mcp_sse}[server.type]


def _server(name: str, server: McpServer) -> Json:
    if server.type == "stdio":
        return {"name": name, "command": server.command, "args": list(server.args), "env": _pairs(server.env)}
    return {"type": server.type, "name": name, "url": server.url, "headers": _pairs(server.headers)}


def _pairs(values: Mapping[str, str]) -> list[Json]:
    return [{"name": name, "value": value} for name, value in values.items()]
