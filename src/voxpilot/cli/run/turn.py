"""One turn of `voxpilot run`: events, typed lines and Ctrl-C, handled one after another.

Lives here: the chat and its message, and following the turn until it ends.
Lives elsewhere: the command around it (command.py), following (client.py),
printing (screen.py), questions (questions.py).
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from contextlib import aclosing
from enum import Enum
from pathlib import Path
from typing import Literal

from voxpilot.chat.events import Json
from voxpilot.cli.client import ChatEvent, Client, Refused, new_key
from voxpilot.cli.run.questions import TRUST, Questions, cut_places, uncut
from voxpilot.cli.run.screen import View
from voxpilot.cli.run.terminal import Keyboard
from voxpilot.cli.text import clean, one_line
from voxpilot.values import dataclass

DONE, FAILED, WAITING, CANCELLED = 0, 1, 3, 130


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What a person asked for."""

    agent: str | None
    workspace: Path
    prompt: str
    mode: Literal["llm", "agent"] | None = "agent"
    """None: the settings decide who answers."""
    session: str | None = None
    """The name of a chat to continue, for this agent and workspace."""
    answer_kind: str | None = None
    """The kind of option to choose automatically."""
    trusts: bool = False
    """Whether the workspace's files are trusted."""
    waits: bool = False
    """Whether to wait for answers in the browser when nobody can be asked here."""
    quiet_seconds: float = 0.2
    """How long an agent has to be silent after its turn before its output is considered complete."""


@dataclass(frozen=True, slots=True)
class _Line:
    """A typed line, and the question it was typed after."""

    text: str
    epoch: int


class _Key(Enum):
    INTERRUPT = "Ctrl-C"


