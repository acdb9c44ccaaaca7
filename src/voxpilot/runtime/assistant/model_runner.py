"""Asking the model and running the assistant's own tools, outside the step.

Lives here: starting the model requests and tools that a chat's rows ask for, and returning deltas and results
through `LiveChat.bring`. Nothing is kept here: after a restart, a step without an answer is requested again,
and a tool without a result runs again.
Lives elsewhere: what the result leads to (assistant_turn.py), the model (assistant/llm.py).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from dataclasses import replace
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
from voxpilot.assistant.tools import outcome
from voxpilot.assistant.tools.outcome import ToolFailed, ToolResult, failed
from voxpilot.chat.events import Json, Spoken, TextSpoken, ThoughtSpoken
from voxpilot.chat.gathered import read as read_gathered
from voxpilot.chat.handover import labelled
from voxpilot.errors import Problem, VoxPilotError, is_machines_fault
from voxpilot.killpoints import reach
from voxpilot.runtime.assistant.assistant_turn import Assisting, runs_here
from voxpilot.runtime.context.gather import is_used
from voxpilot.runtime.context.skills_in_use import skills_in_use
from voxpilot.runtime.processes import trust
from voxpilot.runtime.shared.background import Background
from voxpilot.runtime.shared.services import Services
from voxpilot.storage.chats import conversation
from voxpilot.storage.chats.conversation import Exchange
from voxpilot.storage.chats.ledger import Ledger
from voxpilot.storage.database.model_rows import Call, ModelStep
from voxpilot.storage.database.rows import Turn
from voxpilot.storage.database.states import StepState, TurnState

log = logging.getLogger(__name__)
Act = Callable[[Ledger, float], Json]
RETRY_SECONDS = 1.0
AT_ONCE = 8
"""Tools of one chat; some start programs."""
_SHARES = (1.0, 0.6, 0.3)
"""Shares of the model's context; a smaller one is tried if the model reports that the prompt was too long."""


class ModelRunner:
    """The model's steps and the tools of one chat."""

    def __init__(
        self,
        services: Services,
        spawn: Callable[[Coroutine[Any, Any, None]], asyncio.Task[None]],
        hand_in: Callable[[Act], Awaitable[Json]],
        ledger: Ledger,
    ) -> None:
        self._services, self._spawn, self._hand_in = services, spawn, hand_in
        self._running: dict[str, asyncio.Task[None]] = {}
        self._limit = asyncio.Semaphore(AT_ONCE)
        self._cut = {call.id for call in ledger.all(Call) if runs_here(call)}
        """Tools that were running when the server crashed; the crash is counted once, before any of them runs
        again."""

    def start_due(self, ledger: Ledger) -> None:
        """Start what the rows ask for and is not running yet; drop what they no longer ask for."""
        wanted: dict[str, Callable[[], Coroutine[Any, Any, None]]] = {}
        for step in ledger.all(ModelStep):
            if step.state is StepState.ASKING and not _is_stopped(ledger, step.turn):
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
            failure = replace(error.problem(), code=error.code)
            await self._hand_in(lambda ledger, now: self._assisting(ledger).failed(step.id, failure, now))
        except Exception:
            log.exception("a step of the model failed: chat=%s step=%s", ledger.chat.id, step.id)
            failure = Problem("Internal server error.", "Send the message again.")
            await self._hand_in(lambda ledger, now: self._assisting(ledger).failed(step.id, failure, now))
        else:
            reach("after-answer")
            await self._hand_in(lambda ledger, now: self._assisting(ledger).answered(step.id, answer, now))

    async def _answer(self, ledger: Ledger, begun: Json) -> Step:
        """The model's whole answer, shown as it arrives."""
        chat = ledger.chat
        choice = providers.choose(self._services.settings.assistant, wished=chat.model)
        said = await self._conversation(ledger)
        agents, default = await asyncio.to_thread(self._agents)
        current = ledger.get(Turn, begun["turn"])
        gathered = read_gathered(current.context if current else None)
        system = instructions.instructions(
            chat.workspace, agents, chat.agent or default, chat.tools_off, gathered
        )
        names = [agent.id for agent in agents]
        tools = toolbox.offered(names, chat.tools_off, bool(gathered.index))
        async with _Pump(self._hand_in, begun, self._assisting) as pump:
            for share in _SHARES:
                context = int(choice.context_tokens * share)
                room = history.room_for(context, choice.max_output_tokens, system, tools)
                messages = await asyncio.to_thread(history.prepared, said, room)  # it may be long
                try:
                    return await llm.ask(choice, system, messages, tools, pump.take)
                except ContextTooLong:
                    if share == _SHARES[-1] or pump.was_used:
                        raise
        raise AssertionError("every share either answers or raises")

    async def _conversation(self, ledger: Ledger) -> list[Message]:
        chat_id = ledger.chat.id
        return await self._services.db.read(
            lambda db: [m for exchange in conversation.load(db, chat_id) for m in _messages(exchange)],
            is_long=True,
            patient=True,
        )

    def _agents(self) -> tuple[list[AvailableAgent], str]:
        """The agents that can be started, and the default; looks for programs, so it runs off the event
        loop."""
        catalog = self._services.catalog
        found = [agent for agent in catalog.all() if agent.path or agent.entry.tcp]
        return [AvailableAgent(agent.id, agent.display_name) for agent in found], catalog.default()

    def _assisting(self, ledger: Ledger) -> Assisting:
        return Assisting(ledger, self._services.settings, self._services.catalog)

    # Tools

    async def _count_death(self, call: Call) -> None:
        def count(ledger: Ledger, now: float) -> Json:
            self._cut.clear()
            return self._assisting(ledger).run_again(call.turn, now)

        await self._hand_in(count)

    async def _run(self, ledger: Ledger, call: Call) -> None:
        called = ToolCall(call.provider_id, call.name, call.arguments)
        async with self._limit:
            result = await self._surely(ledger, called, call)
        reach("after-tool")
        await self._hand_in(
            lambda ledger, now: self._assisting(ledger).returned(
                call.id, result.content, result.display, result.is_error, now
            )
        )

    async def _surely(self, ledger: Ledger, called: ToolCall, call: Call) -> ToolResult:
        """The result: without one, nobody would ever continue this turn."""
        while True:
            try:
                return await self._result(ledger, called, call.agreed or "", call.turn)
            except Exception as error:
                if not is_machines_fault(error):
                    log.exception("the tool %s failed: chat=%s", called.name, ledger.chat.id)
                    return failed(ToolFailed("The tool failed because of an internal error."))
                log.warning("the tool %s is tried again: %s", called.name, error)
            await asyncio.sleep(RETRY_SECONDS)

    async def _result(self, ledger: Ledger, called: ToolCall, agreed: str, turn_id: str) -> ToolResult:
        roots = (ledger.chat.workspace, *ledger.chat.directories)
        given, settings = self._services.catalog.consents.folders, self._services.settings
        if toolbox.needs_trust(called.name) and trust.untrusted(roots, given, settings):
            return failed(ToolFailed(trust.NOT_RUN))  # no longer trusted
        if called.name == toolbox.READ_SKILL:
            return await self._skill(ledger.chat.workspace, called, _chosen(ledger, turn_id))
        return await toolbox.run(roots, called, agreed, trust.trusted_folders(given, settings))

    async def _skill(self, workspace: str, called: ToolCall, chosen: list[str]) -> ToolResult:
        try:
            wanted = toolbox.checked(called)
            assert isinstance(wanted, toolbox.ReadSkill)
            found = await skills_in_use(self._services, workspace)
            if not is_used(self._services, workspace, by_agent=False):
                found = found.from_an_untrusted_folder(chosen)
            text, _ = await found.text(found.named(wanted.name).id)
            return outcome.result(text)
        except VoxPilotError as error:
            return failed(error)


