"""A backup is made while agents work, and restoring it loses nothing that it contains."""

from __future__ import annotations

import os
import re
import sqlite3
import tarfile
from contextlib import AsyncExitStack, closing
from pathlib import Path

import anyio.to_thread

from tests.conftest import StartServer
from tests.fakes.script import chunks, say, script, wait_file
from tests.kit.clients.client import Api
from tests.kit.clients.driver import NIGHTLY, ask, talking
from tests.kit.clients.sse import connect
from tests.kit.oracles.oracle import check_log, spoken, stored
from tests.kit.servers.command_line import command
from tests.kit.servers.config import scripted_agents, write_config
from tests.kit.servers.server import ServerProcess
from tests.kit.waiting import until
from voxpilot.storage.database.migrate import steps
from voxpilot.storage.directory import backup


async def test_a_backup_of_a_running_server_restores_what_was_said_until_then(
    start_server: StartServer, workspace: Path, place: Path
) -> None:
    server = await start_server()
    file = place / "saved.tar"
    async with talking(server, workspace) as talk:
        await talk.run(script(say("first ")))
        turn = await talk.send(script(say("second "), wait_file(workspace / "go"), say("third ")))
        await talk.says("second ")
        made = command(server, "backup", str(file))
        assert made.returncode == 0, made.stderr
        assert file.stat().st_mode & 0o777 == 0o600
        with tarfile.open(file) as archive:
            names = archive.getnames()
        assert {"manifest.json", "voxpilot.db", "config.toml"} <= set(names)
        assert [name for name in names if "/journal." in name]
        assert "exists" in command(server, "backup", str(file)).stderr, "no backup is overwritten"
        (workspace / "go").touch()
        await talk.ended(turn)
        last = talk.rows()[-1].seq
    refused = command(server, "restore", str(file))
    assert (refused.returncode, "already running" in refused.stderr) == (1, True), refused.stderr
    await server.interrupt()
    done = command(server, "restore", str(file))
    assert done.returncode == 0, done.stderr
    assert not list(server.data_dir.glob(".new-*"))
    [aside] = (server.data_dir / "set-aside").iterdir()
    assert {path.stat().st_mode & 0o777 for path in (aside, aside.parent)} == {0o700}
    assert spoken(stored(aside / "voxpilot.db", talk.id)) == "first second third "
    await server.start()
    async with Api(server.url, server.token) as api:
        await until(lambda: _rests(api, talk.id), 20, "the restored turn did not end")
        assert spoken(stored(server.database, talk.id)) == "first second "
    await start_over(server, talk.id, last)


async def start_over(server: ServerProcess, chat: str, last: int) -> None:
    """B8: a reader with an id from the future, or from another history, used to get nothing after `ready`."""
    path = f"/api/chats/{chat}/stream"
    async with connect(server.url, path, server.token, after=last + 100) as stream:
        events = await stream.read_until("ready", within=10)
        assert [event.kind for event in events] == ["snapshot", "ready"]
        seq, history = events[0].seq, events[1].data["history"]
    async with connect(server.url, path, server.token, last_event_id=str(last + 100)) as stream:
        assert (await stream.read_until("ready", within=10))[0].kind == "snapshot"
    for asked, kinds in ((history, ["ready"]), ("0123456789abcdef", ["snapshot", "ready"])):
        async with connect(server.url, f"{path}?history={asked}&after={seq}", server.token) as stream:
            assert [event.kind for event in await stream.read_until("ready", within=10)] == kinds
    places = f"/api/stream?chats={chat}:{last + 100}&tail=5"
    async with connect(server.url, places, server.token) as stream:
        events = await stream.read_until("ready", within=10)
        assert [event.kind for event in events] == ["chats", "snapshot", "ready"]


async def _rests(api: Api, chat: str) -> bool:
    return (await api.chat(chat))["status"] not in ("working", "needs-you")


