"""Changing the agents in the settings file.

Lives here: which fields a person may change, and what is written. For a known agent, only the differences
from our own list are written, so that later improvements of the list still apply. Lives elsewhere: the file
(settings/), hiding secrets (masking.py), the routes (web/routes/agents.py, web/routes/settings.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from pydantic import ValidationError

from voxpilot.errors import Conflict, Invalid, NotFound
from voxpilot.settings import AgentSettings
from voxpilot.settings.file import new_table, set_values
from voxpilot.settings.live import LiveSettings
from voxpilot.settings.masking import hide_args, hide_env, reveal_args, reveal_env
from voxpilot.settings.names import AGENT_LIST, agent_fields, written_as


class Listed(Protocol):
    @property
    def entry(self) -> AgentSettings: ...


class Catalog(Protocol):
    """The list of agents (agents/installed/catalog.py)."""

    def get(self, id: str) -> Listed: ...
    def describe(self, id: str) -> Listed: ...
    def default_entry(self, id: str) -> AgentSettings | None: ...
    def fixed_fields(self, id: str) -> tuple[str, ...]: ...


def shown(entry: AgentSettings) -> dict[str, Any]:
    """An agent's fields with its secrets hidden."""
    hidden = {"env": hide_env(entry.env), "args": hide_args(entry.args)}
    return {**entry.model_dump(mode="json"), **hidden}


def put_agent(
    live: LiveSettings, catalog: Catalog, id: str, fields: Mapping[str, Any], is_consent: bool = True
) -> None:
    """Change an agent, or add one. Omitted fields stay as they are."""
    given = agent_fields(fields)
    wanted, named = _wanted(catalog, id, given), [("agents", id, name) for name in given]
    default = catalog.default_entry(id)
    if default is None and not wanted.command and not wanted.tcp:
        raise Invalid("An agent needs a command, or an address to connect to.")
    for name in catalog.fixed_fields(id):
        if getattr(wanted, name) != getattr(catalog.get(id).entry, name):
            raise Conflict(
                f"The {name} of {id} is set by an environment variable.", "Unset VOXPILOT_COPILOT_CLI_PATH."
            )
    values = _to_write(wanted, default or AgentSettings())
    for name in catalog.fixed_fields(id):
        values.pop(name, None)
    live.edit(lambda document: _write(document, id, values, keep=default is None), is_consent, named)


def remove_agent(live: LiveSettings, catalog: Catalog, id: str, is_consent: bool = True) -> None:
    """Remove an agent's settings: a known agent returns to its defaults, any other one is removed."""
    catalog.get(id)
    if id not in live.now.agents:
        raise NotFound(f"There are no settings for {id!r}.", "A known agent cannot be removed.")
    live.edit(lambda document: _remove(document, id), is_consent)


def set_fields(document: object, id: str, values: Mapping[str, Any]) -> None:
    """Write these fields of an agent into a document; None removes one."""
    _write(document, id, values, keep=False)


def put_agents(
    live: LiveSettings, catalog: Catalog, wanted: Mapping[str, Mapping[str, Any]], is_consent: bool = True
) -> None:
    """Keep exactly these: the person's other agents are removed, other known agents return to their
    defaults."""
    for id, fields in wanted.items():
        put_agent(live, catalog, id, fields, is_consent)
    for id in [id for id in live.now.agents if id not in wanted]:
        remove_agent(live, catalog, id, is_consent)


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
    """The value to write to the file; None if nothing has to be written."""
    plain, known = wanted.model_dump(mode="json"), default.model_dump(mode="json")
    values = {name: value if value != known[name] else None for name, value in plain.items()}
    differing = {name: value for name, value in wanted.env.items() if default.env.get(name) != value}
    taken_away = {name: "" for name in default.env if name not in wanted.env}
    return {**values, "env": {**differing, **taken_away} or None}


def _write(document: object, id: str, values: Mapping[str, Any], keep: bool) -> None:
    table = _table_of(document, id)
    _use_our_names(table)
    set_values(table, values)
    if not keep and not [name for name in table if name != "id"]:
        _remove(document, id)


def _table_of(document: Any, id: str) -> Any:
    """The table in force for an agent; a new one at the end if there is none."""
    agents = written_as(document, "agents")
    if id in document.get(agents, {}):
        return document[agents][id]
    for entry in _listed(document):
        if entry.get("id") == id:
            return entry
    if agents not in document:
        document[agents] = new_table()
        document[agents]._is_super_table = True
    document[agents][id] = new_table()
    return document[agents][id]


def _remove(document: Any, id: str) -> None:
    agents = written_as(document, "agents")
    if id in document.get(agents, {}):
        del document[agents][id]
        if not document[agents]:
            del document[agents]
    for entry in [entry for entry in _listed(document) if entry.get("id") == id]:
        _listed(document).remove(entry)


def _listed(document: Any) -> Any:
    """The list of agents, under either of its names."""
    return document.get(written_as(document, AGENT_LIST), [])


def _use_our_names(table: Any) -> None:
    """A field that is about to be written may be there under another name."""
    for name in [name for name in table if name != "id"]:
        (ours,) = agent_fields({name: None})
        if ours != name:
            table[ours] = table.pop(name)
