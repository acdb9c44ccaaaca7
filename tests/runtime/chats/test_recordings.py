"""Recorded agents and a person on HTTP. Some of them over real pipes: tests/stories/sessions."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.kit.clients.recorded import show_recording
from tests.kit.servers.running import StartServer

pytestmark = pytest.mark.in_memory

SAMPLE = (
    "copilot-edit", "copilot-cancel", "copilot-two-permissions", "copilot-load",
    "claude-edit", "claude-plan", "claude-ask-caps", "claude-cancel-permission",
    "codex-run", "codex-cancel-command", "codex-load",
    "codex-zed-edit", "codex-zed-reject",
    "opencode-edit", "opencode-config", "opencode-load",
)  # fmt: skip


@pytest.mark.parametrize("name", SAMPLE)
async def test_a_recorded_agent_is_shown_as_it_spoke(
    start_server: StartServer, workspace: Path, tmp_path: Path, name: str
) -> None:
    """R100–R102, R105, R107: edits, permissions, plans, stops, choices and restored sessions."""
    await show_recording(start_server, workspace, tmp_path, name)
