"""A program that tries to escape from its sandbox and reports how far it got.

Lives here: the attempts, none of which does harm if it succeeds. Lives elsewhere: what it should find
(tests/attacks/folders/test_sandbox.py). It reads a file with a JSON object and prints another one: the result
of each attempt, or null if it failed.
"""

from __future__ import annotations

import ctypes
import fcntl
import http.client
import json
import os
import signal
import socket
import stat
import subprocess
import sys
import termios
from collections.abc import Callable
from typing import Any

KEYCTL = {"x86_64": 250}.get(os.uname().machine, 219)
SESSION_KEYRING, USER_KEYRING = -3, -4
CLONE_NEWNS, CLONE_NEWUSER = 0x20000, 0x10000000
MNT_DETACH, PTRACE_ATTACH, PTRACE_SEIZE = 2, 16, 0x4206


def attempt(do: Callable[[], object]) -> object:
    try:
        return do() or "done"
    except Exception:
        return None


def read(path: str) -> str:
    with open(path, "rb") as file:
        return file.read(60).decode(errors="replace")


def overwrite(path: str) -> None:
    with open(path, "a") as file:
        file.write("x")


def open_to_write(path: str) -> None:
    """Files where a single byte could harm the machine are opened, but not written to."""
    os.close(os.open(path, os.O_WRONLY))


def connect(address: str) -> None:
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(2)
        client.connect(address)


def checked(result: int) -> None:
    if result < 0:
        raise OSError(ctypes.get_errno())


def call() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def trace(pid: int) -> None:
    checked(call().ptrace(PTRACE_SEIZE, pid, None, None))


def uncover(path: str) -> str:
    """With all rights in a new user namespace, unmount what covers a folder."""
    code = (
        "import ctypes, os, sys\n"
        "c = ctypes.CDLL(None, use_errno=True)\n"
        f"assert c.unshare({CLONE_NEWUSER | CLONE_NEWNS}) == 0\n"
        f"assert c.umount2(sys.argv[1].encode(), {MNT_DETACH}) == 0\n"
        "print(os.listdir(sys.argv[1]))\n"
    )
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code, path], capture_output=True, check=True)
    return done.stdout.decode()


def type_into_terminal() -> None:
    with open("/dev/tty") as terminal:
        fcntl.ioctl(terminal, termios.TIOCSTI, b"x")


def find_keyring(which: int) -> None:
    """The person's kernel keys, which unlock disks and hold tickets."""
    checked(call().syscall(KEYCTL, 0, which, 0))


def has_new_privileges() -> None:
    if "NoNewPrivs:\t1" in read_all("/proc/self/status"):
        raise OSError("none can be had")


def has_capabilities() -> None:
    status = read_all("/proc/self/status")
    masks = [line.split()[1] for line in status.splitlines() if line.startswith("CapEff")]
    if not int(masks[0], 16):
        raise OSError("none")


def read_all(path: str) -> str:
    with open(path) as file:
        return file.read()


def ask_server(port: int) -> int:
    client = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    client.request("GET", "/api/chats")
    return client.getresponse().status


def swap_repository(git: str) -> None:
    os.rename(git, f"{git}.old")
    os.rename(f"{git}.old", git)


def main(plan: dict[str, Any]) -> dict[str, object]:
    found: dict[str, object] = {}
    for path in plan["read"]:
        found[f"read {path}"] = attempt(lambda path=path: read(path))  # type: ignore[misc]
    for path in plan["list"]:
        found[f"list {path}"] = attempt(lambda path=path: os.listdir(path))  # type: ignore[misc]
    for path in plan["write"]:
        found[f"write {path}"] = attempt(lambda path=path: overwrite(path))  # type: ignore[misc]
    for path in plan["open"]:
        found[f"open {path}"] = attempt(lambda path=path: open_to_write(path))  # type: ignore[misc]
    for path in plan["connect"]:
        address = path.replace("@", "\0", 1) if path.startswith("@") else path
        found[f"connect {path}"] = attempt(lambda address=address: connect(address))  # type: ignore[misc]
    for pid in plan["processes"]:
        found[f"signal {pid}"] = attempt(lambda pid=pid: os.kill(pid, signal.SIG_DFL))  # type: ignore[misc]
        found[f"trace {pid}"] = attempt(lambda pid=pid: trace(pid))  # type: ignore[misc]
        for name in ("environ", "mem", "root/etc/hostname", "cwd/config.toml"):
            found[f"look {pid} {name}"] = attempt(lambda pid=pid, name=name: read(f"/proc/{pid}/{name}"))  # type: ignore[misc]
    for path in plan["uncover"]:
        found[f"uncover {path}"] = attempt(lambda path=path: uncover(path))  # type: ignore[misc]
    node = os.path.join(plan["workspace"], "node")
    mount = call().mount
    found["mount"] = attempt(lambda: checked(mount(b"none", plan["workspace"].encode(), b"tmpfs", 0, None)))
    found["device"] = attempt(lambda: os.mknod(node, 0o600 | stat.S_IFBLK, os.makedev(254, 0)))
    found["privileges"] = attempt(has_new_privileges)
    found["capabilities"] = attempt(has_capabilities)
    found["terminal"] = attempt(type_into_terminal)
    found["session keys"] = attempt(lambda: find_keyring(SESSION_KEYRING))
    found["user keys"] = attempt(lambda: find_keyring(USER_KEYRING))
    found["cgroup"] = attempt(lambda: os.mkdir("/sys/fs/cgroup/burglar"))
    found["repository"] = attempt(lambda: swap_repository(os.path.join(plan["workspace"], ".git")))
    found["server"] = attempt(lambda: ask_server(plan["port"]))
    found["environment"] = sorted(os.environ)
    return found


if __name__ == "__main__":
    print(json.dumps(main(json.loads(read_all(sys.argv[1])))))
