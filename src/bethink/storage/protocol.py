"""What a store must do: a snapshot to read from, a transaction to write in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import tzinfo
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from bethink.domain import Memory, Relation, Version
from bethink.storage.naming import Naming, NamingWriter
from bethink.storage.values import (
    Asker,
    Backlog,
    Candidates,
    Codes,
    Draft,
    EdgeSelection,
    Event,
    Gap,
    Glimpse,
    Holding,
    Job,
    Kept,
    Miss,
    Order,
    Outline,
    Piece,
    Place,
    Question,
    Selection,
    Space,
    Vector,
    Widen,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

T = TypeVar("T")


class Snapshot(Naming, Protocol):
    """What readers and writers see: every method sees the same state."""

    def places(self) -> list[Place]:
        """Return every namespace, by path."""
        ...

    def held(self, place: int) -> int:
        """Return how many memories a namespace holds, whatever their state."""
        ...

    def pinned(self, place: int) -> list[str]:
        """Return the ids of what is pinned in a namespace and in use, those first that were not read for longest."""
        ...

    def memories(self, numbers: Sequence[int]) -> list[Memory]:
        """Return memories by number, in the order asked for; numbers that are gone are left out."""
        ...

    def kept(self, ids: Sequence[str]) -> list[Kept]:
        """Return memories as they are kept, by id, in the order asked for; unknown ones are left out."""
        ...

    def resolve(self, text: str, selection: Selection) -> list[str]:
        """Return the ids that `text`, an id or a tail of one, may mean within reach; at most ten."""
        ...

    def numbers(self, ids: Sequence[str], selection: Selection) -> dict[str, int]:
        """Return the numbers of those ids that the selection admits."""
        ...

    def ids(self, numbers: Sequence[int]) -> list[str]:
        """Return the ids of those numbers, in the order asked for."""
        ...

    def current(self, numbers: Sequence[int], selection: Selection) -> dict[int, int]:
        """Return numbers, as they once were, with those that the memories have now, where admitted."""
        ...

    def handles(self, ids: Sequence[str], selection: Selection) -> dict[str, str]:
        """Return for each id its shortest tail, of at least 8 digits, that is unique within reach."""
        ...

    def page(self, selection: Selection, order: Order, limit: int) -> list[Memory]:
        """Return up to `limit` memories after the order's place."""
        ...

    def count(self, selection: Selection) -> int:
        """Return how many memories the selection admits."""
        ...

    def versions(self, memory: str) -> list[Version]:
        """Return the earlier states of a memory, oldest first."""
        ...

    def relations(self, memories: Sequence[str]) -> list[Relation]:
        """Return every edge that starts or ends at one of `memories`."""
        ...

    def relations_between(self, memory: str, others: Sequence[str]) -> list[Relation]:
        """Return the edges that join a memory with any of `others`; how many it has beside them costs nothing."""
        ...

    def edge(self, source: str, target: str, kind: str) -> Relation | None:
        """Return the edge of a triple, if it is there."""
        ...

    def neighbours(
        self,
        memory: str,
        selection: Selection,
        *,
        limit: int,
        types: frozenset[str] = frozenset(),
        outgoing: bool = True,
        incoming: bool = True,
    ) -> list[Relation]:
        """Return the first edges of a memory to what the selection admits; no types are all.

        Directional ones come before related_to and that before similar_to, then the heaviest and the newest first.
        """
        ...

    def degrees(self, memories: Sequence[str], selection: Selection) -> dict[str, int]:
        """Return how many edges each of `memories` has to what the selection admits."""
        ...

    def outlines(self, memories: Sequence[str]) -> dict[str, Outline]:
        """Return what names each of `memories` that is there."""
        ...

    def edges(self, chosen: EdgeSelection, limit: int) -> list[Relation]:
        """Return up to `limit` edges after the selection's place: the newest first, then by their ends."""
        ...

    def count_edges(self, chosen: EdgeSelection) -> int:
        """Return how many edges there are, whatever the place."""
        ...

    def without(self, embedder: Space, limit: int) -> list[Kept]:
        """Return the first memories, by number, that have no vector of this embedder."""
        ...

    def count_without(self, embedder: Space) -> int:
        """Return how many memories have no vector of this embedder."""
        ...

    def vector_of(self, memory: str) -> Vector | None:
        """Return the first vector of a memory in the space of the embedder in use, if it has one."""
        ...

    def children(self, memory: str, selection: Selection) -> list[Memory]:
        """Return the parts of a memory, in order, that the selection admits."""
        ...

    def by_identity(self, identity: bytes) -> str | None:
        """Return the id of the living memory with this identity."""
        ...

    def delivered(self, principal: str, agent: str, memories: Sequence[str], since: int) -> set[str]:
        """Return those of `memories` that a recall has shown to this principal and agent since then."""
        ...

    def gaps(self, asker: Asker, least: int) -> list[Gap]:
        """Return the questions that found nothing at least so often, the most frequent first, then the latest."""
        ...

    def oldest_log(self) -> int | None:
        """Return when the oldest of what was shown, or found nothing, and is still told apart happened."""
        ...

    def daily(self, what: str) -> int:
        """Return how much of what was logged is in the daily totals by now: `shown` or `missed`."""
        ...

    def secret(self) -> bytes:
        """Return the key of this store, with which it signs and hashes."""
        ...

    def embedder(self) -> Space | None:
        """Return the identity and dimensions of the embedder whose vectors are served, if any is."""
        ...

    def analyzer(self) -> int:
        """Return the version of the analyzer that the terms of the memories are of."""
        ...

    def beyond(self, number: int, limit: int) -> list[Kept]:
        """Return the first memories, by number, whose numbers are greater."""
        ...

    def reindexed(self) -> int:
        """Return the number up to which terms of another analyzer have been replaced; 0 where none have."""
        ...

    def has_due(self, kinds: Sequence[str], now: int) -> bool:
        """Say whether a job of these kinds waits that is due and held by nobody."""
        ...

    def facts(self) -> dict[str, Any]:
        """Return what is worth knowing about the store as a whole."""
        ...

    def holdings(self, selection: Selection) -> dict[int, Holding]:
        """Return what the admitted memories of each namespace come to; a namespace without any is left out."""
        ...

    def untouched(self, selection: Selection, since: int) -> int:
        """Count the admitted memories that were neither written, confirmed nor shown since then."""
        ...

    def backlog(self) -> list[Backlog]:
        """Return what waits in the queue, by kind of job."""
        ...

    def sizes(self) -> dict[str, int]:
        """Return the bytes of each part of what is kept, then those of the file and of the log beside it."""
        ...


