"""What an agent can do during a turn.

Lives here: speaking, planning, using tools, asking. All of it is sent to the client and added to the
session's history. Lives elsewhere: what is done in which order (tour.py, replies.py), the messages
(protocol/updates.py).
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager

from voxpilot.agents.demo.protocol import updates
from voxpilot.agents.demo.protocol.client import Client
from voxpilot.agents.demo.protocol.peer import Json
from voxpilot.agents.demo.protocol.updates import Speech, Status, ToolKind
from voxpilot.agents.demo.session import Session
from voxpilot.agents.demo.store import Store
from voxpilot.agents.demo.voices import VOICES, Voice

CONTEXT_TOKENS = 8192
LETTERS_PER_TOKEN = 4
WORDS_PER_PIECE = 3
PIECE_SECONDS = 0.06


class Turn:
    def __init__(self, session: Session, client: Client, store: Store, speed: float) -> None:
        self.session = session
        self._client = client
        self._store = store
        self._speed = speed

    @property
    def voice(self) -> Voice:
        return VOICES[self.session.settings["model"]]

    def tell(self, update: Json) -> None:
        """Store it, then send it. A message is stored when it is complete."""
        self.session.remember(update)
        if "messageId" not in update:
            self._store.save(self.session)
        self._client.update(self.session.id, update)

    async def pause(self, seconds: float) -> None:
        await asyncio.sleep(seconds * self._speed)

    async def say(self, text: str, seconds: float | None = None) -> None:
        """Send a text in pieces; with `seconds`, spread over that time."""
        await self._stream("agent_message_chunk", text, seconds)

    async def think(self, text: str) -> None:
        await self._stream("agent_thought_chunk", text)

    async def _stream(self, speech: Speech, text: str, seconds: float | None = None) -> None:
        message = self.session.new_id("message")
        self._store.save(self.session)  # so that the id is not reused after a load
        pieces = in_pieces(text)
        for piece in pieces:
            self.tell(updates.chunk(speech, message, updates.text(piece)))
            await self.pause(PIECE_SECONDS if seconds is None else seconds / len(pieces))
        self.spend(text)

    def spend(self, text: str) -> None:
        """Count the text as part of the context, and report how full it is."""
        used = self.session.used_tokens + len(text) // LETTERS_PER_TOKEN + 1
        self.session.used_tokens = min(used, CONTEXT_TOKENS)
        self.tell(updates.usage(self.session.used_tokens, CONTEXT_TOKENS))

    def plan(self, *steps: str) -> Plan:
        return Plan(self, steps)

    @contextmanager
    def tool_call(self, kind: ToolKind, title: str, **about: object) -> Iterator[ToolCall]:
        """Use a tool: the call is reported when the block is entered, and has ended when it is left."""
        call = ToolCall(self, {"title": title, "kind": kind, **about})
        try:
            yield call
        except BaseException:
            call.change(status="failed")
            raise
        if not call.has_ended:
            call.change(status="completed")
        self.spend(json.dumps(call.about))

    async def is_allowed(self, call: ToolCall) -> bool:
        """Whether the call is allowed. Asks the person, unless they always allow this kind."""
        kind = call.about["kind"]
        if self.session.settings["mode"] == "auto" or kind in self.session.always_allowed:
            return True
        answer = await self._client.ask_permission(self.session.id, call.about)
        if answer == "allow_always":
            self.session.always_allowed.append(kind)
        return answer in ("allow_once", "allow_always")

    async def fill_in(self, message: str, schema: Json) -> Json | None:
        """What the person entered in a form; None if they declined or cannot be asked."""
        if self.session.settings["mode"] == "auto" or not self._client.shows_forms:
            return None
        return await self._client.fill_in(self.session.id, message, schema)


class Plan:
    """What the agent plans to do. The client gets the whole plan at each change."""

    def __init__(self, turn: Turn, steps: tuple[str, ...]) -> None:
        self._turn = turn
        self._steps: dict[str, Status] = dict.fromkeys(steps, "pending")
        self._mark(steps[0], "pending")

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """A step is in progress within the block, and completed at its end."""
        self._mark(name, "in_progress")
        yield
        self._mark(name, "completed")

    def _mark(self, name: str, status: Status) -> None:
        self._steps[name] = status
        self._turn.tell(updates.plan(list(self._steps.items())))


class ToolCall:
    """An action of the agent that the person can see and may have to allow."""

    def __init__(self, turn: Turn, about: Json) -> None:
        self._turn = turn
        self.id = turn.session.new_id("call")
        self.about: Json = {"toolCallId": self.id, "status": "pending", **about}
        """Everything known about it so far."""
        turn.tell(updates.tool_call(self.about))

    @property
    def has_ended(self) -> bool:
        return self.about["status"] in ("completed", "failed")

    def change(self, **changed: object) -> None:
        self.about |= changed
        self._turn.tell(updates.tool_call_update(self.id, **changed))

    def begin(self) -> None:
        self.change(status="in_progress")

    def show(self, text: str) -> None:
        """Show this text instead of the earlier content."""
        self.change(content=[updates.output(text)])

    def fail(self, reason: str) -> None:
        """End it as failed; the reason is shown below the earlier content."""
        self.change(status="failed", content=[*self.about.get("content", []), updates.output(reason)])


def in_pieces(text: str) -> list[str]:
    """Pieces of a few words each; joined, they are the whole text."""
    words = re.split(r"(?<=\s)(?=\S)", text)
    return ["".join(words[at : at + WORDS_PER_PIECE]) for at in range(0, len(words), WORDS_PER_PIECE)]
