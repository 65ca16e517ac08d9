"""Edges between memories: those at a memory, those of a page, how many there are, and changing them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bethink.domain import Relation, from_micros, to_micros
from bethink.storage.values import EdgeSelection, Outline, Selection

from . import filters
from .filters import Clause

_BATCH: Final = 500
_NAMES: Final = ("source", "target", "type", "weight", "origin", "certainty", "created_at", "metadata")
_COLUMNS: Final = ", ".join(_NAMES)
_EDGE: Final = ", ".join(f"r.{name}" for name in _NAMES)
_MARKS: Final = ", ".join("?" * 9)
# How much more an edge says that has a direction than one that only says "near".
_RANK: Final = "case r.type when 'similar_to' then 2 when 'related_to' then 1 else 0 end"
_KEY: Final = "tenant = ? and source = ? and target = ? and type = ?"


def relations(db: sqlite3.Connection, tenant: int, memories: Sequence[str]) -> list[Relation]:
    """Return every edge that starts or ends at one of `memories`, by its ends."""
    found: dict[tuple[str, str, str], Relation] = {}
    for batch in _batches(memories):
        for side, table in _SIDES.items():
            sql = f"select {_COLUMNS} from {table} where tenant = ? and {side} in ({_marks(batch)})"
            for row in db.execute(sql, (tenant, *batch)):
                found[row[:3]] = _relation(row)
    return [found[key] for key in sorted(found)]


def between(db: sqlite3.Connection, tenant: int, memory: str, others: Sequence[str]) -> list[Relation]:
    """Return the edges that join a memory with any of `others`, by their ends; each pair is looked up by its key."""
    found: dict[tuple[str, str, str], Relation] = {}
    for batch in _batches(others):
        for near, far in (("source", "target"), ("target", "source")):
            # Left to choose among indexes the planner may take the one that leads through all edges of a memory.
            pairs = f"tenant = ? and {near} = ? and {far} in ({_marks(batch)})"
            sql = f"select {_COLUMNS} from relation not indexed where {pairs}"
            for row in db.execute(sql, (tenant, memory, *batch)):
                found[row[:3]] = _relation(row)
    return [found[key] for key in sorted(found)]


def one(db: sqlite3.Connection, tenant: int, source: str, target: str, kind: str) -> Relation | None:
    """Return the edge of a triple, if it is there."""
    row = db.execute(f"select {_COLUMNS} from relation where {_KEY}", (tenant, source, target, kind)).fetchone()
    return _relation(row) if row else None


def neighbours(
    db: sqlite3.Connection,
    memory: str,
    selection: Selection,
    *,
    limit: int,
    types: frozenset[str],
    outgoing: bool,
    incoming: bool,
) -> list[Relation]:
    """Return the first edges of a memory to what the selection admits, those that say most first."""
    at, values = _at([memory], selection.tenant, types, outgoing=outgoing, incoming=incoming)
    condition, admitted = filters.where(selection)
    sql = (
        f"select {_EDGE} from ({at}) r cross join memory m where m.id = r.far and {condition}"
        f" order by {_RANK}, r.weight desc, r.created_at desc, r.far, r.type, r.source limit ?"
    )
    return [_relation(row) for row in db.execute(sql, (*values, *admitted, limit))]


def degrees(db: sqlite3.Connection, memories: Sequence[str], selection: Selection) -> dict[str, int]:
    """Return how many edges each memory has to what the selection admits."""
    condition, admitted = filters.where(selection)
    found = dict.fromkeys(memories, 0)
    for batch in _batches(memories):
        at, values = _at(batch, selection.tenant, frozenset(), outgoing=True, incoming=True)
        sql = f"select r.near, count(*) from ({at}) r cross join memory m where m.id = r.far and {condition} group by 1"
        found.update(db.execute(sql, (*values, *admitted)).fetchall())
    return found


def outlines(db: sqlite3.Connection, tenant: int, memories: Sequence[str]) -> dict[str, Outline]:
    """Return what names each of `memories` that is there."""
    found: dict[str, Outline] = {}
    for batch in _batches(memories):
        rows = db.execute(f"{_OUTLINE} and m.id in ({_marks(batch)})", (tenant, *batch))
        found.update((row[0], Outline(*row)) for row in rows)
    return found


def page(db: sqlite3.Connection, chosen: EdgeSelection, limit: int) -> list[Relation]:
    """Return up to `limit` edges after the selection's place."""
    where, values = _from(chosen)
    if chosen.after is not None:
        at, *ends = chosen.after
        where += " and r.created_at <= ? and (r.created_at < ? or (r.source, r.target, r.type) > (?, ?, ?))"
        values = (*values, at, at, *ends)
    sql = f"select {_EDGE} {where} order by r.created_at desc, r.source, r.target, r.type"
    return [_relation(row) for row in db.execute(f"{sql} limit ?", (*values, limit))]


def count(db: sqlite3.Connection, chosen: EdgeSelection) -> int:
    """Return how many edges there are, whatever the place."""
    where, values = _from(chosen)
    found: int = db.execute(f"select count(*) {where}", values).fetchone()[0]
    return found


def add(db: sqlite3.Connection, tenant: int, relation: Relation) -> None:
    """Draw an edge unless the same triple is there."""
    sql = f"insert into relation (tenant, {_COLUMNS}) values ({_MARKS}) on conflict do nothing"
    db.execute(sql, (tenant, *_row(relation)))


