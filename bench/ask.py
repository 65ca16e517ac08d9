"""How often the sentences that `ask` cites stand in the turns that answer, and what it says where nothing does."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from bethink.engine import Bethink
from bethink.operations.ask import Answer
from bethink.recall.budget import BYTES_A_TOKEN

from . import data as data_
from .bed import answers, bed, fill
from .data import Case, Talk
from .evidence import half_of
from .locomo import ADVERSARIAL, Figures, sampled, turn_item
from .progress import steps
from .sampling import stratified
from .scoring import all_of, any_of, mean

_DEPTH: Final = 10


def run(data: Path, *, sample: int | None = None, seed: int = 0) -> dict[str, Any]:
    """Return the figures of LoCoMo for the half that the weights of a sentence were chosen on, and for the other."""
    claims = stratified(data_.scifact_claims(data), sample, seed, kind=type)
    return asyncio.run(_run(sampled(data_.locomo(data), sample, seed), claims))


async def _run(talks: Sequence[Talk], claims: Sequence[str]) -> dict[str, Any]:
    halves: defaultdict[str, Figures] = defaultdict(lambda: defaultdict(list))
    for place, talk in enumerate(steps(talks, "ask")):
        figures = halves[half_of(place)]
        async with bed() as memory:
            await fill(memory, (turn_item(talk, turn) for turn in range(len(talk.turns))))
            for case in talk.cases:
                await _ask(memory, case, figures)
            for claim in claims:
                figures["far"].append(float((await memory.ask(claim)).answer is None))
    return {half: _report(figures) for half, figures in halves.items()}


async def _ask(memory: Bethink, case: Case, figures: Figures) -> None:
    answer = await memory.ask(case.question)
    if case.label == ADVERSARIAL:
        figures["near"].append(float(answer.answer is None))
    elif case.gold:
        cited = await _cited(memory, answer)
        figures["any"].append(any_of(cited, case.gold, len(cited)))
        figures["first"].append(any_of(cited, case.gold, 1))
        figures["all"].append(all_of(cited, case.gold, len(cited)))
        figures["sentences"].append(len(answer.citations))
        figures["tokens"].append(len(answer.compact().encode()) / BYTES_A_TOKEN)
        found = [i for i, _ in await answers(memory, case.question, depth=_DEPTH)]
        figures["recalled"].append(any_of(found, case.gold, len(set(cited))))


async def _cited(memory: Bethink, answer: Answer) -> list[str]:
    """The source ids of the memories that are cited, in the order of the sentences."""
    handles = list(dict.fromkeys(citation.handle for citation in answer.citations))
    got = (await memory.get(handles)).memories if handles else ()
    return [(one.source.id if one.source else None) or "" for one in got]


def _report(figures: Figures) -> dict[str, Any]:
    return {
        "gold_cited.share": mean(figures["any"]),
        "gold_cited_first.share": mean(figures["first"]),
        "all_gold_cited.share": mean(figures["all"]),
        "gold_among_as_many_of_recall.share": mean(figures["recalled"]),
        "sentences": mean(figures["sentences"]),
        "tokens": mean(figures["tokens"]),
        "near_unanswered.share": mean(figures["near"]),
        "far_unanswered.share": mean(figures["far"]),
        "n": len(figures["any"]),
    }
