"""One consistent snapshot of the file: searching it, and reading memories and what belongs to them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from datetime import tzinfo
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bethink.domain import Memory, Namespace, Relation, Status, Version, from_micros
from bethink.principal import AccessLevel
from bethink.storage.naming import Name, Tie
from bethink.storage.values import (
    Asker,
    Backlog,
    Candidates,
    Codes,
    EdgeSelection,
    Gap,
    Glimpse,
    Holding,
    Kept,
    Order,
    Outline,
    Place,
    Question,
    Selection,
    Space,
    Vector,
    Widen,
)

from . import edges, figures, filters, logs, rows, vectors
from . import entities as entities_
from . import tokens as tokens_
from .search import Index

_SORTS: Final = {
    "recorded": "m.recorded_at",
    "occurred": "m.occurred_at",
    "updated": "m.updated_at",
    "accessed": "coalesce(m.last_accessed_at, 0)",
    "importance": "m.importance",
    "title": "m.title",
}
_BATCH: Final = 500


class SqliteSnapshot:
    """What is seen in the transaction that its connection is in."""

    def __init__(self, db: sqlite3.Connection, tenant: int) -> None:
        self.db, self.tenant = db, tenant
        self._places: tuple[int | None, list[Place]] | None = None
        self._parts: tuple[int | None, dict[str, int]] | None = None

    def places(self) -> list[Place]:
        """Return every namespace, by path."""
        change = self._meta("change")
        if self._places is None or self._places[0] != change:
            self._places = change, [_place(row) for row in self.db.execute(_PLACES, (self.tenant,))]
        return self._places[1]

    def forget(self) -> None:
        """Forget what was seen in a transaction that was undone: its change numbers will stand for something else."""
        self._places = self._parts = None

    def held(self, place: int) -> int:
        """Return how many memories a namespace holds, whatever their state."""
        sql = "select count(*) from memory where tenant = ? and namespace = ?"
        found: int = self.db.execute(sql, (self.tenant, place)).fetchone()[0]
        return found

    def pinned(self, place: int) -> list[str]:
        """Return the ids of what is pinned in a namespace and in use, those first that were not read for longest."""
        return [row[0] for row in self.db.execute(_PINNED, (self.tenant, place))]

    def memories(self, numbers: Sequence[int]) -> list[Memory]:
        """Return memories by number, in the order asked for; numbers that are gone are left out."""
        return rows.memories(self.db, self._rows(rows.SELECT, numbers), self.tenant)

    def kept(self, ids: Sequence[str]) -> list[Kept]:
        """Return memories as they are kept, by id, in the order asked for; unknown ones are left out."""
        found: dict[str, tuple[int, int, frozenset[str]]] = {}
        for at in range(0, len(ids), _BATCH):
            batch = ids[at : at + _BATCH]
            for row in self.db.execute(f"{_KEPT} and id in ({_marks(batch)})", (self.tenant, *batch)):
                found[row[0]] = (row[1], row[2], rows.given_of(row[3:]))
        known = [i for i in ids if i in found]
        memories = self.memories([found[i][0] for i in known])
        return [Kept(found[m.id][0], found[m.id][1], m, found[m.id][2]) for m in memories]

    def resolve(self, text: str, selection: Selection) -> list[str]:
        """Return the ids that `text`, an id or a tail of one, may mean within reach; at most ten."""
        tail = text.lower().replace("-", "")
        condition, values = filters.visible(selection)
        sql = f"{_ENDING} = ? and {_ENDS} and {condition} order by m.id limit 10"
        return [row[0] for row in self.db.execute(sql, (tail[-6:], len(tail), tail, *values))]

    def numbers(self, ids: Sequence[str], selection: Selection) -> dict[str, int]:
        """Return the numbers of those ids that the selection admits."""
        condition, values = filters.where(selection)
        found: dict[str, int] = {}
        for at in range(0, len(ids), _BATCH):
            batch = ids[at : at + _BATCH]
            sql = f"select m.id, m.number from memory m where m.id in ({_marks(batch)}) and {condition}"
            found.update(self.db.execute(sql, (*batch, *values)).fetchall())
        return found

    def ids(self, numbers: Sequence[int]) -> list[str]:
        """Return the ids of those numbers, in the order asked for."""
        sql = f"select number, id from memory where number in ({_marks(numbers)})"
        found = dict(self.db.execute(sql, numbers).fetchall())
        return [found[number] for number in numbers]

    def current(self, numbers: Sequence[int], selection: Selection) -> dict[int, int]:
        """Return numbers, as they once were, with those that the memories have now, where the selection admits them."""
        condition, values = filters.where(selection)
        found: dict[int, int] = {}
        for at in range(0, len(numbers), _BATCH):
            batch = numbers[at : at + _BATCH]
            same = f"select m.number, m.number from memory m where m.number in ({_marks(batch)})"
            moved = (
                "select t.number, m.number from tombstone t"
                f" join memory m on m.tenant = t.tenant and m.id = t.memory where t.number in ({_marks(batch)})"
            )
            sql = f"{same} and {condition} union all {moved} and {condition}"
            found.update(self.db.execute(sql, (*batch, *values, *batch, *values)).fetchall())
        return found

    def handles(self, ids: Sequence[str], selection: Selection) -> dict[str, str]:
        """Return for each id its shortest tail, of at least 8 digits, that no other id within reach shares."""
        tails = sorted({i[-6:] for i in ids})
        condition, values = filters.visible(selection)
        alike: dict[str, list[str]] = {}
        for at in range(0, len(tails), _BATCH):
            batch = tails[at : at + _BATCH]
            sql = f"{_ENDING} in ({_marks(batch)}) and {condition}"
            for (other,) in self.db.execute(sql, (*batch, *values)):
                alike.setdefault(other[-6:], []).append(other.replace("-", ""))
        return {i: _shortest_tail(i.replace("-", ""), alike.get(i[-6:], [])) for i in ids}

    def page(self, selection: Selection, order: Order, limit: int) -> list[Memory]:
        """Return up to `limit` memories after the order's place."""
        condition, values = filters.where(selection)
        column, way = _SORTS[order.by], "desc" if order.descending else "asc"
        if order.after is not None:
            condition += f" and ({column}, m.id) {'<' if order.descending else '>'} (?, ?)"
            values = (*values, *order.after)
        order_by = f"order by {column} {way}, m.id {way}"
        # The numbers first: sorting whole memories to drop most of them costs six times as much.
        chosen = f"select m.number from memory m where {condition} {order_by} limit ?"
        sql = f"{rows.SELECT} where m.number in ({chosen}) {order_by}"
        return rows.memories(self.db, self.db.execute(sql, (*values, limit)), self.tenant)

    def count(self, selection: Selection) -> int:
        """Return how many memories the selection admits."""
        condition, values = filters.where(selection)
        found: int = self.db.execute(f"select count(*) from memory m where {condition}", values).fetchone()[0]
        return found

    def versions(self, memory: str) -> list[Version]:
        """Return the earlier states of a memory, oldest first."""
        return [_version(row) for row in self.db.execute(_VERSIONS, (self.tenant, memory))]

    def relations(self, memories: Sequence[str]) -> list[Relation]:
        """Return every edge that starts or ends at one of `memories`."""
        return edges.relations(self.db, self.tenant, memories)

    def relations_between(self, memory: str, others: Sequence[str]) -> list[Relation]:
        """Return the edges that join a memory with any of `others`; how many it has beside them costs nothing."""
        return edges.between(self.db, self.tenant, memory, others)

    def edge(self, source: str, target: str, kind: str) -> Relation | None:
        """Return the edge of a triple, if it is there."""
        return edges.one(self.db, self.tenant, source, target, kind)

    def neighbours(
        self,
        memory: str,
        selection: Selection,
        *,
        limit: int,
        types: frozenset[str] = frozenset(),
        outgoing: bool = True,
        incoming: bool = True,
    ) -> list[Relation]:
        """Return the first edges of a memory to what the selection admits, those that say most first."""
        return edges.neighbours(
            self.db, memory, selection, limit=limit, types=types, outgoing=outgoing, incoming=incoming
        )

    def degrees(self, memories: Sequence[str], selection: Selection) -> dict[str, int]:
        """Return how many edges each of `memories` has to what the selection admits."""
        return edges.degrees(self.db, memories, selection)

    def outlines(self, memories: Sequence[str]) -> dict[str, Outline]:
        """Return what names each of `memories` that is there."""
        return edges.outlines(self.db, self.tenant, memories)

    def edges(self, chosen: EdgeSelection, limit: int) -> list[Relation]:
        """Return up to `limit` edges after the selection's place: the newest first, then by their ends."""
        return edges.page(self.db, chosen, limit)

    def count_edges(self, chosen: EdgeSelection) -> int:
        """Return how many edges there are, whatever the place."""
        return edges.count(self.db, chosen)

    def without(self, embedder: Space, limit: int) -> list[Kept]:
        """Return the first memories, by number, that have no vector of this embedder."""
        where = (self.tenant, self.tenant, self._embedder_key(embedder), limit)
        return self.kept([row[0] for row in self.db.execute(f"select id {_WITHOUT} order by number limit ?", where)])

    def count_without(self, embedder: Space) -> int:
        """Return how many memories have no vector of this embedder."""
        where = (self.tenant, self.tenant, self._embedder_key(embedder))
        found: int = self.db.execute(f"select count(*) {_WITHOUT}", where).fetchone()[0]
        return found

    def names(
        self, selection: Selection, *, folded: Sequence[str] | None = None, entities: Sequence[int] | None = None
    ) -> list[Name]:
        """Return the names of entities that the admitted memories hold, by entity; a chosen one though none holds it.

        Of all entities, of `entities`, or of those that one of the names `folded` stands for.
        """
        if folded is not None:
            entities = entities_.named(self.db, selection, folded)
        return entities_.names(self.db, selection, entities)

    def entities_named(self, folded: Sequence[str], selection: Selection) -> list[int]:
        """Return the entities that have one of these names, as far as a memory in reach holds it."""
        return entities_.named(self.db, selection, folded)

    def names_like(self, folded: str, selection: Selection) -> list[str]:
        """Return the names in reach that begin as a folded one does and are about as long: it may be a slip of one."""
        return entities_.names_like(self.db, selection, folded)

    def counted(self, entities: Sequence[int], selection: Selection) -> dict[int, int]:
        """Return how many of the admitted memories mention each entity, by any of its names."""
        return entities_.counted(self.db, selection, entities)

    def count_nameless(self, selection: Selection) -> int:
        """Return how many of the admitted memories mention nothing."""
        return entities_.count_nameless(self.db, selection)

    def mentioning(self, entities: Sequence[int], selection: Selection, most: int) -> list[tuple[int, int]]:
        """Return (entity, number of an admitted memory that mentions it), of each entity up to `most`, the newest."""
        return entities_.mentioning(self.db, selection, entities, most)

    def mentioned(self, numbers: Sequence[int]) -> list[tuple[int, int]]:
        """Return (number, entity that this memory mentions)."""
        return entities_.mentioned(self.db, numbers)

    def ties(self, entities: Sequence[int], selection: Selection) -> list[Tie]:
        """Return the edges that admitted memories say of entities, in order."""
        return entities_.ties(self.db, selection, entities)

    def vector_of(self, memory: str) -> Vector | None:
        """Return the first vector of a memory in the embedder's space, if it has one."""
        number = self.db.execute(
            "select number from memory where tenant = ? and id = ?", (self.tenant, memory)
        ).fetchone()
        where = (self.tenant, self._embedder_key(None), number[0] if number else 0)
        kept = self.db.execute(_FIRST_VECTOR, where).fetchone()
        return vectors.restored(*kept) if kept else None

    def children(self, memory: str, selection: Selection) -> list[Memory]:
        """Return the parts of a memory, in order, that the selection admits."""
        condition, values = filters.where(selection)
        sql = f"{rows.SELECT} where {condition} and m.parent_id = ? order by m.ordinal, m.id"
        return rows.memories(self.db, self.db.execute(sql, (*values, memory)), self.tenant)

    def by_identity(self, identity: bytes) -> str | None:
        """Return the id of the living memory with this identity."""
        row = self.db.execute(_SAME, (self.tenant, identity)).fetchone()
        return row[0] if row else None

    def delivered(self, principal: str, agent: str, memories: Sequence[str], since: int) -> set[str]:
        """Return those of `memories` that a recall has shown to this principal and agent since then."""
        sql = (
            f"select memory from delivery where tenant = ? and principal = ? and agent = ? and at >= ?"
            f" and memory in ({_marks(memories)})"
        )
        return {row[0] for row in self.db.execute(sql, (self.tenant, principal, agent, since, *memories))}

    def gaps(self, asker: Asker, least: int) -> list[Gap]:
        """Return the questions that found nothing at least so often, the most frequent first, then the latest."""
        return logs.gaps(self.db, self.tenant, asker, least)

    def oldest_log(self) -> int | None:
        """Return when the oldest of what was shown, or found nothing, and is still told apart happened."""
        return logs.oldest(self.db, self.tenant)

    def daily(self, what: str) -> int:
        """Return how much of what was logged is in the daily totals by now: `shown` or `missed`."""
        return logs.daily(self.db, self.tenant, what)

    def secret(self) -> bytes:
        """Return the key of this store, with which it signs and hashes."""
        return bytes(self._meta("secret"))

    def embedder(self) -> Space | None:
        """Return the identity and dimensions of the embedder whose vectors are served, if any is."""
        row = self.db.execute(_EMBEDDER, (self.tenant,)).fetchone()
        return (row[0], row[1]) if row else None

    def analyzer(self) -> int:
        """Return the version of the analyzer that the terms of the memories are of."""
        return int(self._meta("analyzer") or 0)

    def beyond(self, number: int, limit: int) -> list[Kept]:
        """Return the first memories, by number, whose numbers are greater."""
        sql = "select id from memory where tenant = ? and number > ? order by number limit ?"
        return self.kept([row[0] for row in self.db.execute(sql, (self.tenant, number, limit))])

    def reindexed(self) -> int:
        """Return the number up to which terms of another analyzer have been replaced; 0 where none have."""
        return int(self._meta("reindexed") or 0)

    def has_due(self, kinds: Sequence[str], now: int) -> bool:
        """Say whether a job of these kinds waits that is due and held by nobody."""
        due = "select 1 from job where tenant = ? and run_at <= ? and leased_until <= ?"
        sql = f"{due} and kind in ({_marks(kinds)}) limit 1"
        return self.db.execute(sql, (self.tenant, now, now, *kinds)).fetchone() is not None

    def facts(self) -> dict[str, Any]:
        """Return what is worth knowing about the store as a whole."""
        return dict(zip(_FACTS_NAMES, self.db.execute(_FACTS, {"tenant": self.tenant}).fetchone(), strict=True))

    def holdings(self, selection: Selection) -> dict[int, Holding]:
        """Return what the admitted memories of each namespace come to; a namespace without any is left out."""
        return figures.holdings(self.db, selection)

    def untouched(self, selection: Selection, since: int) -> int:
        """Count the admitted memories that were neither written, confirmed nor shown since then."""
        return figures.untouched(self.db, selection, since)

    def backlog(self) -> list[Backlog]:
        """Return what waits in the queue, by kind of job."""
        return figures.backlog(self.db, self.tenant)

    def sizes(self) -> dict[str, int]:
        """Return the bytes of each part of what is kept, then those of the file and of the log beside it."""
        change = self._meta("change")
        if self._parts is None or self._parts[0] != change:
            self._parts = change, figures.parts(self.db, self.tenant)
        return {**self._parts[1], **figures.logs(self.db, self.tenant)}

    def _rows(self, select: str, numbers: Sequence[int]) -> list[Any]:
        """The rows of those numbers, in the order asked for."""
        found: dict[int, Any] = {}
        wanted = list(map(int, numbers))  # they may come from an array, whose numbers SQLite does not know
        for at in range(0, len(wanted), _BATCH):
            batch = wanted[at : at + _BATCH]
            found |= {row[0]: row for row in self.db.execute(f"{select} where m.number in ({_marks(batch)})", batch)}
        return [found[number] for number in wanted if number in found]

    def _embedder_key(self, embedder: Space | None) -> int | None:
        if embedder is None:
            key: int | None = self._meta("embedder")
            return key
        sql = "select id from embedder where tenant = ? and identity = ? and dimensions = ?"
        row = self.db.execute(sql, (self.tenant, *embedder)).fetchone()
        return row[0] if row else None

    def _meta(self, key: str) -> Any:
        row = self.db.execute("select value from meta where tenant = ? and key = ?", (self.tenant, key)).fetchone()
        return row[0] if row else None


