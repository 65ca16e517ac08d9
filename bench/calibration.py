"""What a label is worth: how often hits answer by what is said of them, and the constants of `recall/confidence.py`.

The production recall is asked, so that the figures hold for the weights as they are; the first half of the questions
fits (tune), the other reports (held), split as in `fit`. After a change of the score, run it and put the constants that
it prints into `recall/confidence.py`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bethink.engine import Bethink
from bethink.recall import confidence
from bethink.text.analyzer import query_terms
from bethink.vocabulary import Detail

from . import data as data_
from .bed import bed, fill
from .evidence import FAR, HELD, TUNE
from .locomo import ADVERSARIAL, turn_item
from .longmemeval import sampled, session_items
from .plot import reliability
from .progress import steps
from .report import Table
from .sampling import stratified
from .scoring import area, mean

PLOT: Final = Path(__file__).parent / "plots" / "calibration.svg"
NEAR: Final = "near"
_SETS: Final = ("locomo", "longmemeval")
_HALVES: Final = (TUNE, HELD)
_CLAIMS: Final = 100
_HITS: Final = 10
_TALKS_A_ROUND, _TUNED_OF_THEM = 5, 3
_STEPS: Final = (0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8)
_BINS: Final = 10

Values = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Answered:
    """A question of a set and half, and for each of its first hits, best first, the score and whether it answers."""

    kind: str
    half: str
    scores: tuple[float, ...]
    right: tuple[bool, ...]
    terms: Mapping[str, float]
    words: int

    @property
    def rival(self) -> float:
        """The score of the third best text."""
        return _at(self.scores, confidence.RIVAL - 1)

    def chances(self, slope: float, intercept: float) -> list[float]:
        """Return the chance of each hit under a fit."""
        return [
            float(_logistic(np.array(confidence.lead(score, self.rival)), slope, intercept)) for score in self.scores
        ]


def run(data: Path, *, sample: int | None = None, seed: int = 0) -> dict[str, Any]:
    """Ask both sets and report; `sample` counts LongMemEval questions (default: all)."""
    asked = asyncio.run(_asked(data, sample, seed))
    found = report(asked)
    if sample is None:
        PLOT.parent.mkdir(exist_ok=True)
        PLOT.write_text(reliability(found["bins"], "First hits of the held half"), encoding="utf-8")
    return found


def report(asked: Sequence[Answered]) -> dict[str, Any]:
    """Return what separates right from wrong, the fit, and what labels are worth under it and at present."""
    answerable = [one for one in asked if one.kind in _SETS and one.scores]
    tune = [one for one in answerable if one.half == TUNE]
    held = [one for one in answerable if one.half == HELD]
    slope, intercept = fitted(_leads(tune), _right(tune))
    chances = _logistic(_leads(held), slope, intercept)
    return {
        "features": {name: _separates(feature, answerable) for name, feature in FEATURES.items()},
        "fit": {"OF_LEAD": round(slope, 1), "INTERCEPT": round(intercept, 2)},
        "thresholds": {f"{step:g}": _worth(asked, step, slope, intercept) for step in _STEPS},
        "present": {
            label: _worth(asked, least, confidence.OF_LEAD, confidence.INTERCEPT)
            for label, least in (("high", confidence.HIGH), ("high or medium", confidence.MEDIUM))
        },
        "ece": {
            "fit on tune, all": error(chances, _right(held)),
            **{kind: _error_of([one for one in held if one.kind == kind], slope, intercept) for kind in _SETS},
            "present": _error_of(held, confidence.OF_LEAD, confidence.INTERCEPT),
        },
        "bins": binned(chances, _right(held)),
        "n": {half: sum(one.half == half for one in answerable) for half in _HALVES},
    }


def tables(found: Mapping[str, Any]) -> list[Table]:
    """Return the features, the fit, the thresholds and the labels."""
    features = [(name, *(f"{row[half]:.3f}" for half in _HALVES)) for name, row in found["features"].items()]
    fit = ", ".join(f"{name} {value}" for name, value in found["fit"].items())
    rows = [(f"fit, from {step}", *_cells(row)) for step, row in found["thresholds"].items()]
    rows += [(f"present: {label}", *_cells(row)) for label, row in found["present"].items()]
    heads = ("label", "right, tune", "right, held", "has one, tune", "has one, held", "locomo right / has, held")
    return [
        Table(
            ("of the first hit", *_HALVES), tuple(features), "how well it tells right from wrong (area, chance is 0.5)"
        ),
        Table(
            (*heads, "longmemeval right / has, held", "near has one", "far has one"),
            tuple(rows),
            f"of all hits so labelled how many are right, and how many questions have one; {fit}",
        ),
        Table(
            ("calibration error, held", "value"), tuple((name, f"{value:.3f}") for name, value in found["ece"].items())
        ),
        Table(
            ("chance said", "right", "first hits"),
            tuple((f"{b['said']:.2f}", f"{b['right']:.2f}", str(b["count"])) for b in found["bins"]),
            "reliability of the fit on the held half",
        ),
    ]


FEATURES: Final[Mapping[str, Callable[[Answered], float]]] = {
    "score": lambda one: one.scores[0],
    "lead over the second": lambda one: one.scores[0] - _at(one.scores, 1),
    "lead over the third": lambda one: confidence.lead(one.scores[0], one.rival),
    "lead over the fifth": lambda one: one.scores[0] - _at(one.scores, 4),
    "lead over the tenth": lambda one: one.scores[0] - _at(one.scores, 9),
    "keyword term": lambda one: one.terms.get("keyword", 0.0),
    "meaning term": lambda one: one.terms.get("meaning", 0.0),
    "neighbours term": lambda one: one.terms.get("neighbours", 0.0),
    "words of the question": lambda one: float(one.words),
}


def fitted(leads: Values, right: Values) -> tuple[float, float]:
    """Return slope and intercept of a logistic regression, by Newton's method."""
    features = np.column_stack([leads, np.ones(len(leads))])
    weights = np.zeros(2)
    for _ in range(50):
        said = 1 / (1 + np.exp(-features @ weights))
        curvature = (features * (said * (1 - said))[:, None]).T @ features + 1e-6 * np.eye(2)
        weights = weights - np.linalg.solve(curvature, features.T @ (said - right))
    return float(weights[0]), float(weights[1])


