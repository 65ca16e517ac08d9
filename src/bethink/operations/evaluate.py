"""Ask golden questions and measure what comes back: the production recall, which counts none of it as read."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from pydantic import ValidationError

from bethink.coerce import coerce
from bethink.domain import Value
from bethink.errors import BethinkError
from bethink.evaluation.golden import GoldenQuestion, GoldenQuestions, refuse_repeated
from bethink.evaluation.metrics import (
    DEPTH,
    Bin,
    Labelled,
    Outcome,
    Seen,
    bins,
    calibration_error,
    figures,
    labelled,
    percentile,
)
from bethink.explain import explain
from bethink.operation import Call, Effect, Operation, operation
from bethink.recall.handles import resolve_all
from bethink.recall.hits import Hit
from bethink.recall.selection import reachable
from bethink.vocabulary import Detail

from .recall import Recalled, recall

Questions = GoldenQuestions
_WHOLE_TEXTS: Final = 1_000_000
_SHOWN: Final = 3
_OURS: Final = frozenset({"query", "limit", "cursor", "detail", "max_tokens", "explain"})


class Evaluated(Value):
    """How well golden questions were answered.

    `figures` are means over the questions to which each applies; `calibration_error` is how far the chances that first
    hits were given lie from how often they answer; `latency` has milliseconds a recall, `cpu` of the whole process.
    `unknown` names expected ids that are not in reach, which nothing could find.
    """

    asked: dict[str, int]
    figures: dict[str, float]
    labels: tuple[Labelled, ...]
    calibration: tuple[Bin, ...]
    calibration_error: float | None
    latency: dict[str, float]
    outcomes: tuple[Outcome, ...]
    unknown: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()
    embedder: str
    reranker: str | None = None

    @property
    def missed(self) -> list[Outcome]:
        """The answerable questions of whose answers none is among the first ten."""
        return [one for one in self.outcomes if one.answers and not one.ranks]

    def compact(self) -> str:
        """Return it as a few lines."""
        lines = [f"{name} {value:.3f}" for name, value in self.figures.items()]
        lines += [f"missed: {one.key}" for one in self.missed]
        return "\n".join([", ".join(f"{n} {kind}" for kind, n in self.asked.items()), *lines])


@operation(
    Effect.READ,
    tool="memory_evaluate",
    http="POST /evaluate",
    toolset="admin",
    seconds=None,
    surfaces=frozenset({"http"}),
)
async def evaluate(call: Call, questions: Questions) -> Evaluated:
    """Ask golden questions and measure how well they are answered; nothing of it counts as read or as a gap."""
    asked = tuple(questions)
    refuse_repeated(asked)
    _check(call, asked)
    quiet = replace(call, ports=call.ports.unrecorded(), progress=None)
    wanted = await _resolved(call, asked)
    await _timed(quiet, asked[0], 0)  # the first call of a process also loads what the others find loaded
    outcomes: list[Outcome] = []
    skipped: dict[str, None] = {}
    for place, question in enumerate(asked):
        page, cpu, wall = await _timed(quiet, question, place)
        skipped |= dict.fromkeys(page.skipped)
        outcomes.append(_outcome(question, page, wanted, cpu=cpu, wall=wall))
        await call.report(place + 1, len(asked))
    unknown = [text for one in asked for text in one.expected if text not in wanted]
    return _evaluated(call, outcomes, unknown, tuple(skipped))


def _evaluated(call: Call, outcomes: Sequence[Outcome], unknown: Sequence[str], skipped: tuple[str, ...]) -> Evaluated:
    kinds = [one.kind for one in outcomes]
    found = bins(outcomes)
    times = {"cpu": [one.cpu_ms for one in outcomes], "wall": [one.wall_ms for one in outcomes]}
    return Evaluated(
        asked={kind: kinds.count(kind) for kind in dict.fromkeys(kinds)},
        figures=figures(outcomes),
        labels=labelled(outcomes),
        calibration=found,
        calibration_error=calibration_error(found),
        latency={f"{name}_p{p}": percentile(of, p / 100) for name, of in times.items() for p in (50, 95)},
        outcomes=tuple(outcomes),
        unknown=tuple(dict.fromkeys(unknown)),
        skipped=skipped,
        embedder=call.ports.embedder.identity,
        reranker=call.ports.reranker.identity if call.ports.reranker else None,
    )


def _check(call: Call, questions: Sequence[GoldenQuestion]) -> None:
    """Refuse filters that a recall would not take, before anything is asked."""
    declared: Operation = recall.operation  # type: ignore[attr-defined]  # set by the decorator
    names = [name for name in declared.visible_params(call.principal) if name not in _OURS]
    for place, question in enumerate(questions):
        try:
            given = coerce(question.filters, declared.params, names)
            declared.params.model_validate({"query": question.question, **given})
        except ValidationError as wrong:
            raise _of(place, explain(wrong, declared.params)) from None
        except BethinkError as wrong:
            raise _of(place, wrong) from wrong


def _of(place: int, wrong: BethinkError) -> BethinkError:
    """Return an error that also says which question it is about."""
    return type(wrong)(f"questions.{place}.filters: {wrong}", hint=wrong.hint)


async def _resolved(call: Call, questions: Sequence[GoldenQuestion]) -> Mapping[str, str]:
    """Return the id that each expected id or handle means; those that mean none in reach are left out."""
    texts = list(dict.fromkeys(text for one in questions for text in one.expected))

    def ids(reader: Any) -> dict[str, str]:
        reach = reachable(call, reader)
        found = ((text, resolve_all(reader, [text], reach)[0]) for text in texts)
        return {text: known[0] for text, known in found if known}

    return await call.ports.storage.read(ids)


async def _asked(call: Call, question: GoldenQuestion) -> Recalled:
    """Return what the production recall gives, whole, as anybody would be given it."""
    how = {"limit": DEPTH, "detail": Detail.full, "max_tokens": _WHOLE_TEXTS, "explain": True}
    return await recall(call, question.question, **how, **question.filters)  # type: ignore[arg-type]  # it validates


async def _timed(call: Call, question: GoldenQuestion, place: int) -> tuple[Recalled, float, float]:
    cpu, wall = time.process_time(), time.perf_counter()
    try:
        page = await _asked(call, question)
    except BethinkError as wrong:
        raise type(wrong)(f"questions.{place}: {wrong}", hint=wrong.hint) from wrong
    return page, 1000 * (time.process_time() - cpu), 1000 * (time.perf_counter() - wall)


def _outcome(
    question: GoldenQuestion, page: Recalled, wanted: Mapping[str, str], *, cpu: float, wall: float
) -> Outcome:
    first = page.hits[0] if page.hits else None
    ranks = _ranks(question, page.hits, wanted)
    return Outcome(
        key=question.key,
        kind=question.unanswerable or "answerable",
        answers=question.answers,
        ranks=ranks,
        hits=len(page.hits),
        score=first.score if first else None,
        answer_score=page.hits[min(ranks) - 1].score if ranks else None,
        label=first.confidence_label if first else None,
        chance=first.chance if first else None,
        instead=() if ranks else tuple(map(_seen, page.hits[:_SHOWN])),
        cpu_ms=round(cpu, 3),
        wall_ms=round(wall, 3),
    )


def _ranks(question: GoldenQuestion, hits: Sequence[Hit], wanted: Mapping[str, str]) -> tuple[int, ...]:
    """Return for each thing that answers the place of the first hit that is or holds it."""
    texts = [_folded(f"{hit.title or ''}\n{hit.text or ''}") for hit in hits]
    ids = [wanted.get(text) for text in question.expected]
    places = [
        *(next((n for n, hit in enumerate(hits, 1) if i and _is(hit, i)), None) for i in ids),
        *(
            next((n for n, hit in enumerate(hits, 1) if hit.source and hit.source.id == s), None)
            for s in question.sources
        ),
        *(next((n for n, text in enumerate(texts, 1) if _folded(p) in text), None) for p in question.phrases),
    ]
    return tuple(place for place in places if place is not None)


def _is(hit: Hit, memory: str) -> bool:
    """Say whether a hit is this memory, or stands for it with the same text."""
    return hit.id == memory or any(memory.endswith(handle) for handle in hit.same_text)


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def _seen(hit: Hit) -> Seen:
    return Seen(handle=hit.handle, title=hit.title, score=hit.score, label=hit.confidence_label)
