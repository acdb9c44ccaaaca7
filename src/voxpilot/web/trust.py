"""Routes of the folders that were trusted on a card.

Lives here: listing them, and taking trust back. Lives elsewhere: asking for it
(runtime/trust.py), folders trusted by a setting (settings.py).
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

from fastapi import APIRouter, Query

from voxpilot.chat.events import Json
from voxpilot.storage.trusted import list_folders
from voxpilot.web.chats import Sup
from voxpilot.web.schemas import TrustedFolders

router = APIRouter(prefix="/api/trusted-folders", tags=["settings"])


@router.get("", response_model=TrustedFolders)
async def trusted(sup: Sup) -> Json:
    return {"folders": [asdict(folder) for folder in await list_folders(sup.house.db)]}


@router.delete("", status_code=204)
async def distrust(path: Annotated[str, Query(max_length=4096)], sup: Sup) -> None:
    """Whoever starts an agent there is asked again; agents that run there go on."""
    await sup.distrust(path)
