"""What the server keeps is for its owner alone (L9), and a spoilt token lets nobody in."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import StartServer
from tests.fakes.script import request, say, script, touch
from tests.faults.driver import talking
from tests.kit.client import Api
from tests.kit.server import ServerProcess
from tests.kit.sse import Viewer
from tests.web.bare import Header, exchange
from voxpilot.web.access import owner_token


@pytest.mark.parametrize("umask", [0o000, 0o077, 0o777])
async def test_everything_is_private_whatever_the_umask(
    start_server: StartServer, workspace: Path, umask: int
) -> None:
    before = os.umask(umask)
    try:
        server = await start_server(data_dir=workspace.parent / "new" / "data")
    finally:
        os.umask(before)
    async with Api(server.url, server.token) as api:
        chat = (await api.create_chat(workspace))["id"]
        async with Viewer(server.url, server.token, chat) as viewer:
            await api.prompt(chat, script(say("hello")))
            await viewer.read_turns()
        modes = modes_under(server.data_dir)
    assert {"token", "voxpilot.db", "server.lock"} <= {path.name for path in modes}
    assert stat.S_IMODE(server.data_dir.stat().st_mode) == 0o700
    open_to_others = {str(path): oct(mode) for path, mode in modes.items() if mode & 0o077}
    assert open_to_others == {}
    assert stat.S_IMODE((server.data_dir / "token").stat().st_mode) == 0o600


async def test_what_is_made_for_a_person_has_the_modes_they_are_used_to(
    start_server: StartServer, workspace: Path
) -> None:
    """By an agent itself, by a command that we run for it, and by us, with the folder it is in."""
    before = os.umask(0o027)
    try:
        server = await start_server()
    finally:
        os.umask(before)
    new = workspace / "new"
    by_agent, by_command, by_us = workspace / "agent.txt", workspace / "command.txt", new / "file.txt"
    write = request("fs/write_text_file", {"path": str(by_us), "content": "ours"})
    run = request("terminal/create", {"command": "touch", "args": [str(by_command)]})
    wait = request("terminal/wait_for_exit", {"terminalId": "$terminalId"})
    async with talking(server, workspace) as talk:
        turn = await talk.send(script(touch(by_agent), write, run, wait))
        for number in (1, 2):
            await talk.answer(await talk.question(number), "allow")
        assert (await talk.ended(turn))["stop_reason"] == "end_turn"
    made = {path: oct(stat.S_IMODE(path.stat().st_mode)) for path in (by_agent, by_command, by_us, new)}
    assert made == {by_agent: "0o640", by_command: "0o640", by_us: "0o640", new: "0o750"}


async def test_a_directory_and_a_token_that_were_open_are_closed(start_server: StartServer) -> None:
    server = await start_server()
    await server.interrupt()
    server.data_dir.chmod(0o755)
    (server.data_dir / "token").chmod(0o644)
    token = server.token
    await server.start()
    assert server.token == token
    assert stat.S_IMODE(server.data_dir.stat().st_mode) == 0o700
    assert stat.S_IMODE((server.data_dir / "token").stat().st_mode) == 0o600


async def test_an_empty_token_file_does_not_let_an_empty_token_in(start_server: StartServer) -> None:
    server = await start_server()
    await server.interrupt()
    (server.data_dir / "token").write_bytes(b"\n")
    await server.start()
    for token in (b"", b" "):
        assert await status_with(server, token) == 401
    assert await status_with(server, server.token.encode()) == 200


@pytest.mark.parametrize(
    "content", [b"", b"\n", b"x", b"\xff" * 60], ids=["empty", "blank", "short", "bytes"]
)
def test_what_is_no_token_is_replaced_by_one(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "token").write_bytes(content)
    made = owner_token(tmp_path)
    assert len(made) * 6 >= 256
    assert owner_token(tmp_path) == made
    assert stat.S_IMODE((tmp_path / "token").stat().st_mode) == 0o600


def test_a_token_is_made_once_by_however_many_ask(tmp_path: Path) -> None:
    code = "import sys; from pathlib import Path; from voxpilot.web.access import owner_token; "
    command = [sys.executable, "-c", code + "print(owner_token(Path(sys.argv[1])))", str(tmp_path)]
    askers = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    tokens = {asker.communicate()[0].strip() for asker in askers}
    assert tokens == {owner_token(tmp_path)}
    assert [path.name for path in tmp_path.iterdir()] == ["token"]


def modes_under(folder: Path) -> dict[Path, int]:
    found = {}
    for path in [folder, *folder.rglob("*")]:
        try:
            found[path] = stat.S_IMODE(path.lstat().st_mode)
        except FileNotFoundError:
            continue
    return found


async def status_with(server: ServerProcess, token: bytes) -> int:
    headers: list[Header] = [("Host", f"127.0.0.1:{server.port}"), ("Authorization", b"Bearer " + token)]
    return (await exchange(server.port, "GET", "/api/me", headers)).status
