"""What the production index finds for a question, before it is weighed: the raw evidence of every candidate."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bethink.engine import Bethink
from bethink.models.protocol import read_within
from bethink.recall import rank
from bethink.recall.meaning import trusted
from bethink.recall.plan import Plan, meaning_of, understand
from bethink.recall.timing import ANY_TIME, When, dated, nearness, when
from bethink.recall.words import compared, words_of
from bethink.storage.protocol import Reader
from bethink.storage.values import Candidates, Order, Question, Vector

from . import data as data_
from .bed import bed, everything, fill
from .data import Talk
from .locomo import ADVERSARIAL, turn_item
from .longmemeval import sampled, session_items
from .progress import steps
from .scoring import Bm25

TUNE: Final = "tune"
HELD: Final = "held"
FAR: Final = "far"
_DEPTH: Final = 200
_RANKED: Final = 50
_SECONDS: Final = 60.0
_MOST: Final = 100_000
_TALKS_A_ROUND, _TUNED_OF_THEM = 5, 3

Values = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Weights:
    """What the terms of the score count."""

    keyword: float
    meaning: float
    neighbours: float
    speaker: float = 0.0
    words: float = 0.0
    thread: float = 0.0
    time: float = 0.0


PRESENT: Final = Weights(**rank.WEIGHTS, thread=rank.THREAD_SHARE, time=rank.TIME)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question of a set and half, what answers it (nothing, if it is far off topic), and its candidates.

    `terms` holds keyword, meaning, neighbours, speaker and words, a row each, unweighed; `threads` are equal in one
    thread; `baseline` is the order of BM25; `near` says how near each is to the time that the question names, where it
    names one.
    """

    kind: str
    half: str
    gold: frozenset[str]
    ids: tuple[str, ...]
    terms: Values
    threads: NDArray[np.int64]
    baseline: tuple[str, ...] = ()
    near: Values | None = None

    def scores(self, weights: Weights) -> Values:
        """Return the score of each candidate."""
        parts = weights.keyword, weights.meaning, weights.neighbours, weights.speaker, weights.words
        own: Values = np.array(parts) @ self.terms
        scores: Values = (own + weights.thread * rank.of_thread(self.threads, own)) / (1 + weights.thread)
        return scores if self.near is None else scores + weights.time * self.near

    def ranked(self, weights: Weights) -> list[str]:
        """Return the best candidates, best first."""
        return [self.ids[place] for place in np.argsort(-self.scores(weights), kind="stable")[:_RANKED]]

    def clears(self, floor: float, literal: float) -> NDArray[np.bool_]:
        """Say of each candidate whether it passes these floors under the present weights."""
        beside_time = self.scores(replace(PRESENT, time=0.0))
        clear: NDArray[np.bool_] = (beside_time >= floor) | (self.terms[0] >= literal)
        return clear


def half_of(place: int) -> str:
    """Return the half that a LoCoMo talk is in; three of five tune."""
    return TUNE if place % _TALKS_A_ROUND < _TUNED_OF_THEM else HELD


async def of_talks(talks: Sequence[Talk], claims: Sequence[str]) -> list[Asked]:
    """Ask each LoCoMo talk its answerable questions, and the claims that it cannot know; three of five talks tune."""
    found: list[Asked] = []
    for place, talk in enumerate(steps(talks, "fit, LoCoMo")):
        half = half_of(place)
        index, ids = Bm25([turn.text for turn in talk.turns]), [turn.id for turn in talk.turns]
        async with bed(at=talk.asked_at) as memory:
            await fill(memory, (turn_item(talk, place) for place in range(len(talk.turns))))
            store = await Store.of(memory)
            found += [await store.asked(claim, FAR, half) for claim in claims]
            for case in talk.cases:
                if case.gold and case.label != ADVERSARIAL:
                    best = [ids[at] for at in index.rank(case.question)[:_RANKED]]
                    found.append(await store.asked(case.question, "locomo", half, gold=case.gold, baseline=best))
    return found


async def of_haystacks(data: Path, sample: int, seed: int) -> list[Asked]:
    """Ask LongMemEval questions that have an answer, each of its own store; the even ones of the set tune."""
    every = data_.longmemeval_questions(data)
    asked = sampled([q for q in every if not q["question_id"].endswith("_abs")], sample, seed)
    return await of_questions(data, asked)


