"""One connection, before there is a request.

Lives here: what the HTTP library leaves open: how long the head of a request may take and how large it may
be, the form of its target, the response to unreadable requests, and ending a connection immediately. Lives
elsewhere: every check that needs a whole request (guard.py).
"""

from __future__ import annotations

import asyncio
import socket
import struct
from typing import Any, cast

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from voxpilot.web.door import headers
from voxpilot.web.door.errors import error_response

HEAD_LIMIT = 1_300_000
HEAD_SECONDS = 10.0
"""How long a connection may be silent at first, and how long the head of a request may take to arrive."""


class DoorProtocol(HttpToolsProtocol):
    """Adds to the scope: `is_origin_form` (the target is a path) and `abort` (end the connection now)."""

    _head_timer: asyncio.TimerHandle | None = None
    """Runs until the head of a request has arrived."""
    _head_bytes = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self._head_timer is not None:
            self._head_bytes += len(data)
            if self._head_bytes > HEAD_LIMIT and not self.transport.is_closing():
                self._refuse(431, "too-large", "The request headers are too large.")

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._await_head()

    def on_headers_complete(self) -> None:
        self._stop_waiting()
        scope = cast("dict[str, Any]", self.scope)
        scope["is_origin_form"] = self.url.startswith(b"/")
        scope["abort"] = self._abort
        super().on_headers_complete()

    def send_400_response(self, msg: str) -> None:
        self._refuse(400, "unreadable", "The request cannot be read.")

    def _refuse(self, status: int, code: str, message: str) -> None:
        response = error_response(status, code, message, headers={**headers.API, "connection": "close"})
        lines = [STATUS_LINE[status]]
        for name, value in [*self.server_state.default_headers, *response.raw_headers]:
            lines += [name, b": ", value, b"\r\n"]
        self.transport.write(b"".join([*lines, b"\r\n", response.body]))
        self.transport.close()

    def _abort(self) -> None:
        """End the connection and drop unsent data."""
        if not self.transport.is_closing():
            connection = self.transport.get_extra_info("socket")
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.transport.abort()

    def _await_head(self) -> None:
        self._stop_waiting()
        self._head_bytes = 0
        self._head_timer = self.loop.call_later(HEAD_SECONDS, self.transport.close)

    def _stop_waiting(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None
