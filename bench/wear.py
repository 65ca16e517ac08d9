"""Whether use wears a memory out: what is found on a fresh store, and again after 1,000 recalls that were counted.

Where every read raises a memory's rank, what was shown once crowds out what is relevant. Reads must change nothing.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from bethink.engine import Bethink
from bethink.storage.values import Order

from . import data as data_
from .bed import answers, bed, everything, fill
from .data import Case, Talk
from .locomo import ADVERSARIAL, sampled, turn_item
from .progress import steps
from .scoring import any_of, mean

_RECALLS: Final = 1_000
_K: Final = 5
_MOST: Final = 100_000


def run(data: Path, *, sample: int | None = None, seed: int = 0) -> dict[str, Any]:
    """Return LoCoMo's any@5 before and after 1,000 recalls over each conversation's store."""
    return asyncio.run(_run(sampled(data_.locomo(data), sample, seed), seed))


async def _run(talks: Sequence[Talk], seed: int) -> dict[str, Any]:
    before: list[float] = []
    after: list[float] = []
    counted = 0
    for talk in steps(talks, "wear"):
        cases = [case for case in talk.cases if case.gold and case.label != ADVERSARIAL]
        async with bed(at=talk.asked_at) as memory:
            await fill(memory, (turn_item(talk, place) for place in range(len(talk.turns))))
            before += await _found(memory, cases)
            memory.ports.journal.shown.clear()
            await _wear(memory, [case.question for case in cases], seed)
            counted += await _reads(memory)
            after += await _found(memory, cases)
    return {
        "before": mean(before),
        "after": mean(after),
        "n": len(before),
        "recalls_a_store": _RECALLS,
        "reads_counted": counted,
    }


async def _found(memory: Bethink, cases: Sequence[Case]) -> list[float]:
    ranked = [[i for i, _ in await answers(memory, case.question, depth=_K)] for case in cases]
    return [any_of(ids, case.gold, _K) for ids, case in zip(ranked, cases, strict=True)]


async def _wear(memory: Bethink, questions: Sequence[str], seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311  # a sample
    for _ in range(_RECALLS):
        await memory.recall(chance.choice(questions))
    await memory.ports.journal.flush(memory.ports.storage)


async def _reads(memory: Bethink) -> int:
    """How many reads the store has counted."""
    order = Order("recorded", descending=False)
    return await memory.ports.storage.read(
        lambda reader: sum(m.access_count for m in reader.page(everything(memory, reader), order, _MOST))
    )
