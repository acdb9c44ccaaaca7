"""Strangers cannot make the server slow, or large (L10, A27 as far as connections and heads go)."""

from __future__ import annotations

import time
from contextlib import AsyncExitStack
from statistics import quantiles

import anyio

from tests.kit.processes import rss_bytes
from tests.kit.waiting import until
from tests.web.bare import exchange, exchange_bytes, is_error
from tests.web.house import House
from voxpilot.web.guard import BODY_LIMIT, STRANGERS_BODY_LIMIT
from voxpilot.web.protocol import HEAD_LIMIT

SLACK = 5
JSON = ("Content-Type", "application/json")


async def p95_seconds(house: House, count: int = 50) -> float:
    took = []
    for _ in range(count):
        started = time.monotonic()
        assert (await house.api.request("GET", "/api/chats")).status_code == 200
        took.append(time.monotonic() - started)
    return quantiles(took, n=20)[-1]


async def test_a_thousand_idle_strangers_do_not_slow_those_who_are_signed_in(house: House) -> None:
    async with AsyncExitStack() as strangers:
        for number in range(1000):
            stream = await strangers.enter_async_context(
                await anyio.connect_tcp("127.0.0.1", house.server.port)
            )
            if number % 2:
                await stream.send(b"GET /api/me HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ")
        assert await p95_seconds(house) < 0.5 * SLACK


async def test_who_never_finishes_a_request_is_not_waited_for(house: House) -> None:
    """A connection that says nothing, a head that never ends, a stranger's body that never comes."""
    body = ["Content-Type: application/json", "Content-Length: 20", "", '{"']
    login = "\r\n".join(["POST /api/login HTTP/1.1", f"Host: {house.host}", *body])
    answers = {}

    async def begin(said: str) -> None:
        async with await anyio.connect_tcp("127.0.0.1", house.server.port) as stream:
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


async def test_an_endless_head_is_cut_off(house: House) -> None:
    before = rss_bytes(house.server.pid)
    endless = b"GET /api/me HTTP/1.1\r\nHost: x\r\n" + b"X-More: " + b"x" * 3 * HEAD_LIMIT
    reply = await exchange_bytes(house.server.port, endless)
    assert is_error(reply, 431)
    many = b"GET /api/me HTTP/1.1\r\nHost: x\r\n" + b"X: y\r\n" * (HEAD_LIMIT // 2)
    assert is_error(await exchange_bytes(house.server.port, many), 431)
    assert rss_bytes(house.server.pid) - before < 64 * 2**20


async def test_a_body_may_be_so_large_and_no_larger(house: House) -> None:
    for credentials, limit in (([house.bearer], BODY_LIMIT), ([], STRANGERS_BODY_LIMIT)):
        path = "/api/chats" if credentials else "/api/login"
        too_long = ("Content-Length", str(limit + 1))
        assert is_error(await house.ask(f"POST {path}", *credentials, JSON, too_long), 413)
        huge = ("Content-Length", "9" * 30)
        assert is_error(await house.ask(f"POST {path}", *credentials, JSON, huge), 400, 413)


async def test_a_body_without_a_length_is_held_to_the_same_limit(house: House) -> None:
    for credentials, limit in (([house.bearer], BODY_LIMIT), ([], STRANGERS_BODY_LIMIT)):
        path = "/api/chats" if credentials else "/api/login"
        part = b'{"name": "' + b"x" * 65_000
        chunk = b"%x\r\n%b\r\n" % (len(part), part)
        headers = [("Host", house.host), *credentials, JSON, ("Transfer-Encoding", "chunked")]
        body = chunk * (limit // len(part) + 2)
        reply = await exchange(house.server.port, "POST", path, headers, body)
        assert is_error(reply, 413), path


async def test_strangers_leave_nothing_behind(house: House) -> None:
    await until(lambda: rss_bytes(house.server.pid) < 150 * 2**20, why="the server stayed large")
    assert await p95_seconds(house) < 0.5 * SLACK
