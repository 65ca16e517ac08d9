"""Measure the floor and the labels of a namespace on its own memories, and keep them where that is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Final

from bethink.domain import Value
from bethink.errors import Forbidden, InvalidRequest, NotFound
from bethink.evaluation.calibrating import (
    FEWEST_LABELLED,
    FEWEST_OTHERS,
    FEWEST_OWN,
    HIGH_RIGHT,
    Floor,
    Labels,
    floor_of,
    labels_of,
)
from bethink.evaluation.golden import MOST_QUESTIONS, GoldenQuestion
from bethink.evaluation.metrics import Bin, Outcome, bins
from bethink.intake.places import place_of
from bethink.intake.storing import log
from bethink.operation import Call, Effect, operation
from bethink.principal import Permission, namespace_path
from bethink.recall.selection import choose
from bethink.storage.protocol import Reader, Writer
from bethink.text.language import detect
from bethink.vocabulary import OWNER, Filters, about

from .evaluate import evaluate
from .golden import off_topic, own_questions
from .namespaces import settings_of

Questions = Annotated[
    list[GoldenQuestion], about("Golden questions; without, phrases of the memories.", max_length=MOST_QUESTIONS)
]
Where = Annotated[str, OWNER, about("The namespace to measure, else where this server writes.", max_length=1100)]
Apply = Annotated[bool, about("Keep what was measured; else nothing changes.")]

_OWN: Final = 200
_SEED: Final = 0
_SPOKEN: Final = 0.1  # share of the memories from which on a language counts as one of the store's


class Calibrated(Value):
    """What was measured of a namespace, what held before, and what is kept now where it was applied.

    `before` and `after` are settings of the namespace: floor, high_from, medium_from; null: the usual one. What was
    applied is undone by memory_namespaces, which sets them as they were before.
    """

    floor: Floor
    labels: Labels | None = None
    calibration: tuple[Bin, ...] = ()
    overlap: bool
    before: dict[str, float | None]
    after: dict[str, float]
    applied: bool
    notes: tuple[str, ...] = ()
    namespace: str | None = None

    def compact(self) -> str:
        """Return it as a few lines."""
        kept = "kept" if self.applied else "measured, nothing was changed"
        refused, lost = f"{self.floor.refused:.0%} of {self.floor.others}", f"{self.floor.lost:.0%} of {self.floor.own}"
        lines = [
            f"{kept}: " + ", ".join(f"{name} {value}" for name, value in self.after.items()),
            f"under this floor: {refused} questions about other things, {lost} answers",
            *(f"note: {note}" for note in self.notes),
        ]
        if self.applied:
            former = (f"{name} {'null' if value is None else value}" for name, value in self.before.items())
            lines.append(f"to undo: memory_namespaces, action update, {', '.join(former)}")
        return "\n".join(lines)


@operation(
    Effect.WRITE,
    tool="memory_calibrate",
    http="POST /calibrate",
    toolset="admin",
    permission=Permission.admin,
    seconds=None,
    surfaces=frozenset({"mcp", "http"}),
)
async def calibrate(
    call: Call, questions: Questions | None = None, *, namespace: Where | None = None, apply: Apply = False
) -> Calibrated:
    """Measure under which score nothing answers in a namespace, and with golden questions what its labels are worth.

    Needs some hundred memories. Nothing is changed without `apply`.
    """
    path = _writable(call, namespace)
    filters: Filters = {} if call.principal.confined else {"namespaces": [path]}
    own = list(questions or ()) or await own_questions(call, filters, _OWN, _SEED)
    others = await _others(call, filters, own)
    outcomes = await _asked(call, [*own, *others], filters)
    _refuse_too_few(outcomes, generated=not questions)
    before = await call.ports.storage.read(lambda reader: _settings(reader, path))
    labels = labels_of(outcomes) if questions else None
    floor = floor_of(outcomes)
    measured = {"floor": floor.floor} | _thresholds(labels)
    if apply:
        await call.ports.storage.write(lambda writer: _keep(call, writer, path, measured))
    return Calibrated(
        floor=floor,
        labels=labels,
        calibration=bins([one for one in outcomes if one.answers]) if questions else (),
        overlap=not questions,
        before={name: before[name] for name in measured},
        after=measured,
        applied=apply,
        notes=tuple(_notes(floor, labels, given=len(questions or ()))),
        namespace=None if call.principal.confined else path,
    )


def _writable(call: Call, namespace: str | None) -> str:
    path = namespace_path(namespace) if namespace else call.principal.place
    if not call.principal.write.covers(path):
        raise Forbidden(f"{path!r} is outside the write reach", hint="Name one within it.")
    return path


async def _others(call: Call, filters: Filters, own: Sequence[GoldenQuestion]) -> list[GoldenQuestion]:
    """Return questions about other things: in the store's languages, where these are enough, else in all."""
    asked = {one.question for one in own}
    every = [one for one in await off_topic(call, filters) if one.question not in asked]
    languages = await call.ports.storage.read(lambda reader: _languages(call, reader, filters))
    spoken = [one for one in every if detect(one.question) in languages]
    return spoken if len(spoken) >= FEWEST_OTHERS else every


