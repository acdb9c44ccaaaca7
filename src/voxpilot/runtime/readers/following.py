"""Following an awake chat.

Lives here: one follower, starting from any event number. Lives elsewhere: the chat (live_chat.py), its newest
events (wakeup.py).
"""

from __future__ import annotations

import asyncio
from typing import Protocol

from voxpilot.runtime.readers.wakeup import Wakeup
from voxpilot.storage.chats.event_log import Recorded


class Followed(Protocol):
    wakeup: Wakeup

    async def events_after(self, after: int) -> list[Recorded]: ...
    def watched(self, more: int) -> None: ...


class Follower:
    """One follower: past events, then new ones, without a gap."""

    def __init__(self, chat: Followed, after: int, bell: asyncio.Event) -> None:
        self.chat = chat
        self.after = after
        self.bell = bell
        chat.wakeup.readers.add(self)
        chat.watched(+1)

    @property
    def ended(self) -> bool:
        """The chat is asleep or gone: no more events will arrive here."""
        return self.chat.wakeup.closed

    async def take(self) -> list[Recorded]:
        events = await self.chat.events_after(self.after)
        if events:
            self.after = events[-1].seq
        return events

    def close(self) -> None:
        self.chat.wakeup.readers.discard(self)
        self.chat.watched(-1)
