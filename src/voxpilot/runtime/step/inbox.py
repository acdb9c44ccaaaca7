"""What waits for a chat's next step: commands of people, and results of work done outside the step.

Lives here: who waits, what the next step takes, and what happens to it if the step cannot be stored. Lives
elsewhere: the step (live_chat.py).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from voxpilot.chat.events import Json
from voxpilot.errors import VoxPilotError
from voxpilot.storage.chats.ledger import Ledger

Act = Callable[[Ledger, float], Json]


@dataclass(slots=True, eq=False)
class Command:
    act: Act
    key: str | None = None
    is_result: bool = False
    """It carries a result that exists only in memory, so it is retried until it is stored."""
    is_suspect: bool = False
    """A step with it failed, perhaps because of it: the next one takes it alone."""
    reply: Json | VoxPilotError | None = None
    answered: asyncio.Future[Json] = field(default_factory=asyncio.Future)

    def answer(self, reply: Json | VoxPilotError | None) -> None:
        if self.answered.done():
            return
        if isinstance(reply, VoxPilotError):
            self.answered.set_exception(reply)
        else:
            self.answered.set_result(reply or {})


class Inbox:
    """Everything put in is answered: by `stored`, by `give_back`, or at the latest by `close`."""

    def __init__(self) -> None:
        self._waiting: list[Command] = []
        self._taken: list[Command] = []
        """What the current step took."""
        self._refusal: VoxPilotError | None = None

    def __bool__(self) -> bool:
        """Whether anybody waits for an answer."""
        return bool(self._waiting or self._taken)

    def put(self, command: Command) -> None:
        if self._refusal is not None:
            command.answer(self._refusal)
        else:
            self._waiting.append(command)

    def take(self) -> list[Command]:
        """What the next step takes: a suspect alone, otherwise everything."""
        taken = [command for command in self._waiting if command.is_suspect][:1] or self._waiting
        self._waiting = [command for command in self._waiting if command not in taken]
        self._taken = taken
        return taken

    def stored(self) -> None:
        """The step is stored: its commands get their replies."""
        taken, self._taken = self._taken, []
        for command in taken:
            command.answer(command.reply)

    def give_back(self, error: VoxPilotError, *, with_waiting: bool = False) -> None:
        """The step was not stored. People get an error and can send it again; results wait.

        A result that fails in a step of its own, although the disk works, can never be stored.
        """
        failed, self._taken = self._taken, []
        if with_waiting:
            failed, self._waiting = [*failed, *self._waiting], []
        kept = []
        for command in failed:
            if command.is_result and (error.is_momentary or not command.is_suspect):
                command.is_suspect = command.is_suspect or not error.is_momentary
                kept.append(command)
            else:
                command.answer(error)
        self._waiting = [*kept, *self._waiting]

    def begin_again(self) -> None:
        """The step was not finished, through no fault of its commands: the next one takes them again."""
        for command in self._taken:
            command.reply = None
        self._waiting, self._taken = [*self._taken, *self._waiting], []

    def close(self, error: VoxPilotError) -> None:
        """There will be no step any more, for whatever reason: everybody gets this error."""
        self._refusal = error
        left, self._waiting, self._taken = [*self._taken, *self._waiting], [], []
        for command in left:
            command.answer(error)
