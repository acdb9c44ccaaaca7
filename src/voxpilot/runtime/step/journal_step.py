"""Processing the journal of one agent process in a step.

Lives here: each kind of record, in order, and the offset reached so far. Lives elsewhere: lines
(agents/requests/dialogue.py), decisions (progress.py).
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import orjson

from voxpilot.agents.requests.dialogue import (
    Happening,
    Place,
    hear,
    hear_ends,
    hear_outline,
    pass_over,
)
from voxpilot.agents.wire.connection import KeeperLink
from voxpilot.chat.events import Json, NoticeGiven
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
from voxpilot.runtime.callbacks import orphan_commands, terminals
from voxpilot.runtime.processes import unreachable
from voxpilot.runtime.step.progress import Progress
from voxpilot.runtime.step.quarantine import Stumbles
from voxpilot.storage.chats.ledger import Ledger
from voxpilot.storage.database.rows import OutboxLine, Process, Session
from voxpilot.storage.database.states import ProcessState, SessionPhase

log = logging.getLogger(__name__)
STDERR_LINES = 20


def take_in(progress: Progress, process_id: str, link: KeeperLink, stumbles: Stumbles, now: float) -> bool:
    """Process the next records of a process's journal; True if there may be more."""
    process = progress.ledger.get(Process, process_id)
    if process is None:
        return False
    found = link.read()
    records = stumbles.portion(process_id, found)
    if len(records) < len(found):
        link.rewind(records[-1].end if records else process.offset)
    for record in records:
        record = replace(record, at=min(record.at, now))
        take_record(progress, process_id, record, stumbles, link.directory)
        stumbles.taken()
    if (process := progress.ledger.get(Process, process_id)) is None:
        return True
    unreachable.tell(progress.ledger, progress.catalog, process, link, now)
    more = _take_output(progress.ledger, process_id, link, now)  # in each step, so before the turn's end
    if found or more:
        return True
    if link.over.is_set() and not _may_be_read_later(process, link):
        _end_without_record(progress, process, link, now)
    return False


def _take_output(ledger: Ledger, process_id: str, link: KeeperLink, now: float) -> bool:
    try:
        return terminals.take_output(ledger, process_id, link.directory, now)
    except OSError as error:  # no more files can be opened: the rest of the step does not need any
        log.warning("output of commands waits: %s", error)
        link.look_again()
        return False


def _may_be_read_later(process: Process, link: KeeperLink) -> bool:
    """Whether to wait for the rest of a journal. A person who stops the agent gives it up."""
    if link.unreadable is None or link.failed is not None:
        return False
    return not (process.state is ProcessState.STOPPING and unreachable.is_lasting(link.unreadable))


def _end_without_record(progress: Progress, process: Process, link: KeeperLink, now: float) -> None:
    """The keeper is gone and has not recorded an end."""
    terminals.process_gone(progress.ledger, process.id, link.directory, now)
    end = _unknown_end(process)
    if link.failed is not None:
        end = {"reason": "not-started", "error": link.failed.message, "hint": link.failed.hint}
    progress.process_ended(process, end, now)


def _unknown_end(process: Process) -> Json:
    return {"reason": "killed" if process.state is ProcessState.STOPPING else "lost"}


def take_record(
    progress: Progress,
    process_id: str,
    record: Record,
    stumbles: Stumbles | None = None,
    directory: Path | None = None,
) -> None:
    """Process a record; `directory` has the output of the agent's commands."""
    ledger = progress.ledger
    reading = (stumbles or Stumbles()).place(process_id, record)
    if record.type == ENDED:
        _end(progress, process_id, record, reading, directory)
        return
    if reading.is_passed_over:
        _pass_over(progress, process_id, record, reading)
    elif record.type == PRINTED:
        _take_all(progress, hear(ledger, process_id, record.payload, record.at, reading), record.at)
    elif record.type == SENT:
        _take_sent(ledger, process_id, record)
    elif record.type == SKIPPED:
        _take_skipped(progress, process_id, record)
    elif record.type == WRITTEN:
        _take_stderr(progress, process_id, record)
    elif record.type == COMMAND_ENDED:
        terminals.ended(ledger, orjson.loads(record.payload))
    elif record.type == LEFT_RUNNING:
        orphan_commands.tell(ledger, record.payload, record.at)
    if (process := ledger.get(Process, process_id)) is not None:
        ledger.change(process, offset=record.end)


def _pass_over(progress: Progress, process_id: str, record: Record, reading: Place) -> None:
    """Skip a whole record; anyone who waits for one of its lines gets an error."""
    pass_over(progress.ledger, record.payload, record.at)
    for line in record.payload.split(b"\n") if record.type == PRINTED and not reading.is_dropped else ():
        _take_all(progress, hear_outline(progress.ledger, process_id, line, record.at), record.at)


def _take_all(progress: Progress, happenings: Iterable[Happening], at: float) -> None:
    for happening in happenings:
        progress.happened(happening, at)
        progress.advance(at)


def _take_sent(ledger: Ledger, process_id: str, record: Record) -> None:
    """A line reached the agent, so it is no longer in the outbox."""
    number = int(record.payload.split(b" ", 1)[0])
    if (line := ledger.get(OutboxLine, process_id, number)) is not None:
        ledger.delete(line)


def _take_skipped(progress: Progress, process_id: str, record: Record) -> None:
    """The keeper left out a line that was too long; if it was a request or an answer, that is still known."""
    skipped = orjson.loads(record.payload)
    text = f"The agent sent a message that is too large ({skipped['skipped'] / 1e6:.0f} MB); it was skipped."
    progress.ledger.emit(NoticeGiven(level="warning", code="line-too-long", text=text), record.at)
    begins, ends = skipped.get("ends") or ("", "")  # older keepers do not send this
    _take_all(progress, hear_ends(progress.ledger, process_id, begins, ends, record.at), record.at)


def _take_stderr(progress: Progress, process_id: str, record: Record) -> None:
    """The agent's error output during a prompt; shown if it said nothing else."""
    said = orjson.loads(record.payload)
    for session in progress.ledger.all(Session):
        is_over = session.phase is not SessionPhase.PROMPTING
        if session.process_id == process_id and is_over and not session.heard and session.turn:
            text = "\n".join(str(said.get("stderr", "")).splitlines()[-STDERR_LINES:])
            notice = NoticeGiven(
                level="warning",
                code="agent-stderr",
                text="The agent's error output:",
                detail=text,
                turn=session.turn,
            )
            progress.ledger.emit(notice, record.at)


def _end(progress: Progress, process_id: str, record: Record, reading: Place, directory: Path | None) -> None:
    """If the record cannot be processed, the agent has still ended."""
    process = progress.ledger.get(Process, process_id)
    if process is None:
        return
    if directory is not None and not reading.is_dropped:
        terminals.process_gone(progress.ledger, process_id, directory, record.at)
    process = progress.ledger.change(process, offset=record.end)
    end = _unknown_end(process) if reading.is_passed_over else orjson.loads(record.payload)
    progress.process_ended(process, end, record.at)
