"""What becomes of edges that are deleted, retyped or reversed: worked out whole before anything is written."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from enum import StrEnum

from bethink.domain import Certainty, Relation, RelationType
from bethink.storage.protocol import Snapshot
from bethink.storage.values import Selection

from .asked import SUPERSEDES, Asked, Key


class Outcome(StrEnum):
    """What became of one edge."""

    deleted = "deleted"
    retyped = "retyped"
    reversed = "reversed"
    merged = "merged"
    unchanged = "unchanged"
    not_found = "not_found"
    skipped = "skipped"


@dataclass(frozen=True, slots=True)
class Change:
    """What becomes of one edge; `after` is what stands in its place, if anything does."""

    outcome: Outcome
    before: Key | None = None
    after: Key | None = None


@dataclass(slots=True)
class Mending:
    """The edges as they are to be: those that were looked at, None where there is none any more."""

    reader: Snapshot
    there: dict[Key, Relation | None] = field(default_factory=dict)
    was: dict[Key, Relation | None] = field(default_factory=dict)

    def edge(self, key: Key) -> Relation | None:
        """Return an edge as it is to be."""
        if key not in self.there:
            self.there[key] = self.was[key] = self.reader.edge(*key)
        return self.there[key]

    @property
    def removed(self) -> list[Key]:
        """The edges that are to go."""
        return [key for key, edge in self.there.items() if edge is None and self.was[key] is not None]

    @property
    def put(self) -> list[Relation]:
        """The edges that are new or not as they were."""
        return [edge for key, edge in self.there.items() if edge is not None and edge != self.was[key]]

    @property
    def added(self) -> list[Key]:
        """The edges that are to be where there was none."""
        return [edge.key for edge in self.put if self.was[edge.key] is None]

    def freed(self, everything: Selection) -> list[str]:
        """Return the memories that nothing supersedes any more."""
        targets = {target: None for _, target, kind in self.removed if kind is RelationType.supersedes}
        return [target for target in targets if not self._is_superseded(target, everything)]

    def apply(self, asked: Asked, writes: Collection[str], *, retype: RelationType | None, reverse: bool) -> Change:
        """Delete an edge, or move it to where its new type or direction puts it."""
        edge = self.edge(asked.key)
        if edge is None:
            return Change(Outcome.not_found)
        moves = retype is not None or reverse
        wanted = asked.changed(retype=retype, reverse=reverse) if moves else asked
        if wanted.key == asked.key and moves:
            return Change(Outcome.unchanged, edge.key, edge.key)
        if not asked.touched | wanted.touched <= frozenset(writes):
            return Change(Outcome.skipped, edge.key, edge.key)
        self.there[edge.key] = None
        if not moves:
            return Change(Outcome.deleted, edge.key)
        return self._move(edge, wanted.key)

    def _is_superseded(self, memory: str, everything: Selection) -> bool:
        if any(key[1:] == (memory, RelationType.supersedes) for key in self.added):
            return True
        by = self.reader.neighbours(memory, everything, limit=len(self.removed) + 1, types=SUPERSEDES, outgoing=False)
        return any(edge.key not in self.removed for edge in by)

    def _move(self, edge: Relation, key: Key) -> Change:
        other = self.edge(key)
        source, target, kind = key
        moved = edge.model_copy(
            update={"source": source, "target": target, "type": kind, "certainty": Certainty.extracted}
        )
        self.there[key] = moved if other is None else _merged(other, moved)
        outcome = Outcome.merged if other else Outcome.retyped if kind is not edge.type else Outcome.reversed
        return Change(outcome, edge.key, key)


def _merged(one: Relation, other: Relation) -> Relation:
    """Two edges as one: as old as the older, as strong as the stronger, with what both say."""
    return one.model_copy(
        update={
            "created_at": min(one.created_at, other.created_at),
            "weight": max(one.weight, other.weight),
            "certainty": Certainty.extracted,
            "metadata": {**(other.metadata or {}), **(one.metadata or {})} or None,
        }
    )
