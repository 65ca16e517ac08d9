"""One transaction: a memory's row, its keyword terms, its vectors, tags, versions, edges and events change together."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from bethink.domain import Memory, Relation, to_micros
from bethink.errors import Unavailable
from bethink.storage.values import Asker, Draft, Event, Job, Miss, Piece, Place, Space
from bethink.text.analyzer import length
from bethink.text.mentions import Mention
from bethink.text.tags import fold_tag

from . import edges, logs, mentions, postings, rows, vectors
from .reader import SqliteSnapshot


class SqliteWriter(SqliteSnapshot):
    """Writes in the transaction that its connection is in; the store commits or rolls back."""

    def add_place(self, path: str, at: int) -> Place:
        """Create a namespace, or return the one that is there."""
        self.db.execute(_ADD_PLACE, (self.tenant, path, at))
        self.touch()
        return {place.namespace.path: place for place in self.places()}[path]

    def change_place(self, path: str, settings: dict[str, Any]) -> None:
        """Keep `settings` as those of a namespace."""
        kept = json.dumps(settings, ensure_ascii=False)
        self.db.execute("update namespace set settings = ? where tenant = ? and path = ?", (kept, self.tenant, path))
        self.touch()

    def add(self, draft: Draft) -> None:
        """Write a new memory with everything that belongs to it."""
        memory = draft.memory
        number = self.db.execute(_ADD, self._row(draft)).fetchone()[0]
        self._link(number, draft)
        self.db.execute(_ADD_BODY, (number, self.tenant, *rows.row_of(memory, rows.BULKY)))
        self._tag(memory)
        mentions.add(self.db, self.tenant, draft.namespace, number, draft.mentions)
        self.db.execute("insert into terms values (?, ?, ?)", (number, self.tenant, postings.encode(draft.terms)))
        if draft.pieces is None:
            self.enqueue("embed", memory.id, to_micros(memory.recorded_at))
        else:
            self._add_vectors(number, draft.pieces)

    def revise(
        self, draft: Draft, *, text_changed: bool, changed: Sequence[str], by: str, reason: str | None, at: int
    ) -> None:
        """Write a memory's new state, keeping the one before as a version."""
        memory = draft.memory
        number = self._number(memory.id)
        self._keep_version(memory.id, number, changed=changed, by=by, reason=reason, at=at)
        if self._terms(number) != draft.terms:
            number = self._renumber(memory.id, number, draft.terms)
        moves = self._thread(number) != memory.thread
        if moves:
            self._unlink(number)
        self.db.execute(_REVISE, (*self._row(draft), number))
        if moves:
            self._link(number, draft)
        self.db.execute("delete from body where number = ?", (number,))
        self.db.execute(_ADD_BODY, (number, self.tenant, *rows.row_of(memory, rows.BULKY)))
        self._tag(memory)
        mentions.replace(self.db, self.tenant, draft.namespace, number, draft.mentions)
        if text_changed:
            self._replace_vectors(memory.id, number, draft.pieces, at)

    def relate(self, relation: Relation) -> None:
        """Draw an edge; the same triple stays the edge that is there."""
        self.touch()
        edges.add(self.db, self.tenant, relation)

    def put_edge(self, relation: Relation) -> None:
        """Draw an edge, in place of the same triple where that is there."""
        self.touch()
        edges.put(self.db, self.tenant, relation)

    def remove_edge(self, source: str, target: str, kind: str) -> None:
        """Take an edge away."""
        self.touch()
        edges.remove(self.db, self.tenant, source, target, kind)

    def say(self, memory: str, said: Sequence[Mention], ties: Sequence[mentions.Tied]) -> None:
        """Keep what a caller says that a memory mentions, and of edges, in place of what one said before."""
        self.touch()
        number, namespace = self.db.execute(_PLACE, (self.tenant, memory)).fetchone()
        mentions.say(self.db, self.tenant, (namespace, number), said, ties)

    def merge_entities(self, target: int, others: Sequence[int], name: str) -> None:
        """Give all names of others to `target`, whose name is the folded `name` from now on."""
        self.touch()
        mentions.merge(self.db, target, others, name)

    def rename_entity(self, entity: int, mention: Mention) -> None:
        """Give an entity another name; the names that it had stay names of it."""
        self.touch()
        mentions.rename(self.db, self.tenant, entity, mention)

    def erase(self, memories: Iterable[str]) -> None:
        """Remove memories and all that could tell their text: rows, versions, posting lists, vectors, edges, logs."""
        for memory in memories:
            which = {"tenant": self.tenant, "memory": memory}
            numbers = [row[0] for row in self.db.execute(_NUMBERS, which)]
            for number in numbers:
                postings.remove(self.db, self.tenant, number, self._terms(number))
            self.db.executemany(
                "delete from vector where tenant = ? and number = ?", [(self.tenant, n) for n in numbers]
            )
            mentions.erase(self.db, self.tenant, self._number(memory))
            self._unlink(self._number(memory))
            self._bury(memory, self._number(memory))
            for sql in _ERASE_BY_NUMBER:
                self.db.executemany(sql, [(self.tenant, n) for n in numbers])
            for sql in _ERASE_BY_ID:
                self.db.execute(sql, which)

    def log(self, event: Event) -> None:
        """Append an event."""
        self.db.execute(
            _LOG,
            (self.tenant, event.at, event.operation, event.principal, event.agent, json.dumps(event.memories),
             json.dumps(event.fields), event.reason),
        )  # fmt: skip

    def enqueue(self, kind: str, memory: str | None, at: int) -> None:
        """Queue work; the same work waits once, and under a new id: whoever does it already cannot finish this."""
        self.db.execute(_ENQUEUE, (self.tenant, kind, memory or "", at))

    def claim(self, kinds: Sequence[str], now: int, lease: int) -> Job | None:
        """Take the oldest job that is due and held by nobody, for `lease` microseconds."""
        marks = ",".join("?" * len(kinds))
        sql = f"{_CLAIM} and kind in ({marks}) order by id limit 1) returning id, kind, memory, payload, attempts"
        row = self.db.execute(sql, (now + lease, self.tenant, now, now, *kinds)).fetchone()
        return Job(row[0], row[1], row[2] or None, json.loads(row[3]), row[4]) if row else None

    def finish(self, job: Job) -> None:
        """Take a job that is done off the queue."""
        self.db.execute("delete from job where tenant = ? and id = ?", (self.tenant, job.id))

    def fail(self, job: Job, error: str, retry_at: int) -> None:
        """Put a job back with what went wrong."""
        self.db.execute(_FAIL, (error[:500], retry_at, self.tenant, job.id))

    def embed(self, number: int, pieces: Sequence[Piece], *, embedder: Space | None = None) -> None:
        """Give a memory vectors of an embedder, by default the one in use, in place of any it has of it.

        Nothing is kept for a number that no longer stands for a memory.
        """
        sql = "update memory set embedded = 1, change = ? where tenant = ? and number = ?"
        if not self.db.execute(sql, (self.touch(), self.tenant, number)).rowcount:
            return
        space = self._embedder_key(embedder)
        self.db.execute(
            "delete from vector where tenant = ? and embedder = ? and number = ?", (self.tenant, space, number)
        )
        self._add_vectors(number, pieces, space)

    def propose(self, kind: str, memory: str, other: str, evidence: dict[str, Any], at: int) -> None:
        """Put a change before the owner; the same one is put once."""
        self.db.execute(_PROPOSE, (self.tenant, kind, memory, other, json.dumps(evidence), at))

    def note_access(self, shown: Iterable[tuple[str, str, str, int]]) -> None:
        """Count reads and remember what was shown to whom: (principal, agent, memory, time)."""
        batch = list(shown)
        self.db.executemany(_SHOWN, [(self.tenant, p, a, m, at) for p, a, m, at in batch])
        self.db.executemany(_READ, [(at, self.tenant, m) for _, _, m, at in batch])

    def note_gaps(self, missed: Iterable[Miss]) -> None:
        """Remember questions that found nothing."""
        logs.note_gaps(self.db, self.tenant, missed)

    def forget_gaps(self, keys: Sequence[str] | None, asked: Asker) -> list[str]:
        """Forget questions that found nothing by their keys, or all of an asker's; return the keys that there were."""
        return logs.forget_gaps(self.db, self.tenant, keys, asked)

    def prune_logs(self, before: int) -> None:
        """Count what was shown and what found nothing before then into daily totals, and forget it."""
        logs.prune(self.db, self.tenant, before)

    def reindex(self, number: int, terms: dict[str, int], speaker: str | None) -> None:
        """Replace the terms of a memory, which may give it a new number after all others, and say so far it is done."""
        sql = "select id, speaker from memory where tenant = ? and number = ?"
        row = self.db.execute(sql, (self.tenant, number)).fetchone()
        if row and (self._terms(number), row[1]) != (terms, speaker):
            new = self._renumber(row[0], number, terms)
            self.db.execute(_RETERM, (length(terms), speaker, self.touch(), new))
        self._note("reindexed", number)

    def use_analyzer(self, version: int) -> None:
        """Say that all terms are of this version."""
        self._note("analyzer", version)
        self.db.execute("delete from meta where tenant = ? and key = 'reindexed'", (self.tenant,))

    def add_embedder(self, identity: str, dimensions: int) -> None:
        """Make an embedder known, so that vectors of it can be kept."""
        self.db.execute(_ADD_EMBEDDER, (self.tenant, identity, dimensions))

    def use_embedder(self, identity: str, dimensions: int) -> None:
        """Serve the vectors of this embedder from now on, and drop all others."""
        self.add_embedder(identity, dimensions)
        space = self._embedder_key((identity, dimensions))
        self._note("embedder", space)
        self.db.execute("delete from vector where tenant = ? and embedder != ?", (self.tenant, space))
        self.db.execute(_MARK_EMBEDDED, (self.tenant, space, self.touch()))

    def touch(self) -> int:
        """Return the change number of this transaction, telling every index that there is something new."""
        change: int = self.db.execute(_CHANGE, (self.tenant,)).fetchone()[0]
        return change

    def _note(self, key: str, value: Any) -> None:
        self.db.execute("insert or replace into meta values (?, ?, ?)", (self.tenant, key, value))

    def _row(self, draft: Draft) -> list[Any]:
        memory = draft.memory
        thread = memory.thread
        given = [int(name in draft.given) for name in rows.GIVEN]
        return [
            *(
                self.tenant,
                self.touch(),
                draft.namespace,
                draft.identity,
                draft.wording,
                thread,
                self._previous(draft, thread),
                draft.speaker,
                length(draft.terms),
                int(memory.embedded),
            ),
            *given,
            *rows.row_of(memory, rows.NARROW),
        ]

    def _previous(self, draft: Draft, thread: str | None) -> int | None:
        if thread is None:
            return None
        row = self.db.execute(_BEFORE, self._place_in_thread(draft)).fetchone()
        return row[0] if row else None

    def _thread(self, number: int) -> str | None:
        found: str | None = self.db.execute("select thread from memory where number = ?", (number,)).fetchone()[0]
        return found

    def _link(self, number: int, draft: Draft) -> None:
        """Make it the one before what follows it in its thread: a clock may run back, a writer be overtaken."""
        if draft.memory.thread is not None:
            self.db.execute(_LINK, {**self._place_in_thread(draft), "number": number, "change": self.touch()})

    def _unlink(self, number: int) -> None:
        self.db.execute(_UNLINK, {"number": number, "change": self.touch()})

    def _place_in_thread(self, draft: Draft) -> dict[str, Any]:
        memory = draft.memory
        where = {"tenant": self.tenant, "namespace": draft.namespace, "thread": memory.thread}
        return {**where, "at": to_micros(memory.recorded_at), "id": memory.id}

    def _tag(self, memory: Memory) -> None:
        self.db.execute("delete from tag where tenant = ? and memory = ?", (self.tenant, memory.id))
        tags = [(self.tenant, fold_tag(tag), memory.id, tag, place) for place, tag in enumerate(memory.tags)]
        self.db.executemany("insert or ignore into tag values (?, ?, ?, ?, ?)", tags)

    def _number(self, memory: str) -> int:
        found: int = self.db.execute(
            "select number from memory where tenant = ? and id = ?", (self.tenant, memory)
        ).fetchone()[0]
        return found

    def _terms(self, number: int) -> dict[str, int]:
        row = self.db.execute("select list from terms where number = ?", (number,)).fetchone()
        return postings.decode(row[0]) if row else {}

    def _keep_version(
        self, memory: str, number: int, *, changed: Sequence[str], by: str, reason: str | None, at: int
    ) -> None:
        (before,) = self.memories([number])
        state = before.model_dump_json(exclude={"access_count", "last_accessed_at", "embedded"})
        self.db.execute(
            "insert into version values (?, ?, ?, ?, ?, ?, ?, ?)",
            (self.tenant, memory, before.version, state, json.dumps(list(changed)), at, by, reason),
        )

    def _renumber(self, memory: str, number: int, terms: dict[str, int]) -> int:
        """Move a memory whose terms changed to a new number; its vectors go with it."""
        new: int = self.db.execute(_NEXT).fetchone()[0]
        self._bury(memory, number)
        if number > (self._meta("sealed") or 0):
            self.db.execute("delete from terms where number = ?", (number,))
        self.db.execute("insert into terms values (?, ?, ?)", (new, self.tenant, postings.encode(terms)))
        self.db.execute("update memory set number = ? where number = ?", (new, number))
        self.db.execute("update body set number = ? where number = ?", (new, number))
        self.db.execute("update memory set previous = ?, change = ? where previous = ?", (new, self.touch(), number))
        mentions.carry(self.db, number, new)
        for (vector,) in self.db.execute(_VECTORS, (self.tenant, number)).fetchall():
            carried = self.db.execute(_CARRY_VECTOR, (new, vector)).lastrowid
            self.db.execute("update token set vector = ? where vector = ?", (carried, vector))
        self.db.execute("delete from vector where tenant = ? and number = ?", (self.tenant, number))
        return new

    def _bury(self, memory: str, number: int) -> None:
        self.db.execute(
            "insert or ignore into tombstone values (?, ?, ?, ?)", (number, self.tenant, memory, self.touch())
        )

    def _replace_vectors(self, memory: str, number: int, pieces: Sequence[Piece] | None, at: int) -> None:
        self.db.execute("delete from vector where tenant = ? and number = ?", (self.tenant, number))
        if pieces is None:
            self.enqueue("embed", memory, at)
        else:
            self._add_vectors(number, pieces)

    def _add_vectors(self, number: int, pieces: Sequence[Piece], space: int | None = None) -> None:
        embedder = space or self._meta("embedder")
        self._check_lengths(embedder, pieces)
        for piece in pieces:
            kept = (self.tenant, embedder, number, piece.start, piece.stop, *vectors.quantise(piece.vector))
            added = self.db.execute(_ADD_VECTOR, kept)
            if piece.tokens:
                self.db.execute("insert into token values (?, ?)", (added.lastrowid, piece.tokens))

    def _check_lengths(self, embedder: int | None, pieces: Sequence[Piece]) -> None:
        """Refuse what no search could compare."""
        identity, dimensions = self.db.execute(_SPACE, (embedder,)).fetchone()
        wrong = next((len(piece.vector) for piece in pieces if len(piece.vector) != dimensions), None)
        if wrong is not None:
            raise Unavailable(
                f"a vector of {wrong} dimensions came where those of {identity} have {dimensions}",
                hint="Run `bethink reembed`.",
            )


