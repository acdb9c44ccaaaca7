"""Files that people attached, stored where agents can read them: `uploads/<chat>/<uuid>/<name>`.

Lives here: storing one, and removing those of a chat. The message keeps the contents too, so a file that is
missing here is stored again when its message is sent again. Lives elsewhere: when one is needed
(runtime/context/), deleting a chat (runtime/supervisor.py).
"""

from __future__ import annotations

import os
import shutil
import uuid
from pathlib import Path

from voxpilot.errors import VoxPilotError

FOLDER = "uploads"
LONGEST_NAME = 120
_MARK = uuid.UUID("6d3a1f0e-2a55-4c5e-9a3c-7c1f4f0b8e21")


def folder_of(data_dir: Path, chat_id: str) -> Path:
    return data_dir / FOLDER / safe_name(chat_id)


def prepare(data_dir: Path, chat_id: str) -> str:
    """The real path of a chat's folder, created because a sandbox shows only what exists. Blocks."""
    folder = folder_of(data_dir, chat_id)
    for place in (folder.parent, folder):
        place.mkdir(mode=0o700, exist_ok=True)
    return os.path.realpath(folder)


def store(data_dir: Path, chat_id: str, key: str, name: str, data: bytes) -> Path:
    """Store a file and return its real path. The same key and name is the same file. Blocks on the disk."""
    folder = folder_of(data_dir, chat_id) / str(uuid.uuid5(_MARK, key))
    try:
        for place in (folder.parent.parent, folder.parent, folder):
            place.mkdir(mode=0o700, exist_ok=True)
        path = folder / safe_name(name)
        if not (path.is_file() and path.stat().st_size == len(data)):
            part = folder / ".part"
            file = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
            with open(file, "wb") as opened:
                opened.write(data)
            part.rename(path)
    except OSError as error:
        raise VoxPilotError(f"It could not be stored: {error.strerror}.") from error
    return Path(os.path.realpath(path))


def remove(data_dir: Path, chat_id: str) -> None:
    """Remove all files of a chat."""
    shutil.rmtree(folder_of(data_dir, chat_id), ignore_errors=True)


def chats_with_uploads(data_dir: Path) -> list[str]:
    try:
        return os.listdir(data_dir / FOLDER)
    except OSError:
        return []


def safe_name(name: str) -> str:
    """The last part of a name, without anything that a path or a terminal could take for more than a name."""
    last = name.replace("\\", "/").rstrip("/").rpartition("/")[2]
    if len(last) > 2 * LONGEST_NAME:
        last = last[:LONGEST_NAME] + last[-LONGEST_NAME:]
    kept = "".join(c if c.isprintable() and c not in '<>:"|?*' else "_" for c in last).strip().lstrip(".~-")
    while len(kept.encode(errors="replace")) > LONGEST_NAME:
        stem, dot, ending = kept.rpartition(".")
        kept = f"{stem[:-1]}{dot}{ending}" if stem and len(ending) < LONGEST_NAME // 2 else kept[:-1]
    return kept.encode(errors="replace").decode() or "file"
