"""One server on one data directory, whatever happens to the files in it."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import anyio
import httpx2
import pytest

from tests.conftest import StartServer
from tests.fakes.script import say, script, wait_file
from tests.kit.clients.client import Api
from tests.kit.clients.driver import talking
from tests.kit.machine.processes import look_at
from tests.kit.peers.agent_log import AgentLog
from tests.kit.servers.server import ServerProcess
from tests.kit.waiting import until
from tests.web.serving.second_server import another


async def test_without_its_lock_file_a_server_still_holds_its_data(start_server: StartServer) -> None:
    first = await start_server()
    (first.data_dir / "server.lock").unlink()
    second = another(first, first.config.parent / "second")
    second.spawn()
    assert await second.wait_for_exit() == 1
    assert "already running" in second.stderr
    assert "Traceback" not in second.stderr
    lock = first.data_dir / "server.lock"
    await until(
        lambda: lock.exists() and str(first.pid) in lock.read_text(), 10, "the mark was not rewritten"
    )
    stopped = subprocess.run(
        [sys.executable, "-m", "voxpilot", "stop"], env=first.environment_of_others(), capture_output=True
    )
    assert f"pid {first.pid}".encode() in stopped.stdout
    assert not first.is_running


async def test_a_server_whose_data_directory_is_moved_leaves(start_server: StartServer, place: Path) -> None:
    server = await start_server()
    server.data_dir.rename(place / "elsewhere")
    assert await server.wait_for_exit() == 0
    assert "the data directory was moved, deleted or replaced" in server.stderr
    assert not server.data_dir.exists(), "nothing is written to the old place"
    (place / "elsewhere").rename(server.data_dir)
    await server.start()


async def test_a_database_deleted_under_a_running_server_is_saved(
    start_server: StartServer, workspace: Path
) -> None:
    server = await start_server()
    async with Api(server.url, server.token) as api:
        chat = (await api.create_chat(workspace))["id"]
    for path in server.data_dir.glob("voxpilot.db*"):
        path.unlink()
    await server.wait_for_exit()
    server.spawn()
    assert await server.wait_for_exit() == 1
    [copy] = (server.data_dir / "backups").glob("*.db")
    assert str(copy) in server.stderr
    shutil.copy(copy, server.database)
    await server.start()
    async with Api(server.url, server.token) as api:
        assert [found["id"] for found in (await api.chats())["chats"]] == [chat]


async def test_a_server_leaves_even_if_its_deleted_database_cannot_be_saved(
    start_server: StartServer,
) -> None:
    """It used to stay, and to accept messages into the deleted file."""
    server = await start_server()
    (server.data_dir / "backups").write_text("not a folder, or a disk that is full")
    for path in server.data_dir.glob("voxpilot.db*"):
        path.unlink()
    assert await server.wait_for_exit() == 0
    assert "could not be copied" in server.stderr
    assert "Traceback" not in server.stderr


async def test_with_its_database_gone_a_server_does_not_start_and_its_agents_work_on(
    start_server: StartServer, workspace: Path, agent_log: AgentLog
) -> None:
    """B3: it used to start over silently, end the agents and delete their journals."""
    server = await start_server()
    async with talking(server, workspace) as talk:
        turn = await talk.send(script(say("before "), wait_file(workspace / "go"), say("after")))
        await talk.says("before ")
        await server.kill()
        aside = server.data_dir.parent / "aside"
        aside.mkdir()
        for path in server.data_dir.glob("voxpilot.db*"):
            path.rename(aside / path.name)
        journals = hashes(server.data_dir / "keepers")
        server.spawn()
        assert await server.wait_for_exit() == 1
        assert "is missing, but this data directory has been used before" in server.stderr
        assert "voxpilot restore" in server.stderr
        assert "Traceback" not in server.stderr
        assert hashes(server.data_dir / "keepers") == journals
        [agent] = agent_log.starts()
        assert look_at(agent) is not None
        for path in aside.iterdir():
            path.rename(server.data_dir / path.name)
        await server.start()
        (workspace / "go").touch()
        await talk.ended(turn)
        await talk.judge("before after")


async def test_a_chat_deleted_by_several_at_once_is_deleted_for_all(
    server: ServerProcess, api: Api, workspace: Path
) -> None:
    """It used to respond with 500 after deleting."""
    chat = (await api.create_chat(workspace))["id"]
    await api.prompt(chat, script(say("hello"), wait_file(workspace / "never")))
    statuses: list[int] = []

    async def delete() -> None:
        statuses.append((await api.request("DELETE", f"/api/chats/{chat}")).status_code)

    async def post() -> None:
        reply = await api.request("POST", f"/api/chats/{chat}/messages", json={"text": "x", "key": "k"})
        statuses.append(reply.status_code)

    async with anyio.create_task_group() as tasks:
        for act in (delete, delete, post, delete, post):
            tasks.start_soon(act)
            await anyio.sleep(0.01)
    assert set(statuses) <= {202, 204, 404}, statuses
    assert statuses.count(204) >= 1
    assert (await api.request("DELETE", f"/api/chats/{chat}")).status_code == 404


@pytest.mark.parametrize("point", ["before-deletion", "after-deletion"])
async def test_a_server_killed_within_a_deletion_finishes_it_and_leaves_no_agent(
    start_server: StartServer, workspace: Path, point: str
) -> None:
    server = await start_server(kill_point=point)
    async with Api(server.url, server.token) as api:
        chat = (await api.create_chat(workspace))["id"]
        await api.prompt(chat, script(say("hello")))
        with pytest.raises(httpx2.TransportError):
            await api.delete_chat(chat)
        await server.wait_for_exit()
    await server.start()
    async with Api(server.url, server.token) as api:

        async def is_gone() -> bool:
            return not (await api.chats())["chats"]

        await until(is_gone, 20, "the deletion was not finished")
        await until(lambda: not os.listdir(server.data_dir / "keepers"), 20, "a keeper was left")


def hashes(folder: Path) -> dict[str, str]:
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.rglob("journal.*")}
