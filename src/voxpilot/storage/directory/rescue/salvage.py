"""Every row that can still be read, table by table.

Lives here: which page belongs to which table, from the trees where they are intact and from the shape of the
rows where they are not. Lives elsewhere: pages and rows (image.py, btree.py), what is built from them
(rebuild.py).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from dataclasses import field
from typing import Any

from voxpilot.storage.database.migrate import steps
from voxpilot.storage.directory.rescue.btree import (
    INDEX_INNER,
    INDEX_LEAF,
    TABLE_LEAF,
    Page,
    Record,
    children,
    parse_page,
    records,
)
from voxpilot.storage.directory.rescue.image import Image
from voxpilot.values import dataclass

_SCHEMA_ROOT = 1
LOG = "write-ahead log"
"""Listed among the damaged tables."""


@dataclass(frozen=True, slots=True)
class Column:
    name: str
    type: str
    is_required: bool
    default: Any


@dataclass(frozen=True, slots=True)
class Table:
    name: str
    columns: tuple[Column, ...]
    key: tuple[str, ...]
    has_rowid: bool
    fewest: int
    """How many columns its oldest rows have; later versions added the rest."""

    def row(self, record: Record) -> Record | None:
        """The record with the columns that later versions added; None if it does not belong to this table."""
        if not self.fewest <= len(record) <= len(self.columns):
            return None
        missing = self.columns[len(record) :]
        values = (*record, *(column.default for column in missing))
        fits = all(_fits(column, value) for column, value in zip(self.columns, values, strict=True))
        return values if fits else None


@dataclass(slots=True)
class Salvage:
    """What has been found so far; call `rows` for one table after the other."""

    image: Image
    tables: dict[str, Table]
    roots: dict[str, int]
    damaged: set[str] = field(default_factory=set)
    """Tables with missing rows."""
    _visited: set[int] = field(default_factory=set)

    def rows(self, name: str) -> Iterator[Record]:
        """The rows of a table, in no particular order; some may come twice, the newest first."""
        table, root = self.tables[name], self.roots.get(name)
        if root is None:
            self.damaged.add(name)
        else:
            yield from self._walk(table, root)

    def orphans(self) -> dict[str, list[Record]]:
        """Rows on pages that no tree refers to any more; call it after all tables were read."""
        found: dict[str, list[Record]] = {}
        if not self.damaged:
            return found
        free = self.image.free_pages()
        for number in range(2, self.image.count + 1):
            if number in self._visited or number in free:
                continue
            data = self.image.page(number)
            page = parse_page(number, data) if data else None
            if page is None or page.kind not in (TABLE_LEAF, INDEX_LEAF, INDEX_INNER):
                continue
            if (match := self._owner(page)) is not None:
                found.setdefault(match[0].name, []).extend(match[1])
        return found

    def earlier(self, name: str) -> Iterator[Record]:
        """Rows on any version of any page; for tables whose rows never change once they are stored."""
        return self._on_versions(name, self.image.versions) if self.damaged else iter(())

    def confirmed(self, name: str) -> Iterator[Record]:
        """The same without pages of the log that could not be checked; the most certain rows come last.

        They may belong to a transaction whose commit is missing.
        """
        yield from self._on_versions(name, self.image.in_file)
        yield from self._on_versions(name, lambda number: self.image.confirmed.get(number, ()))

    def _on_versions(self, name: str, versions: Callable[[int], Iterable[bytes]]) -> Iterator[Record]:
        table = self.tables[name]
        for number in range(2, self.image.count + 1):
            for version in versions(number):
                page = parse_page(number, version)
                if page is not None and table.has_rowid is (page.kind == TABLE_LEAF):
                    found = (table.row(record) for record in records(self.image, page) if record is not None)
                    yield from (row for row in found if row is not None)

    def torn(self) -> Iterator[tuple[Table, list[Record]]]:
        """Rows of a transaction whose commit is missing from the log."""
        for number, data in self.image.torn:
            page = parse_page(number, data)
            if page is not None and (match := self._owner(page)) is not None:
                yield match

    def _walk(self, table: Table, root: int) -> Iterator[Record]:
        pending, seen = [root], set[int]()
        leaf = (TABLE_LEAF,) if table.has_rowid else (INDEX_LEAF, INDEX_INNER)
        while pending:
            number = pending.pop()
            if number in seen or not 0 < number <= self.image.count:
                if number not in seen:
                    self.damaged.add(table.name)
                continue
            seen.add(number)
            is_whole = yield from self._rows_on(table, number, leaf, pending)
            if not is_whole:
                self.damaged.add(table.name)

    def _rows_on(
        self, table: Table, number: int, leaf: tuple[int, ...], pending: list[int]
    ) -> Generator[Record, None, bool]:
        """The rows on a page, and on its earlier versions while rows are bad; adds its children to `pending`.

        Returns whether one version was good.
        """
        for version in self.image.versions(number):
            page = parse_page(number, version)
            if page is None or (page.kind not in leaf and not page.is_inner):
                continue
            self._visited.add(number)
            if page.is_inner:
                pending += children(page)
            found = [
                table.row(record) if record is not None else None for record in records(self.image, page)
            ]
            yield from (row for row in found if row is not None)
            if None not in found:
                return True
            self.damaged.add(table.name)
        return False

    def _owner(self, page: Page) -> tuple[Table, list[Record]] | None:
        """The table whose rows are on this page: the one that most of them fit."""
        found = [record for record in records(self.image, page) if record is not None]
        best: tuple[Table, list[Record]] | None = None
        for table in self.tables.values():
            if table.has_rowid is not (page.kind == TABLE_LEAF):
                continue
            rows = [row for record in found if (row := table.row(record)) is not None]
            if rows and (best is None or len(rows) > len(best[1])):
                best = table, rows
        return best


def open_salvage(image: Image) -> Salvage:
    tables = known_tables()
    roots: dict[str, int] = {}
    for version in image.versions(_SCHEMA_ROOT):
        roots = _roots(image, version, tables)
        if roots:
            break
    return Salvage(image, tables, roots, {LOG} if image.is_log_damaged else set())


def _roots(image: Image, first: bytes, tables: dict[str, Table]) -> dict[str, int]:
    found: dict[str, int] = {}
    pending, seen = [(_SCHEMA_ROOT, first)], set[int]()
    while pending:
        number, data = pending.pop()
        page = parse_page(number, data)
        if page is None or number in seen:
            continue
        seen.add(number)
        if page.is_inner:
            pending += [(child, content) for child in children(page) if (content := image.page(child))]
            continue
        for record in records(image, page):
            match record:
                case ("table", str(name), _, int(root), *_) if name in tables:
                    found[name] = root
    return found


def known_tables() -> dict[str, Table]:
    """The shape of each table, from the migrations that create it."""
    with closing(sqlite3.connect(":memory:")) as fresh:
        fewest: dict[str, int] = {}
        for _, sql in steps():
            fresh.executescript(sql)
            for name in _names(fresh):
                fewest.setdefault(name, len(_columns(fresh, name)))
        return {name: _table(fresh, name, fewest[name]) for name in _names(fresh)}


def _names(db: sqlite3.Connection) -> list[str]:
    return [name for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]


def _columns(db: sqlite3.Connection, name: str) -> list[tuple[Any, ...]]:
    return db.execute(
        f"SELECT name, type, \"notnull\", dflt_value, pk FROM pragma_table_info('{name}')"
    ).fetchall()


def _table(db: sqlite3.Connection, name: str, fewest: int) -> Table:
    found = _columns(db, name)
    sql = db.execute("SELECT sql FROM sqlite_schema WHERE name = ?", (name,)).fetchone()[0]
    key = tuple(column[0] for column in sorted(found, key=lambda column: column[4]) if column[4])
    has_rowid = "WITHOUT ROWID" not in sql.upper()
    columns = tuple(
        # A column that is an alias for the rowid is stored empty.
        Column(
            column,
            type,
            bool(required or (of_key and not (has_rowid and type == "INTEGER"))),
            _default(db, default),
        )
        for column, type, required, default, of_key in found
    )
    return Table(name, columns, key, has_rowid, fewest)


def _default(db: sqlite3.Connection, default: str | None) -> Any:
    return None if default is None else db.execute(f"SELECT {default}").fetchone()[0]


_TYPES: dict[str, tuple[type, ...]] = {
    "TEXT": (str,),
    "INTEGER": (int,),
    "REAL": (float, int),
    "BLOB": (bytes,),
}


def _fits(column: Column, value: object) -> bool:
    if value is None:
        return not column.is_required
    return isinstance(value, _TYPES.get(column.type, (object,)))
