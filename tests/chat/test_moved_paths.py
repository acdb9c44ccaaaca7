"""Lines that change where paths lead, and files that git or a search shows although they are hidden."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.kit.oracles.unasked import Call, in_folder, prepare, run
from tests.kit.oracles.unasked_lines import MOVES, UNTRACKED
from voxpilot.agents.updates.translate import tool_fields
from voxpilot.chat.permissions.decide import Boundaries, decide, shell_after
from voxpilot.chat.permissions.trees import (
    LONGEST_LOOK_SECONDS,
    _listed,
    below,
    repository_of,
    rules_above,
)
from voxpilot.runtime.shared.boundaries import real_path

pytest.importorskip("tree_sitter", reason="make install puts it there")

OPTIONS = ({"id": "o", "label": "Allow", "kind": "allow_once"},)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root, outside = tmp_path / "app", tmp_path / "outside"
    root.mkdir()
    outside.mkdir()
    prepare(root, outside)
    (root / "d").mkdir()
    (root / "d/l").symlink_to("../.git/hooks/pre-commit")
    (root / "f/g").mkdir(parents=True)
    (root / "f/g/l").symlink_to("../b.txt")
    return root


@pytest.fixture
def ground(root: Path) -> Boundaries:
    return Boundaries(roots=(str(root),), home=str(root.parent / "outside"), follow=real_path)


@pytest.fixture
def untracked(root: Path) -> None:
    """Files that git has not ignored, and a folder that looks like a repository."""
    (root / "keys/deep").mkdir(parents=True)
    (root / "keys/.env").write_text("KEY=1\n")
    (root / "keys/deep/.env").write_text("KEY=1\n")
    (root / "keys/.ignore").write_text("!.env\n")
    (root / "keys/.gitignore").write_text("!/.env\n!/deep/.env\n")
    (root / "bare/objects").mkdir(parents=True)
    (root / "bare/HEAD").write_text("ref: refs/heads/main\n")


def fields_of(call: Call, ground: Boundaries) -> dict[str, Any]:
    return {"tool_kind": "other", **tool_fields(in_folder(call, Path(ground.roots[0])))}


def is_asked(line: str, ground: Boundaries) -> bool:
    return decide("auto", fields_of(run(line), ground), OPTIONS, ground).option is None


def test_nothing_that_moves_a_link_or_the_shells_folder_is_approved(ground: Boundaries) -> None:
    """A3: each path is checked as it is before the line runs."""
    assert [line for line in MOVES if not is_asked(line, ground)] == []


@pytest.mark.parametrize(
    "line",
    [
        "mv b.txt c.txt && cat c.txt",
        "mv f/h x && cat x/y",
        "rm -rf build && mkdir -p build/out && touch build/out/x",
        "rm -rf d",
        "rm way",
        "rm -rf d && npm test",
        "rm -rf d 2>/dev/null && npm test",
        "cd sub && mv x.txt y.txt && cat y.txt",
        "git mv a.py c.py && git add -A && git commit -m 'Rename it'",
        "cd sub && rm x.txt && ls ../f",
    ],
)
def test_other_moves_are(line: str, ground: Boundaries) -> None:
    assert not is_asked(line, ground)


def test_a_tool_that_moves_links_is_asked_about(ground: Boundaries) -> None:
    for source in ("src", "f/g/l", "f", "way"):
        call = {"kind": "move", "title": "Move", "rawInput": {"source": source, "destination": "x"}}
        assert decide("auto", fields_of(call, ground), OPTIONS, ground).option is None
    call = {"kind": "delete", "title": "Delete", "rawInput": {"path": "f"}}
    assert decide("auto", fields_of(call, ground), OPTIONS, ground).option == "o"


MOVE = {"kind": "move", "title": "Move", "rawInput": {"source": "ROOT/p/q", "destination": "ROOT/z"}}


@pytest.mark.parametrize(
    "call",
    [
        run("mv ../q ../../z"),
        run("mv ROOT/p ROOT/z"),
        run("cd ROOT && mv p z && cd p/q"),
        run("rm -rf ROOT/p/q"),
        run("rmdir ../q"),
        run("mv -T ../q ../../z"),
        run("git checkout main"),
        run("git rebase main"),
        run("python3 -c 'import os'"),
        run("xargs mv"),
        run("mv $x y"),
        MOVE,
        {**MOVE, "rawInput": {"source": "ROOT/p", "destination": "ROOT/z"}},
        {**MOVE, "rawInput": {"unknown": "ROOT/p"}},
        {"kind": "delete", "title": "Delete", "rawInput": {"path": "ROOT/p"}},
        {"kind": "other", "title": "Rename", "rawInput": {"x": "y"}},
    ],
)
def test_a_shell_whose_folder_may_have_moved_is_nowhere_known(call: Call, ground: Boundaries) -> None:
    """A3: `..` would lead elsewhere in the next command."""
    (root,) = ground.roots
    os.makedirs(f"{root}/p/q")
    left = replace(ground, shell_in=(f"{root}/p/q",))
    assert shell_after(fields_of(call, left), left) == ("/",)
    lost = replace(ground, shell_in=("/",))
    assert is_asked("ls", lost)
    assert is_asked("cat x", lost)
    assert not is_asked("cd ROOT && ls", lost)


@pytest.mark.parametrize(
    "call",
    [
        run("ls"),
        run("npm test"),
        run("mv x y"),
        run("rm -rf build"),
        run("curl example.org"),
        run("npm install left-pad && git push"),
        {"kind": "read", "title": "Read", "rawInput": {"x": "y"}},
        {"kind": "move", "title": "Move", "rawInput": {"source": "a.py", "destination": "c.py"}},
    ],
)
def test_a_shell_stays_where_it_is_otherwise(call: Call, ground: Boundaries) -> None:
    left = replace(ground, shell_in=(f"{ground.roots[0]}/sub",))
    assert shell_after(fields_of(call, left), left) == left.shell_in


def test_a_shell_at_the_top_stays_there(ground: Boundaries) -> None:
    for line in ("python3 -c 'import os'", "git rebase main", "mv sub x"):
        assert shell_after(fields_of(run(line), ground), ground) == ground.roots


def test_a_command_may_also_start_at_the_top(ground: Boundaries) -> None:
    """A3: an agent that starts a new shell for each command is not where its last `cd` led."""
    left = replace(ground, shell_in=(f"{ground.roots[0]}/sub/far",))
    assert is_asked("cat ../../outside/secret", left)
    assert is_asked("cat leak", left)
    assert not is_asked("cat x.txt", left)
    call = run("cat leak", rawInput={"cwd": "."})
    assert decide("auto", fields_of(call, left), OPTIONS, left).option is None


@pytest.mark.usefixtures("untracked")
def test_nothing_that_may_show_a_hidden_file_is_approved(ground: Boundaries) -> None:
    """A3: git shows what was added, and an ignore file can make a search look at hidden files."""
    assert [line for line in UNTRACKED if not is_asked(line, ground)] == []


@pytest.mark.parametrize(
    "line",
    [
        "git add -A && git diff --cached",
        "git add . && git commit -m x",
        "git add tree src",
        "git add -u",
        "git diff HEAD src",
        "rg KEY sub",
        "cd sub && git status",
        "touch src/header.py",
        "cat HEAD",
    ],
)
def test_what_git_ignores_is_not_shown(line: str, ground: Boundaries) -> None:
    assert not is_asked(line, ground)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "#.env",
        ".env\n!.env",
        "!.env\n.env",
        ".env\n!*",
        ".env\n!.e*",
        ".env\n!\\.env",
        ".env\n![.]env",
        ".env\n!{.env,x}",
        ".env\n!.ENV",
        ".env\n!sub/**",
        "other/.env",
        "/sub",
        ".env/",
        "\\.env",
        "x\x0b.env",
        ".env" + "\n#" * 100_000,
        ".env\r\r",
        ".env\r ",
        ".env\t",
        ".env\n!.env\t",
        ".env\n!.env\x00x",
        ".env\n!.env\u00a0",
        ".env" + "\n*a" * 10_000,
    ],
)
def test_a_file_counts_as_ignored_only_if_that_is_plain(text: str, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/.env").touch()
    (tmp_path / ".gitignore").write_text(text)
    found = below(str(tmp_path / "sub"), "ignored")
    assert found is not None
    assert [entry.name for entry in found] == ["sub/.env"]


@pytest.mark.parametrize(
    "text",
    [".env", "*.env", "**/.env", ".e*", "sub/", "sub", "/sub/", "*", ".env \r\nx", "s?b", "?env", ".en*?"],
)
def test_plain_patterns_are_understood(text: str, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/.env").touch()
    (tmp_path / ".gitignore").write_text(text)
    found = below(str(tmp_path), "ignored")
    assert found is not None
    assert "sub/.env" not in [entry.name for entry in found]


@pytest.mark.parametrize("line", ["!.env\t", "!.env\x0b", "!.env\r\r", "!.env\u3000", "!.env\x00"])
def test_a_hidden_file_may_be_brought_back_by_an_unusual_line(line: str, tmp_path: Path) -> None:
    """A3: programs differ in which characters they remove from the end of a line."""
    (tmp_path / ".ignore").write_text(line)
    (tmp_path / ".env").touch()
    assert "app/.env" in [
        entry.name.replace(tmp_path.name, "app") for entry in below(str(tmp_path), "hidden") or ()
    ]


@pytest.mark.parametrize("rule", ["sub?", "?sub", "su?b", "sub?*", "*sub?"])
def test_a_question_mark_in_a_rule_stands_for_no_slash(rule: str, tmp_path: Path) -> None:
    """A3: `keys?` does not keep git from adding what is in `keys`."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/.env").touch()
    (tmp_path / ".gitignore").write_text(rule)
    assert "sub/.env" in [entry.name for entry in below(str(tmp_path), "ignored") or ()]


