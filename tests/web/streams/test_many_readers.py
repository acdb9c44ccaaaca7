"""A slow reader hurts only itself, and a hundred readers all see the same (K11, F68, F69)."""

from __future__ import annotations

import time
from contextlib import AsyncExitStack
from statistics import quantiles

import anyio
import pytest

from tests.conftest import NoteFigure
from tests.fakes.script import ALLOW, ask, chunks, flood, say, script, spoken_by, text
from tests.kit.clients.proxy import Proxy
from tests.kit.clients.sse import Viewer
from tests.kit.machine.processes import sampling
from tests.kit.oracles.oracle import judge
from tests.kit.servers.shared_server import SharedServer
from tests.kit.waiting import until

SLACK = 5
MEGABYTE = 2**20


async def test_a_reader_of_one_kilobyte_a_second_falls_behind_alone_and_then_has_everything(
    shared_server: SharedServer, note_figure: NoteFigure
) -> None:
    """K11: the others wait at most a fifth longer than without it, with some tolerance for a busy machine."""
    chat = await shared_server.new_chat()
    prompt = script(text(800, 10_000), ask(), say("end"))
    async with Viewer(shared_server.server.url, shared_server.server.token, chat) as only:
        alone = p95(await latencies(shared_server, only))
    async with Proxy(shared_server.server.port) as slow_network, sampling(shared_server.server.pid) as usage:
        slow_network.throttle(1000)
        slow = [Viewer(slow_network.url, shared_server.server.token, chat) for _ in range(10)]
        fast = Viewer(shared_server.server.url, shared_server.server.token, chat)
        async with AsyncExitStack() as viewers:
            for viewer in [*slow, fast]:
                await viewers.enter_async_context(viewer)
            await until(lambda: all(viewer.connections for viewer in slow), 20)
            await shared_server.api.prompt(chat, prompt)
            question = (await fast.read_until("question", within=30))[-1]
            last_asked = question.seq
            assert all(viewer.last_seq < last_asked for viewer in slow), "they were not slow"
            took = p95(await latencies(shared_server, fast))
            note_figure(
                f"a change with 10 slow readers: p95 {1000 * took:.1f} ms, alone {1000 * alone:.1f} ms"
            )
            assert took < min(0.1 * SLACK, max(0.1, 1.2 * SLACK * alone))
            await shared_server.api.answer(chat, question.data["id"], ALLOW)
            assert all(viewer.last_seq < last_asked for viewer in slow)
            while_slow = usage.growth_bytes
            slow_network.throttle(None)
            await shared_server.seen_all(chat, fast, *slow, within=30)
    grown = [round(growth / MEGABYTE) for growth in (while_slow, usage.growth_bytes)]
    print(f"10 readers of 8 MB: the server grew by {grown[0]} MB while they were slow, {grown[1]} MB at most")
    said = spoken_by(prompt, answers=[ALLOW])
    judge(shared_server.server.database, chat, fast.events, *(viewer.events for viewer in slow), text=said)
    assert while_slow < 60 * MEGABYTE


def p95(took: list[float]) -> float:
    return quantiles(took, n=20)[-1]


async def latencies(shared_server: SharedServer, viewer: Viewer, count: int = 40) -> list[float]:
    """From asking for a change to seeing it on the stream."""
    took = []
    for number in range(count):
        title, seen, started = f"Title {number}", len(viewer.events), time.monotonic()
        await shared_server.api.change_chat(viewer.chat, title=title)
        await viewer.read_until("chat-info", since=seen)
        took.append(time.monotonic() - started)
    return took


@pytest.mark.alone
async def test_a_hundred_readers_all_see_everything_once(
    shared_server: SharedServer, note_figure: NoteFigure
) -> None:
    """F69, K12: requests are answered within half a second meanwhile."""
    chat = await shared_server.new_chat()
    prompt = script(chunks(300, every_ms=2), ask(), flood(3000), say("end"))
    viewers = [Viewer(shared_server.server.url, shared_server.server.token, chat) for _ in range(100)]
    took = []
    async with AsyncExitStack() as open_viewers:
        for viewer in viewers:
            await open_viewers.enter_async_context(viewer)
        await until(lambda: all("ready" in [e.kind for e in viewer.events] for viewer in viewers), 30)
        await shared_server.api.prompt(chat, prompt)
        await viewers[0].read_until("text-delta")
        for _ in range(30):
            started = time.monotonic()
            await shared_server.api.chat(chat)
            took.append(time.monotonic() - started)
            await anyio.sleep(0.01)
        question = (await viewers[-1].read_until("question", within=30))[-1]
        await shared_server.api.answer(chat, question.data["id"], ALLOW)
        await shared_server.seen_all(chat, *viewers, within=60)
    assert {viewer.connections for viewer in viewers} == {1}
    said = spoken_by(prompt, answers=[ALLOW])
    judge(shared_server.server.database, chat, *(viewer.events for viewer in viewers), text=said)
    note_figure(f"a request with 100 streams: p95 {1000 * p95(took):.1f} ms")
    assert p95(took) < 2 * 0.5  # the hundred readers run on the same machine
