"""The security headers of every response (A40)."""

from __future__ import annotations

from tests.attacks.doors.routes import METHODS, filled
from tests.kit.clients.bare import Reply, exchange_bytes
from tests.kit.servers.shared_server import SharedServer, routes
from tests.kit.waiting import until

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


async def test_every_route_and_method_answers_with_our_headers(shared_server: SharedServer) -> None:
    chat = await shared_server.new_chat()
    statuses = set()
    for path in sorted({path for _, path in routes()} - {"/api/logout", "/api/chats/{chat_id}"}):
        for method in METHODS:
            for credentials in (shared_server.bearer, ("X-None", "")):
                reply = await shared_server.ask(f"{method} {filled(path, chat)}", credentials)
                check(reply, path.startswith("/api"))
                statuses.add(reply.status)
    assert {200, 201, 401, 404, 405, 422} <= statuses


async def test_refusals_errors_and_streams_carry_them_too(shared_server: SharedServer) -> None:
    chat = await shared_server.new_chat()
    json = ("Content-Type", "application/json")
    replies = {
        403: await shared_server.ask("GET /api/me", host="evil.example"),
        404: await shared_server.ask("GET /api/nothing", shared_server.bearer),
        409: await shared_server.ask(f"POST /api/chats/{chat}/cancel", shared_server.bearer),
        413: await shared_server.ask(
            "POST /api/links", shared_server.bearer, json, ("Content-Length", "99000000")
        ),
        415: await shared_server.ask(
            "POST /api/links", shared_server.bearer, ("Content-Type", "text/plain"), body=b"{}"
        ),
        422: await shared_server.ask("POST /api/chats", shared_server.bearer, json, body=b"{"),
    }
    for status, reply in replies.items():
        assert reply.status == status
        check(reply, is_api=True)
    for path in ("/api/stream", f"/api/chats/{chat}/stream"):
        stream = await shared_server.ask(f"GET {path}", shared_server.bearer)
        assert stream.one("content-type") == "text/event-stream; charset=utf-8"
        assert stream.one("x-accel-buffering") == "no"
        check(stream, is_api=True)
    check(await shared_server.ask("GET /nothing"), is_api=False)
    check(await exchange_bytes(shared_server.server.port, b"nonsense\r\n\r\n"), is_api=True)


async def test_a_failure_inside_shows_nothing_of_itself(shared_server: SharedServer) -> None:
    """A column of the chat is damaged, so waking it fails with an unexpected error."""
    first = await shared_server.new_chat()
    shared_server.sql("UPDATE chats SET crashes = 'not JSON' WHERE id = ?", first)
    await shared_server.server.restart()
    reply = await shared_server.ask(f"GET /api/chats/{first}/blocks", shared_server.bearer)
    check(reply, is_api=True)
    assert reply.status == 500
    assert reply.json()["error"]["code"] == "internal"
    for word in (b"Traceback", b"File ", b"Error", b"orjson", b"voxpilot/", b"0x", b"not JSON"):
        assert word not in reply.body
    await until(lambda: "Traceback" in shared_server.server.stderr, why="the log does not say what happened")
    assert (await shared_server.ask("GET /api/me", shared_server.bearer)).status == 200
    assert shared_server.server.stderr.count("Traceback") == 1
    assert (await shared_server.ask("GET /api/chats", shared_server.bearer)).status == 200
