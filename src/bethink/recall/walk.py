"""Walk the edges from some memories to those around them, a few steps, round what is joined to very many."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from bethink.domain import Relation
from bethink.storage.protocol import Reader
from bethink.storage.values import Selection

# What has more edges is joined to everything: a step through it leads nowhere in particular.
CROWDED: Final = 20
FADING: Final = 0.5
MOST_REACHED: Final = 60


@dataclass(frozen=True, slots=True)
class Reached:
    """A memory on the walk: how much it matters, 0..1, and after how many steps it came."""

    relevance: float
    hops: int


@dataclass(frozen=True, slots=True)
class Walk:
    """The memories that were reached, by id, the seeds among them, and the edges between them."""

    memories: Mapping[str, Reached]
    edges: Sequence[Relation]


def walk(reader: Reader, seeds: Mapping[str, float], selection: Selection, *, hops: int) -> Walk:
    """Start from `seeds`, which matter as much as is said, and take up to `hops` steps within the selection.

    With each step what is reached matters half as much, and less over a weak edge. The walk ends at sixty memories.
    """
    reached = {seed: Reached(relevance, 0) for seed, relevance in seeds.items()}
    edges: dict[tuple[str, str, str], Relation] = {}
    frontier: Collection[str] = seeds.keys()
    for hop in range(1, hops + 1):
        found = [edge for memory in sorted(frontier) for edge in _edges(reader, memory, selection)]
        edges |= {(edge.source, edge.target, edge.type): edge for edge in found}
        gains = _gains(found, frontier, reached)
        nearest = sorted(gains, key=lambda memory: (-gains[memory], memory))[: MOST_REACHED - len(reached)]
        if not nearest:
            break
        reached |= {memory: Reached(gains[memory], hop) for memory in nearest}
        frontier = set(nearest)
    return Walk(reached, [edge for edge in edges.values() if edge.source in reached and edge.target in reached])


def _edges(reader: Reader, memory: str, selection: Selection) -> Sequence[Relation]:
    """The edges of a memory to what the selection admits, none where they are too many to mean much."""
    found = reader.neighbours(memory, selection, limit=CROWDED + 1)
    return found if len(found) <= CROWDED else ()


def _gains(edges: Sequence[Relation], frontier: Collection[str], reached: Mapping[str, Reached]) -> dict[str, float]:
    """How much each memory behind the frontier matters, by the best edge that leads to it."""
    gains: dict[str, float] = {}
    for edge in edges:
        for near, far in ((edge.source, edge.target), (edge.target, edge.source)):
            if near in frontier and far not in reached:
                gains[far] = max(gains.get(far, 0.0), FADING * edge.weight * reached[near].relevance)
    return gains
