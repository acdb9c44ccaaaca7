"""Records on which steps fail: tried again, then skipped, so that nothing an agent says can stop its chat.

Lives here: where steps failed in the journals of one chat, and what is skipped because of it. A failure that
cannot be blamed on one line is blamed on its record, which is then processed alone. Lives elsewhere: reading
journals (journal_step.py), steps (live_chat.py).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

from voxpilot.agents.requests.dialogue import Place
from voxpilot.errors import is_machines_fault
from voxpilot.keeper.journal import PRINTED, Record
from voxpilot.storage.database.trouble import StorageDamaged

TRIES = 2
"""How often a line or record may fail before it is skipped, and then how often before it is dropped."""
LINES = 5
"""How many lines of one record are skipped one by one; after that the whole record is skipped."""


class Stumbles:
    def __init__(self) -> None:
        self._failures: Counter[tuple[str, int, int | None]] = Counter()
        """How often steps failed, by process, end of the record, and line."""
        self._careful: dict[str, int] = {}
        """Journals that are read a record at a time, and up to where."""
        self._read: dict[str, Record] = {}
        """The last record of each journal that the current step was given."""
        self._at: tuple[str, Record, Place] | None = None
        """The line being processed."""

    @property
    def is_careful(self) -> bool:
        """Whether a journal is suspected: a failure must have no other possible cause."""
        return bool(self._careful)

    def begin(self, journals: Collection[str]) -> None:
        """A step begins, and may read these processes' journals."""
        self._read, self._at = {}, None
        self._careful = {id: end for id, end in self._careful.items() if id in journals}

    def stored(self) -> None:
        """The step is stored: failures from now on are not caused by the journal."""
        self._read, self._at = {}, None

    def portion(self, process_id: str, records: list[Record]) -> list[Record]:
        """The records that the step may process."""
        if self._careful and process_id not in self._careful:
            return []  # so that a failure is not attributed to the wrong journal
        if process_id in self._careful and (not records or records[0].end > self._careful[process_id]):
            del self._careful[process_id]
        taken = records[:1] if process_id in self._careful else records
        if taken:
            self._read[process_id] = taken[-1]
        return taken

    def place(self, process_id: str, record: Record) -> Place:
        """The state for reading a record, and what of it to skip."""
        failures = self._failures[process_id, record.end, None]
        place = Place(
            passed_over=self._lines(process_id, record, TRIES),
            dropped=self._lines(process_id, record, 2 * TRIES),
            is_passed_over=failures >= TRIES,
            is_dropped=failures >= 2 * TRIES,
        )
        self._at = (process_id, record, place)
        return place

    def taken(self) -> None:
        """The record is processed; if the step fails now, it is not clear which line was the cause."""
        self._at = None

    def failed(self, error: Exception) -> None:
        """A step failed; a failure caused by the machine may not happen the next time."""
        if not self._read or is_machines_fault(error) or isinstance(error, StorageDamaged):
            return
        if self._at is not None:
            process_id, record, place = self._at
            in_lines = record.type == PRINTED and len(place.passed_over) < LINES and not place.is_passed_over
            self._failures[process_id, record.end, place.line if in_lines else None] += 1
        elif len(self._read) == 1 and self._careful:
            [(process_id, record)] = self._read.items()
            self._failures[process_id, record.end, None] += 1
        for process_id, record in self._read.items():
            self._careful[process_id] = max(record.end, self._careful.get(process_id, 0))

    def _lines(self, process_id: str, record: Record, most: int) -> frozenset[int]:
        """The lines of a record on which steps failed this often."""
        return frozenset(
            line
            for (process, end, line), count in self._failures.items()
            if process == process_id and end == record.end and line is not None and count >= most
        )
