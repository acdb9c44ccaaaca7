"""What an agent can do is read from its answer to `initialize`, and from nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from voxpilot.agents.installed.capabilities import abilities_of


@pytest.mark.parametrize(
    ("announced", "accepts"),
    [
        ({"image": True}, True),
        ({"images": True}, True),
        ({"image": False}, False),
        ({"audio": True}, False),
        ({}, False),
        (None, False),
    ],
)
def test_images_are_accepted_under_either_name(announced: Any, accepts: bool) -> None:
    """C12, R140"""
    initialized = {"agentCapabilities": {"promptCapabilities": announced}}
    assert abilities_of(initialized).image is accepts


@pytest.mark.parametrize("name", ["list", "resume", "fork", "close", "delete"])
def test_a_session_method_is_used_only_if_it_is_announced(name: str) -> None:
    """C13, R71, R162"""
    announced = abilities_of({"agentCapabilities": {"sessionCapabilities": {name: {}}}})
    others = {"list", "resume", "fork", "close", "delete"} - {name}
    assert getattr(announced, name)
    assert not any(getattr(announced, other) for other in others)
    assert not getattr(abilities_of({"agentCapabilities": {}}), name)
    assert not getattr(abilities_of(None), name)


@pytest.mark.parametrize(("value", "loads"), [(True, True), (False, False), ("yes", False), (None, False)])
def test_a_session_is_loaded_only_if_the_agent_says_so(value: Any, loads: bool) -> None:
    """R7"""
    assert abilities_of({"agentCapabilities": {"loadSession": value}}).load is loads
