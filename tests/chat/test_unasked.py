"""What is approved without a person: each list of calls in memory, with the real files and links."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.kit.oracles.unasked import HARMLESS, HOSTILE, Call, in_folder, prepare
from tests.kit.oracles.unasked_lines import HOSTILE_LINES
from tests.kit.oracles.unasked_names import NAMED_HARMLESS, NAMED_HOSTILE
from tests.kit.oracles.unasked_options import MORE_HOSTILE
from voxpilot.agents.updates.translate import tool_fields
from voxpilot.chat.permissions.decide import Boundaries, Verdict, decide
from voxpilot.runtime.shared.boundaries import real_path

pytest.importorskip("tree_sitter", reason="make install puts it there")

OPTIONS = (
    {"id": "o", "label": "Allow", "kind": "allow_once"},
    {"id": "n", "label": "No", "kind": "reject_once"},
)


@pytest.fixture
def ground(tmp_path: Path) -> Boundaries:
    root, outside = tmp_path / "app", tmp_path / "outside"
    root.mkdir()
    outside.mkdir()
    prepare(root, outside)
    return Boundaries(roots=(str(root),), home=str(outside), skills="copilot-skills", follow=real_path)


def judged(call: Call, ground: Boundaries) -> Verdict:
    fields = {"tool_kind": "other", **tool_fields(in_folder(call, Path(ground.roots[0])))}
    return decide("auto", fields, OPTIONS, ground)


def test_nothing_hostile_is_approved(ground: Boundaries) -> None:
    """A3"""
    hostile = [*HOSTILE, *MORE_HOSTILE, *NAMED_HOSTILE, *HOSTILE_LINES]
    approved = [call for call in hostile if judged(call, ground).option is not None]
    assert approved == []
    assert len(hostile) >= 1_300


def test_everyday_work_is_approved(ground: Boundaries) -> None:
    """A3: otherwise the other list would pass by asking about everything."""
    harmless = [*HARMLESS, *NAMED_HARMLESS]
    asked = [(call, why) for call in harmless if (why := judged(call, ground).why)]
    assert asked == []
    assert len(harmless) >= 160


@pytest.mark.parametrize(
    "patch",
    [
        "*** Begin Patch\n*** Update File: b/secret\n@@\n-a\n+b\n",
        "--- a/secret\n+++ b/secret\n@@ -1 +1 @@\n-a\n+b\n",
        "diff --git a/secret b/secret\n",
        "rename from x\nrename to b/secret\n",
    ],
)
def test_a_patch_for_a_folder_that_is_named_like_a_prefix_of_git_is_asked_about(
    patch: str, ground: Boundaries
) -> None:
    """A3: some programs leave out `b/`, others write into the folder of that name."""
    (Path(ground.roots[0]) / "b").symlink_to(ground.home)
    assert judged({"kind": "edit", "title": "Edit", "rawInput": {"patch": patch}}, ground).option is None


def test_nothing_is_approved_in_a_folder_that_was_replaced_with_a_link(tmp_path: Path) -> None:
    root, other = tmp_path / "app", tmp_path / "other"
    other.mkdir()
    root.symlink_to(other)
    ground = Boundaries(roots=(str(root),), home=str(tmp_path), follow=real_path)
    for call in (
        {"kind": "execute", "rawInput": {"command": "ls"}},
        {"kind": "execute", "rawInput": {"command": "touch x"}},
        {"kind": "read", "rawInput": {"path": "x"}},
        {"kind": "read", "rawInput": {"path": str(other / "x")}},
    ):
        verdict = decide("auto", {"tool_kind": "other", **tool_fields(call)}, OPTIONS, ground)
        assert (verdict.option, "outside" in verdict.why) == (None, True)


def test_nothing_is_approved_in_a_folder_whose_disk_does_not_respond(tmp_path: Path) -> None:
    """Where it leads is unknown; it must not count as the folder that contains everything."""
    ground = Boundaries(roots=(str(tmp_path),), home=str(tmp_path), follow=lambda _: "/")
    call = tool_fields({"kind": "edit", "rawInput": {"path": "/srv/site/index.html"}})
    assert decide("auto", {"tool_kind": "other", **call}, OPTIONS, ground).option is None