def binned(said: Values, right: Values) -> list[dict[str, float]]:
    """Return chances in ranges of equal width with the share that was right."""
    places = np.minimum((said * _BINS).astype(int), _BINS - 1)
    groups = [places == place for place in range(_BINS)]
    return [
        {"said": float(said[group].mean()), "right": float(right[group].mean()), "count": int(group.sum())}
        for group in groups
        if group.any()
    ]


def error(said: Values, right: Values) -> float:
    """Return the expected calibration error."""
    found = binned(said, right)
    return sum(b["count"] * abs(b["said"] - b["right"]) for b in found) / max(len(said), 1)


def _worth(asked: Sequence[Answered], least: float, slope: float, intercept: float) -> dict[str, float]:
    """Return for hits from a chance on how many are right, and how many questions of each sort have one."""
    worth: dict[str, float] = {}
    for name, kinds, half in _GROUPS:
        group = [one for one in asked if one.kind in kinds and half in (None, one.half)]
        labelled = [
            [right for chance, right in zip(one.chances(slope, intercept), one.right, strict=True) if chance >= least]
            for one in group
        ]
        worth[f"{name} right"] = mean([right for hits in labelled for right in hits])
        worth[f"{name} has"] = mean([bool(hits) for hits in labelled])
    return worth


_GROUPS: Final = (
    (TUNE, _SETS, TUNE),
    (HELD, _SETS, HELD),
    *((kind, (kind,), HELD) for kind in _SETS),
    (NEAR, (NEAR,), None),
    (FAR, (FAR,), None),
)