class SqliteReader(SqliteSnapshot):
    """Searches too, in columns that it holds in memory and brings up to date."""

    def __init__(self, db: sqlite3.Connection, tenant: int) -> None:
        super().__init__(db, tenant)
        self._index = Index(tenant)
        self._seen: dict[str, Any] = {}

    def begin(self) -> None:
        """Take a snapshot: until it is rolled back nothing that is read changes."""
        self.db.execute("begin")
        try:
            self._seen = dict(self.db.execute(_META, (self.tenant,)).fetchall())
        except sqlite3.Error:
            if self.db.in_transaction:  # some errors end it by themselves
                self.db.execute("rollback")
            raise

    def _meta(self, key: str) -> Any:
        return self._seen.get(key)

    def candidates(self, question: Question, selection: Selection, *, widen: Widen | None = None) -> Candidates:
        """Gather what keyword and meaning find within the selection, and what `widen` names when it has seen that."""
        self._index.refresh(self.db, self._seen)
        return self._index.candidates(self.db, question, selection, widen)

    def unknown(self, terms: Sequence[str]) -> set[str]:
        """Return those of `terms` that no memory holds."""
        self._index.refresh(self.db, self._seen)
        return self._index.unknown(self.db, terms)

    def terms_like(self, term: str) -> list[str]:
        """Return the terms of memories, in reach or not, with the same beginning and about the same length."""
        self._index.refresh(self.db, self._seen)
        return self._index.lists.like(self.db, term)

    def likeness(self, numbers: Sequence[int], tokens: Codes) -> NDArray[np.float64]:
        """Return how like the most like of a memory's telling tokens is to each of a question's: (memories, tokens)."""
        self._index.refresh(self.db, self._seen)
        return tokens_.likeness(self.db, self._index.first_vectors(numbers), tokens)

    def rarity(self, terms: Sequence[str]) -> dict[str, float]:
        """Return how much each term tells, by how few of all memories hold it."""
        self._index.refresh(self.db, self._seen)
        return self._index.rarity(self.db, terms)

    def vectors(self, memory: str, most: int) -> list[Vector]:
        """Return vectors of a memory in the space of the embedder in use: all, or `most` evenly over its text."""
        where = (self.tenant, self._embedder_key(None), self.tenant, memory)
        kept = self.db.execute(_VECTORS, where).fetchall()
        step = max(len(kept) / most, 1)
        return [vectors.restored(*kept[int(place * step)]) for place in range(min(len(kept), most))]

    def glimpses(self, numbers: Sequence[int]) -> list[Glimpse]:
        """Return what hits show of memories, by number, in the order asked for; numbers that are gone are left out."""
        return rows.glimpses(self.db, self._rows(rows.GLIMPSE, numbers), self.tenant)

    def tally(self, selection: Selection, by: str) -> dict[str | None, int]:
        """Count the admitted memories by one property, most first; None stands for those without it."""
        self._index.refresh_columns(self.db, self._seen.get("change", 0))
        counts = self._index.tally(self.db, selection, by)
        if by == "namespace":
            paths = {place.id: place.namespace.path for place in self.places()}
            counts = {paths[place]: count for place, count in counts.items()}
        named = {None if value is None else str(value): count for value, count in counts.items()}
        return dict(sorted(named.items(), key=lambda one: (-one[1], one[0] or "")))

    def months(self, selection: Selection, by: str, zone: tzinfo) -> dict[str, int]:
        """Count the admitted memories by the month, as it is in a zone, of one of their times, the latest first."""
        self._index.refresh_columns(self.db, self._seen.get("change", 0))
        return dict(sorted(self._index.months(self.db, selection, by, zone).items(), reverse=True))

    def spread(self, selection: Selection, by: str, bounds: Sequence[int]) -> list[int]:
        """Count the admitted memories before the first bound, between each two, and from the last on."""
        self._index.refresh_columns(self.db, self._seen.get("change", 0))
        return self._index.spread(self.db, selection, by, bounds)


