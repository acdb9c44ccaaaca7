"""The settings file: read whole, changed in place.

Lives here: reading it, and changing a value so that a person's comments and
order stay; the new file is there at once and whole, for its owner only. Lives
elsewhere: what may stand in it (__init__.py).
"""

from __future__ import annotations

import os
import tempfile
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from voxpilot.errors import VoxPilotError

Change = Callable[[Any], None]
"""Changes a document, which is a mapping of mappings."""


class BadSettings(VoxPilotError):
    """The settings file or a variable cannot be used as it is."""

    code = "bad-settings"


def read(path: Path) -> dict[str, Any]:
    return parse(read_text(path), path)


def read_text(path: Path) -> str:
    """What the file holds; nothing if there is none."""
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise BadSettings(f"Cannot read {path}: {error}.", "Mend the file or move it away.") from error


def parse(text: str, path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise BadSettings(f"Cannot read {path}: {error}.", "Mend the file or move it away.") from error


def changed(text: str, change: Change) -> str:
    """The text with a change made in it; all else stays as it was written."""
    import tomlkit  # only who writes needs it

    document = tomlkit.parse(text)
    change(document)
    return tomlkit.dumps(document)


def set_values(table: Any, values: Mapping[str, Any]) -> None:
    """Set these in a table of a document; None removes one."""
    for name, value in values.items():
        if value is None:
            table.pop(name, None)
        elif name not in table or _bare(table[name]) != value:
            table[name] = _item(value)


def new_table() -> Any:
    import tomlkit

    return tomlkit.table()


def replace(path: Path, text: str) -> None:
    """Put a new file in the place of the old one, or leave the old one as it is."""
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
        raise BadSettings(f"Cannot write {path}: {error.strerror}.", "See who may write there.") from error


def signature(path: Path) -> tuple[int, int, int] | None:
    """What differs after a change by anybody."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def _bare(value: Any) -> Any:
    return value.unwrap() if hasattr(value, "unwrap") else value


def _item(value: Any) -> Any:
    import tomlkit

    if isinstance(value, Mapping):
        table = tomlkit.inline_table()
        table.update(value)
        return table
    return tomlkit.item(value)
