"""What a person types into a command's terminal.

Lives here: whether that may be, and handing it to the keeper. It goes straight
there and is stored nowhere, for it may be a password; the keeper remembers its
key, so that nothing is typed twice. Lives elsewhere: which commands take input
(signing_in.py), the terminal itself (keeper/program/terminals.py).
"""

from __future__ import annotations

from voxpilot.chat.events import Json
from voxpilot.errors import Conflict, NotFound
from voxpilot.runtime.live_chat import LiveChat
from voxpilot.storage.chats import has_terminal
from voxpilot.storage.database import Database
from voxpilot.storage.ledger import Ledger
from voxpilot.storage.rows import Terminal


class NotTyped(Conflict):
    """Nobody is there to read it."""

    code = "not-typed"


async def type_in(db: Database, chat: LiveChat, terminal_id: str, data: str, key: str) -> None:
    """Type into a terminal, once for each key; returns when the keeper has it."""

    def check(ledger: Ledger, now: float) -> Json:
        return {"process": _open(ledger, terminal_id).process_id}

    try:
        link = chat.link_to((await chat.do(check))["process"])
        if link is not None:
            await link.found()
            await chat.do(check)  # a keeper that was only now found is told of the command first
    except NotFound:
        if await has_terminal(db, chat.id, terminal_id):
            raise _ended() from None
        raise
    if link is None or not await link.type_in(terminal_id, data, key):
        raise _ended()


def _open(ledger: Ledger, terminal_id: str) -> Terminal:
    terminal = ledger.get(Terminal, terminal_id)
    told_of = ledger.transcript.find("terminal", terminal_id)
    if terminal is None and told_of is None:
        raise NotFound("There is no such terminal.")
    if "exit" in (told_of or {}) or (terminal and (terminal.ended or terminal.killed)):
        raise _ended()
    if terminal is None or not terminal.takes_input:
        raise NotTyped("This command takes no input.", "Only the terminal of a sign-in can be typed into.")
    return terminal


def _ended() -> NotTyped:
    return NotTyped("This command has ended, so nothing was typed.", "If it is asked again, sign in anew.")
