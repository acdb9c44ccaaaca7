"""Commands run for agents: approved, shown as they run, exactly once, and none left behind."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.conftest import StartServer
from tests.fakes.script import leave, notify, raw, request, say, script, update, wait_file
from tests.kit.clients.driver import Talk, talking
from tests.kit.machine.processes import marked
from tests.kit.peers.agent_log import AgentLog
from tests.kit.servers.server import ServerProcess
from tests.kit.waiting import until
from voxpilot.runtime.callbacks.terminals import MOST_TERMINALS

TERMINAL = {"terminalId": "$terminalId"}
WAIT = request("terminal/wait_for_exit", TERMINAL)
OUTPUT = request("terminal/output", TERMINAL)
KILL = request("terminal/kill", TERMINAL)
RELEASE = request("terminal/release", TERMINAL)


def run(command: str, *args: str, **more: Any) -> str:
    return request("terminal/create", {"command": command, **({"args": list(args)} if args else {}), **more})


def answers(log: AgentLog) -> list[Any]:
    """The response to each of the agent's requests: a result, or the code of an error."""
    got = [frame for frame in log.received() if "method" not in frame]
    return [frame["error"]["code"] if "error" in frame else frame["result"] for frame in got]


def printed(talk: Talk) -> str:
    """The stored output of all commands."""
    return "".join(row.data["data"] for row in talk.rows() if row.kind == "terminal-output")


def exits(talk: Talk) -> list[dict[str, Any]]:
    """The stored ends of commands."""
    return [
        {name: row.data[name] for name in ("exit_code", "signal") if name in row.data}
        for row in talk.rows()
        if row.kind == "terminal-exit"
    ]


async def allow(talk: Talk, number: int = 1) -> dict[str, Any]:
    question = await talk.question(number)
    await talk.answer(question, "allow")
    return question


async def test_a_command_is_asked_about_run_shown_and_told(
    server: ServerProcess, workspace: Path, agent_log: AgentLog
) -> None:
    """R95, R97: create, wait, output, release; the raw command and its folder are in the question."""
    (workspace / "src").mkdir()
    env = [{"name": "GREETING", "value": "hello"}]
    line = 'echo "$GREETING"; pwd; echo oops >&2; exit 3'
    async with talking(server, workspace) as talk:
        turn = await talk.send(
            script(run(line, cwd=f"{workspace}/src", env=env), WAIT, OUTPUT, RELEASE, OUTPUT)
        )
        question = await allow(talk)
        given = {"command": line, "cwd": f"{workspace}/src", "env": {"GREETING": "hello"}}
        assert (question["type"], question["detail"]["input"]) == ("permission", given)
        assert question["detail"]["tool_kind"] == "execute"
        assert (await talk.ended(turn))["stop_reason"] == "end_turn"
        text = f"hello\n{workspace}/src\noops\n"
        created, waited, output, released, gone = answers(agent_log)
        assert waited == {"exitCode": 3, "signal": None}
        assert output == {"output": text, "truncated": False, "exitStatus": {"exitCode": 3, "signal": None}}
        assert (released, gone) == ({}, -32602)
        (opened,) = talk.of_kind("terminal")
        assert opened["terminal_id"] == created["terminalId"]
        assert (opened["command"], opened["cwd"], opened["turn"]) == (line, f"{workspace}/src", turn)
        assert printed(talk) == text
        assert exits(talk) == [{"exit_code": 3}]
        await talk.judge()


async def test_a_number_too_large_to_store_is_as_good_as_no_limit(
    server: ServerProcess, workspace: Path, agent_log: AgentLog
) -> None:
    """R95: and the server keeps writing, for this chat and all others."""
    async with talking(server, workspace) as talk, talking(server, workspace) as other:
        turn = await talk.send(script(run("echo hi", outputByteLimit=2**64 - 1), WAIT, OUTPUT))
        await allow(talk)
        await talk.ended(turn)
        assert answers(agent_log)[-1]["output"] == "hi\n"
        await other.run(script(say("still here")))


