"""Follow the edges from a memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import accumulate
from typing import Annotated, Any, Final, Unpack

from bethink.domain import Relation, RelationType, Value
from bethink.graph.ends import End, ends
from bethink.graph.walk import HUB, Walk, Way, walk
from bethink.operation import Call, Effect, operation
from bethink.recall.budget import cost
from bethink.recall.handles import resolve_one
from bethink.recall.selection import choose, reachable
from bethink.storage.protocol import Reader
from bethink.vocabulary import Filters, MemoryId, WhatFits, about

_EDGES_A_NODE: Final = 4


class Direction(StrEnum):
    """Which way edges are followed."""

    both = "both"
    out = "out"
    into = "in"


Starts = Annotated[list[MemoryId], about("Where to start: ids or unique tails.", min_length=1, max_length=10)]
Hops = Annotated[int, about("How many steps.", ge=1, le=3)]
DirectionOf = Annotated[Direction, about("From source to target (out), against it (in), or both.")]
Types = Annotated[list[RelationType], about("Follow only these types.")]
NodeLimit = Annotated[int, about("Most memories.", ge=2, le=200)]


class Node(Value):
    """A memory that was reached, in how many steps."""

    memory: End
    hops: int


class Link(Value):
    """An edge between two of the memories, by their handles."""

    source: str
    type: RelationType
    target: str
    weight: float


class Graph(Value):
    """The memories that were reached, nearest first, and the edges between; `notes` say what was not followed."""

    nodes: tuple[Node, ...]
    edges: tuple[Link, ...]
    notes: tuple[str, ...] = ()
    namespaces: tuple[str, ...] | None = None

    def compact(self) -> str:
        """Return it as the lines a model needs: the memories, then the edges."""
        lines = [f"{'  ' * node.hops}{node.memory.named()}; edges: {node.memory.edges}" for node in self.nodes]
        lines += [f"{edge.source} {edge.type.value} {edge.target}" for edge in self.edges]
        return "\n".join([*lines, *(f"note: {note}" for note in self.notes)])


@operation(Effect.READ, tool="memory_graph", http="GET /graph", toolset="graph")
async def graph(
    call: Call,
    ids: Starts,
    *,
    hops: Hops = 2,
    direction: DirectionOf = Direction.both,
    types: Types | None = None,
    limit: NodeLimit = 50,
    max_tokens: WhatFits = None,
    **filters: Unpack[Filters],
) -> Graph:
    """Follow edges from one or more memories.

    Up to 3 steps, to causes, parts, contradictions and what is related. The filters say which memories may be passed;
    those you start from need not fit. A memory that very many are connected with is shown but not left again, as
    `notes` say. For the edges of one memory use memory_edges.
    """
    return await call.ports.storage.read(
        lambda reader: _walked(call, reader, ids, _way(hops, direction, types, limit), filters, tokens=max_tokens)
    )


def _way(hops: int, direction: Direction, types: Sequence[RelationType] | None, limit: int) -> Way:
    kept = {RelationType.parent_of if kind is RelationType.child_of else kind for kind in types or ()}
    return Way(
        hops=hops,
        types=frozenset(kind.value for kind in kept),
        outgoing=direction is not Direction.into,
        incoming=direction is not Direction.out,
        most_nodes=limit,
        most_edges=limit * _EDGES_A_NODE,
    )


def _walked(
    call: Call, reader: Reader, ids: Sequence[str], way: Way, filters: Mapping[str, Any], *, tokens: int | None
) -> Graph:
    reach = reachable(call, reader)
    starts = list(dict.fromkeys(resolve_one(reader, text, reach) for text in ids))
    chosen = choose(call, reader, filters, structural=True)
    found = walk(reader, starts, chosen.selection, way)
    told = ends(call, reader, list(found.distance), reach)
    nodes = {i: Node(memory=told[i], hops=hops) for i, hops in found.distance.items()}
    shown = _fitting(nodes, list(found.edges.values()), tokens)
    return Graph(
        nodes=tuple(nodes[i] for i in shown),
        edges=tuple(link for i in shown for link in shown[i]),
        notes=tuple(_notes(found, told, shown)),
        namespaces=None if call.principal.confined else chosen.namespaces,
    )


def _fitting(nodes: Mapping[str, Node], edges: Sequence[Relation], tokens: int | None) -> dict[str, list[Link]]:
    """Return the memories that fit, nearest first, each with its edges to those before it."""
    place = {memory: number for number, memory in enumerate(nodes)}
    links: dict[str, list[Link]] = {memory: [] for memory in nodes}
    for edge in edges:
        later = max(edge.source, edge.target, key=place.__getitem__)
        source, target = nodes[edge.source].memory.handle, nodes[edge.target].memory.handle
        links[later].append(Link(source=source, type=edge.type, target=target, weight=edge.weight))
    if tokens is None:
        return links
    spent = accumulate(cost(nodes[memory]) + sum(map(cost, links[memory])) for memory in nodes)
    fit = max(1, sum(total <= tokens for total in spent))
    return {memory: links[memory] for memory in list(nodes)[:fit]}


def _notes(found: Walk, told: Mapping[str, End], shown: Mapping[str, object]) -> Iterator[str]:
    if hubs := [told[memory].handle for memory in found.hubs if memory in shown]:
        yield f"not followed, for each has more than {HUB} edges: {', '.join(hubs)}; start from one to see them"
    if cut := [told[memory].handle for memory in found.cut if memory in shown]:
        yield f"with more edges than fit: {', '.join(cut)}; name `types`, or raise `limit`"
    if len(shown) < len(found.distance):
        yield f"{len(found.distance) - len(shown)} more memories did not fit into max_tokens"
