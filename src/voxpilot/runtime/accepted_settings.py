"""The parts of the settings file that people have accepted, stored across restarts.

Lives here: reading them at start-up (the very first start accepts everything), and storing them. Lives
elsewhere: what needs acceptance (settings/consent.py, agents/installed/approved_commands.py), giving it
(web/routes/settings.py, processes/command_approval.py).
"""

from __future__ import annotations

from voxpilot.agents.installed.approved_commands import SERVERS, as_agreed, not_agreed_to, servers_as_agreed
from voxpilot.agents.installed.known_agents import known_agents
from voxpilot.runtime.shared.services import Services
from voxpilot.settings import Settings
from voxpilot.settings.consent import to_json
from voxpilot.storage.across_chats.accepted_settings import accepted, note_accepted
from voxpilot.storage.across_chats.approved_commands import list_agreed, note_agreed
from voxpilot.storage.across_chats.trusted_folders import list_folders
from voxpilot.storage.database.rows import AgreedCommand


class Accepting:
    def __init__(self, services: Services) -> None:
        self._services = services
        self._kept: Settings | None = None

    async def learn(self) -> None:
        """What was accepted so far; at the very first start, the whole file."""
        services = self._services
        services.catalog.consents.stored([*await list_agreed(services.db), *await list_folders(services.db)])
        kept = await accepted(services.db)
        if services.live.accepted is None:
            services.live.hold(kept, known_agents())
        if kept is None:
            await self._agree_to_all()
        await self.keep()

    async def keep(self) -> None:
        """Store the accepted settings, if they have changed."""
        agreed = self._services.live.accepted
        if agreed is not None and agreed != self._kept:
            await note_accepted(self._services.db, to_json(agreed), self._services.clock.now())
            self._kept = agreed

    async def agree_to(self, row: AgreedCommand) -> None:
        """Approve an agent's command."""
        await note_agreed(self._services.db, row)
        self._services.catalog.consents.stored([row])

    async def _agree_to_all(self) -> None:
        catalog, now = self._services.catalog, self._services.clock.now()
        for agent in not_agreed_to(catalog):
            await self.agree_to(as_agreed(catalog, agent, now))
        if SERVERS not in catalog.consents.commands:
            await self.agree_to(servers_as_agreed(self._services.settings.mcp_servers, now))
