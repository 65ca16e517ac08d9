"""LoCoMo: one store a conversation, a memory a turn with its thread; turns, sessions, far and near refusal."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from bethink.engine import Bethink
from bethink.vocabulary import Detail

from . import data as data_
from .bed import answers, bed, fill, tokens
from .data import Case, Talk
from .progress import steps
from .sampling import stratified
from .scoring import Bm25, all_of, any_of, area, distinct, fraction, mean, reciprocal

_DEPTH = 200
ADVERSARIAL = "5"
Figures = dict[str, list[float]]


def run(data: Path, *, sample: int | None = None, seed: int = 0) -> dict[str, Any]:
    """Return the figures of the production recall, and BM25's beside them."""
    claims = stratified(data_.scifact_claims(data), sample, seed, kind=type)
    return asyncio.run(_run(sampled(data_.locomo(data), sample, seed), claims))


def sampled(talks: Sequence[Talk], sample: int | None, seed: int) -> list[Talk]:
    """Return the talks with about `sample` questions in all, each talk and category in its share."""
    asked = [(talk.name, case) for talk in talks for case in talk.cases]
    chosen = stratified(asked, sample, seed, kind=lambda named: (named[0], named[1].label))
    return [replace(talk, cases=[case for name, case in chosen if name == talk.name]) for talk in talks]


def turn_item(talk: Talk, place: int) -> dict[str, Any]:
    """Return one turn as a memory, in the thread of its session."""
    turn = talk.turns[place]
    return {
        "content": turn.text,
        "kind": "turn",
        "occurred_at": turn.occurred_at,
        "source": {"id": turn.id, "thread": f"{talk.name}/{turn.session}"},
    }


async def _run(talks: Sequence[Talk], claims: Sequence[str]) -> dict[str, Any]:
    ours: Figures = defaultdict(list)
    baseline: Figures = defaultdict(list)
    for talk in steps(talks, "locomo"):
        async with bed(at=talk.asked_at) as memory:
            await fill(memory, (turn_item(talk, place) for place in range(len(talk.turns))))
            await _ask(memory, talk, ours)
            await _ask_off_topic(memory, claims, ours)
        _rank(talk, baseline)
    stores = {"stores": len(talks), "memories_a_store": mean([len(talk.turns) for talk in talks])}
    return {**_report(ours), **stores, "tokens_a_recall": mean(ours["tokens"]), "bm25": _report(baseline)}


async def _ask(memory: Bethink, talk: Talk, figures: Figures) -> None:
    for case in talk.cases:
        found = await answers(memory, case.question, depth=_DEPTH)
        figures["tokens"].append(await tokens(memory, case.question))
        _score([i for i, _ in found], case, figures)
        top = found[0][1] if found else 0.0
        figures["unanswerable" if case.label == ADVERSARIAL else "answerable"].append(top)
        if case.gold and case.label != ADVERSARIAL:
            unfloored = await answers(memory, case.question, depth=10, min_score=0.0)
            figures["unfloored any@10"].append(any_of([i for i, _ in unfloored], case.gold, 10))


async def _ask_off_topic(memory: Bethink, claims: Sequence[str], figures: Figures) -> None:
    for claim in claims:
        page = await memory.recall(claim, limit=1, detail=Detail.ids)
        figures["far empty"].append(float(not page.hits))


def _rank(talk: Talk, figures: Figures) -> None:
    index = Bm25([turn.text for turn in talk.turns])
    ids = [turn.id for turn in talk.turns]
    for case in talk.cases:
        _score([ids[place] for place in index.rank(case.question)], case, figures)


def _score(ranked: Sequence[str], case: Case, figures: Figures) -> None:
    if not case.gold:
        return
    sessions, gold = distinct([i.split(":")[0] for i in ranked]), {i.split(":")[0] for i in case.gold}
    figures["session frac@10"].append(fraction(sessions, gold, 10))
    figures["session any@5"].append(any_of(sessions, gold, 5))
    figures["session all@10"].append(all_of(sessions, gold, 10))
    if case.label != ADVERSARIAL:
        figures["any@5"].append(any_of(ranked, case.gold, 5))
        figures["any@10"].append(any_of(ranked, case.gold, 10))
        figures["all@10"].append(all_of(ranked, case.gold, 10))
        figures["mrr"].append(reciprocal(ranked, case.gold))


def _report(figures: Figures) -> dict[str, Any]:
    report: dict[str, Any] = {
        "turns": {name: mean(figures[name]) for name in ("any@5", "any@10", "all@10", "mrr")},
        "sessions": {name: mean(figures[f"session {name}"]) for name in ("frac@10", "any@5", "all@10")},
    }
    report["turns"]["n"] = len(figures["mrr"])
    report["sessions"]["n"] = len(figures["session frac@10"])
    if figures["far empty"]:
        lost = mean(figures["unfloored any@10"]) - mean(figures["any@10"])
        report["far"] = {"empty": mean(figures["far empty"]), "any@10_lost": lost, "n": len(figures["far empty"])}
        report["near"] = {"auc": area(figures["answerable"], figures["unanswerable"])}
    return report
