"""Count what is stored and say how the store is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import accumulate, islice
from typing import Any, Final, Literal

from bethink.domain import STRUCTURAL, Value
from bethink.jobs.health import arrears, hindrances, index_state
from bethink.operation import Call, Effect, operation
from bethink.recall.selection import Chosen, choose
from bethink.storage.protocol import Reader
from bethink.storage.values import Selection
from bethink.text.counts import counted, memories, sized
from bethink.vocabulary import Namespaces

_MOST_BYTES: Final = 4_000
_BYTES_A_COUNT: Final = 12
_DAY: Final = 86_400_000_000
_DORMANT_DAYS: Final = 90
_GROWTH: Final = {"day": 1, "week": 7, "month": 30}
_AGES: Final = {"0-7d": 7, "7-30d": 30, "30-90d": 90, "90-365d": 365, "365d+": 0}
_NEARLY_FULL: Final = 0.9
_MOST_NAMED: Final = 3
_UNKNOWN: Final = "unknown"


class Stats(Value):
    """Counts of what is in reach by what it is, how the store does, and for the owner what it all takes.

    `status` is attention where there are `reasons`. `growth` counts what was recorded in the last day, week (7 days)
    and month (30). `in_use` are the memories that a list has by default, without parts of documents and conversations;
    of these `pinned`, `dormant` (neither written, confirmed nor shown for 90 days) and the `ages` since each was last
    confirmed. `expired` have left them by their expires_at. `bytes` are of the whole store, with the file and the log
    beside it (`wal`). `more_namespaces` says how many smaller ones by_namespace leaves out; memory_namespaces lists
    them all.
    """

    status: Literal["ok", "attention"]
    reasons: tuple[str, ...]
    memories: int
    by_kind: dict[str, int]
    by_status: dict[str, int]
    by_language: dict[str, int]
    growth: dict[str, int]
    in_use: int
    expired: int
    dormant: int
    pinned: int
    ages: dict[str, int]
    without_vectors: int
    index: str
    embedder: str
    embedder_ready: bool
    vectors_of: str | None = None
    reranker: str | None = None
    reranker_ready: bool | None = None
    by_namespace: dict[str, int] | None = None
    more_namespaces: int | None = None
    store: dict[str, int] | None = None
    bytes: dict[str, int] | None = None
    namespaces: tuple[str, ...] | None = None

    def compact(self) -> str:
        """Return it as the few lines a model needs."""
        lines = [f"attention: {reason}" for reason in self.reasons] or [self.status]
        lines += [f"{memories(self.memories)} in reach: {_listed(self.by_kind)}", f"status: {_listed(self.by_status)}"]
        lines.append(f"recorded in the last {', '.join(f'{span} {n}' for span, n in self.growth.items())}")
        lines.append(self.use())
        if self.in_use:
            lines.append(f"last confirmed: {', '.join(f'{n} {span}' for span, n in self.ages.items() if n)} ago")
        lines.append(f"embedder {self.embedder} ({'ready' if self.embedder_ready else 'not ready'})")
        if self.reranker:
            lines.append(f"reranker {self.reranker} ({'ready' if self.reranker_ready else 'not ready'})")
        if self.without_vectors:
            lines.append(f"{memories(self.without_vectors)} without vectors yet")
        if self.by_namespace:
            more = f", {self.more_namespaces} more" if self.more_namespaces else ""
            lines.append(f"namespaces: {_listed(self.by_namespace)}{more}")
        if self.store:
            lines.append(f"store: {_listed(self.store)}")
        if self.bytes:
            lines.append(f"size: {', '.join(f'{part} {sized(n)}' for part, n in self.bytes.items())}")
        return "\n".join(lines)

    def use(self) -> str:
        """Return in a line how many are in use, and what of."""
        parts = ", parts of documents and conversations left out" if STRUCTURAL & self.by_kind.keys() else ""
        return (
            f"{self.in_use:,} in use{parts}: {self.pinned:,} pinned, {self.dormant:,} dormant; {self.expired:,} expired"
        )


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in counts.items()) or "none"


@operation(Effect.READ, tool="memory_stats", http="GET /stats")
async def stats(call: Call, *, namespaces: Namespaces | None = None) -> Stats:
    """Count what is stored in reach, by kind, status, language and age, and say whether anything needs attention."""
    given = {"namespaces": namespaces, "status": ["any"]}
    return await call.ports.storage.read(
        lambda reader: _stats(
            call,
            reader,
            choose(call, reader, given, structural=True),
            choose(call, reader, {"namespaces": namespaces}).selection,
        )
    )


def _stats(call: Call, reader: Reader, chosen: Chosen, in_use: Selection) -> Stats:
    everything = chosen.selection
    kept, reranker = reader.embedder(), call.ports.reranker
    confined = call.principal.confined
    waiting = reader.tally(everything, "embedded").get("0", 0)
    by_kind = _tally(reader, everything, "kind")
    by_namespace = _tally(reader, everything, "namespace")
    shown = None if confined else _greatest(by_namespace)
    reasons = hindrances(call.ports, reader, waiting=waiting)
    if not confined:
        reasons += [*arrears(call.ports, reader), *_nearly_full(reader, by_namespace)]
    return Stats(
        status="attention" if reasons else "ok",
        reasons=tuple(reasons),
        memories=sum(by_kind.values()),
        by_kind=by_kind,
        by_status=_tally(reader, everything, "status"),
        by_language=_tally(reader, everything, "language"),
        growth=_growth(reader, everything),
        in_use=_total(reader, in_use),
        expired=_total(reader, replace(in_use, expired=True)),
        dormant=reader.untouched(in_use, in_use.now - _DORMANT_DAYS * _DAY),
        pinned=reader.tally(in_use, "pinned").get("1", 0),
        ages=_ages(reader, in_use),
        without_vectors=waiting,
        index=index_state(reader),
        embedder=call.ports.embedder.identity,
        embedder_ready=call.ports.embedder.ready,
        vectors_of=kept[0] if kept else None,
        reranker=reranker.identity if reranker else None,
        reranker_ready=reranker.ready if reranker else None,
        by_namespace=shown,
        more_namespaces=None if shown is None else (len(by_namespace) - len(shown) or None),
        store=None if confined else _facts(reader),
        bytes=None if confined else reader.sizes(),
        namespaces=None if confined else chosen.namespaces,
    )


def _tally(reader: Reader, selection: Selection, by: str) -> dict[str, int]:
    return {_UNKNOWN if name is None else name: count for name, count in reader.tally(selection, by).items()}


def _total(reader: Reader, selection: Selection) -> int:
    return sum(reader.tally(selection, "kind").values())


def _growth(reader: Reader, selection: Selection) -> dict[str, int]:
    """Count what was recorded in each of the spans that end now."""
    bounds = [selection.now - days * _DAY for days in reversed(_GROWTH.values())]
    _, *later = reader.spread(selection, "recorded_at", bounds)
    return dict(zip(_GROWTH, accumulate(reversed(later)), strict=True))


def _ages(reader: Reader, selection: Selection) -> dict[str, int]:
    """Count the memories by how long ago each was last confirmed, those of late first."""
    bounds = [selection.now - days * _DAY for days in reversed(_AGES.values()) if days]
    return dict(zip(_AGES, reversed(reader.spread(selection, "confirmed", bounds)), strict=True))


def _nearly_full(reader: Reader, held: Mapping[str, int]) -> list[str]:
    """Name the namespaces that will soon refuse a store, the fullest first."""
    limits = {p.namespace.path: p.namespace.max_memories for p in reader.places() if p.namespace.max_memories}
    shares = {path: held[path] / most for path, most in limits.items() if path in held}
    full = sorted((path for path in shares if shares[path] >= _NEARLY_FULL), key=lambda path: (-shares[path], path))
    named = [f"{path!r} holds {held[path]:,} of at most {memories(limits[path])}" for path in full[:_MOST_NAMED]]
    if more := len(full) - len(named):
        named.append(f"{counted(more, 'more namespace is', 'more namespaces are')} nearly full")
    return named


def _greatest(counts: Mapping[str, int]) -> dict[str, int]:
    """Return the first counts, as many as take a bounded place in the result."""
    spent = accumulate(len(path.encode()) + _BYTES_A_COUNT for path in counts)
    return dict(islice(counts.items(), sum(total <= _MOST_BYTES for total in spent)))


def _facts(reader: Reader) -> dict[str, Any]:
    return reader.facts()