async def test_with_arguments_no_shell_is_in_between(
    server: ServerProcess, workspace: Path, agent_log: AgentLog
) -> None:
    """R95"""
    async with talking(server, workspace) as talk:
        turn = await talk.send(script(run("printf", "%s|", "$HOME", "a b", ";ls"), WAIT, OUTPUT))
        question = await allow(talk)
        assert question["detail"]["input"]["command"] == ["printf", "%s|", "$HOME", "a b", ";ls"]
        await talk.ended(turn)
        assert answers(agent_log)[-1]["output"] == "$HOME|a b|;ls|"


async def test_a_rejected_command_never_runs(
    server: ServerProcess, workspace: Path, agent_log: AgentLog
) -> None:
    """R88, R95"""
    async with talking(server, workspace) as talk:
        turn = await talk.send(script(run("touch ran"), say("on")))
        await talk.answer(await talk.question(), "reject")
        await talk.ended(turn)
        await talk.judge(text="<error:-32001>on")
        assert list(workspace.iterdir()) == []
        assert talk.of_kind("terminal") == []


async def test_output_comes_while_the_command_runs_and_stands_in_its_tool_call(
    server: ServerProcess, workspace: Path
) -> None:
    """R97: output is shown before the command ends; the call names the terminal."""
    call = {
        "sessionUpdate": "tool_call",
        "toolCallId": "run-1",
        "title": "Run",
        "kind": "execute",
        "status": "in_progress",
        "content": [{"type": "terminal", "terminalId": "$terminalId"}],
    }
    line = "echo one; while [ ! -e go ]; do sleep 0.01; done; echo two"
    async with talking(server, workspace) as talk:
        turn = await talk.send(script(run(line), update(call), WAIT))
        await allow(talk)
        await talk.sees(lambda e: e.kind == "terminal-output" and e.data["data"] == "one\n")
        assert exits(talk) == []
        (workspace / "go").touch()
        await talk.ended(turn)
        assert printed(talk) == "one\ntwo\n"
        snapshot = (await talk.api.blocks(talk.id))["blocks"]
        (terminal,) = [block for block in snapshot if block["kind"] == "terminal"]
        (tool,) = [block for block in snapshot if block["kind"] == "tool"]
        assert tool["content"] == [{"type": "terminal", "terminalId": terminal["terminal_id"]}]
        assert (terminal["text"], terminal["exit"]) == ("one\ntwo\n", {"exit_code": 0})
        await talk.judge()


async def test_a_killed_command_keeps_its_output_and_a_released_one_is_gone(
    server: ServerProcess, workspace: Path, agent_log: AgentLog
) -> None:
    """R95, R99: kill leaves the id valid; release of a running command ends it."""
    async with talking(server, workspace) as talk:
        forever = "echo up; touch {}; exec sleep 1000"
        steps = [run(forever.format("up1")), wait_file("up1"), KILL, WAIT, OUTPUT, RELEASE, KILL]
        turn = await talk.send(script(*steps, run(forever.format("up2")), wait_file("up2"), RELEASE, WAIT))
        await allow(talk)
        await allow(talk, 2)
        await talk.ended(turn)
        got = answers(agent_log)
        over = {"exitCode": None, "signal": "SIGKILL"}
        assert got[1:4] == [{}, over, {"output": "up\n", "truncated": False, "exitStatus": over}]
        assert (got[4], got[5]) == ({}, -32602)
        assert (got[7], got[8]) == ({}, -32602)
        await until(lambda: len(exits(talk)) == 2, 10)
        assert exits(talk) == [{"signal": "SIGKILL"}] * 2
        await until(lambda: not _commands(server), 10, "a command is still running")
        await until(lambda: not list((server.data_dir / "keepers").rglob("terminal.*")), 10, "output is left")


