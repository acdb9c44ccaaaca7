"""No path and no link leads out of a chat's folder."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voxpilot.errors import NotFound, VoxPilotError
from voxpilot.workspace.files import look, read, write
from voxpilot.workspace.folder import PathRefused, check_folder, place_in


@pytest.mark.parametrize(
    "path",
    [
        "{root}/../outside/secret.txt",
        "{root}/a/../../outside/secret.txt",
        "{root}/..",
        "{root}-evil/secret.txt",
        "{root}./secret.txt",
        "{root} /secret.txt",
        "{root}/../root/x.txt",
        "/etc/passwd",
        "/proc/self/root/etc/passwd",
        "~/secret.txt",
        "~root/secret.txt",
        "x.txt",
        "./x.txt",
        "",
        "file://{root}/x.txt",
        "{root}/x.txt\0.png",
        "{root}/%2e%2e/outside/secret.txt\0",
        "{root}/\udcff\ud800",
        "{root}/" + "n" * 5000,
        "{root}/" + "d/" * 3000,
        "{root}",
        "{root}/",
        "{root}//",
        None,
        7,
        ["{root}/x.txt"],
    ],
)
def test_a_path_that_is_not_plainly_inside_is_refused(root: Path, path: object) -> None:
    """A17"""
    (root.parent / "root-evil").mkdir()
    (root / "x.txt").write_text("x")
    given_path = path.replace("{root}", str(root)) if isinstance(path, str) else path
    for touch in (read, look):
        with pytest.raises(PathRefused):
            touch([str(root)], given_path)
    with pytest.raises(PathRefused):
        write([str(root)], given_path, "evil", None, "n")
    assert (root / "x.txt").read_text() == "x"
    assert os.listdir(root) == ["x.txt"]


@pytest.mark.parametrize(
    "name", ["%2e%2e", "..%2fx", "x.", "x ", "..", "a\\..\\b", "\N{FULLWIDTH FULL STOP}" * 2]
)
def test_odd_names_are_names_and_nothing_else(root: Path, name: str) -> None:
    """A17: nothing is decoded, trimmed or normalised into another name."""
    if name == "..":
        with pytest.raises(PathRefused):
            write([str(root)], f"{root}/{name}", "here", None, "n")
        return
    write([str(root)], f"{root}/{name}", "here", None, "n")
    assert [path.name for path in root.iterdir()] == [name]
    assert read([str(root)], f"{root}/{name}").text == "here"


def test_a_path_through_a_link_to_the_root_is_inside(root: Path, tmp_path: Path) -> None:
    """As where the home folder is a link: a person and an agent may use either name."""
    (tmp_path / "link").symlink_to(tmp_path)
    (root / "x.txt").write_text("x")
    for base in (tmp_path / "link" / "root", root):
        assert read([str(root)], f"{base}/x.txt").text == "x"
        assert place_in([str(root)], f"{base}/new.txt").path == f"{root}/new.txt"


@pytest.mark.parametrize("replaced", ["root", "root/deep"])
def test_a_root_with_a_link_in_its_path_is_not_opened(root: Path, tmp_path: Path, replaced: str) -> None:
    """Another chat's agent can replace it, or a folder above it."""
    (root / "deep" / "chosen").mkdir(parents=True)
    (tmp_path / replaced).rename(tmp_path / "before")
    elsewhere = tmp_path / "elsewhere" / "deep" / "chosen"
    elsewhere.mkdir(parents=True)
    (elsewhere / "secret.txt").write_text("secret")
    (tmp_path / replaced).symlink_to(tmp_path / replaced.replace("root", "elsewhere"))
    chosen = f"{root}/deep/chosen"
    for path in (f"{chosen}/secret.txt", f"{elsewhere}/secret.txt"):
        for touch in (read, look):
            with pytest.raises(PathRefused):
                touch([chosen], path)
        with pytest.raises(PathRefused):
            write([chosen], path, "evil", None, "n")
    with pytest.raises(PathRefused, match="leads elsewhere"):
        check_folder([chosen], chosen)
    assert (elsewhere / "secret.txt").read_text() == "secret"


@given(st.text(alphabet="./ab~\0", max_size=12))
def test_no_way_of_writing_a_path_leads_out(rest: str) -> None:
    """A17: every accepted path is below the root, character by character."""
    try:
        place = place_in(["/some/root"], f"/some/root{rest}")
    except PathRefused:
        return
    assert os.path.normpath(place.path) == os.path.normpath(f"/some/root{rest}")
    assert (os.path.normpath(place.path) + "/").startswith("/some/root/")


