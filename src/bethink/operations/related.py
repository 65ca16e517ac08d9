"""Find what is near to one memory."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import accumulate
from typing import Annotated, Any, Final, Literal, Unpack

from bethink.domain import STRUCTURAL, Memory, Status, Value, from_micros
from bethink.operation import Call, Effect, operation
from bethink.recall.budget import cost
from bethink.recall.handles import resolve_one
from bethink.recall.selection import choose, reachable
from bethink.storage.protocol import Reader
from bethink.storage.values import Glimpse, Kept, Question, Selection, Vector
from bethink.text.analyzer import query_terms
from bethink.text.cut import shorten
from bethink.text.times import age
from bethink.vocabulary import Filters, Fraction, Limit, MemoryId, WhatFits, about

_SUMMARY: Final = 200
_MOST_VECTORS: Final = 8
_MOST_TERMS: Final = 32
_MOST_WEIGHED: Final = 256  # the longest words: they are the rare ones
_WITHOUT_VECTORS: Final = "0"
_LINKED: Final = (40, 1_000)  # of the nearest so many may be linked already: seldom many are
_READ: Final = 20_000  # characters from which the terms are taken: each word of a long text tells little

MinSimilarity = Annotated[Fraction, about("Only from this similarity, 0..1.")]
Unlinked = Annotated[bool, about("Leave out what an edge joins to it already.")]


class Relative(Value):
    """A memory near to another: `similarity` is the cosine of their meanings, or, by keyword, the share of its words.

    `linked` names the types of the edges that join the two.
    """

    handle: str
    kind: str
    title: str
    text: str
    similarity: float
    by: Literal["meaning", "keyword"]
    linked: tuple[str, ...] = ()
    namespace: str | None = None
    tags: tuple[str, ...] = ()
    occurred_at: datetime | None = None
    age: str | None = None
    status: str | None = None


class Relatives(Value):
    """The memories nearest to the one asked about, nearest first; `skipped` says what could not be compared."""

    handle: str
    memories: tuple[Relative, ...]
    more: int = 0
    skipped: tuple[str, ...] = ()
    namespaces: tuple[str, ...] | None = None

    def compact(self) -> str:
        """Return it as the lines a model needs, one or two a memory."""
        lines = [_line(memory) for memory in self.memories] or [f"nothing is near to {self.handle}"]
        lines += [f"{self.more} more did not fit into max_tokens"] if self.more else []
        return "\n".join([*lines, *(f"not compared: {reason}" for reason in self.skipped)])


def _line(near: Relative) -> str:
    linked = f"linked: {', '.join(near.linked)}" if near.linked else None
    facts = ", ".join(filter(None, [near.kind, near.age, near.namespace, near.status, linked]))
    tags = "".join(f" #{tag}" for tag in near.tags)
    text = f": {near.text}" if near.text != near.title else ""
    return f"[{near.handle}] {near.title} ({facts}; {near.by} {near.similarity}){tags}{text}"


@operation(Effect.READ, tool="memory_related", http="GET /memories/related", toolset="read")
async def related(
    call: Call,
    id: MemoryId,  # noqa: A002  # the parameter's name
    *,
    limit: Limit = 10,
    min_similarity: MinSimilarity = 0.0,
    unlinked: Unlinked = False,
    max_tokens: WhatFits = None,
    **filters: Unpack[Filters],
) -> Relatives:
    """Find the memories nearest to a given one: what it repeats, what it contradicts, what it could be linked to.

    Compared by meaning, or by words where there are no vectors; each result says which. For a question use
    memory_recall.
    """
    return await call.ports.storage.read(
        lambda reader: _related(
            call, reader, id, filters, limit=limit, least=min_similarity, unlinked=unlinked, tokens=max_tokens
        )
    )


def _related(
    call: Call,
    reader: Reader,
    text: str,
    filters: Mapping[str, Any],
    *,
    limit: int,
    least: float,
    unlinked: bool,
    tokens: int | None,
) -> Relatives:
    reach = reachable(call, reader)
    (of,) = reader.kept([resolve_one(reader, text, reach)])
    chosen = choose(call, reader, filters, structural=of.memory.kind in STRUCTURAL)
    vectors = reader.vectors(of.memory.id, _MOST_VECTORS)
    wanted = _Wanted(limit, least, unlinked)
    near, passed_over = _found(reader, of, vectors, chosen.selection, wanted)
    rows = _rows(call, reader, near, reach)
    fit = len(rows) if tokens is None else sum(total <= tokens for total in accumulate(map(cost, rows)))
    return Relatives(
        handle=reader.handles([of.memory.id], reach)[of.memory.id],
        memories=tuple(rows[:fit]),
        more=len(rows) - fit,
        skipped=(*(() if vectors else ("meaning: this memory has no vectors",)), *passed_over),
        namespaces=None if call.principal.confined else chosen.namespaces,
    )


@dataclass(frozen=True, slots=True)
class _Wanted:
    """How many, how near at least, and whether only what no edge joins."""

    limit: int
    least: float
    unlinked: bool


@dataclass(frozen=True, slots=True)
class _Near:
    """A memory that is near, by meaning or by words, and the types of the edges that join the two."""

    number: int
    by_meaning: bool
    similarity: float
    linked: tuple[str, ...] = ()


def _found(
    reader: Reader, of: Kept, vectors: Sequence[Vector], selection: Selection, wanted: _Wanted
) -> tuple[list[_Near], tuple[str, ...]]:
    """The nearest that are wanted, and what was not looked at where nearly all that is near is linked."""
    for extra in _LINKED if wanted.unlinked else (0,):
        depth = wanted.limit + extra
        near = _nearest(reader, of, vectors, selection, depth=depth + 1)  # it is the nearest to itself
        close = [one for one in near if one.number != of.number and one.similarity >= wanted.least]
        linked = _linked(reader, of.memory.id, close[:depth])
        kept = [one for one in linked if not (wanted.unlinked and one.linked)][: wanted.limit]
        if len(kept) == wanted.limit or len(close) < depth:
            return kept, ()
    return kept, (f"what is less near than {depth:,} others, of which nearly all are linked",)


def _linked(reader: Reader, memory: str, near: Sequence[_Near]) -> list[_Near]:
    """What is near, each with the types of its edges to the memory: the others of that are not read."""
    ids = dict(zip((one.number for one in near), reader.ids([one.number for one in near]), strict=True))
    links: defaultdict[str, list[str]] = defaultdict(list)
    for edge in reader.relations_between(memory, list(ids.values())):
        links[edge.target if edge.source == memory else edge.source].append(edge.type)
    return [replace(one, linked=tuple(links[ids[one.number]])) for one in near]


def _nearest(reader: Reader, of: Kept, vectors: Sequence[Vector], selection: Selection, *, depth: int) -> list[_Near]:
    """What is near; what is compared by meaning comes first."""
    found: dict[int, tuple[bool, float]] = {}
    by_words = not vectors or _WITHOUT_VECTORS in reader.tally(selection, "embedded")
    terms = _terms(reader, of.memory) if by_words else ()
    first = Question(terms, next(iter(vectors), None), depth)
    for question in [first, *(Question((), vector, depth) for vector in vectors[1:])]:
        near = reader.candidates(question, selection)
        evidence = zip(near.numbers.tolist(), near.cosine.tolist(), near.held.tolist(), strict=True)
        for number, cosine, held in evidence:
            said = (False, held) if math.isnan(cosine) else (True, cosine)
            found[number] = max(found.get(number, (False, 0.0)), said)
    ranked = sorted(found.items(), key=lambda one: (not one[1][0], -one[1][1], one[0]))
    return [_Near(number, by_meaning, value) for number, (by_meaning, value) in ranked if value > 0]


def _terms(reader: Reader, memory: Memory) -> tuple[str, ...]:
    """The words of a memory that tell most."""
    terms = query_terms(f"{memory.title}\n{memory.content[:_READ]}")
    terms = sorted(terms, key=lambda term: (-len(term), term))[:_MOST_WEIGHED]
    rarity = reader.rarity(terms)
    return tuple(sorted(terms, key=lambda term: (-rarity[term], term))[:_MOST_TERMS])


def _rows(call: Call, reader: Reader, near: Sequence[_Near], reach: Selection) -> list[Relative]:
    memories = reader.glimpses([one.number for one in near])
    handles = reader.handles([memory.id for memory in memories], reach)
    return [_row(call, memory, handles[memory.id], one) for memory, one in zip(memories, near, strict=True)]


def _row(call: Call, memory: Glimpse, handle: str, near: _Near) -> Relative:
    return Relative(
        handle=handle,
        kind=memory.kind,
        title=memory.title,
        text=shorten(memory.content, _SUMMARY),
        similarity=round(min(near.similarity, 1.0), 4),
        by="meaning" if near.by_meaning else "keyword",
        linked=near.linked,
        namespace=None if call.principal.confined else memory.namespace,
        tags=memory.tags,
        occurred_at=from_micros(memory.occurred_at),
        age=age(memory.occurred_at, call.ports.now()),
        status=None if memory.status == Status.active else memory.status,
    )
