"""What a store must do about entities, the names that memories mention: part of its contract."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from bethink.text.mentions import Mention

    from .values import Selection


@dataclass(frozen=True, slots=True)
class Name:
    """One spelling of an entity's name, and how many of the admitted memories hold it.

    `chosen` is 1 where a merge made it the name of the entity, 2 where a rename did; `folded` is how it is compared.
    """

    entity: int
    place: int
    folded: str
    spelled: str
    kind: str
    chosen: int
    memories: int


@dataclass(frozen=True, slots=True)
class Tie:
    """A typed edge between two entities, by their folded names, and the number of the memory that says it."""

    source: str
    target: str
    type: str
    number: int


class Naming(Protocol):
    """What a snapshot tells of entities."""

    def names(
        self, selection: Selection, *, folded: Sequence[str] | None = None, entities: Sequence[int] | None = None
    ) -> list[Name]:
        """Return the names of entities that the admitted memories hold, by entity; a chosen one though none holds it.

        Of all entities, of `entities`, or of those that one of the names `folded` stands for.
        """
        ...

    def entities_named(self, folded: Sequence[str], selection: Selection) -> list[int]:
        """Return the entities that have one of these names, as far as a memory in reach holds it."""
        ...

    def names_like(self, folded: str, selection: Selection) -> list[str]:
        """Return the names in reach that begin as a folded one does and are about as long: it may be a slip of one."""
        ...

    def counted(self, entities: Sequence[int], selection: Selection) -> dict[int, int]:
        """Return how many of the admitted memories mention each entity, by any of its names."""
        ...

    def count_nameless(self, selection: Selection) -> int:
        """Return how many of the admitted memories mention nothing."""
        ...

    def mentioning(self, entities: Sequence[int], selection: Selection, most: int) -> list[tuple[int, int]]:
        """Return (entity, number of an admitted memory that mentions it), of each entity up to `most`, the newest."""
        ...

    def mentioned(self, numbers: Sequence[int]) -> list[tuple[int, int]]:
        """Return (number, entity that this memory mentions)."""
        ...

    def ties(self, entities: Sequence[int], selection: Selection) -> list[Tie]:
        """Return the edges that admitted memories say of entities, in order."""
        ...


class NamingWriter(Protocol):
    """What a transaction changes of entities."""

    def say(self, memory: str, mentions: Sequence[Mention], ties: Sequence[tuple[Mention, str, Mention]]) -> None:
        """Keep what a caller says that a memory mentions, and of edges, in place of what one said before."""
        ...

    def merge_entities(self, target: int, others: Sequence[int], name: str) -> None:
        """Give all names of others to `target`, whose name is the folded `name` from now on."""
        ...

    def rename_entity(self, entity: int, mention: Mention) -> None:
        """Give an entity another name; the names that it had stay names of it."""
        ...
