"""What each source and stage is worth: LoCoMo, BEAM and LongMemEval with one of them off at a time.

The production index and ranking run as they are. A source is switched off by taking away what it found: its evidence,
and where it proposes candidates those too. So there is nothing in the product that only a benchmark needs.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from bethink.domain import Volatility
from bethink.recall import rank
from bethink.storage.values import Candidates

from . import data as data_
from .bed import bed, fill
from .data import Talk
from .evidence import ALL, Sources, Store
from .locomo import ADVERSARIAL, turn_item
from .longmemeval import sampled, session_items
from .progress import steps
from .report import Table, cell
from .sampling import stratified
from .scoring import all_of, any_of, area, fraction, mean, reciprocal

_SAMPLE: Final = 60
_CLAIMS: Final = 50
_CHATS: Final = "100k"
_BEST: Final = ("near.with", "near.without")  # the best score of questions that have an answer, and of those without
Figures = defaultdict[str, defaultdict[str, list[float]]]


@dataclass(frozen=True, slots=True)
class Way:
    """A way to recall: what is asked, what is left of the evidence of what it finds, which floor is under that."""

    sources: Sources = ALL
    left: Callable[[Candidates], Candidates] = lambda found: found
    floor: float | None = None


@dataclass(frozen=True, slots=True)
class _Shown:
    """The ids that are shown, best first, and the score of the best."""

    ids: tuple[str, ...]
    best: float


def _without_keyword(found: Candidates) -> Candidates:
    return replace(found, keyword=np.zeros_like(found.keyword), held=np.zeros_like(found.held))


def _without_neighbours(found: Candidates) -> Candidates:
    return replace(found, neighbour_cosine=np.full_like(found.neighbour_cosine, np.nan))


def _without_own_meaning(found: Candidates) -> Candidates:
    return replace(found, cosine=found.neighbour_cosine)


def _without_speaker(found: Candidates) -> Candidates:
    return replace(found, spoken=np.zeros_like(found.spoken))


def _without_thread(found: Candidates) -> Candidates:
    return replace(found, threads=np.zeros_like(found.threads))


def _without_doubt(found: Candidates) -> Candidates:
    return replace(found, by_others=np.zeros_like(found.by_others))


def _without_assistants(found: Candidates) -> Candidates:
    return replace(found, by_assistant=np.zeros_like(found.by_assistant))


def _without_standing(found: Candidates) -> Candidates:
    return replace(
        found,
        confidence=np.full_like(found.confidence, 0.8),
        verification=np.zeros_like(found.verification),
        volatility=np.full_like(found.volatility, list(Volatility).index(Volatility.stable)),
        stale=np.zeros_like(found.stale),
        contradicted=np.zeros_like(found.contradicted),
    )


WAYS: Final = {
    "everything on": Way(),
    "no keyword": Way(Sources(terms=False), left=_without_keyword),
    "no forms of words": Way(Sources(forms=False)),
    "no meaning at all": Way(Sources(meaning=False)),
    "no meaning of its own": Way(left=_without_own_meaning),
    "no meaning with neighbours": Way(left=_without_neighbours),
    "no comparison of words": Way(Sources(words=False)),
    "no time": Way(Sources(time=False)),
    "no speaker": Way(left=_without_speaker),
    "no best of the thread": Way(left=_without_thread),
    "no doubt": Way(left=_without_doubt),
    "no share of the assistant": Way(left=_without_assistants),
    "no trust and no freshness": Way(left=_without_standing),
    "no floor": Way(floor=0.0),
    "the floor alone": Way(floor=rank.FLOOR),
}
APART: Final = "no threads at all"


def run(data: Path, *, sample: int | None = None, seed: int = 0) -> dict[str, Any]:
    """Return the figures of each way, over all LoCoMo and BEAM questions and `sample` (60) of LongMemEval."""
    return asyncio.run(_run(data, sample or _SAMPLE, seed))


def tables(figures: Mapping[str, Any]) -> list[Table]:
    """Return a row a way."""
    heads = tuple(figures["everything on"])
    rows = tuple((way, *(cell(head, found[head]) for head in heads)) for way, found in figures.items() if way != "n")
    counted = ", ".join(f"{name} {count:,}" for name, count in figures["n"].items())
    return [Table(("switched off", *heads), rows, f"Questions: {counted}")]


async def _run(data: Path, sample: int, seed: int) -> dict[str, Any]:
    figures: Figures = defaultdict(lambda: defaultdict(list))
    claims = stratified(data_.scifact_claims(data), _CLAIMS, seed, kind=type)
    for talk in steps(data_.locomo(data), "ablation, LoCoMo"):
        await _of_talk(talk, claims, figures, WAYS)
        await _of_talk(talk, claims, figures, {APART: Way()}, threads=False)
    for talk in steps(data_.beam(data)[_CHATS], "ablation, BEAM"):
        await _of_chat(talk, figures, WAYS)
        await _of_chat(talk, figures, {APART: Way()}, threads=False)
    for question, texts in steps(_haystacks(data, sample, seed), "ablation, LongMemEval"):
        await _of_haystack(question, texts, figures)
    n = {name.partition(".")[0]: len(found) for name, found in figures["everything on"].items()}
    return {**{way: _means(found) for way, found in figures.items()}, "n": n}


def _means(found: Mapping[str, list[float]]) -> dict[str, float | None]:
    """The mean of each figure; `near` is how well the best score tells what has an answer from what has none."""
    means = {name: mean(values) for name, values in found.items() if name not in _BEST}
    return {**means, "near.auc": area(*(found[name] for name in _BEST))}


async def _of_talk(
    talk: Talk, claims: Sequence[str], figures: Figures, ways: Mapping[str, Way], *, threads: bool = True
) -> None:
    async with _store_of(talk, threads=threads) as store:
        for case in talk.cases:
            for way, shown in (await _ranked(store, case.question, ways)).items():
                answerable = case.gold and case.label != ADVERSARIAL
                if answerable:
                    _score_turns(shown.ids, case.gold, figures[way])
                if answerable or case.label == ADVERSARIAL:
                    figures[way][_BEST[not answerable]].append(shown.best)
        for claim in claims:
            for way, shown in (await _ranked(store, claim, ways)).items():
                figures[way]["far.empty"].append(float(not shown.ids))


async def _of_chat(talk: Talk, figures: Figures, ways: Mapping[str, Way], *, threads: bool = True) -> None:
    async with _store_of(talk, threads=threads) as store:
        for case in talk.cases:
            for way, shown in (await _ranked(store, case.question, ways)).items():
                figures[way]["beam.frac@10"].append(fraction(shown.ids, case.gold, 10))


@asynccontextmanager
async def _store_of(talk: Talk, *, threads: bool) -> AsyncIterator[Store]:
    """A store of a talk, a memory a turn; without its threads nothing says that they belong together."""
    async with bed(at=talk.asked_at) as memory:
        items = (turn_item(talk, place) for place in range(len(talk.turns)))
        await fill(memory, items if threads else ({**i, "source": {"id": i["source"]["id"]}} for i in items))
        yield await Store.of(memory)


async def _of_haystack(question: dict[str, Any], texts: dict[str, str], figures: Figures) -> None:
    async with bed(at=data_.longmemeval_asked_at(question)) as memory:
        await fill(memory, session_items(question, texts))
        store = await Store.of(memory)
        for way, shown in (await _ranked(store, question["question"], {**WAYS, APART: Way()})).items():
            gold = set(question["answer_session_ids"])
            for k in (1, 5):
                figures[way][f"longmemeval.any@{k}"].append(any_of(shown.ids, gold, k))
            for k in (5, 10):
                figures[way][f"longmemeval.all@{k}"].append(all_of(shown.ids, gold, k))


async def _ranked(store: Store, question: str, ways: Mapping[str, Way]) -> dict[str, _Shown]:
    """Return what each way shows."""
    shown = {}
    for name, way in ways.items():
        candidates, trust, time = await store.found(question, sources=way.sources, left=way.left)
        order = rank.ranked(candidates, trust=trust, now=store.now, when=time, floor=way.floor)
        shown[name] = _Shown(store.named(order.numbers), max(order.scores.tolist(), default=0.0))
    return shown


def _score_turns(ranked: Sequence[str], gold: frozenset[str], figures: dict[str, list[float]]) -> None:
    for k in (5, 10):
        figures[f"locomo.any@{k}"].append(any_of(ranked, gold, k))
    figures["locomo.all@10"].append(all_of(ranked, gold, 10))
    figures["locomo.mrr"].append(reciprocal(ranked, gold))


def _haystacks(data: Path, sample: int, seed: int) -> list[tuple[dict[str, Any], dict[str, str]]]:
    questions = [q for q in data_.longmemeval_questions(data) if not q["question_id"].endswith("_abs")]
    chosen = sampled(questions, sample, seed)
    wanted = {i for q in chosen for i in q["haystack_session_ids"]}
    texts = {i: data_.session_text(turns) for i, turns in data_.longmemeval_sessions(data) if i in wanted}
    return [(question, texts) for question in chosen]
