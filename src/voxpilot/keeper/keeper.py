"""The keeper: a small process that owns one agent, writes down all it prints, and outlives the server.

Run as `python -I -S keeper.py DIR`, with the spec (DEFAULTS below, one JSON object) on stdin, so that secrets in
the environment never touch a disk. The foreground process leaves with 0 once the journal exists and the socket
listens; 3: the directory has a keeper, 4: it had one before, 5: the spec is no good, 1: anything else.

Lives here: starting, feeding, watching and ending the agent; writing the journal; the control socket.
Lives elsewhere: reading the journal (journal.py), our side of the socket (attach.py), ending the processes of
a keeper that was itself killed (sweep.py). There is one keeper per agent, so it imports little and stays small.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import select
import signal
import socket
import struct
import sys
import time
from collections import deque

TYPE_CHECKING = False  # importing `typing` would cost every keeper a megabyte
if TYPE_CHECKING:
    from typing import Any, NoReturn

VERSION = 1
DEFAULTS = {
    "version": VERSION,
    "idle_seconds": 1800,  # alone with nothing to do; 0 = for ever, as in the next two
    "busy_seconds": 86400,  # alone with a prompt still open
    "attach_seconds": 60,  # never greeted by anybody
    "line_cap": 16 << 20,
    "keep_bytes": 50 << 20,  # how much acknowledged journal stays on the disk
    "segment_bytes": 8 << 20,
    "stderr_bytes": 64 << 10,
    "grace_seconds": [2, 2],  # after closing stdin, after SIGTERM
}
MAGIC = b"VOXJRN1\n"
HEADER = struct.Struct(">cId")  # type, payload length, unix time
READ_BYTES = 256 << 10
PEERS, PEER_INBOX, PEER_OUTBOX, HELD = 32, 64 << 20, 64 << 10, 1000
QUIET, RETRY, SWEEP, LIMIT, NEVER = 0.3, 0.5, 0.02, 4.0, float("inf")  # seconds


class Journal:
    """Records in segment files, each appended whole and in order; what the disk has no room for yet waits."""

    def __init__(self, segment_bytes: int, keep_bytes: int) -> None:
        self.end = 0  # the offset after the last whole record
        self.full = self.lost = False  # lost: the directory was taken away
        self._segment_bytes, self._keep_bytes = segment_bytes, keep_bytes
        self._bases: list[int] = []
        self._file = -1
        self._waiting: deque[bytes] = deque()
        self._written = 0  # bytes of the first waiting record
        self._open_segment()

    def append(self, kind: bytes, payload: bytes | bytearray) -> None:
        self._waiting.append(b"".join((HEADER.pack(kind, len(payload), time.time()), payload)))
        self.flush()

    def flush(self) -> None:
        try:
            while self._waiting:
                if not self._written and self.end - self._bases[-1] >= self._segment_bytes:
                    self._open_segment()
                while self._written < len(self._waiting[0]):
                    self._written += os.write(self._file, memoryview(self._waiting[0])[self._written :])
                self.end += len(self._waiting.popleft())
                self._written = 0
            self.full = False
        except OSError as error:
            self.full, self.lost = True, error.errno == errno.ENOENT

    def acknowledge(self, offset: int) -> None:
        """Delete whole segments below `offset` while more than `keep_bytes` of acknowledged journal remain."""
        offset = min(offset, self.end)
        while (
            len(self._bases) > 1 and self._bases[1] <= offset and offset - self._bases[0] > self._keep_bytes
        ):
            remove(f"journal.{self._bases.pop(0):020d}")

    def _open_segment(self) -> None:
        name = f"journal.{self.end:020d}"
        file = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o600)
        try:
            if os.write(file, MAGIC) < len(MAGIC):
                raise OSError(errno.ENOSPC, "no room for a new segment")
        except OSError:
            os.close(file)
            remove(name)
            raise
        close(self._file)
        self._file = file
        self._bases.append(self.end)


class Peer:
    """Somebody on the control socket; attached once it has said hello."""

    def __init__(self, connection: socket.socket) -> None:
        self.socket, self.fileno = connection, connection.fileno
        self.attached = False
        self.inbox, self.outbox = bytearray(), bytearray()
        self.searched = 0  # how much of the inbox is known to hold no newline
        self.told: tuple[int, bool] | None = None

    def say(self, **message: Any) -> None:
        self.outbox += json.dumps(message).encode() + b"\n"


class Keeper:
    """One agent, its journal and its listeners, in one loop that never blocks."""

    def __init__(self, spec: dict[str, Any], journal: Journal, listener: socket.socket) -> None:
        self.spec, self.journal, self.listener = spec, journal, listener
        self.peers: list[Peer] = []
        self.agent: int | None = None
        self.stdin = self.stdout = self.stderr = -1
        self.sent = 0
        self.held: deque[tuple[Peer, dict[str, Any]]] = deque()  # sends that wait for room on the disk
        self.unfed, self.to_stdin = bytearray(), bytearray()  # not yet in the journal, not yet with the agent
        self.line = bytearray()  # one without its end
        self.skipped = 0  # bytes so far of a line longer than the cap
        self.words = bytearray()  # the end of stderr
        self.open: set[str] = set()  # prompts without an answer, as canonical JSON
        self.met = self.terminated = self.childless = self.recorded = self.finished = False
        self.status: int | None = None  # how the agent's own process ended
        self.reason: str | None = None  # why we end it, or could not start it
        self.failure = {"error": None, "errno": None, "where": None}
        self.alone_since = self.answered = self.heard = time.monotonic()
        self.retry_at, self.sweep_next = 0.0, 0.0
        self.term_at = self.sweep_at = self.kill_at = self.give_up_at = NEVER
        self.asked: set[int] = set()  # to leave, by SIGTERM

    def run(self, umask: int) -> None:
        woken = self._listen_to_signals()
        try:
            self.agent, self.stdin, self.stdout, self.stderr = start_agent(self.spec, umask)
            write_marks(self.spec["id"], self.agent)
        except OSError as error:
            self.reason, self.status = "not-started", 0
            self.failure = {
                "error": error.strerror,
                "errno": error.errno,
                "where": error.filename or "program",
            }
        while True:
            wake = self._do_what_is_due(time.monotonic())
            for peer in self.peers[:]:
                self._tell(peer)
            if self.finished:
                return self._leave()
            reads = [self.listener, woken, *(peer for peer in self.peers if len(peer.outbox) < PEER_OUTBOX)]
            reads += [pipe for pipe in (self.stderr, -1 if self.journal.full else self.stdout) if pipe >= 0]
            writes = [*(peer for peer in self.peers if peer.outbox), *([self.stdin] if self.to_stdin else [])]
            timeout = None if wake == NEVER else max(0.0, wake - time.monotonic())
            readable, writable, _ = select.select(reads, writes, [], timeout)
            if woken in readable:
                os.read(woken, 4096)
            if self.listener in readable:
                self._accept()
            if self.stdout in readable:
                self._read_stdout()
            if self.stderr in readable:
                self._read_stderr()
            if self.stdin in writable:
                self._feed()
            for peer in self.peers[:]:
                if peer in readable:
                    self._hear(peer)

    # -- what happens with time

    def _do_what_is_due(self, now: float) -> float:
        """Do it, and say when to look again."""
        self._reap(now)
        if self.terminated:
            self.terminated = False
            self.stop("stopped")
        wakes = [self._write_what_waits(now)]
        if self.status is not None:
            wakes.append(self._wind_up(now))
        elif self.reason is None:
            wakes.append(self._consider_leaving(now))
        if now >= self.term_at and self.agent and self.status is None:
            self.term_at = NEVER
            self._close_stdin()
            send_signal(-self.agent, signal.SIGTERM)
        if now >= min(self.sweep_at, self.kill_at) and not self.childless:
            wakes.append(self._sweep(now))
        if now >= self.give_up_at or (self.status is None and now >= self.kill_at + LIMIT):
            self.finished = True
        return min(self.term_at, self.kill_at if now < self.kill_at else NEVER, self.give_up_at, *wakes)

    def _write_what_waits(self, now: float) -> float:
        if self.journal.full:
            self.heard = self.died = now  # there may be more to hear, only we cannot listen
            if now >= self.retry_at:
                self.retry_at = now + RETRY
                self.journal.flush()
        if self.journal.lost:
            self.kill()
        while self.held and not self.journal.full:
            self._send(*self.held.popleft())
        if self.journal.full:
            return self.retry_at
        self.to_stdin += self.unfed
        self.unfed.clear()
        self._feed()
        return NEVER

    def _consider_leaving(self, now: float) -> float:
        if any(peer.attached for peer in self.peers):
            self.alone_since = now
            return NEVER
        since, seconds, reason = self.alone_since, self.spec["attach_seconds"], "unattached"
        if self.met and self.open:
            seconds, reason = self.spec["busy_seconds"], "busy-limit"
        elif self.met:
            since, seconds, reason = max(since, self.answered), self.spec["idle_seconds"], "idle"
        if seconds and now >= since + seconds:
            self.stop(reason)
            return now
        return since + seconds if seconds else NEVER

    # -- how it ends

    def stop(self, reason: str) -> None:
        """Close stdin, then SIGTERM, then SIGKILL, with a grace after each of the first two."""
        first, second = self.spec["grace_seconds"]
        now = time.monotonic()
        if reason == "stopped":  # somebody waits for this, so a full disk may not hold it up for ever
            self.give_up_at = min(self.give_up_at, now + first + second + LIMIT)
        if self.reason is None and self.status is None:
            self.reason, self.term_at, self.kill_at = reason, now + first, now + first + second

    def kill(self) -> None:
        if self.status is None:
            self.reason = "killed"
        self.kill_at = min(self.kill_at, time.monotonic())
        self.give_up_at = min(self.give_up_at, self.kill_at + LIMIT)

    def _sweep(self, now: float) -> float:
        """End all that the agent has started, however it tried to get away."""
        if now >= self.sweep_next:
            self.sweep_next = now + SWEEP
            for pid in descendants(os.getpid()):
                if now >= self.kill_at:
                    send_signal(pid, signal.SIGKILL)
                elif pid not in self.asked:
                    self.asked.add(pid)
                    send_signal(pid, signal.SIGTERM)
        return self.sweep_next

    def _reap(self, now: float) -> None:
        try:
            while (found := os.waitpid(-1, os.WNOHANG))[0]:
                if found[0] == self.agent:
                    self.status, self.heard, self.died = found[1], now, now
                    self._close_stdin()
                    if not os.path.exists("/proc/self/stat"):
                        send_signal(-self.agent, signal.SIGKILL)  # the only way to reach its children
        except ChildProcessError:
            self.childless = True

    def _wind_up(self, now: float) -> float:
        """The agent has gone: hear it out, end its children, write the last record."""
        quiet = self.stdout < 0 or now >= self.heard + QUIET
        if self.sweep_at == NEVER and (quiet or now >= self.died + 2):
            self.sweep_at, self.kill_at = now, min(self.kill_at, now + 0.5)
        swept = self.childless or now >= self.sweep_at + 3
        if swept and (quiet or now >= self.died + 5) and not self.recorded and not self.journal.full:
            self._record_end()
        self.finished = self.recorded and not self.journal.full
        return now + (RETRY if self.journal.full else SWEEP)

    def _record_end(self) -> None:
        self.recorded = True
        self._read_stderr()
        self._end_line()
        code = (
            None if self.status is None or self.failure["errno"] else os.waitstatus_to_exitcode(self.status)
        )
        record = {
            "exit": code if code is None or code >= 0 else None,
            "signal": -code if code and code < 0 else None,
        }
        record |= {"reason": self.reason or "exited", **self.failure, "stderr": self._last_words()}
        self.journal.append(b"x", json.dumps(record).encode())

    def _leave(self) -> None:
        if not self.recorded:
            self._record_end()
        limit = time.monotonic() + 0.5
        while self.peers and time.monotonic() < limit:
            for peer in self.peers[:]:
                self._tell(peer)
                if not peer.outbox and (not peer.attached or peer.told == self._news()):
                    self._drop(peer)
            time.sleep(0.001)
        remove("socket")

    # -- the agent

    def _read_stdout(self) -> None:
        data = read_some(self.stdout)
        if data is None:
            return
        self.heard = time.monotonic()
        if not data:
            self._end_line()
            self.stdout = close(self.stdout)
            return
        if self.skipped:
            length = data.find(b"\n")
            self.skipped += length if length >= 0 else len(data)
            if length < 0:
                return
            self._record_skipped()
            data = data[length + 1 :]
        cut = data.rfind(b"\n") + 1
        self.line += data[:cut] if cut else data
        if cut:
            block, self.line = self.line, bytearray(data[cut:])
            self._take_lines(block)
        if len(self.line) > self.spec["line_cap"]:
            self.skipped, self.line = len(self.line), bytearray()

    def _take_lines(self, block: bytearray) -> None:
        """Journal whole lines, all at once: only a block longer than the cap can hold a line that is."""
        if len(block) <= self.spec["line_cap"]:
            self.journal.append(b"<", block)
            return self._note_answers(block)
        for line in block[:-1].split(b"\n"):
            if len(line) > self.spec["line_cap"]:
                self.skipped = len(line)
                self._record_skipped()
            else:
                self.journal.append(b"<", line + b"\n")
                self._note_answers(line)

    def _record_skipped(self) -> None:
        self.journal.append(b"!", json.dumps({"skipped": self.skipped}).encode())
        self.skipped = 0

    def _end_line(self) -> None:
        if self.skipped:
            self._record_skipped()
        if self.line:
            block, self.line = self.line + b"\n", bytearray()
            self._take_lines(block)

    def _note_answers(self, block: bytearray) -> None:
        if not self.open or b'"id"' not in block:
            return
        for line in block.split(b"\n"):
            if b'"id"' in line and (b'"result"' in line or b'"error"' in line):
                message = parse(line)
                name = json.dumps(message.get("id"))
                if (
                    name in self.open
                    and "method" not in message
                    and ("result" in message or "error" in message)
                ):
                    self.open.remove(name)
                    self.answered = time.monotonic()

    def _read_stderr(self) -> None:
        data = read_some(self.stderr)
        if data == b"":
            self.stderr = close(self.stderr)
        self.words += data or b""
        del self.words[: max(0, len(self.words) - self.spec["stderr_bytes"])]

    def _last_words(self) -> str:
        return self.words.decode(errors="replace")

    def _feed(self) -> None:
        """Write what the agent's stdin will take, and close it after the last byte once we mean to stop."""
        try:
            while self.to_stdin:
                del self.to_stdin[: os.write(self.stdin, self.to_stdin)]
        except BlockingIOError:
            return
        except OSError:
            self._close_stdin()
        if self.reason:
            self._close_stdin()

    def _close_stdin(self) -> None:
        self.to_stdin.clear()
        self.stdin = close(self.stdin)

    # -- the control socket

    def _accept(self) -> None:
        try:
            connection = self.listener.accept()[0]
        except OSError:
            return None
        if len(self.peers) >= PEERS:
            return connection.close()
        connection.setblocking(False)
        self.peers.append(Peer(connection))

    def _hear(self, peer: Peer) -> None:
        try:
            data = peer.socket.recv(READ_BYTES)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        peer.inbox += data
        self._obey_all(peer)
        if not data or (peer.searched and len(peer.inbox) > PEER_INBOX):
            self._drop(peer)

    def _obey_all(self, peer: Peer) -> None:
        """Do what the peer asked for, as long as it takes its answers: one that does not costs little."""
        while len(peer.outbox) < PEER_OUTBOX:
            cut = peer.inbox.find(b"\n", peer.searched)
            if cut < 0:
                peer.searched = len(peer.inbox)
                return
            line = bytes(peer.inbox[:cut])
            del peer.inbox[: cut + 1]
            peer.searched = 0
            self._obey(peer, parse(line))

    def _obey(self, peer: Peer, message: dict[str, Any]) -> None:
        do = message.get("do")
        if do == "hello":
            peer.attached = self.met = True
            peer.told = self._news()
            known = {"hello": VERSION, "id": self.spec["id"], "keeper": os.getpid(), "agent": self.agent}
            state = {"sent": self.sent, "end": self.journal.end, "full": self.journal.full}
            peer.say(**known, **state, open=sorted(self.open), ended=self.status is not None)
        elif do == "send":
            self._send(peer, message)
        elif do == "ack" and type(message.get("offset")) is int:
            self.journal.acknowledge(message["offset"])
        elif do == "stderr":
            peer.say(stderr=self._last_words())
        elif do == "stop":
            self.stop("stopped")
        elif do == "kill":
            self.kill()
        else:
            peer.say(error=f"not understood: {do!r:.100}")

    def _send(self, peer: Peer, message: dict[str, Any]) -> None:
        try:
            n, line, prompt = (
                message["n"],
                message["line"].encode(errors="surrogateescape"),
                message.get("prompt"),
            )
            opened = None if prompt is None else json.dumps(json.loads(prompt))
        except (KeyError, TypeError, AttributeError, ValueError, RecursionError):
            n, line, opened = None, b"", None
        if type(n) is not int or b"\n" in line:
            peer.say(error="not understood: send")
        elif self.journal.full and len(self.held) < HELD:
            self.held.append((peer, message))
        elif self.journal.full or n != self.sent + 1 or self.stdin < 0 or self.reason:
            peer.say(refused=n, sent=self.sent)
        else:
            self.sent = n
            self.open |= {opened} if opened is not None else set()
            self.journal.append(b">", b"%d %b\n" % (n, line))
            self.unfed += line + b"\n"

    def _news(self) -> tuple[int, bool]:
        return self.journal.end, self.journal.full

    def _tell(self, peer: Peer) -> None:
        """Write what waits for this peer. News is made only when nothing waits, so it never piles up."""
        if peer.attached and not peer.outbox and peer.told != self._news():
            peer.told = self._news()
            peer.say(end=self.journal.end, **({"full": True} if self.journal.full else {}))
        try:
            if peer.outbox:
                del peer.outbox[: peer.socket.send(peer.outbox)]
                self._obey_all(peer)
        except BlockingIOError:
            pass
        except OSError:
            self._drop(peer)

    def _drop(self, peer: Peer) -> None:
        if peer in self.peers:
            self.peers.remove(peer)
            peer.socket.close()

    def _listen_to_signals(self) -> int:
        def terminated(*_: object) -> None:
            self.terminated = True

        woken, wake = os.pipe()
        os.set_blocking(wake, False)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.signal(signal.SIGTERM, terminated)
        return woken


