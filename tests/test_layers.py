"""Who may import whom, where each outside library lives, and how long a module may get.

Lives here: the allowed imports as data, and a check of every import in src/voxpilot, including those inside
functions and under TYPE_CHECKING.
"""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from functools import cache
from pathlib import Path
from statistics import median

import pytest

from tests.kit import sources

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src"

GROUND = (
    "errors",
    "settings",
    "killpoints",
    "umask",
    "search_path",
    "threads",
    "mounts",
    "output",
    "values",
    "locked_files",
)
"""The base modules for every package; they may also use each other."""

FLOORS = (
    GROUND,
    ("chat",),
    ("workspace", "storage", "keeper"),
    ("agents", "assistant"),
    ("runtime",),
    ("web",),
    ("cli",),
)
"""From the bottom up. Packages on the same level do not import each other."""

INNER = {
    "assistant": ("tools", ""),
    "keeper": ("program", "sandbox", ""),
    "agents": ("installed", "wire", "updates", "requests", "probe", "demo"),
    "chat": ("", "permissions"),
    "cli": ("", "run"),
    "runtime": (
        "shared", "questions", "callbacks", "turns", "processes", "context", "assistant", "step", "commands",
        "readers", "",
    ),
    "storage": ("database", "chats", "across_chats", "directory"),
    "web": ("routing", "door", "schemas", "streams", "routes", ""),
}  # fmt: skip
"""The subpackages of a package from the bottom up; an empty name stands for the modules next to them."""

MOST_MODULES = 13
"""In one folder."""

HEIGHTS = {room: height for height, floor in enumerate(FLOORS) for room in floor}

HOMES = {
    "acp": (),
    "anthropic": ("assistant",),
    "httpx2": ("assistant", "cli"),
    "openai": ("assistant",),
    "pydantic_ai": ("assistant",),
    "sqlite3": ("storage",),
    "starlette": ("web",),
    "tomlkit": ("settings",),
    "tree_sitter": ("chat",),
    "tree_sitter_bash": ("chat",),
    "uvicorn": ("web", "cli"),
}
"""The packages that may import a library; one that is not listed here may be imported by all."""

STANDARD_LIBRARY_ONLY = "voxpilot.keeper.program"
"""The keeper runs without our other code: its files import only each other and the standard library."""

METHOD = re.compile(r"initialize|authenticate|logout|(session|fs|terminal|elicitation|\$)/[a-z_]+/?")
"""A request or notification of ACP."""

STATES = ("state", "phase", "direction")
"""Fields of rows that hold an enum."""

OWN_THREADS = frozenset({
    "agents.probe.doctor", "agents.probe.probe", "agents.wire.connection", "assistant.llm", "cli.stop",
    "keeper.attach", "runtime.assistant.model_runner", "runtime.callbacks.terminals",
    "runtime.diagnostics", "runtime.live_chat", "runtime.processes.process_start", "runtime.recovery",
    "runtime.supervisor", "runtime.upkeep", "storage.database.sqlite", "threads", "web.routes.agent_check",
    "web.routes.agents", "web.routes.chats", "web.routes.context.skills", "web.routes.settings",
    "web.serving", "workspace.looking",
})  # fmt: skip
"""Modules that may start work in a thread directly: it touches only our own files and programs of PATH.

Everything that touches a path of a person or an agent uses `look_at` of threads.py.
"""

LONGEST_MODULE_LINES = 400
LONGEST_MEDIAN_LINES = 120
FEWEST_MODULES_FOR_A_MEDIAN = 20

Rule = Callable[[str, str], bool]
"""Given the importing and the imported module, both by full name: whether it is forbidden."""


def test_every_module_belongs_to_a_room() -> None:
    homeless = [name for name in modules() if name != "voxpilot" and room_of(name) not in HEIGHTS]
    assert homeless == []


def test_imports_point_down() -> None:
    """R19: this includes the agents' and the language model's packages not importing each other."""
    assert complaints(wrong_direction) == []


@pytest.mark.parametrize("method", ["session/fork", "session/set_model"])
def test_each_unstable_method_is_named_in_one_file(method: str) -> None:
    """R187: renaming or removing one affects nothing else."""
    naming = [name for name in modules() if f'"{method}"' in source_of(name)]
    assert [room_of(name) for name in naming] == ["agents"]


def test_methods_of_the_protocol_are_named_only_in_agents() -> None:
    """R187: all other packages use a request's purpose, not its ACP name."""
    named = [
        f"{name}:{node.lineno} {node.value}"
        for name in modules()
        if room_of(name) != "agents"
        for node in ast.walk(tree_of(name))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and METHOD.fullmatch(node.value)
    ]
    assert named == []


@pytest.mark.parametrize("method", ["initialize", "session/prompt", "fs/read_text_file", "$/cancel_request"])
def test_a_method_of_the_protocol_is_noticed(method: str) -> None:
    assert METHOD.fullmatch(method)


