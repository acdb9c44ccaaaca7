"""`voxpilot run`: one prompt to one agent, from the terminal.

Lives here: the arguments, the server it uses, signals and exit codes.
Lives elsewhere: the turn itself (turn.py), finding or starting a server
(server.py).
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path

from voxpilot.cli.client import Client
from voxpilot.cli.run.screen import Lines, Screen
from voxpilot.cli.run.turn import CANCELLED, WAITING, Job, Run
from voxpilot.cli.server import client, some_server
from voxpilot.errors import Invalid, VoxPilotError
from voxpilot.settings import Settings

NOBODY_READS = 128 + signal.SIGPIPE
_KINDS = {"allow": "allow_once", "reject": "reject_once"}


def run(
    settings: Settings,
    *,
    agent: str | None,
    assistant: bool,
    prompt: str,
    workspace: str | None,
    session: str | None,
    answer: str | None,
    trust: bool,
    wait: bool,
    as_json: bool,
) -> int:
    job = Job(
        agent=agent,
        mode="llm" if assistant else "agent" if agent is not None else None,
        workspace=Path(workspace or ".").resolve(),
        prompt=_prompt_of(prompt),
        session=session,
        answer_kind=_KINDS[answer] if answer else None,
        trusts=trust,
        waits=wait,
        quiet_seconds=settings.quiet_time,
    )
    _check_text(job.agent, str(job.workspace), job.session, job.prompt)
    for output in (sys.stdout, sys.stderr):
        output.reconfigure(errors="replace")  # type: ignore[union-attr]
    try:
        return asyncio.run(_run(settings, job, as_json))
    except BrokenPipeError:
        # Nobody reads our output any more. Python would try to flush it at exit and report an error.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return NOBODY_READS


async def _run(settings: Settings, job: Job, as_json: bool) -> int:
    view = (Lines if as_json else Screen)(sys.stdout, sys.stderr)
    async with client(settings) as server:
        turn = Run(server, job, view)
        signals = _Signals(turn)
        try:
            async with some_server(settings) as host:
                code = await turn.carry_out()
                if host.child is not None and await _others_work(server, turn.chat_id):
                    host.leave_running()
                    view.note(
                        "The server is working on other chats and keeps "
                        "running. Use `voxpilot stop` to stop it."
                    )
                elif host.child is not None and code == WAITING:
                    view.note(
                        "Stopping the server that was started for this command. This also stops the turn."
                    )
                return code
        except asyncio.CancelledError:
            view.note("Exited.")
            return signals.exit_code


class _Signals:
    """Ctrl-C stops the turn; a second Ctrl-C, or SIGTERM, exits immediately."""

    def __init__(self, turn: Run) -> None:
        self.exit_code = CANCELLED
        self._turn = turn
        self._task = asyncio.current_task()
        self._is_stopping = self._is_leaving = False
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGINT, self._interrupt)
        for number in (signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, self._leave, 128 + number)

    def _interrupt(self) -> None:
        if self._turn.is_posted and not self._is_stopping:
            self._is_stopping = True
            self._turn.interrupt()
        else:
            self._leave(CANCELLED)

    def _leave(self, exit_code: int) -> None:
        if not self._is_leaving and self._task is not None:
            self._is_leaving = True
            self.exit_code = exit_code
            self._task.cancel()


async def _others_work(server: Client, ours: str | None) -> bool:
    """Whether somebody else now uses the server that was started for us."""
    with suppress(VoxPilotError):
        listed = await server.call("GET", "/api/chats")
        return any(chat["id"] != ours and (chat["running"] or chat["queued"]) for chat in listed["chats"])
    return False


def _prompt_of(given: str) -> str:
    if given == "-":
        given = sys.stdin.buffer.read().decode(errors="surrogateescape")
    if not given.strip():
        raise Invalid("The prompt is empty.", "Pass it as the last argument, or `-` to read standard input.")
    return given


def _check_text(*texts: str | None) -> None:
    """A command line that is not valid UTF-8 cannot be sent as text."""
    for text in filter(None, texts):
        if not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text):
            raise Invalid(f"Not valid UTF-8: {text[:100]!r}.", "Only UTF-8 text can be sent.")
