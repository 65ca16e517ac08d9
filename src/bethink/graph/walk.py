"""From some memories along their edges, step by step, within bounds that are told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from bethink.domain import Relation
from bethink.storage.protocol import Snapshot
from bethink.storage.values import Selection

from .asked import Key

# What as many memories hang on says little of any of them, and leads everywhere.
HUB: Final = 50


@dataclass(frozen=True, slots=True)
class Way:
    """Which edges are followed, how far, and where it ends."""

    hops: int
    types: frozenset[str]
    outgoing: bool
    incoming: bool
    most_nodes: int
    most_edges: int


@dataclass(slots=True)
class Walk:
    """What was found: memories with their distance, edges; hubs were not left again, `cut` have more edges than fit."""

    distance: dict[str, int]
    edges: dict[Key, Relation] = field(default_factory=dict)
    hubs: list[str] = field(default_factory=list)
    cut: list[str] = field(default_factory=list)


def walk(reader: Snapshot, starts: Sequence[str], selection: Selection, way: Way) -> Walk:
    """Follow edges from `starts` to what the selection admits, those that say most first."""
    found = Walk(dict.fromkeys(starts, 0))
    level = list(found.distance)
    for _ in range(way.hops):
        level = [
            far
            for memory in _followed(reader, level, selection, found)
            for far in _step(reader, memory, selection, way, found)
        ]
    return found


def _followed(reader: Snapshot, level: Sequence[str], selection: Selection, found: Walk) -> list[str]:
    """The memories of a level but for hubs, among which a start does not count."""
    degrees = reader.degrees(level, selection)
    hubs = {memory for memory in level if degrees[memory] > HUB and found.distance[memory]}
    found.hubs += [memory for memory in level if memory in hubs]
    return [memory for memory in level if memory not in hubs]


def _step(reader: Snapshot, memory: str, selection: Selection, way: Way, found: Walk) -> list[str]:
    """Take in the edges of one memory as far as they fit; return the memories that they lead to first."""
    edges = reader.neighbours(
        memory, selection, limit=way.most_edges + 1, types=way.types, outgoing=way.outgoing, incoming=way.incoming
    )
    fresh: list[str] = []
    for edge in edges:
        if edge.key in found.edges:
            continue
        far = edge.target if edge.source == memory else edge.source
        if len(found.edges) >= way.most_edges or (far not in found.distance and len(found.distance) >= way.most_nodes):
            found.cut.append(memory)
            break
        found.edges[edge.key] = edge
        if far not in found.distance:
            found.distance[far] = found.distance[memory] + 1
            fresh.append(far)
    return fresh
