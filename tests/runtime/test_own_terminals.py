"""Commands that real agents ran themselves are shown like those that we run for them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.kit.oracles.traces import recordings
from tests.runtime.replay import play_all
from voxpilot.chat.transcript import fold


@pytest.mark.parametrize("restarts", [False, True])
def test_output_beside_a_tool_call_becomes_a_terminal(tmp_path: Path, restarts: bool) -> None:
    """R97: codex sends output and exit status in its own metadata; also with a restart after every frame."""
    events = play_all(tmp_path, "codex-run", recordings()["codex-run"], lambda _: restarts)
    blocks = fold(events).blocks
    terminals = {block["terminal_id"]: block for block in blocks if block["kind"] == "terminal"}
    call, *_ = [block for block in blocks if block["kind"] == "tool" and block["tool_kind"] == "execute"]
    shown = terminals[call["content"][0]["terminalId"]]
    assert shown["text"] == "out\nerr\n"
    assert shown["exit"] == {"exit_code": 3}
    assert shown["command"] == call["input"]["command"]
    assert not any(name.startswith("terminal_") for name in call.get("meta") or {})
