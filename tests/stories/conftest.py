"""What the stories share: the scripted model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.kit.llm import ScriptedLlm, scripted_llm


@pytest.fixture
def llm(place: Path) -> Iterator[ScriptedLlm]:
    """A model that does what the message says, and keeps all that it was asked."""
    with scripted_llm(place / "llm.log", ["--bodies"]) as running:
        yield running
