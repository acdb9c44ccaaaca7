"""A mounted folder that never responds, like a network disk whose server is gone.

Lives here: a FUSE file system that completes the handshake with the kernel and then stays silent. Every
access to the folder hangs until the block ends, and then fails.
"""

from __future__ import annotations

import ctypes
import os
import struct
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_HEADER = struct.Struct("<IIQQIIIHH")
_REPLY = struct.Struct("<IiQ")
_INIT = 26
_INIT_REPLY = struct.Struct("<IIIIHHIIHHI7I")


def can_hang() -> bool:
    """Whether this user may mount such a folder here."""
    return os.geteuid() == 0 and os.access("/dev/fuse", os.R_OK | os.W_OK)


@contextmanager
def hung_folder(path: Path) -> Iterator[Path]:
    """A folder in which every access hangs within the block; needs root."""
    path.mkdir(parents=True, exist_ok=True)
    device = os.open("/dev/fuse", os.O_RDWR | os.O_CLOEXEC)
    try:
        _mount(path, device)
        listening = threading.Thread(target=_say_hello_only, args=(device,), daemon=True)
        listening.start()
        yield path
    finally:
        subprocess.run(["umount", "--force", "--lazy", str(path)], check=False)
        os.close(device)


def _mount(path: Path, device: int) -> None:
    options = f"fd={device},rootmode=40000,user_id=0,group_id=0,allow_other".encode()
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mount(b"hung", os.fsencode(path), b"fuse", 0, options):
        raise OSError(ctypes.get_errno(), "cannot mount")


def _say_hello_only(device: int) -> None:
    with suppress(OSError):
        while True:
            asked = os.read(device, 1 << 20)
            _, operation, unique, *_ = _HEADER.unpack_from(asked)
            if operation == _INIT:
                major, minor, ahead, _ = struct.unpack_from("<IIII", asked, _HEADER.size)
                body = _INIT_REPLY.pack(
                    major, min(minor, 31), ahead, 0, 12, 10, 1 << 16, 1, 1, 0, 0, *[0] * 7
                )
                os.write(device, _REPLY.pack(_REPLY.size + len(body), 0, unique) + body)
