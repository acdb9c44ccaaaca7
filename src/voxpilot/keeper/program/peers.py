"""The control socket: JSON lines both ways, with several peers at once.

Lives here: connecting and disconnecting peers, reading their messages, sending them updates, all at bounded
cost.
Lives elsewhere: what the messages mean (keeper.py), the other side (../attach.py).
"""

from __future__ import annotations

import json
import socket
import time
from contextlib import suppress

from .lines import READ_BYTES, parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

MOST_PEERS = 32
RETRY_SECONDS = 0.5
"""How soon to try again when a peer could not be accepted, for example because too many files are open."""
MOST_INBOX_BYTES = 64 << 20
"""The longest line a peer may send."""
MOST_OUTBOX_BYTES = 4 << 20
"""How much may wait for a peer that does not read before it is disconnected."""


class Peer:
    """One connection on the control socket."""

    def __init__(self, connection: socket.socket) -> None:
        connection.setblocking(False)
        self.socket, self.fileno = connection, connection.fileno
        self.inbox, self.outbox = bytearray(), bytearray()
        self.attached = False
        """It has attached and receives updates."""
        self.deaf = False
        """It has disconnected, but some of its messages may not be read yet."""
        self.told: dict[str, object] = {}

    def say(self, **message: object) -> None:
        if not self.deaf:
            self.outbox += json.dumps(message).encode() + b"\n"

    def flush(self) -> None:
        """Write as much as it accepts now."""
        try:
            if self.outbox:
                del self.outbox[: self.socket.send(self.outbox)]
        except BlockingIOError:
            pass
        except OSError:
            self.deaf, self.attached = True, False
            self.outbox.clear()


class Peers:
    """All peers, and the socket they connect to."""

    def __init__(self, listener: socket.socket, obey: Callable[[Peer, dict[str, Any]], None]) -> None:
        self.listener = listener
        self._obey = obey
        self.accepts_at = 0.0
        """From when on a new peer can be accepted."""
        self._peers: list[Peer] = []

    @property
    def attached(self) -> bool:
        return any(peer.attached for peer in self._peers)

    def come_by(self, listener: socket.socket) -> None:
        """New peers use another socket from now on; existing ones stay."""
        self.listener.close()
        self.listener = listener

    def to_read(self) -> list[Any]:
        may_come = len(self._peers) < MOST_PEERS and time.monotonic() >= self.accepts_at
        return [*([self.listener] if may_come else []), *self._peers]

    def to_write(self) -> list[Any]:
        return [peer for peer in self._peers if peer.outbox]

    def hear(self, ready: list[Any]) -> None:
        for peer in [peer for peer in self._peers if peer in ready]:
            self._hear_one(peer)
        if self.listener in ready:
            self._accept()

    def tell(self, news: dict[str, object]) -> None:
        """Write pending data to each peer; one without any gets the update, so updates never pile up."""
        for peer in self._peers:
            peer.flush()
            if peer.attached and not peer.outbox and peer.told != news:
                peer.told = news
                peer.say(**news)
                peer.flush()

    def say_last(self, news: dict[str, object]) -> None:
        """The same for the last time, waiting briefly for each slow peer."""
        for peer in [peer for peer in self._peers if peer.attached]:
            peer.say(**news)
            peer.socket.settimeout(0.05)
            with suppress(OSError):
                peer.socket.sendall(peer.outbox)

    def _accept(self) -> None:
        try:
            self._peers.append(Peer(self.listener.accept()[0]))
        except BlockingIOError:  # it is gone again
            pass
        except OSError:  # it stays in the queue, so waiting for it would not wait
            self.accepts_at = time.monotonic() + RETRY_SECONDS

    def _hear_one(self, peer: Peer) -> None:
        try:
            data = peer.socket.recv(READ_BYTES)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        peer.inbox += data
        if b"\n" in data:
            *lines, peer.inbox = peer.inbox.split(b"\n")
            for line in lines:
                if len(peer.outbox) < MOST_OUTBOX_BYTES:
                    self._obey(peer, parse(line))
        if not data or len(peer.inbox) > MOST_INBOX_BYTES or len(peer.outbox) >= MOST_OUTBOX_BYTES:
            self._drop(peer)

    def _drop(self, peer: Peer) -> None:
        self._peers.remove(peer)
        peer.socket.close()
