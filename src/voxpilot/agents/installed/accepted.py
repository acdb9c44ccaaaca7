"""The settings and agents as a person has accepted them, for a command that works without the server.

Anyone who can write the settings file may change it, and a command that reads it must not run a program
because of that. Lives here: limiting the settings to what was accepted, and the catalog to approved commands.
Lives elsewhere: the same for the server (runtime/accepted_settings.py).
"""

from __future__ import annotations

from voxpilot.agents.installed.approved_commands import as_agreed, not_agreed_to
from voxpilot.agents.installed.catalog import Catalog
from voxpilot.agents.installed.known_agents import known_agents
from voxpilot.errors import VoxPilotError
from voxpilot.settings.live import LiveSettings
from voxpilot.storage.across_chats.accepted_settings import all_agreed, check_data_dir
from voxpilot.storage.database.opening import check_first_start


def hold_to_accepted(live: LiveSettings, catalog: Catalog) -> VoxPilotError | None:
    """Afterwards only accepted settings are in force; returns the problem if they cannot be read.

    Before the very first start everything is accepted. While the database cannot be read, everything that
    would need a person's consent waits. Raises OtherDataDir if the file names a data directory other than the
    accepted one.
    """
    check_data_dir(live)
    database = live.now.database
    try:
        kept, commands = (None, []) if check_first_start(database) else all_agreed(database)
    except VoxPilotError as error:
        live.hold({}, known_agents())
        return error
    live.hold(kept, known_agents())
    catalog.consents.stored(commands)
    if kept is None:
        catalog.consents.stored([as_agreed(catalog, agent, 0) for agent in not_agreed_to(catalog)])
    return None
