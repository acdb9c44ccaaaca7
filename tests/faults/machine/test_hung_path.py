"""A folder of PATH on a hung disk: programs elsewhere are found, and nothing waits for it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import anyio

from tests.fakes.script import agent_command
from tests.faults.machine.hung_disk import alive, needs_fuse
from tests.kit.clients.client import Api
from tests.kit.clients.driver import SLACK, talking
from tests.kit.machine.hung import hung_folder
from tests.kit.servers.config import MARK, scripted, write_config
from tests.kit.servers.server import ServerProcess
from tests.kit.waiting import until
from voxpilot import search_path
from voxpilot.agents.installed.short_run import printed_by

BOUND = 10.0 * SLACK


@needs_fuse
def test_a_program_is_found_behind_a_folder_that_does_not_answer(place: Path) -> None:
    found: list[str | None] = []
    with hung_folder(place / "mounted") as folder:
        began = time.monotonic()
        for name in ("sh", "ls", "no-such-program", "sh"):
            found.append(search_path.find_program(name, f"{folder}:/usr/bin:/bin"))
        took = time.monotonic() - began
        kept = search_path.answering(f"{folder}:/usr/bin")
        assert search_path.silent(f"{folder}:/usr/bin") == [str(folder)]
    assert found == [shutil.which("sh"), shutil.which("ls"), None, shutil.which("sh")]
    assert took < 3, "each look waits for the same disk"
    assert kept == "/usr/bin"


@needs_fuse
def test_a_link_to_a_program_that_does_not_answer_hides_no_other(place: Path) -> None:
    programs = place / "bin"
    programs.mkdir()
    (programs / "good").symlink_to("/bin/sh")
    with hung_folder(place / "mounted") as folder:
        (programs / "bad").symlink_to(folder / "program")
        assert search_path.find_program("bad", str(programs)) is None
        assert search_path.find_program(f"{programs}/bad", None) is None
        assert search_path.find_program("good", str(programs)) == str(programs / "good")


@needs_fuse
def test_a_program_that_cannot_be_ended_is_left_behind(place: Path) -> None:
    """A process that waits for a disk cannot be killed, even by SIGKILL, before the disk responds."""
    with hung_folder(place / "mounted") as folder:
        began = time.monotonic()
        printed_by(["/bin/sh", "-c", f"cat {folder}/a"], dict(os.environ), "/", 0.5)
        assert time.monotonic() - began < 5


@needs_fuse
async def test_agents_are_listed_and_work_with_a_folder_of_path_that_does_not_answer(
    place: Path, mark: str, workspace: Path
) -> None:
    programs = place / "programs"
    programs.mkdir()
    command = agent_command()
    (programs / "bare-agent").write_text(
        '#!/bin/sh\nexec {} "$@"\n'.format(" ".join(f"'{word}'" for word in command))
    )
    (programs / "bare-agent").chmod(0o755)
    bare = {"command": "bare-agent", "args": [], "pass_env": [MARK]}
    nowhere = {"command": "no-such-agent", "args": [], "pass_env": [MARK]}
    agents = {"bare": bare, "nowhere": nowhere, "scripted": scripted()}
    config = write_config(place / "config.toml", agents)
    folder = place / "mounted"
    folder.mkdir()
    said = place / "said"
    path = f"{folder}:{programs}:{os.environ['PATH']}"
    # A process cannot exit while one of its threads waits for a disk: the server ends after the block.
    async with ServerProcess(place / "data", config, env={MARK: mark, "PATH": path}) as server:
        with hung_folder(folder):
            async with alive(server), Api(server.url, server.token) as api:
                with anyio.fail_after(BOUND):
                    listed = {one["id"]: one for one in (await api.call("GET", "/api/agents"))["agents"]}
                assert listed["bare"]["found"] == str(programs / "bare-agent")
                assert listed["nowhere"]["found"] is None
                async with talking(server, workspace, "bare") as talk:
                    await talk.run("say hello")
                    assert talk.text() == "hello"
                async with talking(server, workspace, "nowhere") as talk:
                    error = (await talk.run("say hello"))["error"]
                    assert "not found" in error["message"]
                    assert f"did not respond: {folder}" in error["hint"]
                child = command_of(server, "agents", said)
                await until(lambda: b"bare-agent" in said.read_bytes(), BOUND, "the command does not answer")
        await anyio.to_thread.run_sync(child.wait)


def command_of(server: ServerProcess, command: str, output: Path) -> subprocess.Popen[bytes]:
    with output.open("wb") as file:
        words = [sys.executable, "-m", "voxpilot", command]
        return subprocess.Popen(words, stdout=file, env=server.environment_of_others())