def _file_link(root: Path) -> str:
    (root / "x").symlink_to("../outside/secret.txt")
    return "x"


def _absolute_link(root: Path) -> str:
    (root / "x").symlink_to(root.parent / "outside" / "secret.txt")
    return "x"


def _folder_link(root: Path) -> str:
    (root / "d").symlink_to("../outside")
    return "d/secret.txt"


def _link_to_link(root: Path) -> str:
    (root / "e").symlink_to("../outside")
    (root / "d").symlink_to("e")
    return "d/secret.txt"


def _dangling(root: Path) -> str:
    (root / "x").symlink_to("../outside/new.txt")
    return "x"


def _dangling_folder(root: Path) -> str:
    (root / "d").symlink_to("../outside")
    return "d/new/deep.txt"


def _dangling_inside(root: Path) -> str:
    (root / "x").symlink_to("nothing-yet")
    return "x"


def _loop(root: Path) -> str:
    (root / "x").symlink_to("x")
    return "x"


def _magic(root: Path) -> str:
    (root / "x").symlink_to("/proc/self/root/etc/passwd")
    return "x"


def _hard(root: Path) -> str:
    os.link(root.parent / "outside" / "secret.txt", root / "x")
    return "x"


def _fifo(root: Path) -> str:
    os.mkfifo(root / "x")
    return "x"


def _socket(root: Path) -> str:
    os.chdir(root)
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind("x")
    return "x"


def _directory(root: Path) -> str:
    (root / "x").mkdir()
    return "x"


def _below_a_file(root: Path) -> str:
    (root / "x").write_text("x")
    return "x/y"


@pytest.mark.parametrize(
    "trap",
    [
        _file_link, _absolute_link, _folder_link, _link_to_link, _dangling, _dangling_folder,
        _dangling_inside, _loop, _magic, _hard, _fifo, _socket, _directory, _below_a_file,
    ],
)  # fmt: skip
def test_what_is_no_file_of_this_folder_is_neither_read_nor_written(
    root: Path, trap: Callable[[Path], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A18, A22: links out, however they are made; hard links, pipes, sockets and folders."""
    monkeypatch.chdir(root)
    path = f"{root}/{trap(root)}"
    with pytest.raises(VoxPilotError):
        read([str(root)], path)
    with pytest.raises(PathRefused):
        look([str(root)], path)
    with pytest.raises(VoxPilotError):
        write([str(root)], path, "evil", None, "n")
    assert not list(root.rglob("*.voxpilot"))


def test_a_device_is_no_file(way: str) -> None:
    """A18"""
    for name in ("null", "zero", "tty"):
        with pytest.raises(PathRefused):
            read(["/dev"], f"/dev/{name}")


def test_links_that_stay_inside_are_followed_where_the_kernel_watches(root: Path, way: str) -> None:
    (root / "src").mkdir()
    (root / "src" / "real.txt").write_text("one")
    (root / "link.txt").symlink_to("src/real.txt")
    (root / "also").symlink_to("src")
    paths = [f"{root}/link.txt", f"{root}/also/real.txt"]
    if way == "walk":
        for path in paths:
            with pytest.raises(PathRefused):
                read([str(root)], path)
        return
    assert [read([str(root)], path).text for path in paths] == ["one", "one"]
    before = read([str(root)], paths[0]).version
    write([str(root)], paths[0], "two", before, "n")
    assert (root / "link.txt").is_symlink()
    assert (root / "src" / "real.txt").read_text() == "two"


def test_a_command_runs_only_in_a_folder_that_is_inside(root: Path) -> None:
    """A21"""
    (root / "src").mkdir()
    (root / "file").write_text("")
    (root / "out").symlink_to("../outside")
    assert check_folder([str(root)], str(root)) == str(root)
    assert check_folder([str(root)], f"{root}/src/") == f"{root}/src"
    for wrong in ("/", str(root.parent), f"{root}/file", f"{root}/out", f"{root}/src/../..", "src", None):
        with pytest.raises(PathRefused):
            check_folder([str(root)], wrong)
    with pytest.raises(NotFound):
        check_folder([str(root)], f"{root}/none")


def test_every_root_counts_and_nothing_between_them(root: Path, tmp_path: Path) -> None:
    """A20, A21"""
    other = tmp_path / "other"
    other.mkdir()
    (other / "x").write_text("other")
    assert read([str(root), str(other)], f"{other}/x").text == "other"
    with pytest.raises(PathRefused):
        read([str(root)], f"{other}/x")
