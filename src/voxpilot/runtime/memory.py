"""One memory budget for all awake chats.

Lives here: which chats fall asleep when it is exceeded or too many are awake, least recently used first, how
much the others may hold, and giving memory back to the system. Lives elsewhere: what each chat holds
(live_chat.py, readers/wakeup.py, chat/blocks.py), who asks (supervisor.py).
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from typing import Protocol

CACHE_BYTES = 48_000_000
AWAKE_LIMIT = 32
SLEEP_SECONDS = 60.0
"""How long an unused chat stays awake when too many are awake."""
REST_SECONDS = 2.0
"""How long it stays awake in any case."""
_SHARE = 4
"""Awake chats may hold one part in this many of the budget when it is exceeded."""
_MUCH = 4_000_000
"""Freed bytes that are worth giving back."""


class Awake(Protocol):
    touched_at: float

    def cached_bytes(self) -> int: ...
    def is_idle(self) -> bool: ...
    def hold_less(self, most_bytes: int) -> None: ...


def unused(chats: Sequence[Awake], now: float) -> list[Awake]:
    """The chats that should go to sleep now."""
    total, count = sum(chat.cached_bytes() for chat in chats), len(chats)
    found = list[Awake]()
    for chat in sorted(chats, key=lambda chat: chat.touched_at):
        is_over = total > CACHE_BYTES and chat.touched_at < now - REST_SECONDS
        is_one_too_many = count >= AWAKE_LIMIT and chat.touched_at < now - SLEEP_SECONDS
        if (is_over or is_one_too_many) and chat.is_idle():
            found.append(chat)
            total -= chat.cached_bytes()
            count -= 1
    return found


def hold_less(chats: Sequence[Awake]) -> bool:
    """Awake chats share the budget for newest events and blocks; older ones can be read again.

    Returns whether much was freed.
    """
    before = sum(chat.cached_bytes() for chat in chats)
    if before <= CACHE_BYTES:
        return False
    for chat in chats:
        chat.hold_less(CACHE_BYTES // _SHARE // len(chats))
    return before - sum(chat.cached_bytes() for chat in chats) > _MUCH


def give_back() -> None:
    """Return freed memory to the system; may take a few hundredths of a second. glibc only."""
    if (libc := _libc()) is not None:
        libc.malloc_trim(0)


@cache
def _libc() -> ctypes.CDLL | None:
    with suppress(AttributeError, OSError):
        libc = ctypes.CDLL(None)
        libc.malloc_trim  # noqa: B018
        return libc
    return None
