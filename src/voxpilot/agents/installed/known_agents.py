"""The agents that are known by name.

Lives here: reading their list. A start needs it before most of the program is imported. Lives elsewhere: the
list (known_agents.toml), a person's changes to it (catalog.py).
"""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files

from voxpilot.settings import AgentSettings


@cache
def known_agents() -> dict[str, AgentSettings]:
    text = (files("voxpilot.agents.installed") / "known_agents.toml").read_text()
    return {id: AgentSettings.model_validate(entry) for id, entry in tomllib.loads(text).items()}
