"""The `voxpilot` command and its small words: stop, token, link, agents.

Lives here too: starting the command as a person would, for its other stories.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.conftest import StartServer
from tests.fakes.script import chunks, say, script, silent, spoken_by, wait_file
from tests.kit.agent_log import AgentLog
from tests.kit.client import Api
from tests.kit.config import MARK, scripted_agents, write_config
from tests.kit.processes import is_alive, marked
from tests.kit.server import ServerProcess, free_port
from tests.kit.sse import Viewer
from tests.kit.waiting import until


class Command:
    """A running `voxpilot …`, with everything it prints kept. On a terminal, all of it is `out`."""

    def __init__(
        self, words: tuple[str, ...], env: dict[str, str], cwd: Path, typed: str | None, terminal: bool
    ) -> None:
        self._pty, ours = os.openpty() if terminal else (-1, -1)
        output = ours if terminal else subprocess.PIPE
        with tempfile.TemporaryFile() as given:
            given.write((typed or "").encode())
            given.seek(0)
            self.process = subprocess.Popen(
                [sys.executable, "-m", "voxpilot", *words],
                env=env,
                cwd=cwd,
                stdin=ours if terminal else given,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        self._printed = (bytearray(), bytearray())
        self._files = [file.fileno() for file in (self.process.stdout, self.process.stderr) if file]
        if terminal:
            os.close(ours)
            self._files = [self._pty]
        for file in self._files:
            os.set_blocking(file, False)

    @property
    def out(self) -> str:
        return self._printed[0].decode(errors="replace")

    @property
    def err(self) -> str:
        return self._printed[1].decode(errors="replace")

    def look(self) -> None:
        """Take in what was printed so far."""
        for file, printed in zip(self._files, self._printed, strict=False):
            with suppress(OSError):  # nothing there now, or a terminal whose other side is closed
                while data := os.read(file, 1 << 16):
                    printed += data

    async def prints(self, text: str, times: int = 1, within: float = 20.0) -> None:
        """Wait until the text stands in either output, so many times."""

        def found() -> bool:
            self.look()
            return (self.out + self.err).count(text) >= times

        await until(found, within, lambda: f"no {text!r} in {self.out[-2000:]!r} or {self.err[-2000:]!r}")

    def stop_reading(self) -> None:
        """As `head` does once it has enough."""
        assert self.process.stdout
        self.process.stdout.close()
        self._files[0] = os.open(os.devnull, os.O_RDONLY)

    def types(self, text: str) -> None:
        os.write(self._pty, text.encode())

    async def ends(self, within: float = 30.0) -> int:
        """Its exit code."""

        def ended() -> bool:
            self.look()
            return self.process.poll() is not None

        await until(ended, within, lambda: f"it does not end: {self.out[-2000:]!r} {self.err[-2000:]!r}")
        self.look()
        return int(self.process.returncode)

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        if self._pty >= 0:
            os.close(self._pty)
        for file in (self.process.stdout, self.process.stderr):
            if file:
                file.close()


Voxpilot = Callable[..., Command]
Finished = Callable[..., Awaitable[Command]]


@pytest.fixture
def port() -> int:
    return free_port()


@pytest.fixture
async def voxpilot(place: Path, workspace: Path, mark: str, port: int) -> AsyncIterator[Voxpilot]:
    """Start the command in the workspace, where it finds the server of this test, if there is one."""
    async with AsyncExitStack() as commands:

        def start(*words: str, typed: str | None = None, terminal: bool = False) -> Command:
            if not (place / "config.toml").exists():
                write_config(place / "config.toml", scripted_agents(place))
            ours = ("VOXPILOT_", "PYTHONUNBUFFERED")
            env = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
            env |= {
                MARK: mark,
                "VOXPILOT_PORT": str(port),
                "VOXPILOT_DATA_DIR": str(place / "data"),
                "VOXPILOT_CONFIG": str(place / "config.toml"),
            }
            command = Command(words, env, workspace, typed, terminal)
            commands.callback(command.close)
            return command

        yield start


@pytest.fixture
def finished(voxpilot: Voxpilot) -> Finished:
    """Run the command to its end."""

    async def run(*words: str, **more: Any) -> Command:
        command = voxpilot(*words, **more)
        await command.ends()
        return command

    return run


def code(command: Command) -> int:
    return int(command.process.returncode)


async def test_stop_ends_the_server_and_its_agents(
    server: ServerProcess, api: Api, finished: Finished, workspace: Path, agent_log: AgentLog, mark: str
) -> None:
    chat = (await api.create_chat(workspace, agent="scripted-ignore-eof"))["id"]
    await api.prompt(chat, script(say("begun"), silent()))
    async with Viewer(server.url, server.token, chat) as viewer:
        await viewer.read_until("text-delta")
        done = await finished("stop")
    assert (code(done), done.out) == (0, f"Stopped the server (pid {server.pid}).\n")
    assert not is_alive(server.pid)
    assert agent_log.starts()
    assert marked(mark) == []
    assert await server.wait_for_exit() == 0


async def test_stop_ends_agents_whose_server_was_killed_and_nothing_they_said_is_lost(
    server: ServerProcess, api: Api, finished: Finished, workspace: Path, mark: str, place: Path
) -> None:
    prompt = script(chunks(50), wait_file(place / "go"), chunks(50), silent())
    chat = (await api.create_chat(workspace))["id"]
    await api.prompt(chat, prompt)
    async with Viewer(server.url, server.token, chat) as viewer:
        await viewer.read_until("text-delta")
        await server.kill()
    (place / "go").touch()
    log = AgentLog(place / "agent.jsonl")
    await until(lambda: len(log.sent("session/update")) >= 100)
    assert marked(mark)

    done = await finished("stop")
    assert (code(done), done.out) == (0, "No server was running.\nEnded 1 agent left without a server.\n")
    assert marked(mark) == []

    await server.start()
    async with Viewer(server.url, server.token, chat) as viewer:
        seen = await viewer.read_until("turn-ended")
    assert "".join(event.data["content"] for event in seen if event.kind == "text-delta") == spoken_by(prompt)
    assert seen[-1].data["stop_reason"] == "interrupted"


async def test_stop_with_nothing_running_says_so(finished: Finished, place: Path) -> None:
    done = await finished("stop")
    assert (code(done), done.out, done.err) == (0, "No server was running.\n", "")
    assert not (place / "data").exists()


async def test_the_token_is_the_one_the_server_takes(finished: Finished, start_server: StartServer) -> None:
    before = await finished("token")
    server = await start_server()
    after = await finished("token")
    assert before.out == after.out == server.token + "\n"
    async with Api(server.url, after.out.strip()) as client:
        assert (await client.me())["device"] == "a script"


@pytest.mark.parametrize(
    ("words", "base"),
    [
        ((), "http://voxpilot.localhost:{port}"),
        (("--host-url", "https://laptop.example:8460/ignored"), "https://laptop.example:8460"),
        (("--host-url", "laptop:8460"), "http://laptop:8460"),
    ],
)
async def test_a_link_signs_in_once(
    server: ServerProcess, finished: Finished, words: tuple[str, ...], base: str
) -> None:
    done = await finished("link", *words)
    assert code(done) == 0
    address, found, secret = done.out.rstrip("\n").partition("/#code=")
    assert (address, found) == (base.format(port=server.port), "/#code=")
    assert "within 10 minutes" in done.err
    statuses = [
        httpx2.post(f"{server.url}/api/login", json={"code": secret}, trust_env=False).status_code
        for _ in range(2)
    ]
    assert statuses == [200, 401]


async def test_a_link_needs_a_server(finished: Finished) -> None:
    done = await finished("link")
    assert (code(done), done.out) == (1, "")
    assert "No server is running on " in done.err
    assert "`voxpilot serve`" in done.err


async def test_agents_are_listed_with_where_they_are_or_how_to_get_them(
    start_server: StartServer, finished: Finished
) -> None:
    server = await start_server(agents={"gone": {"command": "no-such-program", "install_hint": "get it"}})
    await server.interrupt()  # the list needs none
    lines = (await finished("agents")).out.splitlines()
    rows = {line.split()[0]: line for line in lines}
    assert rows["gone"].split()[2:] == ["missing", "get", "it"]
    assert " found  " in rows["scripted"]

    listed = json.loads((await finished("agents", "--json")).out)
    by_id = {agent["id"]: agent for agent in listed}
    assert by_id["gone"]["found"] is None
    assert by_id["gone"]["install_hint"] == "get it"
    assert Path(by_id["scripted"]["found"]).exists()
    assert by_id["copilot"]["command"] == "copilot"


async def test_the_version_is_told(finished: Finished) -> None:
    assert (await finished("--version")).out.startswith("voxpilot 0.")


async def test_voxpilot_alone_serves(voxpilot: Voxpilot, finished: Finished) -> None:
    alone = voxpilot()
    await alone.prints("Sign in: http://voxpilot.localhost:")
    assert code(await finished("stop")) == 0
    assert await alone.ends() == 0
