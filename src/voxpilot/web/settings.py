"""Routes of the settings.

Lives here: the settings as JSON, and changes to the file. Lives elsewhere: the
file and what counts (settings/), agents (agents/editing.py).
"""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Body

from voxpilot.agents.agreed import is_agreed
from voxpilot.agents.catalog import Catalog
from voxpilot.agents.editing import put_agents, shown
from voxpilot.assistant.providers import goes_elsewhere
from voxpilot.chat.events import Json
from voxpilot.errors import Conflict, Invalid
from voxpilot.runtime.house import House
from voxpilot.settings import Settings
from voxpilot.settings.file import new_table, set_values
from voxpilot.settings.live import FIXED, LiveSettings
from voxpilot.settings.names import AGENT_LIST, agent_id, snake
from voxpilot.web.chats import Sup
from voxpilot.web.schemas import Anything, SettingsInfo, SettingsValues

_ONLY_IN_FILE = FIXED | {"mcp_servers"}

router = APIRouter(prefix="/api/settings", tags=["settings"])


@router.get("", response_model=SettingsInfo)
async def read(sup: Sup) -> Json:
    await asyncio.to_thread(sup.house.live.refresh)
    return _described(sup.house)


@router.put("", response_model=SettingsInfo)
async def change(body: Annotated[Anything, Body()], sup: Sup) -> Json:
    """Change the settings named, under either of their names; null is the default again."""
    catalog = sup.house.catalog
    await asyncio.to_thread(sup.house.live.refresh)
    agreed = {agent.id for agent in catalog.all() if is_agreed(catalog, agent.id)}
    await asyncio.to_thread(_change, sup.house.live, catalog, body)
    for agent in catalog.all():
        if agent.id in agreed and not is_agreed(catalog, agent.id):
            await sup.agree_to(agent.id)
    return _described(sup.house)


def _change(live: LiveSettings, catalog: Catalog, wanted: Json) -> None:
    values = {snake(name): value for name, value in wanted.items()}
    agents = values.pop(AGENT_LIST, None)
    for name in values:
        _check(live, name)
    live.edit(lambda document: _write(document, values))
    if agents is not None:
        if not isinstance(agents, list):
            raise Invalid("acpAgents must be a list of agents.")
        put_agents(live, catalog, {agent_id(entry): entry for entry in agents})


def _check(live: LiveSettings, name: str) -> None:
    if name == "agents" or name not in Settings.model_fields:
        raise Invalid(f"There is no setting {name}.", "Agents have a route of their own.")
    if name in live.decided_elsewhere:
        raise Conflict(f"The environment decides {name}.", f"Unset VOXPILOT_{name.upper()} first.")
    if name in _ONLY_IN_FILE:
        raise Invalid(f"{name} cannot be changed from here.", f"Change it in {live.path}.")


def _write(document: Any, values: Json) -> None:
    """Under the name it has in the file, if it is there."""
    tables = {
        name: value for name, value in values.items() if name == "assistant" and isinstance(value, dict)
    }
    _set(document, {name: value for name, value in values.items() if name not in tables})
    for name, value in tables.items():
        if name not in document:
            document[name] = new_table()
        _set(document[name], _assistant(document[name], value))


def _set(table: Any, values: Json) -> None:
    names = {snake(name): name for name in table}
    set_values(table, {names.get(name, name): value for name, value in values.items()})


def _assistant(written: Any, wanted: Json) -> Json:
    """What is not named stays, and so does a key given as it is shown; another provider begins afresh.

    A key is for one provider at one address, and is sent to no other.
    """
    now = {snake(name): value for name, value in written.items()}
    values = {snake(name): value for name, value in wanted.items()}
    key = values.get("api_key")
    if isinstance(key, str) and key and not key.strip("*"):
        del values["api_key"]
    if values.get("provider", now.get("provider")) != now.get("provider"):
        values = {"model": None, "base_url": None, "api_key": None, **values}
    elif goes_elsewhere(now, values):
        values = {"api_key": None, **values}
    return values


def _described(house: House) -> Json:
    live, now = house.live, house.live.now
    values = now.model_dump(mode="json", exclude={"agents", "mcp_servers"})
    values["mcp_servers"] = list(now.mcp_servers)
    for name in SettingsValues.model_fields:
        if name not in values and (ours := snake(name)) in values:
            values[name] = values.pop(ours)
    return {
        "values": {**values, "acpAgents": [_listed(id, house) for id in _ids(house.catalog)]},
        "path": str(live.path),
        "problem": live.problem.message if live.problem else None,
        "decided_elsewhere": sorted(live.decided_elsewhere),
        "only_in_file": sorted(_ONLY_IN_FILE),
        "waiting": list(live.waiting),
    }


def _ids(catalog: Catalog) -> list[str]:
    return [agent.id for agent in catalog.all()]


def _listed(id: str, house: House) -> Json:
    agent = house.catalog.get(id)
    fields = shown(agent.entry)
    return {
        "id": id,
        "displayName": agent.display_name,
        **{name: fields[name] for name in ("command", "args", "env")},
    }
