"""A journal that cannot be read: the chat says so, waits for the disk, and Stop works all the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fakes.script import say, script, wait_file
from tests.kit.clients.driver import Talk, talking
from tests.kit.servers.server import ServerProcess
from tests.kit.waiting import until


def spoil(server: ServerProcess) -> tuple[Path, Path]:
    """The journal can be opened but not read, as on a damaged disk; the keeper still writes it."""
    [journal] = server.data_dir.glob("keepers/*/journal.*")
    aside = journal.with_name("aside")
    journal.rename(aside)
    journal.symlink_to(journal.parent)  # a link can be replaced in one go
    return journal, aside


async def begin(talk: Talk, server: ServerProcess) -> tuple[str, Path, Path]:
    """A turn whose agent finishes while nobody can read its journal; the server must open it again."""
    turn = await talk.send(script(say("one "), wait_file("go"), say("two "), wait_file("end")))
    await talk.says("one ")
    await server.kill()
    journal, aside = spoil(server)
    await server.start()
    return turn, journal, aside


@pytest.mark.parametrize("is_over", [False, True])
async def test_output_of_an_agent_that_cannot_be_read_is_shown_when_it_can_be(
    server: ServerProcess, workspace: Path, is_over: bool
) -> None:
    """B6: nothing is lost, even if the agent and its keeper have ended meanwhile."""
    async with talking(server, workspace) as talk:
        turn, journal, aside = await begin(talk, server)
        before = aside.read_bytes().count(b"two ")  # the prompt contains it too
        (workspace / "go").touch()
        await until(lambda: aside.read_bytes().count(b"two ") > before, 30)
        if is_over:
            [agent] = server.running_agents()
            server.kill_keeper(agent)
        else:
            (workspace / "end").touch()
        await talk.notice("agent-unreachable")
        following = await talk.send(script(say("three ")))
        aside.replace(journal)
        await talk.notice("agent-reachable")
        ended = await talk.ended(turn)
        assert ended["stop_reason"] == ("interrupted" if is_over else "end_turn")
        await talk.ended(following)
        await until(lambda: talk.text() == "one two three ", 30)


async def test_stop_works_although_the_journal_cannot_be_read(server: ServerProcess, workspace: Path) -> None:
    """B6: the agent is killed, and the turn ends."""
    async with talking(server, workspace) as talk:
        turn, _, _ = await begin(talk, server)
        await talk.notice("agent-unreachable")
        await talk.cancel()
        assert (await talk.ended(turn, within=30))["stop_reason"] == "cancelled"
        await until(lambda: server.running_agents() == [], 30)
        following = await talk.send(script(say("next")))
        assert (await talk.ended(following))["stop_reason"] == "end_turn"
