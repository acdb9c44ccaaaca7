"""Asking the model and running the assistant's own tools, outside the step.

Lives here: what a chat's rows want asked or run, its deltas and its result
handed in through the chat's one door. Nothing is remembered: a step without an
answer is asked again after a restart, a tool without a result is run again.
Lives elsewhere: what comes of it (assisting.py), the model (assistant/llm.py).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from typing import Any

from voxpilot.assistant import attachments, history, instructions, llm, providers, toolbox
from voxpilot.assistant.failures import ContextTooLong
from voxpilot.assistant.instructions import AvailableAgent
from voxpilot.assistant.shapes import (
    Delta,
    Message,
    ModelSaid,
    Step,
    ToolCall,
    ToolReturned,
)
from voxpilot.chat.events import Json, Spoken, TextSpoken, ThoughtSpoken
from voxpilot.errors import VoxPilotError
from voxpilot.killpoints import reach
from voxpilot.runtime.assisting import Assisting, runs_here
from voxpilot.runtime.house import House
from voxpilot.storage import conversation
from voxpilot.storage.conversation import Exchange
from voxpilot.storage.ledger import Ledger
from voxpilot.storage.model_rows import Call, ModelStep
from voxpilot.storage.rows import Turn

log = logging.getLogger(__name__)
Act = Callable[[Ledger, float], Json]
AT_ONCE = 8
"""Tools of one chat; some start programs."""
_SHARES = (1.0, 0.6, 0.3)
"""Of what the model can read; a smaller one is tried when it says that it was too much."""


class Thinking:
    """The model's steps and the tools of one chat."""

    def __init__(
        self,
        house: House,
        spawn: Callable[[Coroutine[Any, Any, None]], asyncio.Task[None]],
        hand_in: Callable[[Act], Awaitable[Json]],
        ledger: Ledger,
    ) -> None:
        self._house, self._spawn, self._hand_in = house, spawn, hand_in
        self._running: dict[str, asyncio.Task[None]] = {}
        self._limit = asyncio.Semaphore(AT_ONCE)
        self._cut = {call.id for call in ledger.all(Call) if runs_here(call)}
        """Tools that ran when the server died; that is counted, once, before any of them runs again."""

    def start_due(self, ledger: Ledger) -> None:
        """Begin what the rows want and is not being done; drop what they no longer want."""
        wanted: dict[str, Callable[[], Coroutine[Any, Any, None]]] = {}
        for step in ledger.all(ModelStep):
            if step.state == "asking" and not _is_stopped(ledger, step.turn):
                wanted[step.id] = lambda step=step: self._ask(ledger, step)  # type: ignore[misc]
        for call in ledger.all(Call):
            if _is_stopped(ledger, call.turn) or not runs_here(call):
                continue
            if call.id in self._cut:
                wanted[f"again-{call.turn}"] = lambda call=call: self._count_death(call)  # type: ignore[misc]
            else:
                wanted[call.id] = lambda call=call: self._run(ledger, call)  # type: ignore[misc]
        for id, task in list(self._running.items()):
            if id not in wanted:
                reach("after-result")  # it is stored
                task.cancel()
        for id, begin in wanted.items():
            if id not in self._running:
                task = self._running[id] = self._spawn(begin())
                task.add_done_callback(lambda _, id=id: self._running.pop(id, None))  # type: ignore[misc]

    # The model

    async def _ask(self, ledger: Ledger, step: ModelStep) -> None:
        begun = await self._hand_in(lambda ledger, now: self._assisting(ledger).begin_attempt(step.id, now))
        if not begun["wanted"]:
            return
        reach("after-asking")
        try:
            answer = await self._answer(ledger, begun)
        except VoxPilotError as error:
            failure = {"message": error.message, "hint": error.hint, "code": error.code}
            await self._hand_in(lambda ledger, now: self._assisting(ledger).failed(step.id, failure, now))
        except Exception:
            log.exception("a step of the model failed: chat=%s step=%s", ledger.chat.id, step.id)
            failure = {"message": "Something went wrong inside.", "hint": "Send the message again."}
            await self._hand_in(lambda ledger, now: self._assisting(ledger).failed(step.id, failure, now))
        else:
            reach("after-answer")
            await self._hand_in(lambda ledger, now: self._assisting(ledger).answered(step.id, answer, now))

    async def _answer(self, ledger: Ledger, begun: Json) -> Step:
        """The model's whole answer, shown as it comes."""
        choice = providers.choose(self._house.settings.assistant)
        said = await self._conversation(ledger)
        agents = await asyncio.to_thread(self._agents)
        default = ledger.chat.agent or self._house.catalog.default()
        system = instructions.instructions(ledger.chat.workspace, agents, default)
        tools = toolbox.offered([agent.id for agent in agents])
        async with _Pump(self._hand_in, begun, self._assisting) as pump:
            for share in _SHARES:
                context = int(choice.context_tokens * share)
                room = history.room_for(context, choice.max_output_tokens, system, tools)
                messages = history.prepared(said, room)
                try:
                    return await llm.ask(choice, system, messages, tools, pump.take)
                except ContextTooLong:
                    if share == _SHARES[-1] or pump.was_used:
                        raise
        raise AssertionError("every share either answers or raises")

    async def _conversation(self, ledger: Ledger) -> list[Message]:
        chat_id = ledger.chat.id
        exchanges = await self._house.db.read(lambda db: conversation.load(db, chat_id))
        return [message for exchange in exchanges for message in _messages(exchange)]

    def _agents(self) -> list[AvailableAgent]:
        """Those that can be started; looks for programs, so it runs off the event loop."""
        found = [agent for agent in self._house.catalog.all() if agent.path or agent.entry.tcp]
        return [AvailableAgent(agent.id, agent.display_name) for agent in found]

    def _assisting(self, ledger: Ledger) -> Assisting:
        return Assisting(ledger, self._house.settings, self._house.catalog)

    # Tools

    async def _count_death(self, call: Call) -> None:
        def count(ledger: Ledger, now: float) -> Json:
            self._cut.clear()
            return self._assisting(ledger).run_again(call.turn, now)

        await self._hand_in(count)

    async def _run(self, ledger: Ledger, call: Call) -> None:
        called = ToolCall(call.provider_id, call.name, call.arguments)
        roots = (ledger.chat.workspace, *ledger.chat.directories)
        async with self._limit:
            result = await toolbox.run(roots, called, call.agreed or "")
        reach("after-tool")
        await self._hand_in(
            lambda ledger, now: self._assisting(ledger).returned(
                call.id, result.content, result.display, result.is_error, now
            )
        )


