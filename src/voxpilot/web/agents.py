"""Routes of agents: the list, and changing it.

Lives here: the catalog as JSON, secrets hidden, and a person's changes to it.
Lives elsewhere: the catalog (agents/catalog.py), what a change writes
(agents/editing.py).
"""

from __future__ import annotations

import asyncio
from typing import Any

from fastapi import APIRouter, BackgroundTasks

from voxpilot.agents.abilities import abilities_of, in_words, name_of
from voxpilot.agents.agreed import is_vouched_for
from voxpilot.agents.catalog import Agent, Catalog
from voxpilot.agents.editing import put_agent, remove_agent, shown
from voxpilot.agents.versions import is_enough
from voxpilot.chat.events import Json
from voxpilot.runtime.supervisor import Supervisor
from voxpilot.storage.rows import Sighting
from voxpilot.storage.sightings import sightings
from voxpilot.web.agent_schemas import AgentChange, AgentInfo, AgentList
from voxpilot.web.chats import Sup

router = APIRouter(prefix="/api/agents", tags=["agents"])


@router.get("", response_model=AgentList)
async def list_agents(sup: Sup, background: BackgroundTasks) -> Json:
    """What is known at once; versions that nobody asked for yet are looked up for the next time."""
    house = sup.house
    seen = await sightings(house.db)
    agents, default = await asyncio.to_thread(_look, sup)
    background.add_task(_find_versions, house.catalog, agents)
    problem = house.live.problem
    return {
        "agents": [_described(house.catalog, agent, seen.get(agent.id)) for agent in agents],
        "default": default,
        "settings_problem": problem.message if problem else None,
    }


@router.put("/{agent_id}", response_model=AgentInfo)
async def change(agent_id: str, body: AgentChange, sup: Sup) -> Json:
    """Change an agent or add one. What is not given stays as it is, and so does a secret sent back hidden."""
    house = sup.house
    fields = body.model_dump(exclude_unset=True)
    await asyncio.to_thread(house.live.refresh)
    is_new = agent_id not in {agent.id for agent in house.catalog.all()}
    is_theirs = is_new or is_vouched_for(house.catalog, agent_id)
    await asyncio.to_thread(put_agent, house.live, house.catalog, agent_id, fields)
    if is_theirs:
        await sup.agree_to(agent_id)
    return await _one(sup, agent_id)


@router.delete("/{agent_id}", status_code=204)
async def remove(agent_id: str, sup: Sup) -> None:
    """A known agent is as it was at first; one of the person's own is gone."""
    await asyncio.to_thread(remove_agent, sup.house.live, sup.house.catalog, agent_id)


async def _one(sup: Supervisor, agent_id: str) -> Json:
    seen = await sightings(sup.house.db)
    return _described(sup.house.catalog, sup.house.catalog.get(agent_id), seen.get(agent_id))


def _look(sup: Supervisor) -> tuple[list[Agent], str]:
    """Looks for each program, so it runs off the event loop."""
    sup.house.live.refresh()
    sup.house.catalog.learn_path()
    return sup.house.catalog.all(), sup.house.catalog.default()


def _find_versions(catalog: Catalog, agents: list[Agent]) -> None:
    for known in agents:
        agent = catalog.describe(known.id)  # as it is now, for the one before may have taken its time
        if agent.path and agent.entry.version_args and is_vouched_for(catalog, agent.id):
            catalog.versions.find(agent.path, agent.entry.version_args, agent.env)


def _described(catalog: Catalog, agent: Agent, seen: Sighting | None) -> Json:
    version = catalog.versions.known(agent.path, agent.entry.version_args) if agent.path else None
    told: dict[str, Any] = shown(agent.entry)
    return {
        **told,
        "id": agent.id,
        "display_name": agent.display_name,
        "command": agent.command,
        "found": agent.path,
        "version": version,
        "version_ok": is_enough(version, agent.entry.minimum_version),
        "known": agent.is_known,
        "changed": agent.is_changed,
        "fixed": list(catalog.fixed_fields(agent.id)),
        "seen": _last_seen(seen) if seen else None,
    }


def _last_seen(seen: Sighting) -> Json:
    name, version = name_of(seen.initialized)
    return {
        "name": name,
        "version": version,
        "can": in_words(abilities_of(seen.initialized)),
        "capabilities": seen.initialized.get("agentCapabilities") or {},
        "at": seen.at,
    }
