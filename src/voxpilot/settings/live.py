"""Settings that may change while we run.

Lives here: the settings as they are now, one frozen value replaced whole;
noticing that somebody changed the file; and changing it ourselves. A file that
cannot be used leaves the last good settings in force. Lives elsewhere: who asks
for a change (web/settings.py, agents/editing.py).
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from voxpilot.errors import Conflict, Invalid
from voxpilot.settings import Settings, combine, config_path, from_environment
from voxpilot.settings.file import BadSettings, Change, changed, parse, read_text, replace, signature

log = logging.getLogger(__name__)
FIXED = frozenset({"host", "port", "expose", "data_dir", "allowed_hosts", "log_level"})
"""What counts from the start to the end of a server."""


class LiveSettings:
    """`now` is what counts. Safe to use from any thread."""

    def __init__(self, environ: Mapping[str, str] | None = None, **overrides: Any) -> None:
        self._env = dict(os.environ if environ is None else environ)
        self._overrides = {name: value for name, value in overrides.items() if value is not None}
        self.path: Path = config_path(self._env)
        self.decided_elsewhere: frozenset[str] = frozenset((*from_environment(self._env), *self._overrides))
        """Settings of the environment or the command line, which the file cannot change."""
        self.problem: BadSettings | None = None
        """Why the file is not used as it stands."""
        self.waiting: tuple[str, ...] = ()
        """Settings that were changed but count only after a restart."""
        self.on_change: list[Callable[[], object]] = []
        """Called after every change, from the thread that noticed it."""
        self._lock = threading.RLock()
        self._seen = signature(self.path)
        self.now: Settings = self._combine(read_text(self.path))
        self._first = self.now

    def refresh(self) -> bool:
        """Look whether the file was changed; True if other settings count now."""
        with self._lock:
            seen = signature(self.path)
            if seen == self._seen:
                return False
            self._seen = seen
            try:
                return self._take(self._combine(read_text(self.path)))
            except BadSettings as error:
                log.warning("the settings file is not used: %s", error.message)
                self.problem = error
                return False

    def edit(self, change: Change) -> None:
        """Change the file. What would not be valid is refused, and nothing is written."""
        with self._lock:
            text = read_text(self.path)
            try:
                self._combine(text)
            except BadSettings as error:
                raise Conflict(
                    f"The settings file is broken, so it is not changed: {error.message}", error.hint
                ) from error
            new = changed(text, change)
            try:
                settings = self._combine(new)
            except BadSettings as error:
                raise Invalid(error.message) from error
            replace(self.path, new)
            self._seen = signature(self.path)
            self._take(settings)

    def _combine(self, text: str) -> Settings:
        return combine(parse(text, self.path), self.path, self._env, self._overrides)

    def _take(self, settings: Settings) -> bool:
        self.problem = None
        fixed = {name: getattr(self._first, name) for name in FIXED}
        self.waiting = tuple(sorted(name for name in FIXED if getattr(settings, name) != fixed[name]))
        settings = settings.model_copy(update=fixed)
        if settings == self.now:
            return False
        self.now = settings
        for tell in self.on_change:
            tell()
        return True
