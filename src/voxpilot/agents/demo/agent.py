"""The methods of an ACP agent.

Lives here: the methods a client may call, the open sessions, the turns running in them, and starting and
stopping the program. Lives elsewhere: what a turn says (replies.py), carrying messages (protocol/peer.py).
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable
from contextlib import suppress

from voxpilot import __version__
from voxpilot.agents.demo import choices
from voxpilot.agents.demo.protocol import updates
from voxpilot.agents.demo.protocol.client import Client, TurnCancelled
from voxpilot.agents.demo.protocol.peer import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    NOT_FOUND,
    Json,
    Peer,
    RpcError,
)
from voxpilot.agents.demo.protocol.stdio import lines_in, lines_out
from voxpilot.agents.demo.replies import read_prompt, reply
from voxpilot.agents.demo.session import Session
from voxpilot.agents.demo.store import Store, default_folder, new_session_id
from voxpilot.agents.demo.turn import CONTEXT_TOKENS, Turn

PROTOCOL_VERSION = 1


def main() -> None:
    """Serve a client on standard input and output until it disconnects."""
    with suppress(asyncio.CancelledError, KeyboardInterrupt):
        asyncio.run(_serve())


async def _serve() -> None:
    agent = Agent(Store(default_folder(os.environ)), _speed(), lines_out())
    this = asyncio.current_task()
    assert this is not None
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, this.cancel)
    await agent.peer.serve(lines_in())


def _speed() -> float:
    """The factor by which every pause is multiplied."""
    with suppress(ValueError):
        return max(0.0, float(os.environ.get("VOXPILOT_DEMO_SPEED", "1")))
    return 1.0


class Agent:
    def __init__(self, store: Store, speed: float, write: Callable[[bytes], None]) -> None:
        self._store = store
        self._speed = speed
        self._sessions: dict[str, Session] = {}
        self._turns: dict[str, asyncio.Task[None]] = {}
        """The running turns, by session."""
        self.peer = Peer(
            methods={
                "initialize": self._initialize,
                "session/new": self._new,
                "session/load": self._load,
                "session/resume": self._resume,
                "session/list": self._list,
                "session/close": self._close,
                "session/delete": self._delete,
                "session/prompt": self._prompt,
                "session/set_mode": self._set_mode,
                "session/set_config_option": self._set_config_option,
            },
            notifications={"session/cancel": self._cancel},
            write=write,
        )
        self._client = Client(self.peer)

    async def _initialize(self, params: Json) -> Json:
        capabilities = params.get("clientCapabilities")
        self._client.capabilities = capabilities if isinstance(capabilities, dict) else {}
        return {
            "protocolVersion": PROTOCOL_VERSION,
            "agentInfo": {"name": "voxpilot-demo", "title": "VoxPilot demo agent", "version": __version__},
            "agentCapabilities": {
                "loadSession": True,
                "promptCapabilities": {"image": True, "audio": True, "embeddedContext": True},
                "sessionCapabilities": {"list": {}, "resume": {}, "close": {}, "delete": {}},
            },
            "authMethods": [],
        }

    # Sessions

    async def _new(self, params: Json) -> Json:
        session = Session(id=new_session_id(), cwd=_folder(params))
        self._sessions[session.id] = session
        self._introduce(session)
        return {"sessionId": session.id, **_what_can_be_chosen(session)}

    async def _load(self, params: Json) -> Json:
        """Reopen a session, and send its whole history before the response."""
        session = self._reopen(params)
        for update in session.history:
            self._client.update(session.id, update)
        self._client.update(session.id, updates.title(session.title))
        self._client.update(session.id, updates.usage(session.used_tokens, CONTEXT_TOKENS))
        return _what_can_be_chosen(session)

    async def _resume(self, params: Json) -> Json:
        """Reopen a session for a client that already has its history."""
        return _what_can_be_chosen(self._reopen(params))

    def _reopen(self, params: Json) -> Session:
        session_id = _session_id(params)
        session = self._sessions.get(session_id) or self._store.load(session_id)
        if session is None:
            raise RpcError(NOT_FOUND, f"Unknown session {session_id!r}.")
        session.cwd = _folder(params)
        self._sessions[session_id] = session
        self._introduce(session)
        return session

    def _introduce(self, session: Session) -> None:
        """List the commands, but only after the response that tells the client the session's id."""
        say = self._client.update
        asyncio.get_running_loop().call_soon(say, session.id, choices.available_commands_update())

    async def _list(self, params: Json) -> Json:
        cwd = params.get("cwd")
        return {
            "sessions": [
                {
                    "sessionId": session.id,
                    "cwd": session.cwd,
                    "title": session.title,
                    "updatedAt": session.updated_at,
                }
                for session in self._store.all()
                if cwd in (None, session.cwd)
            ]
        }

    async def _close(self, params: Json) -> Json:
        session_id = _session_id(params)
        if turn := self._turns.get(session_id):
            turn.cancel()
            await asyncio.wait([turn])
        self._sessions.pop(session_id, None)
        return {}

    async def _delete(self, params: Json) -> Json:
        await self._close(params)
        self._store.delete(_session_id(params))
        return {}

    # Turns

    async def _prompt(self, params: Json) -> Json:
        session = self._session(params)
        prompt = read_prompt(params.get("prompt"))
        if session.id in self._turns:
            raise RpcError(INVALID_REQUEST, "This session is still answering the previous prompt.")
        this = asyncio.current_task()
        assert this is not None
        self._turns[session.id] = this
        try:
            await reply(Turn(session, self._client, self._store, self._speed), prompt)
        except (asyncio.CancelledError, TurnCancelled):
            return {"stopReason": "cancelled"}
        finally:
            del self._turns[session.id]
            self._store.save(session)
        return {"stopReason": "end_turn"}

    def _cancel(self, params: Json) -> None:
        if turn := self._turns.get(str(params.get("sessionId"))):
            turn.cancel()

    # Choices

    async def _set_mode(self, params: Json) -> Json:
        """The older way to choose a mode. The config option is updated too."""
        session = self._session(params)
        self._choose(session, "mode", params.get("modeId"))
        self._client.update(session.id, choices.config_option_update(session.settings))
        return {}

    async def _set_config_option(self, params: Json) -> Json:
        session = self._session(params)
        if self._choose(session, params.get("configId"), params.get("value")) == "mode":
            self._client.update(session.id, choices.current_mode_update(session.settings))
        return {"configOptions": choices.config_options(session.settings)}

    def _choose(self, session: Session, config_id: object, value: object) -> str:
        chosen, session.settings[chosen] = choices.check(config_id, value)
        return chosen

    def _session(self, params: Json) -> Session:
        session = self._sessions.get(_session_id(params))
        if session is None:
            raise RpcError(NOT_FOUND, f"Session {params['sessionId']!r} is not open.")
        return session


def _what_can_be_chosen(session: Session) -> Json:
    settings = session.settings
    return {"configOptions": choices.config_options(settings), "modes": choices.older_modes(settings)}


def _session_id(params: Json) -> str:
    session_id = params.get("sessionId")
    if not isinstance(session_id, str):
        raise RpcError(INVALID_PARAMS, "sessionId must be a string.")
    return session_id


def _folder(params: Json) -> str:
    cwd = params.get("cwd")
    if not isinstance(cwd, str) or not os.path.isabs(cwd) or not os.path.isdir(cwd):
        raise RpcError(INVALID_PARAMS, f"cwd must be the absolute path of a folder, but it is {cwd!r}.")
    return cwd
