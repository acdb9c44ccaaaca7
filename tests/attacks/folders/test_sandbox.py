"""A sandboxed agent that tries to escape: what it reads, writes, reaches and signals."""

from __future__ import annotations

import json
import os
import pty
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import StartServer
from tests.fakes import burglar
from tests.fakes.script import AGENT, chunks, request, say, script
from tests.kit.clients.driver import talking
from tests.kit.machine.processes import marked
from tests.kit.peers.agent_log import AgentLog
from tests.kit.servers.config import MARK, scripted
from tests.kit.servers.server import ServerProcess
from tests.kit.waiting import until

KINDS = ("bwrap", "landlock")
LEVELS = ("standard", "strict")
BURGLAR = Path(burglar.__file__)
READABLE = [str(AGENT.parents[2]), sys.prefix, sys.base_prefix]
IN_HOME = (
    ".ssh/id_ed25519", ".gnupg/private.key", ".aws/credentials", ".netrc", ".git-credentials",
    ".config/gh/hosts.yml", ".npmrc", ".bash_history", ".mozilla/profile/cookies.sqlite",
    ".docker/config.json", ".kube/config", ".codex/auth.json", ".claude.json",
    ".local/share/keyrings/login.keyring",
)  # fmt: skip
IN_A_FOLDER = ".config/desktop/agent.sock"


@pytest.fixture
def terminal() -> Iterator[str]:
    """Another terminal of the person."""
    ours, theirs = pty.openpty()
    yield os.ttyname(theirs)
    os.close(ours)
    os.close(theirs)


@pytest.fixture
def place(mark: str) -> Iterator[Path]:
    """Not in the temporary folder, which is private in a sandbox anyway."""
    above = Path.home() / ".cache"
    above.mkdir(exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=f"voxpilot-{mark}-", dir=above))
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def home(place: Path) -> Path:
    home = place / "home"
    for name in (*IN_HOME, "notes.txt", ".bashrc", ".mine/state"):
        file = home / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"secret of {name}")
    return home


@pytest.fixture
def workspace(place: Path, home: Path) -> Path:
    folder = home / "project"
    folder.mkdir()
    subprocess.run(["git", "init", "-q", folder], check=True)
    (folder / "link").symlink_to(home / ".ssh" / "id_ed25519")
    (folder / "folder").symlink_to(place / "data")
    return folder


def entry(level: str, plan: Path, report: Path, **more: Any) -> dict[str, Any]:
    """An agent that first tries to escape from its own process, and then behaves normally."""
    command = " ".join(f"'{word}'" for word in (sys.executable, "-I", "-S", str(BURGLAR), str(plan)))
    agent = " ".join(f"'{word}'" for word in (sys.executable, "-I", "-S", str(AGENT)))
    return {
        "command": "/bin/sh",
        "args": ["-c", f"{command} > '{report}'; exec {agent}"],
        "pass_env": [MARK],
        "sandbox": level,
        "sandbox_writable": ["~/.mine/"],
        "sandbox_readable": READABLE,
        **more,
    }


def plan_for(
    place: Path,
    home: Path,
    workspace: Path,
    port: int,
    abstract: str,
    pids: list[int],
    terminal: str = "/dev/pts/0",
) -> dict[str, Any]:
    data = place / "data"
    keepers = data / "keepers"
    return {
        "read": [
            str(data / "token"), str(data / "voxpilot.db"), str(place / "config.toml"),
            *(str(home / name) for name in (*IN_HOME, "notes.txt", ".mine/state")),
            str(workspace / "link"), str(workspace / "folder" / "token"), "/etc/shadow",
        ],
        "list": [str(data), str(keepers), str(home / ".ssh"), "/run"],
        "write": [
            str(workspace / "made"), str(home / ".mine" / "made"), "/tmp/made", str(home / ".bashrc"),
            str(home / "made"), str(place / "made"), str(data / "made"), "/etc/made", "/usr/made",
            "/var/lib/made", "/dev/made",
            str(workspace / ".git" / "hooks" / "made"), str(workspace / ".git" / "config"),
        ],
        "open": [
            "/proc/sys/kernel/core_pattern", "/proc/sys/kernel/modprobe", "/proc/sysrq-trigger",
            "/proc/sys/vm/drop_caches", "/sys/kernel/uevent_helper", "/sys/power/state", "/dev/mem",
            "/dev/kmsg", "/dev/vda", "/dev/sda", "/dev/nvme0n1", "/etc/passwd", terminal,
        ],
        "connect": [
            f"@{abstract}", str(home / "service"), str(place / "service"), "/run/dbus/system_bus_socket",
            str(home / IN_A_FOLDER),
        ],
        "processes": pids,
        "uncover": [str(home), str(data), "/run"],
        "workspace": str(workspace),
        "port": port,
    }  # fmt: skip


