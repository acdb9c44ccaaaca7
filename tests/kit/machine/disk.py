"""DF: a disk so small that a test can fill it."""

from __future__ import annotations

import errno
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

BLOCK = 4096


@dataclass(frozen=True, slots=True)
class SmallDisk:
    """A mounted folder of limited size."""

    path: Path

    @property
    def free_bytes(self) -> int:
        state = os.statvfs(self.path)
        return state.f_bavail * state.f_frsize

    def fill(self, leave_bytes: int = 0) -> None:
        """Fill the disk except for this many bytes."""
        with self._ballast.open("ab", buffering=0) as file:
            try:
                while self.free_bytes > leave_bytes:
                    file.write(b"\0" * min(BLOCK, self.free_bytes - leave_bytes))
            except OSError as error:
                if error.errno != errno.ENOSPC:
                    raise

    def free(self) -> None:
        """Free the space again."""
        self._ballast.unlink(missing_ok=True)

    @property
    def _ballast(self) -> Path:
        return self.path / ".ballast"


@contextmanager
def small_disk(path: Path, size_bytes: int = 8 * 2**20) -> Iterator[SmallDisk]:
    """Mount a disk of that size at `path` within the block; needs root."""
    path.mkdir(parents=True, exist_ok=True)
    options = f"size={size_bytes},mode=0700"
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(path)], check=True)
    try:
        yield SmallDisk(path)
    finally:
        # Lazily: a process that the test left behind must not keep the mount busy.
        subprocess.run(["umount", "--lazy", str(path)], check=True)


def can_mount() -> bool:
    """Whether this user may mount at all; containers often forbid it even for root."""
    if os.geteuid() != 0:
        return False
    probe = ["unshare", "--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]
    return subprocess.run(probe, check=False, capture_output=True).returncode == 0
