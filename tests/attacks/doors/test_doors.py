"""Nobody reaches anything without credentials, or under a name that is not ours (A1, A2, A3, A20; L1)."""

from __future__ import annotations

import pytest

from tests.attacks.doors.routes import METHODS, filled
from tests.conftest import StartServer
from tests.kit.clients.bare import Reply, exchange, exchange_bytes, is_error
from tests.kit.servers.shared_server import SharedServer, routes

OPEN_TO_ALL = {("GET", "/api/health"), ("POST", "/api/login")}
"""Apart from these there is only the page, which is the same for everybody."""
JSON = ("Content-Type", "application/json")


async def test_every_route_and_method_refuses_without_credentials_but_for_a_short_fixed_list(
    shared_server: SharedServer,
) -> None:
    chat = await shared_server.new_chat()
    known = routes()
    assert len(known) > 20
    assert {("GET", "/api/stream"), ("POST", "/api/chats"), ("GET", "/api/openapi.json")} < set(known)
    let_in = set()
    for path in sorted({path for _, path in known}):
        for method in METHODS:
            body = b"{}" if method in ("POST", "PUT", "PATCH") else b""
            reply = await shared_server.ask(f"{method} {filled(path, chat)}", JSON, body=body)
            assert reply.status < 500, (method, path)
            if reply.status not in (401, 403, 405):
                let_in.add((method, path))
    assert let_in == OPEN_TO_ALL
    assert len({path for _, path in OPEN_TO_ALL}) <= 5


async def test_what_is_open_holds_no_data(shared_server: SharedServer) -> None:
    chat = await shared_server.new_chat()
    for path in ("/", f"/chat/{chat}", "/assets/", "/api/health"):
        shown = (await shared_server.ask(f"GET {path}")).body.decode()
        assert chat not in shown
        assert str(shared_server.folder) not in shown


@pytest.mark.parametrize(
    "path",
    ["/api", "/api/", "/api/nothing", "/api/chats/", "/api%2Fchats", "/api/../api/chats", "/api/x/../me"],
)
async def test_a_path_that_only_looks_like_no_route_is_refused_too(
    shared_server: SharedServer, path: str
) -> None:
    assert is_error(await shared_server.ask(f"GET {path}"), 401)


@pytest.mark.parametrize(
    "path", ["/API/chats", "//api/chats", "/nothing", "/..%2fapi/chats", "/apix", "/%00"]
)
async def test_a_path_outside_gets_the_page_or_nothing(shared_server: SharedServer, path: str) -> None:
    page = (await shared_server.ask("GET /")).body
    for credentials in (shared_server.bearer, ("X-None", "")):
        reply = await shared_server.ask(f"GET {path}", credentials)
        assert reply.body == page or is_error(reply, 401, 404)


async def test_a_wrong_token_is_refused_however_it_is_wrong(shared_server: SharedServer) -> None:
    right = shared_server.server.token
    wrong: list[str | bytes] = [
        "",
        " ",
        "x",
        right[:-1],
        right[1:],
        right + "x",
        right.swapcase(),
        right[::-1],
        f"{right} {right}",
        f'"{right}"',
        "null",
        "undefined",
        "é" * 43,
        b"\xff\xfe" + right.encode(),
        "x" * 1_000_000,
    ]
    for token in wrong:
        value = b"Bearer " + (token if isinstance(token, bytes) else token.encode())
        assert is_error(await shared_server.ask("GET /api/me", ("Authorization", value)), 401), token[:60]
    for scheme in ("Basic", "Token", "bearerx", ""):
        assert is_error(await shared_server.ask("GET /api/me", ("Authorization", f"{scheme} {right}")), 401)
    assert (await shared_server.ask("GET /api/me", ("Authorization", f"bearer {right}"))).status == 200


@pytest.mark.parametrize("name", ["Authorization", "Cookie"])
async def test_a_token_with_a_nul_is_refused(shared_server: SharedServer, name: str) -> None:
    value = b"Bearer \0" if name == "Authorization" else b"voxpilot=\0"
    for secret in (
        value,
        value + shared_server.server.token.encode(),
        value[:-1] + shared_server.server.token.encode() + b"\0",
    ):
        assert is_error(await shared_server.ask("GET /api/me", (name, secret)), 400, 401)


async def test_a_wrong_cookie_is_refused_however_it_is_wrong(shared_server: SharedServer) -> None:
    async with await shared_server.sign_in() as browser:
        right, (_, key) = browser.cookie, browser.secrets
        for value in ("", "x", right[:-1], right + "x", right.swapcase(), "x" * 1_000_000, "é", f'"{right}'):
            assert is_error(
                await shared_server.ask("GET /api/me", ("Cookie", f"voxpilot={value}"), key), 401
            ), value[:60]
        for name in ("Voxpilot", "voxpilot2", "xvoxpilot", ""):
            assert is_error(
                await shared_server.ask("GET /api/me", ("Cookie", f"{name}={right}"), key), 401
            ), name
        assert (await shared_server.ask("GET /api/me", ("Cookie", f"voxpilot={right}"), key)).status == 200