@pytest.fixture
def services(place: Path, home: Path, mark: str) -> Iterator[str]:
    """Sockets as on a desktop; one of them is abstract, and its name is returned."""
    (home / IN_A_FOLDER).parent.mkdir(parents=True)
    names = [home / "service", place / "service", home / IN_A_FOLDER, f"\0{mark}"]
    listeners = [socket.socket(socket.AF_UNIX) for _ in names]
    for listener, name in zip(listeners, names, strict=True):
        listener.bind(str(name))
        listener.listen()
    yield mark
    for listener in listeners:
        listener.close()


async def broken_into(
    start_server: StartServer, place: Path, home: Path, kind: str, agent: dict[str, Any]
) -> ServerProcess:
    env = {"HOME": str(home), **({"VOXPILOT_SANDBOX_WITH": "landlock"} if kind == "landlock" else {})}
    return await start_server(agents={"burglar": agent}, settings={"trusted_folders": [str(place)]}, env=env)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("kind", KINDS)
async def test_nothing_outside_is_read_written_reached_or_signalled(
    start_server: StartServer,
    place: Path,
    home: Path,
    workspace: Path,
    services: str,
    terminal: str,
    kind: str,
    level: str,
) -> None:
    """By the agent itself, and by a command that we run for it."""
    report, planned = workspace / "report.json", workspace / "plan.json"
    server = await broken_into(start_server, place, home, kind, entry(level, planned, report))
    pids = [os.getpid(), server.pid]
    plan = plan_for(place, home, workspace, server.port, services, pids, terminal)
    planned.write_text(json.dumps(plan))
    command = [sys.executable, "-I", "-S", str(BURGLAR), str(planned)]
    async with talking(server, workspace, "burglar") as talk:
        await talk.run(script(say("hello")))
        status = [e.data for e in talk.viewer.events if e.kind == "agent-status"][-1]
        assert status.get("sandbox") == level, str(talk.of_kind("turn-ended")[-1])
        by_agent = json.loads(report.read_text())
        made = request("terminal/create", {"command": command[0], "args": command[1:]})
        turn = await talk.send(script(made, request("terminal/wait_for_exit", {"terminalId": "$terminalId"})))
        await talk.answer(await talk.question(), "allow")
        await talk.ended(turn)
        printed = "".join(row.data["data"] for row in talk.rows() if row.kind == "terminal-output")
        by_command = json.loads(printed)
    for found in (by_agent, by_command):
        if (kind, level) == ("landlock", "standard"):
            found.pop(f"open {terminal}")  # either the whole folder of terminals is open, or none of them
        judge(found, home, workspace, kind, level)
    assert not (home / "made").exists()
    assert not (place / "made").exists()


def judge(found: dict[str, Any], home: Path, workspace: Path, kind: str, level: str) -> None:
    assert found.pop("server") == 401, "the server is there, and gives nothing without the token"
    assert not [name for name in found.pop("environment") if "TOKEN" in name or name.startswith("DBUS")]
    expected = {f"write {workspace}/made", f"write {home}/.mine/made", f"read {home}/.mine/state"}
    if level == "standard":
        expected.add(f"read {home}/notes.txt")
    if kind == "bwrap":
        expected.add("write /tmp/made")
        expected |= {"list /run"} if level == "standard" else set()
        assert found["list /run"] in (None, "done"), "nothing is in it"
        (data,) = (name for name in found if name.startswith("list ") and name.endswith("/data"))
        assert found[data] == ["uploads"], "the files attached in this chat, and nothing else"
        expected.add(data)
    else:  # Landlock cannot exclude part of a folder that it grants
        expected |= {f"write {workspace}/.git/hooks/made", f"write {workspace}/.git/config", "repository"}
    got = {name for name, what in found.items() if what is not None}
    assert got - expected == set(), {name: found[name] for name in got - expected}
    assert expected - got == set()
    assert not [what for what in found.values() if "secret of .ssh" in str(what)]


@pytest.mark.parametrize("above", ["home", "place"])
async def test_a_folder_that_holds_secrets_shows_all_but_them(
    start_server: StartServer, place: Path, home: Path, workspace: Path, services: str, above: str
) -> None:
    """The workspace is the home folder, or contains it together with our own data."""
    chosen = home if above == "home" else place
    config = place / "settings" / "voxpilot" / "config.toml"
    report = home / "report.json"
    planned = workspace / "plan.json"
    planned.write_text(json.dumps(plan_for(place, home, workspace, 1, services, [])))
    agent = entry("standard", planned, report)
    server = await start_server(agents={"burglar": agent}, settings={"trusted_folders": [str(place)]})
    await server.terminate()
    config.parent.mkdir(parents=True)
    (place / "config.toml").rename(config)
    server.config = config
    server.env["HOME"] = str(home)
    await server.start()
    async with talking(server, chosen, "burglar") as talk:
        await talk.run(script(say("hello")))
        found = json.loads(report.read_text())
    shown = {name for name, what in found.items() if name.startswith("read ") and what is not None}
    assert shown == {f"read {home}/notes.txt", f"read {home}/.mine/state"}
    for name in ("list", "uncover"):
        assert found[f"{name} {place}/data"] in (None, "done", ["uploads"])  # what was attached in this chat
    assert found[f"write {home}/made"] == "done"
    assert found[f"write {place}/data/made"] is None


