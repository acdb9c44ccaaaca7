"""Rows to SQL and back, the same way for every table.

Lives here: the statements that insert, change, delete and find a row. Lives
elsewhere: what rows hold (rows.py), when they are written (chats/ledger.py).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from typing import Any, TypeVar

import orjson

from voxpilot.storage.database.rows import Row

Statement = tuple[str, tuple[Any, ...]]
R = TypeVar("R", bound=Row)
_columns: dict[type[Row], tuple[str, ...]] = {}
_boolean_columns: dict[type[Row], frozenset[str]] = {}


def insert(row: Row) -> Statement:
    names = columns(type(row))
    marks = ", ".join("?" * len(names))
    values = tuple(_to_sql(row, name) for name in names)
    verb = "INSERT OR REPLACE" if row.REPLACES else "INSERT"
    return f"{verb} INTO {row.TABLE} ({', '.join(names)}) VALUES ({marks})", values


def update(old: Row, new: Row) -> Statement | None:
    """Only columns that differ, so that a large column next to a small change costs nothing."""
    changed = [name for name in columns(type(new)) if getattr(old, name) != getattr(new, name)]
    if not changed:
        return None
    sets = ", ".join(f"{name} = ?" for name in changed)
    values = tuple(_to_sql(new, name) for name in changed)
    return f"UPDATE {new.TABLE} SET {sets} WHERE {_where_key(type(new))}", (*values, *new.identity())


def delete(row: Row) -> Statement:
    return f"DELETE FROM {row.TABLE} WHERE {_where_key(type(row))}", row.identity()


def select(cls: type[Row], where: str = "1") -> str:
    return f"SELECT {', '.join(columns(cls))} FROM {cls.TABLE} WHERE {where}"


def rows_of(cls: type[R], found: Iterable[tuple[Any, ...]]) -> list[R]:
    return [row_of(cls, values) for values in found]


def row_of(cls: type[R], values: tuple[Any, ...]) -> R:
    return cls.from_stored(
        {name: _from_sql(cls, name, value) for name, value in zip(columns(cls), values, strict=True)}
    )


def columns(cls: type[Row]) -> tuple[str, ...]:
    if cls not in _columns:
        _columns[cls] = tuple(field.name for field in fields(cls))
    return _columns[cls]


def _where_key(cls: type[Row]) -> str:
    return " AND ".join(f"{name} = ?" for name in cls.KEY)


def _booleans(cls: type[Row]) -> frozenset[str]:
    if cls not in _boolean_columns:
        _boolean_columns[cls] = frozenset(field.name for field in fields(cls) if field.type == "bool")
    return _boolean_columns[cls]


def _to_sql(row: Row, name: str) -> Any:
    value = getattr(row, name)
    if name in row.JSON and value is not None:
        return orjson.dumps(value).decode()
    return value


def _from_sql(cls: type[Row], name: str, value: Any) -> Any:
    if value is None:
        return None
    if name in cls.JSON:
        loaded = orjson.loads(value)
        return tuple(loaded) if isinstance(loaded, list) else loaded
    if name in cls.ENUMS:
        return cls.ENUMS[name](value)
    return bool(value) if name in _booleans(cls) else value
