"""From which cosine two statements belong to one matter: those that answer a question together against the others."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, Final

import numpy as np

from bethink.models.minilm import MiniLm
from bethink.models.protocol import Embedder

from .bed import cache_folder
from .cache import CachedEmbedder
from .data import Talk, locomo, locomo_statements
from .dedup import proportion
from .report import Table
from .sampling import stratified

LEAST_SHARE: Final = 0.25
_STEPS: Final = tuple(round(0.40 + step / 20, 2) for step in range(9))
Pair = tuple[float, bool]
"""The cosine of two statements that are evidence of questions of several parts, and whether of the same question."""


def run(data: Path, *, sample: int | None = None, seed: int = 0) -> dict[str, Any]:
    """Return how often pairs from each cosine on belong together, and the threshold chosen on the even talks."""
    pairs = asyncio.run(_pairs(locomo(data), locomo_statements(data)))
    halves = ([pair for talk in pairs[half::2] for pair in talk] for half in (0, 1))
    tune, report = (stratified(half, sample, seed, kind=lambda pair: pair[1]) for half in halves)
    return {"threshold": lowest(tune), "tune": _rows(tune), "report": _rows(report)}


def tables(figures: Mapping[str, Any]) -> list[Table]:
    """Return how often pairs from each cosine on belong together, on both halves."""
    rows = [(at, _cell(figures["tune"][at]), _cell(figures["report"][at])) for at in figures["tune"]]
    title = f"in the evidence of one question; {LEAST_SHARE:.0%} and more from {figures['threshold']}"
    return [Table(("cosine from", "even talks", "odd talks"), tuple(rows), title)]


def lowest(pairs: Sequence[Pair]) -> float | None:
    """Return the lowest step from which that share of pairs belongs together."""
    return next((at for at in _STEPS if (_share(pairs, at)["share"] or 0.0) >= LEAST_SHARE), None)


def _rows(pairs: Sequence[Pair]) -> dict[str, Any]:
    rows = {"any": _share(pairs, -1.0)}
    return rows | {f"{at:.2f}": _share(pairs, at) for at in _STEPS}


def _share(pairs: Sequence[Pair], at: float) -> dict[str, Any]:
    found = [together for cosine, together in pairs if cosine >= at]
    return proportion(sum(found), len(found))


def _cell(share: Mapping[str, Any]) -> str:
    return "-" if share["share"] is None else f"{100 * share['share']:.1f} % of {share['n']:,}"


async def _pairs(talks: Sequence[Talk], statements: Mapping[str, list[tuple[str, frozenset[str]]]]) -> list[list[Pair]]:
    embedder = CachedEmbedder(MiniLm(), cache_folder())
    await embedder.load()
    try:
        return [await _of_talk(embedder, talk, statements[talk.name]) for talk in talks]
    finally:
        await embedder.close()


async def _of_talk(embedder: Embedder, talk: Talk, statements: Sequence[tuple[str, frozenset[str]]]) -> list[Pair]:
    asked = [case.gold for case in talk.cases if len(case.gold) > 1]
    known = [(text, {n for n, gold in enumerate(asked) if gold & turns}) for text, turns in statements]
    evidence = [(text, questions) for text, questions in known if questions]
    if not evidence:
        return []
    vectors = await embedder.embed([text for text, _ in evidence], "document")
    cosines = np.asarray(vectors) @ np.asarray(vectors).T
    return [
        (float(cosines[one, other]), bool(evidence[one][1] & evidence[other][1]))
        for one, other in combinations(range(len(evidence)), 2)
    ]
