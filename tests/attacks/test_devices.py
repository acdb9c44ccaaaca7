"""Signing a device out takes effect at once, for it alone, and for good (A2, A15, F76; L4)."""

from __future__ import annotations

import time

import anyio

from tests.fakes.script import ALLOW, ask, chunks, script, text
from tests.kit.sse import EventStream, StreamEnded, Viewer, connect
from tests.kit.waiting import until
from tests.web.bare import is_error
from tests.web.house import Browser, House
from tests.web.stuck import ENOUGH, stuck_reader

SLACK = 5


async def ended(stream: EventStream) -> float:
    """Wait for the end of a stream; the seconds it took."""
    started = time.monotonic()
    try:
        with anyio.fail_after(1 * SLACK):
            while True:
                await stream.next()
    except StreamEnded:
        return time.monotonic() - started


async def id_of(browser: Browser) -> str:
    return str((await browser.get("/api/me")).json()["device_id"])


async def test_revoking_a_device_cuts_its_streams_and_no_others(house: House) -> None:
    chat = await house.new_chat()
    async with await house.sign_in(name="A phone") as phone, await house.sign_in(name="A desk") as desk:
        lost, kept = dict([phone.cookie_header]), dict([desk.cookie_header])
        one, many = f"/api/chats/{chat}/stream", f"/api/stream?chats={chat}"
        async with (
            connect(house.server.url, one, None, headers=lost) as lost_one,
            connect(house.server.url, many, None, headers=lost) as lost_many,
            connect(house.server.url, one, None, headers=kept) as kept_one,
        ):
            for stream in (lost_one, lost_many, kept_one):
                await stream.read_until("ready")
            phone_id = await id_of(phone)
            assert (await desk.post(f"/api/devices/{phone_id}", method="DELETE")).status_code == 204
            seconds = max(await ended(lost_one), await ended(lost_many))
            assert seconds < 1 * SLACK
            assert is_error(await house.ask("GET /api/me", phone.cookie_header), 401)
            assert is_error(await house.ask(f"GET {one}", phone.cookie_header), 401)
            assert (await desk.get("/api/me")).status_code == 200
            await house.api.change_chat(chat, title="Still here")
            await kept_one.read_until("chat-info")
        names = [device["name"] for device in (await desk.get("/api/devices")).json()]
        assert "A desk" in names
        assert "A phone" not in names
        assert (await desk.post(f"/api/devices/{phone_id}", method="DELETE")).status_code == 404


async def test_signing_out_ends_the_stream_in_the_middle_of_a_turn_and_the_turn_goes_on(
    house: House,
) -> None:
    chat = await house.new_chat()
    async with await house.sign_in() as browser, Viewer(house.server.url, house.server.token, chat) as other:
        headers = dict([browser.cookie_header])
        async with connect(house.server.url, f"/api/chats/{chat}/stream", None, headers=headers) as stream:
            await house.api.prompt(chat, script(chunks(500, every_ms=1), ask(), chunks(10)))
            await stream.read_until("text-delta")
            reply = await browser.post("/api/logout")
            assert reply.status_code == 204
            assert "voxpilot=" in reply.headers["set-cookie"]
            assert "Max-Age=0" in reply.headers["set-cookie"]
            assert await ended(stream) < 1 * SLACK
        assert (await browser.get("/api/me")).status_code == 401
        question = (await other.read_until("question", within=30))[-1]
        await house.api.answer(chat, question.data["id"], ALLOW)
        await other.read_turns()


async def test_a_reader_that_takes_nothing_is_cut_as_well(house: House) -> None:
    chat = await house.new_chat()
    await house.api.prompt(chat, script(text(ENOUGH // 10_000, 10_000)))
    await house.seen_all(chat)
    async with await house.sign_in() as browser:
        async with stuck_reader(house.server, chat, browser.cookie_header) as reader:
            assert (await browser.post("/api/logout")).status_code == 204
            await until(reader.is_closed, 1 * SLACK, "the connection stays open")


async def test_devices_and_their_revocation_outlive_the_server(house: House) -> None:
    async with await house.sign_in(name="Stays") as stays, await house.sign_in(name="Goes") as goes:
        revoked = goes.cookie_header
        assert (await goes.post("/api/logout")).status_code == 204
        await house.server.restart()
        assert (await house.ask("GET /api/me", stays.cookie_header)).json()["device"] == "Stays"
        assert is_error(await house.ask("GET /api/me", revoked), 401)


async def test_a_device_that_was_away_for_half_a_year_signs_in_again(house: House) -> None:
    async with await house.sign_in(name="Away") as away:
        long_ago = time.time() - 181 * 86400
        house.sql("UPDATE devices SET last_used_at = ? WHERE id = ?", long_ago, await id_of(away))
        await house.server.restart()
        assert is_error(await house.ask("GET /api/me", away.cookie_header), 401)
        names = [device["name"] for device in await house.api.call("GET", "/api/devices")]
        assert "Away" not in names


async def test_when_a_device_was_last_seen_is_remembered(house: House) -> None:
    async with await house.sign_in(name="Seen") as browser:
        device = await id_of(browser)
        an_hour_ago = time.time() - 3600
        house.sql("UPDATE devices SET last_used_at = ? WHERE id = ?", an_hour_ago, device)
        await house.server.restart()
        assert (await house.ask("GET /api/me", browser.cookie_header)).status == 200
        seen = house.sql("SELECT last_used_at FROM devices WHERE id = ?", device)[0][0]
        assert time.time() - seen < 60
