"""What a store must do: a snapshot to read from, a transaction to write in, and the values that cross."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from bethink.domain import Memory, Namespace, Relation, Version

T = TypeVar("T")
Vector = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Selection:
    """Which memories count: what the caller may see, and what it asked for. Times are microseconds since the epoch."""

    tenant: int
    now: int
    namespaces: frozenset[int] | None
    ceiling: int
    statuses: frozenset[str]
    valid_at: int | None
    expired: bool | None = False
    kinds: frozenset[str] | None = None
    since: int | None = None
    until: int | None = None
    tags: tuple[str, ...] = ()
    tags_any: tuple[str, ...] = ()
    equal: tuple[tuple[str, Any], ...] = ()
    at_least: tuple[tuple[str, Any], ...] = ()
    below: tuple[tuple[str, Any], ...] = ()
    subtypes: tuple[str, ...] = ()
    source: tuple[tuple[str, str], ...] = ()
    levels: frozenset[str] | None = None
    has_relations: bool | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """What a recall looks for: terms for the keyword index, a vector for the meaning; either may be missing."""

    terms: tuple[str, ...] = ()
    vector: Vector | None = None
    depth: int = 200


@dataclass(frozen=True, slots=True)
class Candidates:
    """What the sources found, one place a memory: raw evidence, nothing weighed. All arrays have the same length.

    `keyword` is the BM25 score, 0 where no term matched; `best_keyword` what a memory holding every term would get.
    `cosine` is the best over its windows, `neighbour_cosine` the best over its windows each taken together with the two
    before it; NaN where there is no vector. `window` is where the window of the best cosine starts in the text.
    """

    numbers: NDArray[np.int64]
    keyword: NDArray[np.float64]
    cosine: NDArray[np.float64]
    neighbour_cosine: NDArray[np.float64]
    window: NDArray[np.int64]
    namespaces: NDArray[np.int64]
    best_keyword: float
    size: int


@dataclass(frozen=True, slots=True)
class Piece:
    """One vector of a memory, and which characters of the content it stands for."""

    start: int
    stop: int
    vector: Vector


@dataclass(frozen=True, slots=True)
class Draft:
    """A memory about to be written: its fields, and what the indexes need. Without vectors it is queued for embedding."""

    memory: Memory
    namespace: int
    identity: bytes | None
    given: frozenset[str]
    terms: dict[str, int]
    pieces: tuple[Piece, ...] | None


@dataclass(frozen=True, slots=True)
class Kept:
    """A memory as it is kept: where, and which of its fields were given rather than derived."""

    number: int
    namespace: int
    memory: Memory
    given: frozenset[str]


@dataclass(frozen=True, slots=True)
class Event:
    """One line of the log: who did what to which memories, without any text."""

    at: int
    operation: str
    principal: str
    agent: str | None
    memories: tuple[str, ...]
    fields: tuple[str, ...] = ()
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Job:
    """Work that waits, claimed under a lease."""

    id: int
    kind: str
    memory: str | None
    payload: dict[str, Any] = field(default_factory=dict)
    attempts: int = 0


@dataclass(frozen=True, slots=True)
class Place:
    """A namespace as the store knows it."""

    id: int
    namespace: Namespace


@dataclass(frozen=True, slots=True)
class Order:
    """How a list is sorted, and where it continues: after the memory with this sort value and id."""

    by: str
    descending: bool
    after: tuple[Any, str] | None = None


class Reader(Protocol):
    """One consistent snapshot; every method sees the same state."""

    def places(self) -> list[Place]: ...
    def held(self, place: int) -> int: ...
    def candidates(self, question: Question, selection: Selection) -> Candidates: ...
    def memories(self, numbers: Sequence[int]) -> list[Memory]: ...
    def kept(self, ids: Sequence[str]) -> list[Kept]: ...
    def resolve(self, text: str, selection: Selection) -> list[str]: ...
    def numbers(self, ids: Sequence[str], selection: Selection) -> dict[str, int]: ...
    def current(self, numbers: Sequence[int], selection: Selection) -> dict[int, int]: ...
    def handles(self, ids: Sequence[str], selection: Selection) -> dict[str, str]: ...
    def page(self, selection: Selection, order: Order, limit: int) -> list[Memory]: ...
    def count(self, selection: Selection) -> int: ...
    def tally(self, selection: Selection, by: str) -> dict[str, int]: ...
    def versions(self, memory: str) -> list[Version]: ...
    def relations(self, memories: Sequence[str]) -> list[Relation]: ...
    def without(self, embedder: str, limit: int) -> list[Kept]: ...
    def count_without(self, embedder: str) -> int: ...
    def vector_of(self, memory: str) -> Vector | None: ...
    def children(self, memory: str, selection: Selection) -> list[Memory]: ...
    def by_identity(self, identity: bytes) -> str | None: ...
    def delivered(self, principal: str, agent: str, memories: Sequence[str], since: int) -> set[str]: ...
    def secret(self) -> bytes: ...
    def embedder(self) -> tuple[str, int] | None: ...
    def has_due(self, kinds: Sequence[str], now: int) -> bool: ...
    def facts(self) -> dict[str, Any]: ...


class Writer(Reader, Protocol):
    """One transaction: all of it is kept, or nothing."""

    def add_place(self, path: str, at: int) -> Place: ...
    def change_place(self, path: str, settings: dict[str, Any]) -> None: ...
    def add(self, draft: Draft) -> None: ...
    def revise(
        self, draft: Draft, *, text_changed: bool, changed: Sequence[str], by: str, reason: str | None, at: int
    ) -> None: ...
    def relate(self, relation: Relation) -> None: ...
    def erase(self, memories: Iterable[str]) -> None: ...
    def log(self, event: Event) -> None: ...
    def enqueue(self, kind: str, memory: str | None, at: int) -> None: ...
    def claim(self, kinds: Sequence[str], now: int, lease: int) -> Job | None: ...
    def finish(self, job: Job) -> None: ...
    def fail(self, job: Job, error: str, retry_at: int) -> None: ...
    def embed(self, number: int, pieces: Sequence[Piece], *, embedder: str | None = None) -> None: ...
    def propose(self, kind: str, memory: str, other: str, evidence: dict[str, Any], at: int) -> None: ...
    def note_access(self, shown: Iterable[tuple[str, str, str, int]]) -> None: ...
    def note_gap(self, query: str, at: int) -> None: ...
    def add_embedder(self, identity: str, dimensions: int) -> None: ...
    def use_embedder(self, identity: str, dimensions: int) -> None: ...


class Storage(Protocol):
    """A database that holds one tenant's memories."""

    async def read(self, work: Callable[[Reader], T]) -> T: ...
    async def write(self, work: Callable[[Writer], T]) -> T: ...
    async def scrub(self) -> bool: ...
    async def close(self) -> None: ...
