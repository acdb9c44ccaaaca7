"""What an agent says it can do, as it answered `initialize`.

Lives here: reading capabilities, the old spellings too. Lives elsewhere: what
we can do for an agent (sessions.py), using any of it (opening.py, prompts).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from voxpilot.agents.quirks import starts_tool_servers
from voxpilot.chat.events import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Abilities:
    """Nothing that is not here is ever asked of the agent."""

    load: bool = False
    """Repeats a session's whole history and goes on with it."""
    resume: bool = False
    """Goes on with a session without repeating it."""
    list: bool = False
    fork: bool = False
    close: bool = False
    delete: bool = False
    directories: bool = False
    """Takes further folders beside the working one."""
    image: bool = False
    audio: bool = False
    embedded: bool = False
    """Takes whole files inside a prompt."""
    mcp_stdio: bool = True
    mcp_http: bool = False
    mcp_sse: bool = False
    logout: bool = False

    @property
    def restores(self) -> bool:
        return self.load or self.resume


_WORDS = {
    "load": "brings earlier sessions back with their history",
    "resume": "goes on with earlier sessions",
    "list": "lists its sessions",
    "fork": "forks sessions",
    "close": "closes sessions",
    "delete": "deletes sessions",
    "directories": "works in further folders",
    "image": "takes images",
    "audio": "takes sound",
    "embedded": "takes whole files in a message",
    "mcp_http": "uses MCP servers by HTTP",
    "mcp_sse": "uses MCP servers by SSE",
    "logout": "signs out",
}


def in_words(abilities: Abilities) -> list[str]:
    """What it can do, each in a few words."""
    return [words for name, words in _WORDS.items() if getattr(abilities, name)]


def abilities_of(initialized: Json | None) -> Abilities:
    agent = _object((initialized or {}).get("agentCapabilities"))
    sessions = _object(agent.get("sessionCapabilities"))
    prompts = _object(agent.get("promptCapabilities"))
    mcp = _object(agent.get("mcpCapabilities"))
    return Abilities(
        load=agent.get("loadSession") is True,
        resume=_has(sessions, "resume"),
        list=_has(sessions, "list"),
        fork=_has(sessions, "fork"),
        close=_has(sessions, "close"),
        delete=_has(sessions, "delete"),
        directories=_has(sessions, "additionalDirectories"),
        image=_has(prompts, "image") or _has(prompts, "images"),
        audio=_has(prompts, "audio"),
        embedded=_has(prompts, "embeddedContext"),
        mcp_stdio=starts_tool_servers(initialized),
        mcp_http=_has(mcp, "http"),
        mcp_sse=_has(mcp, "sse"),
        logout=_has(_object(agent.get("auth")), "logout"),
    )


def sign_in_methods(initialized: Json | None) -> tuple[Json, ...]:
    methods = (initialized or {}).get("authMethods")
    return tuple(
        method
        for method in (methods if isinstance(methods, list) else ())
        if isinstance(method, dict) and isinstance(method.get("id"), str)
    )


def name_of(initialized: Json | None) -> tuple[str | None, str | None]:
    """What the agent calls itself, and its version."""
    info = _object((initialized or {}).get("agentInfo"))
    name, version = info.get("title") or info.get("name"), info.get("version")
    return (name if isinstance(name, str) else None, version if isinstance(version, str) else None)


def _object(value: Any) -> Json:
    return value if isinstance(value, dict) else {}


def _has(where: Json, name: str) -> bool:
    """A marker is `true` or an object; its absence, null and false all mean no."""
    return where.get(name) is True or isinstance(where.get(name), dict)
