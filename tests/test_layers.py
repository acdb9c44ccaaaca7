"""Who may import whom, where each outside library lives, and how long a module may get.

Lives here: the drawing of the house as data, and a walk over every import in
src/voxpilot, those inside functions and under TYPE_CHECKING included.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from statistics import median

import pytest

SOURCE = Path(__file__).resolve().parents[1] / "src"

GROUND = ("errors", "settings", "killpoints", "umask")
"""What every room stands on; these may also use each other."""

FLOORS = (
    GROUND,
    ("chat",),
    ("workspace", "storage", "keeper"),
    ("agents", "assistant"),
    ("runtime",),
    ("web",),
    ("cli",),
)
"""From the bottom up. Rooms on one floor do not know each other."""

HEIGHTS = {room: height for height, floor in enumerate(FLOORS) for room in floor}

HOMES = {
    "acp": (),
    "anthropic": ("assistant",),
    "fastapi": ("web",),
    "httpx2": ("assistant", "cli"),
    "openai": ("assistant",),
    "pydantic_ai": ("assistant",),
    "sqlite3": ("storage",),
    "starlette": ("web",),
    "tomlkit": ("settings",),
    "uvicorn": ("web", "cli"),
}
"""The rooms that may import a library; one that is not named here may be imported by all."""

STANDARD_LIBRARY_ONLY = "voxpilot.keeper.program"
"""The keeper runs without us: its files know each other and the standard library."""

LONGEST_MODULE_LINES = 400
LONGEST_MEDIAN_LINES = 120
FEWEST_MODULES_FOR_A_MEDIAN = 20

Rule = Callable[[str, str], bool]
"""Given who imports and what is imported, both by full name: is it wrong?"""


def test_every_module_belongs_to_a_room() -> None:
    homeless = [name for name in modules() if name != "voxpilot" and room_of(name) not in HEIGHTS]
    assert homeless == []


def test_imports_point_down() -> None:
    """R19: among it, the rooms of the agents and of the language model do not know each other."""
    assert complaints(wrong_direction) == []


@pytest.mark.parametrize("method", ["session/fork", "session/set_model"])
def test_each_unstable_method_is_named_in_one_file(method: str) -> None:
    """R187: one that is renamed or goes touches nothing else."""
    naming = [path for path in SOURCE.rglob("*.py") if f'"{method}"' in path.read_text(encoding="utf-8")]
    assert [path.parent.name for path in naming] == ["agents"]


def test_each_outside_library_has_one_home() -> None:
    assert complaints(away_from_home) == []


def test_the_keeper_needs_only_the_standard_library() -> None:
    assert complaints(not_standard_in_the_keeper) == []


def test_no_module_is_too_long() -> None:
    too_long = {name: lines for name, lines in lengths().items() if lines > LONGEST_MODULE_LINES}
    assert too_long == {}


def test_most_modules_are_short() -> None:
    lines = lengths().values()
    if len(lines) < FEWEST_MODULES_FOR_A_MEDIAN:
        pytest.skip("too few modules to speak of a median")
    assert median(lines) <= LONGEST_MEDIAN_LINES


@pytest.mark.parametrize(
    ("importer", "imported"),
    [
        ("voxpilot.chat.events", "voxpilot.web.app"),
        ("voxpilot.chat.events", "voxpilot.storage"),
        ("voxpilot.errors", "voxpilot.chat.events"),
        ("voxpilot.agents.wire", "voxpilot.assistant.loop"),
        ("voxpilot.storage.chats", "voxpilot.keeper.attach"),
        ("voxpilot.web.app", "voxpilot.cli.run"),
        ("voxpilot", "voxpilot.errors"),
    ],
)
def test_an_import_up_or_across_is_noticed(importer: str, imported: str) -> None:
    assert wrong_direction(importer, imported)


@pytest.mark.parametrize(
    ("importer", "imported"),
    [
        ("voxpilot.cli.run", "voxpilot.web.app"),
        ("voxpilot.cli.run", "voxpilot.runtime.turn"),
        ("voxpilot.__main__", "voxpilot.cli"),
        ("voxpilot.web.app", "voxpilot.web.errors"),
        ("voxpilot.agents.wire", "voxpilot.keeper.attach"),
        ("voxpilot.settings", "voxpilot.errors"),
        ("voxpilot.web.app", "voxpilot"),
        ("voxpilot.web.app", "fastapi"),
    ],
)
def test_an_import_down_or_within_a_room_is_free(importer: str, imported: str) -> None:
    assert not wrong_direction(importer, imported)


def test_a_library_away_from_home_is_noticed() -> None:
    assert away_from_home("voxpilot.runtime.turn", "sqlite3")
    assert away_from_home("voxpilot.agents.wire", "acp.schema")
    assert not away_from_home("voxpilot.storage.database", "sqlite3")
    assert not away_from_home("voxpilot.cli.run", "httpx2")


def test_the_keeper_may_not_even_import_our_own_modules() -> None:
    part = f"{STANDARD_LIBRARY_ONLY}.lines"
    assert part in modules()
    assert not_standard_in_the_keeper(part, "voxpilot.errors")
    assert not_standard_in_the_keeper(part, "orjson")
    assert not not_standard_in_the_keeper(part, "asyncio.subprocess")
    assert not not_standard_in_the_keeper(part, f"{STANDARD_LIBRARY_ONLY}.segments")
    assert not not_standard_in_the_keeper("voxpilot.keeper.attach", "voxpilot.errors")


def test_every_way_to_write_an_import_is_seen() -> None:
    text = """
