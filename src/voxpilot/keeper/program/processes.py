"""Processes: starting one, seeing all that came of it, ending it.

Lives here: fork and exec, the walk through /proc, the system calls for both.
Lives elsewhere: when to start and end the agent (keeper.py).
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import signal
import sys
from contextlib import suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import NoReturn

PR_SET_CHILD_SUBREAPER = 36
CHANGED_SIGNALS = ("SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM", "SIGCHLD", "SIGPIPE", "SIGXFSZ")
"""Those that we or the interpreter treat in our own way, which a program of ours should not inherit."""
WINDOW = (24).to_bytes(2, sys.byteorder) + (80).to_bytes(2, sys.byteorder) + bytes(4)
"""How large a terminal says it is: lines and columns."""


class NotStarted(Exception):
    """A program could not be run: errno, what was at fault ("cwd" or "program"), and a sentence."""

    def __init__(self, number: int, where: str, text: str) -> None:
        super().__init__(text)
        self.errno, self.where, self.text = number, where, text


def start(argv: list[str], env: dict[str, str], cwd: str, umask: int) -> tuple[int, int, int, int]:
    """Run a program in a session of its own: its pid, and our ends of its stdin, stdout and stderr."""
    return spawn(lambda pipes, tell: become(argv, env, cwd, umask, pipes, tell))


def spawn(live: Callable[[tuple[int, int, int], int], NoReturn]) -> tuple[int, int, int, int]:
    """Have a fork of us live with pipes, and with one more by which it tells why it cannot."""
    (their_in, stdin), (stdout, their_out), (stderr, their_err), (told, tell) = [os.pipe() for _ in range(4)]
    pid = os.fork()
    if not pid:
        live((their_in, their_out, their_err), tell)
    for pipe in (their_in, their_out, their_err, tell):
        os.close(pipe)
    told_of(told, pid)
    return pid, stdin, stdout, stderr


def start_command(
    argv: list[str], env: dict[str, str], cwd: str, umask: int, in_terminal: bool = False
) -> tuple[int, int]:
    """Run a program with nothing to read, or with a terminal: its pid, and our end of its output."""
    output, theirs = open_terminal() if in_terminal else os.pipe()
    given = theirs if in_terminal else os.open(os.devnull, os.O_RDONLY)
    told, tell = os.pipe()
    pid = os.fork()
    if not pid:
        become(argv, env, cwd, umask, (given, theirs, theirs), tell, in_terminal)
    for pipe in {given, theirs, tell}:
        os.close(pipe)
    os.set_blocking(output, False)
    try:
        told_of(told, pid)
    except NotStarted:
        os.close(output)
        raise
    return pid, output


def open_terminal() -> tuple[int, int]:
    """A terminal: our side of it, which is read and typed into, and the program's."""
    import termios  # most keepers never need it

    try:
        ours, theirs = os.openpty()
    except OSError as error:
        raise NotStarted(error.errno or 0, "terminal", f"No terminal could be opened: {error}") from error
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, WINDOW)
    return ours, theirs


def told_of(told: int, pid: int) -> None:
    """Hear how a start went; raises NotStarted. Nothing is told if all went well: the pipe closes on exec."""
    failure = os.read(told, 4096)
    os.close(told)
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
) -> NoReturn:
    """Turn this fork into the program, or tell why not."""
    where, name = "cwd", cwd
    try:
        os.setsid()
        os.umask(umask)
        for target, pipe in enumerate(pipes):
            os.dup2(pipe, target)
        if in_terminal:
            import termios

            fcntl.ioctl(0, termios.TIOCSCTTY, 0)  # so that /dev/tty is this one, and Ctrl-C a signal
        for signal_name in CHANGED_SIGNALS:
            signal.signal(getattr(signal, signal_name), signal.SIG_DFL)
        os.chdir(cwd)
        where, name = "program", argv[0]
        execute(argv, env)
    except (OSError, ValueError) as error:
        number, text = getattr(error, "errno", errno.EINVAL), getattr(error, "strerror", str(error))
        os.write(tell, json.dumps([number, where, f"{name:.500}: {text}"]).encode())
    finally:
        os._exit(127)


def execute(argv: list[str], env: dict[str, str]) -> NoReturn:
    """Look the program up in the PATH it will see itself, not in ours, and run it."""
    folders = [""] if "/" in argv[0] else [name for name in env.get("PATH", os.defpath).split(":") if name]
    failure = OSError(errno.ENOENT, os.strerror(errno.ENOENT))
    for path in [os.path.join(folder, argv[0]) for folder in folders]:
        try:
            os.execve(path, argv, env)
        except FileNotFoundError as error:
            if os.path.isfile(path):
                raise OSError(errno.ENOENT, "the interpreter it names does not exist") from error
        except NotADirectoryError:
            pass
        except OSError as error:
            failure = error
    raise failure


def become_subreaper() -> None:
    """Have orphaned grandchildren handed to us and not to init, where the system can do that."""
    if sys.platform == "linux":
        with suppress(ImportError, OSError, AttributeError):
            import ctypes  # only to reach this one call

            ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


class Family:
    """Who came of whom, and when they began, as it is now; empty where there is no /proc."""

    def __init__(self) -> None:
        self.children: dict[int, list[int]] = {}
        self.began: dict[int, int] = {}  # as start_time tells it
        for name in os.listdir("/proc") if has_proc() else []:
            if name.isdigit() and (fields := stat(int(name))) and fields[0] not in (b"Z", b"X"):
                self.children.setdefault(int(fields[1]), []).append(int(name))
                self.began[int(name)] = int(fields[19])

    def below(self, pid: int) -> list[int]:
        found = [pid]
        for each in found:
            found += self.children.get(each, [])
        return found[1:]


def descendants() -> list[int]:
    """All processes below us; for a subreaper that is all that its children ever started."""
    return Family().below(os.getpid())


def has_proc() -> bool:
    return os.path.exists("/proc/self/stat")


def boot_id() -> str | None:
    """Names this run of the machine, in which start times mean something."""
    with suppress(OSError):
        with open("/proc/sys/kernel/random/boot_id") as file:
            return file.read().strip()
    return None


def start_time(pid: int) -> int | None:
    """In clock ticks since the machine started; together with a pid it names a process for good."""
    fields = stat(pid)
    return int(fields[19]) if fields else None


def stat(pid: int) -> list[bytes]:
    """The fields of /proc/PID/stat from the third on (state, parent, group …); none if there is no PID."""
    with suppress(OSError):
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()
    return []


def carries(pid: int, mark: str) -> bool:
    """Whether a process has this in its environment."""
    with suppress(OSError):
        with open(f"/proc/{pid}/environ", "rb") as file:
            return mark.encode() in file.read().split(b"\0")
    return False


def send_signal(pid: int, number: int) -> None:
    with suppress(OSError):
        os.kill(pid, number)