_WRITTEN = (
    "tenant", "change", "namespace", "identity", "wording", "thread", "previous", "speaker", "length", "embedded",
    *(f"{name}_given" for name in rows.GIVEN), *rows.NARROW,
)  # fmt: skip
_BEFORE = """
select number from memory where tenant = :tenant and namespace = :namespace and thread = :thread
and (recorded_at, id) < (:at, :id) order by recorded_at desc, id desc limit 1
"""
_LINK = """
update memory set previous = :number, change = :change where number = (
select number from memory where tenant = :tenant and namespace = :namespace and thread = :thread
and (recorded_at, id) > (:at, :id) order by recorded_at, id limit 1)
"""
_UNLINK = """
update memory set previous = (select previous from memory where number = :number), change = :change
where previous = :number
"""
_ADD_PLACE = "insert or ignore into namespace (tenant, path, created_at) values (?, ?, ?)"
_ADD = f"insert into memory ({', '.join(_WRITTEN)}) values ({', '.join('?' * len(_WRITTEN))}) returning number"
_REVISE = f"update memory set {', '.join(f'{c} = ?' for c in _WRITTEN)} where number = ?"
_RETERM = "update memory set length = ?, speaker = ?, change = ? where number = ?"
_ADD_BODY = (
    f"insert into body (number, tenant, {', '.join(rows.BULKY)}) values (?, ?, {', '.join('?' * len(rows.BULKY))})"
)
_ADD_VECTOR = """
insert into vector (tenant, embedder, number, start, stop, scale, code) values (?, ?, ?, ?, ?, ?, ?)
"""
_VECTORS = "select id from vector where tenant = ? and number = ? order by id"
_CARRY_VECTOR = """
insert into vector (tenant, embedder, number, start, stop, scale, code)
select tenant, embedder, ?, start, stop, scale, code from vector where id = ?
"""
_NEXT = "update sqlite_sequence set seq = seq + 1 where name = 'memory' returning seq"
_CHANGE = """
insert into meta values (?, 'change', 1) on conflict (tenant, key) do update set value = value + 1 returning value
"""
_LOG = """
insert into event (tenant, at, operation, principal, agent, memories, fields, reason) values (?, ?, ?, ?, ?, ?, ?, ?)
"""
_ENQUEUE = """
insert or replace into job (tenant, kind, memory, run_at) values (?, ?, ?, ?)
"""
_CLAIM = """
update job set leased_until = ?, attempts = attempts + 1
where id = (select id from job where tenant = ? and run_at <= ? and leased_until <= ?
"""
_FAIL = "update job set error = ?, run_at = ?, leased_until = 0 where tenant = ? and id = ?"
_PROPOSE = (
    "insert or ignore into proposal (tenant, kind, memory, other, evidence, created_at) values (?, ?, ?, ?, ?, ?)"
)
_SHOWN = "insert or replace into delivery values (?, ?, ?, ?, ?)"
_READ = "update memory set access_count = access_count + 1, last_accessed_at = ? where tenant = ? and id = ?"
_MARK_EMBEDDED = """
update memory set embedded = not embedded, change = ?3
where tenant = ?1 and embedded != exists (
  select 1 from vector v where v.tenant = ?1 and v.embedder = ?2 and v.number = memory.number
)
"""
_PLACE = "select number, namespace from memory where tenant = ? and id = ?"
_SPACE = "select identity, dimensions from embedder where id = ?"
_ADD_EMBEDDER = "insert or ignore into embedder (tenant, identity, dimensions) values (?, ?, ?)"
_NUMBERS = """
select number from memory where tenant = :tenant and id = :memory
union select number from tombstone where tenant = :tenant and memory = :memory
"""
_ERASE_BY_NUMBER = (
    "delete from terms where tenant = ? and number = ?",
    "delete from body where tenant = ? and number = ?",
    "delete from memory where tenant = ? and number = ?",
)
_ERASE_BY_ID = (
    "delete from tag where tenant = :tenant and memory = :memory",
    "delete from version where tenant = :tenant and memory = :memory",
    "delete from relation where tenant = :tenant and (source = :memory or target = :memory)",
    "delete from delivery where tenant = :tenant and memory = :memory",
    "delete from job where tenant = :tenant and memory = :memory",
    "delete from proposal where tenant = :tenant and (memory = :memory or other = :memory)",
)
