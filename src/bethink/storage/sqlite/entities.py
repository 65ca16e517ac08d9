"""Reading entities: the names that the admitted memories hold, who mentions what, and what is said of it."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from bethink.storage.naming import Name, Tie
from bethink.storage.values import Selection

from . import filters

_BATCH = 500
# Slips are seldom made in the first letters.
_BEGINNING = 2
_LONGER = 2
_MOST_LIKE = 1_000
_HIGHEST = chr(0x10FFFF)


def named(db: sqlite3.Connection, selection: Selection, folded: Sequence[str]) -> list[int]:
    """Return the entities that have one of these names, as far as a memory in reach tells."""
    condition, values = filters.known_name(selection)
    found = {
        row[0]
        for marks, batch in _batches(folded)
        for row in db.execute(_NAMED.format(marks, condition), (selection.tenant, *batch, *values))
    }
    return sorted(found)


def names(db: sqlite3.Connection, selection: Selection, entities: Sequence[int] | None) -> list[Name]:
    """Return the names that the admitted memories hold, by entity and frequency; of all entities, or of these."""
    condition, values = filters.where(selection)
    if entities is None:
        found = [Name(*row) for row in db.execute(_COUNTED.format("mention x cross join alias a", condition), values)]
    else:
        found = [
            Name(*row)
            for marks, batch in _batches(entities)
            for row in db.execute(_COUNTED.format(_OF_ENTITIES.format(marks), condition), (*batch, *values))
        ]
    held = {(name.entity, name.folded, name.spelled, name.kind) for name in found}
    known = sorted({name.entity for name in found})
    chosen = (
        Name(*row)
        for marks, batch in _batches(known)
        for row in db.execute(_CHOSEN.format(marks), batch)
        if (row[0], *row[2:5]) not in held
    )
    return sorted([*found, *chosen], key=lambda name: (name.entity, -name.memories, name.spelled, name.kind))


def names_like(db: sqlite3.Connection, selection: Selection, folded: str) -> list[str]:
    """Return the names in reach with the same beginning and about the same length."""
    condition, values = filters.known_name(selection)
    start, length = folded[:_BEGINNING], len(folded)
    bounds = (start, start + _HIGHEST, length - _LONGER, length + _LONGER)
    return [row[0] for row in db.execute(_LIKE.format(condition), (selection.tenant, *bounds, *values, _MOST_LIKE))]


def counted(db: sqlite3.Connection, selection: Selection, entities: Sequence[int]) -> dict[int, int]:
    """Return how many of the admitted memories mention each entity."""
    condition, values = filters.where(selection)
    rows = (
        row
        for marks, batch in _batches(entities)
        for row in db.execute(_DISTINCT.format(_OF_ENTITIES.format(marks), condition), (*batch, *values))
    )
    return dict(rows)


def count_nameless(db: sqlite3.Connection, selection: Selection) -> int:
    """Return how many of the admitted memories mention nothing."""
    condition, values = filters.where(selection)
    found: int = db.execute(_NAMELESS.format(condition), values).fetchone()[0]
    return found


def mentioning(
    db: sqlite3.Connection, selection: Selection, entities: Sequence[int], most: int
) -> list[tuple[int, int]]:
    """Return (entity, number of an admitted memory), of each entity the newest `most`."""
    condition, values = filters.where(selection)
    found: defaultdict[int, set[int]] = defaultdict(set)
    for marks, batch in _batches(entities):
        for alias, entity in db.execute(f"select id, entity from alias where entity in ({marks})", batch).fetchall():
            rows = db.execute(_MENTIONING.format(condition), (alias, *values, most))
            found[entity].update(row[0] for row in rows)
    return [(entity, number) for entity in entities for number in sorted(found[entity], reverse=True)[:most]]


def mentioned(db: sqlite3.Connection, numbers: Sequence[int]) -> list[tuple[int, int]]:
    """Return (number, entity) of what memories mention."""
    return [row for marks, batch in _batches(numbers) for row in db.execute(_MENTIONED.format(marks), batch)]


def ties(db: sqlite3.Connection, selection: Selection, entities: Sequence[int]) -> list[Tie]:
    """Return the edges that start or end at entities, as far as admitted memories say them."""
    condition, values = filters.where(selection)
    found = {
        Tie(*row)
        for marks, batch in _batches(entities)
        for end in ("source", "target")
        for row in db.execute(_TIES.format(end=end, marks=marks, condition=condition), (*batch, *values))
    }
    return sorted(found, key=lambda tie: (tie.source, tie.type, tie.target, tie.number))


def _batches(values: Sequence[Any]) -> Iterator[tuple[str, Sequence[Any]]]:
    for at in range(0, len(values), _BATCH):
        batch = values[at : at + _BATCH]
        yield ",".join("?" * len(batch)), batch


# The joins stand in the order in which they are to be made: the planner would begin with the memories.
_COUNTED = """
select a.entity, a.namespace, a.folded, a.spelled, a.kind, a.chosen, count(*)
from {} on a.id = x.alias cross join memory m on m.number = x.number
where (x.held or x.said) and {} group by a.id
"""
_DISTINCT = """
select a.entity, count(distinct x.number) from {} on x.alias = a.id cross join memory m on m.number = x.number
where (x.held or x.said) and {} group by a.entity
"""
_NAMELESS = """
select count(*) from memory m
where {} and not exists (select 1 from mention x where x.number = m.number and (x.held or x.said))
"""
_LIKE = """
select distinct a.folded from alias a where a.tenant = ? and a.folded >= ? and a.folded < ?
and length(a.folded) between ? and ? and {} order by a.folded limit ?
"""
_OF_ENTITIES = "(select * from alias where entity in ({})) a cross join mention x"
_CHOSEN = "select entity, namespace, folded, spelled, kind, chosen, 0 from alias where chosen = 2 and entity in ({})"
_NAMED = "select a.entity from alias a where a.tenant = ? and a.folded in ({}) and {}"
# Of one alias, so that the index gives them in order and the rest of a long list is not read.
_MENTIONING = """
select x.number from mention x cross join memory m on m.number = x.number
where x.alias = ? and (x.held or x.said) and {} order by x.number desc limit ?
"""
_MENTIONED = """
select distinct x.number, a.entity from mention x cross join alias a on a.id = x.alias
where x.number in ({}) and (x.held or x.said) order by x.number, a.entity
"""
_TIES = """
select s.folded, t.folded, r.type, r.number
from alias e cross join entity_relation r on r.{end} = e.id cross join memory m on m.number = r.number
join alias s on s.id = r.source join alias t on t.id = r.target
where e.entity in ({marks}) and {condition}
"""
