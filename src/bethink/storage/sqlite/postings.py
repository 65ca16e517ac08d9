"""The keyword index: exact BM25 over posting lists in SQLite, with a live tail in memory.

A memory's terms are written with it, as one row. Once enough have gathered they are *sealed*: added to posting lists
by term, in blocks of 16,384 numbers. A query reads the lists of its terms, adds what the unsealed tail holds, lets the
rare terms choose candidates, and scores those by all. Scores follow Okapi BM25 (Robertson and Zaragoza, 2009) with the
inverse document frequency that cannot go negative; lengths are exact.
"""

from __future__ import annotations

import json
import sqlite3
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from .columns import Columns, Mask
from .lists import Lists, Numbers, TermList, Weights, inverse_frequency
from .numbers import distinct

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
_FEW: Final = 3  # times as much of lists that hold it: then what is asked about is little of all

Gains = NDArray[np.float32]
Totals = NDArray[np.float64]
Places = NDArray[np.int64]
Number = TypeVar("Number", np.float32, np.float64)


def encode(terms: dict[str, int]) -> bytes:
    """Return a memory's terms as they are kept."""
    return json.dumps(terms, ensure_ascii=False, separators=(",", ":")).encode()


def decode(kept: bytes) -> dict[str, int]:
    """Return the terms that `encode` kept."""
    found: dict[str, int] = json.loads(kept)
    return found