async def of_questions(data: Path, questions: Sequence[dict[str, Any]]) -> list[Asked]:
    """Ask these LongMemEval questions, each of its own store."""
    every = data_.longmemeval_questions(data)
    halves = {q["question_id"]: HELD if place % 2 else TUNE for place, q in enumerate(every)}
    wanted = {i for q in questions for i in q["haystack_session_ids"]}
    texts = {i: data_.session_text(turns) for i, turns in data_.longmemeval_sessions(data) if i in wanted}
    return [await _of_haystack(q, halves[q["question_id"]], texts) for q in steps(questions, "LongMemEval")]


async def _of_haystack(question: dict[str, Any], half: str, texts: dict[str, str]) -> Asked:
    ids, text = question["haystack_session_ids"], question["question"]
    best = [ids[at] for at in Bm25([texts[i] for i in ids]).rank(text)]
    async with bed(at=data_.longmemeval_asked_at(question)) as memory:
        await fill(memory, session_items(question, texts))
        store = await Store.of(memory)
        gold = frozenset(question["answer_session_ids"])
        return await store.asked(text, "longmemeval", half, gold=gold, baseline=best)


@dataclass(frozen=True, slots=True)
class Sources:
    """What a question is asked of: its terms and their forms, its meaning, its words one by one, its time."""

    terms: bool = True
    forms: bool = True
    meaning: bool = True
    words: bool = True
    time: bool = True


ALL: Final = Sources()


@dataclass(frozen=True, slots=True)
class Store:
    """A memory with the source id of each number in it."""

    memory: Bethink
    names: dict[int, str]

    @classmethod
    async def of(cls, memory: Bethink) -> Store:
        """Read what is in a memory."""
        return cls(memory, await memory.ports.storage.read(lambda reader: _names(memory, reader)))

    @property
    def now(self) -> int:
        """Return the time by the clock of the memory."""
        return self.memory.ports.now()

    async def asked(
        self, text: str, kind: str, half: str, *, gold: frozenset[str] = frozenset(), baseline: Sequence[str] = ()
    ) -> Asked:
        """Ask a question of a set and half."""
        candidates, trust, time = await self.found(text, depth=_DEPTH)
        said = np.array(list(rank.evidence(candidates, trust=trust).values()))
        near = nearness(time.times, candidates) if time.times else None
        ids = self.named(candidates.numbers)
        return Asked(kind, half, gold, ids, said, candidates.threads, tuple(baseline), near)

    async def found(
        self,
        text: str,
        *,
        depth: int | None = None,
        sources: Sources = ALL,
        left: Callable[[Candidates], Candidates] = lambda found: found,
    ) -> tuple[Candidates, float, When]:
        """Return what `sources` find for a question, `left` of it compared, the trust in its vector, and its time."""
        embedder = self.memory.ports.embedder
        meant, _ = meaning_of(text, embedder)
        (vector,), (tokens,) = await read_within(_SECONDS, embedder, [meant], "query")
        trust = trusted(embedder.familiarity(meant))
        words = words_of(meant, tokens) if tokens and sources.words else None
        asked = when(text, None, zone=self.memory.ports.policy.timezone, now=self.now)
        plan = understand(text)

        def gathered(reader: Reader) -> tuple[When, Candidates]:
            selection = everything(self.memory, reader)
            time = dated(asked, reader, selection) if sources.time else ANY_TIME
            question = _question(plan, vector if sources.meaning else None, time, sources)
            found = left(reader.candidates(replace(question, depth=depth or question.depth), selection))
            return time, compared(reader, found, words, rank.first_scores(found, trust=trust, when=time))

        time, candidates = await self.memory.ports.storage.read(gathered)
        return candidates, trust, time

    def named(self, numbers: NDArray[np.int64]) -> tuple[str, ...]:
        """Return the source ids of memories by number."""
        return tuple(self.names[number] for number in numbers.tolist())


def _question(plan: Plan, vector: Vector | None, time: When, sources: Sources) -> Question:
    """The question as recall asks it, as far as its sources go."""
    if not sources.terms:
        return Question((), vector, speakers=plan.speakers, spans=time.spans)
    if not sources.forms:
        return Question(plan.terms, vector, speakers=plan.speakers, spans=time.spans)
    more = plan.further
    return Question(
        plan.terms + more.parts, vector,
        speakers=plan.speakers, forms=plan.forms, unsure=more.unsure, spans=time.spans,
    )  # fmt: skip


def _names(memory: Bethink, reader: Reader) -> dict[int, str]:
    selection = everything(memory, reader)
    memories = reader.page(selection, Order("recorded", descending=False), _MOST)
    numbers = reader.numbers([m.id for m in memories], selection)
    return {numbers[m.id]: m.source.id or "" for m in memories if m.source}
