"""Routes for the settings.

Lives here: the settings as JSON, and changes to the file. Lives elsewhere: the file and the settings in force
(settings/), agents (settings/agent_editing.py).
"""

from __future__ import annotations

import asyncio
from typing import Any

from pydantic import BaseModel, SecretStr
from pydantic_core import to_jsonable_python

from voxpilot.agents.installed.approved_commands import as_agreed, is_agreed
from voxpilot.agents.installed.catalog import Catalog
from voxpilot.assistant.providers import goes_elsewhere
from voxpilot.chat.events import Json
from voxpilot.errors import Conflict, Invalid
from voxpilot.runtime.shared.services import Services
from voxpilot.settings import AgentSettings, AssistantSettings, Settings
from voxpilot.settings.agent_editing import put_agents, set_fields, shown
from voxpilot.settings.consent import NOT_GIVEN, Change, fingerprint
from voxpilot.settings.file import new_table, set_values
from voxpilot.settings.live import FIXED, LiveSettings
from voxpilot.settings.names import AGENT_LIST, agent_id, snake, written_as
from voxpilot.storage.database.rows import AgreedCommand
from voxpilot.web.door.loosening import Allowed
from voxpilot.web.routes.chats import Sup
from voxpilot.web.routing.router import Router
from voxpilot.web.schemas.bodies import Anything, PendingDecision, SettingsInfo, SettingsValues

_ONLY_IN_FILE = FIXED | {"mcp_servers"}

router = Router("/api/settings", "settings")


@router.get("", model=SettingsInfo)
async def read(sup: Sup) -> Json:
    await asyncio.to_thread(sup.services.live.refresh)
    return _described(sup.services)


@router.put("", model=SettingsInfo)
async def change(body: Anything, sup: Sup, limits: Allowed) -> Json:
    """Change settings, under either of their names; null restores the default.

    A script's change is written to the file; if it loosens security, it waits there for a person.
    """
    may_loosen = limits.may_loosen
    others = await asyncio.to_thread(_change_and_compare, sup.services, body, may_loosen)
    for agreed in others if may_loosen else ():
        await sup.accepting.agree_to(agreed)
    await sup.accepting.keep()
    if not may_loosen and (others or _is_held(sup.services.live, body)):
        raise limits.refusal("loosen this setting", "Review the change in the browser under Settings.")
    return _described(sup.services)


@router.post("/pending", model=SettingsInfo)
async def decide(body: PendingDecision, sup: Sup, limits: Allowed) -> Json:
    """Accept the changes made to the file, or write the values in force back to it; 409 if it has changed
    since."""
    limits.check("accept or discard changes to the settings file")
    live = sup.services.live
    if body.accept:
        await asyncio.to_thread(live.accept, body.fingerprint)
    else:
        await asyncio.to_thread(live.reject, body.fingerprint, _write_back)
    await sup.accepting.keep()
    return _described(sup.services)


def _change_and_compare(services: Services, wanted: Json, is_consent: bool) -> list[AgreedCommand]:
    """Change the settings; returns new approvals for agents whose approved command it changes."""
    live, catalog = services.live, services.catalog
    with live.unchanged():
        live.refresh()
        doubtful = {agent.id for agent in catalog.all() if not is_agreed(catalog, agent.id)}
        _change(live, catalog, wanted, is_consent)
        left = [agent.id for agent in catalog.all() if not is_agreed(catalog, agent.id)]
        return [as_agreed(catalog, id, services.clock.now()) for id in left if id not in doubtful]


def _is_held(live: LiveSettings, wanted: Json) -> bool:
    """Whether any of these changes waits for a person."""
    names = {snake(name) for name in wanted}
    return any(
        change.where[0] in names or (change.where[0] == "agents" and AGENT_LIST in names)
        for change in live.pending
    )


def _write_back(document: Any, changes: tuple[Change, ...]) -> None:
    """Write the values from before these changes back to the file."""
    for change in changes:
        value = _to_write(change)
        match change.where:
            case ("agents", agent, field):
                set_fields(document, agent, {field: value})
            case ("assistant", field):
                _set(_table(document, "assistant"), {field: value})
            case (name,):
                _set(document, {name: value})


def _to_write(change: Change) -> Any:
    """The previous value as written in the file; None if it was not set."""
    models: dict[str, type[BaseModel]] = {"agents": AgentSettings, "assistant": AssistantSettings}
    before = change.before
    usual = models.get(change.where[0], Settings).model_fields[change.where[-1]].default
    if before in (usual, NOT_GIVEN):
        return None
    if isinstance(before, SecretStr):
        return before.get_secret_value()
    return to_jsonable_python(before)


