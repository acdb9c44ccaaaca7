"""What a person can choose: a model, a mode, a command.

Lives here: the choices, in the protocol's format. Modes are offered twice: as a config option, and in the
older form for clients that support only that. Lives elsewhere: what a choice changes (turn.py, voices.py,
replies.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from voxpilot.agents.demo.protocol.peer import INVALID_PARAMS, Json, RpcError


@dataclass(frozen=True, slots=True)
class Choice:
    value: str
    name: str
    description: str


MODELS = (
    Choice("demo-plain", "Demo Plain", "Explains its work in a few words."),
    Choice("demo-cheerful", "Demo Cheerful", "Does the same work, with more enthusiasm."),
)
MODES = (
    Choice("ask", "Ask", "Asks before changing files or running commands."),
    Choice("auto", "Auto", "Never asks for permission."),
)
SETTINGS = {"model": ("Model", MODELS), "mode": ("Mode", MODES)}
"""The config options by id; each id is also the option's category."""

COMMANDS = {
    "tour": "Show the tour again",
    "slow": "Talk for a minute, so you can try Stop or reload the page",
    "error": "Fail, to show how an error looks",
}


def defaults() -> dict[str, str]:
    return {id: choices[0].value for id, (_, choices) in SETTINGS.items()}


def check(config_id: object, value: object) -> tuple[str, str]:
    """Both arguments, if this is a valid choice."""
    if isinstance(config_id, str) and config_id in SETTINGS:
        for choice in SETTINGS[config_id][1]:
            if choice.value == value:
                return config_id, choice.value
    raise RpcError(INVALID_PARAMS, f"Unknown value {value!r} for {config_id!r}.")


def config_options(settings: Mapping[str, str]) -> list[Json]:
    return [
        {
            "id": id,
            "name": name,
            "category": id,
            "type": "select",
            "currentValue": settings[id],
            "options": [
                {"value": choice.value, "name": choice.name, "description": choice.description}
                for choice in choices
            ],
        }
        for id, (name, choices) in SETTINGS.items()
    ]


def older_modes(settings: Mapping[str, str]) -> Json:
    modes = [{"id": mode.value, "name": mode.name, "description": mode.description} for mode in MODES]
    return {"currentModeId": settings["mode"], "availableModes": modes}


def config_option_update(settings: Mapping[str, str]) -> Json:
    return {"sessionUpdate": "config_option_update", "configOptions": config_options(settings)}


def current_mode_update(settings: Mapping[str, str]) -> Json:
    return {"sessionUpdate": "current_mode_update", "currentModeId": settings["mode"]}


def available_commands_update() -> Json:
    commands = [{"name": name, "description": description} for name, description in COMMANDS.items()]
    return {"sessionUpdate": "available_commands_update", "availableCommands": commands}
