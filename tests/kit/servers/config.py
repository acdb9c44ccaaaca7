"""Settings files for a server under test.

Lives here: the agents that tests can use, as TOML that a person would write.
Lives elsewhere: what the scripted agent does with its options (tests/fakes).
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.fakes.script import agent_command

MARK = "VOXPILOT_TEST_MARK"
"""The variable by which a test finds every process it caused."""

FAULTS = (
    "exit-at-spawn",
    "hang-init",
    "auth-on-new",
    "auth-on-prompt",
    "auth-fail",
    "auth-hang",
    "garbage",
    "badid",
    "nondict",
    "silent",
    "empty",
    "future",
    "exit-mid",
    "ignore-cancel",
    "ignore-eof",
    "ignore-term",
    "grandchildren",
    "early-updates",
    "late-chunks",
    "no-ask",
    "no-load",
    "no-resume",
    "no-close",
    "close-hang",
    "caps-off",
    "load-notfound",
    "load-error",
    "load-empty",
    "replay-hang",
    "old-options",
    "refuse-options",
)
"""Faults that need no value; each is configured as the agent `scripted-FAULT`."""


def scripted(
    *faults: str,
    log: Path | None = None,
    options: Sequence[str] = (),
    env: Mapping[str, str] | None = None,
    pass_env: Sequence[str] = (MARK,),
) -> dict[str, Any]:
    """The `[agents.ID]` table of a scripted agent: `scripted("version=2", log=path)`."""
    command, *args = agent_command(*faults, log=log, options=options)
    return {"command": command, "args": args, "env": dict(env or {}), "pass_env": list(pass_env)}


def scripted_agents(folder: Path, faults: Iterable[str] = FAULTS) -> dict[str, dict[str, Any]]:
    """`scripted` and one agent per fault; all log to `folder/agent.jsonl`, sessions go to `folder/agent`."""
    log, kept = folder / "agent.jsonl", ["--store", str(folder / "agent")]
    agents = {"scripted": scripted(log=log, options=kept)}
    for fault in faults:
        agents[f"scripted-{fault}"] = scripted(fault, log=log, options=kept)
    return agents


def faults_named_in(source: str) -> list[str]:
    """The faults whose agents a test module names: settings with all of them take long to read."""
    names = set(re.findall(r"\bscripted-([a-z-]+)", source))
    return [fault for fault in FAULTS if fault in names or 'f"scripted-{' in source]


def write_config(
    path: Path, agents: Mapping[str, Mapping[str, Any]], settings: Mapping[str, Any] | None = None
) -> Path:
    """Write a settings file with these agents and top-level settings; the folders of tests are trusted."""
    given = {"trusted_folders": [tempfile.gettempdir()], **(settings or {})}
    lines = [f"{name} = {_toml(value)}" for name, value in given.items()]
    for name, table in agents.items():
        lines += ["", f"[agents.{json.dumps(name)}]"]
        lines += [f"{key} = {_toml(value)}" for key, value in table.items()]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def _toml(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{json.dumps(key)} = {_toml(item)}" for key, item in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_toml, value)) + "]"
    # Strings, numbers and booleans look the same in JSON and TOML.
    return json.dumps(str(value) if isinstance(value, Path) else value, ensure_ascii=False)
