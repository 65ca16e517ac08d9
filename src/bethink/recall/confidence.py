"""How sure a hit is: how often one that scores like it and stands out like it answers. Pure: numbers in, words out."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

# A score alone says little: of two questions with the same best score the one whose third best comes far behind is the
# one that was answered. The score adds nothing to that lead. `python -m bench calibration` fits and prints these
# constants and says what the labels are worth: bench/RESULTS.md.
OF_LEAD: Final = 18.6
INTERCEPT: Final = -0.89
# From which chance on a hit is called high or medium.
HIGH: Final = 0.6
MEDIUM: Final = 0.35
# Two memories may both be the answer, so that a lead is counted over the third.
RIVAL: Final = 3
# In a store of little nothing competes, which makes no hit better: this is what a third best has where much does.
LEAST_RIVAL: Final = 0.25


def lead(score: float, rival: float) -> float:
    """Return how far a hit stands above the third best."""
    return score - max(rival, LEAST_RIVAL)


def chance(score: float, rival: float) -> float:
    """Return how likely a hit answers, 0..1."""
    return 1 / (1 + math.exp(-(INTERCEPT + OF_LEAD * lead(score, rival))))


@dataclass(frozen=True, slots=True)
class Thresholds:
    """From which chance on a hit is called high or medium; a namespace may have measured its own."""

    high: float = HIGH
    medium: float = MEDIUM

    def label(self, chance: float) -> str:
        """Return a chance in one of three words."""
        return "high" if chance >= self.high else "medium" if chance >= self.medium else "low"