class _Pump:
    """Deltas on their way into the log; those that wait at the same time are stored together."""

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
        self._background = Background("a model's answer")
        self._task: asyncio.Task[None] | None = None
        self.was_used = False

    def take(self, delta: Delta) -> None:
        self.was_used = True
        self._waiting.append(delta)
        self._news.set()

    async def __aenter__(self) -> _Pump:
        self._task = self._background.start(self._pump(), is_awaited=True)
        return self

    async def __aexit__(self, *_: object) -> None:
        """All deltas are in the log before the answer is."""
        self._ended = True
        self._news.set()
        assert self._task is not None
        async with self._background:
            await self._task

    async def _pump(self) -> None:
        while not (self._ended and not self._waiting):
            await self._news.wait()
            self._news.clear()
            deltas, self._waiting = self._waiting, []
            if deltas:
                await self._hand_in(lambda ledger, now, deltas=deltas: self._speak(ledger, deltas, now))  # type: ignore[misc]

    def _speak(self, ledger: Ledger, deltas: list[Delta], now: float) -> Json:
        if self._assisting(ledger).is_wanted(self._begun):  # otherwise it was stopped
            for delta in deltas:
                ledger.speak(self._spoken(delta), now)
        return {}

    def _spoken(self, delta: Delta) -> Spoken:
        kind = TextSpoken if delta.kind == "text" else ThoughtSpoken
        return kind(message_id=self._begun["message_id"], content=delta.text, turn=self._begun["turn"])


def _messages(exchange: Exchange) -> Iterator[Message]:
    turn = exchange.turn
    text = f"{labelled(turn.handover['text'])}\n\n{turn.text}" if turn.handover else turn.text
    if exchange.is_bare:
        yield attachments.said_without(text)
    else:
        # A model that failed over a picture would fail again.
        gathered = read_gathered(turn.context)
        yield attachments.said(text, turn.attachments, gathered, turn.state is not TurnState.FAILED)
    for step, calls in exchange.steps:
        called = tuple(ToolCall(call.provider_id, call.name, call.arguments) for call in calls)
        yield ModelSaid(step.text, called, step.message)
        for call in calls:
            if call.content is not None:
                yield ToolReturned(call.provider_id, call.name, call.content, call.is_error)


def _chosen(ledger: Ledger, turn_id: str) -> list[str]:
    """The skills that the person added to the message."""
    current = ledger.get(Turn, turn_id)
    return [one["id"] for one in current.attachments if one.get("type") == "skill"] if current else []


def _is_stopped(ledger: Ledger, turn_id: str) -> bool:
    turn = ledger.get(Turn, turn_id)
    return turn is None or turn.cancelled_at is not None
