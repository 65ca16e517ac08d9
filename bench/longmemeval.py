"""LongMemEval-S: a store a question, a memory a session, its windows cut at turns."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from . import data as data_
from .bed import answers, bed, fill, tokens
from .progress import steps
from .sampling import stratified
from .scoring import Bm25, all_of, any_of, area, mean

_DEPTH = 50
Figures = dict[str, list[float]]


def run(data: Path, *, sample: int | None = None, seed: int = 0) -> dict[str, Any]:
    """Return the figures of the production recall, and BM25's over whole sessions beside them."""
    questions = sampled(data_.longmemeval_questions(data), sample, seed)
    wanted = {i for q in questions for i in q["haystack_session_ids"]}
    texts = {i: data_.session_text(turns) for i, turns in data_.longmemeval_sessions(data) if i in wanted}
    return asyncio.run(_run(questions, texts))


def sampled(questions: Sequence[dict[str, Any]], sample: int | None, seed: int) -> list[dict[str, Any]]:
    """Return about `sample` questions, every type in its share."""
    return stratified(questions, sample, seed, kind=lambda question: question["question_type"])


async def _run(questions: Sequence[dict[str, Any]], texts: dict[str, str]) -> dict[str, Any]:
    ours: Figures = defaultdict(list)
    baseline: Figures = defaultdict(list)
    for question in steps(questions, "longmemeval"):
        async with bed(at=data_.longmemeval_asked_at(question)) as memory:
            await fill(memory, session_items(question, texts))
            found = await answers(memory, question["question"], depth=_DEPTH)
            ours["tokens"].append(await tokens(memory, question["question"]))
        score([i for i, _ in found], question, ours)
        ours["unanswerable" if _abstains(question) else "answerable"].append(found[0][1] if found else 0.0)
        ids = question["haystack_session_ids"]
        places = Bm25([texts[i] for i in ids]).rank(question["question"])
        score([ids[place] for place in places], question, baseline)
    return {
        **_report(ours),
        "near": {"auc": area(ours["answerable"], ours["unanswerable"])},
        "memories_a_store": mean([len(question["haystack_session_ids"]) for question in questions]),
        "tokens_a_recall": mean(ours["tokens"]),
        "bm25": _report(baseline),
    }


def session_items(question: dict[str, Any], texts: dict[str, str]) -> list[dict[str, Any]]:
    """Return a question's haystack as memories, one a session."""
    pairs = zip(question["haystack_session_ids"], question["haystack_dates"], strict=True)
    return [session_item(i, texts[i], data_.longmemeval_time(when)) for i, when in pairs]


def session_item(name: str, text: str, when: str | None = None) -> dict[str, Any]:
    """Return one session as a memory."""
    dated = {"occurred_at": when} if when else {}
    return {"content": text, "kind": "session", "source": {"id": name}, **dated}


def score(ranked: Sequence[str], question: dict[str, Any], figures: Figures) -> None:
    """Add one question's figures; all@k counts those alone that have an answer."""
    gold = set(question["answer_session_ids"])
    for k in (1, 5, 10):
        figures[f"any@{k}"].append(any_of(ranked, gold, k))
        figures[f"{question['question_type']} any@{k}"].append(any_of(ranked, gold, k))
    if not _abstains(question):
        for k in (5, 10):
            figures[f"all@{k}"].append(all_of(ranked, gold, k))


def _abstains(question: dict[str, Any]) -> bool:
    return str(question["question_id"]).endswith("_abs")


def _report(figures: Figures) -> dict[str, Any]:
    report: dict[str, Any] = {name: mean(figures[name]) for name in ("any@1", "any@5", "any@10", "all@5", "all@10")}
    kinds = {name.removesuffix(" any@5"): mean(v) for name, v in figures.items() if name.endswith(" any@5")}
    return {**report, "n": len(figures["any@1"]), "any@5_by_type": kinds}
