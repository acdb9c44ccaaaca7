"""A suspended terminal, a full pipe, a disk that does not respond: the server keeps working.

Each of these blocks any thread that writes or reads there. It must never be the server's loop.
"""

from __future__ import annotations

import asyncio
import os
import pty
import signal
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path

import anyio
import pytest

from tests.conftest import StartServer
from tests.faults.machine.hung_disk import alive, needs_fuse
from tests.kit.clients.client import Api, ApiError
from tests.kit.clients.driver import talking
from tests.kit.machine.hung import hung_folder
from tests.kit.servers.config import MARK, scripted_agents, write_config
from tests.kit.servers.server import ServerProcess, answers_health
from tests.kit.waiting import until
from voxpilot import threads
from voxpilot.assistant import toolbox
from voxpilot.assistant.shapes import ToolCall
from voxpilot.runtime.commands import create_chat
from voxpilot.runtime.shared.boundaries import real_path


@contextmanager
def held_terminal() -> Iterator[int]:
    """A terminal on which somebody pressed Ctrl-S."""
    ours, theirs = pty.openpty()
    try:
        termios.tcflow(theirs, termios.TCOOFF)
        yield theirs
    finally:
        os.close(ours)
        os.close(theirs)


@contextmanager
def full_pipe() -> Iterator[int]:
    """A full pipe that nobody reads."""
    ours, theirs = os.pipe()
    try:
        os.set_blocking(theirs, False)
        with suppress(BlockingIOError):
            while True:
                os.write(theirs, b"x" * 4096)
        os.set_blocking(theirs, True)
        yield theirs
    finally:
        os.close(ours)
        os.close(theirs)


@contextmanager
def dead_terminal() -> Iterator[int]:
    """A terminal whose window was closed."""
    ours, theirs = pty.openpty()
    os.close(ours)
    try:
        yield theirs
    finally:
        os.close(theirs)


@pytest.mark.parametrize("where", [held_terminal, full_pipe, dead_terminal], ids=lambda where: where.__name__)
async def test_a_server_whose_output_goes_nowhere_works_and_ends(
    place: Path, mark: str, workspace: Path, where: Callable[[], AbstractContextManager[int]]
) -> None:
    """B4: a log line, the sign-in link and the last output block nothing."""
    config = write_config(place / "config.toml", scripted_agents(place), {"log_level": "debug"})
    server = ServerProcess(place / "data", config, env={MARK: mark})
    with where() as output:
        child = subprocess.Popen(
            [sys.executable, "-m", "voxpilot", "serve"],
            env=server.environment_of_others(), stdin=subprocess.DEVNULL, stdout=output, stderr=output,
            cwd=place, start_new_session=True,
        )  # fmt: skip
        try:
            await until(lambda: answers_health(server.port), 20, "the server waits for its terminal")
            for number in range(3):  # each is a warning in the log
                config.write_text(f"no settings = = {number}\n", encoding="utf-8")
                await anyio.sleep(1.2)
                assert await answers_health(server.port), "a line in the log stopped the server"
            async with Api(server.url, server.token) as api:
                chat = await api.create_chat(workspace, "scripted")
                await api.prompt(chat["id"], "say hello")
            child.send_signal(signal.SIGINT)
            await until(lambda: child.poll() is not None, 20, "the server waits for its terminal at its end")
        finally:
            child.kill()
            child.wait()


async def test_lines_that_were_written_in_time_are_all_there(place: Path, mark: str) -> None:
    config = write_config(place / "config.toml", scripted_agents(place))
    server = ServerProcess(place / "data", config, env={MARK: mark})
    done = subprocess.Popen(
        [sys.executable, "-m", "voxpilot", "serve"], env=server.environment_of_others(),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=place, start_new_session=True,
    )  # fmt: skip
    await until(lambda: answers_health(server.port), 20, "the server did not start")
    done.send_signal(signal.SIGTERM)
    out, _ = await anyio.to_thread.run_sync(done.communicate)
    assert b"Sign in: http://" in out


async def problem_is(server: ServerProcess, words: str | None) -> None:
    """Wait until this is reported about the settings file."""

    async def is_told() -> bool:
        problem = (await api.settings())["problem"]
        return problem is None if words is None else words in (problem or "")

    async with Api(server.url, server.token) as api:
        await until(is_told, 30, "the state of the settings file is not reported")


@needs_fuse
async def test_a_settings_file_whose_disk_does_not_answer_changes_nothing_and_is_told(
    place: Path, mark: str, workspace: Path
) -> None:
    """B4: the last good settings stay in force, and are read again when the disk is back."""
    folder = place / "mounted"
    config = write_config(folder / "config.toml", scripted_agents(place))
    async with ServerProcess(place / "data", config, env={MARK: mark}) as server:
        with hung_folder(folder):
            async with alive(server):
                await problem_is(server, "is not responding")
                async with talking(server, workspace) as talk:
                    await talk.run("say still here")
                    with pytest.raises(ApiError):
                        await talk.api.call("PUT", "/api/settings", {"start_timeout": 77})
        await problem_is(server, None)


async def test_a_pipe_in_the_place_of_the_settings_file_is_told(start_server: StartServer) -> None:
    """B4: opening it would block until somebody writes to it."""
    server = await start_server()
    good = server.config.read_text(encoding="utf-8")
    async with alive(server):
        server.config.unlink()
        os.mkfifo(server.config)
        await problem_is(server, "not a regular file")
        os.rename(_fresh(server.config, good), server.config)
        await problem_is(server, None)


