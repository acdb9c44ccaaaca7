"""The server as a process: alone on its data, clear about its port, quick to exit, pinging when idle."""

from __future__ import annotations

import signal
import time
from contextlib import AsyncExitStack, suppress
from pathlib import Path

import anyio

from tests.conftest import StartServer
from tests.fakes.script import say, script, silent, text, tool
from tests.kit.clients.client import Api
from tests.kit.clients.sse import StreamEnded, Viewer, connect
from tests.kit.servers.shared_server import SharedServer
from tests.web.serving.second_server import another
from tests.web.streams.stuck import ENOUGH, stuck_reader

SLACK = 5


async def test_a_second_server_on_the_same_data_refuses_and_names_the_first(
    shared_server: SharedServer,
) -> None:
    second = another(shared_server.server, shared_server.folder / "second")
    second.spawn()
    assert await second.wait_for_exit() == 1
    assert (
        f"already running on {shared_server.server.data_dir}, pid {shared_server.server.pid}" in second.stderr
    )
    assert "Traceback" not in second.stderr
    assert (await shared_server.api.health())["status"] == "ok"


async def test_a_port_in_use_is_said_to_be(shared_server: SharedServer) -> None:
    second = another(
        shared_server.server,
        shared_server.folder / "port",
        shared_server.server.port,
        shared_server.folder / "other-data",
    )
    second.spawn()
    assert await second.wait_for_exit() == 1
    assert f"Cannot listen on 127.0.0.1:{shared_server.server.port}: Address already in use." in second.stderr
    assert "VOXPILOT_PORT" in second.stderr
    assert "Traceback" not in second.stderr


async def test_the_lock_of_a_killed_server_holds_nobody_up(start_server: StartServer) -> None:
    first = await start_server()
    await first.kill()
    second = another(first, first.config.parent / "second")
    async with second:
        async with Api(second.url, second.token) as api:
            assert (await api.health())["status"] == "ok"


async def test_told_to_leave_it_leaves_whatever_its_readers_do(
    start_server: StartServer, workspace: Path
) -> None:
    server = await start_server()
    async with AsyncExitStack() as streams, Api(server.url, server.token) as api:
        chat = (await api.create_chat(workspace))["id"]
        opened = []
        for path in [f"/api/chats/{chat}/stream", f"/api/stream?chats={chat}"] * 20:
            opened.append(await streams.enter_async_context(connect(server.url, path, server.token)))
            await opened[-1].read_until("ready")
        await api.prompt(chat, script(text(ENOUGH // 10_000, 10_000), tool("last"), silent()))
        for stream in opened:
            await stream.read_until("tool-call", within=30)
        bearer = ("Authorization", f"Bearer {server.token}")
        await streams.enter_async_context(stuck_reader(server, chat, bearer))
        idle = await streams.enter_async_context(await anyio.connect_tcp("127.0.0.1", server.port))
        await idle.send(b"GET /api/me HTTP/1.1\r\n")
        started = time.monotonic()
        server.send_signal(signal.SIGTERM)
        for stream in opened:
            with anyio.fail_after(2 * SLACK), suppress(StreamEnded):
                while True:
                    await stream.next()
        assert await server.wait_for_exit() == 0
        seconds = time.monotonic() - started
    print(f"left within {seconds:.2f} s")
    assert seconds < 2 * SLACK
    assert "Traceback" not in server.stderr
    assert "ERROR" not in server.stderr


async def test_a_viewer_finds_the_server_again_after_a_restart(
    start_server: StartServer, workspace: Path
) -> None:
    server = await start_server()
    async with Api(server.url, server.token) as api:
        chat = (await api.create_chat(workspace))["id"]
        async with Viewer(server.url, server.token, chat) as viewer:
            await viewer.read_until("ready")
            await server.restart(signal.SIGTERM)
            await api.prompt(chat, script(say("back")))
            await viewer.read_turns()
            assert viewer.connections >= 2


async def test_an_idle_stream_is_pinged_every_ten_seconds(shared_server: SharedServer) -> None:
    chat = await shared_server.new_chat()
    async with (
        connect(shared_server.server.url, f"/api/chats/{chat}/stream", shared_server.server.token) as one,
        connect(shared_server.server.url, "/api/stream", shared_server.server.token) as many,
    ):
        await one.read_until("ready")
        await many.read_until("chats")
        started = time.monotonic()
        for stream in (one, many):
            ping = (await stream.read_until("ping", within=10 * SLACK))[-1]
            assert (ping.id, ping.data) == (None, {})
        seconds = time.monotonic() - started
    assert 9 < seconds < 10 * SLACK
    print(f"the first ping came after {seconds:.1f} s")
