"""Checked in every test of this folder: each frame that reached an agent is valid."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.kit.oracles.frames import check_frames
from tests.kit.peers.agent_log import AgentLog


@pytest.fixture(autouse=True)
def valid_frames(place: Path) -> Iterator[None]:
    """Validate every frame that agents received in this test against the official schema."""
    yield
    for path in place.glob("*.jsonl"):
        check_frames(AgentLog(path))