class Reader(Snapshot, Protocol):
    """A snapshot that is searched too; a writer, whose turn is short, is not."""

    def candidates(self, question: Question, selection: Selection, *, widen: Widen | None = None) -> Candidates:
        """Gather what keyword and meaning find within the selection, and what `widen` names when it has seen that."""
        ...

    def unknown(self, terms: Sequence[str]) -> set[str]:
        """Return those of `terms` that no memory holds."""
        ...

    def terms_like(self, term: str) -> list[str]:
        """Return the terms of memories, in reach or not, with the same beginning and about the same length."""
        ...

    def likeness(self, numbers: Sequence[int], tokens: Codes) -> NDArray[np.float64]:
        """Return how like the most like of a memory's telling tokens is to each of a question's: (memories, tokens).

        It is the share of equal signs, from -1 for none over 0 for half to 1 for all; NaN for a memory without codes.
        """
        ...

    def rarity(self, terms: Sequence[str]) -> dict[str, float]:
        """Return how much each term tells, by how few of all memories hold it."""
        ...

    def vectors(self, memory: str, most: int) -> list[Vector]:
        """Return vectors of a memory in the space of the embedder in use: all, or `most` evenly over its text."""
        ...

    def glimpses(self, numbers: Sequence[int]) -> list[Glimpse]:
        """Return what hits show of memories, by number, in the order asked for; numbers that are gone are left out."""
        ...

    def tally(self, selection: Selection, by: str) -> dict[str | None, int]:
        """Count the admitted memories by one property, most first; None stands for those without it.

        A memory counts once for each of its tags, and each tag in the spelling that most have it in.
        """
        ...

    def months(self, selection: Selection, by: str, zone: tzinfo) -> dict[str, int]:
        """Count the admitted memories by the month, as it is in a zone, of one of their times, the latest first.

        The times are those in which they `occurred`, were `recorded_at` or `confirmed`, as in `spread`.
        """
        ...

    def spread(self, selection: Selection, by: str, bounds: Sequence[int]) -> list[int]:
        """Count the admitted memories before the first bound, between each two, and from the last on.

        The times are those in which they were recorded, or `confirmed`: never confirmed counts from the recording.
        """
        ...