class Scratch:
    """Zeros, one a number, for a search to write into and clear again: fresh ones would be most of what it costs."""

    def __init__(self) -> None:
        self.totals: Totals = np.zeros(0)
        self.places: NDArray[np.int32] = np.zeros(0, np.int32)

    def reserve(self, size: int) -> None:
        """Make room for numbers below `size`."""
        if size > len(self.totals):
            self.totals, self.places = np.zeros(size * 9 // 8), np.zeros(size * 9 // 8, np.int32)


def score(
    db: sqlite3.Connection,
    terms: Sequence[str],
    forms: Mapping[str, Sequence[str]] | None = None,
    unsure: Mapping[str, float] | None = None,
    *,
    lists: Lists,
    columns: Columns,
    scratch: Scratch,
    visible: Mask,
    keep: Mask,
) -> Scores:
    """Be ready to choose candidates in `keep` by the rare terms, and to score by all, with the `visible` neighbours.

    A memory also counts, less, what the two before it in its thread hold: an answer seldom repeats its question. Each
    term counts by the best of it and its `forms`.
    Frequent terms score but do not choose: they cost most and tell least, and a question of them alone stays bounded.
    """
    scratch.reserve(columns.size)
    words = _words(terms, forms or {})
    telling, frequent = _parted(_alike(lists.of(db, list(words), columns), words), keep)
    if sum(len(entry.numbers) for entry in telling) > _FEW * MOST_READ:
        asked_about = visible & _leading_to(keep, columns)
        telling = [entry.within(asked_about) for entry in telling]
    norms = _Norms(columns)
    joined = _joined(telling, norms, scratch)
    parted = [*telling, *frequent]
    idfs = np.array([entry.idf for entry in parted])
    together = _Together.of([words[entry.term] for entry in parted])
    known = {words[entry.term] for entry in parted}
    unheld = inverse_frequency(0, columns.count)
    shares = {words[term]: (unsure or {}).get(term, 1.0) for term in reversed(terms)}
    unknown = sum(share for word, share in shares.items() if word not in known)
    # A part of a compound helps to find the word, but is nothing more that the question asks for.
    asked = np.array([shares.get(words[entry.term], 1.0) > 0 for entry in parted], np.bool_)
    rarity = together.best(idfs * asked).sum() + unknown * unheld
    rarities = dict.fromkeys(terms, unheld) | {entry.term: entry.idf for entry in parted if entry.term in terms}
    return Scores(joined, frequent, columns, norms, visible, idfs, together, float(rarity), rarities)


def holding(db: sqlite3.Connection, terms: Sequence[str], *, lists: Lists, columns: Columns) -> Mask:
    """Say of each memory whether it holds every one of these terms."""
    found = lists.of(db, terms, columns)
    held = np.full(columns.size, len(found) == len(set(terms)))
    for entry in found:
        holds = np.zeros(columns.size, np.bool_)
        holds[entry.numbers] = True
        held &= holds
    return held


def rarity(db: sqlite3.Connection, terms: Sequence[str], *, lists: Lists, columns: Columns) -> dict[str, float]:
    """Return the inverse document frequency of each term."""
    held = {entry.term: entry.idf for entry in lists.of(db, terms, columns)}
    return dict.fromkeys(terms, inverse_frequency(0, columns.count)) | held


class _Norms:
    """What the frequency of a term is set against in each memory: more in a long one."""

    def __init__(self, columns: Columns) -> None:
        self._lengths = columns["length"]
        self._slope = np.float32(K1 * B / columns.mean_length)

    def of(self, numbers: NDArray[Any]) -> Gains:
        """Return those of some numbers."""
        norms: Gains = np.float32(K1 * (1 - B)) + self._slope * self._lengths[numbers]
        return norms


@dataclass(frozen=True, slots=True)
class _Together:
    """Which rows, one a list, are forms of one word: `order` brings them together, each word's begin at its start."""

    order: Sequence[int]
    starts: Sequence[int]

    @classmethod
    def of(cls, words: Sequence[int]) -> _Together:
        """Take the word of each row."""
        order = sorted(range(len(words)), key=words.__getitem__)
        starts = [place for place, row in enumerate(order) if not place or words[row] != words[order[place - 1]]]
        return cls(order, starts)

    def best(self, rows: NDArray[Number]) -> NDArray[Number]:
        """Return for each word the best of its rows."""
        if len(self.starts) == len(self.order):  # no word has another form: the order of rows is as good as any
            return rows
        return np.maximum.reduceat(rows[self.order], self.starts, axis=0)


@dataclass(frozen=True, slots=True)
class _Joined:
    """Some lists, one after the other: which memory, by which of the lists, and what it gains."""

    numbers: Numbers
    lengths: list[int]
    gains: Gains
    scratch: Scratch

    def of(self, numbers: Places) -> Gains:
        """Return what each of `numbers` gains by each list: a row a list."""
        places = self.scratch.places
        try:
            places[numbers] = np.arange(1, len(numbers) + 1)
            at = places[self.numbers]
            columns = places[numbers]  # a number that comes again has the column of its last place
        finally:
            places[numbers] = 0
        held = np.flatnonzero(at)
        rows = np.searchsorted(np.cumsum(self.lengths), held, side="right")
        found = np.zeros((len(self.lengths), len(numbers) + 1), np.float32)
        found[rows, at[held]] = self.gains[held]
        return found[:, columns]

    def totals(self) -> Totals:
        """Add up in the scratch what each memory gains; whoever asks clears it."""
        totals, start = self.scratch.totals, 0
        for length in self.lengths:
            part = slice(start, start + length)
            totals[self.numbers[part]] += self.gains[part]
            start += length
        return totals


@dataclass(frozen=True, slots=True)
class Scores:
    """The lists of a question's terms, ready to choose among memories and to score any."""

    telling: _Joined
    frequent: list[TermList]
    columns: Columns
    norms: _Norms
    visible: Mask
    idfs: Totals
    together: _Together
    rarity: float
    rarities: dict[str, float]

    @property
    def best(self) -> float:
        """What a memory that holds every term often would get."""
        return self.rarity * (K1 + 1)

    def chosen(self, keep: Mask, depth: int) -> Places:
        """Return the candidates in `keep` that the rare terms propose."""
        return _chosen(self.telling, self.columns, self.visible, keep, depth)

    def of(self, numbers: Places) -> tuple[Totals, Totals]:
        """Return the BM25 of `numbers`, each term at the best of what a memory and, less, those before it gain.

        The second is the share of the question, 0..1, that each holds itself: its terms, weighed by how rare they are.
        """
        if not len(numbers) or not self.rarity:
            return np.zeros(len(numbers)), np.zeros(len(numbers))
        before = self._before(numbers)
        asked = np.concatenate([numbers, before, self._before(before)])
        gains = np.concatenate([self.telling.of(asked), self._by_frequent(asked)])
        near, far = NEIGHBOUR_SHARES
        shares = np.array([[1], [near], [far]], np.float32)
        each = gains.reshape(len(gains), 3, len(numbers))
        total: Totals = self.together.best((each * shares).max(axis=1)).sum(axis=0, dtype=np.float64)
        held: Totals = self.together.best(self.idfs[:, None] * (each[:, 0] > 0)).sum(axis=0) / self.rarity
        held = np.minimum(held, 1.0)  # parts of a compound that is held itself are more than all of it
        return total, held

    def _by_frequent(self, numbers: Places) -> Gains:
        """What `numbers` gain by the lists that are too long to be read whole."""
        norms, wanted = self.norms.of(numbers), numbers.astype(np.uint32)  # as in the lists: no copy to look it up
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
    totals = telling.totals()
    touched: list[NDArray[Any]] = [telling.numbers]
    try:
        reached = totals[telling.numbers]
        # A memory stands in this many lists at most, so that the best `depth` memories have this much at least.
        least = _nth(np.where(keep[telling.numbers], reached, 0), depth * len(telling.lengths))
        after = _distinct(telling.numbers[reached >= least / max(NEIGHBOUR_SHARES)], visible)
        own = totals[after]
        for share in NEIGHBOUR_SHARES:
            after = columns.next[after]
            totals[after] = np.maximum(totals[after], share * own)
            touched.append(after)
        places = _distinct(np.concatenate([telling.numbers[reached >= least], *touched[1:]]), keep)
        found = totals[places]
    finally:
        for numbers in touched:
            totals[numbers] = 0
    edge = _nth(found, depth)
    return np.sort(np.concatenate([places[found > edge], places[found == edge][: 4 * depth]]))


def _distinct(numbers: NDArray[Any], among: Mask) -> Places:
    """Those of `numbers` that are in a mask, each once, in order."""
    return distinct(numbers[among[numbers]])


def _nth(totals: Totals, place: int) -> float:
    """The total in this place from the greatest, never 0."""
    behind = len(totals) - place
    found = float(np.partition(totals, behind)[behind]) if 0 <= behind < len(totals) else 0.0
    return max(found, sys.float_info.min)


def _leading_to(keep: Mask, columns: Columns) -> Mask:
    """Say which memories are in a mask, or of the two before one that is: no other adds to a score in it."""
    leading, numbers = keep.copy(), np.flatnonzero(keep)
    for _ in NEIGHBOUR_SHARES:
        numbers = columns.previous[numbers]
        leading[numbers] = True
    return leading


def _parted(lists: Sequence[TermList], keep: Mask) -> tuple[list[TermList], list[TermList]]:
    """Part the rarest lists, one at least, that together hold no more than may be read from the frequent ones.

    Only what the caller asks about is counted: a word frequent elsewhere hides nothing in a small namespace.
    """
    rarest = sorted(lists, key=lambda entry: len(entry.numbers))
    if sum(len(entry.numbers) for entry in rarest) <= MOST_READ:
        return rarest, []
    left_out, read, most = len(keep) - int(np.count_nonzero(keep)), 0, 0
    for entry in rarest:
        least = len(entry.numbers) - left_out
        read += least if read + least > MOST_READ else int(np.count_nonzero(keep[entry.numbers]))
        if read > MOST_READ and most:
            break
        most += 1
    return rarest[:most], rarest[most:]


def _joined(lists: Sequence[TermList], norms: _Norms, scratch: Scratch) -> _Joined:
    if not lists:
        return _Joined(np.zeros(0, np.uint32), [], np.zeros(0, np.float32), scratch)
    lengths = [len(entry.numbers) for entry in lists]
    numbers = np.concatenate([entry.numbers for entry in lists])
    weights = np.concatenate([entry.weights for entry in lists])
    idfs = np.repeat(np.array([entry.idf for entry in lists], np.float32), lengths)
    return _Joined(numbers, lengths, _gain(weights, norms.of(numbers), idfs), scratch)


def _gain(weights: Weights, norms: Gains, idf: Gains | float) -> Gains:
    frequency: Gains = weights.astype(np.float32)
    frequency /= np.float32(UNIT)
    gains: Gains = np.float32(K1 + 1) * idf * frequency / (frequency + norms)
    return gains


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


def _posting(
    tenant: int, key: tuple[str, int], pairs: list[tuple[int, int]]
) -> tuple[int, str, int, int, bytes, bytes]:
    return tenant, *key, len(pairs), *_packed(pairs)


def _packed(pairs: Sequence[tuple[int, int]]) -> tuple[bytes, bytes]:
    numbers, weights = zip(*pairs, strict=True)
    return np.array(numbers, np.uint32).tobytes(), np.array(weights, np.uint8).tobytes()


def _alike(lists: Sequence[TermList], words: Mapping[str, int]) -> Sequence[TermList]:
    """The lists, every form of a word as rare as its most frequent one: a memory with any of them holds the word."""
    if len(set(words.values())) == len(words):
        return lists
    rarity: dict[int, float] = {}
    for entry in lists:
        word = words[entry.term]
        rarity[word] = min(entry.idf, rarity.get(word, entry.idf))
    return [replace(entry, idf=rarity[words[entry.term]]) for entry in lists]


def _words(terms: Sequence[str], forms: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """Which word of the question each term is, or a form of."""
    words = {term: word for word, term in enumerate(dict.fromkeys(terms))}
    for term, others in forms.items():
        for other in others:
            words.setdefault(other, words[term])
    return words
