"""The network of the browser tests: a proxy that can also leave connections hanging.

Lives here: links that die without a word, as they do in a sleeping laptop.
Lives elsewhere: every other fault (tests/kit/proxy.py).
"""

from __future__ import annotations

import asyncio
from contextlib import suppress

from tests.kit.proxy import Proxy


class Link(Proxy):
    def __init__(self, target_port: int) -> None:
        super().__init__(target_port)
        self._readers: set[asyncio.StreamReader] = set()
        self._stranded: set[asyncio.StreamReader] = set()
        self.puts: tuple[bytes, bytes] | None = None
        """Words that are replaced on their way by others of the same length."""
        self.asked: list[str] = []
        """The first line of each request that reached the server."""

    def strand(self) -> None:
        """Nothing passes over the connections there are, and nobody is told; new ones work."""
        self._stranded |= self._readers

    def cut(self) -> None:
        """No connection is left and none can be made."""
        self.refuses = True
        self.drop()

    def reset(self) -> None:
        for connection in list(self._connections):
            with suppress(OSError):  # a browser may be closing it at this very moment
                connection.reset()

    def mend(self) -> None:
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
