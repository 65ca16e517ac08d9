"""Late interaction: how like the most like of a memory's tokens is to each token of a question.

The sum over a question's tokens of the best match among a text's tokens is ColBERT's score (Khattab and Zaharia, 2020).
Here each token is kept as the signs of its vector, one bit a dimension, which ranks as well as floats and costs a tenth
and less to keep and to compare: decision 0020.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from itertools import accumulate
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bethink.storage.values import Codes

_KEPT: Final = "select vector, codes from token where vector in ({})"


def likeness(db: sqlite3.Connection, vectors: Sequence[int], tokens: Codes) -> NDArray[np.float64]:
    """Return for each vector, by its id, and each token of a question the share of equal signs, from -1 to 1, at best.

    One whose tokens are not kept has NaN throughout.
    """
    found = np.full((len(vectors), len(tokens)), np.nan)
    if not len(tokens):
        return found
    kept = dict(db.execute(_KEPT.format(",".join("?" * len(vectors))), vectors).fetchall())
    has = [place for place, vector in enumerate(vectors) if vector in kept]
    if has:
        found[has] = _best(tokens, [kept[vectors[place]] for place in has])
    return found


def _best(asked: Codes, kept: Sequence[bytes]) -> NDArray[np.float64]:
    width = asked.shape[1]
    lengths = [len(codes) // width for codes in kept]
    differing = _differing(_columns(asked), _columns(np.frombuffer(b"".join(kept), np.uint8).reshape(-1, width)))
    least = np.minimum.reduceat(differing, [0, *accumulate(lengths[:-1])], axis=1)
    likeness: NDArray[np.float64] = 1 - least.T / (4 * width)
    return likeness


def _differing(asked: NDArray[np.uint64], kept: NDArray[np.uint64]) -> NDArray[np.uint16]:
    """In how many bits each code of one list differs from each of another: (asked, kept)."""
    counts = np.zeros((asked.shape[1], kept.shape[1]), np.uint16)
    for word, words in zip(asked, kept, strict=True):
        counts += np.bitwise_count(word[:, None] ^ words)
    return counts


def _columns(codes: Codes) -> NDArray[np.uint64]:
    """Codes as columns of 64-bit words, filled up with zeros."""
    padded = np.zeros((len(codes), -(-codes.shape[1] // 8) * 8), np.uint8)
    padded[:, : codes.shape[1]] = codes
    return np.ascontiguousarray(padded.view(np.uint64).T)
