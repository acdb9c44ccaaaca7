"""A conversation of many turns (200 in the nightly run) with large files and long answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import StartServer
from tests.fakes.script import say, script, text
from tests.kit.clients.assistant import assistant, call, chatting, delegate
from tests.kit.clients.driver import NIGHTLY
from tests.kit.machine.processes import rss_bytes
from tests.kit.peers.llm import scripted_llm

TURNS = 200 if NIGHTLY else 70
EARLY = 20
CONTEXT_TOKENS = 32_000
BYTES_A_TOKEN = 3.5
"""A cautious figure for such text; the real one is closer to four."""
WORKS_EVERY = 10
GROWTH = 50_000_000 if NIGHTLY else 25_000_000
"""How much larger the server may be at the end than it was after `EARLY` turns."""


@pytest.mark.timeout(600)
async def test_a_long_talk_with_large_outputs_stays_inside_the_models_context(
    start_server: StartServer, workspace: Path, place: Path
) -> None:
    """P3, R29: no request is too long, each turn is answered, and memory is bounded."""
    (workspace / "big.txt").write_text("".join(f"line {n} of a large file\n" for n in range(40_000)))
    assert (workspace / "big.txt").stat().st_size > 1_000_000
    with scripted_llm(place / "long.log") as llm:
        server = await start_server(settings=assistant(llm, context_tokens=CONTEXT_TOKENS))
        async with chatting(server, workspace) as talk:
            early = 0
            for number in range(1, TURNS + 1):
                look = call("read_file", path="big.txt", start_line=number * 10)
                if number % WORKS_EVERY == 0:
                    look = delegate(script(text(200, 5_000), say(f"\nwork {number}")), "long")
                ended = await talk.run(f"{look}\nsay Answer {number}", 60)
                assert ended["stop_reason"] == "end_turn", (number, ended)
                if number == EARLY:
                    early = rss_bytes(server.pid)
            assert rss_bytes(server.pid) - early < GROWTH
            answers = [event["content"] for event in talk.of_kind("text-delta")]
            assert "".join(answers) == "".join(f"Answer {number}" for number in range(1, TURNS + 1))
            asked = llm.asked()
            assert len(asked) == 2 * TURNS
            assert max(request["bytes"] for request in asked) < CONTEXT_TOKENS * BYTES_A_TOKEN
            assert max(request["bytes"] for request in asked) > CONTEXT_TOKENS  # otherwise nothing was tested
            for number, request in enumerate(asked):
                assert request["heard"][-1].endswith(f"say Answer {number // 2 + 1}")
            results = talk.of_kind("tool-result")
            assert len(results) == TURNS
            assert not any(result["is_error"] for result in results)
