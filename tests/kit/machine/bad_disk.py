"""A disk that fails on demand: the server's writes to its database return an error of the test's choice.

Lives here: a small library that intercepts a program's system calls (LD_PRELOAD), and its switch. Lives
elsewhere: a disk that is really full (disk.py).
"""

from __future__ import annotations

import mmap
import os
import shutil
import struct
import subprocess
from dataclasses import dataclass
from pathlib import Path

_SOURCE = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

struct control { int error, skip, left, writes, failed, reads_too; };
static volatile struct control *control;
static char watched[65536];

__attribute__((constructor)) static void begin(void) {
  const char *name = getenv("BAD_DISK");
  int fd = name ? open(name, O_RDWR | O_CLOEXEC) : -1;
  if (fd < 0) return;
  void *map = mmap(0, sizeof(struct control), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (map != MAP_FAILED) control = map;
}

static int fails(int fd) {
  if (!control || fd < 0 || fd >= (int)sizeof(watched) || !watched[fd]) return 0;
  __sync_fetch_and_add(&control->writes, 1);
  if (!control->error) return 0;
  if (control->skip > 0) { __sync_fetch_and_sub(&control->skip, 1); return 0; }
  if (control->left == 0) return 0;
  if (control->left > 0) __sync_fetch_and_sub(&control->left, 1);
  __sync_fetch_and_add(&control->failed, 1);
  errno = control->error;
  return 1;
}

#define NEXT(name, type) static __typeof__((type)0) real; if (!real) real = (type)dlsym(RTLD_NEXT, name)
#define OPEN(name) \
int name(const char *path, int flags, ...) { \
  NEXT(#name, int (*)(const char *, int, ...)); \
  va_list more; va_start(more, flags); int mode = va_arg(more, int); va_end(more); \
  int fd = real(path, flags, mode); \
  if (fd >= 0 && fd < (int)sizeof(watched)) watched[fd] = strstr(path, "/voxpilot.db") != 0; \
  return fd; }
OPEN(open)
OPEN(open64)
#define PWRITE(name) \
ssize_t name(int fd, const void *data, size_t size, off_t at) { \
  NEXT(#name, ssize_t (*)(int, const void *, size_t, off_t)); \
  return fails(fd) ? -1 : real(fd, data, size, at); }
PWRITE(pwrite)
PWRITE(pwrite64)
#define PREAD(name) \
ssize_t name(int fd, void *data, size_t size, off_t at) { \
  NEXT(#name, ssize_t (*)(int, void *, size_t, off_t)); \
  return control && control->reads_too && fails(fd) ? -1 : real(fd, data, size, at); }
ssize_t read(int fd, void *data, size_t size) {
  NEXT("read", ssize_t (*)(int, void *, size_t));
  return control && control->reads_too && fails(fd) ? -1 : real(fd, data, size);
}
PREAD(pread)
PREAD(pread64)
#define SYNC(name) int name(int fd) { NEXT(#name, int (*)(int)); return fails(fd) ? -1 : real(fd); }
SYNC(fsync)
SYNC(fdatasync)
#define TRUNCATE(name) \
int name(int fd, off_t size) { NEXT(#name, int (*)(int, off_t)); return fails(fd) ? -1 : real(fd, size); }
TRUNCATE(ftruncate)
TRUNCATE(ftruncate64)
int close(int fd) {
  NEXT("close", int (*)(int));
  if (fd >= 0 && fd < (int)sizeof(watched)) watched[fd] = 0;
  return real(fd);
}
"""
_CONTROL = struct.Struct("6i")


@dataclass(frozen=True, slots=True)
class BadDisk:
    """Writes, syncs and truncations of `voxpilot.db` and its log, in every program started with `env`."""

    library: Path
    control: mmap.mmap

    def fail(self, error: int, times: int = -1, after: int = 0, reads_too: bool = False) -> None:
        """Fail with this errno, `times` times (or until changed), after `after` more have succeeded."""
        writes, failed = self._read()[3:5]
        self.control[: _CONTROL.size] = _CONTROL.pack(0, after, times, writes, failed, reads_too)
        self.control[:4] = struct.pack("i", error)

    def work(self) -> None:
        """Stop failing."""
        self.control[:4] = struct.pack("i", 0)

    @property
    def writes(self) -> int:
        """How many calls there were so far."""
        return self._read()[3]

    @property
    def failed(self) -> int:
        """How many of them failed."""
        return self._read()[4]

    @property
    def env(self) -> dict[str, str]:
        """With PYTHONPATH the kit starts a new program: a library cannot be preloaded into a fork."""
        return {
            "LD_PRELOAD": str(self.library),
            "BAD_DISK": str(self.library.with_name("control")),
            "PYTHONPATH": os.environ.get("PYTHONPATH", ""),
        }

    def _read(self) -> tuple[int, ...]:
        return _CONTROL.unpack(self.control[: _CONTROL.size])


def can_fail() -> bool:
    """Whether this machine can build the library."""
    return os.uname().sysname == "Linux" and shutil.which("cc") is not None


def bad_disk(folder: Path) -> BadDisk:
    folder.mkdir(parents=True, exist_ok=True)
    source, library, control = folder / "bad_disk.c", folder / "bad_disk.so", folder / "control"
    source.write_text(_SOURCE)
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"], check=True)
    control.write_bytes(bytes(mmap.PAGESIZE))
    with control.open("r+b") as file:
        return BadDisk(library, mmap.mmap(file.fileno(), mmap.PAGESIZE))
