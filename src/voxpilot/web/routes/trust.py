"""Routes for the folders that were trusted on a card.

Lives here: listing them, and withdrawing trust. Lives elsewhere: asking for it
(runtime/processes/trust.py), folders trusted by a setting (settings.py).
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

from pydantic import Field

from voxpilot.chat.events import Json
from voxpilot.storage.across_chats.trusted_folders import list_folders
from voxpilot.web.routes.chats import Sup
from voxpilot.web.routing.router import Router
from voxpilot.web.schemas.bodies import TrustedFolders

router = Router("/api/trusted-folders", "settings")


@router.get("", model=TrustedFolders)
async def trusted(sup: Sup) -> Json:
    return {"folders": [asdict(folder) for folder in await list_folders(sup.services.db)]}


@router.delete("", status=204)
async def distrust(path: Annotated[str, Field(max_length=4096)], sup: Sup) -> None:
    """The next start of an agent there asks again; running agents continue."""
    await sup.distrust(path)
