"""Candidates in their order, with the terms of their scores and how sure each is."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from bethink.storage.values import entries

from .confidence import chance
from .standing import FRESHNESS, TRUST

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Values: TypeAlias = "NDArray[np.float64]"
RERANK: Final = "rerank"
"""The term of a score that a reranker adds."""
_ADDED: Final = (RERANK, TRUST, FRESHNESS)


@dataclass(frozen=True, slots=True)
class Ranking:
    """Candidates that cleared the floor, best first, with the terms that sum to each score.

    `windows` is where in the text each matched; `wordings` are equal where the texts are, as words, `documents` where
    they are chunks of one, 0 where of none.
    `doubt` is the share that every score has lost because others say what comes nearest; `rival` is the score of the
    third best text before that, over which a hit has its lead. `floor` is what was enough where a namespace has none of
    its own; None where an earlier page decided. `dropped` did not clear it; where an explanation was asked for, `under`
    are these, best first, with their scores.
    """

    numbers: NDArray[np.int64]
    scores: Values
    terms: dict[str, Values]
    windows: NDArray[np.int64]
    wordings: NDArray[np.int64]
    documents: NDArray[np.int64]
    namespaces: NDArray[np.int64]
    doubt: float
    rival: float
    floor: float | None
    dropped: int
    under: NDArray[np.int64]
    under_scores: Values

    @property
    def entries(self) -> NDArray[np.int64]:
        """What is equal where memories take one place."""
        return entries(self.wordings, self.documents)

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.numbers)

    def parts(self, place: int) -> dict[str, float]:
        """Return the named terms of one score, rounded; one that is not known of it, a NaN, is none of them."""
        terms = ((name, float(values[place])) for name, values in self.terms.items())
        return {name: round(value, 4) for name, value in terms if not math.isnan(value)}

    def explained(self, place: int) -> dict[str, float]:
        """Return the same so that they sum to the rounded score: what rounding left goes to the largest."""
        terms = self.parts(place)
        largest = max(terms, key=lambda name: terms[name])
        terms[largest] = round(terms[largest] + round(float(self.scores[place]), 4) - sum(terms.values()), 4)
        return terms

    def chance(self, place: int) -> float:
        """Return how likely one answers, as was measured of scores without what is added to them in the end."""
        added = [float(self.terms[name][place]) for name in _ADDED if name in self.terms]
        score = float(self.scores[place]) - sum(term for term in added if not math.isnan(term))
        return chance(score, (1 - self.doubt) * self.rival)
