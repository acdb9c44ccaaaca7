"""Clients without credentials cannot slow the server down or make it grow (L10, A27)."""

from __future__ import annotations

import time
from contextlib import AsyncExitStack
from statistics import quantiles

import anyio

from tests.kit.clients.bare import exchange, exchange_bytes, is_error
from tests.kit.machine.processes import rss_bytes
from tests.kit.servers.shared_server import SharedServer
from tests.kit.waiting import until
from voxpilot.web.door.guard import BODY_LIMIT, STRANGERS_BODY_LIMIT
from voxpilot.web.door.protocol import HEAD_LIMIT

SLACK = 5
JSON = ("Content-Type", "application/json")


async def p95_seconds(shared_server: SharedServer, count: int = 50) -> float:
    took = []
    for _ in range(count):
        started = time.monotonic()
        assert (await shared_server.api.request("GET", "/api/chats")).status_code == 200
        took.append(time.monotonic() - started)
    return quantiles(took, n=20)[-1]


async def test_a_thousand_idle_strangers_do_not_slow_those_who_are_signed_in(
    shared_server: SharedServer,
) -> None:
    async with AsyncExitStack() as strangers:
        for number in range(1000):
            stream = await strangers.enter_async_context(
                await anyio.connect_tcp("127.0.0.1", shared_server.server.port)
            )
            if number % 2:
                await stream.send(b"GET /api/me HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ")
        assert await p95_seconds(shared_server) < 0.5 * SLACK


async def test_who_never_finishes_a_request_is_not_waited_for(shared_server: SharedServer) -> None:
    """A silent connection, an endless head, and a body without credentials that never arrives."""
    body = ["Content-Type: application/json", "Content-Length: 20", "", '{"']
    login = "\r\n".join(["POST /api/login HTTP/1.1", f"Host: {shared_server.host}", *body])
    answers = {}

    async def begin(said: str) -> None:
        async with await anyio.connect_tcp("127.0.0.1", shared_server.server.port) as stream:
            await stream.send(said.encode())
            try:
                answers[said] = await stream.receive()
            except (anyio.EndOfStream, anyio.BrokenResourceError):
                answers[said] = b"closed"

    half = "GET /api/me HTTP/1.1\r\nHost: x\r\nX-Slow: "
    with anyio.fail_after(10 * SLACK):
        async with anyio.create_task_group() as tasks:
            for said in ("", half, login):
                tasks.start_soon(begin, said)
    assert answers[""] == answers[half] == b"closed"
    assert answers[login].startswith(b"HTTP/1.1 408")


async def test_an_endless_head_is_cut_off(shared_server: SharedServer) -> None:
    before = rss_bytes(shared_server.server.pid)
    endless = b"GET /api/me HTTP/1.1\r\nHost: x\r\n" + b"X-More: " + b"x" * 3 * HEAD_LIMIT
    reply = await exchange_bytes(shared_server.server.port, endless)
    assert is_error(reply, 431)
    many = b"GET /api/me HTTP/1.1\r\nHost: x\r\n" + b"X: y\r\n" * (HEAD_LIMIT // 2)
    assert is_error(await exchange_bytes(shared_server.server.port, many), 431)
    assert rss_bytes(shared_server.server.pid) - before < 64 * 2**20


async def test_a_body_may_be_so_large_and_no_larger(shared_server: SharedServer) -> None:
    for credentials, limit in (([shared_server.bearer], BODY_LIMIT), ([], STRANGERS_BODY_LIMIT)):
        path = "/api/chats" if credentials else "/api/login"
        too_long = ("Content-Length", str(limit + 1))
        assert is_error(await shared_server.ask(f"POST {path}", *credentials, JSON, too_long), 413)
        huge = ("Content-Length", "9" * 30)
        assert is_error(await shared_server.ask(f"POST {path}", *credentials, JSON, huge), 400, 413)


async def test_a_body_without_a_length_is_held_to_the_same_limit(shared_server: SharedServer) -> None:
    for credentials, limit in (([shared_server.bearer], BODY_LIMIT), ([], STRANGERS_BODY_LIMIT)):
        path = "/api/chats" if credentials else "/api/login"
        part = b'{"name": "' + b"x" * 65_000
        chunk = b"%x\r\n%b\r\n" % (len(part), part)
        headers = [("Host", shared_server.host), *credentials, JSON, ("Transfer-Encoding", "chunked")]
        body = chunk * (limit // len(part) + 2)
        reply = await exchange(shared_server.server.port, "POST", path, headers, body)
        assert is_error(reply, 413), path


async def test_strangers_leave_nothing_behind(shared_server: SharedServer) -> None:
    await until(lambda: rss_bytes(shared_server.server.pid) < 150 * 2**20, why="the server stayed large")
    assert await p95_seconds(shared_server) < 0.5 * SLACK
