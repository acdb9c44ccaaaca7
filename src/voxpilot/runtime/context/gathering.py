"""Work outside the step: reading what goes along with a message.

Lives here: finding turns that wait for it, and returning the result through `LiveChat.bring`. Nothing is kept
here: after a restart, it is simply read again for a turn that still waits. Lives elsewhere: what is read
(gather.py), what follows from it (step/progress.py, assistant/model_runner.py).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

from voxpilot.chat.events import Json
from voxpilot.chat.gathered import GIVEN, Gathered
from voxpilot.chat.references import is_reference
from voxpilot.errors import VoxPilotError
from voxpilot.killpoints import reach
from voxpilot.runtime.context import needs
from voxpilot.runtime.context.gather import gather
from voxpilot.runtime.shared.services import Services
from voxpilot.storage.chats.ledger import Ledger
from voxpilot.storage.database.rows import Turn
from voxpilot.storage.database.states import TurnState

log = logging.getLogger(__name__)


class Gathering:
    """What the messages of one chat wait for."""

    def __init__(
        self,
        services: Services,
        spawn: Callable[[Coroutine[Any, Any, None]], asyncio.Task[None]],
        hand_in: Callable[[Callable[[Ledger, float], Json]], Awaitable[Json]],
    ) -> None:
        self._services, self._spawn, self._hand_in = services, spawn, hand_in
        self._running: dict[str, asyncio.Task[None]] = {}

    def start_due(self, ledger: Ledger) -> None:
        """Start what the rows ask for, and drop what they no longer ask for."""
        due = {
            turn.id: turn
            for turn in ledger.all(Turn)
            if turn.state is TurnState.RUNNING and needs.waits(turn)
        }
        for id, task in list(self._running.items()):
            if id not in due:
                task.cancel()
        for id, turn in due.items():
            if id not in self._running:
                task = self._running[id] = self._spawn(self._run(ledger, turn))
                task.add_done_callback(lambda _, id=id: self._running.pop(id, None))  # type: ignore[misc]

    async def _run(self, ledger: Ledger, turn: Turn) -> None:
        found = await self._gathered(ledger, turn)
        reach("after-gathering")
        try:
            await self._hand_in(lambda ledger, now: _store(ledger, turn.id, found, now))
        except VoxPilotError as error:
            log.info("what goes along waits for the next step: turn=%s why=%s", turn.id, error.message)

    async def _gathered(self, ledger: Ledger, turn: Turn) -> Gathered:
        try:
            return await gather(self._services, ledger.chat, turn)
        except TimeoutError:
            why = "It could not be read in time."
        except VoxPilotError as error:
            why = error.message
        except Exception:
            log.exception("nothing could be read for a message: chat=%s turn=%s", ledger.chat.id, turn.id)
            why = "It could not be read because of an internal error."
        return _nothing(turn, why)


def _nothing(turn: Turn, why: str) -> Gathered:
    """The message is sent without; each attachment that needed reading says so, and the others are sent."""
    pieces = tuple(
        {"kind": "missing", "why": why} if is_reference(one) else GIVEN for one in turn.attachments
    )
    return Gathered(pieces=pieces, left_out=({"what": "Skills and instructions", "why": why},))


def _store(ledger: Ledger, turn_id: str, found: Gathered, now: float) -> Json:
    """Keep it with the turn, unless that has ended."""
    turn = ledger.get(Turn, turn_id)
    if turn is None or not needs.waits(turn):
        return {}
    needs.keep(ledger, turn, found, now)
    return {}
