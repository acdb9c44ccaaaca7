"""A1, A2: opening a hostile folder runs nothing in it and shows nothing from outside it."""

from __future__ import annotations

import asyncio
import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.attacks.folders.hostile_folders import SECRET, Case, cases, make_template
from tests.conftest import StartServer
from tests.kit.clients.assistant import assistant
from tests.kit.clients.client import Api
from tests.kit.clients.driver import NIGHTLY
from tests.kit.peers.llm import ScriptedLlm
from tests.kit.servers.server import ServerProcess
from tests.kit.waiting import until
from voxpilot.assistant import toolbox
from voxpilot.assistant.shapes import ToolCall

USUAL: tuple[tuple[str, dict[str, Any]], ...] = (
    ("list_directory", {}),
    ("grep_search", {"pattern": "SECRE."}),
    ("git_diff", {}),
    ("git_show", {}),
)
AT_ONCE = 4
ROUNDS = 20 if NIGHTLY else 4


@pytest.mark.timeout(400)
async def test_a_hostile_folder_is_looked_at_and_nothing_happens(
    start_server: StartServer, place: Path, llm: ScriptedLlm, note_figure: Callable[[str], None]
) -> None:
    """Through the real server, with a PATH that leads into the folder; its neighbour is trusted too."""
    template = make_template(place / "template")
    made = [
        Case(name, place / "cases" / name, template).make(build) for name, build in sorted(cases().items())
    ]
    assert len(made) >= 120
    path = f":.:bin:{os.environ['PATH']}:"
    server = await start_server(settings=assistant(llm), env={"PATH": path})
    limit = asyncio.Semaphore(AT_ONCE)
    leaks: list[str] = []

    async def attack(api: Api, case: Case) -> None:
        async with limit:
            leaks.extend(await shown_of(server, api, case))

    async with Api(server.url, server.token) as api:
        await asyncio.gather(*(attack(api, case) for case in made))
    executed = [case.name for case in made if case.canary.exists()]
    note_figure(f"hostile folders: {len(made)}, executed {len(executed)}, leaked from {len(set(leaks))}")
    assert (executed, leaks) == ([], [])


async def shown_of(server: ServerProcess, api: Api, case: Case) -> list[str]:
    """Have the assistant use its tools; returns those that showed it the secret."""
    calls = [f"call {tool} {json.dumps(arguments)}" for tool, arguments in (*USUAL, *case.calls)]
    chat = (await api.create_chat(case.root, agent=None, mode="llm"))["id"]
    await api.prompt(chat, "\nalso ".join(calls) + "\nsay done")
    with closing(sqlite3.connect(f"file:{server.database}?mode=ro", uri=True)) as db:
        await until(lambda: bool(stored(db, chat, "turn-ended")), 100, f"{case.name} did not end")
        (ended,) = stored(db, chat, "turn-ended")
        results = stored(db, chat, "tool-result")
    assert (ended["stop_reason"], len(results)) == ("end_turn", len(calls)), (case.name, ended)
    return [
        f"{case.name}: {result['name']}"
        for result in results
        if SECRET in result["content"] + result["display"]
    ]


def stored(db: sqlite3.Connection, chat: str, kind: str) -> list[dict[str, Any]]:
    wanted = "SELECT coalesce(whole, body) FROM events WHERE chat_id = ? AND kind = ?"
    return [json.loads(body) for (body,) in db.execute(wanted, (chat, kind))]


@pytest.mark.parametrize("name", ["dir", "secret.txt", ".git", ".git/objects", ".git/index"])
async def test_what_is_exchanged_while_it_is_looked_at_leads_nowhere(tmp_path: Path, name: str) -> None:
    """A folder is replaced with a link to the secret and restored, thousands of times a second."""
    template = make_template(tmp_path / "template")
    case = Case("race", tmp_path / "case", template).make(lambda _: None)
    commit = (case.outside / ".git" / "refs" / "heads" / "main").read_text().strip()
    tried: list[tuple[str, dict[str, Any]]] = [
        ("grep_search", {"pattern": "SECRE."}),
        ("grep_search", {"pattern": "SECRE.", "path": "dir"}),
        ("read_file", {"path": "dir/secret.txt"}),
        ("git_diff", {}),
        ("git_show", {"revision": commit}),
    ]
    with exchanging(case.root / name, case.outside / name):
        for _ in range(ROUNDS):
            calls = [toolbox.run([str(case.root)], ToolCall("1", tool, given, "")) for tool, given in tried]
            for found in await asyncio.gather(*calls):
                assert SECRET not in found.content + found.display


@contextmanager
def exchanging(path: Path, target: Path) -> Iterator[None]:
    """Replace a path with a link and restore it, repeatedly, until the block ends."""
    link, kept = path.with_name("link-of-the-race"), path.with_name("kept-of-the-race")
    link.symlink_to(target)
    lines = (
        "import os, sys\npath, link, kept = sys.argv[1:]\nprint(flush=True)\nwhile True:\n"
        " os.rename(path, kept); os.rename(link, path); os.rename(path, link); os.rename(kept, path)"
    )
    command = [sys.executable, "-I", "-S", "-c", lines, str(path), str(link), str(kept)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        child.stdout.readline()
        try:
            yield
            assert child.poll() is None, "it stopped too early"
        finally:
            child.kill()