class Writer(Snapshot, NamingWriter, Protocol):
    """One transaction: all of it is kept, or nothing."""

    def add_place(self, path: str, at: int) -> Place:
        """Create a namespace, or return the one that is there."""
        ...

    def change_place(self, path: str, settings: dict[str, Any]) -> None:
        """Keep `settings` as those of a namespace."""
        ...

    def add(self, draft: Draft) -> None:
        """Write a new memory with everything that belongs to it."""
        ...

    def revise(
        self, draft: Draft, *, text_changed: bool, changed: Sequence[str], by: str, reason: str | None, at: int
    ) -> None:
        """Write a memory's new state, keeping the one before as a version."""
        ...

    def relate(self, relation: Relation) -> None:
        """Draw an edge; the same triple stays the edge that is there."""
        ...

    def put_edge(self, relation: Relation) -> None:
        """Draw an edge, in place of the same triple where that is there."""
        ...

    def remove_edge(self, source: str, target: str, kind: str) -> None:
        """Take an edge away."""
        ...

    def erase(self, memories: Iterable[str]) -> None:
        """Remove memories and all that could tell their text."""
        ...

    def log(self, event: Event) -> None:
        """Append an event."""
        ...

    def enqueue(self, kind: str, memory: str | None, at: int) -> None:
        """Queue work; the same work waits once. Who has claimed it before does not finish what is queued now."""
        ...

    def claim(self, kinds: Sequence[str], now: int, lease: int) -> Job | None:
        """Take the oldest job that is due and held by nobody, for `lease` microseconds."""
        ...

    def finish(self, job: Job) -> None:
        """Take a job that is done off the queue."""
        ...

    def fail(self, job: Job, error: str, retry_at: int) -> None:
        """Put a job back with what went wrong."""
        ...

    def embed(self, number: int, pieces: Sequence[Piece], *, embedder: Space | None = None) -> None:
        """Give a memory vectors of an embedder, by default the one in use, in place of any it has of it."""
        ...

    def propose(self, kind: str, memory: str, other: str, evidence: dict[str, Any], at: int) -> None:
        """Put a change before the owner; the same one is put once."""
        ...

    def note_access(self, shown: Iterable[tuple[str, str, str, int]]) -> None:
        """Count reads and remember what was shown to whom: (principal, agent, memory, time)."""
        ...

    def note_gaps(self, missed: Iterable[Miss]) -> None:
        """Remember questions that found nothing."""
        ...

    def forget_gaps(self, keys: Sequence[str] | None, asked: Asker) -> list[str]:
        """Forget questions that found nothing by their keys, or all of an asker's; return the keys that there were."""
        ...

    def prune_logs(self, before: int) -> None:
        """Count what was shown and what found nothing before then into daily totals, and forget it."""
        ...

    def reindex(self, number: int, terms: dict[str, int], speaker: str | None) -> None:
        """Replace the terms of a memory, which may give it a new number after all others, and say so far it is done."""
        ...

    def use_analyzer(self, version: int) -> None:
        """Say that all terms are of this version."""
        ...

    def add_embedder(self, identity: str, dimensions: int) -> None:
        """Make an embedder known, so that vectors of it can be kept."""
        ...

    def use_embedder(self, identity: str, dimensions: int) -> None:
        """Serve the vectors of this embedder from now on, and drop all others."""
        ...


class Storage(Protocol):
    """A database that holds one tenant's memories."""

    async def read(self, work: Callable[[Reader], T]) -> T:
        """Run `work` on a snapshot."""
        ...

    async def write(self, work: Callable[[Writer], T]) -> T:
        """Run `work` in a transaction: all of it is kept, or nothing."""
        ...

    async def scrub(self) -> bool:
        """Take erased bytes out of the log too; False while a reader prevents it."""
        ...

    async def close(self) -> None:
        """Finish what runs and let go of the database."""
        ...
