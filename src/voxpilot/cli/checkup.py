"""The doctor's look at this machine and its settings.

Lives here: what may be wrong or risky besides the agents. Lives elsewhere:
agents (agents/doctor.py), printing it (doctor.py).
"""

from __future__ import annotations

import os
import platform
import shutil
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

from voxpilot.agents.catalog import Catalog
from voxpilot.agents.doctor import Outcome, Step
from voxpilot.keeper.reaching import is_kept
from voxpilot.settings import Settings
from voxpilot.settings.live import LiveSettings
from voxpilot.storage import data_dir

ROOM_BYTES = 500_000_000
LEAST_ROOM_BYTES = 50_000_000


def checkup(live: LiveSettings, catalog: Catalog) -> Iterator[Step]:
    settings = live.now
    yield _step("python", "ok", f"Python {platform.python_version()} at {sys.executable}.")
    yield _settings_file(live)
    yield _folder(settings.data_dir)
    yield _disk(settings.data_dir)
    yield _exposure(settings)
    yield _policy(settings)
    yield _keepers(settings)
    yield _withheld(catalog)


def _settings_file(live: LiveSettings) -> Step:
    try:
        mode = live.path.stat().st_mode
    except OSError:
        return _step("settings", "ok", f"No settings file at {live.path}; all is as it comes.")
    holds_values = any(agent.env for agent in live.now.agents.values())
    if mode & 0o077 and holds_values:
        text = f"Others on this machine can read {live.path}, which holds variables of agents."
        return _step("settings", "failed", text, f"Run: chmod 600 {live.path}")
    return _step("settings", "ok", f"Settings are in {live.path}.")


def _folder(folder: Path) -> Step:
    try:
        found = folder.stat()
    except FileNotFoundError:
        return _step("data", "ok", f"The data directory {folder} does not exist yet.")
    except OSError as error:
        return _step("data", "failed", f"The data directory {folder} cannot be read: {error.strerror}.")
    if found.st_uid != os.getuid():
        return _step("data", "failed", f"The data directory {folder} belongs to somebody else.")
    if not os.access(folder, os.W_OK | os.X_OK):
        hint = "VOXPILOT_DATA_DIR names another."
        return _step("data", "failed", f"The data directory {folder} is read-only.", hint)
    if stat.S_IMODE(found.st_mode) & 0o077:
        text = f"Others on this machine can look into the data directory {folder}."
        return _step("data", "failed", text, f"Run: chmod 700 {folder}")
    return _step("data", "ok", f"The data directory {folder} is private.")


def _disk(folder: Path) -> Step:
    there = next(path for path in (folder, *folder.parents) if path.exists())
    free = shutil.disk_usage(there).free
    text = f"{free / 1e9:.1f} GB are free at {there}."
    outcome: Outcome = "ok" if free > ROOM_BYTES else "warning" if free > LEAST_ROOM_BYTES else "failed"
    return _step("disk", outcome, text, "" if outcome == "ok" else "Free some space.")


def _exposure(settings: Settings) -> Step:
    if settings.is_local:
        return _step("network", "ok", f"Only this machine can reach the server ({settings.host}).")
    text = f"Other machines can reach the server ({settings.host}), and nothing that passes is encrypted."
    hint = "Listen on 127.0.0.1, and let a proxy with TLS or a tunnel lead there."
    return _step("network", "failed", text, hint)


def _policy(settings: Settings) -> Step:
    if settings.acp_auto_allow_permissions and not settings.strict:
        text = "Every chat approves by itself what may be approved (acp_auto_allow_permissions)."
        return _step("permissions", "warning", text, "Set strict = true to be asked everywhere.")
    return _step("permissions", "ok", "Chats ask, as their own policies say.")


def _keepers(settings: Settings) -> Step:
    kept = [folder for folder in _folders(settings.keepers) if is_kept(folder)]
    many = f"{len(kept)} agent{'' if len(kept) == 1 else 's'}"
    if data_dir.running_server(settings.data_dir) is not None:
        return _step("processes", "ok", f"A server is running, with {many}.")
    if kept:
        text = f"{many} left without a server."
        return _step(
            "processes", "warning", text, "Start the server to go on with them, or run: voxpilot stop"
        )
    return _step("processes", "ok", "No server is running, and no agent is left from one.")


def _withheld(catalog: Catalog) -> Step:
    names = catalog.withheld()
    text = f"Agents do not see these variables: {', '.join(names)}." if names else "Nothing is withheld."
    return _step("environment", "ok", text, "pass_env of an agent names those it may see." if names else "")


def _folders(parent: Path) -> list[Path]:
    try:
        return sorted(parent.iterdir())
    except OSError:
        return []


def _step(name: str, outcome: Outcome, text: str, hint: str = "") -> Step:
    return Step(name=name, outcome=outcome, text=text, hint=hint)
