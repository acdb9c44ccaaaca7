"""The server's data is readable only by its owner (L9), and a damaged token lets nobody in."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import StartServer
from tests.fakes.script import request, say, script, touch
from tests.kit.clients.bare import Header, exchange
from tests.kit.clients.client import Api
from tests.kit.clients.driver import talking
from tests.kit.clients.sse import Viewer
from tests.kit.servers.server import ServerProcess
from voxpilot.storage.directory import data_dir
from voxpilot.web.door.access import owner_token


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
    """By an agent itself, by a command that we run for it, and by us, including its folder."""
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


def widen(folder: Path) -> None:
    for path in [folder, *folder.rglob("*")]:
        if not path.is_symlink():
            path.chmod(path.stat().st_mode | 0o055)


async def test_files_from_before_are_closed_and_a_token_that_others_could_read_is_replaced(
    start_server: StartServer, workspace: Path, tmp_path: Path
) -> None:
    server = await start_server()
    async with talking(server, workspace) as talk:
        await talk.run(script(say("hello")))
    await server.interrupt()
    outside = tmp_path / "outside"
    outside.write_text("not ours to change")
    outside.chmod(0o644)
    (server.data_dir / "backups").mkdir(exist_ok=True)
    (server.data_dir / "backups" / "old.db").write_text("old")
    (server.data_dir / "backups" / "elsewhere").symlink_to(outside)
    widen(server.data_dir)
    token = server.token
    await server.start()
    wide = {path: mode for path, mode in modes_under(server.data_dir).items() if mode & 0o077}
    assert [path for path in wide if not path.is_symlink()] == []
    assert stat.S_IMODE(outside.stat().st_mode) == 0o644
    assert server.token != token
    assert await status_with(server, token.encode()) == 401
    assert await status_with(server, server.token.encode()) == 200
    await server.prints("token", "readable by other users")


@pytest.mark.parametrize("name", [".", "voxpilot.db", "token", "keepers", "server.lock"])
@pytest.mark.parametrize("how", ["owner", "link"])
def test_what_belongs_to_somebody_else_or_is_a_link_is_refused(tmp_path: Path, name: str, how: str) -> None:
    home = tmp_path / "data"
    data_dir.prepare(home)
    for file in ("voxpilot.db", "token", "server.lock"):
        (home / file).touch()
    (home / "keepers").mkdir()
    place = home / name
    if how == "owner":
        if os.getuid() != 0:
            pytest.skip("only root can give a file away")
        os.chown(place, 12345, -1)
    else:
        moved = tmp_path / "moved"
        place.resolve().rename(moved)
        (home if name == "." else place).symlink_to(moved)
    with pytest.raises(data_dir.BadDataDir) as refused:
        data_dir.prepare(home)
    assert ("belongs to" if how == "owner" else "is a symbolic link") in refused.value.message
    assert refused.value.hint


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
    code = "import sys; from pathlib import Path; from voxpilot.web.door.access import owner_token; "
    command = [sys.executable, "-c", code + "print(owner_token(Path(sys.argv[1])))", str(tmp_path)]
    askers = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    tokens = {asker.communicate()[0].strip() for asker in askers}
    assert tokens == {owner_token(tmp_path)}
    assert {path.name for path in tmp_path.iterdir()} == {"token", "token.lock"}


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
