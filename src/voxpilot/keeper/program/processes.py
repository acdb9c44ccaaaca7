"""Processes: starting one, finding everything it started, ending it.

Lives here: fork and exec, the walk through /proc, the system calls for both.
Lives elsewhere: when to start and end the agent (keeper.py).
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import select
import signal
import sys
from contextlib import suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import NoReturn

    Wrap = Callable[[list[str], dict[str, str], str], tuple[list[str], dict[str, str]]]

PR_SET_CHILD_SUBREAPER = 36
CHANGED_SIGNALS = ("SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM", "SIGCHLD", "SIGPIPE", "SIGXFSZ")
"""Signals that we or the interpreter handle specially; programs we start should not inherit that."""
START_SECONDS = 4.0
"""How long a program may take to start. The keeper blocks meanwhile, and must greet peers within 5 s."""
WINDOW = (24).to_bytes(2, sys.byteorder) + (80).to_bytes(2, sys.byteorder) + bytes(4)
"""The size that a terminal reports: lines and columns."""


class NotStarted(Exception):
    """A program could not be run: errno, the cause ("cwd", "program", "disk", "terminal" or "machine"), and a
    sentence."""

    def __init__(self, number: int, where: str, text: str) -> None:
        super().__init__(text)
        self.errno, self.where, self.text = number, where, text


def start(
    argv: list[str], env: dict[str, str], cwd: str, umask: int, wrap: Wrap | None = None
) -> tuple[int, int, int, int]:
    """Run a program in its own session; returns its pid and our ends of its stdin, stdout and stderr.

    `wrap` turns a command into one that runs it in a sandbox.
    """
    return spawn(lambda pipes, tell: become(argv, env, cwd, umask, pipes, tell, wrap=wrap))


def spawn(live: Callable[[tuple[int, int, int], int], NoReturn]) -> tuple[int, int, int, int]:
    """Fork, and run `live` in the child with pipes and with one more through which it reports a failure."""
    with Files() as files:
        (their_in, stdin), (stdout, their_out), (stderr, their_err) = [files.pipe() for _ in range(3)]
        pid = fork(files, lambda tell: live((their_in, their_out, their_err), tell))
        files.keep(stdin, stdout, stderr)
        return pid, stdin, stdout, stderr


def start_command(
    argv: list[str],
    env: dict[str, str],
    cwd: str,
    umask: int,
    in_terminal: bool = False,
    wrap: Wrap | None = None,
) -> tuple[int, int]:
    """Run a program without input, or with a terminal; returns its pid and our end of its output."""
    with Files() as files:
        output, theirs = files.terminal() if in_terminal else files.pipe()
        given = theirs if in_terminal else files.nothing()
        os.set_blocking(output, False)
        pipes = (given, theirs, theirs)
        pid = fork(files, lambda tell: become(argv, env, cwd, umask, pipes, tell, in_terminal, wrap))
        files.keep(output)
        return pid, output


class Files:
    """The files of one start: all are closed at its end, except those that are kept.

    What the machine lacks for a start is raised as NotStarted.
    """

    def __init__(self) -> None:
        self._open: set[int] = set()

    def __enter__(self) -> Files:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        self.close(*self._open)
        if isinstance(error, OSError):
            raise missing(error) from error

    def pipe(self) -> tuple[int, int]:
        ends = os.pipe()
        self._open.update(ends)
        return ends

    def nothing(self) -> int:
        """A file with nothing to read."""
        file = os.open(os.devnull, os.O_RDONLY)
        self._open.add(file)
        return file

    def terminal(self) -> tuple[int, int]:
        """A terminal: our side, for reading and typing, and the program's side."""
        import termios  # most keepers never need it

        try:
            sides = os.openpty()
        except OSError as error:
            raise NotStarted(error.errno or 0, "terminal", f"Could not open a terminal: {error}") from error
        self._open.update(sides)
        fcntl.ioctl(sides[1], termios.TIOCSWINSZ, WINDOW)
        return sides

    def keep(self, *files: int) -> None:
        self._open.difference_update(files)

    def close(self, *files: int) -> None:
        for file in files:
            self._open.discard(file)
            with suppress(OSError):
                os.close(file)


def missing(error: OSError) -> NotStarted:
    """The machine has no more files, processes, memory or disk space for a start."""
    text = f"The machine cannot start a program now: {error.strerror or error}"
    return NotStarted(error.errno or 0, "machine", text)


def fork(files: Files, live: Callable[[int], NoReturn]) -> int:
    """Run `live` in a child that reports a failure to start through a pipe; raises NotStarted."""
    told, tell = files.pipe()
    pid = os.fork()
    if not pid:
        live(tell)
    files.close(tell)
    check_started(told, pid)
    return pid


def check_started(told: int, pid: int) -> None:
    """Wait for the result of a start; raises NotStarted. The pipe closes on exec: no data is success."""
    is_told = select.select([told], [], [], START_SECONDS)[0]
    failure = os.read(told, 4096) if is_told else b""
    if not is_told:
        send_signal(pid, signal.SIGKILL)  # it exits when the disk responds
        where = "the working folder or a folder on PATH"
        raise NotStarted(errno.ETIMEDOUT, "disk", f"The disk with {where} did not respond in time")
    if failure:
        os.waitpid(pid, 0)
        raise NotStarted(*json.loads(failure))


