"""What a chat that approves by itself does with hostile and everyday calls, through the real server.

What needs processes: tests/stories/consent/test_unasked.py.
"""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest

from tests.fakes.script import ALLOW, ALWAYS, REJECT, raw, say, script, update, wait_file
from tests.kit.clients.driver import Talk, talking
from tests.kit.oracles.unasked import HARMLESS, HOSTILE, Call, in_folder, prepare, run
from tests.kit.peers.agent_log import AgentLog
from tests.kit.servers.running import Server, StartServer
from tests.kit.waiting import until

pytestmark = pytest.mark.in_memory

OPTIONS = [
    {"optionId": ALWAYS, "name": "Always", "kind": "allow_always"},
    {"optionId": ALLOW, "name": "Allow", "kind": "allow_once"},
    {"optionId": REJECT, "name": "Reject", "kind": "reject_once"},
]


def wish(number: int | str, call: Call, session: str) -> str:
    params = {"sessionId": session, "toolCall": {"toolCallId": f"c{number}", **call}, "options": OPTIONS}
    frame = {"jsonrpc": "2.0", "id": f"w{number}", "method": "session/request_permission", "params": params}
    return raw(json.dumps(frame))


async def session_of(talk: Talk, agent_log: AgentLog) -> str:
    await talk.api.change_chat(talk.id, permissions="auto")
    await talk.run(script(say("x")))
    return str(agent_log.received("session/prompt")[-1]["params"]["sessionId"])


def approved(talk: Talk) -> list[str]:
    """The questions that were approved without a person."""
    return [a["question_id"] for a in talk.of_kind("answer") if a["by"] == "auto"]


async def test_nothing_hostile_is_approved_unasked_and_everyday_work_is(
    server: Server, workspace: Path, place: Path, agent_log: AgentLog
) -> None:
    """A3: hundreds of calls in one chat that auto-approves; each hostile one waits for a person."""
    outside = place / "elsewhere"
    outside.mkdir()
    prepare(workspace, outside)
    async with talking(server, workspace) as talk:
        session = await session_of(talk, agent_log)
        hostile = [wish(n, in_folder(call, workspace), session) for n, call in enumerate(HOSTILE)]
        turn = await talk.send(script(*hostile, wait_file("never")))
        await talk.question(len(hostile))
        by_id = {q["id"]: q for q in talk.of_kind("question")}
        assert [by_id[id]["detail"] for id in approved(talk)] == []
        assert (await talk.api.chat(talk.id))["needs_you"] == len(hostile)
        said = [q["detail"].get("caution") or q["detail"].get("unclear") for q in by_id.values()]
        assert all(said)  # the card says why
        await talk.cancel()
        await talk.ended(turn)
        assert agent_log.decisions().count(ALLOW) == 0
        harmless = [wish(f"h{n}", in_folder(call, workspace), session) for n, call in enumerate(HARMLESS)]
        turn = await talk.send(script(*harmless, wait_file("go")))
        await until(lambda: agent_log.decisions().count(ALLOW) == len(harmless), 30)
        (workspace / "go").touch()
        await talk.ended(turn)
        assert len(approved(talk)) == len(harmless)


async def test_a_turn_makes_only_so_many_changes_before_a_person_looks(
    start_server: StartServer, workspace: Path, agent_log: AgentLog
) -> None:
    """A3: also across a restart; an approval allows the same number again, and reads are not counted."""
    server = await start_server(settings={"auto_writes_per_turn": 3})
    async with talking(server, workspace) as talk:
        session = await session_of(talk, agent_log)
        edit = {"kind": "edit", "title": "Edit", "rawInput": {"path": "a.py", "content": "x"}}
        read = {"kind": "read", "title": "Read", "rawInput": {"path": "a.py"}}
        two = [wish(n, edit, session) for n in range(2)]
        rest = [wish("r", read, session), *(wish(n, edit, session) for n in range(2, 5))]
        turn = await talk.send(
            script(*two, wait_file("go"), *rest, wait_file("on"), wish(9, edit, session), wait_file("end"))
        )
        await until(lambda: agent_log.decisions() == [ALLOW] * 2, 10)
        await server.restart(signal.SIGKILL)
        (workspace / "go").touch()
        await until(lambda: len(talk.of_kind("question")) == 6, 20)
        await until(lambda: len(approved(talk)) == 4, 10)  # three edits and the read
        questions = talk.of_kind("question")
        await talk.answer(questions[4], ALLOW)
        await talk.answer(questions[5], REJECT)
        (workspace / "on").touch()
        await until(lambda: len(approved(talk)) == 5, 20)
        (workspace / "end").touch()
        await talk.ended(turn)