async def test_a_flood_is_cut_for_the_agent_and_for_people(
    server: ServerProcess, workspace: Path, agent_log: AgentLog
) -> None:
    """F88, R96: the agent gets the end it asked for; people the beginning, a note and the end."""
    code = "import sys; [sys.stdout.write('äöü%06d\\n' % i) for i in range(300000)]"
    size = 13 * 300_000
    async with talking(server, workspace) as talk:
        turn = await talk.send(
            script(run("python3", "-X", "utf8", "-c", code, outputByteLimit=1001), WAIT, OUTPUT)
        )
        await allow(talk)
        await talk.ended(turn, within=60)
        output = answers(agent_log)[-1]
        assert output["truncated"] is True
        assert 998 <= len(output["output"].encode()) <= 1001
        assert output["output"].endswith("äöü299999\n")
        shown = printed(talk)
        assert shown.startswith("äöü000000\näöü000001\n")
        assert shown.endswith("äöü299999\n")
        (note,) = [row.data for row in talk.rows() if row.kind == "terminal-output" and "skipped" in row.data]
        marker = f"[… {note['skipped']:,} bytes omitted …]"
        assert shown.count(marker) == 1
        assert len(shown.replace(f"\n{marker}\n", "").encode()) + note["skipped"] == size
        assert len(shown.encode()) < 300_000
        assert exits(talk) == [{"exit_code": 0}]
        assert len([row for row in talk.rows() if row.data.get("held")]) <= 1
        await talk.judge()


async def test_terminals_an_agent_never_releases_end_with_it(
    server: ServerProcess, workspace: Path, agent_log: AgentLog
) -> None:
    """F88, R99: the command continues after its turn; it ends with the agent, and its end is shown."""
    async with talking(server, workspace) as talk:
        await_up = wait_file("up")
        turn = await talk.send(script(run("echo up; touch up; exec sleep 1000"), await_up, say("left it")))
        await allow(talk)
        await talk.ended(turn)
        assert exits(talk) == []
        assert len(_commands(server)) == 1
        await talk.run(script(leave(0)))
        await until(lambda: len(exits(talk)) == 1, 10)
        await until(lambda: not _commands(server), 10, "a command is still running")
        assert printed(talk) == "up\n"
        await talk.judge(text=talk.text())


async def test_there_is_a_limit_to_how_many_are_open(server: ServerProcess, workspace: Path) -> None:
    """F88"""
    async with talking(server, workspace) as talk:
        turn = await talk.send(script(*[run("true")] * MOST_TERMINALS, run("true"), say("end")))
        for number in range(MOST_TERMINALS):
            await allow(talk, number + 1)
        await talk.ended(turn)
        assert talk.text().endswith("<error:-32602>end")
        assert len(talk.of_kind("question")) == MOST_TERMINALS


async def test_the_limit_holds_for_many_that_are_wanted_at_once(
    server: ServerProcess, workspace: Path, agent_log: AgentLog
) -> None:
    """F88: without questions, none of them exists yet when the others arrive."""
    async with talking(server, workspace) as talk:
        await talk.run(script(say("first.")))
        await talk.api.change_chat(talk.id, permissions="auto")
        params = {
            "sessionId": agent_log.received("session/prompt")[0]["params"]["sessionId"],
            "command": "true",
        }
        frame = {"jsonrpc": "2.0", "method": "terminal/create", "params": params}
        wanted = [raw(json.dumps({**frame, "id": f"many-{n}"})) for n in range(MOST_TERMINALS + 10)]
        turn = await talk.send(script(*wanted, wait_file("go"), say("end")))
        await until(lambda: len(answers(agent_log)) == len(wanted), 60)
        (workspace / "go").touch()
        await talk.ended(turn)
        assert answers(agent_log).count(-32602) == 10
        assert len(talk.of_kind("terminal")) == MOST_TERMINALS


async def test_stopping_the_turn_ends_its_commands(server: ServerProcess, workspace: Path) -> None:
    """R99: a person who stops a turn does not expect its commands to continue."""
    async with talking(server, workspace) as talk:
        turn = await talk.send(script(run("touch up; exec sleep 1000"), WAIT))
        await allow(talk)
        await until((workspace / "up").exists, 10)
        await talk.cancel()
        assert (await talk.ended(turn))["stop_reason"] == "cancelled"
        await until(lambda: exits(talk) == [{"signal": "SIGKILL"}], 10)
        await until(lambda: not _commands(server), 10, "a command is still running")


