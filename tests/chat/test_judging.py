"""Judging a call takes little time and never fails; a call that changes its description is another call."""

from __future__ import annotations

from typing import Any

import pytest

from tests.kit.oracles.traces import recordings
from voxpilot.agents.updates.translate import tool_fields
from voxpilot.chat.permissions.calls import became_another
from voxpilot.chat.permissions.commands import folders_after
from voxpilot.chat.permissions.decide import Boundaries, decide, reservation

GROUND = Boundaries(roots=("/home/u/app",))
OPTIONS = ({"id": "o", "label": "Allow", "kind": "allow_once"},)
MANY = [f"f{n}" for n in range(3_000)]
PLACES = [{"path": path} for path in reversed(MANY)]


def nested(depth: int) -> Any:
    value: Any = "a"
    for _ in range(depth):
        value = [value]
    return value


def run(command: Any, **more: Any) -> dict[str, Any]:
    return {"tool_kind": "execute", "title": "Run", "input": {"command": command, **more}}


LARGE: dict[str, dict[str, Any]] = {
    "paths": {"tool_kind": "edit", "input": {"paths": MANY}, "locations": PLACES},
    "patched": {"tool_kind": "edit", "input": {"paths": MANY[:9], "patch": "\n+++ ".join(MANY)}},
    "glob": {"tool_kind": "search", "input": {"path": ".", "glob": "." + "*a" * 200_000 + "b"}},
    "globs": {"tool_kind": "search", "input": {"path": ".", "glob": [f".a*{n}" for n in range(8_000)]}},
    "braces": {"tool_kind": "search", "input": {"path": ".", "glob": ".{" + ",".join(MANY) + "}"}},
    "and": run("&&".join(["ls"] * 4_900)),
    "or": run("||".join(["ls"] * 1_000)),
    "then": run(";".join(["ls"] * 6_000)),
    "pipes": run("|".join(["ls"] * 1_000)),
    "words": run("cat " + "a " * 3_900),
    "redirections": run("ls" + " >a" * 2_000),
    "list": run(["cat", *MANY]),
    "fields": run("ls", **dict.fromkeys(MANY, "x")),
    "names": run("ls", **{"x" * 2_000_000: "x"}),
    "deep": run("ls", description=nested(5_000)),
    "deep output": {**run("ls"), "more": nested(100_000)},
    "text": {"tool_kind": "edit", "input": {"path": "a.py", "content": "x" * 2_000_000}},
}  # fmt: skip


