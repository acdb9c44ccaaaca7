"""What the scripted agent announces: capabilities, modes, options, sign-in methods."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .options import Options
    from .turn import Session

MODES = ("ask", "plan", "auto")


def capabilities(options: Options) -> dict[str, Any]:
    if "caps-off" in options.faults:
        return {}
    sessions: dict[str, Any] = {"additionalDirectories": {}}
    sessions |= {} if "no-close" in options.faults else {"close": {}}
    if options.store:
        sessions |= {"list": {}, "delete": {}}
        sessions |= {"fork": {}} if options.forks else {}
        sessions |= {} if "no-resume" in options.faults else {"resume": {}}
    return {
        "loadSession": options.store is not None and "no-load" not in options.faults,
        "promptCapabilities": {"image": True, "audio": True, "embeddedContext": True},
        "mcpCapabilities": {"http": True, "sse": True},
        "sessionCapabilities": sessions,
        "auth": {"logout": {}},
    }


def modes(session: Session) -> dict[str, Any]:
    return {
        "currentModeId": session.mode,
        "availableModes": [{"id": mode, "name": mode.capitalize()} for mode in MODES],
    }


def models(session: Session) -> dict[str, Any]:
    """In the form used before there were config options."""
    return {
        "currentModelId": session.model,
        "availableModels": [{"modelId": model, "name": model.capitalize()} for model in session.models],
    }


def config_options(session: Session, client: dict[str, Any]) -> list[dict[str, Any]]:
    """Every option with its current value; the boolean only for a client that supports them."""
    options = [
        _select("mode", "Mode", session.mode, MODES),
        _select("model", "Model", session.model, session.models),
    ]
    if (((client.get("session") or {}).get("configOptions") or {}).get("boolean")) is not None:
        options.append(
            {"id": "verbose", "name": "Verbose", "type": "boolean", "currentValue": bool(session.verbose)}
        )
    return options


def _select(name: str, title: str, current: str, values: tuple[str, ...]) -> dict[str, Any]:
    return {
        "id": name,
        "name": title,
        "category": name,
        "type": "select",
        "currentValue": current,
        "options": [{"value": value, "name": value.capitalize()} for value in values],
    }


def sign_in_methods(client: dict[str, Any]) -> list[dict[str, Any]]:
    methods: list[dict[str, Any]] = [
        {"id": "scripted-login", "name": "Sign in", "description": "Sign in with the scripted account"}
    ]
    if (client.get("auth") or {}).get("terminal"):
        methods.append(
            {"id": "scripted-terminal", "name": "Sign in here", "type": "terminal", "args": ["--login"]}
        )
    return methods