def _change(live: LiveSettings, catalog: Catalog, wanted: Json, is_consent: bool) -> None:
    values = {snake(name): value for name, value in wanted.items()}
    agents = values.pop(AGENT_LIST, None)
    for name in values:
        _check(live, name)
    in_force = live.now.assistant.model_dump()
    live.edit(lambda document: _write(document, values, in_force), is_consent, _named(values))
    if agents is not None:
        if not isinstance(agents, list):
            raise Invalid("acpAgents must be a list of agents.")
        put_agents(live, catalog, {agent_id(entry): entry for entry in agents}, is_consent)


def _named(values: Json) -> list[tuple[str, ...]]:
    assistant = values.get("assistant")
    inner = [("assistant", snake(name)) for name in assistant] if isinstance(assistant, dict) else []
    return [*((name,) for name in values), *inner]


def _check(live: LiveSettings, name: str) -> None:
    if name == "agents" or name not in Settings.model_fields:
        raise Invalid(f"Unknown setting: {name}.", "Use /api/agents to change agents.")
    if name in live.decided_elsewhere:
        raise Conflict(f"{name} is set by an environment variable.", f"Unset VOXPILOT_{name.upper()} first.")
    if name in _ONLY_IN_FILE:
        raise Invalid(f"{name} cannot be changed here.", f"Change it in {live.path}.")


def _write(document: Any, values: Json, in_force: Json) -> None:
    """The spelling used in the file, if the setting is there."""
    tables = {
        name: value for name, value in values.items() if name == "assistant" and isinstance(value, dict)
    }
    _set(document, {name: value for name, value in values.items() if name not in tables})
    for ours, value in tables.items():
        _set(_table(document, ours), _assistant(in_force, value))


def _table(document: Any, ours: str) -> Any:
    """A table of the file, under the spelling used there; a new one if there is none."""
    if (name := written_as(document, ours)) not in document:
        document[name] = new_table()
    return document[name]


def _set(table: Any, values: Json) -> None:
    names = {snake(name): name for name in table}
    set_values(table, {names.get(name, name): value for name, value in values.items()})


def _assistant(in_force: Json, wanted: Json) -> Json:
    """Omitted fields stay, and so does a key sent back masked; choosing another provider clears the rest.

    A key belongs to one provider at one address, and is sent to no other. Values in the file that are not in
    force yet are ignored here.
    """
    values = {snake(name): value for name, value in wanted.items()}
    key = values.get("api_key")
    if isinstance(key, str) and key and not key.strip("*"):
        del values["api_key"]
    if (values.get("provider", in_force["provider"]) or "") != in_force["provider"]:
        values = {"model": None, "base_url": None, "api_key": None, **values}
    elif goes_elsewhere(in_force, values):
        values = {"api_key": None, **values}
    return values


def _described(services: Services) -> Json:
    live, now = services.live, services.live.now
    values = now.model_dump(mode="json", exclude={"agents", "mcp_servers"})
    values["mcp_servers"] = list(now.mcp_servers)
    for name in SettingsValues.model_fields:
        if name not in values and (ours := snake(name)) in values:
            values[name] = values.pop(ours)
    return {
        "values": {**values, "acpAgents": [_listed(id, services) for id in _ids(services.catalog)]},
        "path": str(live.path),
        "problem": live.problem.message if live.problem else None,
        "decided_elsewhere": sorted(live.decided_elsewhere),
        "only_in_file": sorted(_ONLY_IN_FILE),
        "waiting": list(live.waiting),
        "pending": _pending(live.pending),
    }


def _pending(changes: tuple[Change, ...]) -> Json | None:
    if not changes:
        return None
    shown = [(change.name, *change.in_words()) for change in changes]
    return {
        "fingerprint": fingerprint(changes),
        "changes": [{"name": name, "before": before, "after": after} for name, before, after in shown],
    }


def _ids(catalog: Catalog) -> list[str]:
    return [agent.id for agent in catalog.all()]


def _listed(id: str, services: Services) -> Json:
    agent = services.catalog.get(id)
    fields = shown(agent.entry)
    return {
        "id": id,
        "displayName": agent.display_name,
        **{name: fields[name] for name in ("command", "args", "env")},
    }
