"""What a person types into a command's terminal.

Lives here: checking that it is allowed, and passing it to the keeper. It goes straight
there and is stored nowhere, because it may be a password; the keeper remembers its
key, so that nothing is typed twice. Lives elsewhere: which commands take input
(processes/sign_in.py), the terminal itself (keeper/program/commands/terminals.py).
"""

from __future__ import annotations

from voxpilot.chat.events import Json
from voxpilot.errors import Conflict, NotFound
from voxpilot.runtime.live_chat import LiveChat
from voxpilot.storage.chats.chat_list import has_terminal
from voxpilot.storage.chats.ledger import Ledger
from voxpilot.storage.database.rows import Terminal
from voxpilot.storage.database.sqlite import Database


class NotTyped(Conflict):
    """The command takes no input, or has ended."""

    code = "not-typed"


async def type_in(db: Database, chat: LiveChat, terminal_id: str, data: str, key: str) -> None:
    """Type into a terminal, once for each key; returns when the keeper has it."""

    def check(ledger: Ledger, now: float) -> Json:
        return {"process": _open(ledger, terminal_id).process_id}

    try:
        link = chat.link_to((await chat.do(check))["process"])
        if link is not None:
            await link.found()
            await chat.do(check)  # a keeper we have just connected to is told about the command first
    except NotFound:
        if await has_terminal(db, chat.id, terminal_id):
            raise _ended() from None
        raise
    if link is None or not await link.type_in(terminal_id, data, key):
        raise _ended()


def _open(ledger: Ledger, terminal_id: str) -> Terminal:
    terminal = ledger.get(Terminal, terminal_id)
    shown = ledger.transcript.find("terminal", terminal_id)
    if terminal is None and shown is None:
        raise NotFound("Terminal not found.")
    if "exit" in (shown or {}) or (terminal and (terminal.ended or terminal.killed)):
        raise _ended()
    if terminal is None or not terminal.takes_input:
        raise NotTyped("This command does not accept input.", "Only a sign-in terminal accepts input.")
    return terminal


def _ended() -> NotTyped:
    return NotTyped(
        "This command has ended, so the input was not sent.", "If you are asked again, sign in again."
    )
