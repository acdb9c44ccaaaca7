"""Recorded agents over real pipes, with a server and a person on HTTP. More of them: tests/runtime/chats."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import StartServer
from tests.kit.clients.recorded import show_recording

SAMPLE = ("copilot-edit", "claude-cancel-permission", "codex-load", "opencode-config")


@pytest.mark.parametrize("name", SAMPLE)
async def test_a_recorded_agent_over_a_pipe_is_shown_as_it_spoke(
    start_server: StartServer, workspace: Path, tmp_path: Path, name: str
) -> None:
    """R100–R102, R105, R107: edits, permissions, plans, stops, choices and restored sessions."""
    await show_recording(start_server, workspace, tmp_path, name)
