"""A server that cannot open more files: it says so, loses nothing, and continues once it can."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from resource import RLIMIT_NOFILE, prlimit

from tests.fakes.script import say, script, wait_file
from tests.kit.clients.client import ApiError, new_key
from tests.kit.clients.driver import Talk, talking
from tests.kit.peers.agent_log import AgentLog
from tests.kit.servers.server import ServerProcess
from tests.kit.waiting import until


@contextmanager
def nothing_to_open(server: ServerProcess) -> Iterator[None]:
    """Within the block, the server can use its open files but open no others."""
    soft, hard = prlimit(server.pid, RLIMIT_NOFILE)
    prlimit(server.pid, RLIMIT_NOFILE, (0, hard))
    try:
        yield
    finally:
        prlimit(server.pid, RLIMIT_NOFILE, (soft, hard))


async def test_writes_that_need_one_more_file_are_refused_in_words_and_work_later(
    server: ServerProcess, workspace: Path, agent_log: AgentLog
) -> None:
    """K14, for descriptors: 503 with a hint; a refused request did nothing, and its key works later."""
    taken: list[str] = []
    errors: list[ApiError] = []
    refused: list[tuple[Talk, str, str]] = []
    async with talking(server, workspace) as busy, talking(server, workspace) as fresh:
        await busy.send(script(say("one"), wait_file("go"), say("two")))
        await busy.says("one")
        with nothing_to_open(server):
            (workspace / "go").touch()
            for talk in (fresh, busy) * 3:
                prompt, key = script(say(f"<{len(taken) + len(refused)}>")), new_key()
                try:
                    await talk.api.prompt(talk.id, prompt, key)
                    taken.append(prompt)
                except ApiError as error:
                    refused.append((talk, prompt, key))
                    errors.append(error)
            assert (await busy.api.chat(busy.id))["id"] == busy.id
        assert refused, "nothing had to be opened"
        assert {(error.status, error.code) for error in errors} == {(503, "out-of-files")}
        assert all("ulimit" in error.hint for error in errors)
        for talk, prompt, key in refused:
            for _ in range(2):
                await talk.api.prompt(talk.id, prompt, key)
            taken.append(prompt)
        await until(lambda: len(agent_log.prompts()) == 7, 30)
        await until(lambda: {*fresh.states(), *busy.states()} == {"done"}, 30)
        assert sorted(agent_log.prompts()[1:]) == sorted(taken)
        assert busy.text().startswith("onetwo")
        await busy.judge()
        await fresh.judge()
