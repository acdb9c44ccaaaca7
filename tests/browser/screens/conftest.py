"""Fixtures of the tests of how the screens look: there, things move as they do for most people."""

from __future__ import annotations

import pytest


@pytest.fixture
def motion() -> str:
    return "no-preference"
