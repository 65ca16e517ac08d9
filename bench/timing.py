"""What the time counts that a question names: the questions that name one, by the weight of that term.

LoCoMo's first three conversations of five and LongMemEval's even questions choose (tune); the others report (held).
Differences under 1.5 points are ties; there are about a hundred such questions in LoCoMo and forty in LongMemEval.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final
from zoneinfo import ZoneInfo

from bethink.recall.timing import when

from . import data as data_
from .data import Talk
from .evidence import HELD, PRESENT, TUNE, Asked, of_questions, of_talks
from .report import Table
from .sampling import stratified
from .scoring import all_of, any_of, mean, reciprocal

_WEIGHTS: Final = (0.0, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3)
_SETS: Final = ("locomo", "longmemeval")
_METRICS: Final = ("any@1", "any@5", "any@10", "all@5", "all@10", "mrr")
_UTC: Final = ZoneInfo("UTC")

Rows = dict[str, dict[str, dict[str, dict[str, float]]]]


def run(data: Path, *, sample: int | None = None, seed: int = 0) -> dict[str, Any]:
    """Return for each weight, set and half what is found; a `sample` is of the questions that name a time."""
    talks = [_naming(talk) for talk in data_.locomo(data)]
    every = [q for q in data_.longmemeval_questions(data) if not q["question_id"].endswith("_abs")]
    questions = [q for q in every if _names_time(q["question"], data_.longmemeval_asked_at(q))]
    return report(asyncio.run(_asked(data, talks, stratified(questions, sample, seed, kind=type))))


def report(asked: Sequence[Asked]) -> dict[str, Any]:
    """Return the figures of each weight over what was asked."""
    return {
        "rows": {f"{weight:g}": _figures(asked, weight) for weight in _WEIGHTS},
        "n": {half: {kind: len(_of(asked, half, kind)) for kind in _SETS} for half in (TUNE, HELD)},
    }


def tables(found: dict[str, Any]) -> list[Table]:
    """Return a table a set: the weights, in both halves."""
    return [
        Table(
            ("weight", "half", *_METRICS),
            tuple(
                (weight, half, *(f"{100 * row[kind][half][name]:.1f}" for name in _METRICS))
                for weight, row in found["rows"].items()
                for half in (TUNE, HELD)
            ),
            f"{kind}: {found['n'][TUNE][kind]} questions tune, {found['n'][HELD][kind]} held",
        )
        for kind in _SETS
    ]


def _naming(talk: Talk) -> Talk:
    return replace(talk, cases=[case for case in talk.cases if _names_time(case.question, talk.asked_at)])


def _names_time(question: str, at: int) -> bool:
    asked = when(question, None, zone=_UTC, now=at)
    return bool(asked.times or asked.anchor)


async def _asked(data: Path, talks: Sequence[Talk], questions: Sequence[dict[str, Any]]) -> list[Asked]:
    found = await of_talks(talks, ())
    return found + await of_questions(data, questions)


def _figures(asked: Sequence[Asked], weight: float) -> dict[str, dict[str, dict[str, float]]]:
    weights = replace(PRESENT, time=weight)
    return {
        kind: {
            half: _means([(one.ranked(weights), one.gold) for one in _of(asked, half, kind)]) for half in (TUNE, HELD)
        }
        for kind in _SETS
    }


def _of(asked: Sequence[Asked], half: str, kind: str) -> list[Asked]:
    return [one for one in asked if one.half == half and one.kind == kind and one.near is not None]


def _means(found: Sequence[tuple[Sequence[str], frozenset[str]]]) -> dict[str, float]:
    figures: defaultdict[str, list[float]] = defaultdict(list)
    for ranked, gold in found:
        for k in (1, 5, 10):
            figures[f"any@{k}"].append(any_of(ranked, gold, k))
            figures[f"all@{k}"].append(all_of(ranked, gold, k))
        figures["mrr"].append(reciprocal(ranked, gold))
    return {name: mean(figures[name]) for name in _METRICS}
