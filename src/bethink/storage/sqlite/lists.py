"""The posting lists of terms, out of the file and the tail; what was read last is kept for the next question."""

from __future__ import annotations

import math
import sqlite3
from array import array
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from .columns import Columns, Mask

# Bytes of lists that are kept: the frequent terms of a million memories, or all terms of a small store.
MOST_KEPT: Final = 48 * 2**20
_OVERHEAD: Final = 400  # bytes that a list takes beside its numbers and weights

Numbers = NDArray[np.uint32]
Weights = NDArray[np.uint8]


class Tail:
    """The terms of memories that are not sealed yet, by term."""

    def __init__(self) -> None:
        self.last = 0
        self.count = 0
        # Kept as posting lists keep them, so that a query finds nothing to convert.
        self._lists: defaultdict[str, tuple[array[int], bytearray]] = defaultdict(lambda: (array("I"), bytearray()))

    def add(self, number: int, terms: dict[str, int]) -> None:
        """Take the terms of the next memory."""
        for term, weight in terms.items():
            numbers, weights = self._lists[term]
            numbers.append(number)
            weights.append(weight)
        self.last = max(self.last, number)
        self.count += 1

    def since(self, term: str, place: int) -> tuple[Numbers, Weights] | None:
        """Return what `term` has from this place of its list on, as a posting list keeps it, if there is anything."""
        found = self._lists.get(term)
        if found is None or len(found[0]) == place:
            return None
        return np.array(found[0][place:], np.uint32), np.array(found[1][place:], np.uint8)

    def like(self, start: str, shortest: int, longest: int) -> list[str]:
        """Return its terms of that beginning and length."""
        return [term for term in self._lists if term.startswith(start) and shortest <= len(term) <= longest]


@dataclass(frozen=True, slots=True)
class TermList:
    """The memories that hold one term, by number, in order; those that are gone may be among them."""

    term: str
    numbers: Numbers
    weights: Weights
    idf: float

    def within(self, among: Mask) -> TermList:
        """Return the part of it that is in a mask."""
        held = np.flatnonzero(among[self.numbers])
        return TermList(self.term, self.numbers[held], self.weights[held], self.idf)


@dataclass(slots=True)
class _Read:
    """What has been read of a term: all that the file holds, then the first `late` of the tail.

    `living` of it were alive when `dropped` memories had gone.
    """

    numbers: Numbers
    weights: Weights
    late: int = 0
    living: int = -1
    dropped: int = -1

    @property
    def size(self) -> int:
        return self.numbers.nbytes + self.weights.nbytes + _OVERHEAD

    def take(self, numbers: Numbers, weights: Weights) -> None:
        """Take what the tail has gained."""
        self.numbers = np.concatenate([self.numbers, numbers])
        self.weights = np.concatenate([self.weights, weights])
        self.late += len(numbers)
        self.dropped = -1

    def count_living(self, columns: Columns) -> int:
        """Return how many memories of it are alive; a changed text leaves its old number behind."""
        if self.dropped != columns.dropped:
            self.living, self.dropped = int(np.count_nonzero(columns.alive[self.numbers])), columns.dropped
        return self.living


class Lists:
    """The lists of one tenant. What was read is kept until more is sealed; a number that goes stays in it."""

    def __init__(self, tenant: int, *, most: int = MOST_KEPT) -> None:
        self.tenant = tenant
        self._most = most
        self.tail = Tail()
        self._kept: dict[str, _Read] = {}
        self._size = 0

    def begin(self, tail: Tail) -> None:
        """Start anew, with an empty tail: what was in the old one is in the file now."""
        self.tail = tail
        self._kept.clear()
        self._size = 0

    def of(self, db: sqlite3.Connection, terms: Sequence[str], columns: Columns) -> list[TermList]:
        """Return the lists of those terms that some memory holds."""
        wanted = list(dict.fromkeys(terms))
        self._read(db, [term for term in wanted if term not in self._kept])
        found = [self._list(term, columns) for term in wanted]
        self._forget_oldest(wanted)
        return [entry for entry in found if len(entry.numbers)]

    def like(self, db: sqlite3.Connection, term: str) -> list[str]:
        """Return the terms with the same beginning and about the same length; of very many not all."""
        start, shortest, longest = term[:_BEGINNING], len(term) - _LONGER, len(term) + _LONGER
        bounds = (start, start + chr(0x10FFFF), shortest, longest, _MOST_LIKE)
        sealed = (row[0] for row in db.execute(_LIKE, (self.tenant, *bounds)))
        return sorted({*sealed, *self.tail.like(start, shortest, longest)})

    def _list(self, term: str, columns: Columns) -> TermList:
        read = self._kept[term]
        if late := self.tail.since(term, read.late):
            self._size -= read.size
            read.take(*late)
            self._size += read.size
        return TermList(term, read.numbers, read.weights, inverse_frequency(read.count_living(columns), columns.count))

    def _read(self, db: sqlite3.Connection, terms: Sequence[str]) -> None:
        if not terms:
            return
        blocks: dict[str, list[tuple[bytes, bytes]]] = {term: [] for term in terms}
        for term, numbers, weights in db.execute(_ALL.format(",".join("?" * len(terms))), (self.tenant, *terms)):
            blocks[term].append((numbers, weights))
        for term, read in blocks.items():
            numbers, weights = (b"".join(parts) for parts in zip(*read, strict=True)) if read else (b"", b"")
            entry = _Read(np.frombuffer(numbers, np.uint32), np.frombuffer(weights, np.uint8))
            self._kept[term] = entry
            self._size += entry.size

    def _forget_oldest(self, wanted: Sequence[str]) -> None:
        """Keep what was asked for last, as much as there is room for."""
        for term in wanted:
            self._kept[term] = self._kept.pop(term)
        while self._size > self._most:
            self._size -= self._kept.pop(next(iter(self._kept))).size


# What larger stores lose by a greater one: docs/design/decisions/0001-own-postings.md.
FEW: Final = 25


def inverse_frequency(holding: int, count: int) -> float:
    """Return log(1 + (N - n + 0.5) / (n + 0.5)), the rarity of BM25, with an N of `FEW` at least.

    In a store of ten memories about one matter the words of that matter would tell nothing, and any other word all.
    """
    return math.log(1 + max(max(count, FEW) - holding + 0.5, 0.5) / (holding + 0.5))


# Slips are seldom made in the first letters.
_BEGINNING: Final = 2
_LONGER: Final = 2
_MOST_LIKE: Final = 5_000
_LIKE = """
select distinct term from posting where tenant = ? and term >= ? and term < ? and length(term) between ? and ? limit ?
"""
_ALL = "select term, numbers, weights from posting where tenant = ? and term in ({}) order by term, block"
