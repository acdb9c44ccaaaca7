"""Work outside the step: what an open request wants done on the disk, and its result brought back.

Lives here: finding requests that are due, running each in a thread, and handing
the result in through the chat's one door. Nothing is remembered: a request whose
row still says what is to be done is simply done again after a restart. Lives
elsewhere: what is done, and what follows from it (files.py, terminals.py).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

from voxpilot.agents import callbacks
from voxpilot.errors import VoxPilotError
from voxpilot.killpoints import reach
from voxpilot.runtime import files, terminals
from voxpilot.runtime.house import House
from voxpilot.storage.ledger import Ledger
from voxpilot.storage.rows import Request

log = logging.getLogger(__name__)
AT_ONCE = 4
STAGE = "stage"
"""What an open request wants done next; nothing while it waits for a person or for a command's end."""

Finish = Callable[[Ledger, Request, float], None]
Errand = Callable[[House, Ledger, Request], Awaitable[Finish]]
_ERRANDS: dict[str, Errand] = {**files.ERRANDS, **terminals.ERRANDS}


class Errands:
    """The errands of one chat."""

    def __init__(
        self,
        house: House,
        spawn: Callable[[Coroutine[Any, Any, None]], object],
        hand_in: Callable[[Callable[[Ledger, float], dict[str, Any]]], Awaitable[Any]],
    ) -> None:
        self._house, self._spawn, self._hand_in = house, spawn, hand_in
        self._running: set[tuple[str, str]] = set()
        self._limit = asyncio.Semaphore(AT_ONCE)

    def start_due(self, ledger: Ledger) -> None:
        """Begin whatever the rows ask for and is not being done."""
        for request in ledger.all(Request):
            stage = request.subject.get(STAGE)
            if stage is not None and (request.id, stage) not in self._running:
                self._running.add((request.id, stage))
                self._spawn(self._run(ledger, request, stage))

    async def _run(self, ledger: Ledger, request: Request, stage: str) -> None:
        try:
            async with self._limit:
                finish = await self._do(ledger, request, stage)
            reach("after-errand")
            await self._hand_in(lambda ledger, now: _finish(ledger, request.id, stage, finish, now))
        except VoxPilotError as error:
            log.info("an errand waits for the next step: request=%s why=%s", request.id, error.message)
        finally:
            self._running.discard((request.id, stage))

    async def _do(self, ledger: Ledger, request: Request, stage: str) -> Finish:
        try:
            return await _ERRANDS[stage](self._house, ledger, request)
        except Exception:
            log.exception("an errand failed: request=%s stage=%s", request.id, stage)
            error = VoxPilotError("Something went wrong inside.")
            return lambda ledger, request, at: callbacks.failed(ledger, request, error)


def _finish(ledger: Ledger, request_id: str, stage: str, finish: Finish, now: float) -> dict[str, Any]:
    """Take the result in, unless nobody wants it any more."""
    request = ledger.get(Request, request_id)
    if request is not None and request.subject.get(STAGE) == stage:
        subject = {name: value for name, value in request.subject.items() if name != STAGE}
        finish(ledger, ledger.change(request, subject=subject), now)
    return {}
