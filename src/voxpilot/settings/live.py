"""Settings that may change while we run.

Lives here: the current settings, one frozen value that is replaced as a whole; noticing that the file was
changed; and changing it ourselves. If the file is invalid, the last good settings stay in force. Lives
elsewhere: who asks for a change (web/routes/settings.py, settings/agent_editing.py).
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from voxpilot.errors import Conflict, Invalid
from voxpilot.settings import Settings, combine, config_path, consent, explain, from_environment
from voxpilot.settings.file import BadSettings, Change, changed, parse, read_text, replace, signature
from voxpilot.threads import Patience

log = logging.getLogger(__name__)
FIXED = frozenset({"host", "port", "expose", "data_dir", "allowed_hosts", "log_level"})
"""Settings that are fixed while the server runs."""
FILE_SECONDS = 3.0
"""How long the disk with the file may take to answer."""
T = TypeVar("T")


class _DoesNotAnswer(BadSettings):
    def __init__(self, path: Path) -> None:
        super().__init__(
            f"The disk with {path} is not responding.", "The last settings that were read stay in effect."
        )


class LiveSettings:
    """`now` holds the settings in force. Thread-safe."""

    def __init__(self, environ: Mapping[str, str] | None = None, **overrides: Any) -> None:
        self._env = dict(os.environ if environ is None else environ)
        self._overrides = {name: value for name, value in overrides.items() if value is not None}
        self.path: Path = config_path(self._env)
        self.decided_elsewhere: frozenset[str] = frozenset((*from_environment(self._env), *self._overrides))
        """Settings from the environment or the command line, which the file cannot override."""
        self.problem: BadSettings | None = None
        """Why the file cannot be used."""
        self.waiting: tuple[str, ...] = ()
        """Settings that were changed but take effect only after a restart."""
        self.on_change: list[Callable[[], object]] = []
        """Called after every change, from the thread that noticed it."""
        self.accepted: Settings | None = None
        """The accepted settings; None where acceptance is not checked, as in a command."""
        self.pending: tuple[consent.Change, ...] = ()
        """Changes in the file that nobody has accepted yet; the previous values stay in force."""
        self._known_agents: consent.Known = {}
        self._lock = threading.RLock()
        self._patience = Patience(FILE_SECONDS)
        self._seen, self._text = self._on_disk(lambda: (signature(self.path), read_text(self.path)))
        self.now: Settings = self._combine(self._text)
        self._first = self.now

    def hold(self, kept: Mapping[str, Any] | None, known_agents: consent.Known) -> None:
        """From now on only accepted changes may loosen security; without `kept`, the whole file is accepted.

        Accepted settings are stored in the data directory, so its location is already fixed.
        """
        with self._lock:
            text = self._text = self._on_disk(lambda: read_text(self.path))
            wished = self._from_file(text)
            self._known_agents = known_agents
            agreed = wished if kept is None else consent.from_json(kept)
            self.accepted = agreed.model_copy(update={"data_dir": wished.data_dir})
            self.now = self._first = self._in_force(text)

    @contextmanager
    def unchanged(self) -> Iterator[None]:
        """Within the block, changes to the file are ignored."""
        with self._lock:
            yield

    def usual_data_dir(self) -> Path | None:
        """The default data directory, if the file names another one."""
        usual = self._combine("").data_dir
        return None if "data_dir" in self.decided_elsewhere or usual == self.now.data_dir else usual

    def accept(self, fingerprint: str) -> None:
        """A person accepts exactly these changes of the file."""
        with self._lock:
            text = self._check_pending(fingerprint)
            if self.accepted is not None:
                agreed = {change.where: change.after for change in self.pending}
                self.accepted = consent.with_values(self.accepted, agreed)
                self._take(self._in_force(text))

    def reject(self, fingerprint: str, write_back: Callable[[Any, tuple[consent.Change, ...]], None]) -> None:
        """A person discards the changes: write the values in force back to the file."""
        with self._lock:
            self._check_pending(fingerprint)
            pending = self.pending
            self.edit(lambda document: write_back(document, pending), is_consent=False)

    def _check_pending(self, fingerprint: str) -> str:
        self._seen = None
        self.refresh()
        if self.problem is not None:
            raise Conflict(f"The settings file cannot be used: {self.problem.message}", self.problem.hint)
        if consent.fingerprint(self.pending) != fingerprint:
            raise Conflict(
                "The settings file has changed since it was read.",
                "Reload the page to see the current settings.",
            )
        return self._on_disk(lambda: read_text(self.path))

    def refresh(self) -> bool:
        """Check whether the file was changed; True if the settings in force changed. Takes a few seconds at
        most."""
        with self._lock:
            try:
                seen = self._on_disk(lambda: signature(self.path))
                if seen == self._seen:
                    return False
                self._seen = seen
                self._text = self._on_disk(lambda: read_text(self.path))
                return self._take(self._in_force(self._text))
            except BadSettings as error:
                if isinstance(error, _DoesNotAnswer):
                    self._seen = None  # the file is read when the disk responds again
                if self.problem is None or self.problem.message != error.message:
                    log.warning("settings file not used: %s", error.message)
                self.problem = error
                return False

    def edit(self, change: Change, is_consent: bool = True, named: Collection[tuple[str, ...]] = ()) -> None:
        """Change the file. If the result is invalid, the change is refused and nothing is written.

        By changing a setting, a person accepts it, even if the file already had that value (`named`), but
        nothing else that somebody may have written there. So the file must be unchanged since it was last
        read: nobody accepts a file they have not seen.
        """
        with self._lock:
            text = self._on_disk(lambda: read_text(self.path))
            try:
                self._combine(text)
            except BadSettings as error:
                raise Conflict(
                    f"The settings file is invalid, so it was not changed: {error.message}", error.hint
                ) from error
            if self.accepted is not None and is_consent and text != self._text:
                self._seen = None
                self.refresh()
                raise Conflict(
                    "The settings file has changed since it was read.",
                    "Reload the page to see the current settings.",
                )
            new = changed(text, change)
            try:
                self._combine(new)
            except BadSettings as error:
                raise Invalid(error.message) from error
            self._on_disk(lambda: replace(self.path, new))
            self._seen, self._text = self._on_disk(lambda: signature(self.path)), new
            if self.accepted is not None and is_consent:
                before, after = self._from_file(text), self._from_file(new)
                self.accepted = consent.take(self.accepted, before, after, self._known_agents, named)
            self._take(self._in_force(new))

    def _on_disk(self, work: Callable[[], T]) -> T:
        try:
            return self._patience.call(work)
        except TimeoutError as error:
            raise _DoesNotAnswer(self.path) from error

    def _combine(self, text: str) -> Settings:
        return combine(parse(text, self.path), self.path, self._env, self._overrides)

    def _from_file(self, text: str) -> Settings:
        try:
            return consent.from_file(parse(text, self.path))
        except ValidationError as error:
            raise BadSettings(explain(error), f"Settings come from {self.path}.") from error

    def _in_force(self, text: str) -> Settings:
        """The file without changes that nobody has accepted; the environment and the command line win."""
        wanted = self._combine(text)
        if self.accepted is None:
            return wanted
        self.accepted, changes = consent.compare(self.accepted, self._from_file(text), self._known_agents)
        self.pending = tuple(change for change in changes if not self._is_decided(change.where))
        usual = self._combine("")
        held = {
            change.where: getattr(usual, change.name) if change.before == consent.NOT_GIVEN else change.before
            for change in self.pending
        }
        return consent.with_values(wanted, held)

    def _is_decided(self, where: tuple[str, ...]) -> bool:
        """Whether the environment or the command line decides it."""
        if where[0] == "assistant":
            return where[1] in from_environment(self._env).get("assistant", {})
        return where[0] in self.decided_elsewhere

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
