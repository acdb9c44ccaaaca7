"""One keeper in a test: its connection, and its journal read so far."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from anyio import fail_after

from voxpilot.keeper.attach import Attachment, KeeperSpec, attach, start_keeper
from voxpilot.keeper.journal import ENDED, PRINTED, SENT, SKIPPED, JournalReader, Record


@dataclass(slots=True)
class Kept:
    """A keeper that the test is attached to."""

    directory: Path
    attachment: Attachment
    reader: JournalReader
    records: list[Record] = field(default_factory=list)
    sent: int = 0

    @property
    def keeper(self) -> int:
        return self.attachment.hello.keeper

    @property
    def agent(self) -> int:
        assert self.attachment.hello.agent is not None
        return self.attachment.hello.agent

    @property
    def printed(self) -> bytes:
        """The agent's output, as far as it was read."""
        return b"".join(record.payload for record in self.records if record.type == PRINTED)

    @property
    def lines(self) -> list[str]:
        return self.printed.decode(errors="backslashreplace").split("\n")[:-1]

    @property
    def taken(self) -> list[bytes]:
        """The lines that the keeper accepted for the agent, with their numbers."""
        return [record.payload for record in self.records if record.type == SENT]

    @property
    def skipped(self) -> list[int]:
        return [json.loads(record.payload)["skipped"] for record in self.records if record.type == SKIPPED]

    def send(self, *lines: str | bytes, prompt: str | None = None) -> None:
        """Send lines with the next numbers; all must be accepted in the end."""
        for line in lines:
            self.sent += 1
            self.attachment.send(self.sent, line, prompt)

    async def read_until(self, condition: Callable[[], object], within: float = 30.0) -> None:
        """Read the journal until the condition is true."""
        with fail_after(within):
            while not condition():
                grown = await self.attachment.grown_past(self.reader.offset)
                records = self.reader.read()
                self.records += records
                assert grown or records or condition(), f"the journal ends: {self.records[-3:]}"

    async def line(self, text: str, within: float = 30.0) -> None:
        """Wait for the agent to print this line."""
        await self.read_until(lambda: text in self.lines, within)

    async def end(self, within: float = 30.0) -> dict[str, Any]:
        """Wait for the last record, which says how the agent ended."""
        await self.read_until(lambda: self.records and self.records[-1].type == ENDED, within)
        return dict(json.loads(self.records[-1].payload))


def spec_for(argv: list[str], place: Path, **fields: Any) -> KeeperSpec:
    """A spec with defaults for everything that a test does not set."""
    settings = {"id": place.name, "argv": tuple(argv), "cwd": str(place), "env": dict(os.environ)}
    return KeeperSpec(**(settings | fields))


async def start_kept(directory: Path, argv: list[str], place: Path, **fields: Any) -> Kept:
    await start_keeper(directory, spec_for(argv, place, **fields))
    return Kept(directory, await attach(directory), JournalReader(directory, 0))


async def killed(attachment: Attachment) -> None:
    """End a keeper that has no `Kept`, and wait until it has exited."""
    attachment.kill()
    while await attachment.grown_past(attachment.end):
        pass
    await attachment.close()


def read_all(directory: Path, offset: int = 0) -> list[Record]:
    """The journal as read by a later reader."""
    records: list[Record] = []
    with JournalReader(directory, offset) as reader:
        while found := reader.read():
            records += found
    return records
