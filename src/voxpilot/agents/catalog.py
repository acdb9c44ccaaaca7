"""Which agents there are and how each is started.

Lives here: the known agents, the person's changes to them and further ones,
finding their programs, and the environment a child gets. Lives elsewhere:
running them (keeper/), changing them (editing.py), the settings file
(settings/).
"""

from __future__ import annotations

import os
import shutil
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from voxpilot.agents.login_path import LoginPath
from voxpilot.agents.versions import Versions
from voxpilot.errors import Invalid, NotFound
from voxpilot.keeper.attach import KeeperSpec
from voxpilot.settings import AgentSettings, Settings
from voxpilot.settings.live import LiveSettings
from voxpilot.storage.rows import AgreedCommand

_PASSED = ("HOME", "PATH", "LANG", "TERM", "USER", "LOGNAME", "SHELL", "TMPDIR", "TZ")
"""All that a child sees of our environment, beside LC_… and what its agent names."""

_PYTHON = "{python}"
"""In place of a command: the interpreter that runs us, for an agent that comes with us."""
DEMO = "demo"


@dataclass(frozen=True, slots=True)
class Agent:
    id: str
    display_name: str
    command: str
    args: tuple[str, ...]
    env: Mapping[str, str]
    """The whole environment of its process."""
    install_hint: str
    scratch: bool
    path: str | None
    """Where its program was found."""
    search_path: str
    entry: AgentSettings
    """What the known list and the settings say of it."""
    is_known: bool = False
    is_changed: bool = False
    """The person's settings change a known agent."""

    @property
    def fs(self) -> bool:
        """It is offered to read and write files through us."""
        return self.entry.fs

    @property
    def terminal(self) -> bool:
        """It is offered to run commands through us."""
        return self.entry.terminal

    @property
    def login_hint(self) -> str:
        return self.entry.login_hint


class Catalog:
    """The agents of this machine, as the settings now and the known list name them."""

    def __init__(self, live: LiveSettings, environ: Mapping[str, str] | None = None) -> None:
        self._live = live
        self._environ = os.environ if environ is None else environ
        self._login_path = LoginPath(self._passed(()))
        self.versions = Versions()
        self.agreed: dict[str, AgreedCommand] = {}
        """How each agent was last started with a person's consent; see agreed.py."""
        self._entries_of: tuple[Settings, dict[str, AgentSettings]] | None = None

    def all(self) -> list[Agent]:
        return [self.get(id) for id in self._entries()]

    def get(self, id: str) -> Agent:
        entry = self._entries().get(id)
        if entry is None:
            known = ", ".join(self._entries())
            raise NotFound(f"There is no agent called {id!r}.", f"Known agents: {known}.")
        env = {**self._passed(entry.pass_env), "PATH": self._login_path.known, **entry.env}
        command = sys.executable if entry.command == _PYTHON else entry.command
        return Agent(
            id=id,
            display_name=entry.display_name or id,
            command=command,
            args=entry.args,
            env=env,
            install_hint=entry.install_hint,
            scratch=entry.scratch,
            path=shutil.which(command, path=env["PATH"]) if command else None,
            search_path=env["PATH"],
            entry=entry,
            is_known=id in known_agents(),
            is_changed=id in known_agents() and entry != self.default_entry(id),
        )

    def describe(self, id: str) -> Agent:
        """An agent that need not be there any more, for speaking of it."""
        if id in self._entries():
            return self.get(id)
        return Agent(id, id, id, (), {}, "", False, None, "", AgentSettings(fs=False, terminal=False))

    def default(self) -> str:
        """The agent of a chat that names none: the person's choice, else the first that is installed."""
        if (chosen := self._live.now.acp_default_agent_id) in self._entries():
            return chosen
        found = (agent.id for agent in self.all() if agent.path and agent.id != DEMO)
        return next(found, DEMO)

    def learn_path(self) -> None:
        """Ask the login shell for its PATH, once; blocks for some seconds at most."""
        self._login_path.find()

    def spec(self, agent: Agent, process_id: str, workspace: str) -> KeeperSpec:
        if not agent.command and not agent.entry.tcp:
            raise Invalid(f"The agent {agent.id!r} has no command.", "Give it one in the settings.")
        return KeeperSpec(
            id=process_id,
            argv=(agent.command, *agent.args) if agent.command else (),
            cwd=workspace,
            env=dict(agent.env),
            tcp=agent.entry.endpoint,
            idle_seconds=self._live.now.copilot_connection_ttl,
            busy_seconds=self._live.now.busy_limit,
        )

    def start_spec(self, id: str, process_id: str, workspace: str) -> KeeperSpec:
        """What to start now; blocks while the login shell is asked."""
        self.learn_path()
        return self.spec(self.get(id), process_id, workspace)

    def withheld(self) -> list[str]:
        """Names of variables of ours that no agent gets to see."""
        passed = {name for agent in self.all() for name in agent.env}
        return sorted(name for name in self._environ if name not in passed)

    def default_entry(self, id: str) -> AgentSettings | None:
        """A known agent as it is without the person's table for it."""
        entry = known_agents().get(id)
        path = self._live.now.copilot_cli_path
        return entry.model_copy(update={"command": path}) if entry and id == "copilot" and path else entry

    def is_as_shipped(self, id: str) -> bool:
        """Nothing in the settings file speaks about it; the environment may."""
        entry, known = self._entries().get(id), known_agents().get(id)
        if entry is None or known is None:
            return False
        return entry == known.model_copy(
            update={name: getattr(entry, name) for name in self.fixed_fields(id)}
        )

    def fixed_fields(self, id: str) -> tuple[str, ...]:
        """What the environment decides about an agent."""
        is_decided = id == "copilot" and "copilot_cli_path" in self._live.decided_elsewhere
        return ("command",) if is_decided else ()

    def _entries(self) -> dict[str, AgentSettings]:
        settings = self._live.now
        if self._entries_of is None or self._entries_of[0] is not settings:
            own = {id: self._merged(id, given) for id, given in settings.agents.items()}
            known = {id: self.default_entry(id) or entry for id, entry in known_agents().items()}
            self._entries_of = settings, {**known, **own}
        return self._entries_of[1]

    def _merged(self, id: str, given: AgentSettings) -> AgentSettings:
        """A known agent with what the person's table says otherwise."""
        base = self.default_entry(id)
        if base is None:
            return given
        names = given.model_fields_set - set(self.fixed_fields(id))
        update = {name: getattr(given, name) for name in names}
        if "env" in update:
            # Added to ours, which may hold what makes the agent ask; an empty value takes one away.
            env = {**base.env, **given.env}
            update["env"] = {name: value for name, value in env.items() if value}
        return base.model_copy(update=update)

    def _passed(self, names: tuple[str, ...]) -> dict[str, str]:
        """Built up from a short list, never cut down from ours: our secrets are not in it."""
        wanted = (*_PASSED, *names, *(name for name in self._environ if name.startswith("LC_")))
        return {name: self._environ[name] for name in wanted if name in self._environ}


@cache
def known_agents() -> dict[str, AgentSettings]:
    text = (files("voxpilot.agents") / "known_agents.toml").read_text()
    return {id: AgentSettings.model_validate(entry) for id, entry in tomllib.loads(text).items()}
