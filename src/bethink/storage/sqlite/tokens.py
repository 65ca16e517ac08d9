"""Late interaction: how like the most like of a memory's tokens is to each token of a question.

The sum over a question's tokens of the best match among a text's tokens is ColBERT's score (Khattab and Zaharia, 2020).
Here each token is kept as the signs of its vector, one bit a dimension, which ranks as well as floats and costs a tenth
and less to keep and to compare: bench/RESULTS.md, `fit`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from itertools import accumulate
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bethink.storage.protocol import Codes

_KEPT: Final = """
select v.number, t.codes from vector v join token t on t.vector = v.id
where v.tenant = ? and v.embedder = ? and v.number in ({})
"""


def likeness(
    db: sqlite3.Connection, tenant: int, embedder: int | None, numbers: Sequence[int], tokens: Codes
) -> NDArray[np.float64]:
    """Return for each memory and each token of a question the share of equal signs, from -1 to 1, with the best.

    A memory without codes has NaN throughout.
    """
    found = np.full((len(numbers), len(tokens)), np.nan)
    if not len(tokens):
        return found
    kept = dict(db.execute(_KEPT.format(",".join("?" * len(numbers))), (tenant, embedder, *numbers)).fetchall())
    has = [place for place, number in enumerate(numbers) if number in kept]
    if has:
        found[has] = _best(tokens, [kept[numbers[place]] for place in has])
    return found


def _best(asked: Codes, kept: Sequence[bytes]) -> NDArray[np.float64]:
    width = asked.shape[1]
    words = _words(np.frombuffer(b"".join(kept), np.uint8).reshape(-1, width))
    starts = [0, *accumulate(len(codes) // width for codes in kept[:-1])]
    best = [np.minimum.reduceat(_differing(words, token), starts) for token in _words(asked)]
    return np.stack([1 - least / (4 * width) for least in best], axis=1)


def _differing(words: NDArray[np.uint64], token: NDArray[np.uint64]) -> NDArray[np.int64]:
    differing: NDArray[np.int64] = np.bitwise_count(words ^ token).sum(axis=1, dtype=np.int64)
    return differing


def _words(codes: Codes) -> NDArray[np.uint64]:
    """Codes in words of 64 bits, filled up with zeros."""
    padded = np.zeros((len(codes), -(-codes.shape[1] // 8) * 8), np.uint8)
    padded[:, : codes.shape[1]] = codes
    return padded.view(np.uint64)
