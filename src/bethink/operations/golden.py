"""Make golden questions from what is stored: phrases that one memory alone holds, and questions about other things."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Annotated, Any, Final, Unpack

from bethink.domain import Memory, to_micros
from bethink.errors import InvalidRequest
from bethink.evaluation.generating import candidates
from bethink.evaluation.golden import Golden, GoldenQuestion
from bethink.evaluation.off_topic import OFF_TOPIC
from bethink.operation import Call, Effect, operation
from bethink.recall.plan import understand
from bethink.recall.selection import choose
from bethink.storage.protocol import Reader
from bethink.storage.values import Order, Question, Selection
from bethink.vocabulary import Detail, Filters, Mode, about

from .recall import recall

Count = Annotated[int, about("How many questions with an answer.", ge=1, le=10_000)]
Seed = Annotated[int, about("Which ones; the same for the same store.")]

__all__ = ["Golden", "golden", "off_topic", "own_questions"]  # the result too, which the blocking methods name

_PAGE: Final = 200
_TRIED: Final = 4  # memories for a question: of some, every phrase stands elsewhere too
_ABOUT_IT: Final = 0.5  # of the words of a question, weighed by how rare they are


@operation(
    Effect.READ,
    tool="memory_golden",
    http="POST /golden",
    toolset="admin",
    seconds=None,
    surfaces=frozenset({"http"}),
)
async def golden(call: Call, count: Count, *, seed: Seed = 0, **filters: Unpack[Filters]) -> Golden:
    """Make golden questions from what is stored in reach: phrases of memories, each in one memory alone.

    They repeat the words of their answers, so that they test the index and measure no quality. Questions about other
    things are added, without those of which a memory holds half of the words.
    """
    made = await own_questions(call, filters, count, seed)
    if not made:
        raise InvalidRequest("no memory in reach holds a phrase of its own", hint="Store more, or leave filters out.")
    return Golden(questions=[*made, *await off_topic(call, filters)], overlap=True, seed=seed)


async def own_questions(call: Call, filters: Filters, count: int, seed: int) -> list[GoldenQuestion]:
    """Return up to `count` phrases of what is in reach, each of one memory alone."""
    quiet = replace(call, ports=call.ports.unrecorded(), progress=None)
    made: list[GoldenQuestion] = []
    drawn = await _drawn(call, filters, count * _TRIED, seed)
    while drawn and len(made) < count:
        batch = drawn[: min(count - len(made), _PAGE)]
        drawn = drawn[len(batch) :]
        for memory in await call.ports.storage.read(partial(_memories, batch)):
            if question := await _question(quiet, memory, filters, seed):
                made.append(question)
                await call.report(len(made), count)
    return made


async def off_topic(call: Call, filters: Filters) -> list[GoldenQuestion]:
    """Return the questions that ship with Bethink but for those that something in reach is about."""
    texts = await call.ports.storage.read(lambda reader: _foreign(call, reader, filters))
    return [GoldenQuestion(question=text, unanswerable="off_topic") for text in texts]


def _foreign(call: Call, reader: Reader, filters: Filters) -> list[str]:
    selection = _selected(call, reader, filters)
    found = ((text, reader.candidates(Question(understand(text).terms), selection).held) for text in OFF_TOPIC)
    return [text for text, held in found if not len(held) or held.max() < _ABOUT_IT]


async def _drawn(call: Call, filters: Filters, count: int, seed: int) -> list[str]:
    """Return the ids of `count` memories drawn at random, in an order at random; of all, where there are fewer."""
    chance = random.Random(seed)  # noqa: S311  # a sample
    total = await call.ports.storage.read(lambda reader: reader.count(_selected(call, reader, filters)))
    places = set(chance.sample(range(total), min(count, total)))
    drawn: list[str] = []
    after: tuple[Any, str] | None = None
    for start in range(0, max(places, default=-1) + 1, _PAGE):
        page = await call.ports.storage.read(partial(_page, call, filters, after))
        drawn += [memory.id for place, memory in enumerate(page, start) if place in places]
        if page:
            after = (to_micros(page[-1].recorded_at), page[-1].id)
    chance.shuffle(drawn)
    return drawn


def _selected(call: Call, reader: Reader, filters: Filters) -> Selection:
    return choose(call, reader, filters, structural=True).selection


def _page(call: Call, filters: Filters, after: tuple[Any, str] | None, reader: Reader) -> list[Memory]:
    return reader.page(_selected(call, reader, filters), Order("recorded", descending=False, after=after), _PAGE)


def _memories(ids: Sequence[str], reader: Reader) -> list[Memory]:
    return [kept.memory for kept in reader.kept(ids)]


async def _question(call: Call, memory: Memory, filters: Filters, seed: int) -> GoldenQuestion | None:
    """Return a phrase of a memory that no other in reach holds."""
    for phrase in candidates(memory.content, random.Random(f"{seed} {memory.id}")):  # noqa: S311  # a sample
        page = await recall(
            call, f'"{phrase}"', mode=Mode.keyword, limit=2, detail=Detail.ids, min_score=0, rerank=False, **filters
        )
        if [memory.id.endswith(hit.handle) and not hit.same_text for hit in page.hits] == [True]:
            return GoldenQuestion(question=phrase, expected=(memory.id,))
    return None
