"""A permission is decided exactly once, no matter who is faster (K13, F33)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import anyio

from tests.fakes.script import ALLOW, REJECT, ask_many, script, spoken_by
from tests.kit.clients.client import Api, ApiError
from tests.kit.clients.driver import NIGHTLY
from tests.kit.clients.sse import Viewer
from tests.kit.oracles.oracle import judge
from tests.kit.servers.shared_server import SharedServer

RACES = 1000 if NIGHTLY else 200
AT_ONCE = 20


@dataclass
class Race:
    """The result of two answers to one question."""

    question: str
    winners: list[str] = field(default_factory=list)
    losers: list[ApiError] = field(default_factory=list)

    async def run(self, clients: dict[str, Api], chat: str) -> None:
        async with anyio.create_task_group() as tasks:
            for option, client in clients.items():
                tasks.start_soon(self._answer, client, chat, option)

    async def _answer(self, client: Api, chat: str, option: str) -> None:
        try:
            await client.answer(chat, self.question, option)
            self.winners.append(option)
        except ApiError as error:
            self.losers.append(error)


async def test_of_two_who_answer_at_once_one_decides_and_the_other_is_told_who(
    shared_server: SharedServer,
) -> None:
    chat = await shared_server.new_chat()
    prompt = script(ask_many(RACES))
    async with (
        Viewer(shared_server.server.url, shared_server.server.token, chat) as viewer,
        Api(shared_server.server.url, shared_server.server.token) as one,
        Api(shared_server.server.url, shared_server.server.token) as other,
    ):
        await shared_server.api.prompt(chat, prompt)
        await viewer.read_until(lambda event: event.data.get("title") == f"Question {RACES - 1}", within=30)
        asked = [event for event in viewer.events if event.kind == "question"]
        races = [Race(event.data["id"]) for event in asked]
        assert len(races) == RACES
        limit = anyio.CapacityLimiter(AT_ONCE)

        async def run(number: int) -> None:
            async with limit:
                clients = {ALLOW: one, REJECT: other}
                await races[number].run(dict(sorted(clients.items(), reverse=bool(number % 2))), chat)

        async with anyio.create_task_group() as tasks:
            for number in range(RACES):
                tasks.start_soon(run, number)
        await shared_server.seen_all(chat, viewer)
        winners = [race.winners[0] for race in races]
        judge(shared_server.server.database, chat, viewer.events, text=spoken_by(prompt, answers=winners))
    assert {len(race.winners) for race in races} == {1}
    assert {(error.status, error.code) for race in races for error in race.losers} == {
        (409, "already-decided")
    }
    labels = {ALLOW: "Allow", REJECT: "Reject"}
    for race in races:
        told = re.fullmatch(r"Already decided by a script at \d\d:\d\d: (.+)\.", race.losers[0].message)
        assert told is not None
        assert told[1] == labels[race.winners[0]]
    assert {ALLOW, REJECT} == set(winners), "one side always won, so there was no race"
