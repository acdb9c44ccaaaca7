"""The program `voxpilot` as a person runs it in a shell."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path

from tests.kit.servers.server import ServerProcess
from tests.kit.waiting import until


def command(server: ServerProcess, *words: str) -> subprocess.CompletedProcess[str]:
    env = server.environment_of_others()
    return subprocess.run(
        [sys.executable, "-m", "voxpilot", *words], env=env, capture_output=True, text=True, timeout=60
    )


class Command:
    """A running `voxpilot …` and everything it printed. On a terminal, all output is in `out`."""

    def __init__(
        self,
        words: tuple[str, ...],
        env: dict[str, str],
        cwd: Path,
        typed: str | None,
        terminal: bool,
        input_is: str = "file",
    ) -> None:
        """`input_is` is what standard input is without a terminal: "file", "closed" or an "open pipe"."""
        self._pty, ours = os.openpty() if terminal else (-1, -1)
        output = ours if terminal else subprocess.PIPE
        with tempfile.TemporaryFile() as given:
            given.write((typed or "").encode())
            given.seek(0)
            closes = ["/bin/sh", "-c", 'exec "$0" "$@" <&-'] if input_is == "closed" else []
            self.process = subprocess.Popen(
                [*closes, sys.executable, "-m", "voxpilot", *words],
                env=env,
                cwd=cwd,
                stdin=ours if terminal else subprocess.PIPE if input_is == "open pipe" else given,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        self._printed = (bytearray(), bytearray())
        self._files = [file.fileno() for file in (self.process.stdout, self.process.stderr) if file]
        if terminal:
            os.close(ours)
            self._files = [self._pty]
        for file in self._files:
            os.set_blocking(file, False)

    @property
    def out(self) -> str:
        return self._printed[0].decode(errors="replace")

    @property
    def err(self) -> str:
        return self._printed[1].decode(errors="replace")

    def look(self) -> None:
        """Read what was printed so far."""
        for file, printed in zip(self._files, self._printed, strict=False):
            with suppress(OSError):  # no data now, or a terminal whose other side is closed
                while data := os.read(file, 1 << 16):
                    printed += data

    async def prints(self, text: str, times: int = 1, within: float = 20.0) -> None:
        """Wait until the text appears in either output, this many times."""

        def found() -> bool:
            self.look()
            return (self.out + self.err).count(text) >= times

        await until(found, within, lambda: f"no {text!r} in {self.out[-2000:]!r} or {self.err[-2000:]!r}")

    def stop_reading(self) -> None:
        """Close the output, as `head` does once it has enough."""
        assert self.process.stdout
        self.process.stdout.close()
        self._files[0] = os.open(os.devnull, os.O_RDONLY)

    def types(self, text: str) -> None:
        os.write(self._pty, text.encode())

    async def ends(self, within: float = 30.0) -> int:
        """Its exit code."""

        def ended() -> bool:
            self.look()
            return self.process.poll() is not None

        await until(ended, within, lambda: f"it does not end: {self.out[-2000:]!r} {self.err[-2000:]!r}")
        self.look()
        return int(self.process.returncode)

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        if self._pty >= 0:
            os.close(self._pty)
        for file in (self.process.stdin, self.process.stdout, self.process.stderr):
            if file:
                file.close()


Voxpilot = Callable[..., Command]


Finished = Callable[..., Awaitable[Command]]


def code(command: Command) -> int:
    return int(command.process.returncode)
