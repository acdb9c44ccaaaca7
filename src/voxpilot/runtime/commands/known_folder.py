"""Which folders the page may ask about: those that a person already works in or trusts.

Lives elsewhere: trust in agents that start there (processes/trust.py).
"""

from __future__ import annotations

from voxpilot.chat.permissions.decide import is_inside
from voxpilot.errors import NotFound
from voxpilot.runtime.commands.create_chat import real_folder
from voxpilot.runtime.processes.trust import trusted_folders
from voxpilot.runtime.shared.services import Services
from voxpilot.storage.chats import chat_list


async def known_folder(services: Services, path: str) -> str:
    """The folder again, with links resolved; raises NotFound for one that nobody works in."""
    real = await real_folder(path)
    settings = services.settings
    if real == await real_folder(str(settings.work_dir)) or await chat_list.is_a_root(services.db, real):
        return real
    if is_inside(real, trusted_folders(services.catalog.consents.folders, settings)):
        return real
    raise NotFound("No chat uses this folder.", "Choose the folder of a chat, or a folder that you trust.")
