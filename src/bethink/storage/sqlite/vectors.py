"""The vectors of memories, and what those of some say of a question.

Each vector is kept as int8 codes with a scale of its own (its largest part becomes 127). A process holds the codes in
memory, and one bit a dimension beside them: about 440 bytes a vector at 384 dimensions.
The vectors of one memory stand side by side, in the order of its text.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bethink.storage.values import Vector

from .columns import Mask

# What a window counts of the one before it, and the one before that, when it is taken among its neighbours.
# Chosen with the weights of the score: bench/RESULTS.md, `fit`.
NEIGHBOUR_SHARES: Final = (0.7, 0.5)
_BATCH: Final = 4096

Bits = NDArray[np.uint64]
Codes = NDArray[np.int8]
Places = NDArray[np.int64]
Floats = NDArray[np.float32]


def quantise(vector: Vector) -> tuple[float, bytes]:
    """Return the scale and the int8 codes of a vector; code times scale is the part again, within half a scale."""
    scale = float(np.abs(vector).max()) / 127 or 1.0
    return scale, np.rint(vector / scale).astype(np.int8).tobytes()


def restored(scale: float, code: bytes) -> Vector:
    """Return the vector that `quantise` kept, as near as it kept it."""
    return np.frombuffer(code, np.int8).astype(np.float32) * np.float32(scale)


def sign_words(positive: NDArray[np.bool_]) -> Bits:
    """Return which parts of vectors, one a row, are positive, as columns of 64-bit words: shape (words, rows)."""
    bits = np.packbits(positive, axis=1)
    padded = np.zeros((len(positive), -(-bits.shape[1] // 8) * 8), np.uint8)
    padded[:, : bits.shape[1]] = bits
    return np.ascontiguousarray(padded.view(np.uint64).T)


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the vectors of some memories say: the best cosine of each, where it starts, the best among neighbours."""

    cosine: NDArray[np.float64]
    start: Places
    among: NDArray[np.float64]


