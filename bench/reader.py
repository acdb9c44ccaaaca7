"""The bare reader: the minimum cost of reading the same lines.

    python -m bench.reader LINES

Lives here: an asyncio program that starts the writer, splits its output and decodes each line, nothing more.
Prints how many lines it read and how long that took since the writer started. Lives elsewhere: the writer
(agent.py).
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from pathlib import Path

import orjson

READ_BYTES = 256 << 10
WRITER = Path(__file__).with_name("agent.py")


async def main(lines: str) -> None:
    writer = await asyncio.create_subprocess_exec(
        sys.executable, "-I", "-S", str(WRITER), lines, "flood",
        stdout=asyncio.subprocess.PIPE, limit=READ_BYTES,
    )  # fmt: skip
    assert writer.stdout is not None
    began = await writer.stdout.readline()
    used = time.process_time()
    count, rest = 0, b""
    while data := await writer.stdout.read(READ_BYTES):
        *whole, rest = (rest + data).split(b"\n")
        for line in whole:
            orjson.loads(line)
        count += len(whole)
    ended, used = time.monotonic_ns(), time.process_time() - used
    await writer.wait()
    text = orjson.loads(began)["params"]["update"]["content"]["text"]
    seconds = (ended - int(text.split()[1])) / 1e9
    print(json.dumps({"updates": count, "seconds": seconds, "processor_seconds": used}))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
