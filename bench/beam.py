"""BEAM: one store a chat with an assistant, a memory a message with its thread; the share of the gold among ten."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from . import data as data_
from .bed import answers, bed, fill
from .data import Case, Talk
from .locomo import sampled, turn_item
from .progress import steps
from .scoring import Bm25, fraction, mean

_DEPTH = 10
Figures = dict[str, list[float]]


def run(data: Path, *, sample: int | None = None, seed: int = 0) -> dict[str, Any]:
    """Return the figures of the production recall at each size of chat, and BM25's beside them."""
    sizes = data_.beam(data)
    return {size: asyncio.run(_at(size, sampled(talks, sample, seed))) for size, talks in sizes.items()}


async def _at(size: str, talks: Sequence[Talk]) -> dict[str, Any]:
    ours: Figures = defaultdict(list)
    baseline: Figures = defaultdict(list)
    for talk in steps(talks, f"beam {size}"):
        async with bed() as memory:
            await fill(memory, (turn_item(talk, place) for place in range(len(talk.turns))))
            for case in talk.cases:
                _score([i for i, _ in await answers(memory, case.question, depth=_DEPTH)], case, ours)
        index, ids = Bm25([turn.text for turn in talk.turns]), [turn.id for turn in talk.turns]
        for case in talk.cases:
            _score([ids[place] for place in index.rank(case.question)], case, baseline)
    stores = {"stores": len(talks), "memories_a_store": mean([len(talk.turns) for talk in talks])}
    return {**_report(ours), **stores, "bm25": _report(baseline)}


def _score(ranked: Sequence[str], case: Case, figures: Figures) -> None:
    found = fraction(ranked, case.gold, _DEPTH)
    figures["all"].append(found)
    figures[case.label].append(found)


def _report(figures: Figures) -> dict[str, Any]:
    abilities = {f"{name} frac@10": mean(found) for name, found in sorted(figures.items()) if name != "all"}
    return {"frac@10": mean(figures["all"]), "n": len(figures["all"]), "abilities": abilities}