def test_a_question_mark_in_a_rule_is_not_trusted_for_names_that_are_not_ascii(tmp_path: Path) -> None:
    """A3: for git it stands for one byte."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "schl\u00fcssel").mkdir()
    (tmp_path / ".\u00e9nv").touch()
    (tmp_path / ".gitignore").write_text("schl?ssel\n!.??nv\n")
    assert f"{tmp_path.name}/schl\u00fcssel" in [each.name for each in below(str(tmp_path), "ignored") or ()]
    assert f"{tmp_path.name}/.\u00e9nv" in [each.name for each in below(str(tmp_path), "hidden") or ()]


def test_a_look_at_a_folder_full_of_rules_ends_soon(tmp_path: Path) -> None:
    """Otherwise a folder from somebody else could keep the server busy for hours."""
    for number in range(60):
        (tmp_path / f"d{number}").mkdir()
        rules = "".join(f"{number}a*{line}b\n" for line in range(600))
        (tmp_path / f"d{number}/.gitignore").write_text(rules)
    (tmp_path / "d0/.gitignore").write_text("".join(f"a*{line}b\n" for line in range(6_500)))
    began = time.process_time()
    _listed(str(tmp_path), "ignored")
    assert time.process_time() - began < 3 * LONGEST_LOOK_SECONDS


def test_ignore_files_that_cannot_be_read_bring_everything_back(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / ".ignore").symlink_to("/etc/passwd")
    assert rules_above(str(tmp_path / "sub")).bring_back(".env")
    (tmp_path / ".ignore").unlink()
    assert not rules_above(str(tmp_path / "sub")).bring_back(".env")
    os.mkfifo(tmp_path / ".rgignore")
    assert rules_above(str(tmp_path / "sub")).bring_back(".env")


def test_rules_above_the_repository_do_not_count_for_git(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text(".env")
    (tmp_path / "app/.git").mkdir(parents=True)
    (tmp_path / "app/.env").touch()
    found = below(str(tmp_path / "app"), "ignored")
    assert found is not None
    assert [entry.name for entry in found] == ["app/.env"]


def test_the_repository_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "a/b").mkdir(parents=True)
    assert repository_of(str(tmp_path / "a/b")) == str(tmp_path)
    (tmp_path / "a/HEAD").touch()
    assert repository_of(str(tmp_path / "a/b")) is None
    assert repository_of(str(tmp_path)) == str(tmp_path)
