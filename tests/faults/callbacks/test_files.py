"""Files read and written for agents: shown, agreed to, done once, and only inside the chat's folder.

What needs no processes: tests/runtime/callbacks/test_files.py.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.conftest import StartServer
from tests.fakes.script import request, say, script
from tests.kit.clients.driver import Talk, talking
from tests.kit.peers.agent_log import AgentLog
from tests.kit.servers.server import ServerProcess

READ, WRITE = "fs/read_text_file", "fs/write_text_file"


def read(path: Path | str, **more: Any) -> str:
    return request(READ, {"path": str(path), **more})


def write(path: Path | str, content: str) -> str:
    return request(WRITE, {"path": str(path), "content": content})


def calls(talk: Talk) -> list[dict[str, Any]]:
    """Every stored tool call, folded."""
    found: dict[str, dict[str, Any]] = {}
    for row in talk.rows():
        if row.kind in ("tool-call", "tool-update"):
            found.setdefault(row.data["id"], {}).update(row.data)
    return list(found.values())


async def test_a_file_is_written_after_a_person_agreed_and_the_agent_goes_on(
    server: ServerProcess, workspace: Path, agent_log: AgentLog
) -> None:
    """R87, R89, R91, R94, V23, V26: read, diff, question, approval, file on disk, the agent continues."""
    path = workspace / "app.py"
    path.write_text("x = 1\n")
    path.chmod(0o640)
    async with talking(server, workspace) as talk:
        turn = await talk.send(script(read(path), write(path, "x = 2\n"), read(path), say("done")))
        question = await talk.question()
        assert path.read_text() == "x = 1\n"
        assert (question["type"], question["title"]) == ("permission", "Write app.py")
        (change,) = question["detail"]["content"]
        assert change == {"type": "diff", "path": str(path), "oldText": "x = 1\n", "newText": "x = 2\n"}
        (call,) = [call for call in calls(talk) if call["tool_kind"] == "edit"]
        assert (call["id"], call["status"]) == (question["detail"]["tool"], "pending")
        assert call["content"] == [change]
        await talk.answer(question, "allow")
        assert (await talk.ended(turn))["stop_reason"] == "end_turn"
        assert path.read_text() == "x = 2\n"
        assert path.stat().st_mode & 0o777 == 0o640
        assert [call["status"] for call in calls(talk)] == ["completed"] * 3
        assert os.listdir(workspace) == ["app.py"]
        await talk.judge(text='<result:{"content":"x = 1\\n"}><result:{}><result:{"content":"x = 2\\n"}>done')


async def test_paths_that_lead_out_are_refused_and_the_attempt_is_shown(
    server: ServerProcess, workspace: Path, place: Path
) -> None:
    """A17, A18, A22: an error for the agent, a failed call in the chat, nothing touched, nobody asked."""
    secret = place / "secret.txt"
    secret.write_text("secret")
    (workspace / "link").symlink_to("..")
    os.mkfifo(workspace / "pipe")
    paths = [
        str(secret),
        f"{workspace}/../secret.txt",
        f"{workspace}/link/secret.txt",
        f"{workspace}-evil/x",
        f"{workspace}/pipe",
        f"{workspace}",
        "~/x",
        f"file://{workspace}/x",
        f"{workspace}/{'n' * 5000}",
        "relative.txt",
    ]
    steps = [step for path in paths for step in (read(path), write(path, "evil"))]
    async with talking(server, workspace) as talk:
        await talk.run(script(*steps, read(workspace / "none"), say("end")))
        await talk.judge(text="<error:-32602>" * len(steps) + "<error:-32002>end")
        assert talk.of_kind("question") == []
        assert [call["status"] for call in calls(talk)] == ["failed"] * (len(steps) + 1)
        assert secret.read_text() == "secret"
        assert sorted(os.listdir(workspace)) == ["link", "pipe"]


async def test_a_write_is_done_once_though_the_server_is_killed_around_it(
    server: ServerProcess, workspace: Path, agent_log: AgentLog
) -> None:
    """R91, F37: killed while the question is open, and when the file is written but nobody knows yet."""
    path = workspace / "file.txt"
    path.write_text("old")
    async with talking(server, workspace) as talk:
        turn = await talk.send(script(read(path), write(path, "new"), say("end")))
        question = await talk.question()
        await server.kill()
        await server.start(kill_point="after-errand:1")
        inode = path.stat().st_ino
        with suppress(httpx2.HTTPError):
            await talk.answer(question, "allow")
        await server.wait_for_exit()
        assert path.read_text() == "new"
        written = path.stat()
        assert written.st_ino != inode
        await server.start()
        assert (await talk.ended(turn))["stop_reason"] == "end_turn"
        assert (path.stat().st_ino, path.stat().st_mtime_ns) == (written.st_ino, written.st_mtime_ns)
        results = [
            frame for frame in agent_log.received() if "method" not in frame and frame.get("result") == {}
        ]
        assert len(results) == 1
        assert len(talk.of_kind("question")) == 1
        assert os.listdir(workspace) == ["file.txt"]
        await talk.judge(text='<result:{"content":"old"}><result:{}>end')


@pytest.mark.parametrize("point", ["after-errand:1", "before-commit:9"])
async def test_a_read_is_answered_once_though_the_server_is_killed_before_it_answers(
    start_server: StartServer, workspace: Path, agent_log: AgentLog, point: str
) -> None:
    """R90: the open request is simply repeated."""
    (workspace / "x").write_text("text")
    server = await start_server()
    async with talking(server, workspace) as talk:
        await server.restart(kill_point=point)  # a first start itself commits more than once
        turn = await talk.send(script(*[read(workspace / "x")] * 3, say("end")))
        await server.wait_for_exit()
        await server.start()
        await talk.ended(turn)
        await talk.judge(text='<result:{"content":"text"}>' * 3 + "end")
        assert len(calls(talk)) == 3
