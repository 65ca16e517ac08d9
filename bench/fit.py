"""How the weights of the score and its floors were chosen, repeated on the production index.

LoCoMo's first three conversations of five and LongMemEval's even questions choose (tune); the others report (held).
Differences under 1.5 points are ties: the constants of `recall/rank.py` are round numbers from the flat top of the
grid, not its highest point. What only another index could vary (k1, b, the shares of neighbours, the weight of an
assistant's words) was chosen before this index existed: RESULTS.md has the figures.
"""

from __future__ import annotations

import asyncio
import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any, Final

import numpy as np

from bethink.recall import rank

from . import data as data_
from .evidence import FAR, HELD, PRESENT, TUNE, Asked, Weights, of_haystacks, of_talks
from .report import Table
from .sampling import stratified
from .scoring import all_of, any_of, mean, reciprocal

_HALVES: Final = (TUNE, HELD)
_QUESTIONS: Final = 60
_CLAIMS: Final = 100
_METRICS: Final = {
    "locomo": ("any@5", "any@10", "all@10", "mrr"),
    "longmemeval": ("any@1", "any@5", "all@5", "all@10"),
}
# Beside a keyword weight of 1. The floors are in the score's own measure, where the weights sum to one.
_MEANING: Final = (0.0, 0.1, 0.15, 0.25, 0.5)
_NEIGHBOURS: Final = (0.0, 0.25, 0.35, 0.5, 0.7)
# Beside the present weights.
_SPEAKER: Final = (0.0, 0.03, 0.05, 0.07, 0.1, 0.15)
_THREAD: Final = (0.0, 0.25, 0.5, 1.0)
_WORDS: Final = (0.0, 0.17, 0.25, 0.334, 0.5, 0.8)
_FLOORS: Final = (0.10, 0.12, 0.14, 0.16)
_LITERALS: Final = (0.12, 0.15, math.inf)
_FOLLOWING: Final = (1.0, 0.75, 0.5, 0.25)
_SHOWN: Final = ("locomo all@10", "longmemeval all@10", "locomo shown", "longmemeval shown")
_LOSSES: Final = ("far empty", "any@10 lost", "gold under")

Halves = dict[str, dict[str, dict[str, float]]]


def run(data: Path, *, sample: int | None = None, seed: int = 0) -> dict[str, Any]:
    """Return what the grids of weights and floors give; `sample` counts LongMemEval questions (default: 60)."""
    claims = stratified(data_.scifact_claims(data), _CLAIMS, seed, kind=type)
    return report(asyncio.run(_asked(data, claims, sample or _QUESTIONS, seed)))


def report(asked: Sequence[Asked]) -> dict[str, Any]:
    """Return both grids over what was asked, with the baseline and the present constants beside the best."""
    answerable = [one for one in asked if one.kind != FAR]
    grid = [Weights(1.0, meaning, neighbours) for meaning, neighbours in product(_MEANING, _NEIGHBOURS)]
    scored = {weights: _metrics(answerable, weights) for weights in grid}
    best = max(grid, key=lambda weights: aim(scored[weights][TUNE]))
    rows = {
        "BM25": _metrics(answerable, None),
        "keyword alone": _metrics(answerable, Weights(1.0, 0.0, 0.0)),
        "meaning alone": _metrics(answerable, Weights(0.0, 1.0, 0.0)),
        "neighbours alone": _metrics(answerable, Weights(0.0, 0.0, 1.0)),
        f"best of the grid ({_name(best)})": scored[best],
        f"present ({_name(PRESENT)})": _metrics(answerable, PRESENT),
    }
    return {
        "rows": rows,
        "grid": {_name(weights): {half: aim(found[half]) for half in _HALVES} for weights, found in scored.items()},
        "around": {
            f"{speaker:g}; {thread:g}": {half: aim(found[half]) for half in _HALVES}
            for speaker, thread in product(_SPEAKER, _THREAD)
            for found in [_metrics(answerable, replace(PRESENT, speaker=speaker, thread=thread))]
        },
        "words": {
            f"{words:g}": {half: aim(found[half]) for half in _HALVES}
            for words in _WORDS
            for found in [_metrics(answerable, replace(PRESENT, words=words))]
        },
        "floors": {f"{floor:g}; {at:g}": _floored(asked, floor, at) for floor, at in product(_FLOORS, _LITERALS)},
        "following": {f"{share:g}": _followed(asked, share) for share in _FOLLOWING},
        "n": {half: {kind: _count(asked, half, kind) for kind in (*_METRICS, FAR)} for half in _HALVES},
    }


def aim(half: Mapping[str, Mapping[str, float]]) -> float:
    """Return what the grid maximises: the mean of the metrics, each set weighing the same."""
    return mean([mean(list(metrics.values())) for metrics in half.values()])


