"""How sure a hit is: how often one that scores like it and stands out like it answers. Pure: numbers in, words out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

# A score alone says little: of two questions with the same top score the one whose third best comes far behind is the
# one that was answered. Fitted by `python -m bench calibration`, which prints these lines: bench/RESULTS.md.
INTERCEPT: Final = -1.5
OF_SCORE: Final = 2.0
OF_LEAD: Final = 12.0
# From which chance on a hit is called high or medium.
HIGH: Final = 0.75
MEDIUM: Final = 0.45
# Two memories may both be the answer, so that a lead is counted over the third.
RIVAL: Final = 3


def rival(scores: Sequence[float], wordings: Sequence[int], *, otherwise: float = 0.0) -> float:
    """Return the score of the third best text; scores are in order, and the same text counts once."""
    seen: set[int] = set()
    for score, wording in zip(scores, wordings, strict=True):
        seen.add(wording)
        if len(seen) == RIVAL:
            return score
    return otherwise


def chance(score: float, rival: float) -> float:
    """Return how likely a hit answers, 0..1, by its score and its lead over the third best."""
    return 1 / (1 + math.exp(-(INTERCEPT + OF_SCORE * score + OF_LEAD * (score - rival))))


@dataclass(frozen=True, slots=True)
class Thresholds:
    """From which chance on a hit is called high or medium; a namespace may have measured its own."""

    high: float = HIGH
    medium: float = MEDIUM

    def label(self, chance: float) -> str:
        """Return a chance in one of three words."""
        return "high" if chance >= self.high else "medium" if chance >= self.medium else "low"
