"""Which sandbox works on this machine: bubblewrap or else Landlock, found by trying them.

Lives here: trying them, remembering the result, and what to do if neither works. Lives elsewhere: using
them (program/sandbox.py).
"""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import Literal

from voxpilot.keeper.program import landlock
from voxpilot.values import dataclass

Kind = Literal["bwrap", "landlock"]
LEAST_ABI = 3
"""Older versions let a program truncate files that it may not write to."""
HELPER = (sys.executable, "-I", "-S", str(Path(landlock.__file__)))
_LIMIT_SECONDS = 10.0
_AGAIN_SECONDS = 30.0
"""A failure is tried again later, because it may have been fixed; a success is remembered."""
_FOLDERS = ("/usr/bin", "/usr/local/bin", "/bin", "/run/current-system/sw/bin")
"""Never a folder that an agent may write to."""
_TRIED = (
    "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp", "--unshare-user-try",
    "--unshare-pid", "--unshare-net", "--cap-drop", "ALL", "--die-with-parent",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Available:
    bwrap: str | None
    """Where bubblewrap is, if it works."""
    version: str
    problem: str
    """Why bubblewrap cannot be used."""
    abi: int
    """Of Landlock; 0 if there is none."""

    @property
    def kind(self) -> Kind | None:
        if self.bwrap:
            return "bwrap"
        return "landlock" if self.abi >= LEAST_ABI else None

    @property
    def closes_abstract_sockets(self) -> bool:
        return self.abi >= landlock.SCOPES_SINCE


_found: tuple[float, Available] | None = None


def available() -> Available:
    """What can be used here; blocks while it is tried, which is done once."""
    global _found
    if _found is None or (not _found[1].bwrap and time.monotonic() > _found[0] + _AGAIN_SECONDS):
        _found = time.monotonic(), look()
    return _found[1]


def look() -> Available:
    abi = landlock.abi()
    if os.environ.get("VOXPILOT_SANDBOX_WITH") == "landlock":
        return Available(None, "", "disabled by VOXPILOT_SANDBOX_WITH", abi)
    bwrap = shutil.which("bwrap", path=os.pathsep.join(_FOLDERS))
    if bwrap is None:
        return Available(None, "", "it is not installed", abi)
    version = _run([bwrap, "--version"])[1].rpartition(" ")[2]
    status, said = _run([*before(bwrap, abi), bwrap, *_TRIED, "--", "/bin/sh", "-c", ":"])
    if status:
        return Available(None, version, said.rpartition("\n")[2] or f"exit status {status}", abi)
    return Available(bwrap, version, "", abi)


def before(bwrap: str, abi: int) -> tuple[str, ...]:
    """Blocks what bubblewrap leaves open: kernel keys and abstract unix sockets.

    Not for a setuid bubblewrap, which could then not gain the rights it needs.
    """
    if os.uname().machine not in landlock.SYSTEMS or os.stat(bwrap).st_mode & stat.S_ISUID:
        return ()
    return *HELPER, "{}", landlock.OURS


def how_to_get_it(found: Available) -> str:
    """What a person can do where no sandbox works."""
    if sys.platform != "linux":
        return (
            "A sandbox requires Linux. Turn it off for this agent in the settings, or run VoxPilot on Linux."
        )
    if found.problem == "it is not installed":
        first = "Install bubblewrap: apt install bubblewrap (or dnf, pacman, zypper)."
    else:
        first = (
            "Bubblewrap needs user namespaces: sysctl kernel.unprivileged_userns_clone=1, and on Ubuntu "
            "kernel.apparmor_restrict_unprivileged_userns=0 or a profile for bwrap."
        )
    return f"{first} Or turn the sandbox off for this agent in the settings."


def _run(argv: list[str]) -> tuple[int, str]:
    try:
        done = subprocess.run(
            argv,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=_LIMIT_SECONDS,
            check=False,
            cwd="/",
            env={"PATH": os.defpath},
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return 1, str(error)
    return done.returncode, done.stdout.decode(errors="replace").strip()
