"""The route that finds files to mention."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import StartServer
from tests.fakes.script import say, script
from tests.kit.clients.client import ApiError
from tests.kit.clients.driver import talking


async def test_files_of_a_chats_folder_are_found_and_no_others(
    start_server: StartServer, workspace: Path
) -> None:
    """R136: mentioned ones first; a folder that nobody works in is not searched."""
    server = await start_server()
    for name in ("src/app.py", "src/apple.py", "src/apply.py"):
        (workspace / name).parent.mkdir(exist_ok=True)
        (workspace / name).write_text("x")
    async with talking(server, workspace) as talk:
        turn = await talk.send(script(say("ok")), attachments=[{"type": "file", "path": "src/apply.py"}])
        await talk.ended(turn)
        found = await talk.api.call("GET", "/api/files", query={"workspace": str(workspace), "q": "appl"})
        assert [file["path"] for file in found["files"]] == ["src/apply.py", "src/apple.py"]
        assert found["files"][0]["recent"] is True
        with pytest.raises(ApiError):
            await talk.api.call("GET", "/api/files", query={"workspace": "/usr", "q": "a"})
