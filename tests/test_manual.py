"""The manual names everything there is."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path

import voxpilot
from voxpilot.chat.events import EVENT_TYPES
from voxpilot.errors import VoxPilotError
from voxpilot.settings import Settings
from voxpilot.settings.names import AGENT_LIST, snake
from voxpilot.web.app import create_api
from voxpilot.web.schemas import SettingsValues

ROOT = Path(__file__).parent.parent
MANUAL = (ROOT / "docs" / "reference.md").read_text()


def test_every_route_is_in_the_manual() -> None:
    document = create_api().openapi()
    routes = [
        f"`{method.upper()} {path}`" for path, methods in document["paths"].items() for method in methods
    ]
    assert [route for route in routes if route not in MANUAL] == []


def test_every_event_is_in_the_manual() -> None:
    kinds = [event.kind for event in EVENT_TYPES]
    assert [kind for kind in kinds if f"`{kind}`" not in MANUAL] == []


def test_every_setting_is_in_the_manual() -> None:
    assert [name for name in Settings.model_fields if f"`{name}`" not in MANUAL] == []


def test_every_setting_is_in_the_answer_about_settings() -> None:
    told = {snake(name) for name in SettingsValues.model_fields}
    assert set(Settings.model_fields) - {"agents"} == told - {AGENT_LIST}


def test_every_error_is_in_the_manual() -> None:
    codes = {error.code for error in _errors()}
    assert [code for code in sorted(codes) if f"`{code}`" not in MANUAL] == []


def test_every_notice_is_in_the_manual() -> None:
    source = "\n".join(path.read_text() for path in (ROOT / "src").rglob("*.py"))
    codes = set(re.findall(r'NoticeGiven\([^)]*?code="([a-z-]+)"', source, re.DOTALL))
    assert len(codes) > 5
    assert [code for code in sorted(codes) if f"`{code}`" not in MANUAL] == []


def test_the_readme_shows_the_two_commands_and_its_links_lead_somewhere() -> None:
    readme = (ROOT / "README.md").read_text()
    assert "make run" in readme
    assert "make test" in readme
    links = [link for link in re.findall(r"\]\(([^)]+)\)", readme) if "://" not in link]
    assert [link for link in links if not (ROOT / link).exists()] == []


def _errors() -> Iterator[type[VoxPilotError]]:
    for module in pkgutil.walk_packages(voxpilot.__path__, "voxpilot."):
        if not module.name.endswith(("__main__", "keeper.keeper")):
            importlib.import_module(module.name)
    waiting = [VoxPilotError]
    while waiting:
        error = waiting.pop()
        waiting += error.__subclasses__()
        yield error
