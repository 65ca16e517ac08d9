"""List the edges between memories."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from itertools import accumulate
from typing import Annotated, Any, Final

from bethink.domain import Certainty, Origin, Relation, RelationType, Value, to_micros
from bethink.graph.ends import End, ends
from bethink.operation import Call, Effect, operation
from bethink.recall.budget import cost
from bethink.recall.cursor import issue, redeem
from bethink.recall.handles import resolve_one
from bethink.recall.selection import named, reachable
from bethink.storage.protocol import Reader
from bethink.storage.values import EdgeSelection, Selection
from bethink.vocabulary import Cursor, MemoryId, Namespaces, WhatFits, about

_PURPOSE: Final = "edges"

Types = Annotated[list[RelationType], about("Only these types.")]
OriginOf = Annotated[Origin, about("Only edges that came to be in this way.")]
Places = Annotated[Namespaces, about("With one end at least in these.")]
EdgeLimit = Annotated[int, about("Most edges on a page.", ge=1, le=200)]


class Edge(Value):
    """One edge with its two ends."""

    source: End
    type: RelationType
    target: End
    weight: float
    origin: Origin
    certainty: Certainty
    created_at: datetime
    metadata: dict[str, Any] | None = None


class Edges(Value):
    """A page of edges, newest first, how many there are in all, and where to continue."""

    edges: tuple[Edge, ...]
    total: int
    cursor: str | None = None
    namespaces: tuple[str, ...] | None = None

    def compact(self) -> str:
        """Return it as the lines a model needs, one an edge."""
        lines = [_line(edge) for edge in self.edges]
        lines.append(f"{len(self.edges)} of {self.total}" + (f"; cursor={self.cursor}" if self.cursor else ""))
        return "\n".join(lines)


def _line(edge: Edge) -> str:
    weight = "" if edge.weight == 1 else f", weight {edge.weight:g}"
    certainty = "" if edge.certainty is Certainty.extracted else f", {edge.certainty.value}"
    said = f"{edge.origin.value} {edge.created_at:%Y-%m-%d}{weight}{certainty}"
    return f"{edge.source.named()} {edge.type.value} {edge.target.named()}; {said}"


@operation(Effect.READ, tool="memory_edges", http="GET /relations", toolset="graph")
async def edges(
    call: Call,
    memory: MemoryId | None = None,
    *,
    types: Types | None = None,
    namespaces: Places | None = None,
    origin: OriginOf | None = None,
    limit: EdgeLimit = 50,
    cursor: Cursor | None = None,
    max_tokens: WhatFits = None,
) -> Edges:
    """List edges, newest first.

    Both ends come with their titles and how many edges each has. With `memory` they are those at one; also those of
    retired and superseded memories are listed, whose status is shown. To follow edges use memory_graph.
    """
    wanted = frozenset(RelationType.parent_of if kind is RelationType.child_of else kind for kind in types or ())
    asked = [call.principal.name, memory, sorted(wanted), sorted(namespaces or ()), origin]
    return await call.ports.storage.read(
        lambda reader: _page(
            call,
            reader,
            _chosen(call, reader, memory, namespaces, types=wanted, origin=origin),
            asked,
            limit=limit,
            cursor=cursor,
            max_tokens=max_tokens,
        )
    )


def _chosen(
    call: Call,
    reader: Reader,
    memory: str | None,
    namespaces: list[str] | None,
    *,
    types: frozenset[RelationType],
    origin: Origin | None,
) -> EdgeSelection:
    """What was asked for: at a memory all of its edges in reach, else those that begin or end where reads look."""
    reach = reachable(call, reader)
    places = None if memory and not namespaces else named(reader.places(), call.principal, namespaces)
    return EdgeSelection(
        visible=reach,
        namespaces=None if places is None else frozenset(place.id for place in places),
        memories=(resolve_one(reader, memory, reach),) if memory else (),
        types=frozenset(kind.value for kind in types),
        origin=origin.value if origin else None,
    )


def _page(
    call: Call,
    reader: Reader,
    chosen: EdgeSelection,
    asked: Any,
    *,
    limit: int,
    cursor: str | None,
    max_tokens: int | None,
) -> Edges:
    key, now = reader.secret(), call.ports.now()
    after = redeem(key, cursor, purpose=_PURPOSE, call=asked, now=now)[0] if cursor else None
    found = reader.edges(replace(chosen, after=tuple(after) if after else None), limit + 1)
    shown = _fitting(_shown(call, reader, found[:limit], chosen.visible), max_tokens)
    last = found[len(shown) - 1] if len(found) > len(shown) else None
    state = [to_micros(last.created_at), *last.key] if last else None
    return Edges(
        edges=tuple(shown),
        total=reader.count_edges(chosen),
        cursor=issue(key, purpose=_PURPOSE, call=asked, state=state, now=now) if state else None,
        namespaces=_searched(call, reader, chosen),
    )


def _shown(call: Call, reader: Reader, found: Sequence[Relation], reach: Selection) -> list[Edge]:
    told = ends(call, reader, sorted({end for r in found for end in (r.source, r.target)}), reach)
    return [
        Edge(
            source=told[r.source],
            target=told[r.target],
            **r.model_dump(include={"type", "weight", "origin", "certainty", "created_at", "metadata"}),
        )
        for r in found
    ]


def _fitting(edges: list[Edge], tokens: int | None) -> list[Edge]:
    """Return as many as fit, at least one."""
    if tokens is None:
        return edges
    return edges[: max(1, sum(total <= tokens for total in accumulate(map(cost, edges))))]


def _searched(call: Call, reader: Reader, chosen: EdgeSelection) -> tuple[str, ...] | None:
    if call.principal.confined or chosen.namespaces is None:
        return None
    return tuple(place.namespace.path for place in reader.places() if place.id in chosen.namespaces)
