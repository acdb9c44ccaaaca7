"""Temporary problems with the disk or the database: nothing is lost, nothing is paid for twice."""

from __future__ import annotations

import errno
import sqlite3
from contextlib import closing
from pathlib import Path

import anyio
import pytest

from tests.conftest import StartServer
from tests.fakes.llm.script import slow_text
from tests.fakes.script import ALLOW, say, script
from tests.fakes.script import ask as ask_first
from tests.kit.clients.assistant import assistant, call, chatting
from tests.kit.clients.client import Api, ApiError
from tests.kit.clients.driver import NIGHTLY, ask, talking
from tests.kit.machine.bad_disk import BadDisk, bad_disk, can_fail
from tests.kit.peers.llm import ScriptedLlm
from tests.kit.servers.server import ServerProcess
from tests.kit.waiting import until
from voxpilot.storage.database.sqlite import BUSY_SECONDS

pytestmark = pytest.mark.skipif(not can_fail(), reason="needs Linux and a C compiler")
ERRORS = [errno.ENOSPC, errno.EIO, errno.EROFS] if NIGHTLY else [errno.ENOSPC]


@pytest.fixture
def disk(tmp_path: Path) -> BadDisk:
    return bad_disk(tmp_path / "shim")


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: errno.errorcode[error])
async def test_a_models_answer_survives_a_disk_that_fails_for_a_moment(
    start_server: StartServer, workspace: Path, llm: ScriptedLlm, disk: BadDisk, error: int
) -> None:
    """B2: the model is asked once for each step, and each of its words is stored once."""
    server = await start_server(settings=assistant(llm), env=disk.env)
    prompt = "\n".join(["say first", call("list_directory", path="."), "slow 20 0.02"])
    async with chatting(server, workspace) as talk:
        turn = await talk.send(prompt)
        await talk.sees("tool-result")
        disk.fail(error)
        known = disk.failed
        await until(lambda: disk.failed > known + 1, 10, "nothing was written")
        disk.work()
        ended = await talk.ended(turn)
        assert ended["stop_reason"] == "end_turn", ended
        assert talk.text() == f"first{slow_text(20)}"
        assert len(llm.asked()) == 2, "a step was paid for twice"
        steps = ask(server.database, "SELECT attempts FROM model_steps")
        assert steps == [(1,), (1,)]
        await talk.judge()


@pytest.mark.skipif(not NIGHTLY, reason="takes long")
async def test_a_models_answer_survives_a_lock_of_another_program(
    start_server: StartServer, workspace: Path, llm: ScriptedLlm
) -> None:
    server = await start_server(settings=assistant(llm))
    async with chatting(server, workspace) as talk:
        turn = await talk.send("slow 30 0.02")
        await talk.sees("text-delta")
        with closing(sqlite3.connect(server.database, isolation_level=None)) as other:
            other.execute("BEGIN EXCLUSIVE")
            await anyio.sleep(BUSY_SECONDS + 2)
            other.execute("ROLLBACK")
        ended = await talk.ended(turn)
        assert ended["stop_reason"] == "end_turn", ended
        assert talk.text() == slow_text(30)
        assert len(llm.asked()) == 1


async def test_a_request_that_cannot_be_saved_says_why_and_works_later_under_its_key(
    start_server: StartServer, workspace: Path, disk: BadDisk
) -> None:
    server = await start_server(env=disk.env)
    async with talking(server, workspace) as talk:
        for error, status, code in (
            (errno.ENOSPC, 507, "storage-full"),
            (errno.EIO, 503, "disk-failed"),
            (errno.EROFS, 503, "storage-read-only"),
        ):
            disk.fail(error)
            message = {"text": script(say("hello ")), "key": code}
            reply = await talk.api.request("POST", f"/api/chats/{talk.id}/messages", json=message)
            assert (reply.status_code, reply.json()["error"]["code"]) == (status, code), reply.text
            assert int(reply.headers["retry-after"]) > 0
            disk.work()
            await talk.ended(await talk.send(script(say("hello ")), key=code))
        assert len(talk.states()) == 3
        await talk.judge("hello hello hello ")


async def test_a_lock_of_another_program_answers_busy(
    server: ServerProcess, api: Api, workspace: Path
) -> None:
    """It used to be 500; reads continue meanwhile, because they need no lock."""
    chat = (await api.create_chat(workspace))["id"]
    with closing(sqlite3.connect(server.database, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(ApiError) as refused:
            await api.prompt(chat, script(say("hello")), key="k")
        assert (refused.value.status, refused.value.code) == (503, "storage-busy")
        assert (await api.chat(chat))["status"] == "new"
        other.execute("ROLLBACK")
    await api.prompt(chat, script(say("hello")), key="k")


async def test_a_lock_of_another_program_leaves_nothing_half_done(
    server: ServerProcess, api: Api, workspace: Path
) -> None:
    """A new chat, an answer and a sign-in: each is refused with the reason, and works afterwards."""
    async with talking(server, workspace) as talk, Api(server.url, None) as browser:
        turn = await talk.send(script(ask_first("t1"), say("b")))
        path = f"/api/chats/{talk.id}/questions/{(await talk.question())['id']}"
        code = (await api.call("POST", "/api/links"))["code"]
        browser.http.headers["Origin"] = server.url
        requests = [
            (
                api,
                "/api/chats",
                {"workspace": str(workspace), "agent": "scripted", "mode": "agent", "key": "c"},
            ),
            (api, path, {"option_id": ALLOW, "key": "a"}),
            (browser, "/api/login", {"code": code, "device": "laptop"}),
        ]
        answers = dict[str, tuple[int, str]]()

        async def post(who: Api, path: str, body: dict[str, str]) -> None:
            reply = await who.request("POST", path, json=body, timeout=60)
            answers[path] = reply.status_code, reply.json().get("error", {}).get("code", "")

        for expected in ({(503, "storage-busy")}, {(200, ""), (201, "")}):
            with closing(sqlite3.connect(server.database, isolation_level=None)) as other:
                if (503, "storage-busy") in expected:
                    other.execute("BEGIN EXCLUSIVE")
                async with anyio.create_task_group() as tasks:
                    for request in requests:
                        tasks.start_soon(post, *request)
            assert set(answers.values()) == expected, answers
        await talk.ended(turn)
        assert len((await api.chats())["chats"]) == 2
        assert ask(server.database, "SELECT count(*) FROM devices") == [(1,)]


async def test_reads_that_fail_say_why(start_server: StartServer, workspace: Path, disk: BadDisk) -> None:
    server = await start_server(env=disk.env)
    async with talking(server, workspace) as talk:
        await talk.run(script(say("hello")))
        disk.fail(errno.EIO, reads_too=True)
        replies = [await talk.api.request("GET", f"/api/chats/{talk.id}/events/{seq}") for seq in (1, 2, 3)]
        disk.work()
        bad = [reply.json()["error"]["code"] for reply in replies if reply.status_code != 200]
        assert set(bad) <= {"disk-failed"}, "what is cached may be read"
        assert {reply.status_code for reply in replies} <= {200, 503}
        await talk.run(script(say("again")))
        await talk.judge("helloagain")