def _languages(call: Call, reader: Reader, filters: Filters) -> frozenset[str]:
    """Return the languages in which a good part of the memories is."""
    counts = reader.tally(choose(call, reader, filters, structural=True).selection, "language")
    least = _SPOKEN * sum(counts.values())
    return frozenset(name for name, count in counts.items() if name and count >= least)


async def _asked(call: Call, questions: Sequence[GoldenQuestion], filters: Filters) -> tuple[Outcome, ...]:
    """Ask without any floor or reranker, each question where it says, else in the namespace that is measured."""
    everywhere = {"min_score": 0.0, **filters}
    asked = [one.model_copy(update={"filters": everywhere | one.filters | {"rerank": False}}) for one in questions]
    return (await evaluate(call, asked)).outcomes


def _refuse_too_few(outcomes: Sequence[Outcome], *, generated: bool) -> None:
    own = sum(one.answer_score is not None for one in outcomes)
    others = sum(one.kind == "off_topic" for one in outcomes)
    if own < FEWEST_OWN:
        what = "phrases that one memory alone holds" if generated else "golden questions whose answer is found"
        hint = "Store more, or give golden questions." if generated else f"Give at least {FEWEST_OWN} with an answer."
        raise InvalidRequest(f"a floor needs {FEWEST_OWN} {what}; here are {own}", hint=hint)
    if others < FEWEST_OTHERS:
        raise InvalidRequest(
            f"a floor needs {FEWEST_OTHERS} questions about other things; of those that ship with Bethink {others} are",
            hint='Give golden questions marked "unanswerable": "off_topic".',
        )


def _thresholds(labels: Labels | None) -> dict[str, float]:
    """Return the thresholds to keep: where no chance is sure enough nothing is called so, which 1 says."""
    if labels is None:
        return {}
    high = 1.0 if labels.high_from is None else labels.high_from
    return {"high_from": high, "medium_from": high if labels.medium_from is None else min(labels.medium_from, high)}


def _settings(reader: Reader, path: str) -> dict[str, float | None]:
    place = place_of(reader, path)
    if place is None:
        raise NotFound(f"no namespace {path!r}", hint="List them with memory_namespaces.")
    return {name: getattr(place.namespace, name) for name in ("floor", "high_from", "medium_from")}


def _keep(call: Call, writer: Writer, path: str, measured: Mapping[str, float]) -> None:
    place = place_of(writer, path)
    if place is None:
        raise NotFound(f"no namespace {path!r}", hint="List them with memory_namespaces.")
    writer.change_place(path, settings_of(place.namespace) | dict(measured))
    log(call, writer, "namespace.calibrate", (), sorted(measured))


def _notes(floor: Floor, labels: Labels | None, *, given: int) -> Iterator[str]:
    if not given:
        yield "the questions repeat the words of their answers, so that real ones score less: give golden questions"
    if floor.own_p1 < floor.others_p95:
        yield f"answers and other things overlap: a floor that refuses more than {floor.refused:.0%} costs answers"
    if labels is None:
        yield f"labels need {FEWEST_LABELLED} golden questions that have an answer; {given} were given"
    elif labels.high_from is None:
        yield f"no chance is right in {HIGH_RIGHT:.0%} of ten questions or more, so that nothing is called high"
