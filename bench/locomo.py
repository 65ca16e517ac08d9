"""LoCoMo: one store a conversation, a memory a turn with its thread; turns, sessions, far and near refusal."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from bethink.engine import Bethink

from . import data as data_
from .bed import answers, bed, fill
from .data import Case, Talk
from .scoring import Bm25, all_of, any_of, area, distinct, fraction, mean, reciprocal

_DEPTH = 200
_ADVERSARIAL = "5"
Figures = dict[str, list[float]]


def run(data: Path, *, sample: int | None = None, seed: int = 0) -> dict[str, Any]:
    """Return the figures of the production recall, and BM25's beside them."""
    del seed
    talks = data_.locomo(data)[:sample]
    claims = data_.scifact_claims(data)
    return asyncio.run(_run(talks, claims))


async def _run(talks: Sequence[Talk], claims: Sequence[str]) -> dict[str, Any]:
    ours: Figures = defaultdict(list)
    baseline: Figures = defaultdict(list)
    for talk in talks:
        async with bed() as memory:
            await fill(memory, (_item(talk, place) for place in range(len(talk.turns))))
            await _ask(memory, talk, ours)
            await _ask_off_topic(memory, claims, ours)
        _rank(talk, baseline)
    return {**_report(ours), "bm25": _report(baseline)}


def _item(talk: Talk, place: int) -> dict[str, Any]:
    turn = talk.turns[place]
    return {
        "content": turn.text,
        "kind": "turn",
        "occurred_at": turn.occurred_at,
        "source": {"id": turn.id, "thread": f"{talk.name}/{turn.session}"},
    }


async def _ask(memory: Bethink, talk: Talk, figures: Figures) -> None:
    for case in talk.cases:
        found = await answers(memory, case.question, depth=_DEPTH)
        _score([i for i, _ in found], case, figures)
        top = found[0][1] if found else 0.0
        figures["unanswerable" if case.label == _ADVERSARIAL else "answerable"].append(top)
        if case.gold and case.label != _ADVERSARIAL:
            unfloored = await answers(memory, case.question, depth=10, min_score=0.0)
            figures["unfloored any@10"].append(any_of([i for i, _ in unfloored], case.gold, 10))


async def _ask_off_topic(memory: Bethink, claims: Sequence[str], figures: Figures) -> None:
    for claim in claims:
        page = await memory.recall(claim, limit=1, detail="ids")
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
    figures["frac@10"].append(fraction(sessions, gold, 10))
    figures["session any@5"].append(any_of(sessions, gold, 5))
    figures["session all@10"].append(all_of(sessions, gold, 10))
    if case.label != _ADVERSARIAL:
        figures["any@5"].append(any_of(ranked, case.gold, 5))
        figures["any@10"].append(any_of(ranked, case.gold, 10))
        figures["all@10"].append(all_of(ranked, case.gold, 10))
        figures["mrr"].append(reciprocal(ranked, case.gold))


def _report(figures: Figures) -> dict[str, Any]:
    named: Callable[[str], float] = lambda name: mean(figures[name])  # noqa: E731  # one line used nine times below
    report: dict[str, Any] = {
        "turns": {name: named(name) for name in ("any@5", "any@10", "all@10", "mrr")} | {"n": len(figures["mrr"])},
        "sessions": {
            "frac@10": named("frac@10"),
            "any@5": named("session any@5"),
            "all@10": named("session all@10"),
            "n": len(figures["frac@10"]),
        },
    }
    if figures["far empty"]:
        lost = named("unfloored any@10") - named("any@10")
        report["far"] = {"empty": named("far empty"), "any@10_lost": lost, "n": len(figures["far empty"])}
        report["near"] = {"auc": area(figures["answerable"], figures["unanswerable"])}
    return report
