"""What a person sees of a chat's agents when something is wrong: frames, error output, processes, a report.

Lives here: gathering it, and deciding what is secret. Nothing is sent anywhere: a report is text for the
person to read, copy or save. Lives elsewhere: reading frames (agents/wire/frame_log.py), hiding texts and
secrets (agents/wire/redaction.py), the processes (keeper/usage.py).
"""

from __future__ import annotations

import asyncio
import os
import platform
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import orjson

from voxpilot import __version__
from voxpilot.agents.installed.capabilities import name_of
from voxpilot.agents.wire.frame_log import STDERR_BYTES, Frame, FrameLog, read_log
from voxpilot.agents.wire.redaction import Redaction
from voxpilot.chat.events import Json
from voxpilot.errors import Conflict, NotFound
from voxpilot.keeper.usage import Usage, usage_of
from voxpilot.runtime.shared.services import Services
from voxpilot.settings import Settings
from voxpilot.settings.masking import hide_args, is_secret
from voxpilot.storage.chats import chat_list
from voxpilot.storage.database.rows import Process
from voxpilot.storage.database.states import ProcessState
from voxpilot.values import dataclass

MOST_PROCESSES = 10
MOST_FRAMES = 500
_REPORTED_FRAMES = 100


@dataclass(frozen=True, slots=True)
class Looked:
    """One process of an agent, as found now."""

    row: Process
    log: FrameLog
    usage: Usage

    def told(self, services: Services) -> Json:
        row = self.row
        return {
            "id": row.id,
            "agent": row.agent,
            "agent_name": services.catalog.describe(row.agent).display_name,
            "state": str(row.state),
            "started_at": row.started_at,
            "ended_at": row.ended_at,
            "ended": (row.ended or {}).get("reason"),
            "stderr": self.log.stderr,
            "processes": [asdict(process) for process in self.usage.processes],
            "left_out": self.usage.left_out,
        }


async def look_at_chat(services: Services, chat_id: str) -> list[Looked]:
    """The newest processes of a chat's agents."""
    rows = await chat_list.newest_processes(services.db, chat_id, MOST_PROCESSES)
    return [await _look(services, row) for row in rows]


async def frames_of(services: Services, chat_id: str, process_id: str, most: int) -> FrameLog:
    """The newest frames of one process, as long as its journal exists."""
    settings = services.settings
    if not settings.acp_diagnostics:
        raise Conflict("The protocol log is off.", "Turn it on in the settings under Diagnostics.")
    rows = await chat_list.newest_processes(services.db, chat_id, MOST_PROCESSES)
    row = next((row for row in rows if row.id == process_id), None)
    if row is None:
        raise NotFound("This agent process does not exist.", "It may have been replaced. Look again.")
    redaction = _redaction(services, row.agent, settings.acp_diagnostics_texts)
    return await asyncio.to_thread(read_log, _directory(settings, row), redaction, most)


async def report(services: Services, chat_id: str) -> str:
    """A text that says what is needed to understand a problem, without texts and secrets."""
    parts = [_heading()]
    for looked in await look_at_chat(services, chat_id):
        parts.append(_about_process(services, looked))
        if services.settings.acp_diagnostics:
            redaction = _redaction(services, looked.row.agent)
            directory = _directory(services.settings, looked.row)
            log = await asyncio.to_thread(read_log, directory, redaction, _REPORTED_FRAMES)
            parts.append("\n".join(("Frames, oldest first:", *map(_line_of, log.frames))))
    return _without_home("\n\n".join(parts)) + "\n"


async def _look(services: Services, row: Process) -> Looked:
    directory = _directory(services.settings, row)
    redaction = _redaction(services, row.agent)
    log = await asyncio.to_thread(read_log, directory, redaction, 1)
    if row.state is ProcessState.ENDED:
        last_words = redaction.text(str((row.ended or {}).get("stderr") or ""), STDERR_BYTES)
        return Looked(row, FrameLog(log.frames, log.is_whole, log.stderr or last_words), Usage((), 0))
    return Looked(row, log, await asyncio.to_thread(usage_of, directory))


def _directory(settings: Settings, row: Process) -> Path:
    return settings.keepers / row.id


def _redaction(services: Services, agent: str, with_texts: bool = False) -> Redaction:
    return Redaction.hiding(list(_secrets(services, agent)), with_texts)


def _secrets(services: Services, agent: str) -> Iterator[str]:
    """Values that we know to be secret, wherever an agent repeats them."""
    described = services.catalog.describe(agent)
    yield from (value for name, value in described.env.items() if is_secret(name))
    yield from (
        word for word, shown in zip(described.args, hide_args(described.args), strict=True) if word != shown
    )
    settings = services.settings
    if (key := settings.assistant.api_key) is not None:
        yield key if isinstance(key, str) else key.get_secret_value()
    for server in settings.mcp_servers.values():
        given = {**server.env, **server.headers}
        yield from (value for name, value in given.items() if is_secret(name))


def _heading() -> str:
    return (
        "VoxPilot report\n"
        f"VoxPilot {__version__}, Python {platform.python_version()}, "
        f"{platform.system()} {platform.release()} {platform.machine()}\n"
        "Messages are left out, secrets are replaced by dots, and error output is included.\n"
        "Read it before you pass it on."
    )


def _about_process(services: Services, looked: Looked) -> str:
    row, agent = looked.row, services.catalog.describe(looked.row.agent)
    name, version = name_of(row.initialized)
    capabilities = (row.initialized or {}).get("agentCapabilities")
    end = {key: value for key, value in (row.ended or {}).items() if key != "stderr"}
    shown = _redaction(services, row.agent)
    reported = " ".join(filter(None, (name, version))) or "unknown"
    lines = [
        f"Agent {row.agent}: {shown.text(' '.join([agent.command, *hide_args(agent.args)]))}",
        f"Reported as: {shown.text(reported)}",
        f"Variables: {', '.join(sorted(agent.env)) or 'none'}",
        f"State: {row.state}, sandbox {row.sandbox}, end: {_compact(shown.value(end))}",
        f"Capabilities: {_compact(shown.value(capabilities))}",
        f"Error output:\n{looked.log.stderr or '(none)'}",
        "Processes:",
        *(
            f"  {one.pid} (parent {one.parent}) {shown.text(one.name)}: {one.cpu_percent} % CPU, "
            f"{one.cpu_seconds} s, {one.memory_bytes >> 20} MB"
            for one in looked.usage.processes
        ),
    ]
    return "\n".join(lines)


def _line_of(frame: Frame) -> str:
    arrow = {"to-agent": ">", "from-agent": "<", "keeper": "*"}[frame.way]
    what = " ".join(part for part in (frame.kind, frame.method, frame.id) if part)
    failed = " (error)" if frame.is_error else ""
    return f"  {frame.at:.3f} {arrow} {what}{failed} {frame.bytes} bytes"


def _compact(value: object) -> str:
    return orjson.dumps(value).decode()


def _without_home(text: str) -> str:
    """The home folder contains the person's name."""
    home = os.path.expanduser("~")
    return text.replace(home, "~") if len(home) > 1 else text