def start_agent(spec: dict[str, Any], umask: int) -> tuple[int, int, int, int]:
    """Run argv in a session of its own; an OSError's filename tells which was at fault, "cwd" or "program"."""
    (theirs_in, stdin), (stdout, theirs_out), (stderr, theirs_err), (told, tell) = [
        os.pipe() for _ in range(4)
    ]
    pid = os.fork()
    if not pid:
        where = "cwd"
        try:
            os.setsid()
            os.umask(umask)
            for number in ("SIGHUP", "SIGINT", "SIGTERM", "SIGCHLD", "SIGPIPE", "SIGXFSZ"):
                signal.signal(getattr(signal, number), signal.SIG_DFL)
            for target, pipe in enumerate((theirs_in, theirs_out, theirs_err)):
                os.dup2(pipe, target)
            os.chdir(spec["cwd"])
            where = "program"
            execute(spec["argv"], {**spec["env"], "VOXPILOT_KEEPER": spec["id"]})
        except OSError as error:
            os.write(tell, json.dumps([error.errno, error.strerror, where]).encode())
        finally:
            os._exit(127)
    for pipe in (theirs_in, theirs_out, theirs_err, tell):
        os.close(pipe)
    failure = os.read(told, 4096)  # nothing, once the pipe closes on exec
    os.close(told)
    if failure:
        os.waitpid(pid, 0)
        number, text, where = json.loads(failure)
        raise OSError(number, f"{spec['cwd' if where == 'cwd' else 'argv']!r:.500}: {text}", where)
    for pipe in (stdin, stdout, stderr):
        os.set_blocking(pipe, False)
    if hasattr(fcntl, "F_SETPIPE_SZ"):
        fcntl.fcntl(stdout, fcntl.F_SETPIPE_SZ, READ_BYTES)
    return pid, stdin, stdout, stderr