async def test_a_sandboxed_agent_outlives_the_server_and_ends_with_all_it_started(
    start_server: StartServer, place: Path, home: Path, workspace: Path, mark: str
) -> None:
    """Killed while it speaks: the agent continues in its sandbox, and each word is there once."""
    agent = {**scripted(), "sandbox": "standard", "sandbox_readable": READABLE}
    server = await broken_into(start_server, place, home, "bwrap", agent)
    async with talking(server, workspace, "burglar") as talk:
        turn = await talk.send(script(chunks(200, every_ms=10), say("the end")))
        await talk.says("1")
        await server.kill()
        await server.start()
        await talk.ended(turn)
        await talk.judge()
        assert talk.text().endswith("the end")
        status = [e.data for e in talk.viewer.events if e.kind == "agent-status"][-1]
        assert status["sandbox"] == "standard"
    await server.interrupt()
    await until(lambda: not marked(mark), 10, "a process is left")


async def test_a_sandbox_that_the_settings_file_takes_away_is_asked_about(
    start_server: StartServer, place: Path, home: Path, workspace: Path
) -> None:
    """Anyone who can write that file could otherwise start the agent without its sandbox."""
    agent = {
        **scripted(),
        "sandbox": "standard",
        "sandbox_readable": READABLE,
    }
    server = await broken_into(start_server, place, home, "bwrap", agent)
    async with talking(server, workspace, "burglar") as talk:
        await talk.run(script(say("one")))
        config = server.config.read_text()
        server.config.write_text(config.replace('sandbox = "standard"', 'sandbox = "off"'))
        await talk.api.call("GET", "/api/settings")
        await talk.api.restart(talk.id)
        await talk.send(script(say("two")))
        question = await talk.question()
        assert "in a sandbox: standard" in question["detail"]["before"]
        assert question["detail"]["text"].endswith("without a sandbox")


async def test_without_a_sandbox_that_does_what_was_chosen_the_agent_is_not_started(
    start_server: StartServer, place: Path, home: Path, workspace: Path
) -> None:
    agent = {**scripted(), "sandbox": "strict", "sandbox_network": False}
    server = await broken_into(start_server, place, home, "landlock", agent)
    async with talking(server, workspace, "burglar") as talk:
        end = await talk.run(script(say("one")))
        assert "blocking its network requires bubblewrap" in end["error"]["message"]
        assert "Install bubblewrap" in end["error"]["hint"]
        assert not talk.text()


async def test_what_a_sandbox_hides_is_not_read_for_the_agent_either(
    start_server: StartServer, place: Path, home: Path
) -> None:
    """The chat's folder is the home folder, so it contains the secrets."""
    log = AgentLog(home / "agent.jsonl")
    agent = {**scripted(log=log.path), "sandbox": "standard", "sandbox_readable": READABLE}
    server = await broken_into(start_server, place, home, "bwrap", agent)
    (home / "link").symlink_to(home / ".ssh" / "id_ed25519")
    async with talking(server, home, "burglar") as talk:
        names = (".ssh/id_ed25519", "link", ".netrc", "notes.txt")
        wishes = [request("fs/read_text_file", {"path": str(home / name)}) for name in names]
        await talk.run(script(*wishes, say("done")))
    given = str([frame for frame in log.received() if "method" not in frame])
    assert "secret of notes.txt" in given
    assert given.count("secret of") == 1


async def test_what_a_sandbox_protects_is_not_written_for_the_agent_either(
    start_server: StartServer, place: Path, home: Path, workspace: Path
) -> None:
    subprocess.run(["git", "init", "-q", str(workspace)], check=True)
    (workspace / "config").symlink_to(".git/config")
    log = AgentLog(workspace / "agent.jsonl")
    agent = {**scripted(log=log.path), "sandbox": "standard", "sandbox_readable": READABLE}
    server = await broken_into(start_server, place, home, "bwrap", agent)
    before = (workspace / ".git" / "config").read_text()
    async with talking(server, workspace, "burglar") as talk:
        names = (".git/hooks/pre-commit", ".git/config", "config")
        wishes = [
            request("fs/write_text_file", {"path": str(workspace / name), "content": "evil"})
            for name in names
        ]
        await talk.run(script(*wishes, say("done")))  # and no question is asked
    refused = [frame["error"] for frame in log.received() if "error" in frame]
    assert len(refused) == 3
    assert (workspace / ".git" / "config").read_text() == before
    assert not (workspace / ".git" / "hooks" / "pre-commit").exists()
