"""Sets in BEIR form: one store a set, a memory a document with its title; nDCG and who comes first."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from . import data as data_
from .bed import answers, bed, fill
from .data import Case, Document
from .progress import steps
from .sampling import stratified
from .scoring import Bm25, any_of, gain, mean

_DEPTH = 10
Figures = dict[str, list[float]]


def run(data: Path, *, sample: int | None = None, seed: int = 0) -> dict[str, Any]:
    """Return the figures of the production recall on each set, and BM25's beside them; a sample leaves stores whole."""
    return {
        name: asyncio.run(_over(name, documents, stratified(cases, sample, seed, kind=lambda case: case.label)))
        for name, (documents, cases) in data_.beir(data).items()
    }


def document_item(document: Document) -> dict[str, Any]:
    """Return one document as a memory."""
    titled = {"title": document.title} if document.title else {}
    return {"content": document.text, "kind": "document", "source": {"id": document.id}, **titled}


async def _over(name: str, documents: Sequence[Document], cases: Sequence[Case]) -> dict[str, Any]:
    ours: Figures = defaultdict(list)
    baseline: Figures = defaultdict(list)
    async with bed() as memory:
        await fill(memory, map(document_item, documents))
        for case in steps(cases, f"beir, {name}"):
            _score([i for i, _ in await answers(memory, case.question, depth=_DEPTH)], case, ours)
    index, ids = Bm25([f"{d.title} {d.text}" for d in documents]), [d.id for d in documents]
    for case in cases:
        _score([ids[place] for place in index.rank(case.question)[:_DEPTH]], case, baseline)
    return {**_report(ours), "memories": len(documents), "bm25": _report(baseline)}


def _score(ranked: Sequence[str], case: Case, figures: Figures) -> None:
    figures["ndcg@10"].append(gain(ranked, case.gold, _DEPTH))
    figures["r@1"].append(any_of(ranked, case.gold, 1))
    figures["any@10"].append(any_of(ranked, case.gold, _DEPTH))


def _report(figures: Figures) -> dict[str, Any]:
    return {name: mean(values) for name, values in figures.items()} | {"n": len(figures["r@1"])}
