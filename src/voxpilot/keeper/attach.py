"""Our side of a keeper: starting one, finding one, talking to it.

Lives here: running the keeper program, the control connection, and what can go wrong with both.
Lives elsewhere: the program itself (program/), finding one (reaching.py), reading what the agent printed
(journal.py), cleaning up after a keeper that was killed (sweep.py), which agent to start and why
(runtime/supervisor.py).

The connection carries orders one way and "the journal has grown" the other; what the agent printed is read
from the journal's files.
"""

from __future__ import annotations

import asyncio
import dataclasses
import json
import logging
import subprocess
import sys
from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from voxpilot import umask
from voxpilot.keeper.reaching import AlreadyKept, KeeperFailed, connect, gone
from voxpilot.values import dataclass

log = logging.getLogger(__name__)
_PROGRAM = Path(__file__).with_name("program")
_START_SECONDS = 30.0
_HELLO_SECONDS = 5.0
_CLOSE_SECONDS = 2.0
_TAKEN, _USED = 3, 4


@dataclass(frozen=True, slots=True, kw_only=True)
class KeeperSpec:
    """What a keeper runs, and for how long."""

    id: str
    argv: tuple[str, ...]
    cwd: str
    env: Mapping[str, str]
    """The whole environment of the agent; nothing is inherited."""
    tcp: tuple[str, int] | None = None
    """Where the agent listens, if it does not use stdin and stdout; `argv` may be empty then."""
    sandbox: Mapping[str, Any] | None = None
    """What runs the agent and its commands in a sandbox: `kind`, `argv` before theirs, `env` on top."""
    idle_seconds: float = 1800
    """How long an idle agent may run without a server; 0 = forever."""
    busy_seconds: float = 86400
    """How long it may run without a server while a prompt is open; 0 = forever."""
    attach_seconds: float = 60
    """How long to wait for the first `attach`; 0 = forever."""
    line_cap: int = 16 << 20
    keep_bytes: int = 50 << 20
    """How much of the acknowledged journal stays on the disk."""
    ahead_bytes: int = 512 << 20
    """How much it may print that nobody has acknowledged; then it has to wait."""
    segment_bytes: int = 8 << 20
    stderr_bytes: int = 64 << 10
    grace_seconds: tuple[float, float] = (2, 2)
    """How long the agent may take to exit after its stdin closes, and after SIGTERM."""
    clock: float | None = None
    """Our clock's reading when the machine started; records use this clock. None = the wall clock."""
    version: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Hello:
    """What a keeper reports about itself when we attach."""

    version: int
    id: str
    keeper: int
    agent: int | None
    sent: int
    """The number of the last line it accepted for the agent."""
    end: int
    open: tuple[str, ...]
    """The prompts without an answer, as JSON text of their ids."""
    ended: bool


@dataclass(frozen=True, slots=True)
class Refusal:
    """A line that was not accepted, because its number was not `sent` + 1 or the agent is ending."""

    n: int
    sent: int


async def start_keeper(directory: Path, spec: KeeperSpec) -> None:
    """Start a keeper; when this returns it can be attached to. Whether the agent ran is in the journal."""
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise KeeperFailed(
            f"The agent's background process did not start: {error}.", "Choose another data directory."
        ) from error
    fields = {field.name: getattr(spec, field.name) for field in dataclasses.fields(spec)}
    told = json.dumps(fields | {"env": dict(spec.env)}).encode()
    # In a thread, so that a cancellation cannot leave it half done.
    status, said = await asyncio.to_thread(_run_program, directory.absolute(), told)
    reason = said.decode(errors="replace").strip().rpartition("\n")[2]
    if status in (_TAKEN, _USED):
        raise AlreadyKept(f"Not started: {reason}.", "Connect to it, or use a new directory.")
    if status:
        raise KeeperFailed(
            f"The agent's background process did not start: {reason or f'exit status {status}'}.",
            f"Check that {directory} is writable and the disk has free space.",
        )


