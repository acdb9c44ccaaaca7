"""One-time links and the cookies they become (A13, A14, A59; L3, L10)."""

from __future__ import annotations

import hashlib
import time
from contextlib import AsyncExitStack
from http.cookies import SimpleCookie

import anyio

from tests.kit.clients.bare import is_error
from tests.kit.servers.shared_server import KEY, SharedServer

# Failed sign-ins are counted by address, so each test uses its own address.


async def new_code(shared_server: SharedServer) -> str:
    return str((await shared_server.api.call("POST", "/api/links"))["code"])


async def test_a_code_signs_in_once(shared_server: SharedServer) -> None:
    code = await new_code(shared_server)
    async with shared_server.browser("127.0.1.1") as first, shared_server.browser("127.0.1.1") as second:
        assert (await first.login(code, "A phone")).status_code == 200
        assert (await first.get("/api/me")).json()["device"] == "A phone"
        refused = await second.login(code)
        assert refused.status_code == 401
        assert refused.json()["error"]["code"] == "sign-in-failed"
        assert (await second.get("/api/me")).status_code == 401
        assert (await first.get("/api/me")).status_code == 200


async def test_a_code_is_long_and_kept_only_as_a_hash(shared_server: SharedServer) -> None:
    code = await new_code(shared_server)
    assert len(code) * 6 >= 128
    rows = shared_server.sql("SELECT code_hash, expires_at FROM links WHERE used_at IS NULL")
    kept = dict(rows)[hashlib.sha256(code.encode()).hexdigest()]
    assert 590 < kept - time.time() <= 600
    raw = b"".join(path.read_bytes() for path in shared_server.server.data_dir.glob("voxpilot.db*"))
    assert code.encode() not in raw


async def test_a_link_carries_its_code_in_the_fragment_and_under_the_name_it_was_asked_by(
    shared_server: SharedServer,
) -> None:
    link = await shared_server.api.call("POST", "/api/links")
    assert link["url"] == f"{shared_server.origin}/#code={link['code']}"
    assert link["expires_in"] <= 600
    host = f"voxpilot.localhost:{shared_server.server.port}"
    reply = await shared_server.ask(
        "POST /api/links", shared_server.bearer, ("Origin", f"https://{host}"), host=host
    )
    assert reply.json()["url"].startswith(f"https://{host}/#code=")


async def test_an_old_code_is_refused(shared_server: SharedServer) -> None:
    code = await new_code(shared_server)
    shared_server.sql(
        "UPDATE links SET expires_at = ? WHERE code_hash = ?",
        time.time() - 1,
        hashlib.sha256(code.encode()).hexdigest(),
    )
    async with shared_server.browser("127.0.1.2") as browser:
        assert (await browser.login(code)).status_code == 401


async def test_reading_a_link_uses_nothing_up(shared_server: SharedServer) -> None:
    code = await new_code(shared_server)
    for method in ("GET", "HEAD", "OPTIONS"):
        for target in ("/", f"/?code={code}", f"/api/login?code={code}", f"/login/{code}"):
            await shared_server.ask(f"{method} {target}", ("Purpose", "prefetch"))
    async with shared_server.browser("127.0.1.3") as browser:
        assert (await browser.login(code)).status_code == 200


async def test_of_two_hundred_at_once_one_wins(shared_server: SharedServer) -> None:
    before = shared_server.sql("SELECT count(*) FROM devices")[0][0]
    code = await new_code(shared_server)
    body = f'{{"code": "{code}"}}'
    head = ["POST /api/login HTTP/1.1", f"Host: {shared_server.host}", "Content-Type: application/json"]
    request = "\r\n".join([*head, f"Content-Length: {len(body)}", "", body]).encode()
    statuses = []
    async with AsyncExitStack() as connections:
        racers = []
        for number in range(200):
            address = f"127.0.2.{number % 100 + 1}"
            connecting = anyio.connect_tcp("127.0.0.1", shared_server.server.port, local_host=address)
            racers.append(await connections.enter_async_context(await connecting))
            await racers[-1].send(request[:-1])
        for racer in racers:
            await racer.send(request[-1:])
        for racer in racers:
            with anyio.fail_after(20):
                statuses.append(int((await racer.receive()).split(b" ")[1]))
    assert sorted(statuses) == [200] + [401] * 199
    assert shared_server.sql("SELECT count(*) FROM devices")[0][0] == before + 1


async def test_the_cookie_is_for_this_host_and_no_script(shared_server: SharedServer) -> None:
    async with shared_server.browser("127.0.1.4") as browser:
        reply = await browser.login(await new_code(shared_server))
        cookie = SimpleCookie(reply.headers["set-cookie"])["voxpilot"]
        assert (cookie["httponly"], cookie["samesite"], cookie["path"]) == (True, "strict", "/")
        assert not cookie["domain"]
        assert not cookie["secure"]
        assert len(cookie.value) * 6 >= 256
        kept = shared_server.sql("SELECT count(*) FROM devices WHERE secret_hash = ?", cookie.value)
        assert kept == [(0,)]


