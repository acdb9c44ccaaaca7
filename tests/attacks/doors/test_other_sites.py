"""A page the person visits elsewhere cannot drive the server (A5, A7, A9, A11; L2)."""

from __future__ import annotations

import pytest

from tests.attacks.doors.routes import filled
from tests.kit.clients.bare import Header, is_error
from tests.kit.servers.shared_server import SharedServer, routes

WRITES = ("POST", "PUT", "PATCH", "DELETE")
JSON = ("Content-Type", "application/json")


def state_changing() -> list[tuple[str, str]]:
    return [(method, path) for method, path in routes() if method in WRITES]


async def test_another_origin_is_refused_on_every_state_changing_route(shared_server: SharedServer) -> None:
    chat = await shared_server.new_chat()
    origins = (
        "https://evil.example",
        "null",
        f"http://127.0.0.1:{shared_server.server.port + 1}",
        f"http://localhost:{shared_server.server.port}",
        f"http://{shared_server.host}.evil.example",
        f"http://x@{shared_server.host}",
        f"{shared_server.origin}/",
        "http://[",
        "",
    )
    assert len(state_changing()) >= 10
    async with await shared_server.sign_in() as browser:
        for method, path in state_changing():
            for origin in origins:
                for credentials in (browser.secrets, (shared_server.bearer,)):
                    reply = await shared_server.ask(
                        f"{method} {filled(path, chat)}", *credentials, JSON, ("Origin", origin), body=b"{}"
                    )
                    assert is_error(reply, 403), (method, path, origin)
        assert (await browser.get("/api/me")).status_code == 200
    assert (await shared_server.api.chat(chat))["id"] == chat


async def test_a_cookie_does_not_write_without_an_origin(shared_server: SharedServer) -> None:
    chat = await shared_server.new_chat()
    async with await shared_server.sign_in() as browser:
        for method, path in state_changing():
            reply = await shared_server.ask(
                f"{method} {filled(path, chat)}", *browser.secrets, JSON, body=b"{}"
            )
            assert is_error(reply, 403), (method, path)
            basic = ("Authorization", "Basic eDp5")
            reply = await shared_server.ask(
                f"{method} {filled(path, chat)}", *browser.secrets, basic, JSON, body=b"{}"
            )
            assert is_error(reply, 403), (method, path)
        assert (await browser.post("/api/links")).status_code == 201


@pytest.mark.parametrize("site", ["cross-site", "same-site", "nonsense"])
async def test_what_a_browser_says_comes_from_another_site_is_refused_for_reading_too(
    shared_server: SharedServer, site: str
) -> None:
    chat = await shared_server.new_chat()
    async with await shared_server.sign_in() as browser:
        for credentials in (browser.secrets, (shared_server.bearer,)):
            for path in ("/api/me", "/api/chats", "/api/stream", f"/api/chats/{chat}/stream", "/api/health"):
                reply = await shared_server.ask(f"GET {path}", *credentials, ("Sec-Fetch-Site", site))
                assert is_error(reply, 403), path
    assert (
        await shared_server.ask("GET /api/me", shared_server.bearer, ("Sec-Fetch-Site", "same-origin"))
    ).status == 200
    assert (
        await shared_server.ask("GET /api/me", shared_server.bearer, ("Sec-Fetch-Site", "none"))
    ).status == 200


async def test_reading_and_streaming_from_another_origin_is_refused(shared_server: SharedServer) -> None:
    chat = await shared_server.new_chat()
    async with await shared_server.sign_in() as browser:
        for path in ("/api/me", "/api/stream", f"/api/chats/{chat}/stream"):
            reply = await shared_server.ask(
                f"GET {path}", *browser.secrets, ("Origin", "https://evil.example")
            )
            assert is_error(reply, 403), path


@pytest.mark.parametrize(
    "kind",
    [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "text/plain; application/json",
        "application/json-patch+json",
        "application/jsonx",
        "",
    ],
)
async def test_a_body_that_is_not_json_is_not_looked_at(shared_server: SharedServer, kind: str) -> None:
    chat = await shared_server.new_chat()
    body = b'{"text": "say hello", "key": "k", "title": "t", "option_id": "o", "code": "c"}'
    for method, path in state_changing():
        headers: list[Header] = [shared_server.bearer, ("Content-Type", kind)]
        assert is_error(
            await shared_server.ask(f"{method} {filled(path, chat)}", *headers, body=body), 415
        ), path
    assert (await shared_server.api.chat(chat))["title"] == ""


async def test_a_form_is_refused_even_when_it_is_empty(shared_server: SharedServer) -> None:
    for kind in ("text/plain", "application/x-www-form-urlencoded"):
        assert is_error(
            await shared_server.ask("POST /api/links", shared_server.bearer, ("Content-Type", kind)), 415
        )


async def test_no_preflight_is_ever_granted(shared_server: SharedServer) -> None:
    chat = await shared_server.new_chat()
    async with await shared_server.sign_in() as browser:
        asked: list[Header] = [
            ("Access-Control-Request-Method", "POST"),
            ("Access-Control-Request-Headers", "authorization, content-type"),
            ("Access-Control-Request-Private-Network", "true"),
        ]
        for path in sorted({filled(path, chat) for _, path in routes()}):
            for origin in ("https://evil.example", "null", shared_server.origin):
                for credentials in ((("X-None", ""),), browser.secrets, (shared_server.bearer,)):
                    reply = await shared_server.ask(
                        f"OPTIONS {path}", ("Origin", origin), *credentials, *asked
                    )
                    assert is_error(reply, 401, 403, 405), path
                    assert not [name for name, _ in reply.headers if name.startswith("access-control")]


async def test_other_answers_grant_nothing_either(shared_server: SharedServer) -> None:
    for path in ("/api/me", "/api/health", "/", "/api/stream"):
        reply = await shared_server.ask(f"GET {path}", shared_server.bearer, ("Origin", shared_server.origin))
        assert reply.status == 200
        assert not [name for name, _ in reply.headers if name.startswith("access-control")]


async def test_a_web_socket_is_refused_everywhere(shared_server: SharedServer) -> None:
    chat = await shared_server.new_chat()
    upgrade: list[Header] = [
        ("Connection", "keep-alive, Upgrade"),
        ("Upgrade", "WebSocket"),
        ("Sec-WebSocket-Version", "13"),
        ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
    ]
    for path in ("/", "/api/stream", f"/api/chats/{chat}/stream", "/api/me", "/ws"):
        for more in ([], [shared_server.bearer], [shared_server.bearer, ("Origin", shared_server.origin)]):
            reply = await shared_server.ask(f"GET {path}", *upgrade, *more)
            assert is_error(reply, 400, 401, 403), (path, more)
            assert reply.status != 101
