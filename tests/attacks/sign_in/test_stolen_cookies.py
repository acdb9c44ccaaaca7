"""Cookies ignore ports: any server on our host receives ours, so a cookie alone opens nothing."""

from __future__ import annotations

import json
from http.cookies import SimpleCookie

import pytest

from tests.kit.clients.bare import Header, is_error
from tests.kit.servers.shared_server import KEY, SharedServer, routes

JSON = ("Content-Type", "application/json")


async def secrets_under(shared_server: SharedServer, host: str) -> tuple[Header, Header]:
    """What a browser gets from a sign-in under that name: its cookie, and the key that its page keeps."""
    code = (await shared_server.api.call("POST", "/api/links"))["code"]
    headers = (JSON, ("Origin", f"http://{host}"))
    reply = await shared_server.ask(
        "POST /api/login", *headers, body=json.dumps({"code": code}).encode(), host=host
    )
    assert reply.status == 200, reply.body
    cookie = SimpleCookie(reply.one("set-cookie"))["voxpilot"]
    assert int(cookie["max-age"]) > 180 * 86400
    return ("Cookie", f"voxpilot={cookie.value}"), (KEY, reply.json()["key"])


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "voxpilot.localhost"])
async def test_neither_the_cookie_nor_the_key_opens_anything_alone(
    shared_server: SharedServer, name: str
) -> None:
    host = f"{name}:{shared_server.server.port}"
    cookie, key = await secrets_under(shared_server, host)
    assert (await shared_server.ask("GET /api/me", cookie, key, host=host)).status == 200
    reads = [path for method, path in routes() if method == "GET" and path.startswith("/api")]
    for path in [path for path in reads if path != "/api/health"]:
        for headers in ([cookie], [key], [cookie, (KEY, "")], [cookie, (KEY, "x" * 43)]):
            reply = await shared_server.ask(f"GET {path}", *headers, host=host)
            assert is_error(reply, 401), (path, headers)
    origin = ("Origin", f"http://{host}")
    for method, path in [(method, path) for method, path in routes() if method in ("POST", "DELETE")]:
        if path != "/api/login":
            reply = await shared_server.ask(f"{method} {path}", cookie, origin, JSON, body=b"{}", host=host)
            assert is_error(reply, 401), path


async def test_the_secrets_of_two_browsers_do_not_fit_together(shared_server: SharedServer) -> None:
    """A server on another port can set a cookie with our name; it does not sign anybody in."""
    mine, my_key = await secrets_under(shared_server, shared_server.host)
    planted, planted_key = await secrets_under(shared_server, shared_server.host)
    assert is_error(await shared_server.ask("GET /api/me", planted, my_key), 401)
    assert is_error(await shared_server.ask("GET /api/me", mine, planted_key), 401)
    both = ("Cookie", f"{planted[1]!s}; {mine[1]!s}")
    found = (await shared_server.ask("GET /api/me", both, my_key)).json()
    assert found["device_id"] == (await shared_server.ask("GET /api/me", mine, my_key)).json()["device_id"]


async def test_the_key_is_given_once_and_kept_only_as_a_hash(shared_server: SharedServer) -> None:
    cookie, key = await secrets_under(shared_server, shared_server.host)
    assert len(key[1]) * 6 >= 256
    told = [
        await shared_server.ask(f"GET {path}", cookie, key)
        for path in ("/api/me", "/api/devices", "/api/settings")
    ]
    assert all(reply.status == 200 and str(key[1]).encode() not in reply.body for reply in told)
    raw = b"".join(path.read_bytes() for path in shared_server.server.data_dir.glob("voxpilot.db*"))
    assert str(key[1]).encode() not in raw


async def test_a_sign_in_with_a_stolen_cookie_signs_nobody_out(shared_server: SharedServer) -> None:
    cookie, key = await secrets_under(shared_server, shared_server.host)
    code = (await shared_server.api.call("POST", "/api/links"))["code"]
    reply = await shared_server.ask(
        "POST /api/login",
        cookie,
        JSON,
        ("Origin", shared_server.origin),
        body=json.dumps({"code": code}).encode(),
    )
    assert reply.status == 200
    assert (await shared_server.ask("GET /api/me", cookie, key)).status == 200


async def test_a_browser_from_before_there_were_keys_is_asked_to_sign_in_again(
    shared_server: SharedServer,
) -> None:
    cookie, key = await secrets_under(shared_server, shared_server.host)
    device = (await shared_server.ask("GET /api/me", cookie, key)).json()["device_id"]
    shared_server.sql("UPDATE devices SET key_hash = NULL WHERE id = ?", device)
    await shared_server.server.restart()
    for headers in ([cookie], [cookie, key], [cookie, (KEY, "")], [cookie, (KEY, "None")]):
        reply = await shared_server.ask("GET /api/me", *headers)
        assert is_error(reply, 401)
        assert reply.json()["error"]["code"] == "sign-in-again"
    assert device not in [one["id"] for one in await shared_server.api.call("GET", "/api/devices")]


async def test_the_owners_token_does_not_come_with_a_browsers_secrets(shared_server: SharedServer) -> None:
    cookie, key = await secrets_under(shared_server, shared_server.host)
    for headers in ([cookie], [key], [cookie, key]):
        assert is_error(await shared_server.ask("GET /api/me", shared_server.bearer, *headers), 400)
    assert (await shared_server.ask("GET /api/me", shared_server.bearer)).status == 200


@pytest.mark.parametrize(
    "where",
    [
        "https://evil.example/",
        "http://127.0.0.1:1/",
        "http://localhost:{port}/",
        "http://{host}.evil.example/",
        "http://{host}@evil.example/",
        "null",
        "",
        "http://[",
    ],
)
async def test_a_foreign_referer_is_refused_without_fetch_metadata_too(
    shared_server: SharedServer, where: str
) -> None:
    cookie, key = await secrets_under(shared_server, shared_server.host)
    referer = where.format(host=shared_server.host, port=shared_server.server.port)
    for credentials in ([cookie, key], [shared_server.bearer], []):
        for path in ("/api/me", "/api/health", "/api/stream"):
            assert is_error(
                await shared_server.ask(f"GET {path}", *credentials, ("Referer", referer)), 403
            ), path
    ours = ("Referer", f"{shared_server.origin}/chat/ab")
    assert (await shared_server.ask("GET /api/me", shared_server.bearer, ours)).status == 200
    assert is_error(
        await shared_server.ask("GET /api/me", shared_server.bearer, ours, ("Referer", referer)), 403
    )
    twice = (("Origin", shared_server.origin), ("Origin", "https://evil.example"))
    assert is_error(await shared_server.ask("GET /api/me", shared_server.bearer, *twice), 403)
