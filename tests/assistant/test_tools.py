"""The read-only tools, on a real folder."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from voxpilot.assistant import toolbox
from voxpilot.assistant.shapes import ToolCall
from voxpilot.assistant.tools.outcome import MOST_FOR_THE_MODEL, ToolFailed, ToolResult
from voxpilot.assistant.tools.read_file import ReadExternal, look_at_external, read_external
from voxpilot.assistant.tools.searching import MOST_HITS, GrepSearch

NOTHING = "Nothing found. Files of more than 4 MB are not searched."
Look = Callable[..., Any]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "work"
    (root / "src").mkdir(parents=True)
    (root / "src" / "app.py").write_text(
        "import os\n\ndef main() -> None:\n    print('hello')  # TODO greet\n"
    )
    (root / "README.md").write_text("# Work\n")
    (root / "logo.png").write_bytes(b"\x89PNG\0\0" * 300)
    (root / "notes.log").write_text("TODO never shown\n")
    (root / ".gitignore").write_text("*.log\n")
    (tmp_path / "secret.txt").write_text("TODO secret\n")
    (root / "leak").symlink_to(tmp_path / "secret.txt")
    return root


@pytest.fixture
def repository(folder: Path) -> Path:
    commands = (
        "git init -q . && git config user.name A && git config user.email a@example.org && "
        "git add -A && git commit -qm 'The first commit'"
    )
    subprocess.run(commands, shell=True, cwd=folder, check=True)
    return folder


async def look(folder: Path, name: str, **arguments: Any) -> ToolResult:
    """The result of a tool in a folder; the parent folder is trusted as well."""
    call = ToolCall("1", name, arguments, json.dumps(arguments))
    return await toolbox.run([str(folder)], call, trusted=[str(folder.parent)])


async def seen(folder: Path, name: str, **arguments: Any) -> str:
    result = await look(folder, name, **arguments)
    assert not result.is_error, result.content
    return result.content


async def refused(folder: Path, name: str, **arguments: Any) -> str:
    result = await look(folder, name, **arguments)
    assert result.is_error, result.content
    return result.content


async def test_a_file_is_read_by_either_kind_of_path(folder: Path) -> None:
    whole = (folder / "src" / "app.py").read_text()
    assert await seen(folder, "read_file", path="src/app.py") == whole
    assert await seen(folder, "read_file", path=str(folder / "src" / "app.py")) == whole


async def test_some_lines_of_a_file_say_which_they_are(folder: Path) -> None:
    (folder / "long.txt").write_text("".join(f"line {number}\n" for number in range(1, 5001)))
    part = await seen(folder, "read_file", path="long.txt", start_line=100, line_count=2)
    assert part.startswith("line 100\nline 101\n[Lines 100–101 of long.txt")
    assert "start_line 102" in part
    end = await seen(folder, "read_file", path="long.txt", start_line=4999)
    assert end.startswith("line 4999\nline 5000\n[Lines 4999–5000")
    assert "more" not in end
    assert "ends before line 6000" in await refused(folder, "read_file", path="long.txt", start_line=6000)


async def test_what_is_too_long_is_cut_with_a_note(folder: Path) -> None:
    (folder / "wide.txt").write_text("x" * 500_000 + "\n" + "word " * 500 + "\n")
    text = await seen(folder, "read_file", path="wide.txt")
    assert "500,001 characters" in text
    assert len(text) <= MOST_FOR_THE_MODEL + 300
    (folder / "many.txt").write_text("a line of text\n" * 10_000)
    text = await seen(folder, "read_file", path="many.txt")
    assert len(text) <= MOST_FOR_THE_MODEL + 300
    assert "There are more lines: continue with start_line" in text


async def test_what_is_no_text_is_named_and_not_shown(folder: Path) -> None:
    assert (
        await seen(folder, "read_file", path="logo.png")
        == "logo.png is not a text file (2 kB), so it is not shown."
    )
    (folder / "latin.txt").write_bytes("café\n".encode("latin-1"))
    assert "caf" in await seen(folder, "read_file", path="latin.txt")
    (folder / "empty").touch()
    assert await seen(folder, "read_file", path="empty") == "empty is empty."


@pytest.mark.parametrize(
    "path", ["../secret.txt", "leak", "/etc/passwd", "src/../../secret.txt", "~/.ssh/id_rsa"]
)
async def test_no_path_leads_out(folder: Path, path: str) -> None:
    said = await refused(folder, "read_file", path=path)
    assert "secret" not in said.replace(path, "")
    for name in ("list_directory", "glob_search", "grep_search", "git_diff", "git_show"):
        more = (
            {"pattern": "*"}
            if name == "glob_search"
            else {"pattern": "TODO"}
            if name == "grep_search"
            else {}
        )
        result = await look(folder, name, path=path, **more)
        assert "TODO secret" not in result.content
        assert "root:" not in result.content


async def test_pipes_folders_and_second_names_are_not_read(folder: Path, tmp_path: Path) -> None:
    os.mkfifo(folder / "pipe")
    assert "not a regular file" in await refused(folder, "read_file", path="pipe")
    assert "list_directory" in await refused(folder, "read_file", path="src")
    os.link(tmp_path / "secret.txt", folder / "second.txt")
    assert "several hard links" in await refused(folder, "read_file", path="second.txt")
    assert "secret" not in (await seen(folder, "grep_search", pattern="TODO"))


async def test_a_folder_is_listed_without_what_is_ignored(folder: Path) -> None:
    assert (await seen(folder, "list_directory")).splitlines() == [
        "src/",
        ".gitignore (6 bytes)",
        f"leak -> {folder.parent}/secret.txt (link)",
        "logo.png (2 kB)",
        "README.md (7 bytes)",
        "[Not shown: 1 ignored.]",
    ]
    assert await seen(folder, "list_directory", path="src") == "app.py (64 bytes)"
    assert "does not exist" in await refused(folder, "list_directory", path="nowhere")


async def test_files_are_found_by_name(repository: Path) -> None:
    (repository / "src" / "new.py").touch()
    (repository / "README.md").unlink()
    assert await seen(repository, "glob_search", pattern="*.py") == "src/app.py\nsrc/new.py"
    assert await seen(repository, "glob_search", pattern="n*.py", path="src") == "src/new.py"
    assert await seen(repository, "glob_search", pattern="*.{md,log}") == "No matching files."


async def test_lines_are_found_by_a_pattern(folder: Path) -> None:
    assert await seen(folder, "grep_search", pattern=r"TODO\s+\w+") == (
        "src/app.py:4:     print('hello')  # TODO greet"
    )
    assert await seen(folder, "grep_search", pattern="todo") == NOTHING
    assert "src/app.py:4" in await seen(folder, "grep_search", pattern="todo", ignore_case=True)
    assert await seen(folder, "grep_search", pattern="TODO", glob="*.md") == NOTHING
    assert "app.py:4" in await seen(folder, "grep_search", pattern="TODO", path="src", glob="*.py")
    assert "app.py:4" in await seen(folder, "grep_search", pattern="TODO", path="src/app.py")
    assert "cannot be used" in await refused(folder, "grep_search", pattern="(")
    assert await seen(folder, "grep_search", pattern="--help") == NOTHING


async def test_too_many_lines_are_cut(folder: Path) -> None:
    (folder / "many.txt").write_text("needle\n" * 5_000)
    lines = (await seen(folder, "grep_search", pattern="needle")).splitlines()
    assert len(lines) == MOST_HITS + 1
    assert "narrower" in lines[-1]


async def test_a_pattern_that_never_ends_is_ended(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("voxpilot.assistant.tools.searching.SECONDS", 3.0)
    (folder / "a.txt").write_text("needle aaaa!\n")
    (folder / "b.txt").write_text("a" * 60 + "!\n")
    text = await seen(folder, "grep_search", pattern="needle|^(a+)+$")
    assert text.splitlines()[0] == "a.txt:1: needle aaaa!", "what was found before is kept"
    assert "Stopped after 3 seconds" in text


async def test_changes_are_shown_with_new_files(repository: Path) -> None:
    assert await seen(repository, "git_diff") == "Nothing has changed."
    (repository / "README.md").write_text("# Work and play\n")
    (repository / "new.txt").write_text("new\n")
    diff = await seen(repository, "git_diff")
    assert "-# Work\n+# Work and play" in diff
    assert "[New files, not yet tracked: new.txt]" in diff
    assert "play" not in await seen(repository, "git_diff", path="src")
    assert await seen(repository, "git_diff", staged=True) == "Nothing has changed."
    subprocess.run(["git", "add", "new.txt"], cwd=repository, check=True)
    assert "+new" in await seen(repository, "git_diff", staged=True)
    assert "+# Work and play" in await seen(repository, "git_diff", revision="HEAD")


async def test_a_commit_and_a_file_as_it_was_are_shown(repository: Path) -> None:
    (repository / "README.md").write_text("# Other\n")
    shown = await seen(repository, "git_show")
    assert "The first commit" in shown
    assert "+# Work" in shown
    assert await seen(repository, "git_show", revision="HEAD", path="README.md") == "# Work\n"
    assert "not a text file" in await seen(repository, "git_show", path="logo.png")
    assert await refused(repository, "git_show", revision="nothing")


@pytest.mark.parametrize(
    "revision",
    ["--output=/tmp/x", "-p", "--no-index", "HEAD:secret", ":/first", "HEAD README", "a\nb", "$(x)"],
)
async def test_no_option_can_be_passed_as_a_revision(repository: Path, revision: str) -> None:
    for name in ("git_show", "git_diff"):
        assert "revision" in await refused(repository, name, revision=revision)


async def test_a_workspace_inside_a_repository_shows_nothing_from_above(repository: Path) -> None:
    (repository / "README.md").write_text("# Above\n")
    (repository / "src" / "app.py").write_text("changed\n")
    inside = repository / "src"
    assert "Above" not in (diff := await seen(inside, "git_diff"))
    assert "+changed" in diff
    assert "+++ b/app.py" in diff
    assert "README" not in await seen(inside, "git_show")
    assert "import os" in await seen(inside, "git_show", path="app.py")
    assert await seen(inside, "glob_search", pattern="**") == "app.py"


async def test_a_folder_without_a_repository_says_so(folder: Path) -> None:
    assert "not a git repository" in await refused(folder, "git_diff")


async def test_what_lies_outside_is_only_told_until_somebody_agreed(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("the words\n")
    (tmp_path / "link").symlink_to(secret)
    wanted = ReadExternal(path=str(tmp_path / "link"))
    file = await look_at_external(wanted)
    assert (file.path, file.size) == (str(secret.resolve()), 10)
    assert (await read_external(file, wanted)).content == "the words\n"
    secret.unlink()
    secret.symlink_to("/etc/passwd")
    with pytest.raises(ToolFailed, match="leads elsewhere"):
        await read_external(file, wanted)
    with pytest.raises(ToolFailed, match="absolute"):
        await look_at_external(ReadExternal(path="relative.txt"))
    with pytest.raises(ToolFailed, match="not a regular file"):
        await look_at_external(ReadExternal(path="/dev/zero"))


async def test_a_file_outside_is_not_read_through_a_folder_that_was_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A2: a link that is put there while the file is being opened."""
    for name in ("notes", "secrets"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file.txt").write_text(f"{name}\n")
    wanted = ReadExternal(path=str(tmp_path / "notes/file.txt"))
    file = await look_at_external(wanted)
    (tmp_path / "notes").rename(tmp_path / "moved")
    (tmp_path / "notes").symlink_to("secrets")
    monkeypatch.setattr(os.path, "realpath", lambda path: path)  # as it was a moment ago
    with pytest.raises(ToolFailed, match="leads elsewhere"):
        await read_external(file, wanted)


def test_the_search_arguments_know_no_limits_by_accident() -> None:
    with pytest.raises(ValueError, match="pattern"):
        GrepSearch(pattern="x" * 2_000)
