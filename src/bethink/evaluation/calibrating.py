"""From what came back for golden questions to the floor and the labels of a store. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from bethink.domain import Value

from .metrics import Outcome, percentile

FEWEST_OWN: Final = 30
FEWEST_OTHERS: Final = 20
FEWEST_LABELLED: Final = 50
_FEWEST_OF_A_LABEL: Final = 10
# The floor leaves this share of the other questions without an answer, but takes from no more of the own ones.
_REFUSED: Final = 0.95
_MOST_LOST: Final = 0.01
HIGH_RIGHT: Final = 0.8
MEDIUM_RIGHT: Final = 0.5


class Floor(Value):
    """A floor measured on questions that have an answer and on others: which share of each stays under it.

    `own_p1`, `own_p50` are scores of answers, `others_p50`, `others_p95` the best scores of the other questions.
    """

    floor: float
    refused: float
    lost: float
    own: int
    others: int
    own_p1: float
    own_p50: float
    others_p50: float
    others_p95: float


class Labels(Value):
    """Chances from which a first hit is called high or medium, measured; None where no chance is sure enough."""

    questions: int
    high_from: float | None
    medium_from: float | None
    high_right: float | None
    has_high: float


def floor_of(outcomes: Sequence[Outcome]) -> Floor:
    """Return the floor between the answers and the best of what came for questions without one."""
    own = [one.answer_score for one in outcomes if one.answer_score is not None]
    others = [one.score or 0.0 for one in outcomes if one.kind == "off_topic"]
    floor = _upwards(min(percentile(others, _REFUSED) + 1e-4, percentile(own, _MOST_LOST)))
    return Floor(
        floor=floor,
        refused=_share(others, under=floor),
        lost=_share(own, under=floor),
        own=len(own),
        others=len(others),
        own_p1=percentile(own, 0.01),
        own_p50=percentile(own, 0.5),
        others_p50=percentile(others, 0.5),
        others_p95=percentile(others, 0.95),
    )


def labels_of(outcomes: Sequence[Outcome]) -> Labels | None:
    """Return the chances that earn the labels, of first hits of answerable questions; None where these are too few."""
    firsts = sorted(
        ((one.chance, one.right) for one in outcomes if one.answers and one.chance is not None), reverse=True
    )
    if len(firsts) < FEWEST_LABELLED:
        return None
    high = _longest(firsts, HIGH_RIGHT)
    medium = _longest(firsts[high:], MEDIUM_RIGHT)
    return Labels(
        questions=len(firsts),
        high_from=_chance(firsts, high),
        medium_from=_chance(firsts, high + medium) if medium else None,
        high_right=sum(right for _, right in firsts[:high]) / high if high else None,
        has_high=high / len(firsts),
    )


def _longest(firsts: Sequence[tuple[float, bool]], share: float) -> int:
    """Return how many of the surest can be taken so that this share of them is right; 0 where these are too few."""
    right, longest = 0, 0
    for count, (chance, answers) in enumerate(firsts, 1):
        right += answers
        apart = count == len(firsts) or firsts[count][0] < chance
        if apart and count >= _FEWEST_OF_A_LABEL and right >= share * count:
            longest = count
    return longest


def _chance(firsts: Sequence[tuple[float, bool]], count: int) -> float | None:
    return math.floor(100 * firsts[count - 1][0]) / 100 if count else None


def _upwards(score: float) -> float:
    return min(math.ceil(1000 * score) / 1000, 1.0)


def _share(scores: Sequence[float], *, under: float) -> float:
    return sum(score < under for score in scores) / len(scores) if scores else 0.0