@pytest.mark.parametrize(
    "cwd", ["/", "{workspace}/..", "{workspace}/file", "{workspace}/out", "{workspace}/none", "src"]
)
async def test_a_folder_that_is_not_inside_is_refused(
    server: ServerProcess, workspace: Path, cwd: str
) -> None:
    """A21: only a person adds folders."""
    (workspace / "file").touch()
    (workspace / "out").symlink_to("..")
    async with talking(server, workspace) as talk:
        await talk.run(script(run("touch ran", cwd=cwd.format(workspace=workspace)), say("end")))
        await talk.judge(text="<error:-32602>end")
        assert talk.of_kind("question") == []


async def test_a_terminal_of_another_session_does_not_exist(
    server: ServerProcess, workspace: Path, agent_log: AgentLog
) -> None:
    """A45: not for another chat, whatever session it names, and not for another process."""
    async with talking(server, workspace) as one, talking(server, workspace) as two:
        turn = await one.send(script(run("touch up; exec sleep 1000"), wait_file("go"), KILL))
        await allow(one)
        await until((workspace / "up").exists, 10)
        terminal = one.of_kind("terminal") or [await one.sees("terminal")]
        name = terminal[0]["terminal_id"]
        session = agent_log.received("session/prompt")[0]["params"]["sessionId"]
        steps = []
        for method in ("output", "wait_for_exit", "kill", "release"):
            steps.append(request(f"terminal/{method}", {"terminalId": name}))
            stray = {"terminalId": name, "sessionId": session}
            frame = {"jsonrpc": "2.0", "id": method, "method": f"terminal/{method}", "params": stray}
            steps.append(raw(json.dumps(frame)))
        await two.run(script(*steps, say("end")))
        await two.judge(text="<error:-32602>" * 4 + "end")
        await until(lambda: sum("error" in frame for frame in agent_log.received()) == 8, 10)
        errors = [frame["error"]["code"] for frame in agent_log.received() if "error" in frame]
        assert errors == [-32602] * 8
        assert len(_commands(server)) == 1
        (workspace / "go").touch()
        await one.ended(turn)


async def test_nonsense_about_terminals_is_refused(server: ServerProcess, workspace: Path) -> None:
    wrong: list[tuple[str, dict[str, Any]]] = [
        ("create", {}),
        ("create", {"command": 1}),
        ("create", {"command": "x", "args": "y"}),
        ("create", {"command": "x", "args": [1]}),
        ("create", {"command": "x", "env": {"A": "b"}}),
        ("create", {"command": "x", "env": [{"name": "A=B", "value": ""}]}),
        ("create", {"command": "x", "outputByteLimit": -1}),
        ("create", {"command": "x", "cwd": 7}),
        ("output", {}),
        ("kill", {"terminalId": "../x"}),
        ("wait_for_exit", {"terminalId": None}),
    ]
    async with talking(server, workspace) as talk:
        await talk.run(script(*(request(f"terminal/{method}", params) for method, params in wrong)))
        await talk.judge(text="<error:-32602>" * len(wrong))


async def test_output_is_shown_once_though_the_server_is_killed_again_and_again(
    server: ServerProcess, workspace: Path, agent_log: AgentLog
) -> None:
    """R95, R97: the command continues, and every line is there once and in order."""
    line = "i=0; while [ ! -e enough ]; do echo line $i ä; i=$((i+1)); sleep 0.01; done"
    async with talking(server, workspace) as talk:
        turn = await talk.send(script(run(line), WAIT, OUTPUT))
        await allow(talk)
        for number in range(5):
            seen = len(printed(talk))
            await until(lambda seen=seen: len(printed(talk)) > seen, 20)  # type: ignore[misc]
            await (server.kill() if number % 2 else server.terminate())
            await server.start()
        (workspace / "enough").touch()
        await talk.ended(turn, within=60)
        text = printed(talk)
        assert text == "".join(f"line {i} ä\n" for i in range(text.count("\n")))
        assert exits(talk) == [{"exit_code": 0}]
        _, waited, output = answers(agent_log)
        assert waited == {"exitCode": 0, "signal": None}
        assert output["output"] == text
        assert len(talk.of_kind("terminal")) == 1
        await talk.judge()


