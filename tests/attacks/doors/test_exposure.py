"""The server is not opened to other machines without confirmation (A12)."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from voxpilot.settings import load_settings

NOWHERE = "192.0.2.1"
"""An address that no machine has: even an allowed server cannot listen there, so the tests expose nothing."""


def serve(folder: Path, *options: str, **env: str) -> subprocess.CompletedProcess[str]:
    return command(folder, "serve", *options, **env)


def command(folder: Path, *words: str, **env: str) -> subprocess.CompletedProcess[str]:
    given = {"HOME": str(folder), "VOXPILOT_DATA_DIR": str(folder / "data"), "VOXPILOT_PORT": "0", **env}
    return subprocess.run(
        [sys.executable, "-m", "voxpilot", *words],
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


def test_a_settings_file_that_leads_to_an_empty_data_directory_is_refused(tmp_path: Path) -> None:
    """Everything in the file would be accepted there, as at a first start."""
    config, other = tmp_path / "config.toml", tmp_path / "other"
    usual = tmp_path / ".local/share/voxpilot"
    env = {"VOXPILOT_DATA_DIR": "", "VOXPILOT_CONFIG": str(config)}
    # Nobody can listen there, so each start ends by itself once the settings are accepted.
    start = ("--host", NOWHERE, "--expose")
    config.write_text("strict = true\n")
    assert "Cannot listen" in serve(tmp_path, *start, **env).stderr
    seed_accepted(usual / "voxpilot.db")
    config.write_text(f"trusted_folders = ['/']\ndata_dir = '{other}'\n")
    refused = serve(tmp_path, *start, **env)
    assert "names the data directory" in refused.stderr
    assert "Traceback" not in refused.stderr
    for word in ("doctor", "agents"):
        refused = command(tmp_path, word, **env)
        assert "names the data directory" in refused.stderr
    assert not other.exists()
    assert "Cannot listen" in serve(tmp_path, *start, **env | {"VOXPILOT_DATA_DIR": str(other)}).stderr
    usual.rename(tmp_path / "moved")
    config.write_text(f"strict = true\ndata_dir = '{tmp_path / 'moved'}'\n")
    assert "Cannot listen" in serve(tmp_path, *start, **env).stderr


def seed_accepted(database: Path) -> None:
    """As left by a server that has run."""
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute(
            "INSERT INTO accepted_settings (id, value, at) VALUES (1, '{\"strict\": true}', 0)"
        )
