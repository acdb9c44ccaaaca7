"""What the journal of one agent process holds, taken into a step.

Lives here: each kind of record, in order, and the offset that says how far we
are. Lives elsewhere: lines (agents/dialogue.py), decisions (progress.py).
"""

from __future__ import annotations

import orjson

from voxpilot.agents.connection import Link
from voxpilot.agents.dialogue import hear, hear_ends, pass_over
from voxpilot.chat.events import NoticeGiven
from voxpilot.keeper.journal import (
    COMMAND_ENDED,
    ENDED,
    LEFT_RUNNING,
    PRINTED,
    SENT,
    SKIPPED,
    WRITTEN,
    Record,
)
from voxpilot.runtime import left_running, terminals
from voxpilot.runtime.progress import Progress
from voxpilot.runtime.stumbles import Stumbles
from voxpilot.storage.rows import OutboxLine, Process, Session

STDERR_LINES = 20


def take_in(progress: Progress, process_id: str, link: Link, stumbles: Stumbles, now: float) -> bool:
    """Read on in a process's journal; True when there may be more."""
    process = progress.ledger.get(Process, process_id)
    if process is None:
        return False
    found = link.read()
    records = stumbles.portion(process_id, found)
    if len(records) < len(found):
        link.rewind(records[-1].end if records else process.offset)
    for record in records:
        if record.type == ENDED:
            terminals.process_gone(progress.ledger, process_id, link.directory, record.at)
        take_record(progress, process_id, record, stumbles)
        stumbles.taken()
    more = terminals.take_output(progress.ledger, process_id, link.directory, now)
    if found or more:
        return True
    if link.over.is_set() and progress.ledger.get(Process, process_id) is not None:
        terminals.process_gone(progress.ledger, process_id, link.directory, now)
        end = {"reason": "lost"}
        if link.failed is not None:
            failed = link.failed
            end = {"reason": "not-started", "error": failed.message, "hint": failed.hint}
        progress.process_ended(process, end, now)
    return False


def take_record(
    progress: Progress, process_id: str, record: Record, stumbles: Stumbles | None = None
) -> None:
    ledger = progress.ledger
    reading = (stumbles or Stumbles()).place(process_id, record)
    if reading is None:
        pass_over(ledger, record.payload, record.at)
    elif record.type == PRINTED:
        for happening in hear(ledger, process_id, record.payload, record.at, reading):
            progress.happened(happening, record.at)
            progress.advance(record.at)
    elif record.type == SENT:
        number = int(record.payload.split(b" ", 1)[0])
        if (line := ledger.get(OutboxLine, process_id, number)) is not None:
            ledger.delete(line)
    elif record.type == SKIPPED:
        skipped = orjson.loads(record.payload)
        text = (
            f"The agent sent a message that is too large ({skipped['skipped'] / 1e6:.0f} MB); it was skipped."
        )
        ledger.emit(NoticeGiven(level="warning", code="line-too-long", text=text), record.at)
        begins, ends = skipped.get("ends") or ("", "")  # which older keepers do not tell
        for happening in hear_ends(ledger, process_id, begins, ends, record.at):
            progress.happened(happening, record.at)
            progress.advance(record.at)
    elif record.type == WRITTEN:
        _take_stderr(progress, process_id, record)
    elif record.type == COMMAND_ENDED:
        terminals.ended(ledger, orjson.loads(record.payload))
    elif record.type == LEFT_RUNNING:
        left_running.tell(ledger, record.payload, record.at)
    elif record.type == ENDED:
        _end(progress, process_id, record)
        return
    if (process := ledger.get(Process, process_id)) is not None:
        ledger.change(process, offset=record.end)


def _take_stderr(progress: Progress, process_id: str, record: Record) -> None:
    """What the agent wrote to its error output during a prompt; told when it said nothing else."""
    said = orjson.loads(record.payload)
    for session in progress.ledger.all(Session):
        if session.process_id == process_id and not session.prompting and not session.heard and session.turn:
            text = "\n".join(str(said.get("stderr", "")).splitlines()[-STDERR_LINES:])
            notice = NoticeGiven(
                level="warning",
                code="agent-stderr",
                text="The agent's own messages:",
                detail=text,
                turn=session.turn,
            )
            progress.ledger.emit(notice, record.at)


def _end(progress: Progress, process_id: str, record: Record) -> None:
    process = progress.ledger.get(Process, process_id)
    if process is None:
        return
    process = progress.ledger.change(process, offset=record.end)
    progress.process_ended(process, orjson.loads(record.payload), record.at)