def tables(found: Mapping[str, Any]) -> list[Table]:
    """Return the named settings for each set, the grid, and the floors."""
    means = {at: _aims(aims) for at, aims in found["grid"].items()}
    grid = [(f"{m:g}", *(means[_name(Weights(1.0, m, n))] for n in _NEIGHBOURS)) for m in _MEANING]
    floors = [
        (at, *(_percent(row[half][name]) for name in _LOSSES for half in _HALVES))
        for at, row in found["floors"].items()
    ]
    losses = tuple(f"{name}, {half}" for name in _LOSSES for half in _HALVES)
    following = [
        (share, *(f"{row[half][name]:.1f}" for name in _SHOWN for half in _HALVES))
        for share, row in found["following"].items()
    ]
    return [
        *(_named(kind, found) for kind in _METRICS),
        Table(
            ("meaning", *(f"neighbours {n:g}" for n in _NEIGHBOURS)),
            tuple(grid),
            "the mean of these metrics, both sets weighing the same, tune / held",
        ),
        Table(
            ("speaker", *(f"thread {t:g}" for t in _THREAD)),
            tuple((f"{s:g}", *(_aims(found["around"][f"{s:g}; {t:g}"]) for t in _THREAD)) for s in _SPEAKER),
            "the same for who speaks and the best of the thread beside the present weights, tune / held",
        ),
        Table(
            ("words", "tune / held"),
            tuple((f"{w:g}", _aims(found["words"][f"{w:g}"])) for w in _WORDS),
            "the same for the comparison of words beside the present weights",
        ),
        Table(
            ("floor; literal", *losses),
            tuple(floors),
            f"floors under the present weights; far: {_asked_of(found, FAR)}",
        ),
        Table(
            ("share of the floor", *(f"{name}, {half}" for name in _SHOWN for half in _HALVES)),
            tuple(following),
            "what the others need once one clears the floor: all@10 in per cent, and how many of ten are shown",
        ),
    ]


def _named(kind: str, found: Mapping[str, Any]) -> Table:
    rows = [
        (name, half, *map(_percent, row[half][kind].values()))
        for name, row in found["rows"].items()
        for half in _HALVES
    ]
    title = f"{kind}: weights of (meaning; neighbours) beside a keyword weight of 1; {_asked_of(found, kind)}"
    return Table(("score", "half", *_METRICS[kind]), tuple(rows), title)


def _asked_of(found: Mapping[str, Any], kind: str) -> str:
    return f"{found['n'][TUNE][kind]} questions tune, {found['n'][HELD][kind]} held"


async def _asked(data: Path, claims: Sequence[str], sample: int, seed: int) -> list[Asked]:
    talks = await of_talks(data_.locomo(data), claims)
    return talks + await of_haystacks(data, sample, seed)


def _metrics(asked: Sequence[Asked], weights: Weights | None) -> Halves:
    """Return the metrics of each half and set under `weights`, of the baseline without."""
    found: defaultdict[tuple[str, str, str], list[float]] = defaultdict(list)
    for one in asked:
        ranked = one.baseline if weights is None else one.ranked(weights)
        for name in _METRICS[one.kind]:
            found[one.half, one.kind, name].append(_metric(name, ranked, one.gold))
    return {
        half: {kind: {name: mean(found[half, kind, name]) for name in names} for kind, names in _METRICS.items()}
        for half in _HALVES
    }


def _metric(name: str, ranked: Sequence[str], gold: frozenset[str]) -> float:
    what, _, k = name.partition("@")
    if what == "mrr":
        return reciprocal(ranked, gold)
    return (any_of if what == "any" else all_of)(ranked, gold, int(k))


def _floored(asked: Sequence[Asked], floor: float, literal: float) -> dict[str, dict[str, float]]:
    """Return what floors do: far questions left empty, LoCoMo's any@10 lost, questions whose whole answer is under."""
    found: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    for one in asked:
        clears = one.clears(floor, literal)
        if one.kind == FAR:
            found[one.half, "far empty"].append(float(not clears.any()))
            continue
        answers = np.array([i in one.gold for i in one.ids], np.bool_)
        found[one.half, "gold under"].append(float(answers.any() and not (clears & answers).any()))
        if one.kind == "locomo":
            kept = {i for i, clear in zip(one.ids, clears, strict=True) if clear}
            ranked = one.ranked(PRESENT)
            lost = any_of(ranked, one.gold, 10) - any_of([i for i in ranked if i in kept], one.gold, 10)
            found[one.half, "any@10 lost"].append(lost)
    return {half: {name: mean(found[half, name]) for name in _LOSSES} for half in _HALVES}


def _followed(asked: Sequence[Asked], share: float) -> dict[str, dict[str, float]]:
    """Return what is found where the others need this share of the floor once one clears it."""
    found: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    for one in asked:
        if one.kind != FAR:
            scores, clears = one.scores(PRESENT), one.clears(rank.FLOOR, rank.LITERAL_BESIDE_MEANING)
            kept = clears | ((scores >= share * rank.FLOOR) & clears.any())
            shown = [one.ids[place] for place in np.argsort(-scores, kind="stable") if kept[place]][:10]
            found[one.half, f"{one.kind} all@10"].append(100 * all_of(shown, one.gold, 10))
            found[one.half, f"{one.kind} shown"].append(len(shown))
    return {half: {name: mean(found[half, name]) for name in _SHOWN} for half in _HALVES}


def _name(weights: Weights) -> str:
    return f"{weights.meaning / weights.keyword:.2g}; {weights.neighbours / weights.keyword:.2g}"


def _count(asked: Sequence[Asked], half: str, kind: str) -> int:
    return sum(one.half == half and one.kind == kind for one in asked)


def _aims(halves: Mapping[str, float]) -> str:
    return " / ".join(_percent(halves[half]) for half in _HALVES)


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"
