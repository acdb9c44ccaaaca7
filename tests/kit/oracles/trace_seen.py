"""What is shown of a conversation at its end, in a format for comparing two of them.

Lives elsewhere: reading it from raw frames (trace_oracle.py), from our fold (trace_shown.py).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]


@dataclass
class Turn:
    said: str
    flow: list[Json] = field(default_factory=list)
    stop: str | None = None
    stopped_by_us: bool = False


@dataclass
class Seen:
    """Everything shown at the end."""

    turns: list[Turn] = field(default_factory=list)
    outside: list[Json] = field(default_factory=list)
    options: dict[str, list[Json]] = field(default_factory=dict)
    commands: dict[str, list[Json]] = field(default_factory=dict)
    usage: dict[str, Json] = field(default_factory=dict)
    title: str | None = None

    def plain(self) -> Json:
        """As JSON, for comparing and for reading differences."""
        return {
            "turns": [{"said": t.said, "stop": t.stop, "flow": t.flow} for t in self.turns],
            "outside": self.outside,
            "options": self.options,
            "commands": self.commands,
            "usage": self.usage,
            "title": self.title,
        }


def choices(offers: Json) -> list[Json]:
    """All options in one list: config options, or else the older models and modes."""
    config = [o for o in offers.get("configOptions") or [] if o["type"] in ("select", "boolean")]
    view = [
        {"id": o["id"], "current": o["currentValue"], "values": _values(o.get("options") or [])}
        for o in config
    ]
    models, modes = offers.get("models"), offers.get("modes")
    if models and not any(o.get("category") == "model" for o in config):
        values = [model["modelId"] for model in models["availableModels"]]
        view.append({"id": "model", "current": models["currentModelId"], "values": values})
    if modes and modes.get("availableModes") is not None and not config:
        values = [mode["id"] for mode in modes["availableModes"]]
        view.append({"id": "mode", "current": modes["currentModeId"], "values": values})
    return view


def _values(options: list[Json]) -> list[Any]:
    flat: list[Any] = []
    for option in options:
        flat += _values(option["options"]) if "options" in option else [option["value"]]
    return flat
