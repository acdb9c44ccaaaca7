"""A start imports only what it needs. How long it takes is measured by `make bench`."""

from __future__ import annotations

import json
import resource
import statistics
import subprocess
import sys

import pytest

from bench.machine import processor_seconds
from tests.conftest import NoteFigure, StartServer

LATER = {
    "anthropic",
    "fastapi",
    "httpx2",
    "openai",
    "pydantic_ai",
    "tarfile",
    "tomlkit",
    "voxpilot.agents.demo.agent",
    "voxpilot.assistant.demo_model",
    "voxpilot.assistant.tools.git_tools",
    "voxpilot.assistant.tools.read_file",
    "voxpilot.cli.client",
    "voxpilot.storage.directory.backup",
    "voxpilot.storage.directory.rescue",
    "voxpilot.web.schemas.openapi",
    "voxpilot.web.schemas.operations",
}
"""What a server imports when it is first needed, or never."""

AFTER_HEALTH = {
    "starlette",
    "uvicorn",
    "uvloop",
    "voxpilot.agents.installed.catalog",
    "voxpilot.runtime.supervisor",
    "voxpilot.storage.chats",
    "voxpilot.web.serving",
}
"""What is imported while health is answered already."""

LIBRARIES = "import asyncio, sqlite3, pydantic; pydantic.BaseModel"
MOST_TIMES = 3.5
"""A start may take so many times the processor time of importing these; it takes 2.4 times."""
ROUNDS = 5

STARTED = """
import json, sys
import voxpilot.cli
from voxpilot.web import server, serving
from voxpilot.web.app import create_api
from voxpilot.web.schemas import agent_bodies, bodies
create_api()
models = [made for module in (agent_bodies, bodies) for made in vars(module).values()]
built = [made.__name__ for made in models if getattr(made, "__pydantic_complete__", False)]
print(json.dumps({"modules": sorted(sys.modules), "built": built}))
"""


def test_a_start_imports_and_builds_nothing_that_can_wait() -> None:
    """Modules that only some requests need would delay every start."""
    ran = subprocess.run([sys.executable, "-c", STARTED], check=True, capture_output=True, text=True)
    found = json.loads(ran.stdout)
    assert LATER & set(found["modules"]) == set()
    assert found["built"] == []


def test_health_does_not_wait_for_the_application() -> None:
    """Whatever `web/server.py` imports delays the first answer."""
    code = "import json, sys; from voxpilot.web import server; print(json.dumps(sorted(sys.modules)))"
    ran = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert AFTER_HEALTH & set(json.loads(ran.stdout)) == set()


@pytest.mark.alone
async def test_a_start_takes_a_few_times_what_its_libraries_take(
    start_server: StartServer, note_figure: NoteFigure
) -> None:
    """In processor time and compared with Python in the same moment, so that a busy machine is fine."""
    server = await start_server(env={"PYTHONDONTWRITEBYTECODE": ""})
    await server.terminate()
    server.fresh = True
    await server.restart()  # compiles what was changed
    ratios = []
    for _ in range(ROUNDS):
        libraries = _processor_seconds_of(LIBRARIES)
        await server.restart()
        ratios.append(processor_seconds(server.pid) / libraries)
    note_figure(f"start: {statistics.median(ratios):.1f} times the processor time of importing its libraries")
    assert min(ratios) < MOST_TIMES


def _processor_seconds_of(code: str) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", code], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
