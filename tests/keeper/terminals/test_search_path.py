"""Programs are found only in absolute folders of PATH, by us and by every child process."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.keeper.commands import WAITING, end_of, output
from tests.keeper.conftest import Keep
from tests.keeper.kept import Kept
from voxpilot import search_path
from voxpilot.agents.installed.login_path import LoginPath, ask_shell
from voxpilot.agents.installed.short_run import printed_by
from voxpilot.workspace.programs import run

RELATIVE = ("", ".", "bin", "./bin", "../bin", "~/bin", "$HOME/bin")


def program(folder: Path, name: str = "tool", prints: str = "planted") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(f"#!/bin/sh\necho {prints}\n")
    (folder / name).chmod(0o755)
    return folder / name


@pytest.mark.parametrize("entry", RELATIVE)
def test_relative_entries_of_path_are_dropped(entry: str) -> None:
    for path in (f"{entry}:/usr/bin:/bin", f"/usr/bin:{entry}:/bin", f"/usr/bin:/bin:{entry}"):
        assert search_path.absolute(path) == "/usr/bin:/bin"
    assert search_path.absolute(entry) == os.defpath
    assert search_path.absolute(None) == os.defpath


@pytest.mark.parametrize("entry", RELATIVE)
async def test_no_child_sees_a_relative_entry(
    entry: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = f"{entry}:{os.environ['PATH']}:{entry}"
    monkeypatch.setenv("PATH", path)
    ask = [sys.executable, "-I", "-S", "-c", "import os; print(os.environ['PATH'])"]
    seen = (await run(ask, str(tmp_path))).out.decode().strip()
    told = printed_by(ask, {"PATH": path}, str(tmp_path), 10).decode().strip()
    for one in (seen, told, LoginPath({"PATH": path}).known):
        assert all(folder.startswith("/") for folder in one.split(":")), one


def test_a_program_in_a_folder_is_not_found_through_a_relative_entry(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(tmp_path)
    program(tmp_path / "bin")
    monkeypatch.chdir(tmp_path)
    for entry in RELATIVE:
        assert search_path.find_program("tool", f"{entry}:/usr/bin") is None
    for name in ("./tool", "bin/tool", "../tool"):
        assert search_path.find_program(name, str(tmp_path)) is None
    assert search_path.find_program("tool", str(tmp_path)) == str(tmp_path / "tool")
    assert search_path.find_program(str(tmp_path / "tool"), "") == str(tmp_path / "tool")


def test_a_program_of_an_opened_folder_is_not_used(tmp_path: Path) -> None:
    opened, other = tmp_path / "opened", tmp_path / "other"
    program(opened / "bin")
    (other / "linked").mkdir(parents=True)
    (other / "linked" / "tool").symlink_to(opened / "bin" / "tool")
    (other / "folder").symlink_to(opened / "bin")
    path = f"{opened}/bin:{other}/linked:{other}/folder"
    assert search_path.find_program("tool", path, never_in=[str(opened)]) is None
    good = program(other / "good")
    assert search_path.find_program("tool", f"{path}:{other}/good", never_in=[str(opened)]) == str(good)


def test_the_login_shell_gets_and_gives_absolute_folders(tmp_path: Path) -> None:
    shell = tmp_path / "shell"
    shell.write_text(
        '#!/bin/sh\nexport PATH=".::tools:/from/the/shell:$PATH"\nshift 3\nexec /bin/sh -c "$1"\n'
    )
    shell.chmod(0o755)
    found = ask_shell(str(shell), {"PATH": ":/usr/bin:/bin:."}, 10)
    assert found == ".::tools:/from/the/shell:/usr/bin:/bin"
    path = LoginPath({"PATH": ":/usr/bin:.", "SHELL": str(shell)})
    assert path.find() == "/from/the/shell:/usr/bin"


@pytest.mark.parametrize("entry", ["", ".", "bin"])
async def test_the_keeper_finds_no_program_in_the_folder_of_an_agent(keep: Keep, entry: str) -> None:
    """Neither by the agent itself nor by a command that it runs with its own PATH."""
    env = {**os.environ, "PATH": f"{entry}:/usr/bin:/bin"}
    kept: Kept = await keep(WAITING, env=env)
    folder = kept.directory.parent
    program(folder)
    program(folder / "bin")
    kept.attachment.run("a-1", ["tool"], str(folder), {"PATH": f"{entry}:/usr/bin:{entry}"})
    assert (await end_of(kept, "a-1"))["exit_code"] == 127
    kept.attachment.run("a-2", ["/bin/sh", "-c", "tool; echo $PATH"], str(folder), {})
    await end_of(kept, "a-2")
    assert b"planted" not in output(kept, "a-2")
    assert output(kept, "a-2").endswith(b"\n/usr/bin:/bin\n")
