"""Changing the agents in the settings file.

Lives here: which fields a person may change, and what is written of them. Of
a known agent only what differs from our own list is written, so that a better
list still helps. Lives elsewhere: the file (settings/), hiding secrets
(hidden.py), the routes (web/agents.py, web/settings.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from voxpilot.agents.catalog import Catalog
from voxpilot.agents.hidden import hide_args, hide_env, reveal_args, reveal_env
from voxpilot.chat.events import Json
from voxpilot.errors import Conflict, Invalid, NotFound
from voxpilot.settings import AgentSettings
from voxpilot.settings.file import new_table, set_values
from voxpilot.settings.live import LiveSettings
from voxpilot.settings.names import AGENT_LIST, agent_fields, snake


def shown(entry: AgentSettings) -> Json:
    """An agent's fields with its secrets hidden."""
    hidden = {"env": hide_env(entry.env), "args": hide_args(entry.args)}
    return {**entry.model_dump(mode="json"), **hidden}


def put_agent(live: LiveSettings, catalog: Catalog, id: str, fields: Mapping[str, Any]) -> None:
    """Change an agent, or add one. What is not given stays as it is."""
    wanted = _wanted(catalog, id, agent_fields(fields))
    default = catalog.default_entry(id)
    if default is None and not wanted.command and not wanted.tcp:
        raise Invalid("An agent needs a command, or an address to connect to.")
    for name in catalog.fixed_fields(id):
        if getattr(wanted, name) != getattr(catalog.get(id).entry, name):
            raise Conflict(f"The environment decides the {name} of {id}.", "Unset VOXPILOT_COPILOT_CLI_PATH.")
    values = _to_write(wanted, default or AgentSettings())
    for name in catalog.fixed_fields(id):
        values.pop(name, None)
    live.edit(lambda document: _write(document, id, values, keep=default is None))


def remove_agent(live: LiveSettings, catalog: Catalog, id: str) -> None:
    """Forget what the person's settings say of an agent: a known one is as it was, another one is gone."""
    catalog.get(id)
    if id not in live.now.agents:
        raise NotFound(f"The settings say nothing about {id!r}.", "A known agent cannot be removed.")
    live.edit(lambda document: _remove(document, id))


def put_agents(live: LiveSettings, catalog: Catalog, wanted: Mapping[str, Mapping[str, Any]]) -> None:
    """Have exactly these: other agents of the person's own are removed, other known ones are as they were."""
    for id, fields in wanted.items():
        put_agent(live, catalog, id, fields)
    for id in [id for id in live.now.agents if id not in wanted]:
        remove_agent(live, catalog, id)


def _wanted(catalog: Catalog, id: str, given: Mapping[str, Any]) -> AgentSettings:
    before = catalog.describe(id).entry
    try:
        wanted = AgentSettings.model_validate({**before.model_dump(), **given})
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "The agent"
        raise Invalid(f"{where}: {first['msg'].removeprefix('Value error, ')}.") from error
    revealed = {
        "env": reveal_env(wanted.env, before.env),
        "args": reveal_args(wanted.args, before.args) if "args" in given else before.args,
    }
    return wanted.model_copy(update=revealed)


def _to_write(wanted: AgentSettings, default: AgentSettings) -> dict[str, Any]:
    """What the file must say: None where it need say nothing."""
    plain, known = wanted.model_dump(mode="json"), default.model_dump(mode="json")
    values = {name: value if value != known[name] else None for name, value in plain.items()}
    differing = {name: value for name, value in wanted.env.items() if default.env.get(name) != value}
    taken_away = {name: "" for name in default.env if name not in wanted.env}
    return {**values, "env": {**differing, **taken_away} or None}


def _write(document: Any, id: str, values: Mapping[str, Any], keep: bool) -> None:
    table = _table_of(document, id)
    _use_our_names(table)
    set_values(table, values)
    if not keep and not [name for name in table if name != "id"]:
        _remove(document, id)


def _table_of(document: Any, id: str) -> Any:
    """The table that counts for an agent; a new one at the end if there is none."""
    if id in document.get("agents", {}):
        return document["agents"][id]
    for entry in _listed(document):
        if entry.get("id") == id:
            return entry
    if "agents" not in document:
        document["agents"] = new_table()
        document["agents"]._is_super_table = True
    document["agents"][id] = new_table()
    return document["agents"][id]


def _remove(document: Any, id: str) -> None:
    if id in document.get("agents", {}):
        del document["agents"][id]
        if not document["agents"]:
            del document["agents"]
    for entry in [entry for entry in _listed(document) if entry.get("id") == id]:
        _listed(document).remove(entry)


def _listed(document: Any) -> Any:
    """The list of agents, whichever way its name is written."""
    return next((document[name] for name in list(document) if snake(name) == AGENT_LIST), [])


def _use_our_names(table: Any) -> None:
    """A field that is about to be written may stand there under another name."""
    for name in [name for name in table if name != "id"]:
        (ours,) = agent_fields({name: None})
        if ours != name:
            table[ours] = table.pop(name)
