"""What every response says to a browser (A40)."""

from __future__ import annotations

from tests.attacks.test_doors import METHODS, filled
from tests.kit.waiting import until
from tests.web.bare import Reply, exchange_bytes
from tests.web.house import House, routes

CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data: blob:; font-src 'self'; media-src 'self' blob:; manifest-src 'self'; "
    "worker-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'; "
    "require-trusted-types-for 'script'; "
    "trusted-types solid voxpilot dompurify"
)
EXPECTED = {
    "content-security-policy": CSP,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}


def check(reply: Reply, is_api: bool) -> None:
    assert {name: reply.one(name) for name in EXPECTED} == EXPECTED
    assert reply.one("cache-control") == ("no-store" if is_api else "no-cache")
    assert not reply.all("server")
    assert not reply.all("x-powered-by")


async def test_every_route_and_method_answers_with_our_headers(house: House) -> None:
    chat = await house.new_chat()
    statuses = set()
    for path in sorted({path for _, path in routes()} - {"/api/logout", "/api/chats/{chat_id}"}):
        for method in METHODS:
            for credentials in (house.bearer, ("X-None", "")):
                reply = await house.ask(f"{method} {filled(path, chat)}", credentials)
                check(reply, path.startswith("/api"))
                statuses.add(reply.status)
    assert {200, 201, 401, 404, 405, 422} <= statuses


async def test_refusals_errors_and_streams_carry_them_too(house: House) -> None:
    chat = await house.new_chat()
    json = ("Content-Type", "application/json")
    replies = {
        403: await house.ask("GET /api/me", host="evil.example"),
        404: await house.ask("GET /api/nothing", house.bearer),
        409: await house.ask(f"POST /api/chats/{chat}/cancel", house.bearer),
        413: await house.ask("POST /api/links", house.bearer, json, ("Content-Length", "99000000")),
        415: await house.ask("POST /api/links", house.bearer, ("Content-Type", "text/plain"), body=b"{}"),
        422: await house.ask("POST /api/chats", house.bearer, json, body=b"{"),
    }
    for status, reply in replies.items():
        assert reply.status == status
        check(reply, is_api=True)
    for path in ("/api/stream", f"/api/chats/{chat}/stream"):
        stream = await house.ask(f"GET {path}", house.bearer)
        assert stream.one("content-type") == "text/event-stream; charset=utf-8"
        assert stream.one("x-accel-buffering") == "no"
        check(stream, is_api=True)
    check(await house.ask("GET /nothing"), is_api=False)
    check(await exchange_bytes(house.server.port, b"nonsense\r\n\r\n"), is_api=True)


async def test_a_failure_inside_shows_nothing_of_itself(house: House) -> None:
    """The chat's log and fold are spoilt, so that waking it fails in a way nobody foresaw."""
    first = await house.new_chat()
    house.sql("UPDATE folds SET head = 'not JSON' WHERE chat_id = ?", first)
    house.sql("UPDATE events SET body = 'not JSON' WHERE chat_id = ?", first)
    await house.server.restart()
    reply = await house.ask(f"GET /api/chats/{first}/blocks", house.bearer)
    check(reply, is_api=True)
    assert reply.status == 500
    assert reply.json()["error"]["code"] == "internal"
    for word in (b"Traceback", b"File ", b"Error", b"orjson", b"voxpilot/", b"0x", b"not JSON"):
        assert word not in reply.body
    await until(lambda: "Traceback" in house.server.stderr, why="the log does not say what happened")
    assert (await house.ask("GET /api/me", house.bearer)).status == 200
    assert house.server.stderr.count("Traceback") == 1
    assert (await house.ask("GET /api/chats", house.bearer)).status == 200
