"""Landlock: a process gives up rights for itself and all its children, then becomes another program.

Lives here: the system calls, and filters for what Landlock does not cover: unix sockets, kernel keys.
Lives elsewhere: which folders are granted (../sandbox/).

`python -I -S landlock.py RULES ENVIRONMENT PROGRAM ARGUMENT…`, with RULES as JSON: `read`, `write`, `devices`
list paths. Without them, file access stays unrestricted, and only kernel keys and abstract unix sockets
outside are blocked; this is for a program that builds a sandbox by other means.
"""

from __future__ import annotations

import ctypes
import errno
import json
import os
import signal
import struct
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1, 2, 4, 8
MAKE_CHAR, MAKE_BLOCK = 1 << 6, 1 << 11
TRUNCATE, IOCTL_DEVICE = 1 << 14, 1 << 15
READ = EXECUTE | READ_FILE | READ_DIR
FILE_RIGHTS = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEVICE
RIGHTS_SINCE = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 5: (1 << 16) - 1}
"""All rights to files that a version of Landlock knows."""
SCOPES_SINCE = 6
SCOPE_ABSTRACT, SCOPE_SIGNAL = 1, 2
PR_SET_SECCOMP, PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS = 22, 24, 38
CAPABILITY_VERSION = 0x20080522
SYSTEMS = {
    "x86_64": (0xC000003E, 41, 53, 248, 286),
    "aarch64": (0xC00000B7, 198, 199, 217, 309),
    "riscv64": (0xC00000F3, 198, 199, 217, 217),
}
"""By machine: its audit architecture; the system calls socket, socketpair, and add_key, which request_key and
keyctl follow; and add_key for 32-bit programs."""
IO_URING_SETUP = 425
X32_BIT = 0x40000000
OURS = "-"
CANNOT = 126
"""Exit status when the program was not started."""


def abi() -> int:
    """The version of Landlock in this kernel; 0 if it has none."""
    if sys.platform != "linux" or os.uname().machine not in SYSTEMS:
        return 0
    return max(0, int(ctypes.CDLL(None, use_errno=True).syscall(CREATE_RULESET, None, 0, 1)))


def restrict(rules: dict[str, Any]) -> None:
    """Give up what the rules do not grant; raises OSError."""
    library = ctypes.CDLL(None, use_errno=True)
    version = abi()
    confines_files = "read" in rules
    rights = max(RIGHTS_SINCE[known] for known in RIGHTS_SINCE if known <= max(version, 1))
    scopes = SCOPE_ABSTRACT | (SCOPE_SIGNAL if confines_files else 0) if version >= SCOPES_SINCE else 0
    _checked(library, library.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
    if confines_files or scopes:
        fields = [rights if confines_files else 0, 0, scopes]
        size = 24 if version >= SCOPES_SINCE else 16 if version >= 4 else 8
        ruleset = _checked(library, library.syscall(CREATE_RULESET, struct.pack("QQQ", *fields), size, 0))
        if confines_files:
            everything = rights & ~(MAKE_CHAR | MAKE_BLOCK)
            for name, granted in (
                ("read", READ),
                ("write", everything),
                ("devices", READ_FILE | WRITE_FILE | IOCTL_DEVICE),
            ):
                for path in rules[name]:
                    _grant(library, ruleset, path, granted & rights)
        _checked(library, library.syscall(RESTRICT_SELF, ruleset, 0))
        os.close(ruleset)
    _refuse_keys(library)
    if confines_files:
        _refuse_unix_sockets(library)
        _drop_capabilities(library)


def _grant(library: Any, ruleset: int, path: str, rights: int) -> None:
    try:
        file = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return  # a path that does not exist needs no rule
    try:
        if not os.path.isdir(path):
            rights &= FILE_RIGHTS
        _checked(library, library.syscall(ADD_RULE, ruleset, 1, struct.pack("=Qi", rights, file), 0))
    finally:
        os.close(file)


def _refuse_unix_sockets(library: object) -> None:
    """Landlock lets a program connect to every socket file: to a session bus, to our own keepers."""
    machine, socket, socketpair, *_ = SYSTEMS[os.uname().machine]
    load_number, load_machine, load_first, load_second = ((0x20, 0, 0, at) for at in (0, 4, 16, 24))
    program = [
        load_machine,
        (0x15, 0, 11, machine),  # no system calls of another architecture
        load_number,
        (0x35, 9, 0, X32_BIT),
        (0x15, 8, 0, IO_URING_SETUP),  # it can create sockets without these calls
        (0x15, 0, 2, socket),
        load_first,
        (0x15, 4, 6, 1),  # AF_UNIX
        (0x15, 0, 5, socketpair),
        load_second,
        (0x54, 0, 0, 0xF),
        (0x15, 0, 2, 2),  # SOCK_DGRAM, which could be connected to another socket later
        (0x06, 0, 0, 0x00050000 | errno.EACCES),
        (0x06, 0, 0, 0x00050000 | errno.ENOSYS),
        (0x06, 0, 0, 0x7FFF0000),
    ]
    _install(library, program)


def _refuse_keys(library: object) -> None:
    """Keys that the kernel holds for the person are not files, and those of a session are inherited."""
    machine, _, _, first, first_32 = SYSTEMS[os.uname().machine]
    load_number, load_machine = ((0x20, 0, 0, at) for at in (0, 4))
    program = [
        load_machine,
        (0x15, 0, 4, machine),
        load_number,
        (0x54, 0, 0, ~X32_BIT & 0xFFFFFFFF),
        (0x35, 0, 4, first),
        (0x35, 3, 4, first + 3),
        load_number,
        (0x35, 0, 1, first_32),
        (0x35, 0, 1, first_32 + 3),
        (0x06, 0, 0, 0x7FFF0000),
        (0x06, 0, 0, 0x00050000 | errno.ENOSYS),
    ]
    _install(library, program)


def _install(library: Any, program: list[tuple[int, int, int, int]]) -> None:
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *line) for line in program))
    filters = struct.pack("HxxxxxxQ", len(program), ctypes.addressof(code))
    _checked(library, library.prctl(PR_SET_SECCOMP, 2, ctypes.c_char_p(filters), 0, 0))


def _drop_capabilities(library: Any) -> None:
    """For a program that runs as root: some capabilities bypass Landlock."""
    for number in range(64):
        library.prctl(PR_CAPBSET_DROP, number, 0, 0, 0)  # fails for capabilities that do not exist
    _checked(library, library.capset(struct.pack("Ii", CAPABILITY_VERSION, 0), bytes(24)))


def _checked(library: object, result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


def environment(source: str) -> dict[bytes, bytes]:
    """Our environment, or one from a file in bubblewrap's format, used only after the rules apply."""
    if source == OURS:
        with open("/proc/self/environ", "rb") as file:  # the interpreter adds a variable to os.environ
            given = [entry.partition(b"=") for entry in file.read().split(b"\0") if entry]
        return {name: value for name, _, value in given}
    with open(int(source), "rb") as file:
        words = file.read().split(b"\0")[1:-1]
    return dict(zip(words[1::3], words[2::3], strict=True))


def main(rules: str, source: str, argv: list[str]) -> NoReturn:
    try:
        env = environment(source)
        restrict(json.loads(rules))
        for name in ("SIGPIPE", "SIGXFSZ"):  # signals that the interpreter ignores
            signal.signal(getattr(signal, name), signal.SIG_DFL)
        os.execve(argv[0], argv, env)
    except OSError as error:
        os.write(2, f"sandbox: {argv[0]}: {error.strerror}\n".encode())
    finally:
        os._exit(CANNOT)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