class _Pump:
    """Deltas on their way into the log: those that wait together go together."""

    def __init__(
        self,
        hand_in: Callable[[Act], Awaitable[Json]],
        begun: Json,
        assisting: Callable[[Ledger], Assisting],
    ) -> None:
        self._hand_in, self._begun, self._assisting = hand_in, begun, assisting
        self._waiting: list[Delta] = []
        self._news = asyncio.Event()
        self._ended = False
        self._task: asyncio.Task[None] | None = None
        self.was_used = False

    def take(self, delta: Delta) -> None:
        self.was_used = True
        self._waiting.append(delta)
        self._news.set()

    async def __aenter__(self) -> _Pump:
        self._task = asyncio.create_task(self._run())
        return self

    async def __aexit__(self, *_: object) -> None:
        """All that was said is in the log before the answer is."""
        self._ended = True
        self._news.set()
        assert self._task is not None
        await self._task

    async def _run(self) -> None:
        while not (self._ended and not self._waiting):
            await self._news.wait()
            self._news.clear()
            deltas, self._waiting = self._waiting, []
            if deltas:
                await self._hand_in(lambda ledger, now, deltas=deltas: self._speak(ledger, deltas, now))  # type: ignore[misc]

    def _speak(self, ledger: Ledger, deltas: list[Delta], now: float) -> Json:
        if self._assisting(ledger).is_wanted(self._begun):  # else it was stopped with this on its way
            for delta in deltas:
                ledger.speak(self._spoken(delta), now)
        return {}

    def _spoken(self, delta: Delta) -> Spoken:
        kind = TextSpoken if delta.kind == "text" else ThoughtSpoken
        return kind(message_id=self._begun["message_id"], content=delta.text, turn=self._begun["turn"])


def _messages(exchange: Exchange) -> Iterator[Message]:
    # A model that failed over a picture would fail again.
    yield attachments.said(exchange.turn.text, exchange.turn.attachments, exchange.turn.state != "failed")
    for step, calls in exchange.steps:
        called = tuple(ToolCall(call.provider_id, call.name, call.arguments) for call in calls)
        yield ModelSaid(step.text, called, step.message)
        for call in calls:
            if call.content is not None:
                yield ToolReturned(call.provider_id, call.name, call.content, call.is_error)


def _is_stopped(ledger: Ledger, turn_id: str) -> bool:
    turn = ledger.get(Turn, turn_id)
    return turn is None or turn.cancelled_at is not None
