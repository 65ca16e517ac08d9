"""The index of one process: columns, keyword tail and vectors, brought in step with the file before every search."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from datetime import tzinfo
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bethink.domain import Status
from bethink.storage.values import Candidates, Question, Selection, Vector, Widen
from bethink.text.speakers import ASKER, ASSISTANT

from . import edges, filters, labels, postings
from .columns import FIELDS, Columns, Mask, is_one_of
from .lists import Lists, Tail
from .masks import Masks
from .nearest import RESCORED, Nearest
from .numbers import distinct
from .vectors import Evidence, Vectors

Numbers = NDArray[np.int64]

_MOST_MASKS: Final = 16
# What is of the time asked about comes beside the nearest of all: of fewer the cosines are computed.
_RESCORED_OF_A_TIME: Final = 4


class Index:
    """What a search reads beside the file. Belongs to one connection; `refresh` runs inside its read transaction."""

    def __init__(self, tenant: int) -> None:
        self.tenant = tenant
        self.columns = Columns()
        self.masks = Masks(self.columns)
        self.lists = Lists(tenant)
        self._scratch = postings.Scratch()
        self.vectors: Vectors | None = None
        self._change = self._counted = -1
        self._contradictions: NDArray[np.int64] = np.zeros((0, 2), np.int64)
        self._sealed = 0
        # What filters that the columns cannot decide admit, until something changes: callers ask with the same ones.
        self._admitted: dict[filters.Clause, Mask] = {}
        self._labels: dict[str, labels.Labels] = {}

    def refresh(self, db: sqlite3.Connection, meta: Mapping[str, int]) -> None:
        """Take in what was committed since the last call, by this process or another; `meta` says where things are."""
        change = meta.get("change", 0)
        self.refresh_columns(db, change)
        if change != self._change:
            self._refresh_tail(db, meta.get("sealed", 0))
            self._refresh_vectors(db, meta.get("embedder"))
            self._contradictions = edges.contradictions(db, self.tenant)
            self._change = change

    def refresh_columns(self, db: sqlite3.Connection, change: int) -> None:
        """Take in what was committed up to a change, as far as it can be counted: neither terms nor vectors."""
        if change != self._counted:
            self._admitted.clear()
            self._refresh_columns(db)
            self._counted = change

    def tally(self, db: sqlite3.Connection, selection: Selection, by: str) -> dict[Any, int]:
        """Count the memories that the selection admits by one property."""
        among = self._mask(db, selection)
        if by not in labels.SOURCES:
            return self.columns.tally(by, among)
        held = self._labels.setdefault(by, labels.Labels(self.tenant, by))
        held.refresh(db, self._counted)
        return held.tally(among)

    def months(self, db: sqlite3.Connection, selection: Selection, by: str, zone: tzinfo) -> dict[str, int]:
        """Count the memories that the selection admits by the month of a time of theirs."""
        return self.columns.months(by, self._mask(db, selection), zone)

    def spread(self, db: sqlite3.Connection, selection: Selection, by: str, bounds: Sequence[int]) -> list[int]:
        """Count the memories that the selection admits by where a time of theirs lies among some bounds."""
        return self.columns.spread(by, self._mask(db, selection), bounds)

    def rarity(self, db: sqlite3.Connection, terms: Sequence[str]) -> dict[str, float]:
        """Return how much each term tells, by how few of all memories hold it."""
        return postings.rarity(db, terms, lists=self.lists, columns=self.columns)

    def unknown(self, db: sqlite3.Connection, terms: Sequence[str]) -> set[str]:
        """Return those of `terms` that no memory holds."""
        return set(terms) - {entry.term for entry in self.lists.of(db, terms, self.columns)}

    def first_vectors(self, numbers: Sequence[int]) -> list[int]:
        """Return the id of the first vector of each memory, 0 where it has none."""
        return [0] * len(numbers) if self.vectors is None else self.vectors.first(numbers)

    def candidates(
        self, db: sqlite3.Connection, question: Question, selection: Selection, widen: Widen | None = None
    ) -> Candidates:
        """Gather the best `depth` memories by keyword and by meaning, with the evidence of both for each.

        `widen` is shown them and names others to take up.
        """
        visible, keep = self.masks.visible(selection), self._mask(db, selection)
        if question.required:
            keep = keep & postings.holding(db, question.required, lists=self.lists, columns=self.columns)
        scores = postings.score(
            db, question.terms, question.forms, question.unsure,
            lists=self.lists, columns=self.columns, scratch=self._scratch, visible=visible, keep=keep,
        )  # fmt: skip
        meaning = question.vector if self._comparable(question) else None
        if question.among is not None:
            found = distinct(np.array(question.among, np.int64))
        else:
            nearest = None if meaning is None or self.vectors is None else Nearest(self.vectors, meaning)
            found = self._found(scores, nearest, keep, question.depth)
            if question.spans:
                found = distinct(found, self._timely(scores, nearest, keep, question))
        found = found[keep[found]]
        first = self._gathered(found, question, scores, self._evidence(found, meaning, visible), visible)
        if widen is None:
            return first
        known = set(found.tolist())
        more = np.array([number for number in widen(first) if keep[number] and number not in known], np.int64)
        return _joined(first, self._gathered(more, question, scores, self._evidence(more, meaning, visible), visible))

    def _found(
        self, scores: postings.Scores, nearest: Nearest | None, keep: Mask, depth: int, *, rescored: int = RESCORED
    ) -> Numbers:
        chosen = scores.chosen(keep, depth)
        return chosen if nearest is None else distinct(chosen, self._near(nearest, keep, depth, rescored))

    def _timely(self, scores: postings.Scores, nearest: Nearest | None, keep: Mask, question: Question) -> Numbers:
        """The best by keyword and by meaning of what occurred in the spans; all of it, if it is little."""
        within = keep & self.columns.occurring(question.spans)
        few = np.flatnonzero(within)
        if len(few) <= question.depth:
            return few
        return self._found(scores, nearest, within, question.depth, rescored=_RESCORED_OF_A_TIME * question.depth)

    def _mask(self, db: sqlite3.Connection, selection: Selection) -> Mask:
        keep = self.masks.admitted(selection)
        condition = filters.extras(selection)
        if condition is None:
            return keep
        if condition not in self._admitted:
            if len(self._admitted) >= _MOST_MASKS:
                self._admitted.clear()
            self._admitted[condition] = _admitted(db, condition, len(keep))
        return keep & self._admitted[condition]

    def _comparable(self, question: Question) -> bool:
        return (
            question.vector is not None and self.vectors is not None and len(question.vector) == self.vectors.dimensions
        )

    def _near(self, nearest: Nearest, keep: Mask, depth: int, rescored: int) -> Numbers:
        """The memories nearest in meaning, and the two after each in its thread: what answers often follows."""
        best = nearest.memories(keep, depth, rescored=rescored)
        after = self.columns.next[best]
        return np.concatenate([best, after, self.columns.next[after]])

    def _evidence(self, found: Numbers, meaning: Vector | None, visible: Mask) -> Evidence:
        if meaning is None or self.vectors is None:
            nothing = np.full(len(found), np.nan)
            return Evidence(nothing, np.zeros(len(found), np.int64), nothing)
        return self.vectors.evidence(found, meaning, visible, self.columns.previous)

    def _gathered(
        self, found: Numbers, question: Question, scores: postings.Scores, evidence: Evidence, visible: Mask
    ) -> Candidates:
        keyword, held = scores.of(found)
        return Candidates(
            numbers=found,
            keyword=keyword,
            held=held,
            cosine=evidence.cosine,
            neighbour_cosine=evidence.among,
            window=evidence.start,
            spoken=self.columns.spoken(found, (*question.terms, *question.speakers)),
            by_others=self.columns.by_others(found, question.terms),
            by_assistant=self.columns.spoken(found, (ASSISTANT,) if ASKER in question.speakers else ()),
            words=np.full(len(found), np.nan),
            threads=self.columns["thread"][found].astype(np.int64),
            namespaces=self.columns["namespace"][found].astype(np.int64),
            wordings=self.columns["wording"][found],
            documents=self.columns["document"][found].astype(np.int64),
            occurred=self.columns["occurred"][found],
            occurred_last=self.columns["occurred_last"][found],
            confirmed=self.columns["last_confirmed_at"][found],
            confidence=self.columns["confidence"][found],
            verification=self.columns["verification"][found],
            volatility=self.columns["volatility"][found],
            stale=self.columns.among("status", (Status.stale,), found),
            contradicted=self._contradicted(found, visible),
            best_keyword=scores.best,
            rarity=scores.rarities,
            size=self.columns.count,
        )

    def _contradicted(self, found: Numbers, visible: Mask) -> Mask:
        """Say of which a newer memory, that the search covers, says the contrary."""
        older, newer = self._contradictions.T
        return is_one_of(found, older[visible[newer]].tolist())

    def _refresh_columns(self, db: sqlite3.Connection) -> None:
        last = db.execute("select seq from sqlite_sequence where name = 'memory'").fetchone()
        self.columns.reserve(last[0] + 1 if last else 1)
        since = (self.tenant, self._counted)
        gone = self.columns.drop(row[0] for row in db.execute(_DEAD, since))
        self.masks.mend(np.array([*gone, *self.columns.put(db.execute(_CHANGED, since))], np.int64))

    def _refresh_tail(self, db: sqlite3.Connection, sealed: int) -> None:
        if sealed != self._sealed:
            self.lists.begin(Tail())
            self._sealed = sealed
        tail = self.lists.tail
        for number, kept in db.execute(_UNSEALED, (self.tenant, max(tail.last, sealed))):
            tail.add(number, postings.decode(kept))

    def _refresh_vectors(self, db: sqlite3.Connection, embedder: int | None) -> None:
        if embedder is None:
            return
        if self.vectors is None or self.vectors.embedder != embedder:
            row = db.execute("select dimensions from embedder where id = ?", (embedder,)).fetchone()
            self.vectors = Vectors(embedder, row[0])
        self.vectors.refresh(db, self.tenant, self.columns.size)


def _joined(first: Candidates, more: Candidates) -> Candidates:
    """Candidates of one question as one."""
    arrays: dict[str, Any] = {
        field.name: np.concatenate([value, getattr(more, field.name)])
        for field in fields(first)
        if isinstance(value := getattr(first, field.name), np.ndarray)
    }
    return replace(first, **arrays)


def _admitted(db: sqlite3.Connection, condition: filters.Clause, size: int) -> Mask:
    admitted = np.zeros(size, np.bool_)
    rows = db.execute(f"select m.number from memory m where {condition[0]}", condition[1])
    admitted[np.fromiter((row[0] for row in rows), np.int64)] = True
    return admitted


_CHANGED = f"select {FIELDS} from memory where tenant = ? and change > ? order by change"
_DEAD = "select number from tombstone where tenant = ? and change > ?"
_UNSEALED = "select number, list from terms where tenant = ? and number > ? order by number"