@pytest.mark.parametrize("name", LARGE)
def test_what_is_too_large_is_asked_about_without_a_closer_look(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A53: no link is followed and no grammar parses it; the server's loop is not held up."""
    followed: list[str] = []

    def follow(path: str) -> str:
        followed.append(path)
        return path

    ground = Boundaries(roots=GROUND.roots, follow=follow)
    monkeypatch.setattr(
        "voxpilot.chat.permissions.shell._shape_of_tree", lambda text: pytest.fail("was parsed")
    )
    verdict = decide("auto", LARGE[name], OPTIONS, ground)
    assert verdict.option is None
    assert verdict.why
    assert followed == []


@pytest.mark.parametrize("error", [TypeError, RecursionError, OSError, ValueError, KeyError, MemoryError])
def test_a_judgement_that_fails_means_asking(error: type[Exception]) -> None:
    """A53: otherwise the question would never be shown."""

    def fail(path: str) -> str:
        raise error

    call = {"tool_kind": "read", "input": {"path": "a.py"}}
    ground = Boundaries(roots=GROUND.roots, follow=fail)
    assert decide("auto", call, OPTIONS, ground).option is None
    assert reservation(call, ground) == "it could not be checked"


COMMAND = {"tool_kind": "execute", "title": "Run", "input": {"command": "ls"}}


def diff(path: str, text: str = "x") -> dict[str, Any]:
    return {
        "tool_kind": "edit",
        "content": ({"type": "diff", "path": path, "oldText": None, "newText": text},),
    }


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"input": {"command": "rm -rf ~"}}, {"input": {"cmd": "ls"}}),
        ({"input": {"command": "rm -rf ~"}}, {"input": {"cmd": "ls", "command": ""}}),
        ({"input": {"command": "rm", "cmd": "ls"}}, {"input": {"cmd": "ls"}}),
        ({"input": {"argv": ["rm"]}}, {"input": {"command": "ls"}}),
        ({"input": {"command": "ls"}}, {"input": ["rm"]}),
        ({"input": "ls"}, {"input": {"command": "rm"}}),
        ({"input": {"command": "rm"}}, {"input": {"cmd": "ls", "a command": "rm"}}),
        ({"tool_kind": "edit", "input": {"file_path": "/etc/passwd"}}, {"input": {"path": "x"}}),
        (diff("/etc/passwd"), diff("x.py")),
        (diff("x.py", "a"), diff("x.py", "b")),
        ({"tool_kind": "edit", "locations": ({"path": "/etc/x"},)}, {"locations": ({"path": "a.py"},)}),
        ({"title": "`rm -rf ~`", "tool_kind": "execute"}, COMMAND),
        ({"input": {"x": nested(100_000)}}, {"input": {"x": nested(100_000)}}),
    ],
)
def test_a_call_that_says_something_else_is_another(before: Any, after: Any) -> None:
    """A3: also under another name, in another field, or only in the title."""
    assert became_another(before, after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"title": "Terminal", "tool_kind": "execute", "input": {}}, COMMAND),
        ({"title": "`ls`", "tool_kind": "execute"}, COMMAND),
        ({"title": "`ls -l…`"}, {"input": {"command": ["bash", "-lc", "ls -la"]}}),
        (COMMAND, {**COMMAND, "status": "completed", "content": ({"type": "content"},)}),
        (COMMAND, {"input": {"command": "ls", "description": "Lists files"}}),
        (diff("x.py"), diff("x.py")),
        (diff("x.py", "first\nsecond\n"), diff("x.py", "second")),
        ({"input": {"command": ["/bin/bash", "-lc", "ls"]}}, {"input": {"cmd": "ls"}}),
        ({"input": {"command": "ls", "started_at_ms": 1}}, {"input": {"command": "ls", "started_at_ms": 2}}),
        (diff("x.py"), {"content": ({"type": "content"},)}),
        ({"tool_kind": "edit", "locations": ({"path": "a"},)}, {"locations": ({"path": "a"}, {"path": "b"})}),
        ({}, COMMAND),
    ],
)
def test_a_call_may_add_details(before: Any, after: Any) -> None:
    assert not became_another(before, after)


def test_no_call_of_a_real_agent_becomes_another() -> None:
    """A3: in all recordings, from the first announcement to the last update."""
    for frames in recordings().values():
        known: dict[str, dict[str, Any]] = {}
        for frame in frames:
            params = frame.message.get("params") or {}
            call = params.get("toolCall") or params.get("update") or {}
            if not frame.from_agent or "toolCallId" not in call:
                continue
            fields = tool_fields(call)
            before = known.get(call["toolCallId"], {})
            if "toolCall" in params or before.get("asked"):
                assert not became_another(before, fields)
            known[call["toolCallId"]] = {
                **before,
                **fields,
                **({"asked": True} if "toolCall" in params else {}),
            }


@pytest.mark.parametrize(
    ("command", "folders"),
    [
        ("ls", ("/w",)),
        ("cd sub", ("/w/sub",)),
        ("curl example.org", ("/w",)),
        ("npm install left-pad && git push", ("/w",)),
        *((line, ("/",)) for line in ("z /etc", "chdir /etc", "j /etc", "..", "exec zsh -i", ".\tfile")),
        ("x() { cd /; }", ("/",)),
        ("ls && z /etc", ("/",)),
        ("&&".join(["ls"] * 5_000), ("/",)),
    ],
)  # fmt: skip
def test_only_known_programs_leave_a_shell_where_it_was(command: str, folders: tuple[str, ...]) -> None:
    """A3: a person may have allowed a command that changes the folder in a way we do not understand."""
    assert folders_after({"command": command}, ["/w"]) == folders
