"""Sessions on disk, one JSON file each.

Lives here: where they are stored, writing and reading them. Lives elsewhere: what they contain (session.py).
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

from voxpilot.agents.demo.files import write_atomically
from voxpilot.agents.demo.session import Session


class Store:
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def save(self, session: Session) -> None:
        session.updated_at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_atomically(self._path(session.id), json.dumps(asdict(session)))
        except OSError as error:
            # The demo is still useful if it cannot be continued later.
            print(f"The session could not be saved: {error}", file=sys.stderr)

    def load(self, session_id: str) -> Session | None:
        try:
            session = Session(**json.loads(self._path(session_id).read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError):
            return None
        for entry in session.history:
            if entry.get("status") in ("pending", "in_progress"):
                entry["status"] = "failed"  # it belonged to a process that has ended
        return session

    def all(self) -> list[Session]:
        """All sessions, newest first."""
        found = [self.load(path.stem) for path in sorted(self._folder.glob("*.json"))]
        return sorted(filter(None, found), key=lambda session: session.updated_at, reverse=True)

    def delete(self, session_id: str) -> None:
        self._path(session_id).unlink(missing_ok=True)

    def _path(self, session_id: str) -> Path:
        # Only the file name: a session's id comes from outside and must not point to another folder.
        return self._folder / f"{Path(session_id).name}.json"


def default_folder(environ: Mapping[str, str]) -> Path:
    if given := environ.get("VOXPILOT_DEMO_HOME"):
        return Path(given)
    home = Path(environ.get("HOME") or Path.home())
    if sys.platform == "darwin":
        return home / "Library" / "Application Support" / "VoxPilot" / "demo-agent"
    return Path(environ.get("XDG_DATA_HOME") or home / ".local" / "share") / "voxpilot" / "demo-agent"


def new_session_id() -> str:
    return os.urandom(8).hex()
