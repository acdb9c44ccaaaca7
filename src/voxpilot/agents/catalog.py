"""Which agents there are and how each is started.

Lives here: the known agents, the person's own, finding their programs, and the
environment a child gets. Lives elsewhere: running them (keeper/), the settings
file (settings.py).
"""

from __future__ import annotations

import os
import shutil
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files

from voxpilot.errors import NotFound
from voxpilot.keeper.attach import KeeperSpec
from voxpilot.settings import AgentSettings, Settings

_PASSED = ("HOME", "PATH", "LANG", "TERM", "USER", "LOGNAME", "SHELL", "TMPDIR", "TZ")
"""All that a child sees of our environment, beside LC_… and what its agent names."""

_PYTHON = "{python}"
"""In place of a command: the interpreter that runs us, for an agent that comes with us."""


@dataclass(frozen=True, slots=True)
class Agent:
    id: str
    display_name: str
    command: str
    args: tuple[str, ...]
    env: Mapping[str, str]
    install_hint: str
    scratch: bool
    path: str | None
    """Where its program was found."""
    search_path: str
    fs: bool = False
    """Whether files are read and written for it."""
    terminal: bool = False
    """Whether commands are run for it."""
    login_hint: str = ""
    """What to do when it wants a sign-in, if it does not say so itself."""


class Catalog:
    """The agents of this machine, as the settings and the known list name them."""

    def __init__(self, settings: Settings, environ: Mapping[str, str] | None = None) -> None:
        self._settings = settings
        self._environ = os.environ if environ is None else environ
        self._entries = {**_known(settings), **settings.agents}

    def all(self) -> list[Agent]:
        return [self.get(id) for id in self._entries]

    def get(self, id: str) -> Agent:
        entry = self._entries.get(id)
        if entry is None:
            raise NotFound(f"There is no agent called {id!r}.", f"Known agents: {', '.join(self._entries)}.")
        env = self._child_environment(entry)
        search_path = env.get("PATH", os.defpath)
        command = sys.executable if entry.command == _PYTHON else entry.command
        return Agent(
            id=id,
            display_name=entry.display_name or id,
            command=command,
            args=entry.args,
            env=env,
            install_hint=entry.install_hint,
            scratch=entry.scratch,
            path=shutil.which(command, path=search_path),
            search_path=search_path,
            fs=entry.fs,
            terminal=entry.terminal,
            login_hint=entry.login_hint,
        )

    def describe(self, id: str) -> Agent:
        """An agent that need not be there any more, for speaking of it."""
        if id in self._entries:
            return self.get(id)
        return Agent(id, id, id, (), {}, "", False, None, "")

    def spec(self, agent: Agent, process_id: str, workspace: str) -> KeeperSpec:
        return KeeperSpec(
            id=process_id,
            argv=(agent.command, *agent.args),
            cwd=workspace,
            env=dict(agent.env),
            idle_seconds=self._settings.copilot_connection_ttl,
            busy_seconds=self._settings.busy_limit,
        )

    def _child_environment(self, entry: AgentSettings) -> dict[str, str]:
        """Built up from a short list, never cut down from ours: our secrets are not in it."""
        names = (*_PASSED, *entry.pass_env, *(name for name in self._environ if name.startswith("LC_")))
        passed = {name: self._environ[name] for name in names if name in self._environ}
        return {**passed, **entry.env}


def _known(settings: Settings) -> dict[str, AgentSettings]:
    text = (files("voxpilot.agents") / "known_agents.toml").read_text()
    known = {id: AgentSettings.model_validate(entry) for id, entry in tomllib.loads(text).items()}
    if settings.copilot_cli_path:
        known["copilot"] = known["copilot"].model_copy(update={"command": settings.copilot_cli_path})
    return known
