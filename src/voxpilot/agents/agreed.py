"""How agents were started when a person last agreed to it.

The settings file may be changed by whoever can write it, an agent among them.
So a command that differs from the one that was agreed to is a person's to
confirm. Lives here: what counts as the command, and whether it is still the
same. Lives elsewhere: asking (runtime/agreeing.py), the rows (storage/agreed.py).
"""

from __future__ import annotations

import hashlib
import json
import shlex

from voxpilot.agents.catalog import Catalog
from voxpilot.agents.hidden import hide_args
from voxpilot.settings import AgentSettings
from voxpilot.storage.rows import AgreedCommand

_PARTS = {"command", "args", "env", "pass_env", "tcp", "allow_remote", "version_args"}
"""All that decides what is run, or whom we talk to."""


def is_agreed(catalog: Catalog, agent: str) -> bool:
    """Whether a person may start it unasked: it is vouched for, or was never started before."""
    return agent not in catalog.agreed or is_vouched_for(catalog, agent)


def is_vouched_for(catalog: Catalog, agent: str) -> bool:
    """Whether it is what we ship or what was agreed to, so that it may be run although nobody orders it."""
    before = catalog.agreed.get(agent)
    if catalog.is_as_shipped(agent):
        return True
    return before is not None and before.fingerprint == fingerprint(catalog, agent)


def as_agreed(catalog: Catalog, agent: str, at: float) -> AgreedCommand:
    entry = catalog.describe(agent).entry
    return AgreedCommand(agent=agent, fingerprint=fingerprint(catalog, agent), shown=in_words(entry), at=at)


def fingerprint(catalog: Catalog, agent: str) -> str:
    parts = catalog.describe(agent).entry.model_dump(mode="json", include=_PARTS)
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def in_words(entry: AgentSettings) -> str:
    """The command as a person would type it, its secrets hidden, and the names of its variables."""
    lines = [shlex.join([entry.command, *hide_args(entry.args)]) if entry.command else f"at {entry.tcp}"]
    if names := [*entry.env, *entry.pass_env]:
        lines.append(f"with {', '.join(names)}")
    return "\n".join(lines)
