"""What a release consists of: one version, a wheel that runs, and the files that hosting sites expect.

Lives here: building the wheel without a network and starting the program from it. Its dependencies come from
the environment that runs the tests; everything else is new.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import tomllib
import urllib.request
import venv
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from email import message_from_bytes
from pathlib import Path

import pytest

import voxpilot
from tests.kit.servers.server import START_SECONDS, answers_health, free_port
from tests.kit.waiting import until

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    [path] = folder.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def program(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `voxpilot` command of a new environment in which the wheel is installed."""
    folder = tmp_path_factory.mktemp("installed")
    venv.create(folder, with_pip=False, symlinks=True)
    python = folder / "bin" / "python"
    uv = Path(sys.executable).with_name("uv")
    install = [str(uv), "pip", "install", "--offline", "--no-deps", "--python", str(python), str(wheel)]
    subprocess.run(install, check=True, capture_output=True)
    [packages] = folder.glob("lib/python*/site-packages")
    # A plain path: the .pth files in that folder, which lead to these sources, are not read.
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib"))
    return folder / "bin" / "voxpilot"


def test_the_version_is_written_once(wheel: Path) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert "version" not in project
    assert project["dynamic"] == ["version"]
    with zipfile.ZipFile(wheel) as archive:
        [name] = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        metadata = message_from_bytes(archive.read(name))
    assert metadata["Version"] == voxpilot.__version__
    assert str(metadata.get_payload()).startswith("# VoxPilot")


def test_the_wheel_holds_the_page_and_every_file_of_the_package(wheel: Path) -> None:
    tracked = subprocess.run(
        ["git", "ls-files", "src/voxpilot"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.split("\n")
    wanted = {path.removeprefix("src/") for path in tracked if path}
    with zipfile.ZipFile(wheel) as archive:
        held = set(archive.namelist())
    assert wanted - held == set()
    assert "voxpilot/static/index.html" in held
    assert [name for name in held if "__pycache__" in name or "/tests/" in name] == []


def test_the_installed_program_runs_from_the_wheel(program: Path, tmp_path: Path) -> None:
    said = run(program, "--version", folder=tmp_path)
    assert said.strip() == f"voxpilot {voxpilot.__version__}"
    where = run(
        program.with_name("python"), "-c", "import voxpilot; print(voxpilot.__file__)", folder=tmp_path
    )
    assert Path(where.strip()).is_relative_to(program.parents[1])


async def test_a_server_starts_from_the_wheel_and_serves_the_page(program: Path, tmp_path: Path) -> None:
    port = free_port()
    with running(program, port, tmp_path) as server:

        async def answers() -> bool:
            assert server.poll() is None, (tmp_path / "log").read_text()
            return await answers_health(port)

        await until(answers, START_SECONDS)
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/health") as answer:
            assert json.load(answer) == {"status": "ok", "version": voxpilot.__version__}
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/") as answer:
            assert b"<!doctype html>" in answer.read().lower()


def test_the_forge_and_the_hook_run_what_everybody_runs() -> None:
    """Read as text, because a YAML parser would be one more dependency."""
    assert "- run: .ci/run\n" in (ROOT / ".github" / "workflows" / "ci.yml").read_text()
    assert os.access(ROOT / ".ci" / "run", os.X_OK)
    assert "entry: make check\n" in (ROOT / ".pre-commit-config.yaml").read_text()


@contextmanager
def running(program: Path, port: int, folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(
            [program, "serve", "--port", str(port)],
            env=environment(folder), cwd=folder, stdout=log, stderr=log, stdin=subprocess.DEVNULL,
        )  # fmt: skip
        try:
            yield server
        finally:
            server.terminate()
            assert server.wait(20) == 0


def run(program: Path, *arguments: str, folder: Path) -> str:
    done = subprocess.run(
        [program, *arguments], env=environment(folder), cwd=folder, check=True, capture_output=True, text=True
    )
    return done.stdout


def environment(folder: Path) -> dict[str, str]:
    """Nothing of the environment that runs the tests leads to these sources."""
    return {"PATH": os.defpath, "HOME": str(folder), "VOXPILOT_DATA_DIR": str(folder / "data")}