async def test_under_tls_the_cookie_is_bound_to_it(shared_server: SharedServer) -> None:
    """TLS ends at a proxy in front of us; the browser's Origin shows that it was used."""
    code = await new_code(shared_server)
    origin = ("Origin", f"https://{shared_server.host}")
    json = ("Content-Type", "application/json")
    reply = await shared_server.ask("POST /api/login", origin, json, body=f'{{"code": "{code}"}}'.encode())
    cookie = SimpleCookie(reply.one("set-cookie"))["__Host-voxpilot"]
    assert (cookie["secure"], cookie["httponly"], cookie["samesite"], cookie["path"]) == (
        True,
        True,
        "strict",
        "/",
    )
    signed_in = (("Cookie", f"__Host-voxpilot={cookie.value}"), (KEY, reply.json()["key"]))
    assert (await shared_server.ask("GET /api/me", *signed_in)).status == 200
    assert (await shared_server.ask("POST /api/logout", *signed_in, origin)).status == 204
    assert (await shared_server.ask("GET /api/me", *signed_in)).status == 401


async def test_signing_in_never_keeps_a_cookie_somebody_planted(shared_server: SharedServer) -> None:
    async with shared_server.browser("127.0.1.5") as browser:
        browser.http.cookies.set("voxpilot", "planted", domain="127.0.0.1", path="/")
        assert (await browser.login(await new_code(shared_server))).status_code == 200
        assert browser.cookie != "planted"
        first = browser.secrets
        assert (await browser.login(await new_code(shared_server))).status_code == 200
        assert is_error(await shared_server.ask("GET /api/me", *first), 401)
        assert (await browser.get("/api/me")).status_code == 200


async def test_ten_failures_a_minute_and_no_more(shared_server: SharedServer) -> None:
    code = await new_code(shared_server)
    async with shared_server.browser("127.0.1.6") as guesser, shared_server.browser("127.0.1.7") as other:
        statuses = [(await guesser.login(f"guess {n}")).status_code for n in range(15)]
        assert statuses == [401] * 10 + [429] * 5
        limited = await guesser.login("guess again")
        assert limited.status_code == 429
        assert 0 < int(limited.headers["retry-after"]) <= 60
        assert limited.json()["error"]["code"] == "too-many-attempts"
        assert (await other.login(code)).status_code == 200


async def test_guesses_made_all_at_once_are_counted_one_by_one(shared_server: SharedServer) -> None:
    statuses = []

    async def guess(number: int) -> None:
        async with shared_server.browser("127.0.1.8") as browser:
            statuses.append((await browser.login(f"guess {number}")).status_code)

    async with anyio.create_task_group() as tasks:
        for number in range(40):
            tasks.start_soon(guess, number)
    assert sorted(statuses) == [401] * 10 + [429] * 30


async def test_a_thousand_wrong_tokens_are_told_to_wait_and_nobody_else_is(
    shared_server: SharedServer,
) -> None:
    async with await shared_server.sign_in("127.0.1.9") as signed_in, shared_server.browser() as flood:
        statuses = []
        for number in range(1000):
            # A forwarded address is untrusted, even from this machine: it does not reset the count.
            headers = {"Authorization": f"Bearer {number:043}", "X-Forwarded-For": f"10.0.0.{number % 250}"}
            reply = await flood.http.get("/api/me", headers=headers)
            statuses.append(reply.status_code)
        assert statuses[:60] == [401] * 60
        assert set(statuses[60:]) == {429}
        assert int(reply.headers["retry-after"]) <= 60
        assert (await signed_in.get("/api/me")).status_code == 200
        right = {"Authorization": f"Bearer {shared_server.server.token}"}
        assert (await flood.http.get("/api/me", headers=right)).status_code == 200


async def test_a_hundred_addresses_with_wrong_tokens_slow_nobody_down(shared_server: SharedServer) -> None:
    for number in range(100):
        wrong = ("Authorization", f"Bearer wrong{number}")
        assert is_error(await shared_server.ask("GET /api/me", wrong, address=f"127.0.3.{number + 1}"), 401)
    started = time.monotonic()
    assert (await shared_server.ask("GET /api/me", shared_server.bearer)).status == 200
    assert time.monotonic() - started < 0.5 * 5


async def test_secrets_are_not_in_the_log(shared_server: SharedServer) -> None:
    code = await new_code(shared_server)
    async with shared_server.browser("127.0.1.11") as browser:
        await browser.login(code)
        cookie = browser.cookie
        await shared_server.ask(
            f"GET /api/me?token={cookie}", ("Cookie", f"voxpilot={cookie}"), host="evil.example"
        )
    said = await shared_server.server.prints("refused: why=wrong-host")
    for secret in (code, cookie, shared_server.server.token):
        assert secret not in said


async def test_wrong_codes_do_not_lock_out_the_right_one(shared_server: SharedServer) -> None:
    """A59: somebody who shares an address with the owner cannot lock the owner out."""
    code = await new_code(shared_server)
    async with shared_server.browser("127.0.1.20") as browser:
        refused = [(await browser.login(f"wrong-{number}")).status_code for number in range(30)]
        assert refused == [401] * 10 + [429] * 20
        assert (await browser.login(code)).status_code == 200
        assert (await browser.get("/api/me")).status_code == 200
