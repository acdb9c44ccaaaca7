"""The door before the application is there.

Lives here: answering `GET /api/health` while most of the program is being imported, and keeping every other
connection, unread, for the application. Nobody is refused because they came early. Lives elsewhere: when it
opens, after everything that can prevent a start was checked (server.py); all later requests (guard.py).
"""

from __future__ import annotations

import json
import logging
import select
import socket
import sys
import threading
import time
from types import TracebackType
from typing import Self

from voxpilot import __version__
from voxpilot.web.door import headers
from voxpilot.web.door.hosts import host_name

log = logging.getLogger(__name__)
MOST_WAITING = 256
"""Connections kept here; later ones wait in the system's queue."""
HEAD_BYTES = 2048
_ASKS = b"GET /api/health HTTP/1.1"
_PLAIN = frozenset({"host", "accept", "accept-encoding", "connection", "user-agent"})
"""Headers that cannot lead to another answer. A request with any other one waits for the guard."""
_SWITCH_SECONDS = 0.0005
"""How soon an import gives way to this thread, several times per answer; usually ten times as long."""


class EarlyDoor:
    """Use as `with`: answers in a thread of its own until `hand_over`."""

    def __init__(self, listening: socket.socket, hosts: frozenset[str]) -> None:
        self._listening = listening
        self._hosts = hosts
        self._waiting: list[socket.socket] = []
        self._ending, self._end = socket.socketpair()
        self._thread = threading.Thread(target=self._serve, name="early door", daemon=True)
        self._usual_switch_seconds = sys.getswitchinterval()
        self._is_open = False

    def __enter__(self) -> Self:
        self._listening.setblocking(False)
        sys.setswitchinterval(_SWITCH_SECONDS)
        self._thread.start()
        self._is_open = True
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for connection in self.hand_over():
            connection.close()

    def hand_over(self) -> list[socket.socket]:
        """Stop accepting connections; those that were accepted belong to the caller. Later calls get none."""
        if self._is_open:
            self._is_open = False
            self._end.close()
            self._thread.join()
            self._ending.close()
            sys.setswitchinterval(self._usual_switch_seconds)
        waiting, self._waiting = self._waiting, []
        return waiting

    def _serve(self) -> None:
        try:
            self._accept_until_end()
        except Exception:
            log.exception("no connection is accepted until the server has started")

    def _accept_until_end(self) -> None:
        silent: dict[int, socket.socket] = {}
        """Connections that have not sent anything yet."""
        poll = select.poll()
        for sock in (self._ending, self._listening):
            poll.register(sock, select.POLLIN)
        try:
            while True:
                for fd, _ in poll.poll():
                    if fd == self._ending.fileno():
                        return
                    if fd != self._listening.fileno():
                        poll.unregister(fd)
                        self._look(silent.pop(fd))
                    elif (connection := self._accepted()) is not None:
                        silent[connection.fileno()] = connection
                        poll.register(connection, select.POLLIN)
                    if len(silent) + len(self._waiting) == MOST_WAITING:
                        poll.modify(self._listening, 0)
        finally:
            self._waiting += silent.values()

    def _accepted(self) -> socket.socket | None:
        try:
            connection, _ = self._listening.accept()
        except OSError:
            time.sleep(0.01)  # it is gone already, or there are too many
            return None
        connection.setblocking(False)
        return connection

    def _look(self, connection: socket.socket) -> None:
        """Answer the connection if it asks for health and nothing else; keep it otherwise."""
        try:
            head = connection.recv(HEAD_BYTES, socket.MSG_PEEK)
            if not self._is_for_us(head):
                self._waiting.append(connection)
                return
            connection.recv(len(head))
            connection.send(_answer())
        except OSError:
            log.debug("a connection was lost before the server had started")
        connection.close()

    def _is_for_us(self, head: bytes) -> bool:
        """Whether the application would certainly answer it, without any credentials, with 200."""
        first, _, rest = head.partition(b"\r\n")
        if first != _ASKS or not rest.endswith(b"\r\n\r\n") or not rest.isascii():
            return False
        lines = rest.decode().removesuffix("\r\n\r\n").split("\r\n")
        fields = [(name.lower(), value.strip()) for name, _, value in (line.partition(":") for line in lines)]
        hosts = [value for name, value in fields if name == "host"]
        return (
            all(name in _PLAIN for name, _ in fields)
            and len(hosts) == 1
            and host_name(hosts[0]) in self._hosts
        )


def _answer() -> bytes:
    body = json.dumps({"status": "ok", "version": __version__}, separators=(",", ":"))
    fields = {
        "date": time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime()),
        "content-length": str(len(body)),
        "content-type": "application/json",
        **headers.API,
        "connection": "close",
    }
    lines = ["HTTP/1.1 200 OK", *(f"{name}: {value}" for name, value in fields.items())]
    return "\r\n".join([*lines, "", body]).encode()