def _run_program(directory: Path, spec: bytes) -> tuple[int, bytes]:
    """Run the foreground part of the keeper, which takes a few hundredths of a second."""
    command = (sys.executable, "-I", "-S", str(_PROGRAM), str(directory))
    nothing, pipe = subprocess.DEVNULL, subprocess.PIPE
    mask = umask.persons()  # for the agent; the keeper has its own
    try:
        done = subprocess.run(
            command, input=spec, stdout=nothing, stderr=pipe, timeout=_START_SECONDS, check=False, umask=mask
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise KeeperFailed(f"The agent's background process could not be run: {error}.") from error
    return done.returncode, done.stderr


async def attach(directory: Path) -> Attachment:
    """Connect to the keeper of a directory and greet it; `KeeperGone` if there is none."""
    loop = asyncio.get_running_loop()
    connection = await connect(directory)
    _, attachment = await loop.create_unix_connection(Attachment, sock=connection)
    try:
        async with asyncio.timeout(_HELLO_SECONDS):
            await attachment.greeted()
    except TimeoutError as error:
        attachment.abort()
        raise KeeperFailed(
            "The agent's background process is not responding.", "Stop the agent if this does not change."
        ) from error
    except BaseException:
        attachment.abort()
        raise
    return attachment


class Attachment(asyncio.Protocol):
    """A connection to a keeper. Orders are buffered and never block; on a closed connection they are
    dropped."""

    hello: Hello
    end: int
    """How far the journal is known to reach."""
    printed: int
    """Grows as the agent's commands print output."""
    full: bool
    """The keeper's disk is full: the agent is paused and lines are accepted later."""
    refusals: deque[Refusal]
    """The latest refused lines, oldest first; the caller empties the list."""

    def __init__(self) -> None:
        self.end = self.printed = 0
        self.full = False
        self.closed = False
        self.heard_at = asyncio.get_running_loop().time()
        """When the keeper last sent anything, by the loop's clock."""
        self.refusals = deque(maxlen=100)
        self._inbox = bytearray()
        self._news = asyncio.Event()
        self._stderr: deque[asyncio.Future[str]] = deque()
        self._typed: dict[str, asyncio.Future[bool | None]] = {}

    async def greeted(self) -> None:
        """Wait for the keeper's hello; `attach` has done so."""
        while not hasattr(self, "hello"):
            if self.closed:
                raise gone()
            await self._news.wait()

    async def grown_past(self, offset: int, printed: int | None = None) -> bool:
        """Wait until the journal reaches beyond `offset`; False when the connection closed first.

        With `printed`, it also returns when commands have printed more than that. After False, read the
        journal once more: the last records may have been written without a notification.
        """
        while not (more := self._has_grown(offset, printed)) and not self.closed:
            await self._news.wait()
        return more

    def _has_grown(self, offset: int, printed: int | None) -> bool:
        return self.end > offset or (printed is not None and self.printed != printed)

    def send(
        self,
        n: int,
        line: bytes | str,
        prompt: str | None = None,
        stops: Mapping[str, object] | None = None,
    ) -> None:
        """Send line number `n` to the agent; `prompt` is its id as JSON text if it opens a turn.

        `stops` is set if the line tells the agent to stop: commands that the agent started after `since` (by
        our clock) and leaves running are then ended, and a journal record reports them together with `about`.

        An accepted line appears in the journal, a refused one in `refusals`.
        """
        text = line.decode(errors="surrogateescape") if isinstance(line, bytes) else line
        text = text.removesuffix("\n")
        if "\n" in text:
            raise ValueError("a line for an agent cannot contain a line break")
        more = {"prompt": prompt, "stops": stops}
        given = {name: value for name, value in more.items() if value is not None}
        self._order({"do": "send", "n": n, "line": text} | given)

    def ack(self, offset: int) -> None:
        """Everything before `offset` was processed and may be deleted."""
        self._order({"do": "ack", "offset": offset})

    def stop(self) -> None:
        """End the agent gracefully, which may take a few seconds."""
        self._order({"do": "stop"})

    def ping(self) -> None:
        """Ping the keeper."""
        self._order({"do": "ping"})

    def kill(self) -> None:
        """End the agent and all its processes now."""
        self._order({"do": "kill"})

    def run(
        self, name: str, argv: Sequence[str], cwd: str, env: Mapping[str, str], in_terminal: bool = False
    ) -> None:
        """Run a command next to the agent, in its environment plus these variables; once for each name.

        Its output is read with `output`, and its end is in the journal. A terminal accepts typed input.
        """
        order = {"do": "run", "id": name, "argv": list(argv), "cwd": cwd, "env": dict(env)}
        self._order(order | ({"in_terminal": True} if in_terminal else {}))

    async def type_in(self, name: str, data: str, key: str) -> bool:
        """Type into a command's terminal, once for each key; False if it has none or has ended."""
        if self.closed:
            raise gone()
        answer = self._typed.setdefault(key, asyncio.get_running_loop().create_future())
        self._order({"do": "type", "id": name, "key": key, "data": data})
        if (taken := await asyncio.shield(answer)) is None:
            raise gone()
        return taken

    def kill_command(self, name: str) -> None:
        """End a command and everything it started."""
        self._order({"do": "kill-command", "id": name})

    def forget_command(self, name: str) -> None:
        """A command's output is no longer needed."""
        self._order({"do": "forget-command", "id": name})

    async def stderr_tail(self) -> str:
        """The agent's latest stderr output; after its end, see the journal's last record."""
        if self.closed:
            raise gone()
        answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._stderr.append(answer)
        self._order({"do": "stderr"})
        return await answer

    async def close(self) -> None:
        """Detach from the keeper; it keeps running."""
        self._transport.close()
        try:
            async with asyncio.timeout(_CLOSE_SECONDS):
                while not self.closed:
                    await self._news.wait()
        except TimeoutError:
            self.abort()

    def abort(self) -> None:
        """Close without writing what is still buffered."""
        self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._order({"do": "hello", "version": 1})

    def data_received(self, data: bytes) -> None:
        self._inbox += data
        self.heard_at = asyncio.get_running_loop().time()
        *lines, rest = self._inbox.split(b"\n") if b"\n" in data else [self._inbox]
        self._inbox = rest
        for line in lines:
            self._hear(json.loads(line))
        if lines:
            self._announce()

    def connection_lost(self, exc: Exception | None) -> None:
        self.closed = True
        while self._stderr:
            if not (answer := self._stderr.popleft()).done():
                answer.set_exception(gone())
        for waiting in self._typed.values():
            waiting.set_result(None)
        self._typed.clear()
        self._announce()

    def _hear(self, message: dict[str, Any]) -> None:
        match message:
            case {"hello": int(version), "open": list(names), **told}:
                known = {name: told[name] for name in ("id", "keeper", "agent", "sent", "end", "ended")}
                self.hello = Hello(version=version, open=tuple(names), **known)
                self.end, self.full = self.hello.end, told.get("full", False)
                self.printed = told.get("printed", 0)
            case {"end": int(end)}:
                self.end, self.full = end, message.get("full", False)
                self.printed = message.get("printed", 0)
            case {"refused": int(n), "sent": int(sent)}:
                self.refusals.append(Refusal(n, sent))
            case {"typed": str(key), "taken": bool(taken)}:
                if (waiting := self._typed.pop(key, None)) is not None:
                    waiting.set_result(taken)
            case {"stderr": str(text)}:
                if self._stderr and not (answer := self._stderr.popleft()).done():
                    answer.set_result(text)
            case {"pong": True} | {"error": str()}:  # an older keeper does not know what a ping is
                pass
            case _:
                log.warning("unknown message from the keeper: %.200r", message)

    def _order(self, message: dict[str, Any]) -> None:
        if not self.closed:
            # Not ASCII-escaped: most languages would take three times the space, and lines have a limit.
            text = json.dumps(message, ensure_ascii=False)
            self._transport.write(text.encode(errors="surrogatepass") + b"\n")

    def _announce(self) -> None:
        self._news.set()
        self._news.clear()
