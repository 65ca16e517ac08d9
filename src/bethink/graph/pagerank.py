"""Memories that hang together with a question: personalised PageRank from its entities and the best of its hits.

The walk goes over a small part of the graph: what the seeds mention, what mentions that, and the edges between
memories. What nearly everything mentions ties nothing together and is left out, so the work is bounded.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bethink.storage.protocol import Snapshot
from bethink.storage.values import Selection

# The walk starts anew with this chance at each step; half of its starts are at what the question names.
RESTART: Final = 0.25
NAMED_SHARE: Final = 0.5
_STEPS: Final = 8
_MOST_ENTITIES: Final = 30
# More mentions than these are not followed: what so many mention tells little.
_MOST_MENTIONS: Final = 100
_MOST_RELATED: Final = 200

Edge = tuple[int, int, float]


def walk(
    reader: Snapshot, selection: Selection, named: Sequence[int], seeds: Mapping[int, float], size: int
) -> dict[int, float]:
    """Return the numbers of memories that a walk comes to, each with how often, the most visited at 1.

    `named` are the entities of the question, `seeds` the numbers of its best hits with their scores, `size` is how many
    memories there are. What a walk finds at the seeds themselves is what comes back to them from others.
    """
    selection = _without_filters(selection)
    edges = [*_mentions(reader, selection, named, list(seeds), size), *_relations(reader, selection, list(seeds))]
    if not edges:
        return {}
    nodes = sorted({node for edge in edges for node in edge[:2]})
    places = {node: place for place, node in enumerate(nodes)}
    starts = _starts({-entity for entity in named}, seeds, places)
    visited = _visited(edges, places, starts) - RESTART * starts
    found = {node: float(visited[place]) for node, place in places.items() if node > 0 and visited[place] > 0}
    most = max(found.values(), default=0.0)
    return {number: mass / most for number, mass in found.items()}


def _without_filters(selection: Selection) -> Selection:
    """What may be walked over: a filter is about where the walk ends, and could make it read very far for a step."""
    return Selection(
        selection.tenant, selection.now, selection.namespaces, selection.ceiling, selection.statuses,
        selection.valid_at, expired=selection.expired, reach=selection.reach,
    )  # fmt: skip


def _mentions(
    reader: Snapshot, selection: Selection, named: Sequence[int], seeds: Sequence[int], size: int
) -> list[Edge]:
    """Edges between memories and what they mention, heavier where fewer mention it; entities have numbers below 0."""
    beside = dict.fromkeys([*named, *(entity for _, entity in reader.mentioned(seeds))])
    found: defaultdict[int, list[int]] = defaultdict(list)
    for entity, number in reader.mentioning(list(beside)[:_MOST_ENTITIES], selection, _MOST_MENTIONS):
        found[entity].append(number)
    return [
        (number, -entity, math.log(1 + size / len(numbers)))
        for entity, numbers in found.items()
        if len(numbers) < _MOST_MENTIONS
        for number in numbers
    ]


def _relations(reader: Snapshot, selection: Selection, seeds: Sequence[int]) -> list[Edge]:
    """Edges between memories, as far as both ends are admitted: of each seed as many, those that say most."""
    ids = list(reader.numbers(reader.ids(seeds), selection))
    near = [edge for memory in ids for edge in reader.neighbours(memory, selection, limit=_MOST_RELATED // len(ids))]
    relations = {edge.key: edge for edge in near}.values()
    numbers = reader.numbers(sorted({end for r in relations for end in (r.source, r.target)}), selection)
    return [(numbers[r.source], numbers[r.target], r.weight) for r in relations]


def _starts(named: set[int], seeds: Mapping[int, float], places: Mapping[int, int]) -> NDArray[np.float64]:
    """Where the walk starts: at what the question names, and at the seeds by their scores."""
    starts = np.zeros(len(places))
    present = [places[entity] for entity in named if entity in places]
    for place in present:
        starts[place] = NAMED_SHARE / len(present)
    scores = {places[number]: score for number, score in seeds.items() if number in places}
    total, share = sum(scores.values()), 1 - (NAMED_SHARE if present else 0)
    for place, score in scores.items():
        starts[place] = share * score / total if total else 0.0
    return starts / (starts.sum() or 1.0)


def _visited(edges: Sequence[Edge], places: Mapping[int, int], starts: NDArray[np.float64]) -> NDArray[np.float64]:
    """How often each node is come to, by power iteration."""
    left = np.array([places[edge[0]] for edge in edges])
    right = np.array([places[edge[1]] for edge in edges])
    weights = np.array([edge[2] for edge in edges])
    source, target = np.concatenate([left, right]), np.concatenate([right, left])
    both = np.concatenate([weights, weights])
    flow = both / np.bincount(source, both, len(places))[source]
    visited = starts
    for _ in range(_STEPS):
        visited = RESTART * starts + (1 - RESTART) * np.bincount(target, visited[source] * flow, len(places))
    return visited
