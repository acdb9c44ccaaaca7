"""Nobody opens the server to other machines without saying so (A12)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from voxpilot.settings import load_settings

NOWHERE = "192.0.2.1"
"""An address that no machine has: what may listen there cannot, so the tests open nothing either."""


def serve(folder: Path, *options: str, **env: str) -> subprocess.CompletedProcess[str]:
    given = {"HOME": str(folder), "VOXPILOT_DATA_DIR": str(folder / "data"), "VOXPILOT_PORT": "0", **env}
    return subprocess.run(
        [sys.executable, "-m", "voxpilot", "serve", *options],
        env=given,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )


@pytest.mark.parametrize("host", ["0.0.0.0", "::", NOWHERE, "box.example", "2001:db8::1"])
def test_an_address_others_can_reach_is_refused_and_the_way_is_told(tmp_path: Path, host: str) -> None:
    refused = serve(tmp_path, "--host", host)
    assert refused.returncode == 1
    assert host in refused.stderr
    for word in ("--expose", "VOXPILOT_EXPOSE=1", "SSH tunnel"):
        assert word in refused.stderr
    assert "Traceback" not in refused.stderr
    assert not refused.stdout
    assert not (tmp_path / "data").exists()


def test_the_environment_is_no_way_around(tmp_path: Path) -> None:
    assert "--expose" in serve(tmp_path, VOXPILOT_HOST="0.0.0.0").stderr
    assert "--expose" in serve(tmp_path, VOXPILOT_HOST="0.0.0.0", VOXPILOT_EXPOSE="0").stderr


@pytest.mark.parametrize("how", [("--expose", ""), ("", "1"), ("", "true")])
def test_it_listens_there_once_that_is_confirmed(tmp_path: Path, how: tuple[str, str]) -> None:
    option, variable = how
    tried = serve(
        tmp_path,
        "--host",
        NOWHERE,
        *filter(None, [option]),
        **({"VOXPILOT_EXPOSE": variable} if variable else {}),
    )
    assert f"Cannot listen on {NOWHERE}" in tried.stderr
    assert "--expose" not in tried.stderr


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.2", "::1", "localhost", "voxpilot.localhost"])
def test_this_machine_alone_needs_no_word(host: str) -> None:
    assert load_settings({}, host=host).is_local


@pytest.mark.parametrize("host", ["", "0.0.0.0", "::", "10.0.0.1", "localhost.example", "127.0.0.1.example"])
def test_everything_else_does(host: str) -> None:
    assert not load_settings({}, host=host).is_local
