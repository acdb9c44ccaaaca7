"""Changes of the list of chats, for readers of the list.

Lives here: which chats changed or went since a watcher last looked. Lives
elsewhere: what the list says (storage/chats/chat_list.py), sending it (web/streams/channel.py).
"""

from __future__ import annotations

import asyncio


class Feed:
    def __init__(self) -> None:
        self._watchers: set[Watcher] = set()

    def watch(self, bell: asyncio.Event) -> Watcher:
        watcher = Watcher(self, bell)
        self._watchers.add(watcher)
        return watcher

    def changed(self, chat_id: str) -> None:
        self._tell(chat_id, True)

    def removed(self, chat_id: str) -> None:
        self._tell(chat_id, False)

    def forget(self, watcher: Watcher) -> None:
        self._watchers.discard(watcher)

    def _tell(self, chat_id: str, exists: bool) -> None:
        for watcher in self._watchers:
            watcher.news[chat_id] = exists
            watcher.bell.set()


class Watcher:
    """The changes one watcher has not received yet. At most one entry per chat, however slow the watcher
    is."""

    def __init__(self, feed: Feed, bell: asyncio.Event) -> None:
        self.bell = bell
        self.news: dict[str, bool] = {}
        """Changed chats: True if they exist, False if they were removed."""
        self._feed = feed

    def take(self) -> dict[str, bool]:
        taken, self.news = self.news, {}
        return taken

    def close(self) -> None:
        self._feed.forget(self)
