"""Everything that one chat has done outside its steps.

Lives here: starting whatever its rows ask for. Lives elsewhere: each kind of work (callbacks/jobs.py,
context/gathering.py, assistant/model_runner.py).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

from voxpilot.chat.events import Json
from voxpilot.runtime.assistant.model_runner import ModelRunner
from voxpilot.runtime.callbacks.jobs import Jobs
from voxpilot.runtime.context.gathering import Gathering
from voxpilot.runtime.shared.services import Services
from voxpilot.storage.chats.ledger import Ledger


class Outside:
    def __init__(
        self,
        services: Services,
        spawn: Callable[[Coroutine[Any, Any, None]], asyncio.Task[None]],
        hand_in: Callable[[Callable[[Ledger, float], Json]], Awaitable[Json]],
        ledger: Ledger,
    ) -> None:
        self._jobs = Jobs(services, spawn, hand_in)
        self._gathering = Gathering(services, spawn, hand_in)
        self._model_runner = ModelRunner(services, spawn, hand_in, ledger)

    def start_due(self, ledger: Ledger) -> None:
        """Start what the rows ask for and is not running yet."""
        self._jobs.start_due(ledger)
        self._gathering.start_due(ledger)
        self._model_runner.start_due(ledger)
