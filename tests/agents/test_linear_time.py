"""Processing an agent's text takes time linear in its length, whatever it contains."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from voxpilot.agents.installed import versions
from voxpilot.agents.wire import frames
from voxpilot.chat import titles
from voxpilot.chat.permissions import call_titles, control_files, programs, shell
from voxpilot.chat.permissions.decide import Boundaries, look
from voxpilot.settings import masking

GROUND = Boundaries(roots=("/home/u/app",))
HOSTILE = [
    "$/", "/$", "a", "1", "1.", "a-", "key", "key=", "key ", "sk-", "://a:", "git -a ", " ", "'", '"', "\\",
    "; ", "&&", "./", "~", "\n--- ", '"text":"', '{"a":1,', '"text" : "\\\\', "=", "-", "*", "{,", "token: ",
    "\u200b", "(", "\t\n",
]  # fmt: skip


def _command(text: str) -> None:
    look({"tool_kind": "execute", "title": text, "input": {"command": text, "cwd": text}}, GROUND)


def _edit(text: str) -> None:
    for call in (
        {"tool_kind": "edit", "title": text, "input": {"path": "a.py", "patch": text, "new": text}},
        {"tool_kind": text, "title": text, "input": {text: text}},
        {"tool_kind": "read", "title": text, "input": {"path": text}, "locations": [{"path": text}]},
        {"tool_kind": "execute", "input": {"command": [text, text]}, "content": [{"type": text}]},
    ):
        look(call, GROUND)


def _read(text: str) -> None:
    try:
        shell.read(text[: shell.LONGEST])
        programs.deed_of(["grep", text, text])
        call_titles.files_in_patch(text)
    except shell.NotPlain:
        pass


READERS: dict[str, Callable[[str], object]] = {
    "commands": _command,
    "edits": _edit,
    "the shell": _read,
    "control files": control_files.is_control_file,
    "titles": titles.title_of,
    "secrets in arguments": lambda text: masking.hide_args([text, text]),
    "names of secrets": masking.is_secret,
    "versions": lambda text: versions.is_enough(text, "1.0"),
    "lines": lambda text: frames.frame_in(text.encode()),
    "broken lines": lambda text: frames.frame_between(text.encode(), text.encode(), "broken"),
}


SIZES = {"control files": 40_000, "secrets in arguments": 40_000, "names of secrets": 40_000}
"""The text size for functions that look at each character more than once; the others get a megabyte."""


@pytest.mark.alone
@pytest.mark.parametrize("name", READERS)
def test_the_time_grows_as_the_length_does(name: str) -> None:
    """Four times the text takes about four times as long; backtracking would take sixteen times."""
    read = READERS[name]
    for part in HOSTILE:
        text = part * (SIZES.get(name, 1_000_000) // len(part))
        short, long = _seconds(read, text[: len(text) // 4]), _seconds(read, text)
        assert long < 9 * short + 0.2, part


def _seconds(read: Callable[[str], object], text: str) -> float:
    started = time.perf_counter()
    read(text)
    return time.perf_counter() - started
