"""The settings file: read whole, changed in place.

Lives here: reading it, and changing a value while keeping comments and order; the new file replaces the old
one atomically and is private. Lives elsewhere: what it may contain (__init__.py).
"""

from __future__ import annotations

import os
import stat
import tempfile
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from voxpilot.errors import VoxPilotError

LARGEST_BYTES = 1_000_000
Change = Callable[[Any], None]
"""Changes a document, which is a mapping of mappings."""


class BadSettings(VoxPilotError):
    """The settings file or a variable is invalid."""

    code = "bad-settings"


def read(path: Path) -> dict[str, Any]:
    return parse(read_text(path), path)


def read_text(path: Path) -> str:
    """The content of the file; empty if there is none. May block forever if its disk does not respond."""
    try:
        with open(path, "rb", opener=_open_at_once) as file:
            if not (stat.S_ISREG(mode := os.fstat(file.fileno()).st_mode) or stat.S_ISCHR(mode)):
                raise BadSettings(f"{path} is not a regular file.", "Move it elsewhere.")
            found = file.read(LARGEST_BYTES + 1) or b""
        if len(found) > LARGEST_BYTES:
            raise BadSettings(f"{path} is larger than {LARGEST_BYTES:,} bytes.", "Move it elsewhere.")
        return found.decode("utf-8")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise BadSettings(f"Cannot read {path}: {error}.", "Fix the file or move it elsewhere.") from error


def _open_at_once(path: str, flags: int) -> int:
    """A pipe in place of the file would block until somebody writes to it."""
    return os.open(path, flags | os.O_NONBLOCK)


def parse(text: str, path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise BadSettings(f"Cannot read {path}: {error}.", "Fix the file or move it elsewhere.") from error


def changed(text: str, change: Change) -> str:
    """The text with one change; everything else stays as it is."""
    import tomlkit  # only needed for writing

    document = tomlkit.parse(text)
    change(document)
    return tomlkit.dumps(document)


def set_values(table: Any, values: Mapping[str, Any]) -> None:
    """Set these values in a table of a document; None removes one."""
    for name, value in values.items():
        if value is None:
            table.pop(name, None)
        elif name not in table or _bare(table[name]) != value:
            table[name] = _item(value)


def new_table() -> Any:
    import tomlkit

    return tomlkit.table()


def replace(path: Path, text: str) -> None:
    """Replace the file, or leave the old one unchanged."""
    target = path.resolve()  # a link stays a link
    try:
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=".config-", dir=target.parent)  # 0600
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            os.replace(name, target)
        except BaseException:
            os.unlink(name)
            raise
    except OSError as error:
        raise BadSettings(
            f"Cannot write {path}: {error.strerror}.", "Check the permissions of the file and its folder."
        ) from error


def signature(path: Path) -> tuple[int, int, int] | None:
    """What changes whenever anybody writes the file."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def _bare(value: object) -> Any:
    return value.unwrap() if hasattr(value, "unwrap") else value


def _item(value: object) -> Any:
    import tomlkit

    if isinstance(value, Mapping):
        table = tomlkit.inline_table()
        table.update(value)
        return table
    return tomlkit.item(value)
