"""Count what is there by what it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Annotated, Any, Final, Unpack

from bethink.coerce import nearest
from bethink.domain import Source, Value
from bethink.errors import Forbidden, InvalidRequest, Unsupported
from bethink.graph.entities import tallied
from bethink.operation import Call, Effect, operation
from bethink.recall.budget import BYTES_A_TOKEN
from bethink.recall.selection import choose
from bethink.storage.protocol import Reader
from bethink.storage.values import Selection
from bethink.text.counts import memories
from bethink.vocabulary import Filters, WhatFits, Word, about

_NAMESPACE: Final = "namespace"
_PLAIN: Final = (
    "kind", "subtype", "tag", "author", "agent", "origin", "language", "status", "level", "access_level",
    "confidence", "importance", *(f"source_{part}" for part in Source.model_fields),
)  # fmt: skip
_MONTHS: Final = {"occurred_month": "occurred", "recorded_month": "recorded_at", "confirmed_month": "confirmed"}
_SWITCHES: Final = ("expired", "has_relations")
_ENTITY: Final = "entity"
FACETS: Final = (*_PLAIN, _ENTITY, "pinned", *_SWITCHES, *_MONTHS)
_LATER: Final = frozenset({"theme", "claims", "orphans", "groundedness"})
_BYTES_A_BUCKET: Final = 24

Facets = Annotated[
    list[Word],
    about(
        f"What to count by, several at once: {', '.join(f for f in FACETS if not f.startswith('source_'))},"
        " source_repo and the other parts of a source.",
        min_length=1,
        max_length=len(FACETS) + 1,
    ),
]
MostValues = Annotated[int, about("Most values of each facet.", ge=1, le=1_000)]


class Bucket(Value):
    """How many memories have one value."""

    value: str
    count: int


class Facet(Value):
    """The values of one property, most frequent first, months the latest first.

    `missing` counts the memories without any, `more` the values that were left off.
    """

    facet: str
    buckets: tuple[Bucket, ...]
    missing: int = 0
    more: int = 0


class Explored(Value):
    """How many memories there are, and how many by each value of each facet that was asked for."""

    total: int
    facets: tuple[Facet, ...]
    namespaces: tuple[str, ...] | None = None

    def compact(self) -> str:
        """Return it as the lines a model needs, one a facet."""
        return "\n".join([memories(self.total), *map(_line, self.facets)])


def _line(facet: Facet) -> str:
    counts = [f"{bucket.count:,} {' '.join(bucket.value.split())}" for bucket in facet.buckets]
    said = [", ".join(counts) or "none"]
    said += [f"{facet.missing:,} without"] if facet.missing else []
    said += [f"{facet.more:,} more values"] if facet.more else []
    return f"{facet.facet}: {'; '.join(said)}"


@operation(Effect.READ, tool="memory_explore", http="GET /memories/explore", toolset="read")
async def explore(
    call: Call, facets: Facets, *, limit: MostValues = 20, max_tokens: WhatFits = None, **filters: Unpack[Filters]
) -> Explored:
    """Count what is there by kind, tag, entity, month and whatever else can be filtered, to see what a memory is about.

    A value found here can be given as a filter to the other reads. Parts of documents and conversations are left out
    unless their kinds are named. The owner may also count by namespace.
    """
    asked = [_checked(call, facet) for facet in dict.fromkeys(facets)]
    return await call.ports.storage.read(
        lambda reader: _explored(call, reader, asked, filters, limit=limit, tokens=max_tokens)
    )


def _checked(call: Call, facet: str) -> str:
    if facet == _NAMESPACE and call.principal.confined:
        raise Forbidden("'namespace' cannot be a facet here", hint="The host fixes which namespaces are used.")
    if facet in _LATER:
        raise Unsupported(f"the facet {facet!r} is not served yet", hint="Count by tag, kind or subtype instead.")
    if facet not in FACETS and facet != _NAMESPACE:
        known = FACETS if call.principal.confined else (*FACETS, _NAMESPACE)
        raise InvalidRequest(f"facets: there is no facet {facet!r}", hint=nearest(facet, known))
    return facet


def _explored(
    call: Call, reader: Reader, facets: Sequence[str], filters: Mapping[str, Any], *, limit: int, tokens: int | None
) -> Explored:
    chosen = choose(call, reader, filters)
    total = sum(reader.tally(chosen.selection, "kind").values())
    room = None if tokens is None else tokens * BYTES_A_TOKEN
    shown: list[Facet] = []
    for facet in facets:
        counts = _counts(call, reader, chosen.selection, facet)
        share = None if room is None else room // (len(facets) - len(shown))
        buckets = tuple(_fitting(counts, limit, share))
        room = None if room is None else room - sum(map(_size, buckets))
        missing = counts.get(None, 0)
        shown.append(
            Facet(facet=facet, buckets=buckets, missing=missing, more=len(counts) - bool(missing) - len(buckets))
        )
    namespaces = None if call.principal.confined else chosen.namespaces
    return Explored(total=total, facets=tuple(shown), namespaces=namespaces)


def _counts(call: Call, reader: Reader, selection: Selection, facet: str) -> Mapping[str | None, int]:
    if facet in _MONTHS:
        return dict(reader.months(selection, _MONTHS[facet], call.ports.policy.timezone).items())
    if facet in _SWITCHES:
        return _switch(reader, selection, facet)
    if facet == _ENTITY:
        return tallied(reader, selection)
    counts = reader.tally(selection, facet)
    return counts if facet != "pinned" else {"true" if value == "1" else "false": n for value, n in counts.items()}


def _switch(reader: Reader, selection: Selection, name: str) -> dict[str | None, int]:
    """Count both sides of a filter, or the one that was asked for."""
    asked = getattr(selection, name)
    sides = [_sided(selection, name, side=side) for side in (True, False) if asked in (side, None)]
    counts = {str(getattr(side, name)).lower(): sum(reader.tally(side, "kind").values()) for side in sides}
    return {side: count for side, count in counts.items() if count}


def _sided(selection: Selection, name: str, *, side: bool) -> Selection:
    return replace(selection, expired=side) if name == "expired" else replace(selection, has_relations=side)


def _fitting(counts: Mapping[str | None, int], limit: int, room: int | None) -> Iterator[Bucket]:
    """Yield the first values, as many as were asked for and fit."""
    values = ((value, count) for value, count in counts.items() if value is not None)
    for value, count in islice(values, limit):
        bucket = Bucket(value=value, count=count)
        if room is not None and (room := room - _size(bucket)) < 0:
            return
        yield bucket


def _size(bucket: Bucket) -> int:
    return len(bucket.value.encode()) + _BYTES_A_BUCKET