@needs_fuse
async def test_a_server_that_cannot_read_its_settings_says_so(place: Path, mark: str) -> None:
    with hung_folder(place / "mounted") as folder:
        server = ServerProcess(place / "data", folder / "config.toml", env={MARK: mark})
        child = subprocess.Popen(
            [sys.executable, "-m", "voxpilot", "serve"], env=server.environment_of_others(),
            stderr=subprocess.PIPE, cwd=place,
        )  # fmt: skip
        assert child.stderr is not None
        with anyio.fail_after(20):
            said = await anyio.to_thread.run_sync(child.stderr.readline, abandon_on_cancel=True)
    assert b"is not responding" in said
    with child.stderr:  # only now, because a process cannot exit while one of its threads waits for a disk
        assert await anyio.to_thread.run_sync(child.wait) == 1


@needs_fuse
async def test_a_folder_that_does_not_answer_holds_up_only_itself(
    start_server: StartServer, place: Path, workspace: Path
) -> None:
    """B4: a chat's folder, an agent's requests for it, and a new chat there."""
    server = await start_server()
    folder = place / "mounted"
    folder.mkdir()
    async with talking(server, workspace) as other, talking(server, folder) as talk:
        await talk.run("say before")
        with hung_folder(folder):
            async with alive(server):
                turn = await talk.send("say after")
                with pytest.raises(ApiError) as refused:
                    await talk.api.create_chat(folder / "new", "scripted")
                assert "is not responding" in refused.value.message
                for _ in range(8):  # more than the default number of threads
                    with anyio.move_on_after(0.05):
                        await talk.api.create_chat(folder / "more", "scripted")
                await other.run("say meanwhile")
                ended = await talk.ended(turn, 60)
                assert "not responding" in ended["error"]["message"]


MANY = 40
"""More looks than threads, for everything but the looks themselves."""


@needs_fuse
@pytest.mark.parametrize("way", ["itself", "a link", "a second folder"])
def test_looks_at_a_folder_that_does_not_answer_take_a_handful_of_threads(
    place: Path, workspace: Path, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """B4: whatever leads there, looks at other folders and all other threads continue."""
    monkeypatch.setattr(threads, "HUNG_SECONDS", 0.3)
    monkeypatch.setattr(threads, "IDLE_SECONDS", 0.1)
    (workspace / "a").write_text("here", encoding="utf-8")
    folder = place / "mounted"
    (workspace / "link").symlink_to(folder)
    roots, path = [str(folder)], "a"
    if way == "a link":
        roots, path = [str(workspace)], "link/a"
    elif way == "a second folder":
        roots, path = [str(workspace), str(folder)], f"{folder}/a"
    read = ToolCall("1", "read_file", {"path": path}, "")
    found: list[str] = []

    async def use_it() -> None:
        looks = [asyncio.create_task(toolbox.run(roots, read)) for _ in range(MANY)]
        await asyncio.wait(looks, timeout=5.0, return_when=asyncio.FIRST_COMPLETED)
        with suppress(TimeoutError):
            found.append((await asyncio.wait_for(toolbox.run(roots, read), 1)).content)
        healthy = ToolCall("2", "read_file", {"path": "a"}, "")
        found.append((await asyncio.wait_for(toolbox.run([str(workspace)], healthy), 5)).content)
        await asyncio.wait_for(create_chat.real_folder(str(workspace)), 5)
        found.append(await asyncio.wait_for(asyncio.to_thread(lambda: "free"), 5))
        for look in looks:
            look.cancel()

    with hung_folder(folder):
        before = threading.active_count()
        loop = threading.Thread(target=asyncio.run, args=(use_it(),), daemon=True)
        loop.start()
        loop.join(30)
        taken = threading.active_count() - before
        for _ in range(50):  # idle threads leave; those that hang stay
            if taken < MANY // 2:
                break
            time.sleep(0.1)
            taken = threading.active_count() - before
    loop.join(20)
    assert "is not responding" in found[0], "at once, because others hang there already"
    assert found[1:] == ["here", "free"]
    assert taken < MANY // 2


@needs_fuse
def test_many_paths_on_a_disk_that_does_not_answer_hold_up_a_step_once(place: Path, workspace: Path) -> None:
    """B4: whatever folders of it an agent names; its neighbours on other disks are seen as they are."""
    with hung_folder(place / "mounted") as folder:
        began = time.monotonic()
        found = {real_path(f"{folder}/{number}/a/b/c/d") for number in range(MANY)}
        took = time.monotonic() - began
        neighbour = real_path(str(workspace))
    assert found == {"/"}, "treated as outside"
    assert took < 2
    assert neighbour == os.path.realpath(workspace)


TOOLS: dict[str, dict[str, str]] = {
    "read_file": {"path": "a"},
    "list_directory": {},
    "grep_search": {"pattern": "a"},
    "glob_search": {"pattern": "*"},
    "git_diff": {},
    "git_show": {},
}


@needs_fuse
@pytest.mark.parametrize("tool", TOOLS)
def test_a_tool_in_a_folder_that_does_not_answer_leaves_the_loop_free(place: Path, tool: str) -> None:
    """B4: the loop runs in another thread, because a blocked one could not end the block."""
    turned = threading.Event()

    async def use_it(folder: str) -> None:
        call = ToolCall("1", tool, TOOLS[tool], "")
        using = asyncio.create_task(toolbox.run([folder], call, trusted=[folder]))
        await asyncio.sleep(0.3)
        turned.set()
        await using

    with hung_folder(place / "mounted") as folder:
        loop = threading.Thread(target=asyncio.run, args=(use_it(str(folder)),), daemon=True)
        loop.start()
        is_free = turned.wait(5)
    loop.join(20)
    assert is_free


def _fresh(neighbour: Path, text: str) -> Path:
    path = neighbour.with_suffix(".new")
    path.write_text(text, encoding="utf-8")
    return path
