"""What hits are related to: the neighbours that say most of each, and what stands in the place of a superseded one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from bethink.domain import RelationType, Status, Value
from bethink.storage.protocol import Reader
from bethink.storage.values import Glimpse, Selection
from bethink.text.cut import shorten

from .budget import cost
from .selection import DEFAULT_STATUSES

_MOST: Final = 3
_LOOKED_AT: Final = 100
_SUMMARY: Final = 200
_SUPERSEDES: Final = frozenset({RelationType.supersedes.value})
# An edge as it reads from its target.
_FROM_TARGET: Final = {
    RelationType.supersedes: "superseded_by",
    RelationType.caused_by: "causes",
    RelationType.parent_of: "child_of",
    RelationType.derived_from: "source_of",
    RelationType.mentions: "mentioned_by",
}


class Neighbour(Value):
    """A memory that a hit is related to; `relation` says what the hit is to it."""

    relation: str
    handle: str
    kind: str
    title: str | None = None
    text: str | None = None
    status: str | None = None


@dataclass(frozen=True, slots=True)
class Woken:
    """Neighbours by the id of the hit that woke them, their ids, and how many did not fit."""

    neighbours: Mapping[str, tuple[Neighbour, ...]]
    ids: tuple[str, ...]
    left_out: int


def heads(reader: Reader, memories: Sequence[str], reach: Selection) -> dict[str, str]:
    """Return what stands in the place of superseded memories at last, as far as it is in reach."""
    found: dict[str, str] = {}
    for memory in memories:
        chain = [memory]
        while (newer := _newer(reader, chain[-1], reach)) and newer not in chain:
            chain.append(newer)
        if len(chain) > 1:
            found[memory] = chain[-1]
    return found


def wake(
    reader: Reader, hits: Sequence[Glimpse], chosen: Selection, *, reach: Selection, tokens: int, bare: bool = False
) -> Woken:
    """Return up to three neighbours of each hit that are no hits themselves, as far as they fit into `tokens`.

    Of `bare` ones no text is shown.
    """
    admitted = _in_force(chosen)
    pairs = _pairs(reader, hits, admitted, reach)
    numbers = reader.numbers([far for _, far, _ in pairs], admitted)
    glimpses = {glimpse.id: glimpse for glimpse in reader.glimpses(list(numbers.values()))}
    handles = reader.handles(list(glimpses), reach)
    found = [
        (near, _neighbour(relation, glimpses[far], handles[far], bare=bare))
        for near, far, relation in pairs
        if far in glimpses
    ]
    fit = sum(total <= tokens for total in accumulate(cost(neighbour) for _, neighbour in found))
    woken: dict[str, tuple[Neighbour, ...]] = {}
    for near, neighbour in found[:fit]:
        woken[near] = (*woken.get(near, ()), neighbour)
    return Woken(woken, tuple(far for _, far, _ in pairs if far in glimpses)[:fit], len(found) - fit)


def _newer(reader: Reader, memory: str, reach: Selection) -> str | None:
    edges = reader.neighbours(memory, reach, limit=1, types=_SUPERSEDES, outgoing=False)
    return edges[0].source if edges else None


def _in_force(chosen: Selection) -> Selection:
    """What may be woken: what could be a hit but for the filters on what it says, and what is in use."""
    return Selection(
        tenant=chosen.tenant,
        now=chosen.now,
        namespaces=chosen.namespaces,
        ceiling=chosen.ceiling,
        statuses=chosen.statuses | DEFAULT_STATUSES,
        valid_at=chosen.valid_at,
        expired=None if chosen.expired else chosen.expired,
    )


def _pairs(
    reader: Reader, hits: Sequence[Glimpse], admitted: Selection, reach: Selection
) -> list[tuple[str, str, str]]:
    """The neighbours of each hit, with how it is related: each memory once, at the best hit that leads to it."""
    taken = {hit.id for hit in hits}
    pairs: list[tuple[str, str, str]] = []
    for hit in hits:
        fresh: dict[str, str] = {}
        for far, relation in _related(reader, hit, admitted, reach):
            if far not in taken:
                fresh.setdefault(far, relation)  # of several edges to one the first says most
        chosen = list(fresh.items())[:_MOST]
        pairs += [(hit.id, far, relation) for far, relation in chosen]
        taken.update(far for far, _ in chosen)
    return pairs


def _related(reader: Reader, hit: Glimpse, admitted: Selection, reach: Selection) -> Iterator[tuple[str, str]]:
    if hit.status == Status.superseded:
        yield from ((head, _FROM_TARGET[RelationType.supersedes]) for head in heads(reader, [hit.id], reach).values())
    for edge in reader.neighbours(hit.id, admitted, limit=_LOOKED_AT):
        outward = edge.source == hit.id
        yield (edge.target, edge.type.value) if outward else (edge.source, _FROM_TARGET.get(edge.type, edge.type.value))


def _neighbour(relation: str, memory: Glimpse, handle: str, *, bare: bool) -> Neighbour:
    return Neighbour(
        relation=relation,
        handle=handle,
        kind=memory.kind,
        title=None if bare else memory.title,
        text=None if bare else shorten(memory.content, _SUMMARY),
        status=None if memory.status == Status.active else memory.status,
    )
