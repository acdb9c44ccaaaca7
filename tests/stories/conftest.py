"""The command `voxpilot`, for tests that run it."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.kit.servers.command_line import Command, Finished, Voxpilot
from tests.kit.servers.config import MARK, scripted_agents, write_config
from tests.kit.servers.server import free_port


@pytest.fixture
def port() -> int:
    return free_port()


@pytest.fixture
async def voxpilot(place: Path, workspace: Path, mark: str, port: int) -> AsyncIterator[Voxpilot]:
    """Start the command in the workspace, where it finds the server of this test, if there is one."""
    async with AsyncExitStack() as commands:

        def start(
            *words: str, typed: str | None = None, terminal: bool = False, input_is: str = "file"
        ) -> Command:
            if not (place / "config.toml").exists():
                write_config(place / "config.toml", scripted_agents(place))
            ours = ("VOXPILOT_", "PYTHONUNBUFFERED")
            env = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
            env |= {
                MARK: mark,
                "VOXPILOT_PORT": str(port),
                "VOXPILOT_DATA_DIR": str(place / "data"),
                "VOXPILOT_CONFIG": str(place / "config.toml"),
            }
            command = Command(words, env, workspace, typed, terminal, input_is)
            commands.callback(command.close)
            return command

        yield start


@pytest.fixture
def finished(voxpilot: Voxpilot) -> Finished:
    """Run the command to its end."""

    async def run(*words: str, **more: Any) -> Command:
        command = voxpilot(*words, **more)
        await command.ends()
        return command

    return run