@pytest.mark.parametrize(
    "cookies",
    [
        'other={"a": 1}; voxpilot=%s',
        "voxpilot=planted; voxpilot=%s",
        "a=b;;=;x; voxpilot=%s; c",
        "voxpilot=; voxpilot=%s",
    ],
)
async def test_odd_cookies_of_other_servers_on_this_host_sign_nobody_out(
    shared_server: SharedServer, cookies: str
) -> None:
    async with await shared_server.sign_in() as browser:
        _, key = browser.secrets
        reply = await shared_server.ask("GET /api/me", ("Cookie", cookies % browser.cookie), key)
        assert reply.status == 200


async def test_a_token_of_an_earlier_run_with_another_data_directory_is_refused(
    shared_server: SharedServer,
) -> None:
    assert is_error(await shared_server.ask("GET /api/me", ("Authorization", "Bearer " + "A" * 43)), 401)


@pytest.mark.parametrize(
    "host",
    [
        "evil.example:{port}",
        "evil.example",
        "localhost.evil.example",
        "evil.example#127.0.0.1:{port}",
        "127.0.0.1:{port}@evil.example",
        "evil@127.0.0.1:{port}",
        "127.0.0.1.evil.example:{port}",
        "127.0.0.1:{port}/x",
        "127.0.0.1:{port},evil.example",
        "127.0.0.1:99999",
        "127.0.0.1:x",
        "127.0.0.2",
        "[::1",
        "0x7f.1",
        "localhost.",
        "",
    ],
)
async def test_another_host_name_is_refused_even_with_valid_credentials(
    shared_server: SharedServer, host: str
) -> None:
    async with await shared_server.sign_in() as browser:
        for credentials in ((shared_server.bearer,), browser.secrets, (("X-None", ""),)):
            for request in ("GET /api/me", "GET /", "GET /api/health", "GET /api/stream", "POST /api/login"):
                named = host.format(port=shared_server.server.port)
                assert is_error(await shared_server.ask(request, *credentials, host=named), 400, 403), request


async def test_two_host_headers_or_none_are_refused(shared_server: SharedServer) -> None:
    mine, other = ("Host", shared_server.host), ("Host", "evil.example")
    for hosts in ([mine, other], [other, mine], [mine, mine], []):
        reply = await exchange(shared_server.server.port, "GET", "/api/me", [*hosts, shared_server.bearer])
        assert is_error(reply, 400, 403), hosts


@pytest.mark.parametrize(
    "target", ["http://evil.example/api/me", "http://127.0.0.1/api/me", "http://evil.example"]
)
async def test_an_address_instead_of_a_path_is_refused(shared_server: SharedServer, target: str) -> None:
    assert is_error(await shared_server.ask(f"GET {target}", shared_server.bearer), 400, 403)


async def test_a_name_the_owner_allows_is_taken_and_no_other(start_server: StartServer) -> None:
    server = await start_server(settings={"allowed_hosts": ["Box.example:8443", "pi.local"]})
    bearer = ("Authorization", f"Bearer {server.token}")
    for host, status in (
        ("box.example", 200),
        ("box.example:443", 200),
        ("pi.local", 200),
        ("127.0.0.1", 200),
        ("pi.local.evil.example", 403),
        ("example", 403),
    ):
        reply = await exchange(server.port, "GET", "/api/me", [("Host", host), bearer])
        assert reply.status == status, host


async def test_our_own_names_are_taken(shared_server: SharedServer) -> None:
    port = shared_server.server.port
    for host in (f"127.0.0.1:{port}", f"LOCALHOST:{port}", f"voxpilot.localhost:{port}", f"[::1]:{port}"):
        assert (await shared_server.ask("GET /api/me", shared_server.bearer, host=host)).status == 200, host


@pytest.mark.parametrize("flag", ["allowOutside", "root", "cwd", "roots", "token", "admin"])
async def test_a_flag_that_would_widen_access_is_refused_or_ignored(
    shared_server: SharedServer, flag: str
) -> None:
    """A20"""
    refused = await shared_server.api.request(
        "POST", "/api/chats", json={"agent": "scripted", "workspace": str(shared_server.folder), flag: "/"}
    )
    assert refused.status_code == 422
    assert is_error(await shared_server.ask(f"GET /api/chats?{flag}=1"), 401)


async def test_requests_that_are_not_http_get_an_answer_in_our_shape(shared_server: SharedServer) -> None:
    for request in (
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET /\xff\xfe HTTP/1.1\r\nHost: x\r\n\r\n",
        b"CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example\r\n\r\n",
        b"POST /api/login HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"POST /api/login HTTP/1.1\r\nHost: x\r\nContent-Length: 1, 2\r\n\r\n",
    ):
        reply: Reply = await exchange_bytes(shared_server.server.port, request)
        assert is_error(reply, 400, 403), request
