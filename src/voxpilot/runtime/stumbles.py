"""Lines on which steps fail: tried again, then passed over, so that nothing an agent says can stop its chat.

Lives here: where steps failed in the journals of one chat, and what is passed over for it. What cannot be put
down to one line is put down to a record, which is then taken in alone. Lives elsewhere: reading journals
(journal_step.py), steps (live_chat.py).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

from voxpilot.agents.dialogue import Place
from voxpilot.keeper.journal import ENDED, PRINTED, Record

TRIES = 2
LINES = 5
"""Lines of one record that are passed over one by one; then the record is, as a whole."""


class Stumbles:
    def __init__(self) -> None:
        self._failures: Counter[tuple[str, int, int | None]] = Counter()
        """How often it failed: in which process's journal, at the record that ends where, on which line."""
        self._careful: dict[str, int] = {}
        """Journals that are read a record at a time, and up to where."""
        self._read: dict[str, Record] = {}
        """The last record of each journal that the step at hand was given."""
        self._at: tuple[str, Record, Place] | None = None
        """What is being taken in."""

    def begin(self, journals: Collection[str]) -> None:
        """A step begins, and may read these processes' journals."""
        self._read, self._at = {}, None
        self._careful = {id: end for id, end in self._careful.items() if id in journals}

    def decided(self) -> None:
        """What fails from now on is not for what was read."""
        self._read, self._at = {}, None

    def portion(self, process_id: str, records: list[Record]) -> list[Record]:
        """Those of the records that the step may take in."""
        if self._careful and process_id not in self._careful:
            return []  # so that a failure is not put down to the wrong journal
        if process_id in self._careful and (not records or records[0].end > self._careful[process_id]):
            del self._careful[process_id]
        taken = records[:1] if process_id in self._careful else records
        if taken:
            self._read[process_id] = taken[-1]
        return taken

    def place(self, process_id: str, record: Record) -> Place | None:
        """Where a record is being read, and what to leave out; None if all of it is."""
        if self._failures[process_id, record.end, None] >= TRIES:
            return None
        lines = self._lines(process_id, record)
        self._at = (process_id, record, Place(passed_over=frozenset(lines)))
        return self._at[2]

    def taken(self) -> None:
        """The record is taken in; if the step fails now, it is not clear which line it was."""
        self._at = None

    def failed(self, error: Exception) -> None:
        """A step failed; what the machine is to blame for may work the next time."""
        if not self._read or isinstance(error, OSError):
            return
        if self._at is not None:
            process_id, record, place = self._at
            in_lines = record.type == PRINTED and len(place.passed_over) < LINES
            self._note(process_id, record, place.line if in_lines else None)
        elif len(self._read) == 1 and self._careful:
            [(process_id, record)] = self._read.items()
            self._note(process_id, record, None)
        for process_id, record in self._read.items():
            self._careful[process_id] = max(record.end, self._careful.get(process_id, 0))

    def _note(self, process_id: str, record: Record, line: int | None) -> None:
        if record.type != ENDED:  # without it, its agent would seem to live on
            self._failures[process_id, record.end, line] += 1

    def _lines(self, process_id: str, record: Record) -> list[int]:
        return [
            line
            for (process, end, line), count in self._failures.items()
            if process == process_id and end == record.end and line is not None and count >= TRIES
        ]
