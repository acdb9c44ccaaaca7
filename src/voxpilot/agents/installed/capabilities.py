"""An agent's capabilities, from its answer to `initialize`.

Lives here: reading capabilities, including old spellings. Lives elsewhere: what
we can do for an agent (requests/sessions.py), using any of it (requests/opening.py, prompts).
"""

from __future__ import annotations

from voxpilot.agents.installed.quirks import starts_tool_servers
from voxpilot.chat.events import Json
from voxpilot.values import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Abilities:
    """The agent is never asked for anything that is not listed here."""

    load: bool = False
    """Repeats a session's whole history and continues it."""
    resume: bool = False
    """Continues a session without repeating it."""
    list: bool = False
    fork: bool = False
    close: bool = False
    delete: bool = False
    directories: bool = False
    """Accepts additional folders."""
    image: bool = False
    audio: bool = False
    embedded: bool = False
    """Accepts whole files inside a prompt."""
    mcp_stdio: bool = True
    mcp_http: bool = False
    mcp_sse: bool = False
    logout: bool = False

    @property
    def restores(self) -> bool:
        return self.load or self.resume


_WORDS = {
    "load": "loads past sessions",
    "resume": "resumes sessions",
    "list": "lists sessions",
    "fork": "forks sessions",
    "close": "closes sessions",
    "delete": "deletes sessions",
    "directories": "works in several folders",
    "image": "accepts images",
    "audio": "accepts audio",
    "embedded": "accepts embedded files",
    "mcp_http": "supports HTTP MCP servers",
    "mcp_sse": "supports SSE MCP servers",
    "logout": "supports signing out",
}


def in_words(abilities: Abilities) -> list[str]:
    """Its capabilities, each in a few words."""
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
    """The agent's name and version."""
    info = _object((initialized or {}).get("agentInfo"))
    name, version = info.get("title") or info.get("name"), info.get("version")
    return (name if isinstance(name, str) else None, version if isinstance(version, str) else None)


def _object(value: object) -> Json:
    return value if isinstance(value, dict) else {}


def _has(where: Json, name: str) -> bool:
    """A marker is `true` or an object; its absence, null and false all mean no."""
    return where.get(name) is True or isinstance(where.get(name), dict)