def become(
    argv: list[str],
    env: dict[str, str],
    cwd: str,
    umask: int,
    pipes: tuple[int, int, int],
    tell: int,
    in_terminal: bool = False,
    wrap: Wrap | None = None,
) -> NoReturn:
    """Turn this fork into the program, or report why that failed."""
    where, name = "cwd", cwd
    try:
        os.setsid()
        os.umask(umask)
        for target, pipe in enumerate(pipes):
            os.dup2(pipe, target)
        os.closerange(3, tell)  # especially the keeper's lock, or a hung disk would keep it locked
        os.closerange(tell + 1, 65536)
        if in_terminal:
            import termios

            fcntl.ioctl(0, termios.TIOCSCTTY, 0)  # so that /dev/tty is this one, and Ctrl-C sends a signal
        for signal_name in CHANGED_SIGNALS:
            signal.signal(getattr(signal, signal_name), signal.SIG_DFL)
        os.chdir(cwd)
        where, name = "program", argv[0]
        env = {**env, "PATH": absolute_path(env)}
        if wrap:
            argv, env = wrap(argv, env, cwd)
        execute(argv, env)
    except (OSError, ValueError) as error:
        number, text = getattr(error, "errno", errno.EINVAL), getattr(error, "strerror", str(error))
        os.write(tell, json.dumps([number, where, f"{name:.500}: {text}"]).encode())
    finally:
        os._exit(127)


def execute(argv: list[str], env: dict[str, str]) -> NoReturn:
    """Look the program up in the PATH it will see itself, not in ours, and run it. ENOENT: not found."""
    folders = [""] if "/" in argv[0] else absolute_path(env).split(":")
    failure = OSError(errno.ENOENT, os.strerror(errno.ENOENT))
    for path in [os.path.join(folder, argv[0]) for folder in folders]:
        try:
            os.execve(path, argv, env)
        except FileNotFoundError as error:
            if os.path.isfile(path):
                raise OSError(errno.ENOEXEC, "the interpreter it names does not exist") from error
        except NotADirectoryError:
            pass
        except OSError as error:
            failure = error
    raise failure


def absolute_path(env: dict[str, str]) -> str:
    """PATH without its empty and relative entries, which would refer to the program's working folder."""
    folders = [folder for folder in env.get("PATH", "").split(":") if folder.startswith("/")]
    return ":".join(folders) or os.defpath


def become_subreaper() -> None:
    """Have orphaned grandchildren reparented to us and not to init, where the system supports it."""
    if sys.platform == "linux":
        with suppress(ImportError, OSError, AttributeError):
            import ctypes  # needed only for this one call

            ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


class Family:
    """The parent and start time of every process right now; empty where they cannot be listed."""

    def __init__(self) -> None:
        try:
            names = os.listdir("/proc") if has_proc() else []
            self.is_known = True
        except OSError:
            names, self.is_known = [], False  # no more files can be opened now
        self.children: dict[int, list[int]] = {}
        self.began: dict[int, int] = {}  # in the unit of start_time
        self.group: dict[int, int] = {}
        for name in names:
            if name.isdigit() and (fields := stat(int(name))) and is_running(fields):
                self.children.setdefault(int(fields[1]), []).append(int(name))
                self.began[int(name)] = int(fields[19])
                self.group[int(name)] = int(fields[2])

    def below(self, pid: int) -> list[int]:
        found = [pid]
        for each in found:
            found += self.children.get(each, [])
        return found[1:]


def descendants() -> list[int]:
    """All our descendants; for a subreaper these include everything its children ever started."""
    return Family().below(os.getpid())


def has_proc() -> bool:
    return os.path.exists("/proc/self/stat")


def boot_id() -> str | None:
    """Identifies this boot of the machine; start times are comparable only within one boot."""
    with suppress(OSError):
        with open("/proc/sys/kernel/random/boot_id") as file:
            return file.read().strip()
    return None


def start_time(pid: int) -> int | None:
    """In clock ticks since the machine started; together with a pid it identifies a process uniquely."""
    fields = stat(pid)
    return int(fields[19]) if fields else None


def stat(pid: int) -> list[bytes]:
    """The fields of /proc/PID/stat from the third on (state, parent, group …); none if there is no PID."""
    with suppress(OSError):
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()
    return []


def is_running(fields: list[bytes]) -> bool:
    """Not a zombie; when the first thread of a process has ended, the others live on."""
    return fields[0] not in (b"Z", b"X") or int(fields[17]) > 1


def carries(pid: int, mark: str) -> bool:
    """Whether a process has this in its environment."""
    with suppress(OSError):
        with open(f"/proc/{pid}/environ", "rb") as file:
            return mark.encode() in file.read().split(b"\0")
    return False


def send_signal(pid: int, number: int) -> None:
    with suppress(OSError):
        os.kill(pid, number)
