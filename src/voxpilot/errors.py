"""Failures a person may see: what happened, and what to do next.

Lives here: the base of every error we raise on purpose, and those that more
than one room raises. Lives elsewhere: errors of one room (beside their code),
turning an error into an HTTP answer (web/errors.py).
"""

from __future__ import annotations

import errno


class VoxPilotError(Exception):
    """Something went wrong that a person should read about."""

    code = "error"
    """A short stable word for programs."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class NotFound(VoxPilotError):
    """Nothing by that name."""

    code = "not-found"


class Conflict(VoxPilotError):
    """It was possible once, but no longer."""

    code = "conflict"


class Invalid(VoxPilotError):
    """The request cannot be understood or is not allowed as it stands."""

    code = "invalid"


class StorageFull(VoxPilotError):
    """The disk has no room; nothing was saved."""

    code = "storage-full"

    def __init__(self) -> None:
        super().__init__(
            "The disk is full: nothing new can be saved.",
            "Free some space. Agents wait and nothing already saved is lost; work goes on by itself.",
        )


class OutOfFiles(VoxPilotError):
    """Nothing more can be opened for now; nothing was done."""

    code = "out-of-files"

    def __init__(self) -> None:
        super().__init__(
            "The server has as many files and connections open as it may.",
            "Close some pages or end some agents, or start it with a higher limit (ulimit -n). "
            "It goes on by itself once it can.",
        )


class ShuttingDown(VoxPilotError):
    """The server is on its way out and takes no new work."""

    code = "shutting-down"

    def __init__(self) -> None:
        super().__init__("The server is stopping.", "Send it again when the server is back.")


def explained(error: Exception) -> VoxPilotError:
    """Whatever went wrong, as something that a person may see."""
    if isinstance(error, VoxPilotError):
        return error
    if isinstance(error, OSError) and error.errno in (errno.EMFILE, errno.ENFILE):
        return OutOfFiles()
    return VoxPilotError("Something went wrong inside.")
