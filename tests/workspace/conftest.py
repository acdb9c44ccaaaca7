"""The two ways to open a file: with the kernel's help, and without."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from pathlib import Path

import pytest

from voxpilot.workspace import beneath


@pytest.fixture(params=["kernel", "walk"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Which of them is used."""
    if request.param == "walk":
        monkeypatch.setattr(beneath, "_openat2", _missing)
    return str(request.param)


def _missing(*_: object) -> int:
    raise OSError(errno.ENOSYS, "no such call")


@pytest.fixture
def root(tmp_path: Path, way: str) -> Iterator[Path]:
    """A chat's folder, with a secret next to it that must still be there at the end."""
    secret = tmp_path / "outside" / "secret.txt"
    secret.parent.mkdir()
    secret.write_text("secret")
    inside = tmp_path / "root"
    inside.mkdir()
    yield inside
    assert [path.name for path in (tmp_path / "outside").iterdir()] == ["secret.txt"]
    assert secret.read_text() == "secret"
