"""Starting: from a command of the server to a process independent of it.

Lives here: reading the spec, going into the background, reporting the result to the server.
Lives elsewhere: what a keeper needs in its directory (home.py), what it does then (keeper.py).
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress

from .home import Refused, leave_marks, listen, take_possession
from .keeper import keep
from .peers import MOST_PEERS
from .processes import become_subreaper, descendants, send_signal
from .segments import Journal
from .spec import Spec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

BAD_SPEC = 5


def main(directory: str) -> None:
    os.closerange(3, 65536)
    umask = os.umask(0o077)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGPIPE):
        signal.signal(number, signal.SIG_IGN)
    try:
        spec = Spec(sys.stdin.buffer.read())
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        say(f"the spec is invalid: {error!r:.200}")
        os._exit(BAD_SPEC)
    tell = go_into_the_background()
    try:
        settle_and_keep(directory, spec, umask, tell)
    except Refused as error:
        status, reason = error.args
        say(reason)
        os.write(tell, bytes([status]))
        os._exit(status)


def settle_and_keep(directory: str, spec: Spec, umask: int, tell: int) -> NoReturn:
    take_possession(directory)
    leave_marks(spec.id)
    become_subreaper()
    listener = listen(MOST_PEERS)
    journal = Journal(spec.segment_bytes, spec.keep_bytes, spec.clock)
    let_go_of_the_terminal()
    with suppress(OSError):  # the server may be gone already, and the keeper continues without it
        os.write(tell, b"\0")
    os.close(tell)
    try:
        keep(spec, journal, listener, umask)
    except BaseException:
        note_crash()
    for pid in descendants():
        send_signal(pid, signal.SIGKILL)
    # Skips the interpreter's shutdown, so that the lock, our first file, is released before any peer is
    # disconnected.
    os._exit(0)


def go_into_the_background() -> int:
    """Continue in a new session; the foreground process exits with the status written to this pipe."""
    told, tell = os.pipe()
    child = os.fork()
    if child:
        os.close(tell)
        os.waitpid(child, 0)
        os._exit(ord(os.read(told, 1) or b"\1"))
    os.close(told)
    os.setsid()
    if os.fork():
        os._exit(0)
    return tell


def let_go_of_the_terminal() -> None:
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nothing, number)
    os.close(nothing)


def say(reason: str) -> None:
    print(reason, file=sys.stderr, flush=True)


def note_crash() -> None:
    """A keeper that fails can only leave a message in its directory."""
    import traceback  # large, so imported only here

    with suppress(OSError), open("crash.txt", "w") as file:
        traceback.print_exc(file=file)
