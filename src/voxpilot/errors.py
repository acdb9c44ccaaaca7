"""Failures a person may see: what happened, and what to do next.

Lives here: the base of every error we raise on purpose, and errors that more than one package raises. Lives
elsewhere: errors of one package (next to their code), turning an error into an HTTP response
(web/door/errors.py).
"""

from __future__ import annotations

import errno
from typing import Any

from voxpilot.values import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """What went wrong, as a person reads it: the reason a turn, a start or a session failed."""

    message: str
    hint: str = ""
    """What to do next."""
    detail: Any = ""
    """More from the program that failed: its last output, or what it sent with the error."""
    code: str | int | None = None
    """A short stable word for programs, or the number an agent gave."""

    def as_json(self) -> dict[str, Any]:
        """As rows and events hold it. An empty detail or code is left out."""
        more = {"detail": self.detail, "code": self.code}
        given = {name: value for name, value in more.items() if value not in ("", None)}
        return {"message": self.message, "hint": self.hint, **given}


class VoxPilotError(Exception):
    """Something went wrong that a person should read about."""

    code = "error"
    """A short stable word for programs."""
    is_momentary = False
    """Whether the same request may work in a moment; nothing was changed."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def problem(self) -> Problem:
        """The same as a value to store."""
        return Problem(self.message, self.hint)


class NotFound(VoxPilotError):
    """Nothing with that name exists."""

    code = "not-found"


class Conflict(VoxPilotError):
    """It was possible before, but no longer is."""

    code = "conflict"


class Invalid(VoxPilotError):
    """The request cannot be understood or is not allowed."""

    code = "invalid"


class StorageFull(VoxPilotError):
    """The disk is full; nothing was saved."""

    code = "storage-full"
    is_momentary = True

    def __init__(self) -> None:
        super().__init__(
            "The disk is full, so nothing new can be saved.",
            "Free some disk space. Saved data is safe, agents are paused, and work resumes automatically.",
        )


class OutOfFiles(VoxPilotError):
    """Nothing more can be opened for now; nothing was done."""

    code = "out-of-files"
    is_momentary = True

    def __init__(self) -> None:
        super().__init__(
            "The server has reached its limit of open files and connections.",
            "Close some pages, stop some agents, or restart the server with a higher limit (ulimit -n). "
            "Work resumes automatically.",
        )


class OutOfMemory(VoxPilotError):
    """The machine has no memory, threads or processes to spare; nothing was done."""

    code = "out-of-memory"
    is_momentary = True

    def __init__(self) -> None:
        super().__init__(
            "The machine is out of memory, or too many programs are running.",
            "Close some programs or stop some agents. Saved data is safe, and work resumes automatically.",
        )


class ShuttingDown(VoxPilotError):
    """The server is stopping and accepts no new work."""

    code = "shutting-down"

    def __init__(self) -> None:
        super().__init__("The server is stopping.", "Try again when the server is back.")


def explained(error: Exception) -> VoxPilotError:
    """Any exception as an error that can be shown to a person."""
    if isinstance(error, VoxPilotError):
        return error
    if isinstance(error, OSError) and error.errno in (errno.EMFILE, errno.ENFILE):
        return OutOfFiles()
    if _is_shortage(error):
        return OutOfMemory()
    return VoxPilotError("Internal server error.")


def is_machines_fault(error: BaseException) -> bool:
    """Whether the machine caused it, so that the same may work in a moment."""
    if isinstance(error, BaseExceptionGroup):
        return all(is_machines_fault(one) for one in error.exceptions)
    return isinstance(error, OSError) or (isinstance(error, Exception) and explained(error).is_momentary)


def _is_shortage(error: Exception) -> bool:
    if isinstance(error, OSError):
        return error.errno in (errno.ENOMEM, errno.EAGAIN)
    # Python has no class of its own for a thread that cannot be started.
    return isinstance(error, MemoryError) or (type(error) is RuntimeError and "new thread" in str(error))
