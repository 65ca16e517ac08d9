"""The keyword index: exact BM25 over posting lists in SQLite, with a live tail in memory.

A memory's terms are written with it, as one row. Once enough have gathered they are *sealed*: added to posting lists
by term, in blocks of 16,384 numbers. A query reads the lists of its terms, adds what the unsealed tail holds, lets the
rare terms choose candidates, and scores those by all. Scores follow Okapi BM25 (Robertson and Zaragoza, 2009) with the
inverse document frequency that cannot go negative; lengths are exact.
"""

from __future__ import annotations

import json
import math
import sqlite3
import sys
from array import array
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
# Postings that choose candidates for one question; what is more frequent only scores them.
MOST_READ: Final = 30_000

Numbers = NDArray[np.uint32]
Weights = NDArray[np.uint8]
Gains = NDArray[np.float32]
Totals = NDArray[np.float64]
Places = NDArray[np.int64]


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

    def list(self, term: str) -> tuple[bytes, bytes] | None:
        """Return the numbers and weights of the memories that hold `term`, as a posting list keeps them."""
        found = self._lists.get(term)
        return (found[0].tobytes(), bytes(found[1])) if found else None


def encode(terms: dict[str, int]) -> bytes:
    """Return a memory's terms as they are kept."""
    return json.dumps(terms, ensure_ascii=False, separators=(",", ":")).encode()


def decode(kept: bytes) -> dict[str, int]:
    """Return the terms that `encode` kept."""
    found: dict[str, int] = json.loads(kept)
    return found


def score(
    db: sqlite3.Connection,
    tenant: int,
    terms: Sequence[str],
    *,
    columns: Columns,
    tail: Tail,
    visible: Mask,
    keep: Mask,
    depth: int,
) -> Scores:
    """Choose candidates in `keep` by the rare terms; they are scored by all terms, with their `visible` neighbours.

    A memory also counts, less, what the two before it in its thread hold: an answer seldom repeats its question.
    Frequent terms score but do not choose: they cost most and tell least, and a question of them alone stays bounded.
    """
    lists = _lists(db, tenant, terms, tail, columns)
    norms = _norms(columns)
    telling, frequent = _parted(lists, keep)
    joined = _joined(telling, norms)
    chosen = _chosen(joined, columns, visible, keep, depth)
    idfs = np.array([entry.idf for entry in [*telling, *frequent]])
    rarity = dict.fromkeys(terms, inverse_frequency(0, columns.count)) | {entry.term: entry.idf for entry in lists}
    return Scores(joined, frequent, columns, norms, visible, chosen, idfs, rarity)


@dataclass(frozen=True, slots=True)
class _List:
    """The memories that hold one term, by number, in order."""

    term: str
    numbers: Numbers
    weights: Weights
    idf: float


@dataclass(frozen=True, slots=True)
class _Joined:
    """Some lists, one after the other: which memory, by which of the lists, and what it gains."""

    numbers: Numbers
    rows: Places
    gains: Gains
    count: int

    def of(self, numbers: Places, size: int) -> Gains:
        """Return what each of `numbers`, all below `size`, gains by each list: a row a list."""
        columns = np.zeros(size, np.int32)
        columns[numbers] = np.arange(1, len(numbers) + 1)
        at = columns[self.numbers]
        held = np.flatnonzero(at)
        found = np.zeros((self.count, len(numbers) + 1), np.float32)
        found[self.rows[held], at[held]] = self.gains[held]
        return found[:, columns[numbers]]  # a number that comes again has the column of its last place


@dataclass(frozen=True, slots=True)
class Scores:
    """The lists of a question's terms, ready to score any memory; `chosen` are the candidates that they propose."""

    telling: _Joined
    frequent: list[_List]
    columns: Columns
    norms: Gains
    visible: Mask
    chosen: Places
    idfs: Totals
    rarity: dict[str, float]

    @property
    def best(self) -> float:
        """What a memory that holds every term often would get."""
        return self._asked * (K1 + 1)

    def of(self, numbers: Places) -> tuple[Totals, Totals]:
        """Return the BM25 of `numbers`, each term at the best of what a memory and, less, those before it gain.

        The second is the share of the question, 0..1, that each holds itself: its terms, weighed by how rare they are.
        """
        if not len(numbers) or not self.rarity:
            return np.zeros(len(numbers)), np.zeros(len(numbers))
        before = self._before(numbers)
        asked = np.concatenate([numbers, before, self._before(before)])
        gains = np.concatenate([self.telling.of(asked, self.columns.size), self._by_frequent(asked)])
        near, far = NEIGHBOUR_SHARES
        shares = np.array([[1], [near], [far]], np.float32)
        each = gains.reshape(len(gains), 3, len(numbers))
        total: Totals = (each * shares).max(axis=1).sum(axis=0, dtype=np.float64)
        held: Totals = self.idfs @ (each[:, 0] > 0) / self._asked
        return total, held

    @property
    def _asked(self) -> float:
        return sum(self.rarity.values())

    def _by_frequent(self, numbers: Places) -> Gains:
        """What `numbers` gain by the lists that are too long to be read whole."""
        norms, wanted = self.norms[numbers], numbers.astype(np.uint32)  # as in the lists: no copy to look it up
        gains = np.zeros((len(self.frequent), len(numbers)), np.float32)
        for row, entry in zip(gains, self.frequent, strict=True):
            at = np.searchsorted(entry.numbers, wanted)
            at[at == len(entry.numbers)] = 0
            held = np.flatnonzero(entry.numbers[at] == wanted)
            row[held] = _gain(entry.weights[at[held]], norms[held], entry.idf)
        return gains

    def _before(self, numbers: Places) -> Places:
        before = self.columns.previous[numbers]
        return np.where(self.visible[before], before, 0)


