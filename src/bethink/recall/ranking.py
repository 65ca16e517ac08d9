"""Candidates in their order, with the terms of their scores and the words for them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Values: TypeAlias = "NDArray[np.float64]"

# The first hits of LoCoMo and LongMemEval questions answer in about 64 of 100 that are high, 41 medium, 38 low:
# bench/RESULTS.md, `fit`.
MEDIUM: Final = 0.30
HIGH: Final = 0.43


@dataclass(frozen=True, slots=True)
class Ranking:
    """Candidates that cleared the floor, best first, with the terms that sum to each score.

    `windows` is where in the text each matched; `wordings` are equal where the texts are, but for case and white space.
    """

    numbers: NDArray[np.int64]
    scores: Values
    terms: dict[str, Values]
    windows: NDArray[np.int64]
    wordings: NDArray[np.int64]
    dropped: int

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.numbers)

    def explained(self, place: int) -> dict[str, float]:
        """Return the named terms of one score."""
        return {name: round(float(values[place]), 4) for name, values in self.terms.items()}


def label(score: float) -> str:
    """Return a score in one of three words."""
    return "high" if score >= HIGH else "medium" if score >= MEDIUM else "low"
