"""Edges as a call names them: their ends resolved, `child_of` read from the other end, what is unsound refused."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Final, TypeAlias

from bethink.domain import RelationType
from bethink.errors import InvalidRequest
from bethink.recall.handles import EXACT, resolve_all, resolve_one
from bethink.storage.protocol import Snapshot
from bethink.storage.values import Selection

Key: TypeAlias = tuple[str, str, RelationType]

SUPERSEDES: Final = frozenset({RelationType.supersedes.value})
_EVERY: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Asked:
    """An edge as a call names it, by the ids of its ends."""

    source: str
    target: str
    type: RelationType

    @property
    def key(self) -> Key:
        """The edge as it is kept: who is the child of somebody is kept as whose parent that is."""
        if self.type is RelationType.child_of:
            return self.target, self.source, RelationType.parent_of
        return self.source, self.target, self.type

    @property
    def touched(self) -> frozenset[str]:
        """The memories that drawing it or taking it away changes, as who calls means it."""
        return frozenset({self.source, self.target} if self.type is RelationType.supersedes else {self.source})

    def changed(self, *, retype: RelationType | None, reverse: bool) -> Asked:
        """Return the edge of another type or read the other way."""
        source, target = (self.target, self.source) if reverse else (self.source, self.target)
        return Asked(source, target, retype or self.type)


def resolved(reader: Snapshot, source: str, target: str, kind: RelationType, reach: Selection) -> Asked | None:
    """Return an edge by what names its ends; None where one of them is not in reach."""
    found = [resolve_all(reader, [text], reach, least=EXACT)[0] for text in (source, target)]
    return Asked(found[0][0], found[1][0], kind) if all(found) else None


def drawable(reader: Snapshot, source: str, target: str, kind: RelationType, reach: Selection) -> Asked:
    """Return an edge that can be drawn; an end out of reach is refused like one that never was."""
    start, end = (resolve_one(reader, text, reach, least=EXACT) for text in (source, target))
    asked = Asked(start, end, kind)
    if asked.source == asked.target:
        raise InvalidRequest(
            f"{source!r} and {target!r} are one memory, which has no edge to itself", hint="Name two memories."
        )
    return asked


def check_no_circle(
    reader: Snapshot, added: Collection[Key], reach: Selection, *, removed: Collection[Key] = ()
) -> None:
    """Refuse edges after which a memory would supersede itself by way of others."""
    drawn = [key for key in added if key[2] is RelationType.supersedes]

    def superseded_by(memory: str) -> set[str]:
        edges = reader.neighbours(memory, reach, limit=_EVERY, types=SUPERSEDES, incoming=False)
        return {r.target for r in edges if r.key not in removed} | {t for s, t, _ in drawn if s == memory}

    for source, target, _ in drawn:
        if source in _closure(target, superseded_by):
            raise InvalidRequest(
                f"memory {target} supersedes {source} already, itself or by way of others",
                hint="Check which of the two is the newer; memory_unrelate with reverse turns an edge round.",
            )


def _closure(start: str, onward: Callable[[str], set[str]]) -> set[str]:
    """Return everything that one leads to, itself included."""
    seen, waiting = {start}, [start]
    while waiting:
        fresh = onward(waiting.pop()) - seen
        waiting += fresh
        seen |= fresh
    return seen
