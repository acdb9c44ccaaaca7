"""The pages of a database file that SQLite may refuse to open, newest version first.

Lives here: the file and its write-ahead log as numbered pages, even if either is damaged; nothing is written.
Lives elsewhere: what pages contain (btree.py), checking the log (storage/database/write_ahead_log.py).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field

from voxpilot.storage.database.write_ahead_log import HEADER_BYTES, Frame, Trust, checked_frames

_MAGIC = b"SQLite format 3\0"
_PAGE_SIZES = tuple(1 << power for power in range(9, 17))
_USUAL_PAGE_SIZE = 4096
_TREE_PAGES = (0x02, 0x05, 0x0A, 0x0D)
_FREE_LIST_AT = 32


@dataclass(slots=True)
class Image:
    page_size: int
    main: bytes
    frames: dict[int, list[bytes]] = field(default_factory=dict)
    """The committed versions of each page in the log, newest first."""
    confirmed: dict[int, list[bytes]] = field(default_factory=dict)
    """Versions whose checksum is right, newest first, including those in `torn`."""
    torn: list[tuple[int, bytes]] = field(default_factory=list)
    """Pages of a last transaction whose commit is missing from the log."""
    is_log_damaged: bool = False
    """Whether a page of the log is unusable, so that an older version may have to be used."""

    @property
    def count(self) -> int:
        in_file = -(-len(self.main) // self.page_size)
        return max([in_file, *self.frames])

    def versions(self, number: int) -> Iterator[bytes]:
        """All stored versions of this page, newest first; always of full length."""
        yield from self.frames.get(number, ())
        yield from self.in_file(number)

    def in_file(self, number: int) -> Iterator[bytes]:
        """The version of this page in the file itself, if there is one."""
        data = self.main[(number - 1) * self.page_size : number * self.page_size]
        if data:
            yield data.ljust(self.page_size, b"\0")

    def page(self, number: int) -> bytes | None:
        return next(self.versions(number), None)

    def free_pages(self) -> set[int]:
        """Pages that were used once and are free now, as far as that can be determined."""
        found: set[int] = set()
        first = self.page(1)
        trunk = struct.unpack_from(">I", first, _FREE_LIST_AT)[0] if first else 0
        while 0 < trunk <= self.count and trunk not in found:
            found.add(trunk)
            data = self.page(trunk)
            if data is None:
                break
            following, leaves = struct.unpack_from(">II", data)
            if leaves > self.page_size // 4 - 2:
                break
            found.update(struct.unpack_from(f">{leaves}I", data, 8))
            trunk = following
        return found


def _page_size(main: bytes, wal: bytes) -> int:
    """The page size from the header if it fits the pages; otherwise the size that fits best."""
    candidates = [_USUAL_PAGE_SIZE]
    if main.startswith(_MAGIC):
        candidates.insert(0, _decoded(struct.unpack_from(">H", main, 16)[0]))
    if len(wal) >= HEADER_BYTES:
        candidates.append(struct.unpack_from(">I", wal, 8)[0])
    known = [size for size in dict.fromkeys(candidates) if size in _PAGE_SIZES]
    return max(known, key=lambda size: _sense(main, size))


def _decoded(size: int) -> int:
    return 65536 if size == 1 else size


def _sense(main: bytes, size: int) -> float:
    """How much of the file looks like pages of this size."""
    starts = range(size, len(main) - 8, size)
    good = sum(main[start] in _TREE_PAGES and main[start + 7] < 64 for start in starts)
    return good / max(1, len(starts))


def read_image(main: bytes, wal: bytes) -> Image:
    image = Image(_page_size(main, wal), main)
    _read_log(image, wal)
    return image


def _read_log(image: Image, wal: bytes) -> None:
    """Take in the committed pages of the log. A damaged frame hides only itself."""
    frames = checked_frames(wal, image.page_size)
    trusted = [frame for frame in frames if frame.trust is Trust.CONFIRMED]
    most = max([image.count + len(frames), *(max(frame.number, frame.size) for frame in trusted)])
    image.is_log_damaged = len(trusted) < len(frames)
    pending: list[Frame] = []
    for frame in frames:
        if frame.trust is not Trust.DAMAGED and 0 < frame.number <= most:
            pending.append(frame)
            if frame.trust is Trust.CONFIRMED:
                image.confirmed.setdefault(frame.number, []).insert(0, frame.data)
        if frame.size:
            for page in pending:
                image.frames.setdefault(page.number, []).insert(0, page.data)
            pending = []
    image.torn = [(frame.number, frame.data) for frame in pending]
