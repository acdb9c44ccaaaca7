"""How agents ask: ids of every kind, many at once, taken back, or in a way that cannot be answered.

What needs no processes: tests/runtime/agents/test_asking.py.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from tests.conftest import StartServer
from tests.kit.clients.driver import talking
from tests.kit.servers.config import MARK

ASKING_AGENT = Path(__file__).parents[2] / "fakes" / "asking_agent.py"


def asking(*args: str) -> dict[str, Any]:
    return {"command": sys.executable, "args": [str(ASKING_AGENT), *args], "pass_env": [MARK]}


async def test_a_request_and_an_answer_that_are_too_large_hold_nothing_up(
    start_server: StartServer, workspace: Path
) -> None:
    """F13: the agent gets an error, and the turn ends with one; both are reported."""
    server = await start_server(agents={"large": asking("session/prompt", "too-large")})
    async with talking(server, workspace, "large") as talk:
        ended = await talk.run("one")
        assert ended["stop_reason"] == "error"
        assert "too large" in ended["error"]["message"]
        assert len(talk.notices("line-too-long")) == 2
        assert (await talk.run("two"))["stop_reason"] == "end_turn"
        await talk.judge(text="-32600nothing")