@pytest.mark.parametrize("point", ["after-errand:1", "after-commit-before-run:1"])
async def test_a_command_runs_once_though_the_server_is_killed_around_its_start(
    start_server: StartServer, workspace: Path, agent_log: AgentLog, point: str
) -> None:
    """R95, F37: killed before anybody is asked, or after the approval but before the start."""
    server = await start_server(kill_point=point)
    async with talking(server, workspace) as talk:
        turn = await talk.send(script(run("echo ran >> ran; echo done"), WAIT))
        if point.startswith("after-commit"):
            with suppress(httpx2.HTTPError):
                await talk.answer(await talk.question(), "allow", key="the-answer")
        await server.wait_for_exit()
        await server.start()
        await talk.answer(await talk.question(), "allow", key="the-answer")
        assert (await talk.ended(turn))["stop_reason"] == "end_turn"
        assert (workspace / "ran").read_text() == "ran\n"
        assert printed(talk) == "done\n"
        assert exits(talk) == [{"exit_code": 0}]
        assert len(talk.of_kind("question")) == 1
        await talk.judge()


async def test_a_command_that_ended_while_no_server_was_there_is_told_afterwards(
    server: ServerProcess, workspace: Path, agent_log: AgentLog
) -> None:
    """R95, R97: the agent, which waited in its keeper, gets the status; people see how it ended."""
    async with talking(server, workspace) as talk:
        turn = await talk.send(
            script(run("while [ ! -e go ]; do sleep 0.01; done; echo x > done; exit 7"), WAIT)
        )
        await allow(talk)
        await talk.sees("terminal")
        await until(lambda: len(_commands(server)) == 1, 10)
        await server.kill()
        (workspace / "go").touch()
        await until((workspace / "done").exists, 10)
        await server.start()
        await talk.ended(turn)
        assert answers(agent_log)[-1] == {"exitCode": 7, "signal": None}
        assert exits(talk) == [{"exit_code": 7}]


async def test_a_wait_that_is_taken_back_is_answered(
    server: ServerProcess, workspace: Path, agent_log: AgentLog
) -> None:
    """R95: `$/cancel_request` on a long wait."""
    async with talking(server, workspace) as talk:
        turn = await talk.send(script(run("exec sleep 1000")))
        await allow(talk)
        await talk.ended(turn)
        session = agent_log.received("session/prompt")[0]["params"]["sessionId"]
        (opened,) = talk.of_kind("terminal")
        params = {"sessionId": session, "terminalId": opened["terminal_id"]}
        frame = {"jsonrpc": "2.0", "id": 77, "method": "terminal/wait_for_exit", "params": params}
        cancel = notify("$/cancel_request", {"requestId": 77})
        await talk.run(script(raw(json.dumps(frame)), cancel, say("end")))
        await until(lambda: answers(agent_log)[-1] == -32800, 10)


async def test_a_command_the_agent_runs_itself_is_shown_and_ends_with_its_turn(
    server: ServerProcess, workspace: Path
) -> None:
    """R97: output in an agent's metadata is shown like any other; open commands are closed."""
    call = {"sessionUpdate": "tool_call", "toolCallId": "c", "title": "make", "kind": "execute"}
    told = {"terminal_info": {"terminal_id": "c", "cwd": str(workspace)}}
    shown = [{"type": "terminal", "terminalId": "c"}]
    more = {"sessionUpdate": "tool_call_update", "toolCallId": "c"}
    output = {"terminal_output_delta": {"terminal_id": "c", "data": "x" * 20_000}}
    async with talking(server, workspace) as talk:
        steps = [update({**call, "content": shown, "_meta": told}), update({**more, "_meta": output})]
        await talk.run(script(*steps, say("end")))
        (opened,) = [row.data for row in talk.rows() if row.kind == "terminal"]
        assert (opened["command"], opened["cwd"]) == ("make", str(workspace))
        assert printed(talk) == "x" * 20_000
        assert exits(talk) == [{}]
        await talk.judge(text="end")