def test_tasks_of_the_runtime_have_an_owner() -> None:
    """Everything that is started ends with its block, so only one module creates tasks."""
    places = {
        name
        for name in modules()
        if room_of(name) == "runtime"
        for node in ast.walk(tree_of(name))
        if isinstance(node, ast.Attribute) and node.attr in ("create_task", "ensure_future")
    }
    assert places == {"voxpilot.runtime.shared.background"}


def test_paths_of_people_and_agents_are_looked_at_by_one_function() -> None:
    """B4: it limits how many threads a disk that does not respond can take."""
    using = {name for name in modules() if re.search(r"\b(to_thread|run_in_executor)\b", source_of(name))}
    assert {name.removeprefix("voxpilot.") for name in using} == OWN_THREADS


def test_one_function_stops_a_process() -> None:
    places = [
        name
        for name in modules()
        for node in ast.walk(tree_of(name))
        if isinstance(node, ast.keyword)
        and node.arg == "state"
        and "stopping" in ast.unparse(node.value).lower()
    ]
    assert places == ["voxpilot.runtime.shared.stop"]


def test_one_function_abandons_a_request() -> None:
    """Answering one is in agents/requests/dialogue.py: with a result, an error or the agent's own answer."""
    places = {
        name
        for name in modules()
        for node in ast.walk(tree_of(name))
        if isinstance(node, ast.keyword) and node.arg == "response"
    }
    assert places == {"voxpilot.agents.requests.dialogue", "voxpilot.agents.requests.sessions"}


def test_states_are_not_written_as_strings() -> None:
    """They are compared by identity, so a string would never match; see storage/database/states.py."""
    assert [f"{name}:{line}" for name in modules() for line in bare_states(tree_of(name))] == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('process.state == "ready"', True),
        ('"ready" != row.state', True),
        ('turn.state in ("queued", "running")', True),
        ('ledger.change(turn, state="done")', True),
        ("process.state is ProcessState.READY", False),
        ("ledger.change(turn, state=TurnState.DONE)", False),
        ('state == "there"', False),
    ],
)
def test_a_state_written_as_a_string_is_noticed(text: str, found: bool) -> None:
    assert bool(list(bare_states(ast.parse(text)))) is found


def test_imports_point_down_inside_a_room() -> None:
    assert complaints(wrong_direction_inside) == []


def test_no_folder_is_crowded() -> None:
    page = [path for path in (ROOT / "frontend" / "src").rglob("*") if path.suffix in (".ts", ".tsx")]
    assert page
    ours = [path for path in modules().values() if path.name != "__init__.py"]
    counts = Counter(path.parent for path in [*ours, *page])
    assert {str(folder): count for folder, count in counts.items() if count > MOST_MODULES} == {}


def test_files_named_in_module_headers_exist() -> None:
    """A name is looked up next to the module, then from its top-level package, then from the top."""
    missing = []
    for name, path in modules().items():
        header = ast.get_docstring(tree_of(name)) or ""
        room = SOURCE / "voxpilot" / room_of(name)
        for named in re.findall(r"[\w./]*\w\.(?:py|toml|sql|ts|tsx)\b", header):
            if not any(
                (folder / named).exists() for folder in (path.parent, room, SOURCE / "voxpilot", ROOT)
            ):
                missing.append(f"{name}: {named}")
    assert missing == []


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
        ("voxpilot.agents.wire.frames", "voxpilot.assistant.loop"),
        ("voxpilot.storage.chats.ledger", "voxpilot.keeper.attach"),
        ("voxpilot.web.app", "voxpilot.cli.run.command"),
        ("voxpilot", "voxpilot.errors"),
    ],
)
def test_an_import_up_or_across_is_noticed(importer: str, imported: str) -> None:
    assert wrong_direction(importer, imported)


@pytest.mark.parametrize(
    ("importer", "imported"),
    [
        ("voxpilot.cli.run.command", "voxpilot.web.app"),
        ("voxpilot.cli.run.command", "voxpilot.runtime.turns.turn"),
        ("voxpilot.__main__", "voxpilot.cli"),
        ("voxpilot.web.app", "voxpilot.web.door.errors"),
        ("voxpilot.agents.wire.frames", "voxpilot.keeper.attach"),
        ("voxpilot.settings", "voxpilot.errors"),
        ("voxpilot.web.app", "voxpilot"),
        ("voxpilot.web.app", "starlette"),
    ],
)
def test_an_import_down_or_within_a_room_is_free(importer: str, imported: str) -> None:
    assert not wrong_direction(importer, imported)


def test_a_library_away_from_home_is_noticed() -> None:
    assert away_from_home("voxpilot.runtime.turns.turn", "sqlite3")
    assert away_from_home("voxpilot.agents.wire.frames", "acp.schema")
    assert not away_from_home("voxpilot.storage.database.sqlite", "sqlite3")
    assert not away_from_home("voxpilot.cli.run.command", "httpx2")


