"""An evaluation and a calibration as a person at a terminal reads them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from rich.console import Group, RenderableType

from bethink.evaluation.comparing import Comparison
from bethink.evaluation.metrics import Bin, Outcome
from bethink.operations.calibrate import Calibrated
from bethink.operations.evaluate import Evaluated

from .screen import bar, plain, table

_MOST_SHOWN: Final = 20
_WIDTH: Final = 25
_MEANS: Final = {
    "hit@1": "an answer comes first",
    "hit@5": "an answer is among the first 5",
    "recall@10": "share of the answers among the first 10",
    "mrr": "one over the place of the first answer",
    "ndcg@10": "answers among the first 10, early ones count more",
    "off_topic_refused": "nothing is returned for what the store is not about",
    "near_refused": "nothing is returned for what it is about and does not tell",
    "near_not_high": "for these nothing is labelled high",
    "high_right": "a first hit that is labelled high answers",
    "has_high": "the first hit is labelled high, where there is an answer",
}


def evaluated(
    result: Evaluated, comparison: Comparison | None, short: Sequence[str], *, overlap: bool
) -> RenderableType:
    """Return an evaluation with what differs from a run before."""
    asked = ", ".join(f"{n:,} {kind.replace('_', ' ')}" for kind, n in result.asked.items())
    by = f"embedder {result.embedder}" + (f", reranker {result.reranker}" if result.reranker else "")
    blocks: list[RenderableType] = [plain(f"asked: {asked}; {by}")]
    if overlap:
        blocks.append(
            plain("keyword overlap: these questions repeat their answers; this is no measure of quality", "bold")
        )
    blocks += [plain(f"not searched: {reason}", "red") for reason in result.skipped]
    blocks.append(table("measure", "", "means", rows=[(n, f"{v:.3f}", _MEANS[n]) for n, v in result.figures.items()]))
    blocks += [*_labels(result), *reliability(result.calibration), _latency(result), *_missed(result)]
    if result.unknown:
        blocks.append(plain(f"expected, but not in reach: {', '.join(result.unknown[:_MOST_SHOWN])}", "red"))
    blocks += _compared(comparison) if comparison else []
    return Group(*blocks, *(plain(f"fell short: {reason}", "red") for reason in short))


def reliability(found: Sequence[Bin]) -> list[RenderableType]:
    """Return a plot of what was said of first hits against what was so."""
    rows = [(f"{one.said:.2f}", f"{one.right:.2f}", f"{one.count:,}", bar(one.right, _WIDTH)) for one in found]
    return [plain(""), table("chance said", "were right", "first hits", "", rows=rows)] if rows else []


def _labels(result: Evaluated) -> Iterator[RenderableType]:
    rows = [(one.label, f"{one.count:,}", "" if one.right is None else f"{one.right:.3f}") for one in result.labels]
    yield plain("")
    yield table("label of the first hit", "questions", "of these right", rows=rows)
    if result.calibration_error is not None:
        yield plain(f"expected calibration error {result.calibration_error:.3f}", "dim")


def _latency(result: Evaluated) -> RenderableType:
    told = ", ".join(f"{name.replace('_p', ' p')} {value:.1f}" for name, value in result.latency.items())
    return plain(f"milliseconds a recall: {told}", "dim")


def _missed(result: Evaluated) -> Iterator[RenderableType]:
    missed = result.missed
    answered = [one for one in result.outcomes if one.kind == "off_topic" and one.hits]
    for what, some in (("missed", missed), ("answered, though off topic", answered)):
        if some:
            yield plain("")
            yield plain(f"{what}: {len(some):,}", "bold")
        for one in some[:_MOST_SHOWN]:
            yield plain(one.key)
            yield from _instead(one)
        if len(some) > _MOST_SHOWN:
            yield plain(f"and {len(some) - _MOST_SHOWN:,} more; --json has all", "dim")


def _instead(one: Outcome) -> Iterator[RenderableType]:
    if not one.instead:
        yield plain("   nothing was returned", "dim")
    for seen in one.instead:
        yield plain(f"   {seen.score:.2f} {seen.label} [{seen.handle}] {seen.title or ''}", "dim")


def _compared(found: Comparison) -> Iterator[RenderableType]:
    rows = [
        (
            one.measure,
            f"{one.before:.3f}",
            f"{one.after:.3f}",
            f"{one.after - one.before:+.3f}",
            one.verdict,
            f"{one.p:.3f}",
        )
        for one in found.measures
    ]
    yield plain("")
    yield table("against the run before", "before", "after", "", "", "by chance", rows=rows)
    changes = sorted(found.changes, key=lambda one: (one.after or _LAST) - (one.before or _LAST), reverse=True)
    for one in changes[:_MOST_SHOWN]:
        yield plain(f"   {_place(one.before)} before, {_place(one.after)} now: {one.key}", "dim")
    if len(changes) > _MOST_SHOWN:
        yield plain(f"and {len(changes) - _MOST_SHOWN:,} more; --json has all", "dim")
    if found.only_before or found.only_after:
        yield plain(f"asked only before: {found.only_before:,}; asked only now: {found.only_after:,}", "dim")


_LAST: Final = 11


def _place(rank: int | None) -> str:
    return f"#{rank}" if rank else "missed"


def calibrated(result: Calibrated) -> RenderableType:
    """Return a calibration: what was measured, what holds, how to undo it."""
    floor, labels = result.floor, result.labels
    rows = [
        ("answers", f"{floor.own:,}", f"{floor.own_p50:.3f}", f"1% under {floor.own_p1:.3f}", f"{floor.lost:.1%}"),
        (
            "other things", f"{floor.others:,}", f"{floor.others_p50:.3f}", f"5% over {floor.others_p95:.3f}",
            f"{floor.refused:.1%}",
        ),
    ]  # fmt: skip
    blocks: list[RenderableType] = [
        table("score of", "questions", "median", "", f"under {floor.floor:g}", rows=rows),
        plain(""),
        table(
            "setting",
            "before",
            "measured",
            rows=[(n, _usual(result.before[n]), f"{v}") for n, v in result.after.items()],
        ),
        *reliability(result.calibration),
    ]
    if labels and labels.high_right is not None:
        blocks.append(plain(f"high: {labels.has_high:.0%} of the questions, {labels.high_right:.0%} of these right"))
    blocks += [plain(f"note: {note}", "dim") for note in result.notes]
    return Group(*blocks, *map(plain, _kept(result)))


def _kept(result: Calibrated) -> Iterator[str]:
    if not result.applied:
        yield "nothing was changed; --apply keeps it"
        return
    words = [
        f"--clear {name}" if value is None else f"--{name.replace('_', '-')} {value}"
        for name, value in result.before.items()
    ]
    where = f"--path {result.namespace} " if result.namespace else ""
    yield f"kept; to undo: bethink namespaces update {where}{' '.join(words)}"


def _usual(value: float | None) -> str:
    return "as usual" if value is None else f"{value:g}"
