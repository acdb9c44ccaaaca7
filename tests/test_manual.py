"""The manual names everything that exists, and the documents name nothing that is gone."""

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
from voxpilot.web.schemas.bodies import SettingsValues

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "voxpilot"
DECISIONS = ROOT / "docs" / "decisions"
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


def test_every_setting_is_read_by_the_program() -> None:
    """A setting that nothing reads has no effect, however well it is described."""
    server = [path for path in SOURCE.rglob("*.py") if path.parent.name not in ("settings", "schemas")]
    page = [path for path in (ROOT / "frontend" / "src").rglob("*.ts*") if path.name != "schema.ts"]
    source = "\n".join(path.read_text() for path in (*server, *page) if ".test." not in path.name)
    names = {snake(name) for name in re.findall(r"\.([a-zA-Z_]+)\b", source)}
    assert set(Settings.model_fields) - names == set()


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


def test_the_documents_link_to_files_that_exist() -> None:
    for page in _pages():
        links = [link for link in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text()) if "://" not in link]
        assert [link for link in links if not (page.parent / link).exists()] == [], page.name


def test_every_file_and_folder_that_the_architecture_and_the_decisions_name_exists() -> None:
    """A name is looked up from the top, from src/voxpilot, and from a folder named earlier on its line."""
    for page in [ROOT / "ARCHITECTURE.md", *DECISIONS.glob("*.md")]:
        for line in page.read_text().splitlines():
            assert missing_in(line) == [], page.name


def test_a_name_that_leads_nowhere_is_noticed() -> None:
    assert missing_in("see `runtime/nowhere.py` and `chat/events.py`") == ["runtime/nowhere.py"]
    assert missing_in("| `web/` | `door/`, `floor/` |") == ["floor/"]
    assert missing_in(" runtime/step/progress.py  and gone.py next to it") == ["gone.py"]


def test_every_decision_has_a_reason_and_a_cost_and_every_table_is_listed() -> None:
    listed = (DECISIONS / "README.md").read_text()
    tables = [page for page in DECISIONS.glob("*.md") if page.name != "README.md"]
    assert [page.name for page in tables if f"({page.name})" not in listed] == []
    rows = [line for page in tables for line in page.read_text().splitlines() if line.startswith("| ")]
    assert len(rows) > 90
    assert [row for row in rows if len([cell for cell in row.split(" | ") if cell.strip("| ")]) != 3] == []


def missing_in(line: str) -> list[str]:
    paths = re.findall(r"(?<![\w/.-])[\w./-]*\w\.(?:py|toml)\b", line)
    folders = [name for name in re.findall(r"`([\w./-]+/)`", line) if not name.startswith("frontend/")]
    above = [Path(name).parent for name in paths if "/" in name] + [Path(name) for name in folders]
    tops = [ROOT, SOURCE, *(SOURCE / folder for folder in above)]
    return [name for name in (*paths, *folders) if not any((top / name).exists() for top in tops)]


def _pages() -> list[Path]:
    return [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]


def _errors() -> Iterator[type[VoxPilotError]]:
    for module in pkgutil.walk_packages(voxpilot.__path__, "voxpilot."):
        if not module.name.endswith(("__main__", "keeper.keeper")):
            importlib.import_module(module.name)
    waiting = [VoxPilotError]
    while waiting:
        error = waiting.pop()
        waiting += error.__subclasses__()
        yield error