async def test_restore_refuses_what_is_not_a_backup_and_changes_nothing(
    start_server: StartServer, workspace: Path, place: Path
) -> None:
    server = await start_server()
    async with talking(server, workspace) as talk:
        await talk.run(script(say("hello")))
        await server.terminate()
        assert "still running" in command(server, "restore", str(server.database)).stderr
    await server.start()
    await server.interrupt()
    good, bad = place / "good.tar", place / "bad.tar"
    assert command(server, "backup", str(good)).returncode == 0
    data = bytearray(good.read_bytes())
    for name, harm in {
        "empty": b"",
        "words": b"hello" * 1000,
        "cut": bytes(data[: len(data) // 2]),
        "garbled": bytes(data[:20_000] + os.urandom(30_000) + data[50_000:]),
    }.items():
        bad.write_bytes(harm)
        before = sorted(os.listdir(server.data_dir))
        refused = command(server, "restore", str(bad))
        assert refused.returncode == 1, name
        assert "Traceback" not in refused.stderr, name
        assert sorted(os.listdir(server.data_dir)) == before, name
    with tarfile.open(bad, "w") as archive:
        archive.add(good, "../../escaped")
    assert "is not a VoxPilot backup" in command(server, "restore", str(bad)).stderr
    await server.start()
    assert spoken(stored(server.database, talk.id)) == "hello"


async def test_a_damaged_database_is_rescued_and_the_server_goes_on_with_it(
    start_server: StartServer, workspace: Path, place: Path
) -> None:
    """Damage to displayed data only: an agent that still runs is used again, and a notice marks the gap."""
    server = await start_server()
    async with talking(server, workspace) as talk:
        await talk.run(script(*[say(f"{number} " + "x" * 3000) for number in range(40)]))
        await server.terminate()
        await server.start()
        await talk.run(script(say("end")))
        await server.terminate()
        _damage_an_event(server.database)
        looked = command(server, "rescue", "--into", str(place / "new"))
        assert looked.returncode == 0, looked.stderr
        assert "missing" in looked.stdout
        applied = command(server, "rescue", "--apply", "--into", str(place / "newer"))
        assert applied.returncode == 0, applied.stderr
        await server.start()
        await talk.run(script(say("after")))
    rows = stored(server.database, talk.id)
    assert [row.seq for row in rows] == list(range(1, len(rows) + 1))
    assert spoken(rows).endswith("endafter")
    assert any(row.kind == "notice" and row.data["code"] == "rescued" for row in rows)
    assert "session-not-restored" not in {row.data.get("code") for row in rows if row.kind == "notice"}


def _damage_an_event(database: Path) -> None:
    """Overwrite a page that contains events; the same text may also be in unused pages."""
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    whole, stored_before = database.read_bytes(), _event_bytes(database)
    assert stored_before is not None
    for event in re.finditer(rb'\{"seq":\d+,"at":[^}]{0,200} x{100}', whole):
        at = event.end() // 4096 * 4096
        database.write_bytes(whole[:at] + os.urandom(4096) + whole[at + 4096 :])
        if _event_bytes(database) != stored_before:
            return
    raise AssertionError("no page holds an event")


def _event_bytes(database: Path) -> int | None:
    try:
        return int(ask(database, "SELECT sum(length(body)) FROM events")[0][0])
    except sqlite3.DatabaseError:
        return None


async def test_an_agents_last_words_come_back_when_its_state_is_lost(
    start_server: StartServer, workspace: Path
) -> None:
    server = await start_server()
    async with talking(server, workspace) as talk:
        await talk.send(script(say("stored "), wait_file(workspace / "go"), say("only in the journal")))
        await talk.says("stored ")
        await server.terminate()
        (workspace / "go").touch()
        journals = server.data_dir / "keepers"
        await until(
            lambda: any(b"only in the journal" in path.read_bytes() for path in journals.rglob("journal.*")),
            20,
        )
        with closing(sqlite3.connect(server.database)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        [(root,)] = ask(server.database, "SELECT rootpage FROM sqlite_schema WHERE name = 'idempotency_keys'")
        with server.database.open("r+b") as file:
            file.seek((root - 1) * 4096)
            file.write(bytes(4096))
        assert "still running" in command(server, "rescue", "--apply").stderr
        assert command(server, "stop").returncode == 0
        applied = command(server, "rescue", "--apply", "--into", str(server.data_dir) + "-again")
        assert applied.returncode == 0, applied.stderr
        await server.start()
        await talk.run(script(say(" and on")))
    rows = stored(server.database, talk.id)
    assert spoken(rows) == "stored only in the journal and on"
    assert [row.seq for row in rows] == list(range(1, len(rows) + 1))
    assert [row.data["stop_reason"] for row in rows if row.kind == "turn-ended"] == [
        "interrupted",
        "end_turn",
    ]


async def test_a_backup_among_many_writes_holds_every_event_that_was_committed_before_it(
    start_server: StartServer, workspace: Path, place: Path
) -> None:
    server = await start_server()
    count = 20 if NIGHTLY else 5
    async with AsyncExitStack() as talks:
        crowd = [await talks.enter_async_context(talking(server, workspace)) for _ in range(count)]
        turns = [await talk.send(script(chunks(3000 if NIGHTLY else 400, 2))) for talk in crowd]
        for talk in crowd:
            await talk.sees("text-delta")
        for number in range(10 if NIGHTLY else 2):
            committed = set(ask(server.database, "SELECT chat_id, seq, body FROM events"))
            file = place / f"saved{number}.tar"
            made = await anyio.to_thread.run_sync(command, server, "backup", str(file))
            assert made.returncode == 0, made.stderr
            with tarfile.open(file) as archive:
                archive.extract("voxpilot.db", place / "out", filter="data")
            copy = place / "out" / "voxpilot.db"
            assert ask(copy, "PRAGMA integrity_check") == [("ok",)]
            assert committed <= set(ask(copy, "SELECT chat_id, seq, body FROM events"))
            for talk in crowd:
                check_log(stored(copy, talk.id))
        for talk, turn in zip(crowd, turns, strict=True):
            await talk.ended(turn, within=120)


async def test_a_backup_of_an_older_version_is_upgraded(workspace: Path, place: Path) -> None:
    """As left by version 12 of the database, in a backup and as a plain file."""
    old = place / "old" / "voxpilot.db"
    old.parent.mkdir()
    with closing(sqlite3.connect(old)) as connection:
        connection.execute("PRAGMA synchronous = OFF")
        for _, sql in steps()[:12]:
            connection.executescript(sql)
        connection.execute("PRAGMA user_version = 12")
        values = ("c1", "Old", str(workspace), "agent", "scripted", "ask", 1.0, 1.0, 0, "[]")
        names = "id, title, workspace, mode, agent, policy, created_at, updated_at, last_seq, crashes"
        connection.execute(f"INSERT INTO chats ({names}) VALUES ({', '.join('?' * 10)})", values)
        connection.commit()
    server = ServerProcess(place / "data", write_config(place / "config.toml", scripted_agents(place)))
    saved = place / "old.tar"
    made = backup.write_backup(old.parent, None, saved)
    assert (made["database_version"], made["chats"]) == (12, 1)
    for file in (saved, old):
        done = command(server, "restore", str(file))
        assert done.returncode == 0, done.stderr
        assert "Restored 1 chat with" in done.stdout
        assert ask(server.database, "PRAGMA user_version") == [(steps()[-1][0],)]
    async with server, talking(server, workspace, chat="c1") as talk:
        await talk.run(script(say("hello")))
    assert ask(old, "PRAGMA user_version") == [(12,)]