def _chosen(telling: _Joined, columns: Columns, visible: Mask, keep: Mask, depth: int) -> Places:
    """The best by their own telling terms, or by those of the two before them.

    Of equals at the edge many are taken, the oldest first, so that none is hidden.
    """
    totals = np.bincount(telling.numbers, telling.gains, columns.size).astype(np.float64, copy=False)
    # A memory stands in this many lists at most, so that the best `depth` memories have this much at least.
    least = _nth(np.where(keep[telling.numbers], totals[telling.numbers], 0), depth * telling.count)
    after = _from(totals, least / max(NEIGHBOUR_SHARES), visible)
    own = totals[after]
    for share in NEIGHBOUR_SHARES:
        after = columns.next[after]
        totals[after] = np.maximum(totals[after], share * own)
    places = _from(totals, least, keep)
    found = totals[places]
    edge = _nth(found, depth)
    return np.sort(np.concatenate([places[found > edge], places[found == edge][: 4 * depth]]))


def _from(totals: Totals, least: float, among: Mask) -> Places:
    """The places in `among` of totals that are no less."""
    places = np.flatnonzero(totals >= least)
    return places[among[places]]


def _nth(totals: Totals, place: int) -> float:
    """The total in this place from the greatest, never 0."""
    behind = len(totals) - place
    found = float(np.partition(totals, behind)[behind]) if 0 <= behind < len(totals) else 0.0
    return max(found, sys.float_info.min)


def _parted(lists: Sequence[_List], keep: Mask) -> tuple[list[_List], list[_List]]:
    """Part the rarest lists, one at least, that together hold no more than may be read from the frequent ones.

    Only what the caller asks about is counted: a word frequent elsewhere hides nothing in a small namespace.
    """
    rarest = sorted(lists, key=lambda entry: len(entry.numbers))
    if sum(len(entry.numbers) for entry in rarest) <= MOST_READ:
        return rarest, []
    read = np.cumsum([np.count_nonzero(keep[entry.numbers]) for entry in rarest])
    most = max(1, int(np.searchsorted(read, MOST_READ, side="right")))
    return rarest[:most], rarest[most:]


def _joined(lists: Sequence[_List], norms: Gains) -> _Joined:
    if not lists:
        return _Joined(np.zeros(0, np.uint32), np.zeros(0, np.int64), np.zeros(0, np.float32), 0)
    lengths = [len(entry.numbers) for entry in lists]
    rows = np.repeat(np.arange(len(lists)), lengths)
    numbers = np.concatenate([entry.numbers for entry in lists])
    weights = np.concatenate([entry.weights for entry in lists])
    idfs = np.array([entry.idf for entry in lists], np.float32)[rows]
    return _Joined(numbers, rows, _gain(weights, norms[numbers], idfs), len(lists))


def _norms(columns: Columns) -> Gains:
    """What the frequency of a term is set against in each memory: more in a long one."""
    norms: Gains = np.float32(K1 * (1 - B)) + np.float32(K1 * B / columns.mean_length) * columns["length"]
    return norms


def _gain(weights: Weights, norms: Gains, idf: Gains | float) -> Gains:
    frequency: Gains = weights.astype(np.float32)
    frequency /= np.float32(UNIT)
    gains: Gains = np.float32(K1 + 1) * idf * frequency / (frequency + norms)
    return gains


def inverse_frequency(holding: int, count: int) -> float:
    """Return log(1 + (N - n + 0.5) / (n + 0.5))."""
    return math.log(1 + max(count - holding + 0.5, 0.5) / (holding + 0.5))


def sealed(db: sqlite3.Connection, tenant: int, terms: Sequence[str]) -> set[str]:
    """Return those of `terms` that have a posting list."""
    sql = f"select distinct term from posting where tenant = ? and term in ({','.join('?' * len(terms))})"
    return {row[0] for row in db.execute(sql, (tenant, *terms))}


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
_ALL = "select term, numbers, weights from posting where tenant = ? and term in ({}) order by term, block"


def _posting(
    tenant: int, key: tuple[str, int], pairs: list[tuple[int, int]]
) -> tuple[int, str, int, int, bytes, bytes]:
    return tenant, *key, len(pairs), *_packed(pairs)


def _packed(pairs: Sequence[tuple[int, int]]) -> tuple[bytes, bytes]:
    numbers, weights = zip(*pairs, strict=True)
    return np.array(numbers, np.uint32).tobytes(), np.array(weights, np.uint8).tobytes()


def _lists(db: sqlite3.Connection, tenant: int, terms: Sequence[str], tail: Tail, columns: Columns) -> list[_List]:
    """The lists of those terms that some memory holds."""
    wanted = list(dict.fromkeys(terms))
    blocks: defaultdict[str, list[tuple[bytes, bytes]]] = defaultdict(list)
    for term, numbers, weights in db.execute(_ALL.format(",".join("?" * len(wanted))), (tenant, *wanted)):
        blocks[term].append((numbers, weights))
    for term in wanted:
        if late := tail.list(term):
            blocks[term].append(late)
    held = [term for term in wanted if term in blocks]
    found = [tuple(b"".join(part) for part in zip(*blocks[term], strict=True)) for term in held]
    numbers = [np.frombuffer(numbers, np.uint32) for numbers, _ in found]
    living = [int(np.count_nonzero(columns.alive[n])) for n in numbers]  # a changed text leaves its old number behind
    return [
        _List(term, n, np.frombuffer(weights, np.uint8), inverse_frequency(count, columns.count))
        for term, n, (_, weights), count in zip(held, numbers, found, living, strict=True)
    ]