_KEPT = f"select id, number, namespace, {', '.join(f'{g}_given' for g in rows.GIVEN)} from memory where tenant = ?"
_META = "select key, value from meta where tenant = ?"
_ENDS = "substr(replace(m.id, '-', ''), -?) = ?"
# Left to itself the planner scans the ids.
_ENDING = "select m.id from memory m indexed by memory_tail where substr(m.id, -6)"
_SAME = "select id from memory where tenant = ? and identity = ?"
_PLACES = """
select id, path, settings, created_at from namespace where tenant = ? order by path
"""
_PINNED = """
select id from memory where tenant = ? and namespace = ? and pinned and status not in ('retired', 'superseded')
order by coalesce(last_accessed_at, 0), number
"""
_VERSIONS = """
select number, state, replaced_at, changed, by, reason from version where tenant = ? and memory = ? order by number
"""
_WITHOUT = """
from memory m where m.tenant = ?
and not exists (select 1 from vector v where v.tenant = ? and v.embedder = ? and v.number = m.number)
"""
_FIRST_VECTOR = """
select scale, code from vector where tenant = ? and embedder = ? and number = ? order by start limit 1
"""
_VECTORS = """
select scale, code from vector where tenant = ? and embedder = ?
and number = (select number from memory where tenant = ? and id = ?) order by start
"""
_EMBEDDER = """
select e.identity, e.dimensions from meta join embedder e on e.id = meta.value
where meta.tenant = ? and meta.key = 'embedder'
"""
_FACTS_NAMES = ("waiting_jobs", "failed_jobs", "relations", "versions", "events", "vectors", "proposals")
_FACTS = """
select count(*) filter (where error is null), count(*) filter (where error is not null),
  (select count(*) from relation where tenant = :tenant),
  (select count(*) from version where tenant = :tenant),
  (select count(*) from event where tenant = :tenant),
  (select count(*) from vector where tenant = :tenant),
  (select count(*) from proposal where tenant = :tenant and decided_at is null)
from job where tenant = :tenant
"""


def _marks(values: Sequence[Any]) -> str:
    return ",".join("?" * len(values))


def _place(row: tuple[int, str, str, int]) -> Place:
    key, path, settings, created_at = row
    return Place(key, Namespace(path=path, created_at=from_micros(created_at), **json.loads(settings)))


def _shortest_tail(digits: str, alike: list[str]) -> str:
    others = [other for other in alike if other != digits]
    length = next((n for n in range(8, 32) if all(o[-n:] != digits[-n:] for o in others)), 32)
    return digits[-length:]


def _version(row: tuple[int, str, int, str, str | None, str | None]) -> Version:
    number, state, replaced_at, changed, by, reason = row
    kept = json.loads(state)
    return Version(
        number=number,
        title=kept["title"],
        content=kept["content"],
        tags=tuple(kept["tags"]),
        status=Status(kept["status"]),
        access_level=AccessLevel(kept["access_level"]),
        valid_to=kept["valid_to"],
        replaced_at=from_micros(replaced_at),
        changed=tuple(json.loads(changed)),
        by=by,
        reason=reason,
    )
