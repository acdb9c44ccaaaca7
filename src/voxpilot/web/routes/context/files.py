"""The route that finds files to mention.

Lives here: from a request to the search and back. Lives elsewhere: the search (workspace/file_search.py).
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from voxpilot.chat.events import Json
from voxpilot.runtime.commands.known_folder import known_folder
from voxpilot.runtime.processes.trust import trusted_folders
from voxpilot.storage.chats import chat_list
from voxpilot.web.routes.chats import Sup
from voxpilot.web.routing.router import Router
from voxpilot.web.schemas.context_bodies import FoundFiles

router = Router("/api/files", "files")


@router.get("", model=FoundFiles)
async def found(
    workspace: Annotated[str, Field(min_length=1, max_length=4096)],
    sup: Sup,
    q: Annotated[str, Field(max_length=200)] = "",
    limit: Annotated[int, Field(ge=1, le=100)] = 20,
) -> Json:
    """The files and folders whose paths contain these letters in order, the best first.

    Files that ignore files match are left out. `total` counts all that are searched; `is_complete` is false
    while the folder is still being read, or if it has too many files.
    """
    services = sup.services
    folder = await known_folder(services, workspace)
    recent = await chat_list.mentioned(services.db, folder)
    trusted = trusted_folders(services.catalog.consents.folders, services.settings)
    return await sup.file_search.search(folder, q, limit, recent, trusted)
