"""The agents known by name: what a person is told to do for each."""

from __future__ import annotations

from voxpilot.agents.installed.known_agents import known_agents


def test_copilots_sign_in_hint_names_both_commands() -> None:
    """C20, R70: shown if it offers no method of its own; it also uses the sign-in of the GitHub CLI."""
    hint = known_agents()["copilot"].login_hint
    assert "`copilot login`" in hint
    assert "`gh auth login`" in hint
