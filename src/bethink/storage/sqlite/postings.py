"""The keyword index: exact BM25 over posting lists in SQLite, with a live tail in memory.

A memory's terms are written with it, as one row. Once enough have gathered they are *sealed*: added to posting lists
by term, in blocks of 16,384 numbers. A query reads the lists of its terms, adds what the unsealed tail holds, and
scores whole arrays at a time. Scores follow Okapi BM25 (Robertson and Zaragoza, 2009) with the inverse document
frequency that cannot go negative; lengths are exact.
"""

from __future__ import annotations

import json
import math
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from .columns import Columns, Mask

# Chosen over several sets, with the shares below: bench/RESULTS.md, `fit`.
K1: Final = 0.9
B: Final = 0.4
# What a memory counts of a term that the one before it holds, and the one before that.
NEIGHBOUR_SHARES: Final = (0.6, 0.3)
# A weight of one is kept as ten, so that parts of one can be told apart in a byte.
UNIT: Final = 10
BLOCK_BITS: Final = 14
SEAL_AT: Final = 2048
_MOST_WEIGHT: Final = 255

Numbers = NDArray[np.uint32]
Weights = NDArray[np.uint8]
Gains = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Scores:
    """BM25 by number, and what a memory would get that held every term of the question at its best."""

    bm25: NDArray[np.float32]
    best: float


class Tail:
    """The terms of memories that are not sealed yet, by term."""

    def __init__(self) -> None:
        self.last = 0
        self.count = 0
        self._lists: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)

    def add(self, number: int, terms: dict[str, int]) -> None:
        """Take the terms of the next memory."""
        for term, weight in terms.items():
            self._lists[term].append((number, weight))
        self.last = max(self.last, number)
        self.count += 1

    def list(self, term: str) -> tuple[Numbers, Weights]:
        """Return the numbers and weights of the memories that hold `term`."""
        pairs = self._lists.get(term, ())
        return np.array([n for n, _ in pairs], np.uint32), np.array([w for _, w in pairs], np.uint8)


def encode(terms: dict[str, int]) -> bytes:
    """Return a memory's terms as they are kept."""
    return json.dumps(terms, ensure_ascii=False, separators=(",", ":")).encode()


def decode(kept: bytes) -> dict[str, int]:
    """Return the terms that `encode` kept."""
    found: dict[str, int] = json.loads(kept)
    return found


def clipped(terms: dict[str, int]) -> dict[str, int]:
    """Return weights that fit a byte."""
    return {term: min(weight, _MOST_WEIGHT) for term, weight in terms.items()}


def score(
    db: sqlite3.Connection, tenant: int, terms: Sequence[str], columns: Columns, tail: Tail, visible: Mask
) -> Scores:
    """Score every number that `visible` admits for `terms`; zero where nothing matched.

    A memory also counts, less, what the two before it in its thread hold: an answer seldom repeats its question.
    """
    total = _Total(columns)
    for numbers, weights in _lists(db, tenant, terms, tail):
        total.add(*_admitted(numbers, weights, visible), idf=inverse_frequency(len(numbers), columns.count))
    unknown = len(set(terms)) - total.found
    best = total.best + unknown * inverse_frequency(0, columns.count) * (K1 + 1)
    return Scores(np.where(visible, total.bm25, 0), best)


class _Total:
    """Adds up the terms of one question."""

    def __init__(self, columns: Columns) -> None:
        self.bm25: Gains = np.zeros(columns.size, np.float32)
        self.best, self.found = 0.0, 0
        self._gains: Gains = np.zeros(columns.size, np.float32)
        self._next = columns.next
        lengths = columns["length"] / columns.mean_length
        self._norm: Gains = (K1 * (1 - B + B * lengths)).astype(np.float32)

    def add(self, numbers: Numbers, weights: Weights, *, idf: float) -> None:
        """Add one term: each memory gets the best of what it and, less, those before it gain."""
        self.found += 1
        self.best += idf * (K1 + 1)
        frequency = weights.astype(np.float32) / np.float32(UNIT)
        gains = np.float32(idf * (K1 + 1)) * frequency / (frequency + self._norm[numbers])
        self._gains[numbers] = gains
        reached, places = [numbers], numbers
        for share in NEIGHBOUR_SHARES:
            places = self._next[places]
            follows = places > 0
            places, gains = places[follows], gains[follows]
            self._gains[places] = np.maximum(self._gains[places], np.float32(share) * gains)
            reached.append(places)
        for places in reached:
            self.bm25[places] += self._gains[places]
            self._gains[places] = 0