class Vectors:
    """Every vector of one embedder, in memory; places are positions in these arrays."""

    def __init__(self, embedder: int, dimensions: int) -> None:
        self.embedder, self.dimensions = embedder, dimensions
        self.size = 0
        self._last = 0
        self._bits: Bits = np.zeros((-(-dimensions // 64), 0), np.uint64)
        self._codes: Codes = np.zeros((0, dimensions), np.int8)
        self._scales: Floats = np.zeros(0, np.float32)
        self._numbers: Places = np.zeros(0, np.int64)
        self._ids: Places = np.zeros(0, np.int64)
        self._starts: Places = np.zeros(0, np.int64)
        # Where in a list of places each stands last, as long as that list is worked on; -1, for none, has the end.
        self._asked: NDArray[np.int32] = np.zeros(1, np.int32)
        # By number of a memory: its first place and how many windows it has.
        self._first: Places = np.zeros(0, np.int64)
        self._count: Places = np.zeros(0, np.int64)

    def refresh(self, db: sqlite3.Connection, tenant: int, numbers: int) -> None:
        """Take the vectors written since the last look; numbers of memories are below `numbers`."""
        if numbers > len(self._first):
            room = numbers * 9 // 8
            self._first, self._count = _widened(self._first, room), _widened(self._count, room)
        most = self.size + db.execute(_LAST).fetchone()[0] - self._last
        if most > len(self._scales):
            self._widen(most)
        for rows in _whole(db.execute(_NEWER, (tenant, self.embedder, self._last))):
            self._last = rows[-1][0]
            # Words must be found even where vectors are of another length than their embedder's.
            self._append([row for row in rows if len(row[4]) == self.dimensions])

    @property
    def bits(self) -> Bits:
        """Which parts of each are positive, as columns of words."""
        return self._bits[:, : self.size]

    @property
    def numbers(self) -> Places:
        """The number of the memory that each is of, by place."""
        return self._numbers[: self.size]

    def first(self, numbers: Sequence[int]) -> list[int]:
        """Return the id of the first vector of each memory, 0 where it has none."""
        has = self._count[numbers] > 0
        found: list[int] = np.where(has, self._ids[self._first[numbers] * has], 0).tolist()
        return found

    def places(self, numbers: Places) -> Places:
        """Return the places of all vectors of some memories."""
        numbers = numbers[self._count[numbers] > 0]
        return _ranges(self._first[numbers], self._count[numbers])[0]

    def best_numbers(self, places: Places, query: Vector, most: int) -> Places:
        """Return the numbers of the memories of `places` by their best cosine, at most `most`, each once."""
        order = np.argsort(-self._cosines(places, query), kind="stable")
        numbers = self._numbers[places[order]]
        if self._count[numbers].max(initial=0) == 1:
            return numbers[:most]
        _, first = np.unique(numbers, return_index=True)
        return numbers[np.sort(first)[:most]]

    def evidence(self, numbers: Places, query: Vector, visible: Mask, previous: Places) -> Evidence:
        """Return what every vector of `numbers` says of `query`, alone and with the windows before it.

        `visible` says which memories may count as neighbours, `previous` which memory comes before each in its thread.
        """
        counts = self._count[numbers]
        has = np.flatnonzero(counts)
        found = Evidence(np.full(len(numbers), np.nan), np.zeros(len(numbers), np.int64), np.full(len(numbers), np.nan))
        if not len(has):
            return found
        windows, offsets = _ranges(self._first[numbers[has]], counts[has])
        before = self._before(windows, visible, previous)
        further = np.where(before >= 0, self._before(before, visible, previous), -1)
        cosines = self._looked_up(windows, before, further, query)
        best = _best_of_each(cosines[0], offsets)
        found.cosine[has], found.start[has] = cosines[0][best], self._starts[windows[best]]
        near, far = (np.float32(share) for share in NEIGHBOUR_SHARES)
        mixed = cosines[0] + near * cosines[1] + far * cosines[2]
        best = _best_of_each(mixed, offsets)
        found.among[has] = mixed[best] / self._mixed_norms(windows[best], before[best], further[best])
        return found

    def _before(self, places: Places, visible: Mask, previous: Places) -> Places:
        """The place before each: of the same memory, else of the visible memory before it in its thread; -1 for none.

        A thread of one-window memories is a conversation; of longer ones each is read by itself.
        """
        numbers = self._numbers[places]
        inside = (places > self._first[numbers]) & (places >= 0)
        ahead = previous[numbers]
        joined = (self._count[numbers] == 1) & (ahead > 0) & visible[ahead] & (self._count[ahead] == 1)
        return np.where(inside, places - 1, np.where(joined, self._first[ahead], -1))

    def _looked_up(self, windows: Places, before: Places, further: Places, query: Vector) -> list[Floats]:
        """The cosines of three lists of places, 0 for none; each place is computed once."""
        asked = np.concatenate([windows, before, further])
        order = np.arange(len(asked))
        self._asked[asked] = order
        last = self._asked[asked]
        needed = np.flatnonzero(last == order)
        cosines = np.zeros(len(asked), np.float32)
        cosines[needed] = self._cosines(asked[needed], query)
        cosines[asked < 0] = 0
        return np.split(cosines[last], [len(windows), 2 * len(windows)])

    def _cosines(self, places: Places, query: Vector) -> Floats:
        # Not a matrix product: for so few rows the threads of a linear algebra library cost more than they give.
        cosines: Floats = np.einsum("ij,j->i", self._codes[places].astype(np.float32), query) * self._scales[places]
        return cosines

    def _mixed_norms(self, windows: Places, before: Places, further: Places) -> Floats:
        """The lengths of windows taken among their neighbours, within about 2%: their angles come from signs."""
        near, far = NEIGHBOUR_SHARES
        has_near, has_far = (before >= 0).astype(np.float32), (further >= 0).astype(np.float32)
        squares = 1 + has_near * near**2 + has_far * far**2
        here, behind, last = (self._bits[:, places] for places in (windows, before, further))
        squares += 2 * near * has_near * self._angle_cosines(here, behind)
        squares += 2 * far * has_far * self._angle_cosines(here, last)
        squares += 2 * near * far * has_far * self._angle_cosines(behind, last)
        lengths: Floats = np.sqrt(np.maximum(squares, np.float32(0.1)))
        return lengths

    def _angle_cosines(self, bits: Bits, others: Bits) -> Floats:
        """The cosines of pairs, from how many signs differ: that share of half a turn lies between them."""
        differing = np.bitwise_count(bits ^ others).sum(axis=0, dtype=np.uint16)
        cosines: Floats = np.cos(np.float32(np.pi / self.dimensions) * differing.astype(np.float32))
        return cosines

    def _append(self, rows: Sequence[Any]) -> None:
        if not rows:
            return
        codes = np.frombuffer(b"".join(row[4] for row in rows), np.int8).reshape(len(rows), -1)
        numbers = np.array([row[1] for row in rows], np.int64)
        size = self.size + len(rows)
        if size > len(self._scales):
            self._widen(size)
        new = slice(self.size, size)
        self._codes[new], self._numbers[new] = codes, numbers
        self._ids[new] = [row[0] for row in rows]
        self._bits[:, new] = sign_words(codes > 0)
        self._starts[new] = [row[2] for row in rows]
        self._scales[new] = [row[3] for row in rows]
        first = np.flatnonzero(np.diff(numbers, prepend=-1))
        self._first[numbers[first]] = first + self.size
        self._count[numbers[first]] = np.diff(np.append(first, len(numbers)))
        self.size = size

    def _widen(self, size: int) -> None:
        room = max(size * 9 // 8, 1024)  # zeros that nobody has written to take no memory
        bits = np.zeros((len(self._bits), room), np.uint64)
        bits[:, : self.size] = self._bits[:, : self.size]
        codes = np.zeros((room, self.dimensions), np.int8)
        codes[: self.size] = self._codes[: self.size]
        self._bits, self._codes = bits, codes
        self._scales = _widened(self._scales, room)
        self._numbers = _widened(self._numbers, room)
        self._ids = _widened(self._ids, room)
        self._starts = _widened(self._starts, room)
        self._asked = np.zeros(room + 1, np.int32)


# The plus signs keep the planner to the order of ids: what is newer is little, what an embedder has made is much.
_NEWER = """
select id, number, start, scale, code from vector where +tenant = ? and +embedder = ? and id > ? order by id
"""
_LAST = "select coalesce(max(id), 0) from vector"


def _whole(rows: sqlite3.Cursor) -> Iterator[list[Any]]:
    """Yield rows of `_NEWER` in batches, no memory parted: all at once they would take more room than the index."""
    waiting: list[Any] = []
    while batch := rows.fetchmany(_BATCH):
        waiting += batch
        last = next((at for at in range(len(waiting), 0, -1) if waiting[at - 1][1] != waiting[-1][1]), 0)
        if last:
            yield waiting[:last]
            waiting = waiting[last:]
    if waiting:
        yield waiting


def _widened(array: NDArray[Any], room: int) -> NDArray[Any]:
    wide = np.zeros(room, array.dtype)
    wide[: len(array)] = array
    return wide


def _ranges(first: Places, counts: Places) -> tuple[Places, Places]:
    """The places first, first + 1, ... for each, one list after the other, and where each list begins."""
    offsets = np.concatenate([[0], np.cumsum(counts)[:-1]])
    return np.arange(counts.sum()) + np.repeat(first - offsets, counts), offsets


def _best_of_each(values: Floats, offsets: Places) -> Places:
    """Where the greatest value of each list stands, the first of equals."""
    if len(values) == len(offsets):  # most memories have one vector
        return offsets
    lengths = np.diff(np.append(offsets, len(values)))
    at = np.flatnonzero(values == np.repeat(np.maximum.reduceat(values, offsets), lengths))
    return at[np.searchsorted(at, offsets)]
