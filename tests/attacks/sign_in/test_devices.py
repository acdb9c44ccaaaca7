"""Signing a device out takes effect immediately, only for that device, and permanently (A2, A15, F76; L4)."""

from __future__ import annotations

import time

import anyio

from tests.fakes.script import ALLOW, ask, chunks, script, text
from tests.kit.clients.bare import is_error
from tests.kit.clients.sse import EventStream, StreamEnded, Viewer, connect
from tests.kit.servers.shared_server import Browser, SharedServer
from tests.kit.waiting import until
from tests.web.streams.stuck import ENOUGH, stuck_reader

SLACK = 5


async def ended(stream: EventStream) -> float:
    """Wait for the end of a stream; returns the seconds it took."""
    started = time.monotonic()
    try:
        with anyio.fail_after(1 * SLACK):
            while True:
                await stream.next()
    except StreamEnded:
        return time.monotonic() - started


async def id_of(browser: Browser) -> str:
    return str((await browser.get("/api/me")).json()["device_id"])


async def test_revoking_a_device_cuts_its_streams_and_no_others(shared_server: SharedServer) -> None:
    chat = await shared_server.new_chat()
    async with (
        await shared_server.sign_in(name="A desk") as desk,
        await shared_server.sign_in(name="A phone") as phone,
    ):
        lost, kept = phone.headers, desk.headers
        one, many = f"/api/chats/{chat}/stream", f"/api/stream?chats={chat}"
        async with (
            connect(shared_server.server.url, one, None, headers=lost) as lost_one,
            connect(shared_server.server.url, many, None, headers=lost) as lost_many,
            connect(shared_server.server.url, one, None, headers=kept) as kept_one,
        ):
            for stream in (lost_one, lost_many, kept_one):
                await stream.read_until("ready")
            phone_id = await id_of(phone)
            assert (await desk.post(f"/api/devices/{phone_id}", method="DELETE")).status_code == 204
            seconds = max(await ended(lost_one), await ended(lost_many))
            assert seconds < 1 * SLACK
            assert is_error(await shared_server.ask("GET /api/me", *phone.secrets), 401)
            assert is_error(await shared_server.ask(f"GET {one}", *phone.secrets), 401)
            assert (await desk.get("/api/me")).status_code == 200
            await shared_server.api.change_chat(chat, title="Still here")
            await kept_one.read_until("chat-info")
        names = [device["name"] for device in (await desk.get("/api/devices")).json()]
        assert "A desk" in names
        assert "A phone" not in names
        assert (await desk.post(f"/api/devices/{phone_id}", method="DELETE")).status_code == 404


async def test_signing_out_ends_the_stream_in_the_middle_of_a_turn_and_the_turn_goes_on(
    shared_server: SharedServer,
) -> None:
    chat = await shared_server.new_chat()
    async with (
        await shared_server.sign_in() as browser,
        Viewer(shared_server.server.url, shared_server.server.token, chat) as other,
    ):
        headers = browser.headers
        async with connect(
            shared_server.server.url, f"/api/chats/{chat}/stream", None, headers=headers
        ) as stream:
            await shared_server.api.prompt(chat, script(chunks(500, every_ms=1), ask(), chunks(10)))
            await stream.read_until("text-delta")
            reply = await browser.post("/api/logout")
            assert reply.status_code == 204
            assert "voxpilot=" in reply.headers["set-cookie"]
            assert "Max-Age=0" in reply.headers["set-cookie"]
            assert await ended(stream) < 1 * SLACK
        assert (await browser.get("/api/me")).status_code == 401
        question = (await other.read_until("question", within=30))[-1]
        await shared_server.api.answer(chat, question.data["id"], ALLOW)
        await other.read_turns()


async def test_a_reader_that_takes_nothing_is_cut_as_well(shared_server: SharedServer) -> None:
    chat = await shared_server.new_chat()
    await shared_server.api.prompt(chat, script(text(ENOUGH // 10_000, 10_000)))
    await shared_server.seen_all(chat)
    async with await shared_server.sign_in() as browser:
        async with stuck_reader(shared_server.server, chat, *browser.secrets) as reader:
            assert (await browser.post("/api/logout")).status_code == 204
            await until(reader.is_closed, 1 * SLACK, "the connection stays open")


async def test_devices_and_their_revocation_outlive_the_server(shared_server: SharedServer) -> None:
    async with (
        await shared_server.sign_in(name="Stays") as stays,
        await shared_server.sign_in(name="Goes") as goes,
    ):
        revoked = goes.secrets
        assert (await goes.post("/api/logout")).status_code == 204
        await shared_server.server.restart()
        assert (await shared_server.ask("GET /api/me", *stays.secrets)).json()["device"] == "Stays"
        assert is_error(await shared_server.ask("GET /api/me", *revoked), 401)


async def test_a_device_that_was_away_for_half_a_year_signs_in_again(shared_server: SharedServer) -> None:
    async with await shared_server.sign_in(name="Away") as away:
        long_ago = time.time() - 181 * 86400
        shared_server.sql("UPDATE devices SET last_used_at = ? WHERE id = ?", long_ago, await id_of(away))
        await shared_server.server.restart()
        assert is_error(await shared_server.ask("GET /api/me", *away.secrets), 401)
        names = [device["name"] for device in await shared_server.api.call("GET", "/api/devices")]
        assert "Away" not in names


async def test_when_a_device_was_last_seen_is_remembered(shared_server: SharedServer) -> None:
    async with await shared_server.sign_in(name="Seen") as browser:
        device = await id_of(browser)
        an_hour_ago = time.time() - 3600
        shared_server.sql("UPDATE devices SET last_used_at = ? WHERE id = ?", an_hour_ago, device)
        await shared_server.server.restart()
        assert (await shared_server.ask("GET /api/me", *browser.secrets)).status == 200
        seen = shared_server.sql("SELECT last_used_at FROM devices WHERE id = ?", device)[0][0]
        assert time.time() - seen < 60