def put(db: sqlite3.Connection, tenant: int, relation: Relation) -> None:
    """Draw an edge in place of the same triple."""
    db.execute(f"insert or replace into relation (tenant, {_COLUMNS}) values ({_MARKS})", (tenant, *_row(relation)))


def contradictions(db: sqlite3.Connection, tenant: int) -> NDArray[np.int64]:
    """Return the numbers of the older and the newer of every two that somebody says contradict each other.

    What was only inferred is not among them: it waits for somebody who looks at it.
    """
    return np.array(db.execute(_CONTRADICTIONS, (tenant,)).fetchall(), np.int64).reshape(-1, 2)


def remove(db: sqlite3.Connection, tenant: int, source: str, target: str, kind: str) -> None:
    """Take an edge away."""
    db.execute(f"delete from relation where {_KEY}", (tenant, source, target, kind))


_OUTLINE: Final = """
select m.id, m.kind, m.title, m.status, n.path, m.occurred_at
from memory m join namespace n on n.id = m.namespace where m.tenant = ?
"""
_BOTH_ENDS: Final = """
cross join memory s on s.tenant = r.tenant and s.id = r.source
cross join memory t on t.tenant = r.tenant and t.id = r.target
"""
_CONTRADICTIONS: Final = """
select iif(s_first, s, t), iif(s_first, t, s) from (
  select s.number as s, t.number as t,
    (s.valid_from, s.recorded_at, s.id) < (t.valid_from, t.recorded_at, t.id) as s_first
  from relation r indexed by relation_contradicts
  cross join memory s on s.tenant = r.tenant and s.id = r.source
  cross join memory t on t.tenant = r.tenant and t.id = r.target
  where r.tenant = ? and r.type = 'contradicts' and r.certainty = 'extracted'
)
"""
# Left to itself the planner scans all edges of the tenant.
_SIDES: Final = {"source": "relation", "target": "relation indexed by relation_target"}
_BY_AGE: Final = "relation r indexed by relation_created"


def _at(memories: Sequence[str], tenant: int, types: frozenset[str], *, outgoing: bool, incoming: bool) -> Clause:
    """The edges at `memories`, each with its near and its far end: twice where both ends are among them."""
    sides = [("source", "target")] if outgoing else []
    sides += [("target", "source")] if incoming else []
    kinds = f" and type in ({_marks(sorted(types))})" if types else ""
    sql = " union all ".join(
        f"select {_COLUMNS}, {near} as near, {far} as far from {_SIDES[near]}"
        f" where tenant = ? and {near} in ({_marks(memories)}){kinds}"
        for near, far in sides
    )
    return sql, (tenant, *memories, *sorted(types)) * len(sides)


def _from(chosen: EdgeSelection) -> Clause:
    """The edges that count, as everything of a statement after its columns."""
    clauses = list(_clauses(chosen))
    condition = " and ".join(sql for sql, _ in clauses)
    edges, values = (_BY_AGE, ()) if not chosen.memories else _touching(chosen.memories, chosen.visible.tenant)
    sql = f"from {edges} {_BOTH_ENDS} where {condition}"
    return sql, (*values, *(value for _, values in clauses for value in values))


def _touching(memories: Sequence[str], tenant: int) -> Clause:
    """Each edge at `memories` once, also where both ends are among them."""
    sql = " union ".join(
        f"select tenant, {_COLUMNS} from {table} where tenant = ? and {side} in ({_marks(memories)})"
        for side, table in _SIDES.items()
    )
    return f"({sql}) r", (tenant, *memories) * 2


def _clauses(chosen: EdgeSelection) -> Iterator[Clause]:
    yield "r.tenant = ?", (chosen.visible.tenant,)
    for end in ("s", "t"):
        yield from filters.within(chosen.visible.namespaces, chosen.visible.ceiling, end)
    if chosen.namespaces is not None:
        yield _either("s.namespace", "t.namespace", sorted(chosen.namespaces))
    if chosen.types:
        yield f"r.type in ({_marks(sorted(chosen.types))})", tuple(sorted(chosen.types))
    if chosen.origin is not None:
        yield "r.origin = ?", (chosen.origin,)


def _either(one: str, other: str, values: Sequence[Any]) -> Clause:
    marks = _marks(values)
    return f"({one} in ({marks}) or {other} in ({marks}))", (*values, *values)


def _batches(values: Sequence[str]) -> Iterator[Sequence[str]]:
    return (values[at : at + _BATCH] for at in range(0, len(values), _BATCH))


def _marks(values: Sequence[Any]) -> str:
    return ",".join("?" * len(values))


def _row(relation: Relation) -> tuple[Any, ...]:
    metadata = json.dumps(relation.metadata, ensure_ascii=False) if relation.metadata else None
    certainty, created = relation.certainty.value, to_micros(relation.created_at)
    return *relation.key, relation.weight, relation.origin.value, certainty, created, metadata


def _relation(row: Sequence[Any]) -> Relation:
    values = dict(zip(_NAMES, row, strict=True))
    read = {"created_at": from_micros(values["created_at"]), "metadata": json.loads(values["metadata"] or "null")}
    return Relation.model_validate(values | read)
