"""Things a person does with an agent in a chat, and checking the results.

Lives here: prompts whose questions are answered, and what one turn said and did.
Lives elsewhere: the chat itself (tests/kit/clients/driver.py), the model behind the agent
(tests/fakes/llm).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tests.kit.clients.driver import Talk
from tests.kit.waiting import until

PATIENCE = 60.0
"""A real agent takes up to 7 s to start on a busy machine, and as long for a turn."""


@dataclass(frozen=True, slots=True)
class TurnSeen:
    """Everything from one turn."""

    talk: Talk
    id: str

    def events(self, *kinds: str) -> list[dict[str, Any]]:
        return [
            event.data
            for event in self.talk.viewer.events
            if event.kind in kinds and event.data.get("turn") == self.id
        ]

    @property
    def text(self) -> str:
        return "".join(event["content"] for event in self.events("text-delta"))

    @property
    def thoughts(self) -> str:
        return "".join(event["content"] for event in self.events("thought-delta"))

    @property
    def questions(self) -> list[dict[str, Any]]:
        return self.events("question")

    @property
    def end(self) -> dict[str, Any] | None:
        return next(iter(self.events("turn-ended")), None)

    @property
    def stop_reason(self) -> str | None:
        return self.end["stop_reason"] if self.end else None

    def contents(self, kind: str) -> Iterator[dict[str, Any]]:
        """Parts of this kind in the content of tool calls."""
        for event in self.events("tool-call", "tool-update"):
            yield from (part for part in event.get("content") or () if part.get("type") == kind)

    def titles(self) -> list[str]:
        return [event["title"] for event in self.events("tool-call")]

    def whole(self) -> str:
        return json.dumps(self.events("text-delta", "notice", "tool-call", "tool-update", "turn-ended"))

    async def ends(self) -> TurnSeen:
        await until(lambda: self.end is not None, PATIENCE, f"the turn did not end: {self._so_far()}")
        return self

    async def question(self, number: int = 1) -> dict[str, Any]:
        """Its n-th question; fails if the turn ends without one."""

        def asked_or_over() -> bool:
            return len(self.questions) >= number or self.end is not None

        await until(asked_or_over, PATIENCE, f"no question came: {self._so_far()}")
        assert len(self.questions) >= number, f"the turn ended unasked: {self.whole()}"
        return self.questions[number - 1]

    async def says(self, text: str) -> None:
        await until(lambda: text in self.text, PATIENCE, f"{text!r} was not said: {self._so_far()}")

    def _so_far(self) -> str:
        return f"{[event.kind for event in self.talk.viewer.events][-15:]}"


async def begin(talk: Talk, script: str) -> TurnSeen:
    return TurnSeen(talk, await talk.send(script))


async def run(talk: Talk, script: str) -> TurnSeen:
    """A turn without questions."""
    return await (await begin(talk, script)).ends()


async def decide(talk: Talk, question: dict[str, Any], kind: str) -> None:
    """Choose the option of this kind, such as `allow_once`; agents use different names for it."""
    option = next(option for option in question["options"] if option["kind"] == kind)
    await talk.answer(question, option["id"])


async def run_allowing(talk: Talk, script: str) -> TurnSeen:
    """A turn in which every permission is granted."""
    turn = await begin(talk, script)
    answered: list[str] = []

    def something_to_do() -> bool:
        return turn.end is not None or len(turn.questions) > len(answered)

    while turn.end is None:
        await until(something_to_do, PATIENCE)
        for question in turn.questions[len(answered) :]:
            await decide(talk, question, "allow_once")
            answered.append(question["id"])
    return turn


def latest_options(talk: Talk, category: str) -> dict[str, Any] | None:
    """The option of this kind that the agent offers, as last reported."""
    offered = talk.of_kind("options")
    found = offered[-1]["options"] if offered else []
    return next((option for option in found if option["category"] == category), None)