async def test_where_an_agents_shell_was_left_is_remembered(
    server: Server, workspace: Path, place: Path, agent_log: AgentLog
) -> None:
    """A3: some agents keep one shell, so a harmless name may be in another folder than it seems."""
    outside = place / "elsewhere"
    outside.mkdir()
    prepare(workspace, outside)
    async with talking(server, workspace) as talk:
        session = await session_of(talk, agent_log)

        async def asks(wanted: str | Call) -> bool:
            seen = len(talk.of_kind("question"))
            call = run(wanted, title=wanted) if isinstance(wanted, str) else wanted
            before = len(approved(talk))
            turn = await talk.send(script(wish(f"s{seen}", call, session), wait_file(f"go{seen}")))
            question = await talk.question(seen + 1)
            was_asked = question["detail"].get("caution") or question["detail"].get("unclear")
            if was_asked:
                await talk.answer(question, ALLOW)
            else:
                await until(lambda: len(approved(talk)) == before + 1, 10)
            (workspace / f"go{seen}").touch()
            await talk.ended(turn)
            return bool(was_asked)

        assert not await asks("cat b.txt")
        assert not await asks("cd sub")
        assert await asks("cat out/secret")
        assert not await asks("cat x.txt")
        assert await asks("cd /tmp && ls")  # and the person allows it
        assert await asks("rm -rf build")
        assert await asks("npm test")
        assert not await asks(f"cd {workspace} && npm test")
        assert not await asks("rm -rf build")
        assert not await asks("mkdir -p p/q && cd p/q")
        assert not await asks("cat x.txt")
        assert await asks("cat ../../outside/secret")  # the next shell may start at the top
        paths = {"source": f"{workspace}/p/q", "destination": f"{workspace}/z"}
        assert not await asks({"kind": "move", "title": "Move", "rawInput": paths})
        assert await asks("cat x.txt")  # the shell has moved with its folder
        assert not await asks(f"cd {workspace} && cat b.txt")


async def test_a_call_that_becomes_another_is_asked_about_again(
    server: Server, workspace: Path, agent_log: AgentLog
) -> None:
    """A3: the request differs from the announced call, or the call changes after it was approved."""
    async with talking(server, workspace) as talk:
        session = await session_of(talk, agent_log)
        told = {"sessionUpdate": "tool_call", "toolCallId": "c1", "title": "ls", "kind": "execute",
                "status": "pending", "rawInput": {"command": "ls"}}  # fmt: skip
        other = {"kind": "execute", "title": "ls", "rawInput": {"command": "cat a.py"}}
        turn = await talk.send(script(update(told), wish(1, other, session), wait_file("go")))
        question = await talk.question(1)
        assert "differently" in question["detail"]["caution"]
        await talk.answer(question, REJECT)
        (workspace / "go").touch()
        await talk.ended(turn)
        same = {"kind": "execute", "title": "ls", "rawInput": {"command": "ls"}}
        changed = {"sessionUpdate": "tool_call_update", "toolCallId": "c2", "status": "completed",
                   "rawInput": {"command": "rm -rf src"}}  # fmt: skip
        turn = await talk.send(
            script(
                wish(2, same, session),
                wait_file("on"),
                update(changed),
                wish(2, other, session),
                wait_file("end"),
            )
        )
        await until(lambda: len(approved(talk)) == 1, 10)
        (workspace / "on").touch()
        question = await talk.question(3)
        assert "differently" in question["detail"]["caution"]
        rows = [row.data for row in talk.rows() if row.kind == "tool-update" and row.data["id"] == "c2"]
        assert any(row.get("unasked") for row in rows)
        await talk.answer(question, REJECT)
        (workspace / "end").touch()
        await talk.ended(turn)
