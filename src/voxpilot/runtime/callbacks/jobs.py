"""Work outside the step: disk work for an agent's open requests.

Lives here: finding requests that are due, running each in a thread, and returning the result through
`LiveChat.bring`. Nothing is kept here: after a restart, a request whose row still asks for work is simply run
again. Lives elsewhere: what is done, and what follows from it (files.py, terminals.py).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import replace
from typing import Any

from voxpilot.agents.requests import callbacks
from voxpilot.errors import VoxPilotError, explained
from voxpilot.killpoints import reach
from voxpilot.runtime.callbacks import files, terminals
from voxpilot.runtime.shared.services import Services
from voxpilot.storage.chats.ledger import Ledger
from voxpilot.storage.database.request_rows import Request
from voxpilot.storage.database.subjects import Callback, Stage

log = logging.getLogger(__name__)
AT_ONCE = 4
SECONDS = 30.0
"""How long the disk may take for one job."""
_UNSURE = {Stage.WRITE: "The file may or may not have been written."}
RETRY_SECONDS = 1.0

Finish = Callable[[Ledger, Request, float], None]
Job = Callable[[Services, Ledger, Request], Awaitable[Finish]]
_ERRANDS: dict[Stage, Job] = {**files.ERRANDS, **terminals.ERRANDS}


class Jobs:
    """The jobs of one chat."""

    def __init__(
        self,
        services: Services,
        spawn: Callable[[Coroutine[Any, Any, None]], object],
        hand_in: Callable[[Callable[[Ledger, float], dict[str, Any]]], Awaitable[Any]],
    ) -> None:
        self._services, self._spawn, self._hand_in = services, spawn, hand_in
        self._running: set[tuple[str, Stage]] = set()
        self._limit = asyncio.Semaphore(AT_ONCE)

    def start_due(self, ledger: Ledger) -> None:
        """Start whatever the rows ask for and is not running yet."""
        for request in ledger.all(Request):
            stage = _stage_of(request)
            if stage is not None and (request.id, stage) not in self._running:
                self._running.add((request.id, stage))
                self._spawn(self._run(ledger, request, stage))

    async def _run(self, ledger: Ledger, request: Request, stage: Stage) -> None:
        try:
            async with self._limit:
                finish = await self._do(ledger, request, stage)
            reach("after-errand")
            await self._hand_in(lambda ledger, now: _finish(ledger, request.id, stage, finish, now))
        except VoxPilotError as error:
            log.info("a job waits for the next step: request=%s why=%s", request.id, error.message)
        finally:
            self._running.discard((request.id, stage))

    async def _do(self, ledger: Ledger, request: Request, stage: Stage) -> Finish:
        while True:
            try:
                async with asyncio.timeout(SECONDS):
                    return await _ERRANDS[stage](self._services, ledger, request)
            except TimeoutError:
                failure = VoxPilotError(
                    f"The disk did not respond within {SECONDS:.0f} s.", _UNSURE.get(stage, "")
                )
                break
            except Exception as error:
                known = explained(error)
                if isinstance(error, OSError) and not known.is_momentary:
                    known = VoxPilotError(f"The disk reported an error: {error.strerror}.")
                if not known.is_momentary:
                    log.exception("a job failed: request=%s stage=%s", request.id, stage)
                    failure = known
                    break
                log.warning("a job is retried: request=%s why=%s", request.id, error)
            await asyncio.sleep(RETRY_SECONDS)
        return lambda ledger, request, at: callbacks.failed(ledger, request, failure)


def _finish(ledger: Ledger, request_id: str, stage: Stage, finish: Finish, now: float) -> dict[str, Any]:
    """Process the result, unless it is no longer wanted."""
    request = ledger.get(Request, request_id)
    if request is not None and _stage_of(request) == stage:
        subject = replace(request.about(Callback), stage=None)
        finish(ledger, ledger.change(request, subject=subject), now)
    return {}


def _stage_of(request: Request) -> Stage | None:
    """What an open request wants done next."""
    return request.subject.stage if isinstance(request.subject, Callback) else None
