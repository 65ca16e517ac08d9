"""The write gate: what is nearly the same already, and whether this is an echo of what recall has just shown."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from bethink.domain import DERIVED, STRUCTURAL, Kind, Memory, Namespace
from bethink.operation import Call
from bethink.recall.selection import DEFAULT_STATUSES
from bethink.storage.protocol import Reader
from bethink.storage.values import Place, Question, Selection, Vector
from bethink.text.similarity import containment, overlap

from .facts import differs_in_fact
from .item import Item

# Measured on labelled pairs with the embedded model: bench/RESULTS.md, `dedup`. No cosine tells two texts that say the
# same from two that differ in a number; from 0.90 they are at least about the same matter, and words decide the rest.
DEDUP_THRESHOLD: Final = 0.90
HINT_THRESHOLD: Final = 0.80
# From here on pairs of statements belong to one matter about eight times as often as by chance: `related` there.
RELATED_THRESHOLD: Final = 0.65
ECHO_OVERLAP: Final = 0.80
ECHO_MICROS: Final = 86_400_000_000
_LOOKED_AT: Final = 10
_MOST_TERMS: Final = 256
MOST_HINTS: Final = 3


@dataclass(frozen=True, slots=True)
class Near:
    """A live memory that says nearly the same: how near, by which measure."""

    memory: Memory
    similarity: float
    basis: str


@dataclass(frozen=True, slots=True)
class Nearby:
    """Memories that may say the same, and others that are near enough to be related."""

    similar: tuple[Near, ...] = ()
    related: tuple[Near, ...] = ()

    def without(self, memory: str) -> Nearby:
        """Return the hints but for those of one memory."""
        return Nearby(*(tuple(n for n in hints if n.memory.id != memory) for hints in (self.similar, self.related)))

    def unlinked(self, reader: Reader, memory: str) -> Nearby:
        """Return the hints for a memory but for relations that it has already."""
        if not self.related:
            return self
        edges = reader.relations_between(memory, [n.memory.id for n in self.related])
        linked = {end for edge in edges for end in (edge.source, edge.target)}
        return Nearby(self.similar, tuple(n for n in self.related if n.memory.id not in linked))

    def memories(self) -> list[str]:
        """Return the ids of all of them."""
        return [n.memory.id for n in (*self.similar, *self.related)]


NOTHING_NEAR: Final = Nearby()


def near_memories(
    call: Call, reader: Reader, memory: Memory, *, place: Place, vector: Vector | None, terms: Iterable[str]
) -> list[Near]:
    """Return the live memories of the same namespace and family that are nearest, by `terms` without a `vector`."""
    question = Question((), vector, 50) if vector is not None else Question(most_telling(terms), None, 50)
    found = reader.candidates(question, _alike(call, memory, place))
    scores = (found.cosine if vector is not None else found.keyword).tolist()
    known = [place for place, score in enumerate(scores) if not math.isnan(score)]
    best = sorted(known, key=lambda place: (-scores[place], place))[:_LOOKED_AT]
    memories = reader.memories([int(found.numbers[place]) for place in best])
    if vector is not None:
        # Vectors are kept in bytes, so that the cosine of two that are one can come out a little over 1.
        return [Near(m, min(1.0, scores[place]), "cosine") for m, place in zip(memories, best, strict=True)]
    near = [Near(m, overlap(memory.content, m.content), "lexical") for m in memories]
    return sorted(near, key=lambda n: -n.similarity)


def most_telling(terms: Iterable[str]) -> tuple[str, ...]:
    """Return the terms to look for near texts with: of very many the longest, which are the rare ones."""
    return tuple(sorted(terms, key=lambda term: (-len(term), term))[:_MOST_TERMS])


def duplicate(near: list[Near], memory: Memory, namespace: Namespace) -> Near | None:
    """Return the nearest memory that says the same in other words: near enough, and no fact in it differs."""
    close = (n for n in near if n.similarity >= _threshold(namespace))
    return next((n for n in close if not differs_in_fact(memory.content, n.memory.content)), None)


def same_matter(near: list[Near], namespace: Namespace) -> Near | None:
    """Return the nearest memory that is about the same matter, though it may say something else of it."""
    return near[0] if near and near[0].similarity >= _threshold(namespace) else None


def hinted(near: Sequence[Near]) -> Nearby:
    """Return the few that are worth a caller's attention."""
    similar = [n for n in near if n.similarity >= HINT_THRESHOLD][:MOST_HINTS]
    others = [n for n in near if n.similarity >= RELATED_THRESHOLD and n not in similar]
    return Nearby(tuple(similar), tuple(others[:MOST_HINTS]))


def echo_of(call: Call, reader: Reader, item: Item, near: list[Near]) -> Memory | None:
    """Return the memory that this principal and agent were shown within a day and now store back nearly unchanged.

    What is given beside the text and differs from what was shown is something new.
    """
    principal = call.principal
    ids = [n.memory.id for n in near]
    agent = principal.agent or ""
    shown = reader.delivered(principal.name, agent, ids, call.ports.now() - ECHO_MICROS)
    shown |= call.ports.journal.delivered(principal.name, agent)
    return next((n.memory for n in near if n.memory.id in shown and _echoes(item, n.memory)), None)


def _echoes(item: Item, shown: Memory) -> bool:
    if item.news_to(shown):
        return False
    memory = item.memory
    same_words = containment(memory.content, shown.content) >= ECHO_OVERLAP
    return same_words and not differs_in_fact(memory.content, shown.content)


def _threshold(namespace: Namespace) -> float:
    return namespace.dedup_threshold or DEDUP_THRESHOLD


def _alike(call: Call, memory: Memory, place: Place) -> Selection:
    family = DERIVED if memory.kind in DERIVED else frozenset(Kind) - DERIVED - STRUCTURAL
    now = call.ports.now()
    return Selection(
        tenant=call.principal.tenant,
        now=now,
        namespaces=frozenset([place.id]),
        ceiling=call.principal.ceiling.rank,
        statuses=DEFAULT_STATUSES,
        valid_at=now,
        kinds=frozenset(k.value for k in family),
    )