def _cells(row: Mapping[str, float]) -> tuple[str, ...]:
    both = (f"{_percent(row[f'{kind} right'])} / {_percent(row[f'{kind} has'])}" for kind in _SETS)
    parts = (row[f"{half} {what}"] for what in ("right", "has") for half in _HALVES)
    return (*map(_percent, parts), *both, _percent(row[f"{NEAR} has"]), _percent(row[f"{FAR} has"]))


def _separates(feature: Callable[[Answered], float], asked: Sequence[Answered]) -> dict[str, float]:
    found = {}
    for half in _HALVES:
        of = [one for one in asked if one.half == half]
        right, wrong = ([feature(one) for one in of if one.right[0] is so] for so in (True, False))
        found[half] = area(right, wrong) or 0.5
    return found


def _error_of(asked: Sequence[Answered], slope: float, intercept: float) -> float:
    return error(_logistic(_leads(asked), slope, intercept), _right(asked))


def _logistic(leads: Values, slope: float, intercept: float) -> Values:
    said: Values = 1 / (1 + np.exp(-(slope * leads + intercept)))
    return said


def _leads(asked: Sequence[Answered]) -> Values:
    return np.array([confidence.lead(one.scores[0], one.rival) for one in asked])


def _right(asked: Sequence[Answered]) -> Values:
    return np.array([one.right[0] for one in asked], np.float64)


def _at(scores: Sequence[float], place: int) -> float:
    return scores[place] if place < len(scores) else 0.0


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"


async def _asked(data: Path, sample: int | None, seed: int) -> list[Answered]:
    claims = stratified(data_.scifact_claims(data), _CLAIMS, seed, kind=type)
    return await _of_talks(data, claims) + await _of_haystacks(data, sample, seed)


async def _of_talks(data: Path, claims: Sequence[str]) -> list[Answered]:
    found: list[Answered] = []
    for place, talk in enumerate(steps(data_.locomo(data), "calibration, LoCoMo")):
        half = TUNE if place % _TALKS_A_ROUND < _TUNED_OF_THEM else HELD
        async with bed() as memory:
            await fill(memory, (turn_item(talk, turn) for turn in range(len(talk.turns))))
            found += [await _answered(memory, claim, FAR, half) for claim in claims]
            for case in talk.cases:
                if case.label == ADVERSARIAL:
                    found.append(await _answered(memory, case.question, NEAR, half))
                elif case.gold:
                    found.append(await _answered(memory, case.question, "locomo", half, case.gold))
    return found


async def _of_haystacks(data: Path, sample: int | None, seed: int) -> list[Answered]:
    every = data_.longmemeval_questions(data)
    halves = {q["question_id"]: HELD if place % 2 else TUNE for place, q in enumerate(every)}
    # Of a part those that `fit` asks as well, whose vectors are known.
    questions = sampled([q for q in every if not _abstains(q)], sample, seed)
    questions += [q for q in every if _abstains(q)] if sample is None else []
    wanted = {i for q in questions for i in q["haystack_session_ids"]}
    texts = {i: data_.session_text(turns) for i, turns in data_.longmemeval_sessions(data) if i in wanted}
    found: list[Answered] = []
    for question in steps(questions, "calibration, LongMemEval"):
        gold = frozenset() if _abstains(question) else frozenset(question["answer_session_ids"])
        async with bed() as memory:
            await fill(memory, session_items(question, texts))
            kind, half = NEAR if _abstains(question) else "longmemeval", halves[question["question_id"]]
            found.append(await _answered(memory, question["question"], kind, half, gold))
    return found


def _abstains(question: Mapping[str, Any]) -> bool:
    return str(question["question_id"]).endswith("_abs")


async def _answered(
    memory: Bethink, question: str, kind: str, half: str, gold: frozenset[str] = frozenset()
) -> Answered:
    page = await memory.recall(question, limit=_HITS, detail=Detail.ids, explain=True)
    sources = [hit.source.id if hit.source else None for hit in page.hits]
    return Answered(
        kind=kind,
        half=half,
        scores=tuple(hit.score for hit in page.hits),
        right=tuple(source in gold for source in sources),
        terms=(page.hits[0].terms or {}) if page.hits else {},
        words=len(query_terms(question)),
    )
