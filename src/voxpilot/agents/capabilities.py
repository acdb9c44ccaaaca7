"""What an agent told of itself in its handshake, in our words.

Lives here: reading the answer to `initialize` and nothing more. Lives
elsewhere: acting on it (sessions.py).
"""

from __future__ import annotations

from typing import Any

from voxpilot.chat.events import Json

_SESSIONS = {
    "list": "lists its sessions",
    "resume": "resumes sessions without replay",
    "fork": "forks sessions",
    "close": "closes sessions",
    "delete": "deletes sessions",
    "additionalDirectories": "works in further folders",
}
_PROMPTS = {
    "image": "takes images",
    "audio": "takes sound",
    "embeddedContext": "takes files within a message",
}
_MCP = {"http": "uses MCP servers by HTTP", "sse": "uses MCP servers by SSE"}


def agent_name(initialized: Any) -> str | None:
    return _info(initialized, "name")


def agent_version(initialized: Any) -> str | None:
    return _info(initialized, "version")


def in_words(initialized: Any) -> list[str]:
    """What it can do, each in a few words."""
    offered = _table(initialized, "agentCapabilities")
    words = ["loads earlier sessions"] if offered.get("loadSession") is True else []
    prompts = _table(offered, "promptCapabilities")
    if prompts.get("images") and not prompts.get("image"):
        prompts = {**prompts, "image": prompts["images"]}
    words += [text for name, text in _PROMPTS.items() if prompts.get(name)]
    sessions = _table(offered, "sessionCapabilities")
    # An empty object says yes here, so only what is absent, null or false says no.
    words += [text for name, text in _SESSIONS.items() if sessions.get(name) not in (None, False)]
    words += [text for name, text in _MCP.items() if _table(offered, "mcpCapabilities").get(name)]
    methods = sign_in_methods(initialized)
    if methods:
        words.append(f"signs in by {', '.join(methods)}")
    return words


def sign_in_methods(initialized: Any) -> list[str]:
    """The names of the ways to sign in that it offers."""
    methods = initialized.get("authMethods") if isinstance(initialized, dict) else None
    found = methods if isinstance(methods, list) else []
    named = [method for method in found if isinstance(method, dict)]
    return [str(method.get("name") or method.get("id") or "") for method in named]


def offers(initialized: Any, what: str) -> bool:
    """Whether it says that it has one of the optional session methods."""
    sessions = _table(_table(initialized, "agentCapabilities"), "sessionCapabilities")
    return sessions.get(what) not in (None, False)


def _info(initialized: Any, name: str) -> str | None:
    found = _table(initialized, "agentInfo").get(name)
    return found[:200] if isinstance(found, str) and found else None


def _table(holder: Any, name: str) -> Json:
    found = holder.get(name) if isinstance(holder, dict) else None
    return found if isinstance(found, dict) else {}
