"""What each source and stage is worth: LoCoMo and LongMemEval with one of them off at a time.

The production index and ranking run as they are. A source is switched off by taking away what it found: its evidence,
and where it proposes candidates those too. So there is nothing in the product that only a benchmark needs.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from bethink.recall import rank
from bethink.storage.values import Candidates

from . import data as data_
from .bed import bed, fill
from .data import Talk
from .evidence import Store
from .locomo import ADVERSARIAL, turn_item
from .longmemeval import sampled, session_items
from .progress import steps
from .report import Table, cell
from .sampling import stratified
from .scoring import all_of, any_of, mean, reciprocal

_SAMPLE: Final = 60
_CLAIMS: Final = 50
_DEPTH: Final = 100
Figures = defaultdict[str, defaultdict[str, list[float]]]


@dataclass(frozen=True, slots=True)
class Way:
    """A way to recall: by what candidates are proposed, what is left of their evidence, which floor is under them."""

    terms: bool = True
    meaning: bool = True
    compare: bool = True
    left: Callable[[Candidates], Candidates] = lambda found: found
    floor: float | None = None


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


WAYS: Final = {
    "everything on": Way(),
    "no keyword": Way(terms=False, left=_without_keyword),
    "no meaning at all": Way(meaning=False),
    "no meaning of its own": Way(left=_without_own_meaning),
    "no meaning with neighbours": Way(left=_without_neighbours),
    "no comparison of words": Way(compare=False),
    "no speaker": Way(left=_without_speaker),
    "no best of the thread": Way(left=_without_thread),
    "no floor": Way(floor=0.0),
    "the floor alone": Way(floor=rank.FLOOR),
}
APART: Final = "no threads at all"


def run(data: Path, *, sample: int | None = None, seed: int = 0) -> dict[str, Any]:
    """Return the figures of each way, over all LoCoMo questions and `sample` (60) of LongMemEval."""
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
        await _of_talk(talk, claims, figures, WAYS, threads=True)
        await _of_talk(talk, claims, figures, {APART: Way()}, threads=False)
    for question, texts in steps(_haystacks(data, sample, seed), "ablation, LongMemEval"):
        await _of_haystack(question, texts, figures)
    counts = {"locomo": "locomo.mrr", "longmemeval": "longmemeval.any@1", "far": "far.empty"}
    n = {name: len(figures["everything on"][of]) for name, of in counts.items()}
    return {**{way: {name: mean(found) for name, found in figures[way].items()} for way in figures}, "n": n}


async def _of_talk(
    talk: Talk, claims: Sequence[str], figures: Figures, ways: Mapping[str, Way], *, threads: bool
) -> None:
    async with bed(at=talk.asked_at) as memory:
        items = (turn_item(talk, place) for place in range(len(talk.turns)))
        await fill(memory, items if threads else ({**i, "source": {"id": i["source"]["id"]}} for i in items))
        store = await Store.of(memory)
        for case in talk.cases:
            if case.gold and case.label != ADVERSARIAL:
                for way, ranked in (await _ranked(store, case.question, ways)).items():
                    _score_turns(ranked, case.gold, figures[way])
        for claim in claims:
            for way, ranked in (await _ranked(store, claim, ways)).items():
                figures[way]["far.empty"].append(float(not ranked))


async def _of_haystack(question: dict[str, Any], texts: dict[str, str], figures: Figures) -> None:
    async with bed(at=data_.longmemeval_asked_at(question)) as memory:
        await fill(memory, session_items(question, texts))
        store = await Store.of(memory)
        for way, ranked in (await _ranked(store, question["question"], {**WAYS, APART: Way()})).items():
            gold = set(question["answer_session_ids"])
            for k in (1, 5):
                figures[way][f"longmemeval.any@{k}"].append(any_of(ranked, gold, k))
            for k in (5, 10):
                figures[way][f"longmemeval.all@{k}"].append(all_of(ranked, gold, k))


async def _ranked(store: Store, question: str, ways: Mapping[str, Way]) -> dict[str, tuple[str, ...]]:
    """Return the ids that each way shows, best first."""
    shown = {}
    for name, way in ways.items():
        candidates, trust, time = await store.found(
            question, depth=_DEPTH, terms=way.terms, meaning=way.meaning, compare=way.compare, left=way.left
        )
        order = rank.ranked(candidates, trust=trust, when=time, floor=way.floor)
        shown[name] = store.named(order.numbers)
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
