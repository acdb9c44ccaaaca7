"""The doctor's checks of this machine and its settings.

Lives here: what may be wrong or risky apart from the agents. Lives elsewhere:
agents (agents/probe/doctor.py), printing it (doctor.py).
"""

from __future__ import annotations

import os
import platform
import shutil
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

from voxpilot.agents.installed.catalog import Catalog
from voxpilot.agents.probe.doctor import Outcome, Step
from voxpilot.keeper.reaching import is_kept
from voxpilot.keeper.sandbox.available import available, how_to_get_it
from voxpilot.settings import Settings
from voxpilot.settings.live import LiveSettings
from voxpilot.storage.directory import data_dir

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
    yield _sandbox(catalog)
    yield _withheld(catalog)


def _settings_file(live: LiveSettings) -> Step:
    try:
        mode = live.path.stat().st_mode
    except OSError:
        return _step("settings", "ok", f"No settings file at {live.path}; using the defaults.")
    holds_values = any(agent.env for agent in live.now.agents.values())
    if mode & 0o077 and holds_values:
        text = f"Other users of this machine can read {live.path}, which contains variables for agents."
        return _step("settings", "failed", text, f"Run: chmod 600 {live.path}")
    if live.pending:
        names = ", ".join(change.name for change in live.pending)
        text = (
            f"Changes to {live.path} are waiting for review under Settings: {names}. They have no effect yet."
        )
        return _step("settings", "warning", text, "If you did not make them, find out who did.")
    return _step("settings", "ok", f"Settings are in {live.path}.")


def _folder(folder: Path) -> Step:
    try:
        found = folder.stat()
    except FileNotFoundError:
        return _step("data", "ok", f"The data directory {folder} does not exist yet.")
    except OSError as error:
        return _step("data", "failed", f"The data directory {folder} cannot be read: {error.strerror}.")
    if found.st_uid != os.getuid():
        return _step("data", "failed", f"The data directory {folder} belongs to another user.")
    if not os.access(folder, os.W_OK | os.X_OK):
        hint = "Set VOXPILOT_DATA_DIR to use another directory."
        return _step("data", "failed", f"The data directory {folder} is read-only.", hint)
    if stat.S_IMODE(found.st_mode) & 0o077:
        text = f"Other users of this machine can read the data directory {folder}."
        return _step("data", "failed", text, f"Run: chmod 700 {folder}")
    return _step("data", "ok", f"The data directory {folder} is private.")


def _disk(folder: Path) -> Step:
    there = next(path for path in (folder, *folder.parents) if path.exists())
    free = shutil.disk_usage(there).free
    text = f"{free / 1e9:.1f} GB of disk space free at {there}."
    outcome: Outcome = "ok" if free > ROOM_BYTES else "warning" if free > LEAST_ROOM_BYTES else "failed"
    return _step("disk", outcome, text, "" if outcome == "ok" else "Free some space.")


def _exposure(settings: Settings) -> Step:
    if settings.is_local:
        return _step("network", "ok", f"Only this machine can reach the server ({settings.host}).")
    text = f"Other machines can reach the server ({settings.host}) over an unencrypted connection."
    hint = "Listen on 127.0.0.1 and use a TLS proxy or a tunnel."
    return _step("network", "failed", text, hint)


def _policy(settings: Settings) -> Step:
    if settings.acp_auto_allow_permissions and not settings.strict:
        text = "Auto-approve is on for every chat (acp_auto_allow_permissions)."
        return _step("permissions", "warning", text, "Set strict = true to be asked in every chat.")
    return _step("permissions", "ok", "Each chat follows its own approval policy.")


def _keepers(settings: Settings) -> Step:
    kept = [folder for folder in _folders(settings.keepers) if is_kept(folder)]
    many = f"{len(kept)} agent{'' if len(kept) == 1 else 's'}"
    try:
        told = data_dir.running_server(settings.data_dir)
    except data_dir.BadDataDir as error:
        return _step("processes", "failed", error.message, error.hint)
    if told is not None:
        who = "A server is running" if told else "A server or another command is running"
        return _step("processes", "ok", f"{who}, with {many}.")
    if kept:
        text = f"No server is running, but {many} still {'is' if len(kept) == 1 else 'are'}."
        return _step(
            "processes", "warning", text, "Start the server to reconnect to them, or run: voxpilot stop"
        )
    return _step("processes", "ok", "No server and no agents are running.")


def _sandbox(catalog: Catalog) -> Step:
    found = available()
    landlock = f"Landlock ABI {found.abi}" if found.abi else "no Landlock in this kernel"
    wanting = [agent.display_name for agent in catalog.all() if agent.entry.sandbox != "off"]
    if found.kind == "bwrap":
        text = f"Agents can run in a sandbox: bubblewrap {found.version} works; {landlock}."
        hint = (
            ""
            if found.closes_abstract_sockets
            else "Abstract Unix sockets remain reachable; blocking them requires Landlock ABI 6."
        )
        return _step("sandbox", "ok", text, hint)
    if found.kind == "landlock":
        text = f"Agents can run in a weaker sandbox: {landlock}. Bubblewrap cannot be used: {found.problem}."
        return _step("sandbox", "warning", text, how_to_get_it(found))
    text = f"Agents cannot run in a sandbox: {landlock}; bubblewrap: {found.problem}."
    if wanting:
        text += f" These agents require one and cannot start: {', '.join(wanting)}."
    return _step("sandbox", "failed" if wanting else "warning", text, how_to_get_it(found))


def _withheld(catalog: Catalog) -> Step:
    names = catalog.withheld()
    text = (
        f"Agents cannot see these variables: {', '.join(names)}."
        if names
        else "No environment variables are hidden from agents."
    )
    return _step(
        "environment", "ok", text, "Use an agent's pass_env setting to pass variables to it." if names else ""
    )


def _folders(parent: Path) -> list[Path]:
    try:
        return sorted(parent.iterdir())
    except OSError:
        return []


def _step(name: str, outcome: Outcome, text: str, hint: str = "") -> Step:
    return Step(name=name, outcome=outcome, text=text, hint=hint)