async def test_the_policy_that_approves_covers_commands_and_writes_but_not_control_files(
    server: ServerProcess, workspace: Path, agent_log: AgentLog
) -> None:
    """R87, A25, A54: each approval is a visible line; control files are asked about."""
    (workspace / ".git" / "hooks").mkdir(parents=True)
    write = {"path": str(workspace / "a.txt"), "content": "a"}
    hook = {"path": str(workspace / ".git" / "hooks" / "pre-commit"), "content": "evil"}
    async with talking(server, workspace) as talk:
        await talk.api.change_chat(talk.id, permissions="auto")
        steps = [
            request("fs/write_text_file", write),
            run("echo hello"),
            WAIT,
            request("fs/write_text_file", hook),
        ]
        turn = await talk.send(script(*steps))
        question = await talk.question(3)
        assert [answer["by"] for answer in talk.of_kind("answer")] == ["auto", "auto"]
        assert (workspace / "a.txt").read_text() == "a"
        assert "pre-commit" in question["detail"]["caution"]
        await talk.answer(question, "reject")
        await talk.ended(turn)
        assert list((workspace / ".git" / "hooks").iterdir()) == []
        assert printed(talk) == "hello\n"


def _commands(server: ServerProcess) -> list[int]:
    """Running processes that are commands of terminals."""
    return [
        process.pid
        for process in marked(next(iter(server.env.values())))
        if b"VOXPILOT_TERMINAL=" in _environment(process.pid)
    ]


def _environment(pid: int) -> bytes:
    with suppress(OSError):
        return Path(f"/proc/{pid}/environ").read_bytes()
    return b""


async def test_an_agent_adds_nothing_to_what_our_commands_printed(
    server: ServerProcess, workspace: Path
) -> None:
    """R97: not even after it has released the command, through reports about its own commands."""
    meta = {"terminal_output": {"terminal_id": "$terminalId", "data": "forged"}}
    told = {"sessionUpdate": "tool_call", "toolCallId": "a", "title": "A call", "_meta": meta}
    async with talking(server, workspace) as talk:
        turn = await talk.send(script(run("echo real"), WAIT, RELEASE, say("released"), update(told)))
        await allow(talk)
        await talk.ended(turn)
        await talk.run(script(say("again")))
        assert printed(talk) == "real\n"


async def test_output_that_cannot_be_read_is_reported_and_affects_nothing_else(
    server: ServerProcess, workspace: Path
) -> None:
    """B6: the chat continues, the next message is accepted, and Stop works."""
    line = "echo one; while [ ! -e go ]; do sleep 0.01; done; echo two; sleep 300"
    async with talking(server, workspace) as talk:
        turn = await talk.send(script(run(line), WAIT))
        await allow(talk)
        await talk.sees(lambda e: e.kind == "terminal-output" and e.data["data"] == "one\n")
        [file] = server.data_dir.glob("keepers/*/terminal.*")
        file.rename(file.with_name("aside"))
        file.mkdir()  # as on a damaged disk, opening it works and reading it does not
        (workspace / "go").touch()
        told = await talk.sees(lambda e: e.kind == "terminal-output" and "cannot be read" in e.data["data"])
        assert told["held"]
        following = await talk.send(script(say("next")))
        await talk.cancel()
        assert (await talk.ended(turn))["stop_reason"] == "cancelled"
        assert (await talk.ended(following))["stop_reason"] == "end_turn"
        assert len(exits(talk)) == 1
