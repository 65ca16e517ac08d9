"""Which vectors are nearest to a question's: a scan of sign bits over everything, then the cosines of the nearest few.

How many signs differ says about how large the angle between two vectors is; over a million that is counted in a few
milliseconds, where a million dot products would take hundreds. Decision 0003 has the figures.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bethink.storage.values import Vector

from .columns import Mask
from .vectors import Bits, Places, Vectors, sign_words

# So many candidates are rescored: 400, one in 125 of many, 1,250 at most. At 100,000 vectors that holds 99.4% of the
# exact ten nearest, at a million 99.1%; 500 and 1,000 hold 99.1% and 98.7%.
RESCORED: Final = 400
_RESCORED_ONE_IN: Final = 125
_MOST_RESCORED: Final = 1_250
# The first signs, as many as a byte counts, say which are worth counting further: so many times those that are wanted.
# It takes two thirds of the time at a million, and holds the same of the ten nearest within 0.2%.
_FIRST: Final = slice(0, 3)
_REST: Final = slice(3, None)
_FURTHER: Final = 16
_CHUNK: Final = 32_768
_SAMPLE: Final = 2_000
_FEW_OF: Final = 4  # where less than this part is admitted, counting over that part alone is faster

Counts = NDArray[np.uint8]


class Nearest:
    """All vectors beside one; the first signs are counted once, whatever part of all is asked about."""

    def __init__(self, vectors: Vectors, query: Vector) -> None:
        self._vectors, self._query = vectors, query
        self._word = sign_words(query[None, :] > 0)[:, 0]

    def memories(self, keep: Mask, depth: int, *, rescored: int = RESCORED) -> Places:
        """Return the numbers of the `depth` memories nearest by their best cosine, of those admitted."""
        wanted = max(rescored, depth, min(self._vectors.size // _RESCORED_ONE_IN, _MOST_RESCORED))
        places = self.places(keep, wanted)
        best = self._vectors.best_numbers(places, self._query, depth)
        while len(best) < depth and len(places) >= wanted:  # a long memory's many windows must not crowd out the others
            wanted *= 4
            places = self.places(keep, wanted)
            best = self._vectors.best_numbers(places, self._query, depth)
        return best

    def places(self, keep: Mask, depth: int) -> Places:
        """Return the places of the `depth` vectors with the fewest differing signs, of those admitted."""
        likely, first = self._likely(keep, _FURTHER * depth)
        if len(likely) <= depth:
            return likely
        differing = first.astype(np.uint16)
        for word, words in zip(self._word[_REST], self._vectors.bits[_REST], strict=True):
            differing += np.bitwise_count(words[likely] ^ word)
        return likely[np.argpartition(differing, depth - 1)[:depth]]

    def _likely(self, keep: Mask, most: int) -> tuple[Places, Counts]:
        """The places of about `most` with the fewest differing first signs, and how many those are."""
        if np.count_nonzero(keep) * _FEW_OF > len(keep):
            numbers = self._vectors.numbers
            lowest = _lowest(self._of_all, most, lambda places: keep[numbers[places]])
            return lowest, self._of_all[lowest]
        places = self._vectors.places(np.flatnonzero(keep))
        first = _differing(self._word[_FIRST], [words[places] for words in self._vectors.bits[_FIRST]])
        lowest = _lowest(first, most, lambda places: np.ones(len(places), np.bool_))
        return places[lowest], first[lowest]

    @cached_property
    def _of_all(self) -> Counts:
        return _differing(self._word[_FIRST], list(self._vectors.bits[_FIRST]))


def _differing(word: Bits, bits: Sequence[Bits]) -> Counts:
    """In how many bits each of some vectors, as columns of words, differs from one: 255 at most."""
    counts = np.zeros(len(bits[0]), np.uint8)
    for at in range(0, len(counts), _CHUNK):
        part = slice(at, at + _CHUNK)
        for one, many in zip(word, bits, strict=True):
            counts[part] += np.bitwise_count(many[part] ^ one)
    return counts


def _lowest(counts: Counts, most: int, admitted: Callable[[Places], Mask]) -> Places:
    """Where at least `most` of the lowest counts stand, if so many are admitted; a threshold is read off a sample."""
    step = max(len(counts) // _SAMPLE, 1)
    sampled = np.arange(0, len(counts), step)
    sample = counts[sampled[admitted(sampled)]]
    threshold = _nth(sample, most // step + 8)
    while True:
        places = np.flatnonzero(counts <= threshold)
        places = places[admitted(places)]
        if len(places) >= most or threshold >= np.iinfo(np.uint8).max:
            return places
        threshold += 3


def _nth(sample: Counts, rank: int) -> int:
    """The count in this place from the lowest of a sample, or the highest; of an empty one, one that none exceeds."""
    rank = min(rank, len(sample) - 1)
    return int(np.partition(sample, rank)[rank]) if len(sample) else np.iinfo(np.uint8).max
