"""What every awake chat shares: the database, the settings, the agents, the time.

Lives here: only their names. Lives elsewhere: opening and closing them (supervisor.py).
"""

from __future__ import annotations

from collections.abc import Callable

from voxpilot.agents.installed.catalog import Catalog
from voxpilot.agents.wire.connection import KeeperLink
from voxpilot.runtime.shared.clock import Clock
from voxpilot.runtime.shared.start_queue import Starts
from voxpilot.settings import Settings
from voxpilot.settings.live import LiveSettings
from voxpilot.storage.chats.event_log import Recorded
from voxpilot.storage.database.sqlite import Database
from voxpilot.values import dataclass


@dataclass(frozen=True, slots=True)
class Services:
    db: Database
    live: LiveSettings
    catalog: Catalog
    clock: Clock
    chat_changed: Callable[[str, list[Recorded]], None]
    """Called after each committed step of a chat."""
    starts: Starts
    """Which agents may start now."""
    link: type[KeeperLink] = KeeperLink
    """How a chat reaches the keeper of an agent. Tests pass in one that needs no process."""

    @property
    def settings(self) -> Settings:
        """The current settings; do not keep them longer than one step."""
        return self.live.now
