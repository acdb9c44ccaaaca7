"""A page the person visits elsewhere cannot drive the server (A5, A7, A9, A11; L2)."""

from __future__ import annotations

import pytest

from tests.attacks.test_doors import filled
from tests.web.bare import Header, is_error
from tests.web.house import House, routes

WRITES = ("POST", "PUT", "PATCH", "DELETE")
JSON = ("Content-Type", "application/json")


def state_changing() -> list[tuple[str, str]]:
    return [(method, path) for method, path in routes() if method in WRITES]


async def test_another_origin_is_refused_on_every_state_changing_route(house: House) -> None:
    chat = await house.new_chat()
    origins = (
        "https://evil.example",
        "null",
        f"http://127.0.0.1:{house.server.port + 1}",
        f"http://localhost:{house.server.port}",
        f"http://{house.host}.evil.example",
        f"http://x@{house.host}",
        f"{house.origin}/",
        "http://[",
        "",
    )
    assert len(state_changing()) >= 10
    async with await house.sign_in() as browser:
        for method, path in state_changing():
            for origin in origins:
                for credentials in (browser.cookie_header, house.bearer):
                    reply = await house.ask(
                        f"{method} {filled(path, chat)}", credentials, JSON, ("Origin", origin), body=b"{}"
                    )
                    assert is_error(reply, 403), (method, path, origin)
        assert (await browser.get("/api/me")).status_code == 200
    assert (await house.api.chat(chat))["id"] == chat


async def test_a_cookie_does_not_write_without_an_origin(house: House) -> None:
    chat = await house.new_chat()
    async with await house.sign_in() as browser:
        for method, path in state_changing():
            reply = await house.ask(f"{method} {filled(path, chat)}", browser.cookie_header, JSON, body=b"{}")
            assert is_error(reply, 403), (method, path)
            basic = ("Authorization", "Basic eDp5")
            reply = await house.ask(
                f"{method} {filled(path, chat)}", browser.cookie_header, basic, JSON, body=b"{}"
            )
            assert is_error(reply, 403), (method, path)
        assert (await browser.post("/api/links")).status_code == 201


@pytest.mark.parametrize("site", ["cross-site", "same-site", "nonsense"])
async def test_what_a_browser_says_comes_from_another_site_is_refused_for_reading_too(
    house: House, site: str
) -> None:
    chat = await house.new_chat()
    async with await house.sign_in() as browser:
        for credentials in (browser.cookie_header, house.bearer):
            for path in ("/api/me", "/api/chats", "/api/stream", f"/api/chats/{chat}/stream", "/api/health"):
                reply = await house.ask(f"GET {path}", credentials, ("Sec-Fetch-Site", site))
                assert is_error(reply, 403), path
    assert (await house.ask("GET /api/me", house.bearer, ("Sec-Fetch-Site", "same-origin"))).status == 200
    assert (await house.ask("GET /api/me", house.bearer, ("Sec-Fetch-Site", "none"))).status == 200


async def test_reading_and_streaming_from_another_origin_is_refused(house: House) -> None:
    chat = await house.new_chat()
    async with await house.sign_in() as browser:
        for path in ("/api/me", "/api/stream", f"/api/chats/{chat}/stream"):
            reply = await house.ask(f"GET {path}", browser.cookie_header, ("Origin", "https://evil.example"))
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
async def test_a_body_that_is_not_json_is_not_looked_at(house: House, kind: str) -> None:
    chat = await house.new_chat()
    body = b'{"text": "say hello", "key": "k", "title": "t", "option_id": "o", "code": "c"}'
    for method, path in state_changing():
        headers: list[Header] = [house.bearer, ("Content-Type", kind)]
        assert is_error(await house.ask(f"{method} {filled(path, chat)}", *headers, body=body), 415), path
    assert (await house.api.chat(chat))["title"] == ""


async def test_a_form_is_refused_even_when_it_is_empty(house: House) -> None:
    for kind in ("text/plain", "application/x-www-form-urlencoded"):
        assert is_error(await house.ask("POST /api/links", house.bearer, ("Content-Type", kind)), 415)


async def test_no_preflight_is_ever_granted(house: House) -> None:
    chat = await house.new_chat()
    async with await house.sign_in() as browser:
        asked: list[Header] = [
            ("Access-Control-Request-Method", "POST"),
            ("Access-Control-Request-Headers", "authorization, content-type"),
            ("Access-Control-Request-Private-Network", "true"),
        ]
        for path in sorted({filled(path, chat) for _, path in routes()}):
            for origin in ("https://evil.example", "null", house.origin):
                for credentials in (("X-None", ""), browser.cookie_header, house.bearer):
                    reply = await house.ask(f"OPTIONS {path}", ("Origin", origin), credentials, *asked)
                    assert is_error(reply, 401, 403, 405), path
                    assert not [name for name, _ in reply.headers if name.startswith("access-control")]


async def test_other_answers_grant_nothing_either(house: House) -> None:
    for path in ("/api/me", "/api/health", "/", "/api/stream"):
        reply = await house.ask(f"GET {path}", house.bearer, ("Origin", house.origin))
        assert reply.status == 200
        assert not [name for name, _ in reply.headers if name.startswith("access-control")]


async def test_a_web_socket_is_refused_everywhere(house: House) -> None:
    chat = await house.new_chat()
    upgrade: list[Header] = [
        ("Connection", "keep-alive, Upgrade"),
        ("Upgrade", "WebSocket"),
        ("Sec-WebSocket-Version", "13"),
        ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
    ]
    for path in ("/", "/api/stream", f"/api/chats/{chat}/stream", "/api/me", "/ws"):
        for more in ([], [house.bearer], [house.bearer, ("Origin", house.origin)]):
            reply = await house.ask(f"GET {path}", *upgrade, *more)
            assert is_error(reply, 400, 401, 403), (path, more)
            assert reply.status != 101