def execute(argv: list[str], env: dict[str, str]) -> NoReturn:
    """Become the program; its name is looked up in the PATH it will see, not in ours."""
    folders = (
        [""] if "/" in argv[0] else [folder for folder in env.get("PATH", os.defpath).split(":") if folder]
    )
    failure = OSError(errno.ENOENT, os.strerror(errno.ENOENT))
    for path in (os.path.join(folder, argv[0]) for folder in folders):
        try:
            os.execve(path, argv, env)
        except OSError as error:
            if isinstance(error, FileNotFoundError) and os.path.exists(path):
                raise OSError(error.errno, "the interpreter in its first line does not exist") from error
            if not isinstance(error, FileNotFoundError | NotADirectoryError):
                failure = error
    raise failure


def descendants(root: int) -> list[int]:
    """All processes below `root`: for a subreaper, that is everything its children ever started."""
    children: dict[int, list[int]] = {}
    for name in os.listdir("/proc") if os.path.isdir("/proc/self") else []:
        if name.isdigit() and (fields := read_stat(int(name))):
            children.setdefault(int(fields[1]), []).append(int(name))
    found = [root]
    for pid in found:
        found += children.get(pid, [])
    return found[1:]


def read_stat(pid: int) -> list[bytes]:
    """The fields of /proc/PID/stat from the third (state, parent, group …); empty when there is none."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()
    except OSError:
        return []


def write_marks(name: str, agent: int | None) -> None:
    """Say who we are, for whoever must clear up after us; the start times tell a reused pid from ours."""
    marks: dict[str, Any] = {"version": VERSION, "id": name, "keeper": mark(os.getpid()), "agent": None}
    if agent:
        marks["agent"] = {**mark(agent), "group": agent}
    with open("marks.json.new", "w") as file:
        json.dump(marks, file)
    os.replace("marks.json.new", "marks.json")


def mark(pid: int) -> dict[str, int | None]:
    fields = read_stat(pid)
    return {"pid": pid, "start": int(fields[19]) if fields else None}


def send_signal(pid: int, number: int) -> None:
    try:
        os.kill(pid, number)
    except OSError:
        pass


def read_some(file: int) -> bytes | None:
    try:
        return os.read(file, READ_BYTES)
    except OSError:
        return None


def parse(line: bytes | bytearray) -> dict[str, Any]:
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return message if isinstance(message, dict) else {}


def close(file: int) -> int:
    if file >= 0:
        os.close(file)
    return -1


def remove(name: str) -> None:
    try:
        os.unlink(name)
    except OSError:
        pass


def read_spec(raw: bytes) -> dict[str, Any]:
    spec = {**DEFAULTS, **json.loads(raw)}
    words = [spec["id"], spec["cwd"], *spec["argv"], *spec["env"], *spec["env"].values()]
    if (
        not spec["argv"]
        or "\0" in "".join(words)
        or "=" in "".join(spec["env"])
        or spec["version"] != VERSION
    ):
        raise ValueError("no program, an impossible string, or a version unknown here")
    numbers = [spec[name] for name in DEFAULTS if name != "grace_seconds"] + list(spec["grace_seconds"])
    if (
        not all(type(number) in (int, float) and number >= 0 for number in numbers)
        or len(spec["grace_seconds"]) != 2
    ):
        raise ValueError("a number is missing or below zero")
    return spec


class Refused(Exception):
    """This directory cannot have a keeper: exit status and reason."""


def settle(directory: str) -> tuple[int, socket.socket]:
    """Take possession of the directory, or say why not."""
    os.chdir(directory)
    lock = os.open("lock", os.O_RDWR | os.O_CREAT, 0o600)
    for attempt in range(20):  # a look at the lock by is_kept() may hold it for a moment
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            break
        except BlockingIOError:
            time.sleep(0.01)
    else:
        raise Refused(3, "another keeper has this directory")
    if any(name.startswith("journal.") for name in os.listdir()):
        raise Refused(4, "this directory had a keeper before")
    remove("socket")
    listener = socket.socket(socket.AF_UNIX)
    listener.bind("socket")  # by its relative name, which is never too long
    os.chmod("socket", 0o600)
    listener.listen(PEERS)
    listener.setblocking(False)
    return lock, listener


def leave_the_foreground() -> int:
    """Go on in a process and session of our own; the first one waits for a status and leaves with it."""
    told, tell = os.pipe()
    child = os.fork()
    if child:
        os.close(tell)
        os.waitpid(child, 0)
        os._exit(ord(os.read(told, 1) or b"\1"))
    os.setsid()
    if os.fork():
        os._exit(0)
    return tell


def become_subreaper() -> None:
    """Have orphaned grandchildren handed to us, not to init, where the system can do that."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER


def main(directory: str) -> None:
    umask = os.umask(0o077)
    os.closerange(3, 65536)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGPIPE):
        signal.signal(number, signal.SIG_IGN)
    try:
        spec = read_spec(sys.stdin.buffer.read())
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        print(f"the spec is no good: {error!r:.200}", file=sys.stderr)
        os._exit(5)
    tell = leave_the_foreground()
    try:
        lock, listener = settle(directory)
        journal = Journal(spec["segment_bytes"], spec["keep_bytes"])
        write_marks(spec["id"], None)
        become_subreaper()
    except Refused as error:
        print(error.args[1], file=sys.stderr, flush=True)
        os.write(tell, bytes([error.args[0]]))
        os._exit(1)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for file in (0, 1, 2):
        os.dup2(nowhere, file)
    os.write(tell, b"\0")
    os.close(tell)
    Keeper(spec, journal, listener).run(umask)


if __name__ == "__main__":
    main(sys.argv[1])