class Run:
    """One turn, from the message to its end."""

    def __init__(self, client: Client, job: Job, view: View) -> None:
        self._client = client
        self._job = job
        self._view = view
        self._news: asyncio.Queue[ChatEvent | _Line | _Key] = asyncio.Queue()
        self._keyboard = Keyboard(self._typed)
        kinds = tuple(filter(None, (job.answer_kind, TRUST if job.trusts else None)))
        self._questions = Questions(
            view, self._answer, lambda: self._keyboard.is_there, kinds, self._keyboard.forget
        )
        self._chat: Json = {}
        self._message = self._turn = ""
        self._has_begun = self._is_to_stop = False

    @property
    def chat_id(self) -> str | None:
        return self._chat.get("id")

    @property
    def is_posted(self) -> bool:
        return bool(self._turn)

    def interrupt(self) -> None:
        """Stop the turn; it still has to end."""
        self._news.put_nowait(_Key.INTERRUPT)

    def _typed(self, line: str) -> None:
        self._news.put_nowait(_Line(line, self._keyboard.epoch))

    async def carry_out(self) -> int:
        """Post the message, show the turn, and return how it ended as an exit code."""
        self._chat = await self._find_chat()
        if self._cannot_wait and self._chat["needs_you"]:
            self._view.note("The chat is waiting for an answer in the browser. Nothing was sent.")
            return WAITING
        body = {"text": self._job.prompt, "key": new_key()}
        taken = await self._client.call("POST", f"/api/chats/{self._chat['id']}/messages", body)
        self._message, self._turn = taken["message_id"], taken["turn"]
        try:
            async with asyncio.TaskGroup() as tasks:
                pump = tasks.create_task(self._pump())
                code = await self._attend()
                pump.cancel()
            return code
        except BaseExceptionGroup as group:
            raise group.exceptions[0] from None
        finally:
            self._keyboard.listen(False)
            self._view.close()

    async def _find_chat(self) -> Json:
        job, key = self._job, new_key()
        if job.session is not None:
            named = await self._client.call("GET", "/api/chats", name=job.session)
            for chat in named["chats"]:
                answers = (chat["mode"], chat["agent"])
                if job.mode is not None and answers != (job.mode, job.agent):
                    continue
                if chat["workspace"] == str(job.workspace):
                    return dict(chat)
            # The same key for the same name, so that two runs that start at the same time share one chat.
            which = json.dumps([job.mode, job.agent, str(job.workspace), job.session])
            key = f"run-{hashlib.sha256(which.encode()).hexdigest()}"
        body: Json = {"workspace": str(job.workspace), "mode": job.mode, "agent": job.agent, "key": key}
        return dict(await self._client.call("POST", "/api/chats", body | {"name": job.session}))

    async def _pump(self) -> None:
        async with aclosing(self._client.follow(self._chat["id"], self._chat["last_seq"])) as events:
            async for event in events:
                self._news.put_nowait(event)

    async def _attend(self) -> int:
        while True:
            match await self._news.get():
                case ChatEvent() as event:
                    code = await self._take(event)
                    if code is not None:
                        return code
                case _Key.INTERRUPT:
                    await self._stop()
                case _Line(text, epoch) if epoch == self._keyboard.epoch:
                    await self._questions.typed(text)
            self._keyboard.listen(self._questions.wants_input)

    async def _take(self, event: ChatEvent) -> int | None:
        """Show an event and react to it; the exit code if it ends our turn."""
        is_ours = event.turn == self._turn or (event.turn is None and self._has_begun)
        self._view.take(event, is_ours)
        match event.kind:
            case "message" if event.body["id"] == self._message and event.body.get("removed"):
                self._view.note("The message was removed from the queue.")
                return CANCELLED
            case "turn-started" if is_ours:
                self._has_begun = True
                if self._is_to_stop:
                    await self._stop()
            case "question":
                is_answered = is_ours and await self._questions.asked(await self._whole(event.body))
                if self._cannot_wait and not is_answered and await self._is_held_up():
                    return self._leave_waiting(is_ours)
            case "answer":
                self._keyboard.forget()
                self._questions.answered(event.body)
            case "turn-ended" if event.turn == self._turn:
                return await self._end(event.body)
        return None

    @property
    def _cannot_wait(self) -> bool:
        return not self._keyboard.is_there and not self._job.waits

    async def _is_held_up(self) -> bool:
        """Whether a question is still open: a policy may have answered it already."""
        return bool((await self._client.call("GET", f"/api/chats/{self._chat['id']}"))["needs_you"])

    def _leave_waiting(self, is_ours: bool) -> int:
        behind = (
            ""
            if is_ours
            else " The message stays in the queue behind an earlier turn that has an open question."
        )
        self._view.note(
            f"There is no terminal to answer in, so this command exits before the turn ends.{behind}"
        )
        self._view.note("Use --wait to wait for an answer in the browser.")
        return WAITING

    async def _end(self, body: Json) -> int:
        error, reason = body.get("error"), body["stop_reason"]
        if reason == "cancelled":
            self._view.note("Cancelled.")
            return CANCELLED
        if error is not None or reason in ("error", "interrupted"):
            self._complain(error or {})
            return FAILED
        await self._hear_late_words()
        if reason != "end_turn":
            self._view.note(f"The agent stopped early: {one_line(reason)}.")
        return DONE

    async def _hear_late_words(self) -> None:
        """Some agents answer the prompt before they send their last output."""
        try:
            while True:
                async with asyncio.timeout(self._job.quiet_seconds):
                    news = await self._news.get()
                if isinstance(news, ChatEvent):
                    if news.kind == "turn-started":
                        return
                    self._view.take(news, news.turn == self._turn)
        except TimeoutError:
            pass

    def _complain(self, error: Json) -> None:
        self._view.note(f"voxpilot: {clean(error.get('message') or 'The turn was interrupted.')}")
        for more in (error.get("hint"), error.get("detail")):
            if isinstance(more, str) and more:
                self._view.note("\n".join(f"  {line}" for line in clean(more).splitlines()))

    async def _stop(self) -> None:
        """Stop our turn; if it is still queued behind another turn, remove the message instead."""
        path = f"/api/chats/{self._chat['id']}"
        self._is_to_stop = True
        try:
            if self._has_begun:
                await self._client.call("POST", f"{path}/cancel", {"key": new_key(), "turn": self._turn})
            else:
                await self._client.call("DELETE", f"{path}/queue/{self._message}")
        except Refused:
            pass  # it has just ended or started: the next events say which

    async def _answer(self, question_id: str, decision: Json) -> None:
        path = f"/api/chats/{self._chat['id']}/questions/{question_id}"
        await self._client.call("POST", path, {**decision, "key": new_key()})

    async def _whole(self, question: Json) -> Json:
        """Nobody should have to decide from a preview."""
        events = f"/api/chats/{self._chat['id']}/events"
        if question.get("cut"):
            question = dict(await self._client.call("GET", f"{events}/{question['seq']}"))
        detail = question["detail"]
        whole = {seq: await self._client.call("GET", f"{events}/{seq}") for seq in cut_places(detail)}
        return {**question, "detail": uncut(detail, whole)}
