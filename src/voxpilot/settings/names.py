"""Other ways to write a setting's name.

Lives here: `acpDefaultAgentId` for `acp_default_agent_id`, and agents as the list `acpAgents` in addition to
the tables `[agents.ID]`. Lives elsewhere: what the settings mean (__init__.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from voxpilot.settings.file import BadSettings

AGENT_LIST = "acp_agents"
_HUMP = re.compile(r"(?<=[a-z0-9])[A-Z]")
_OTHER_AGENT_NAMES = {"port": "tcp"}


def snake(name: str) -> str:
    return _HUMP.sub(lambda hump: f"_{hump[0]}", name).lower()


def written_as(table: Iterable[str], ours: str) -> str:
    """How a setting is spelled in a table of the file; our own spelling if it is not there."""
    return next((name for name in table if snake(name) == ours), ours)


def plain(written: Mapping[str, Any]) -> dict[str, Any]:
    """The settings under our own names. Tables take precedence over the list."""
    values = _renamed(written, "")
    listed = values.pop(AGENT_LIST, [])
    tables = values.get("agents", {})
    if not isinstance(listed, list) or not isinstance(tables, Mapping):
        raise BadSettings("The agents section is invalid.", "Use one [agents.NAME] table per agent.")
    agents = {agent_id(entry): agent_fields(entry) for entry in listed}
    agents |= {name: agent_fields(table) for name, table in tables.items()}
    return values | ({"agents": agents} if agents else {})


def agent_id(entry: object) -> str:
    """The name of an agent in the list."""
    found = entry.get("id") if isinstance(entry, Mapping) else None
    if not isinstance(found, str):
        raise BadSettings(
            "An agent in acpAgents has no id.", 'Give each agent an id, for example id = "copilot".'
        )
    return found


def agent_fields(entry: object) -> dict[str, Any]:
    if not isinstance(entry, Mapping):
        raise BadSettings("The agents section is invalid.", "Use one [agents.NAME] table per agent.")
    fields = _renamed(entry, "agents.")
    fields.pop("id", None)
    return {_OTHER_AGENT_NAMES.get(name, name): value for name, value in fields.items()}


def _renamed(written: Mapping[str, Any], where: str) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name, value in written.items():
        if (ours := snake(name)) in values:
            raise BadSettings(f"The setting {where}{ours} appears twice.", "Remove one of the two.")
        values[ours] = value
    return values