def inverse_frequency(holding: int, count: int) -> float:
    """Return log(1 + (N - n + 0.5) / (n + 0.5))."""
    return math.log(1 + max(count - holding + 0.5, 0.5) / (holding + 0.5))


def seal(db: sqlite3.Connection, tenant: int, through: int, rows: Iterable[tuple[int, bytes]]) -> None:
    """Add the terms of `rows`, all with numbers up to `through` and in order, to the posting lists."""
    gathered: defaultdict[tuple[str, int], list[tuple[int, int]]] = defaultdict(list)
    for number, kept in rows:
        for term, weight in decode(kept).items():
            gathered[term, number >> BLOCK_BITS].append((number, weight))
    db.executemany(_APPEND, (_posting(tenant, key, pairs) for key, pairs in sorted(gathered.items())))
    db.execute("insert or replace into meta values (?, 'sealed', ?)", (tenant, through))


def remove(db: sqlite3.Connection, tenant: int, number: int, terms: Iterable[str]) -> None:
    """Take `number` out of the posting lists of `terms`, leaving no trace of it."""
    block = number >> BLOCK_BITS
    for term in terms:
        row = db.execute(_ONE, (tenant, term, block)).fetchone()
        if row is not None:
            _remove_from(db, row, number)


def _remove_from(db: sqlite3.Connection, row: tuple[int, bytes, bytes], number: int) -> None:
    key, numbers, weights = row[0], np.frombuffer(row[1], np.uint32), np.frombuffer(row[2], np.uint8)
    others = numbers != number
    if others.all():
        return
    if not others.any():
        db.execute("delete from posting where id = ?", (key,))
        return
    db.execute(
        "update posting set count = ?, numbers = ?, weights = ? where id = ?",
        (int(others.sum()), numbers[others].tobytes(), weights[others].tobytes(), key),
    )


_APPEND = """
insert into posting (tenant, term, block, count, numbers, weights) values (?, ?, ?, ?, ?, ?)
on conflict (tenant, term, block) do update set count = count + excluded.count,
numbers = cast(numbers || excluded.numbers as blob), weights = cast(weights || excluded.weights as blob)
"""
_ONE = "select id, numbers, weights from posting where tenant = ? and term = ? and block = ?"
_ALL = "select numbers, weights from posting where tenant = ? and term = ? order by block"


def _posting(
    tenant: int, key: tuple[str, int], pairs: list[tuple[int, int]]
) -> tuple[int, str, int, int, bytes, bytes]:
    numbers = np.array([n for n, _ in pairs], np.uint32)
    weights = np.array([w for _, w in pairs], np.uint8)
    return tenant, key[0], key[1], len(pairs), numbers.tobytes(), weights.tobytes()


def _lists(db: sqlite3.Connection, tenant: int, terms: Sequence[str], tail: Tail) -> Iterable[tuple[Numbers, Weights]]:
    for term in dict.fromkeys(terms):
        blocks = db.execute(_ALL, (tenant, term)).fetchall()
        numbers, weights = tail.list(term)
        joined = np.frombuffer(b"".join([b[0] for b in blocks] + [numbers.tobytes()]), np.uint32)
        if len(joined):
            yield joined, np.frombuffer(b"".join([b[1] for b in blocks] + [weights.tobytes()]), np.uint8)


def _admitted(numbers: Numbers, weights: Weights, keep: Mask) -> tuple[Numbers, Weights]:
    admitted = keep[numbers]
    return numbers[admitted], weights[admitted]
