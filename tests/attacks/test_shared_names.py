"""Cookies know no ports: under a name that other servers share, a sign-in does not last (A65).

Lives elsewhere: what another server really gets to see (tests/browser/test_other_servers.py).
"""

from __future__ import annotations

import json
import sqlite3
import time
from contextlib import closing, suppress
from http.cookies import Morsel, SimpleCookie

import anyio
import httpx2
import pytest

from tests.conftest import StartServer
from tests.kit.client import Api
from tests.kit.sse import StreamEnded, connect
from tests.web.house import House

SLACK = 5


async def cookie_under(house: House, host: str) -> Morsel[str]:
    code = (await house.api.call("POST", "/api/links"))["code"]
    headers = (("Content-Type", "application/json"), ("Origin", f"http://{host}"))
    body = json.dumps({"code": code}).encode()
    reply = await house.ask("POST /api/login", *headers, body=body, host=host)
    assert reply.status == 200, reply.body
    return SimpleCookie(reply.one("set-cookie"))["voxpilot"]


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "LOCALHOST", "[::1]"])
async def test_under_a_shared_name_a_sign_in_lasts_for_twelve_hours(house: House, name: str) -> None:
    host = f"{name}:{house.server.port}"
    cookie = await cookie_under(house, host)
    assert cookie["max-age"] == str(12 * 3600)
    me = await house.ask("GET /api/me", ("Cookie", f"voxpilot={cookie.value}"), host=host)
    assert 11.9 < (me.json()["expires_at"] - time.time()) / 3600 <= 12


async def test_under_our_own_name_it_lasts(house: House) -> None:
    host = f"voxpilot.localhost:{house.server.port}"
    cookie = await cookie_under(house, host)
    assert int(cookie["max-age"]) > 180 * 86400
    me = await house.ask("GET /api/me", ("Cookie", f"voxpilot={cookie.value}"), host=host)
    assert me.json()["expires_at"] is None


async def test_at_its_end_the_server_takes_it_no_more_and_ends_its_streams(start_server: StartServer) -> None:
    server = await start_server()
    async with Api(server.url, server.token) as api, httpx2.AsyncClient(base_url=server.url) as http:
        code = (await api.call("POST", "/api/links"))["code"]
        reply = await http.post("/api/login", json={"code": code}, headers={"Origin": server.url})
        cookie = {"Cookie": f"voxpilot={reply.cookies['voxpilot']}"}
    await server.terminate()
    with closing(sqlite3.connect(server.database)) as database, database:
        database.execute("UPDATE devices SET expires_at = ?", (time.time() + 3,))
    await server.start()
    async with connect(server.url, "/api/stream", None, headers=cookie) as stream:
        with anyio.fail_after(3 * SLACK), suppress(StreamEnded):
            while True:
                await stream.next()
    async with httpx2.AsyncClient(base_url=server.url) as http:
        assert (await http.get("/api/me", headers=cookie)).status_code == 401
