"""Generated images."""

from __future__ import annotations

import struct
import zlib


def png(size: int = 16, noise: bytes = b"") -> bytes:
    """A red square, or one of noise, which cannot be compressed."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    pixels = noise or b"\xd0\x20\x20" * (size * size)
    rows = b"".join(b"\0" + pixels[3 * size * y : 3 * size * (y + 1)] for y in range(size))
    header = struct.pack(">IIBBBBB", size, size, 8, 2, 0, 0, 0)
    parts = chunk(b"IHDR", header), chunk(b"IDAT", zlib.compress(rows)), chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)