import sqlite3, os.path
from voxpilot import web
from voxpilot.web import app
from . import events
from ..storage.chats import Chats
def later():
    from .. import runtime
"""
    known = {"voxpilot.web", "voxpilot.web.app", "voxpilot.chat.events", "voxpilot.runtime"}
    assert sorted(imports_in(text, "voxpilot.chat", known)) == [
        "os.path",
        "sqlite3",
        "voxpilot.chat.events",
        "voxpilot.runtime",
        "voxpilot.storage.chats",
        "voxpilot.web",
        "voxpilot.web.app",
    ]


def wrong_direction(importer: str, imported: str) -> bool:
    if imported == "voxpilot" or library_of(imported) != "voxpilot":
        return False
    here, there = room_of(importer), room_of(imported)
    if here == there or (here in GROUND and there in GROUND):
        return False
    return HEIGHTS.get(there, len(FLOORS)) >= HEIGHTS.get(here, 0)


def away_from_home(importer: str, imported: str) -> bool:
    homes = HOMES.get(library_of(imported))
    return homes is not None and room_of(importer) not in homes


def not_standard_in_the_keeper(importer: str, imported: str) -> bool:
    if not importer.startswith(STANDARD_LIBRARY_ONLY) or imported.startswith(STANDARD_LIBRARY_ONLY):
        return False
    return library_of(imported) not in {*sys.stdlib_module_names, "program"}  # its own name, as it runs


def complaints(rule: Rule) -> list[str]:
    return [f"{here} imports {there}" for here, there in every_import() if rule(here, there)]


def every_import() -> Iterator[tuple[str, str]]:
    known = modules()
    for name, path in known.items():
        package = name if path.name == "__init__.py" else name.rpartition(".")[0]
        for imported in sorted(imports_in(path.read_text(encoding="utf-8"), package, known)):
            yield name, imported


def imports_in(text: str, package: str, known: Collection[str]) -> set[str]:
    """The modules a text imports, by their full names, wherever in it the import stands."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            source = full_source(node, package)
            found.update(module_meant(source, alias.name, known) for alias in node.names)
    return found


def full_source(node: ast.ImportFrom, package: str) -> str:
    if not node.level:
        return node.module or ""
    parts = package.split(".")
    return ".".join([*parts[: len(parts) - node.level + 1], *filter(None, [node.module])])


def module_meant(source: str, name: str, known: Collection[str]) -> str:
    """`from a import b` means the module a.b if there is one, else the name b in a."""
    inner = f"{source}.{name}"
    is_module = any(f"{module}.".startswith(f"{inner}.") for module in known)
    return inner if is_module else source


def modules() -> dict[str, Path]:
    """Every module of ours by its full name."""
    return {full_name(path): path for path in sorted((SOURCE / "voxpilot").rglob("*.py"))}


def full_name(path: Path) -> str:
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def room_of(module: str) -> str:
    """The folder or lone module just below voxpilot; all that serves the command is one room."""
    room = module.split(".")[1] if "." in module else ""
    return "cli" if room == "__main__" else room


def library_of(module: str) -> str:
    return module.partition(".")[0]


def lengths() -> dict[str, int]:
    return {name: len(path.read_text(encoding="utf-8").splitlines()) for name, path in modules().items()}
