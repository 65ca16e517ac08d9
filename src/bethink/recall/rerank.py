"""Let a reranker read the best memories with the question: what it says of each is one more term of its score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from bethink.errors import Unavailable
from bethink.models.protocol import Reranker, judge_within, load_within
from bethink.operation import Call
from bethink.storage.protocol import Reader
from bethink.storage.values import Glimpse

from .hits import fill
from .plan import Plan
from .ranking import RERANK, Ranking

# As much as all other sources together: it reads question and text at once, which none of them does. See decision 0021.
WEIGHT: Final = 1.0
# About as much as a cross-encoder reads, 512 tokens.
_MOST_READ: Final = 2_000
_STEPS: Final = 10_000


@dataclass(frozen=True, slots=True)
class Reading:
    """A text to be judged, and the numbers of the memories that say it."""

    text: str
    numbers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Judged:
    """How far memories answer, 0..1, by number; or why nothing was judged, though that was wanted."""

    relevance: Mapping[int, float]
    skipped: str | None = None

    def kept(self, order: Sequence[int]) -> list[Any]:
        """Return what a cursor keeps of it for memories in their order, in few characters."""
        said = [round(_STEPS * self.relevance[n]) if n in self.relevance else None for n in order]
        while said and said[-1] is None:
            said.pop()
        return [said, self.skipped] if said or self.skipped else []


def restored(kept: Sequence[Any], order: Sequence[int | None]) -> Judged:
    """Return what a cursor kept, for the memories of its order as they are numbered now; some may be gone."""
    said, skipped = kept or ((), None)
    pairs = zip(order, said, strict=False)
    return Judged({n: one / _STEPS for n, one in pairs if n is not None and one is not None}, skipped)


UNJUDGED: Final = Judged({})


async def awaited(call: Call, reranker: Reranker) -> str | None:
    """Return why the reranker cannot run now, if so; a caller that may wait waits for its model."""
    try:
        if call.ports.policy.wait_for_embedder:
            await load_within(call.ports.policy.seconds_for(0), reranker, "the reranker")
    except Unavailable as wrong:
        return str(wrong)
    reranker.start_loading()
    return None if reranker.ready else "the reranker is not ready"


def readings(reader: Reader, ranking: Ranking, plan: Plan, top: int) -> list[Reading]:
    """Return the best `top` different texts, around what matched in them; what is quoted stands in each."""
    return [
        Reading(
            _text(found.memory, int(ranking.windows[found.place])),
            tuple(int(ranking.numbers[place]) for place in (found.place, *found.copies)),
        )
        for found in fill(reader, ranking, plan, top, by=ranking.wordings).found
    ]


async def judge(call: Call, reranker: Reranker, query: str, found: Sequence[Reading]) -> Judged:
    """Ask the reranker; one that fails or is too slow says nothing, and why is told."""
    try:
        seconds = call.ports.policy.seconds_for(0)
        relevance = await judge_within(seconds, reranker, query, [reading.text for reading in found])
    except Unavailable as wrong:
        return Judged({}, str(wrong))
    pairs = zip(found, relevance, strict=True)
    return Judged({number: round(value * _STEPS) / _STEPS for reading, value in pairs for number in reading.numbers})


def reranked(ranking: Ranking, relevance: Mapping[int, float]) -> Ranking:
    """Add what was said of memories to their scores and order them anew; what was not read keeps its score."""
    if not relevance:
        return ranking
    import numpy as np

    added = with_relevance(ranking, relevance)
    order = np.argsort(-added.scores, kind="stable")
    return replace(
        added,
        numbers=added.numbers[order],
        scores=added.scores[order],
        terms={name: values[order] for name, values in added.terms.items()},
        windows=added.windows[order],
        wordings=added.wordings[order],
        documents=added.documents[order],
        namespaces=added.namespaces[order],
    )


def with_relevance(ranking: Ranking, relevance: Mapping[int, float]) -> Ranking:
    """Add the same to the scores and leave the order as it is."""
    if not relevance:
        return ranking
    import numpy as np

    said = WEIGHT * np.array([relevance.get(number, np.nan) for number in ranking.numbers.tolist()])
    return replace(ranking, scores=ranking.scores + np.nan_to_num(said), terms=ranking.terms | {RERANK: said})


def _text(memory: Glimpse, window: int) -> str:
    text = memory.content
    if len(text) > _MOST_READ:
        start = min(window, len(text) - _MOST_READ)
        text = text[start : start + _MOST_READ]
    return text if text.startswith(memory.title) else f"{memory.title}\n{text}"
