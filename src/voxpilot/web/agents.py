"""The route that lists agents.

Lives here: the catalog as JSON. Lives elsewhere: the catalog (agents/catalog.py).
"""

from __future__ import annotations

from fastapi import APIRouter

from voxpilot.chat.events import Json
from voxpilot.web.chats import Sup
from voxpilot.web.schemas import AgentList

router = APIRouter(prefix="/api/agents", tags=["agents"])


@router.get("", response_model=AgentList)
def list_agents(sup: Sup) -> Json:
    """Looks for each program, so it runs off the event loop."""
    return {
        "agents": [
            {
                "id": agent.id,
                "display_name": agent.display_name,
                "command": agent.command,
                "args": list(agent.args),
                "found": agent.path,
                "install_hint": agent.install_hint,
            }
            for agent in sup.house.catalog.all()
        ]
    }
