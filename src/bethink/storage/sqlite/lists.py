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

    def list(self, term: str) -> tuple[Numbers, Weights] | None:
        """Return the numbers and weights of the memories that hold `term`, as a posting list keeps them."""
        found = self._lists.get(term)
        return (np.array(found[0], np.uint32), np.array(found[1], np.uint8)) if found else None


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
class _Sealed:
    """What the file holds of a term, and how many of it were alive when `dropped` memories had gone."""

    numbers: Numbers
    weights: Weights
    living: int = -1
    dropped: int = -1

    @property
    def size(self) -> int:
        return self.numbers.nbytes + self.weights.nbytes + _OVERHEAD


class Lists:
    """The lists of one tenant. What is sealed is kept until more is sealed; a number that goes stays in it."""

    def __init__(self, tenant: int, *, most: int = MOST_KEPT) -> None:
        self.tenant = tenant
        self._most = most
        self.tail = Tail()
        self._sealed: dict[str, _Sealed] = {}
        self._size = 0

    def begin(self, tail: Tail) -> None:
        """Start anew, with an empty tail: what was in the old one is in the file now."""
        self.tail = tail
        self._sealed.clear()
        self._size = 0

    def of(self, db: sqlite3.Connection, terms: Sequence[str], columns: Columns) -> list[TermList]:
        """Return the lists of those terms that some memory holds."""
        wanted = list(dict.fromkeys(terms))
        self._read(db, [term for term in wanted if term not in self._sealed])
        found = [self._list(term, columns) for term in wanted]
        self._forget_oldest(wanted)
        return [entry for entry in found if len(entry.numbers)]

    def _list(self, term: str, columns: Columns) -> TermList:
        entry = self._sealed[term]
        if entry.dropped != columns.dropped:  # a changed text leaves its old number behind
            entry.living, entry.dropped = int(np.count_nonzero(columns.alive[entry.numbers])), columns.dropped
        numbers, weights, living = entry.numbers, entry.weights, entry.living
        if late := self.tail.list(term):
            numbers, weights = np.concatenate([numbers, late[0]]), np.concatenate([weights, late[1]])
            living += int(np.count_nonzero(columns.alive[late[0]]))
        return TermList(term, numbers, weights, inverse_frequency(living, columns.count))

    def _read(self, db: sqlite3.Connection, terms: Sequence[str]) -> None:
        if not terms:
            return
        blocks: dict[str, list[tuple[bytes, bytes]]] = {term: [] for term in terms}
        for term, numbers, weights in db.execute(_ALL.format(",".join("?" * len(terms))), (self.tenant, *terms)):
            blocks[term].append((numbers, weights))
        for term, read in blocks.items():
            numbers, weights = (b"".join(parts) for parts in zip(*read, strict=True)) if read else (b"", b"")
            entry = _Sealed(np.frombuffer(numbers, np.uint32), np.frombuffer(weights, np.uint8))
            self._sealed[term] = entry
            self._size += entry.size

    def _forget_oldest(self, wanted: Sequence[str]) -> None:
        """Keep what was asked for last, as much as there is room for."""
        for term in wanted:
            self._sealed[term] = self._sealed.pop(term)
        while self._size > self._most:
            self._size -= self._sealed.pop(next(iter(self._sealed))).size


def inverse_frequency(holding: int, count: int) -> float:
    """Return log(1 + (N - n + 0.5) / (n + 0.5))."""
    return math.log(1 + max(count - holding + 0.5, 0.5) / (holding + 0.5))


_ALL = "select term, numbers, weights from posting where tenant = ? and term in ({}) order by term, block"
