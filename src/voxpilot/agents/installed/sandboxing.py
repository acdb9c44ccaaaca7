"""The sandbox of an agent: its own folders, its program, and what is hidden from it.

Lives here: from an agent's settings to what the sandbox has to allow. Lives elsewhere: making the sandbox
(keeper/sandbox/), the settings (settings/).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

import voxpilot
from voxpilot import search_path
from voxpilot.agents.installed.catalog import Agent, Catalog
from voxpilot.errors import VoxPilotError
from voxpilot.keeper.attach import KeeperSpec
from voxpilot.keeper.sandbox import secrets
from voxpilot.keeper.sandbox.prepare import Sandbox, prepare
from voxpilot.keeper.sandbox.secrets import is_within
from voxpilot.keeper.sandbox.view import View, Wanted, view_of
from voxpilot.settings import Settings, config_path

_VARIABLE = re.compile(r"\$(\w+)")
_FIRST_LINE = 200


def in_its_sandbox(
    catalog: Catalog,
    agent: Agent,
    spec: KeeperSpec,
    roots: Sequence[str],
    ours: Sequence[str] = (),
    shared: Sequence[str] = (),
) -> KeeperSpec:
    """The same spec, but in the agent's sandbox, if it has one. Blocks; raises Conflict."""
    sandbox = sandbox_of(catalog, agent, roots, ours, shared)
    if sandbox is None:
        return spec
    return replace(spec, sandbox={"kind": sandbox.kind, "argv": sandbox.argv, "env": dict(sandbox.env)})


def version_of(catalog: Catalog, agent: Agent) -> str | None:
    """What its program says. The agent may have changed it, so it runs in the sandbox too. Blocks."""
    path, args = agent.path or "", agent.entry.version_args
    if agent.entry.sandbox == "off" or catalog.versions.known(path, args):
        return catalog.versions.find(path, args, [path, *args], agent.env)
    try:
        sandbox = sandbox_of(catalog, agent, ())
    except VoxPilotError:
        return None
    assert sandbox is not None
    with TemporaryDirectory(prefix="voxpilot-") as temporary:
        argv = sandbox.command([path, *args], "/", temporary)
        return catalog.versions.find(path, args, argv, sandbox.environment(agent.env, temporary))


def sandbox_of(
    catalog: Catalog,
    agent: Agent,
    roots: Sequence[str],
    ours: Sequence[str] = (),
    shared: Sequence[str] = (),
) -> Sandbox | None:
    """None if the agent has none. `ours` are folders in our data directory that were made for it, `shared`
    those that it may read. Blocks."""
    if agent.entry.sandbox == "off":
        return None
    return prepare(_wanted(catalog, agent, agent.entry.sandbox, roots, ours, shared))


def _wanted(
    catalog: Catalog,
    agent: Agent,
    level: Literal["standard", "strict"],
    roots: Sequence[str],
    ours: Sequence[str] = (),
    shared: Sequence[str] = (),
) -> Wanted:
    settings, home = catalog.settings, _home_of(agent)
    writable = _filled_in(agent.entry.sandbox_writable, agent.env)
    elsewhere = secrets.kept_elsewhere(os.environ, agent.env, os.path.realpath(home))
    return Wanted(
        level=level,
        network=agent.entry.sandbox_network,
        home=home,
        roots=tuple(roots),
        writable=tuple(writable),
        readable=(*_filled_in(agent.entry.sandbox_readable, agent.env), *_places_of(agent, home)),
        hidden=(*_of_others(agent, catalog.all(), writable, roots), *elsewhere),
        ours=_ours(settings),
        open_to_agents=(str(settings.data_dir / "scratch"), *ours),
        shared=tuple(shared),
        temporary=tuple(filter(None, [agent.env.get("TMPDIR")])),
    )


def seen_by(
    catalog: Catalog,
    agent_id: str,
    level: Literal["standard", "strict"],
    roots: Sequence[str],
    shared: Sequence[str] = (),
) -> View:
    """What the agent sees. It could ask us to read or write the rest for it. Blocks; raises Conflict."""
    return view_of(_wanted(catalog, catalog.describe(agent_id), level, roots, (), shared))


def _home_of(agent: Agent) -> str:
    return agent.env.get("HOME") or os.path.expanduser("~")


def _filled_in(paths: Iterable[str], env: Mapping[str, str]) -> list[str]:
    """With `~` and variables as the agent has them; a path with an unknown variable is left out."""
    found = []
    for path in paths:
        if path == "~" or path.startswith("~/"):
            path = env.get("HOME", os.path.expanduser("~")) + path[1:]
        if all(env.get(name) for name in _VARIABLE.findall(path)):
            path = _VARIABLE.sub(lambda match: env[match[1]], path)
            if path.startswith("/"):
                found.append(path)
    return found


def _of_others(
    agent: Agent, others: Iterable[Agent], own: Iterable[str], roots: Iterable[str]
) -> Iterator[str]:
    """Folders of other agents, which may contain their keys, except those that both use."""
    mine = [os.path.normpath(path) for path in (*own, *roots)]
    for other in others:
        if other.id != agent.id:
            for path in map(os.path.normpath, _filled_in(other.entry.sandbox_writable, other.env)):
                if not any(is_within(kept, path) or (kept in own and is_within(path, kept)) for kept in mine):
                    yield path


def _ours(settings: Settings) -> tuple[str, ...]:
    config = config_path(os.environ)
    if config.parent.name.lower() != "voxpilot":
        return str(settings.data_dir), str(config)
    with suppress(OSError):  # so that it is hidden even if its first file is written later
        config.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    return str(settings.data_dir), str(config.parent)


def _places_of(agent: Agent, home: str) -> Iterator[str]:
    """Where its program is installed, and the interpreter that a script names."""
    programs = [agent.path] if agent.path else []
    for program in programs:
        yield from _installed_with(program, home)
        if (named := _interpreter(program)) and len(programs) < 4:
            found = search_path.find_program(named, agent.search_path)
            programs += [found] if found and found not in programs else []
    if agent.is_ours:
        yield str(Path(voxpilot.__file__).parent)


def _installed_with(program: str, home: str) -> Iterator[str]:
    whole = {os.path.normpath(path) for path in (home, os.path.realpath(home))}
    for path in (program, os.path.realpath(program)):
        folder = os.path.dirname(path)
        above = os.path.dirname(folder)
        if "/node_modules/" in path:
            yield path[: path.index("/node_modules/")] + "/node_modules"
        elif os.path.basename(folder) in ("bin", "sbin") and not any(is_within(one, above) for one in whole):
            if os.path.basename(above) == ".local":
                yield from (folder, os.path.join(above, "lib"))
            else:
                yield above
        elif folder in whole:
            yield path
        else:
            yield folder


def _interpreter(program: str) -> str | None:
    try:
        with open(program, "rb") as file:
            line = file.readline(_FIRST_LINE).decode(errors="replace")
    except OSError:
        return None
    words = line.removeprefix("#!").split() if line.startswith("#!") else []
    if words and os.path.basename(words[0]) == "env":
        words = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
    return words[0] if words else None
