"""What the ties between memories are worth to recall: questions with and without `use_graph`, at several weights.

LoCoMo's first three conversations of five choose (tune), the others report (held); of LongMemEval the even questions
choose. Differences under 1.5 points are ties. Costs are processor time of the search alone, embedding excluded.
"""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bethink.engine import Bethink
from bethink.graph.linked import linked_candidates
from bethink.recall import rank
from bethink.recall.meaning import trusted
from bethink.recall.plan import meaning_of, understand
from bethink.storage.protocol import Reader
from bethink.storage.values import Candidates, Question

from . import data as data_
from .bed import bed, everything, fill
from .evidence import HELD, TUNE
from .locomo import ADVERSARIAL, turn_item
from .longmemeval import sampled, session_items
from .measure import Timer, percentiles
from .progress import steps
from .report import Table
from .scoring import all_of, any_of, mean, reciprocal

_QUESTIONS: Final = 60
_RANKED: Final = 50
_TALKS_A_ROUND, _TUNED_OF_THEM = 5, 3
_WEIGHTS: Final = (0.0, 0.02, 0.05, 0.1, 0.2)
_SHOWN: Final = ("any@5", "any@10", "all@10", "mrr")


@dataclass(frozen=True, slots=True)
class _Case:
    """A question of one half, and what answers it."""

    half: str
    text: str
    gold: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Cost:
    """What a search takes without the ties and with them."""

    without: Timer = field(default_factory=Timer)
    ties: Timer = field(default_factory=Timer)


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question, what answers it, and the evidence of its candidates; the last row is what ties them to it."""

    kind: str
    half: str
    gold: frozenset[str]
    ids: tuple[str, ...]
    terms: NDArray[np.float64]
    threads: NDArray[np.int64]

    def ranked(self, weight: float) -> list[str]:
        """Return the best candidates with this weight of the ties; what only they lead to has no part without them."""
        own = np.array([*rank.WEIGHTS.values(), weight]) @ self.terms
        scores = own + rank.THREAD_SHARE * rank.of_thread(self.threads, own)
        return [self.ids[place] for place in np.argsort(-scores, kind="stable")[:_RANKED]]


def run(data: Path, *, sample: int | None = None, seed: int = 0) -> dict[str, Any]:
    """Return what each weight gives; `sample` counts LongMemEval questions (default: 60)."""
    return asyncio.run(_run(data, sample or _QUESTIONS, seed))


async def _run(data: Path, sample: int, seed: int) -> dict[str, Any]:
    cost = _Cost()
    asked = [*await _of_talks(data, cost), *await _of_haystacks(data, sample, seed, cost)]
    return {
        "weights": {f"{weight:g}": _figures(asked, weight) for weight in _WEIGHTS},
        "cpu_ms": {**percentiles("search", cost.without.cpu), **percentiles("with_ties", cost.ties.cpu)},
        "counts": Counter(f"{one.kind} {one.half}" for one in asked),
    }


async def _of_talks(data: Path, cost: _Cost) -> list[_Asked]:
    asked: list[_Asked] = []
    for place, talk in enumerate(steps(data_.locomo(data), "graph, LoCoMo")):
        half = TUNE if place % _TALKS_A_ROUND < _TUNED_OF_THEM else HELD
        cases = [_Case(half, c.question, c.gold) for c in talk.cases if c.gold and c.label != ADVERSARIAL]
        async with bed() as memory:
            await fill(memory, (turn_item(talk, at) for at in range(len(talk.turns))))
            asked += await _ask(memory, "locomo", cases, cost)
    return asked


async def _of_haystacks(data: Path, sample: int, seed: int, cost: _Cost) -> list[_Asked]:
    every = list(enumerate(data_.longmemeval_questions(data)))
    halves = {q["question_id"]: HELD if place % 2 else TUNE for place, q in every}
    questions = sampled([q for _, q in every if not q["question_id"].endswith("_abs")], sample, seed)
    wanted = {i for q in questions for i in q["haystack_session_ids"]}
    texts = {i: data_.session_text(turns) for i, turns in data_.longmemeval_sessions(data) if i in wanted}
    asked: list[_Asked] = []
    for q in steps(questions, "graph, LongMemEval"):
        case = _Case(halves[q["question_id"]], q["question"], frozenset(q["answer_session_ids"]))
        async with bed() as memory:
            await fill(memory, session_items(q, texts))
            asked += await _ask(memory, "longmemeval", [case], cost)
    return asked


async def _ask(memory: Bethink, kind: str, cases: Sequence[_Case], cost: _Cost) -> list[_Asked]:
    found = []
    embedder = memory.ports.embedder
    for case in cases:
        meant, _ = meaning_of(case.text, embedder)
        vector = (await embedder.embed([meant], "query"))[0]
        question, trust = Question(understand(case.text).terms, vector), trusted(embedder.familiarity(meant))
        tied, ids = await memory.ports.storage.read(partial(_found, memory, case, (question, trust), cost))
        terms = np.array(list(rank.evidence(tied, trust=trust).values()))
        found.append(_Asked(kind, case.half, case.gold, ids, terms, tied.threads))
    return found


def _found(
    memory: Bethink, case: _Case, meant: tuple[Question, float], cost: _Cost, reader: Reader
) -> tuple[Candidates, tuple[str, ...]]:
    """The candidates of a question with what ties them to it, and their names; both searches are timed once warm."""
    selection = everything(memory, reader)
    question, trust = meant
    reader.candidates(question, selection)
    with cost.without.call():
        reader.candidates(question, selection)
    with cost.ties.call():
        tied = linked_candidates(reader, question, selection, query=case.text, trust=trust)
    memories = reader.memories(tied.numbers.tolist())
    return tied, tuple(m.source.id or "" for m in memories if m.source)


def _figures(asked: Sequence[_Asked], weight: float) -> dict[str, dict[str, float]]:
    found: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    for one in asked:
        ranked, name = one.ranked(weight), f"{one.kind} {one.half}"
        found[name, "any@5"].append(any_of(ranked, one.gold, 5))
        found[name, "any@10"].append(any_of(ranked, one.gold, 10))
        found[name, "all@10"].append(all_of(ranked, one.gold, 10))
        found[name, "mrr"].append(reciprocal(ranked, one.gold))
    names = dict.fromkeys(name for name, _ in found)
    return {name: {metric: mean(found[name, metric]) for metric in _SHOWN} for name in names}


def tables(figures: Mapping[str, Any]) -> list[Table]:
    """Return the figures as tables: a row a weight, and what the ties cost beside a search."""
    halves = tuple(next(iter(figures["weights"].values())))
    rows = tuple(
        (weight, *(" / ".join(f"{100 * found[half][metric]:.1f}" for metric in _SHOWN) for half in halves))
        for weight, found in figures["weights"].items()
    )
    heads = ("weight", *(f"{half} ({figures['counts'][half]})" for half in halves))
    cost = tuple((name, f"{milliseconds:.2f}") for name, milliseconds in figures["cpu_ms"].items())
    return [Table(heads, rows, f"{' / '.join(_SHOWN)} in per cent"), Table(("processor time", "ms"), cost)]
