"""One additive score over what the sources found, and the floor under it. Pure: values in, values out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bethink.storage.protocol import Candidates

# Fitted on training splits: `python -m bench fit`, figures in bench/RESULTS.md.
KEYWORD_WEIGHT: Final = 1.0
MEANING_WEIGHT: Final = 0.15
NEIGHBOURS_WEIGHT: Final = 0.30
FLOOR: Final = 0.2
MEDIUM: Final = 0.45
HIGH: Final = 0.7

Values = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Ranking:
    """Candidates that cleared the floor, best first, with the terms that sum to each score."""

    numbers: NDArray[np.int64]
    scores: Values
    terms: dict[str, Values]
    windows: NDArray[np.int64]
    dropped: int

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.numbers)

    def explained(self, place: int) -> dict[str, float]:
        """Return the named terms of one score."""
        return {name: round(float(values[place]), 4) for name, values in self.terms.items()}


def ranked(found: Candidates, *, trust: float, floor: float | None = None) -> Ranking:
    """Score candidates and order them, ties by number; `trust` (0..1) is how far the embedder knows the language."""
    terms = _terms(found, trust)
    scores = np.sum(list(terms.values()), axis=0) if len(found.numbers) else np.zeros(0)
    order = np.lexsort((found.numbers, -scores))
    order = order[scores[order] >= (FLOOR if floor is None else floor)]
    return Ranking(
        numbers=found.numbers[order],
        scores=scores[order],
        terms={name: values[order] for name, values in terms.items()},
        windows=found.window[order],
        dropped=len(found.numbers) - len(order),
    )


def _terms(found: Candidates, trust: float) -> dict[str, Values]:
    own = np.nan_to_num(found.cosine, nan=0.0)
    around = np.where(np.isnan(found.neighbour_cosine), own, found.neighbour_cosine)
    best = found.best_keyword or 1.0
    return {
        "keyword": KEYWORD_WEIGHT * found.keyword / best,
        "meaning": trust * MEANING_WEIGHT * own,
        "neighbours": trust * NEIGHBOURS_WEIGHT * np.nan_to_num(around, nan=0.0),
    }


def label(score: float) -> str:
    """Return a score in one of three words."""
    return "high" if score >= HIGH else "medium" if score >= MEDIUM else "low"