def test_the_keeper_may_not_even_import_our_own_modules() -> None:
    part = f"{STANDARD_LIBRARY_ONLY}.lines"
    assert part in modules()
    assert not_standard_in_the_keeper(part, "voxpilot.errors")
    assert not_standard_in_the_keeper(part, "orjson")
    assert not not_standard_in_the_keeper(part, "asyncio.subprocess")
    assert not not_standard_in_the_keeper(part, f"{STANDARD_LIBRARY_ONLY}.segments")
    assert not not_standard_in_the_keeper("voxpilot.keeper.attach", "voxpilot.errors")


def test_no_test_imports_a_test() -> None:
    """What tests share is in tests/kit, or in a module next to them that contains no tests."""
    tests = ROOT / "tests"
    names = {".".join(path.relative_to(ROOT).with_suffix("").parts): path for path in tests.rglob("*.py")}
    wrong = [
        f"{name} imports {imported}"
        for name, path in names.items()
        for imported in imports_in(sources.tree_of(path), name.rpartition(".")[0], names.keys())
        if imported.startswith("tests.") and imported.rpartition(".")[2].startswith("test_")
    ]
    assert wrong == []


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
    assert sorted(imports_in(ast.parse(text), "voxpilot.chat", known)) == [
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


def wrong_direction_inside(importer: str, imported: str) -> bool:
    room = room_of(importer)
    if room not in INNER or room_of(imported) != room or importer == f"voxpilot.{room}":
        return False
    here, there = inner_of(importer), inner_of(imported)
    order = INNER[room]
    return here != there and (
        there not in order or here not in order or order.index(there) > order.index(here)
    )


def away_from_home(importer: str, imported: str) -> bool:
    homes = HOMES.get(library_of(imported))
    return homes is not None and room_of(importer) not in homes


def not_standard_in_the_keeper(importer: str, imported: str) -> bool:
    if not importer.startswith(STANDARD_LIBRARY_ONLY) or imported.startswith(STANDARD_LIBRARY_ONLY):
        return False
    return library_of(imported) not in {*sys.stdlib_module_names, "program"}  # its own name, as it runs


def bare_states(tree: ast.Module) -> Iterator[int]:
    """The lines where a row's state is compared with a string, or set to one."""
    for node in ast.walk(tree):
        if isinstance(node, ast.keyword) and node.arg in STATES and isinstance(node.value, ast.Constant):
            yield node.value.lineno
        elif isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            sides += [item for side in sides if isinstance(side, ast.Tuple | ast.Set) for item in side.elts]
            named = any(isinstance(side, ast.Attribute) and side.attr in STATES for side in sides)
            if named and any(isinstance(s, ast.Constant) and isinstance(s.value, str) for s in sides):
                yield node.lineno


def complaints(rule: Rule) -> list[str]:
    return [f"{here} imports {there}" for here, there in every_import() if rule(here, there)]


@cache
def every_import() -> list[tuple[str, str]]:
    """Found once, because each rule uses all of them."""
    return list(_find_imports())


def _find_imports() -> Iterator[tuple[str, str]]:
    packages = {name[: dot.start()] for name in modules() for dot in re.finditer(r"\.", name)}
    known = {*modules(), *packages}
    for name, path in modules().items():
        package = name if path.name == "__init__.py" else name.rpartition(".")[0]
        for imported in sorted(imports_in(tree_of(name), package, known)):
            yield name, imported


def imports_in(tree: ast.Module, package: str, known: Collection[str]) -> set[str]:
    """The modules a file imports, by their full names, wherever the import is."""
    found: set[str] = set()
    for node in ast.walk(tree):
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
    return inner if inner in known else source


@cache
def modules() -> dict[str, Path]:
    """Every module of ours by its full name."""
    return {full_name(path): path for path in sorted((SOURCE / "voxpilot").rglob("*.py"))}


@cache
def source_of(module: str) -> str:
    return modules()[module].read_text(encoding="utf-8")


@cache
def tree_of(module: str) -> ast.Module:
    return sources.tree_of(modules()[module])


def full_name(path: Path) -> str:
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def room_of(module: str) -> str:
    """The folder or module directly below voxpilot; everything for the command counts as one package."""
    room = module.split(".")[1] if "." in module else ""
    return "cli" if room == "__main__" else room


def inner_of(module: str) -> str:
    """The subpackage that a module is in; empty for one next to the subpackages."""
    parts = module.split(".")[2:]
    known = modules()
    is_package = len(parts) > 1 or (f"{module}" in known and known[module].name == "__init__.py")
    return parts[0] if parts and is_package else ""


def library_of(module: str) -> str:
    return module.partition(".")[0]


def lengths() -> dict[str, int]:
    return {name: len(source_of(name).splitlines()) for name in modules()}
