"""The network of the browser tests: a proxy that can also make connections hang.

Lives here: connections that die silently, as on a sleeping laptop.
Lives elsewhere: every other fault (tests/kit/clients/proxy.py).
"""

from __future__ import annotations

import asyncio
from contextlib import suppress

from tests.kit.clients.proxy import Proxy


class Link(Proxy):
    def __init__(self, target_port: int) -> None:
        super().__init__(target_port)
        self._readers: set[asyncio.StreamReader] = set()
        self._stranded: set[asyncio.StreamReader] = set()
        self.puts: tuple[bytes, bytes] | None = None
        """Words that are replaced on the way by others of the same length."""
        self.asked: list[str] = []
        """The first line of each request that reached the server."""

    def strand(self) -> None:
        """Existing connections silently carry nothing more; new ones work."""
        self._stranded |= self._readers

    def cut(self) -> None:
        """All connections are closed and no new ones are possible."""
        self.refuses = True
        self.drop()

    def reset(self) -> None:
        for connection in list(self._connections):
            with suppress(OSError):  # a browser may be closing it right now
                connection.reset()

    def repair(self) -> None:
        self.refuses = False

    async def _read(self, reader: asyncio.StreamReader) -> bytes:
        self._readers.add(reader)
        data = await super()._read(reader)
        if reader in self._stranded:
            await asyncio.Event().wait()
        first = data[:8_000].partition(b"\r\n")[0]
        if first.endswith(b"HTTP/1.1"):
            self.asked.append(first.decode())
        return data.replace(*self.puts) if self.puts else data
