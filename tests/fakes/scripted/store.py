"""Sessions kept in files, so that another process can list and load them.

Like real agents, it stores complete messages only: an unfinished message is lost when the process is killed.
"""

from __future__ import annotations

import json
import os
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Store:
    """A folder with one file per session; without a folder it forgets everything."""

    def __init__(self, folder: str | None) -> None:
        self._folder = folder
        if folder:
            os.makedirs(folder, exist_ok=True)

    def save(self, session_id: str, cwd: str, history: list[tuple[str, str]]) -> None:
        if self._folder is None:
            return
        updated = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        kept = {"sessionId": session_id, "cwd": cwd, "updatedAt": updated, "history": history}
        scratch = self._path(session_id) + ".new"
        with open(scratch, "w", encoding="utf-8") as file:
            json.dump(kept, file)
        os.replace(scratch, self._path(session_id))

    def load(self, session_id: str) -> dict[str, Any] | None:
        if self._folder is None or not os.path.exists(self._path(session_id)):
            return None
        with open(self._path(session_id), encoding="utf-8") as file:
            kept: dict[str, Any] = json.load(file)
        return kept

    def delete(self, session_id: str) -> None:
        if self._folder and os.path.exists(self._path(session_id)):
            os.unlink(self._path(session_id))

    def listed(self) -> list[dict[str, Any]]:
        """Every session as `session/list` shows it."""
        names = sorted(os.listdir(self._folder)) if self._folder else []
        kept = [self.load(name.removesuffix(".json")) for name in names if name.endswith(".json")]
        return [
            {key: session[key] for key in ("sessionId", "cwd", "updatedAt")} | {"title": _title(session)}
            for session in kept
            if session
        ]

    def _path(self, session_id: str) -> str:
        return os.path.join(self._folder or "", os.path.basename(session_id) + ".json")


def _title(session: dict[str, Any]) -> str:
    return next((text[:60] for role, text in session["history"] if role == "user"), "")
