"""Where a chat's agents may work, as the machine and the settings have it.

Lives here: the folders of a chat and our own, and what about a call deserves a
warning. Lives elsewhere: the rules (chat/permissions.py).
"""

from __future__ import annotations

import os

from voxpilot.chat.events import Json
from voxpilot.chat.permissions import Ground, reservation
from voxpilot.settings import Settings, config_path
from voxpilot.storage.ledger import Ledger


def ground_of(ledger: Ledger, settings: Settings) -> Ground:
    return _ground(ledger, (str(settings.data_dir), str(config_path(os.environ))))


def caution(ledger: Ledger, call: Json) -> str:
    """Why a call is more than everyday work, in words for its question; empty for most."""
    return reservation(call, _ground(ledger, ()))


def _ground(ledger: Ledger, own: tuple[str, ...]) -> Ground:
    home = os.path.expanduser("~")
    return Ground(roots=ledger.chat.roots, own=own, home=home, follow=real_path)


def real_path(path: str) -> str:
    """Where a path leads, links followed, whether or not there is anything; one that cannot be: outside."""
    try:
        return os.path.realpath(path)
    except (OSError, ValueError):
        return "/"
