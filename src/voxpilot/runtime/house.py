"""What every awake chat shares: the database, the settings, the agents, the time.

Lives here: only the names. Lives elsewhere: who opens and closes them
(supervisor.py).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from voxpilot.agents.catalog import Catalog
from voxpilot.runtime.clock import Clock
from voxpilot.runtime.starts import Starts
from voxpilot.settings import Settings
from voxpilot.settings.live import LiveSettings
from voxpilot.storage.database import Database
from voxpilot.storage.event_log import Recorded


@dataclass(frozen=True, slots=True)
class House:
    db: Database
    live: LiveSettings
    catalog: Catalog
    clock: Clock
    chat_changed: Callable[[str, list[Recorded]], None]
    """Called after each committed step of a chat."""
    starts: Starts
    """Which agents may start now."""

    @property
    def settings(self) -> Settings:
        """As they are now; hold on to them for one step, not longer."""
        return self.live.now
