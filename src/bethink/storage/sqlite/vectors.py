"""The vector index: a scan of sign bits over everything, then exact-enough dot products for the nearest.

Each vector is kept as int8 codes with a scale of its own (its largest part becomes 127); one bit a dimension, its
sign, is also held in memory, 48 bytes a vector at 384 dimensions. A search counts differing bits over all of them,
keeps the nearest few hundred, and rescores those from their codes. Sealed vectors' bits are stored in blocks, so that
a process starts by reading a few large rows.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bethink.storage.protocol import Vector

from .columns import Mask

SEAL_AT: Final = 2048
BLOCK_SIZE: Final = 16_384
_CHUNK: Final = 32_768
_SAMPLE: Final = 20_000

Bits = NDArray[np.uint64]


def quantise(vector: Vector) -> tuple[float, bytes]:
    """Return the scale and the int8 codes of a vector; code times scale is the part again, within half a scale."""
    scale = float(np.abs(vector).max()) / 127 or 1.0
    return scale, np.rint(vector / scale).astype(np.int8).tobytes()


def restored(scale: float, code: bytes) -> Vector:
    """Return the vector that `quantise` kept, as near as it kept it."""
    return np.frombuffer(code, np.int8).astype(np.float32) * np.float32(scale)


def sign_words(codes: NDArray[np.int8]) -> Bits:
    """Return the sign bits of rows of codes, as columns of 64-bit words: shape (words, rows)."""
    bits = np.packbits(codes > 0, axis=1)
    padded = np.zeros((len(codes), -(-bits.shape[1] // 8) * 8), np.uint8)
    padded[:, : bits.shape[1]] = bits
    return np.ascontiguousarray(padded.view(np.uint64).T)


@dataclass(frozen=True, slots=True)
class Near:
    """Rescored vectors: the memory each stands for, its role, where it starts in the text, its cosine."""

    numbers: NDArray[np.int64]
    roles: NDArray[np.int64]
    starts: NDArray[np.int64]
    cosines: NDArray[np.float64]


class Signs:
    """The sign bits of every vector of one embedder, in memory."""

    def __init__(self, embedder: int, dimensions: int) -> None:
        self.embedder, self.dimensions = embedder, dimensions
        self.last = 0
        self.size = 0
        self._words = -(-dimensions // 64)
        self._bits: Bits = np.zeros((self._words, 0), np.uint64)
        self._vectors = np.zeros(0, np.int64)
        self._numbers = np.zeros(0, np.int64)

    def load(self, db: sqlite3.Connection, tenant: int) -> None:
        """Take the sealed blocks, then what is newer."""
        for vectors, numbers, bits in db.execute(_BLOCKS, (tenant, self.embedder)):
            self._append(
                np.frombuffer(vectors, np.int64),
                np.frombuffer(numbers, np.int64),
                np.frombuffer(bits, np.uint64).reshape(self._words, -1),
            )
        self.refresh(db, tenant)

    def refresh(self, db: sqlite3.Connection, tenant: int) -> None:
        """Take the vectors written since the last look."""
        rows = db.execute(_NEWER, (tenant, self.embedder, self.last)).fetchall()
        if rows:
            codes = np.frombuffer(b"".join(row[2] for row in rows), np.int8).reshape(len(rows), -1)
            self._append(np.array([r[0] for r in rows]), np.array([r[1] for r in rows]), sign_words(codes))

    def nearest(self, query: Vector, keep: Mask, depth: int) -> NDArray[np.int64]:
        """Return the ids of the `depth` vectors that differ from `query` in the fewest bits, of those that `keep` admits."""
        admitted = keep[self._numbers[: self.size]]
        places = np.flatnonzero(admitted)
        if len(places) <= depth:
            return self._vectors[places]
        word = sign_words(query[None, :] > 0)[:, 0]
        if len(places) * 4 < self.size:
            differing = _differing(word, np.ascontiguousarray(self._bits[:, places]))
            return self._vectors[places[_lowest(differing, depth)]]
        differing = _differing(word, self._bits[:, : self.size])
        differing[~admitted] = np.iinfo(np.uint16).max
        lowest = _lowest(differing, depth)
        return self._vectors[lowest[admitted[lowest]]]

    def _append(self, vectors: NDArray[np.int64], numbers: NDArray[np.int64], bits: Bits) -> None:
        size = self.size + len(vectors)
        if size > len(self._vectors):
            self._widen(max(size, len(self._vectors) * 3 // 2, 1024))
        self._vectors[self.size : size] = vectors
        self._numbers[self.size : size] = numbers
        self._bits[:, self.size : size] = bits
        self.size = size
        self.last = max(self.last, int(vectors.max(initial=0)))

    def _widen(self, room: int) -> None:
        bits = np.zeros((self._words, room), np.uint64)
        bits[:, : self.size] = self._bits[:, : self.size]
        self._bits = bits
        self._vectors = np.pad(self._vectors[: self.size], (0, room - self.size))
        self._numbers = np.pad(self._numbers[: self.size], (0, room - self.size))


def rescore(db: sqlite3.Connection, vectors: Iterable[int], query: Vector) -> Near:
    """Return the cosines of vectors, by their ids, to a unit `query`."""
    rows: list[Any] = []
    ids = [int(v) for v in vectors]
    for at in range(0, len(ids), 500):
        batch = ids[at : at + 500]
        rows += db.execute(f"{_CODES} ({','.join('?' * len(batch))})", batch).fetchall()
    codes = np.frombuffer(b"".join(row[4] for row in rows), np.int8).reshape(len(rows), len(query) if rows else 0)
    scales = np.array([row[3] for row in rows], np.float64)
    return Near(
        np.array([row[0] for row in rows], np.int64),
        np.array([row[1] for row in rows], np.int64),
        np.array([row[2] for row in rows], np.int64),
        (codes.astype(np.float32) @ query).astype(np.float64) * scales if rows else np.zeros(0),
    )


def seal(db: sqlite3.Connection, tenant: int, embedder: int) -> None:
    """Move the sign bits of vectors that are newer than the last block into blocks."""
    block, vectors, numbers, bits = _last_block(db, tenant, embedder)
    newest = max(vectors.max(initial=0), 0)
    rows = db.execute(_NEWER, (tenant, embedder, int(newest))).fetchall()
    if len(rows) < SEAL_AT:
        return
    codes = np.frombuffer(b"".join(row[2] for row in rows), np.int8).reshape(len(rows), -1)
    vectors = np.concatenate([vectors, np.array([r[0] for r in rows], np.int64)])
    numbers = np.concatenate([numbers, np.array([r[1] for r in rows], np.int64)])
    bits = np.concatenate([bits, sign_words(codes)], axis=1) if bits.size else sign_words(codes)
    for at in range(0, len(vectors), BLOCK_SIZE):
        part = slice(at, at + BLOCK_SIZE)
        kept = (vectors[part].tobytes(), numbers[part].tobytes(), np.ascontiguousarray(bits[:, part]).tobytes())
        db.execute(_PUT_BLOCK, (tenant, embedder, block + at // BLOCK_SIZE, *kept))


def remove(db: sqlite3.Connection, tenant: int, ids: Iterable[int]) -> None:
    """Take vectors out by their ids, codes and bits, leaving no trace of them."""
    gone = np.fromiter(ids, np.int64)
    for embedder, block, kept, numbers, bits in db.execute(_EVERY_BLOCK, (tenant,)).fetchall():
        of = np.frombuffer(kept, np.int64)
        hit = np.isin(of, gone)
        if hit.any():
            words = np.frombuffer(bits, np.uint64).reshape(-1, len(of)).copy()
            places = np.frombuffer(numbers, np.int64).copy()
            words[:, hit], places[hit] = 0, 0
            db.execute(_BLANK, (places.tobytes(), words.tobytes(), tenant, embedder, block))
    db.executemany("delete from vector where tenant = ? and id = ?", [(tenant, int(i)) for i in gone])


_BLOCKS = "select vectors, numbers, bits from sign where tenant = ? and embedder = ? order by block"
_EVERY_BLOCK = "select embedder, block, vectors, numbers, bits from sign where tenant = ?"
_BLANK = "update sign set numbers = ?, bits = ? where tenant = ? and embedder = ? and block = ?"
_NEWER = "select id, number, code from vector where tenant = ? and embedder = ? and id > ? order by id"
_CODES = "select number, role, start, scale, code from vector where id in"
_PUT_BLOCK = "insert or replace into sign (tenant, embedder, block, vectors, numbers, bits) values (?, ?, ?, ?, ?, ?)"
_LAST = "select block, vectors, numbers, bits from sign where tenant = ? and embedder = ? order by block desc limit 1"


def _last_block(
    db: sqlite3.Connection, tenant: int, embedder: int
) -> tuple[int, NDArray[np.int64], NDArray[np.int64], Bits]:
    row = db.execute(_LAST, (tenant, embedder)).fetchone()
    if row is None:
        return 0, np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros((0, 0), np.uint64)
    vectors = np.frombuffer(row[1], np.int64)
    return row[0], vectors, np.frombuffer(row[2], np.int64), np.frombuffer(row[3], np.uint64).reshape(-1, len(vectors))


def _differing(word: Bits, bits: Bits) -> NDArray[np.uint16]:
    counts = np.empty(bits.shape[1], np.uint16)
    for at in range(0, bits.shape[1], _CHUNK):
        part = slice(at, at + _CHUNK)
        total = np.bitwise_count(bits[0, part] ^ word[0]).astype(np.uint16)
        for row in range(1, len(bits)):
            total += np.bitwise_count(bits[row, part] ^ word[row])
        counts[part] = total
    return counts


def _lowest(differing: NDArray[np.uint16], depth: int) -> NDArray[np.int64]:
    """Places of the `depth` lowest counts; over many, a threshold is first read off a sample."""
    if len(differing) <= depth:
        return np.arange(len(differing))
    if len(differing) <= _SAMPLE:
        return np.argpartition(differing, depth)[:depth]
    step = len(differing) // _SAMPLE
    sample = np.partition(differing[::step], min(depth // step + 8, len(differing) // step - 1))
    threshold = int(sample[min(depth // step + 8, len(sample) - 1)])
    places = np.flatnonzero(differing <= threshold)
    while len(places) < depth:
        threshold += 3
        places = np.flatnonzero(differing <= threshold)
    return places[np.argpartition(differing[places], depth - 1)[:depth]]
