"""The agents, and how each is started.

Lives here: the known agents with the person's changes and additions, finding their programs, and the
environment of their processes. Lives elsewhere: running them (keeper/), changing them
(settings/agent_editing.py), the settings file (settings/).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

from voxpilot import search_path
from voxpilot.agents.installed.consents import Consents
from voxpilot.agents.installed.known_agents import known_agents
from voxpilot.agents.installed.login_path import LoginPath
from voxpilot.agents.installed.versions import Versions
from voxpilot.errors import Invalid, NotFound
from voxpilot.keeper.attach import KeeperSpec
from voxpilot.settings import AgentSettings, Settings
from voxpilot.settings.live import LiveSettings
from voxpilot.threads import glance
from voxpilot.values import dataclass

_PASSED = ("HOME", "PATH", "LANG", "TERM", "USER", "LOGNAME", "SHELL", "TMPDIR", "TZ")
"""The variables a child gets from our environment, in addition to LC_… and those its agent names."""

_PYTHON = "{python}"
"""Stands for our own interpreter, for an agent that ships with VoxPilot."""
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
    search_path: str
    entry: AgentSettings
    """Its entry from the known list and the settings."""
    is_known: bool = False
    is_changed: bool = False
    """The person's settings change a known agent."""

    @property
    def path(self) -> str | None:
        """Where its program is. Looks at the disk each time, so do not call it on the event loop."""
        return search_path.find_program(self.command, self.search_path) if self.command else None

    @property
    def fs(self) -> bool:
        """Whether we offer to read and write files for it."""
        return self.entry.fs

    @property
    def terminal(self) -> bool:
        """Whether we offer to run commands for it."""
        return self.entry.terminal

    @property
    def is_ours(self) -> bool:
        """Whether it ships with VoxPilot and runs in our own interpreter."""
        return self.entry.command == _PYTHON

    @property
    def login_hint(self) -> str:
        return self.entry.login_hint

    @property
    def how_to_install(self) -> str:
        return _sentence("Install it", self.install_hint)

    @property
    def how_to_update(self) -> str:
        return _sentence("Update it", self.install_hint)


def _sentence(request: str, hint: str) -> str:
    """The hint is a command or already a sentence."""
    if not hint:
        return f"{request}."
    return hint if hint.endswith(".") else f"{request} with `{hint}`."


class Catalog:
    """The agents of this machine, from the current settings and the known list."""

    def __init__(self, live: LiveSettings, environ: Mapping[str, str] | None = None) -> None:
        self._live = live
        self._environ = os.environ if environ is None else environ
        self._login_path = LoginPath(self._passed(()))
        self.versions = Versions()
        self.consents = Consents()
        """What people have agreed to; approved_commands.py compares it with what is there now."""
        self._found = DEMO
        """The first installed agent at the last lookup."""
        self._entries_of: tuple[Settings, dict[str, AgentSettings]] | None = None

    @property
    def settings(self) -> Settings:
        return self._live.now

    @property
    def personal_skills(self) -> str:
        """The person's own folder of skills, next to the settings file."""
        return str(self._live.path.parent / "skills")

    def all(self) -> list[Agent]:
        return [self.get(id) for id in self._entries()]

    def get(self, id: str) -> Agent:
        entry = self._entries().get(id)
        if entry is None:
            known = ", ".join(self._entries())
            raise NotFound(f"Unknown agent {id!r}.", f"Known agents: {known}.")
        env = {**self._passed(entry.pass_env), "PATH": self._login_path.known, **entry.env}
        search_path.make_absolute(env)
        command = sys.executable if entry.command == _PYTHON else entry.command
        return Agent(
            id=id,
            display_name=entry.display_name or id,
            command=command,
            args=entry.args,
            env=env,
            install_hint=entry.install_hint,
            scratch=entry.scratch,
            search_path=env["PATH"],
            entry=entry,
            is_known=id in known_agents(),
            is_changed=id in known_agents() and entry != self.default_entry(id),
        )

    def describe(self, id: str) -> Agent:
        """An agent to mention by name, even if it no longer exists."""
        if id in self._entries():
            return self.get(id)
        return Agent(id, id, id, (), {}, "", False, "", AgentSettings(fs=False, terminal=False))

    def default(self) -> str:
        """The agent of a chat that names none: the person's choice, or else the first one installed."""
        if (chosen := self._live.now.acp_default_agent_id) in self._entries():
            return chosen
        self._found = glance(self._login_path.known, self._first_installed, self._found)
        return self._found

    def _first_installed(self) -> str:
        found = (agent.id for agent in self.all() if agent.path and agent.id != DEMO)
        return next(found, DEMO)

    def learn_path(self) -> None:
        """Ask the login shell for its PATH, once; blocks for a few seconds at most."""
        self._login_path.find()

    def spec(self, agent: Agent, process_id: str, workspace: str) -> KeeperSpec:
        """The spec for its keeper. Looks at the folders of its PATH, so do not call it on the event loop."""
        if not agent.command and not agent.entry.tcp:
            raise Invalid(f"The agent {agent.id!r} has no command.", "Set one in the settings.")
        if "/" in agent.command and not agent.command.startswith("/"):
            # A relative path would be looked up in the agent's working folder.
            hint = "Set the program's full path in the settings, or the name of a program on PATH."
            raise Invalid(f"The command of {agent.id!r} is a relative path.", hint)
        return KeeperSpec(
            id=process_id,
            argv=(agent.command, *agent.args) if agent.command else (),
            cwd=workspace,
            env={**agent.env, "PATH": search_path.answering(agent.search_path)},
            tcp=agent.entry.endpoint,
            idle_seconds=self._live.now.copilot_connection_ttl,
            busy_seconds=self._live.now.busy_limit,
        )

    def withheld(self) -> list[str]:
        """Names of our variables that no agent sees."""
        passed = {name for agent in self.all() for name in agent.env}
        return sorted(name for name in self._environ if name not in passed)

    def default_entry(self, id: str) -> AgentSettings | None:
        """A known agent without the person's changes."""
        entry = known_agents().get(id)
        path = self._live.now.copilot_cli_path
        return entry.model_copy(update={"command": path}) if entry and id == "copilot" and path else entry

    def is_as_shipped(self, id: str) -> bool:
        """Whether the settings file has nothing about it; the environment may."""
        entry, known = self._entries().get(id), known_agents().get(id)
        if entry is None or known is None:
            return False
        return entry == known.model_copy(
            update={name: getattr(entry, name) for name in self.fixed_fields(id)}
        )

    def fixed_fields(self, id: str) -> tuple[str, ...]:
        """Fields of an agent that are set by environment variables."""
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
        """A known agent with the person's changes."""
        base = self.default_entry(id)
        if base is None:
            return given
        names = given.model_fields_set - set(self.fixed_fields(id))
        update = {name: getattr(given, name) for name in names}
        if "env" in update:
            # Added to ours, which may contain variables that make the agent ask; an empty value removes one.
            env = {**base.env, **given.env}
            update["env"] = {name: value for name, value in env.items() if value}
        return base.model_copy(update=update)

    def _passed(self, names: tuple[str, ...]) -> dict[str, str]:
        """Built from a short list, never by removing variables from ours, so our secrets are not in it."""
        wanted = (*_PASSED, *names, *(name for name in self._environ if name.startswith("LC_")))
        return {name: self._environ[name] for name in wanted if name in self._environ}
