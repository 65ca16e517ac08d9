"""LongMemEval pooled: every session in one store, so that the question has 19,000 competitors."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from . import data as data_
from .bed import answers, bed, fill, tokens
from .longmemeval import sampled, session_item
from .progress import steps
from .scoring import Bm25, all_of, any_of, mean

_DEPTH = 50
Figures = dict[str, list[float]]


def run(data: Path, *, sample: int | None = None, seed: int = 0) -> dict[str, Any]:
    """Return the figures of the production recall; `sample` limits the questions, never the store."""
    asked = [q for q in data_.longmemeval_questions(data) if not q["question_id"].endswith("_abs")]
    return asyncio.run(_run(dict(data_.longmemeval_sessions(data)), sampled(asked, sample, seed)))


async def _run(sessions: dict[str, list[dict[str, str]]], questions: Sequence[dict[str, Any]]) -> dict[str, Any]:
    ours: Figures = defaultdict(list)
    baseline: Figures = defaultdict(list)
    spent: list[float] = []
    ids = list(sessions)
    async with bed() as memory:
        await fill(memory, (session_item(i, data_.session_text(sessions[i])) for i in steps(ids, "pooled, storing")))
        for question in steps(questions, "pooled, asking"):
            found = await answers(memory, question["question"], depth=_DEPTH)
            _score([i for i, _ in found], question, ours)
            spent.append(await tokens(memory, question["question"]))
    index = Bm25(["\n".join(t["content"] for t in sessions[i] if t["role"] == "user") for i in ids])
    for question in questions:
        _score([ids[place] for place in index.rank(question["question"])[:_DEPTH]], question, baseline)
    sizes = {"memories": len(sessions), "tokens_a_recall": mean(spent)}
    return {**_report(ours), **sizes, "bm25": _report(baseline)}


def _score(ranked: Sequence[str], question: dict[str, Any], figures: Figures) -> None:
    gold = set(question["answer_session_ids"])
    for k in (1, 5, 50):
        figures[f"any@{k}"].append(any_of(ranked, gold, k))
    figures["all@5"].append(all_of(ranked, gold, 5))


def _report(figures: Figures) -> dict[str, Any]:
    return {name: mean(values) for name, values in figures.items()} | {"n": len(figures["any@1"])}
