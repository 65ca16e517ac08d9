"""Figures over what came back for golden questions. Pure."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Final, Literal

from bethink.domain import Value

DEPTH: Final = 10
LABELS: Final = ("high", "medium", "low")
_BINS: Final = 5


class Seen(Value):
    """A hit that came instead of an answer."""

    handle: str
    title: str | None = None
    score: float
    label: str


class Outcome(Value):
    """What came back for one question.

    `ranks` are the places, from 1, of the first hit for each thing that answers, of `answers` in all. `score`, `chance`
    and `label` are those of the first hit, `answer_score` is that of the first one that answers.
    """

    key: str
    kind: Literal["answerable", "off_topic", "near"]
    answers: int = 0
    ranks: tuple[int, ...] = ()
    hits: int
    score: float | None = None
    answer_score: float | None = None
    label: str | None = None
    chance: float | None = None
    instead: tuple[Seen, ...] = ()
    cpu_ms: float
    wall_ms: float

    @property
    def right(self) -> bool:
        """Whether the first hit answers."""
        return 1 in self.ranks


class Labelled(Value):
    """How many questions have a first hit of this label, and the share of these hits that answers."""

    label: str
    count: int
    right: float | None


class Bin(Value):
    """First hits with a chance in one range: what was said of them, and what was so."""

    count: int
    said: float
    right: float


Measure = Callable[[Outcome], float | None]


def hit_at(k: int) -> Measure:
    """Return whether something that answers is among the first k."""
    return lambda one: float(any(rank <= k for rank in one.ranks)) if one.answers else None


def _recall(one: Outcome) -> float | None:
    return len(one.ranks) / one.answers if one.answers else None


def _reciprocal(one: Outcome) -> float | None:
    return 1 / min(one.ranks) if one.ranks else 0.0 if one.answers else None


def _gain(one: Outcome) -> float | None:
    if not one.answers:
        return None
    ideal = sum(1 / math.log2(place + 1) for place in range(1, min(one.answers, DEPTH) + 1))
    return sum(1 / math.log2(rank + 1) for rank in set(one.ranks)) / ideal


def _refused(kind: str) -> Measure:
    return lambda one: float(not one.hits) if one.kind == kind else None


def _not_high(one: Outcome) -> float | None:
    return float(one.label != "high") if one.kind == "near" else None


def _high_right(one: Outcome) -> float | None:
    return float(one.right) if one.label == "high" else None


def _has_high(one: Outcome) -> float | None:
    return float(one.label == "high") if one.answers else None


# What is measured of each question, None where it does not apply; the figure is the mean, and more is better.
MEASURES: Final[Mapping[str, Measure]] = {
    "hit@1": hit_at(1),
    "hit@5": hit_at(5),
    "recall@10": _recall,
    "mrr": _reciprocal,
    "ndcg@10": _gain,
    "off_topic_refused": _refused("off_topic"),
    "near_refused": _refused("near"),
    "near_not_high": _not_high,
    "high_right": _high_right,
    "has_high": _has_high,
}


def figures(outcomes: Sequence[Outcome]) -> dict[str, float]:
    """Return the mean of every measure that applies to some of the outcomes."""
    values = {name: [v for one in outcomes if (v := measure(one)) is not None] for name, measure in MEASURES.items()}
    return {name: sum(of) / len(of) for name, of in values.items() if of}


def labelled(outcomes: Sequence[Outcome]) -> tuple[Labelled, ...]:
    """Return how often the first hits of each label answer; what is given for an unanswerable question is wrong."""
    return tuple(_labelled(label, [one.right for one in outcomes if one.label == label]) for label in LABELS)


def _labelled(label: str, right: Sequence[bool]) -> Labelled:
    return Labelled(label=label, count=len(right), right=sum(right) / len(right) if right else None)


def bins(outcomes: Sequence[Outcome]) -> tuple[Bin, ...]:
    """Return first hits by their chance, in ranges of equal width; ranges without any are left out."""
    groups: dict[int, list[tuple[float, bool]]] = {}
    for one in outcomes:
        if one.chance is not None:
            groups.setdefault(min(int(one.chance * _BINS), _BINS - 1), []).append((one.chance, one.right))
    return tuple(_bin(groups[place]) for place in sorted(groups))


def _bin(pairs: Sequence[tuple[float, bool]]) -> Bin:
    said, right = zip(*pairs, strict=True)
    return Bin(count=len(pairs), said=sum(said) / len(pairs), right=sum(right) / len(pairs))


def calibration_error(found: Sequence[Bin]) -> float | None:
    """Return how far what was said lies from what was so, a hit weighing the same: expected calibration error."""
    total = sum(one.count for one in found)
    return sum(one.count * abs(one.said - one.right) for one in found) / total if total else None


def percentile(values: Sequence[float], share: float) -> float:
    """Return the value under which this share of the values lies, of some."""
    ordered = sorted(values)
    return ordered[min(math.ceil(share * len(ordered)), len(ordered)) - 1] if ordered else 0.0
