"""A memory and its rows: one list of columns serves reading, writing and versions."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from enum import Enum
from typing import Any, Final

from pydantic import BaseModel

from bethink.domain import Evidence, Memory, Source, from_micros, to_micros
from bethink.storage.values import Glimpse

NARROW: Final = (
    "id", "kind", "subtype", "title", "author", "agent", "origin", "confidence", "verification", "status",
    "importance", "volatility", "pinned", "access_level", "language", "occurred_at", "occurred_until", "valid_from",
    "valid_to", "recorded_at", "retired_at", "updated_at", "expires_at", "last_confirmed_at", "parent_id", "ordinal",
    "version", "content_hash",
)  # fmt: skip
BULKY: Final = ("content", "context", "source", "evidence", "metadata", "verification_note")
_USED: Final = ("access_count", "last_accessed_at", "embedded")
GIVEN: Final = ("title", "occurred", "importance", "volatility")

SELECT: Final = (
    f"select m.number, n.path, {', '.join(f'm.{c}' for c in (*NARROW, *_USED))}, {', '.join(f'b.{c}' for c in BULKY)}"
    " from memory m join body b on b.number = m.number join namespace n on n.id = m.namespace"
)
_NAMES: Final = ("number", "namespace", *NARROW, *_USED, *BULKY)
GLIMPSE: Final = (
    "select m.number, m.id, m.kind, m.title, m.occurred_at, m.status, n.path, b.content, b.source, m.parent_id"
    " from memory m join body b on b.number = m.number join namespace n on n.id = m.namespace"
)


def row_of(memory: Memory, columns: Sequence[str]) -> list[Any]:
    """Return a memory's values for `columns`, as SQLite keeps them."""
    return [stored(getattr(memory, column)) for column in columns]


def stored(value: Any) -> Any:
    """Return one value as SQLite keeps it: times as microseconds, structures as JSON."""
    kept: Any = value
    match value:
        case datetime():
            kept = to_micros(value)
        case bool():
            kept = int(value)
        case Enum():
            kept = value.value
        case BaseModel():
            kept = value.model_dump_json(exclude_none=True)
        case dict():
            kept = json.dumps(value, ensure_ascii=False)
        case tuple():
            kept = json.dumps([v.model_dump(mode="json", exclude_none=True) for v in value], ensure_ascii=False)
    return kept


def memories(db: sqlite3.Connection, rows: Iterable[Sequence[Any]], tenant: int) -> list[Memory]:
    """Return memories from rows of `SELECT`, in their order, with their tags."""
    found = list(rows)
    tags = tags_of(db, tenant, [row[_ID] for row in found])
    return [_memory(row, tags.get(row[_ID], ())) for row in found]


def glimpses(db: sqlite3.Connection, rows: Iterable[Sequence[Any]], tenant: int) -> list[Glimpse]:
    """Return glimpses from rows of `GLIMPSE`, in their order, with their tags."""
    found = list(rows)
    tags = tags_of(db, tenant, [row[1] for row in found])
    return [_glimpse(row, tags.get(row[1], ())) for row in found]


def given_of(flags: Sequence[int]) -> frozenset[str]:
    """Return which of the derivable fields were given."""
    return frozenset(name for name, flag in zip(GIVEN, flags, strict=True) if flag)


def tags_of(db: sqlite3.Connection, tenant: int, ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the tags of memories, as they were spelled, in the order given."""
    found: dict[str, tuple[str, ...]] = {}
    for at in range(0, len(ids), 500):
        batch = ids[at : at + 500]
        marks = ",".join("?" * len(batch))
        sql = f"select memory, spelled from tag where tenant = ? and memory in ({marks}) order by memory, place"
        for memory, spelled in db.execute(sql, (tenant, *batch)):
            found[memory] = (*found.get(memory, ()), spelled)
    return found


def _glimpse(row: Sequence[Any], tags: tuple[str, ...]) -> Glimpse:
    _number, memory, kind, title, occurred_at, status, namespace, content, source, parent = row
    cited = Source.model_validate_json(source) if source else None
    return Glimpse(memory, kind, title, occurred_at, status, namespace, content, cited, tags, parent)


def _memory(row: Sequence[Any], tags: tuple[str, ...]) -> Memory:
    values = dict(zip(_NAMES, row, strict=True))
    del values["number"]
    for name, read in _READ:
        value = values[name]
        if value is not None:
            values[name] = read(value)
    values["evidence"] = values["evidence"] or ()
    values["tags"] = tags
    return Memory.model_validate(values)


def _evidence(kept: str) -> tuple[Evidence, ...]:
    return () if kept == "[]" else tuple(Evidence.model_validate(e) for e in json.loads(kept))


_ID: Final = _NAMES.index("id")
# What validation alone would not read as it was written.
_READ: Final[tuple[tuple[str, Callable[[Any], Any]], ...]] = (
    *((name, from_micros) for name in _NAMES if name.endswith(("_at", "_until", "_from", "_to"))),
    ("source", Source.model_validate_json),
    ("evidence", _evidence),
    ("metadata", json.loads),
)
