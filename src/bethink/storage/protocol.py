"""What a store must do: a snapshot to read from, a transaction to write in, and the values that cross."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import tzinfo
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar

from bethink.domain import Memory, Namespace, Relation, Source, Version
from bethink.storage.naming import Naming, NamingWriter

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from bethink.text.mentions import Mention

T = TypeVar("T")
Vector: TypeAlias = "NDArray[np.float32]"
Codes: TypeAlias = "NDArray[np.uint8]"
Space: TypeAlias = tuple[str, int]
"""The identity and the dimensions of an embedder: vectors of one space may be compared."""


@dataclass(frozen=True, slots=True)
class Selection:
    """Which memories count: what the caller may see, and what it asked for. Times are microseconds since the epoch.

    `namespaces` are those that were asked for, of those in `reach`; None is all. An edge counts for `has_relations`
    where the memory at its other end is in reach and under the ceiling. `entity` is a name, folded.
    """

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
    reach: frozenset[int] | None = None
    entity: str | None = None


@dataclass(frozen=True, slots=True)
class Glimpse:
    """What a hit shows of a memory. `occurred_at` is in microseconds since the epoch."""

    id: str
    kind: str
    title: str
    occurred_at: int
    status: str
    namespace: str
    content: str
    source: Source | None
    tags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """What a recall looks for: terms for the keyword index, a vector for the meaning; either may be missing.

    `forms` are what else finds a term: a memory counts each term by the best of it and its forms. `unsure` says of
    terms that may be no words what share of one each counts for where no memory holds it. `among` are the numbers of
    the memories to score, where they are chosen already. `spans` are times, from and up to: what occurred in them gives
    as many candidates of its own. `speakers` are terms of who is asked about, beside `terms`. What is found holds every
    one of the `required` terms.
    """

    terms: tuple[str, ...] = ()
    vector: Vector | None = None
    depth: int = 100
    required: tuple[str, ...] = ()
    speakers: tuple[str, ...] = ()
    among: tuple[int, ...] | None = None
    forms: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    unsure: Mapping[str, float] = field(default_factory=dict)
    spans: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Candidates:
    """What the sources found, one place a memory: raw evidence, nothing weighed. All arrays have the same length.

    `keyword` is the BM25 score, 0 where no term matched; `best_keyword` what a memory holding every term would get.
    `held` is the share of the question's terms, weighed by how rare they are, that the memory itself holds, 0..1.
    `cosine` is the best over its windows, `neighbour_cosine` the best over its windows each taken together with the two
    before it; NaN where there is no vector. `window` is where the window of the best cosine starts in the text.
    `words` is how far each word of the question finds its like among its words, NaN where that was not compared.
    `spoken` is 1 where the speaker is named in the question, else 0. `threads` are equal in one thread, 0 in none.
    `wordings` are equal where the texts differ in case and white space alone. `rarity` is how rare each term of the
    question is, as its inverse document frequency. `occurred` and `occurred_last` are the first and the last
    microsecond of what each is about. `linked` says, where that was asked for, how far what a memory mentions ties it
    to the question and its best hits, 0..1.
    """

    numbers: NDArray[np.int64]
    keyword: NDArray[np.float64]
    held: NDArray[np.float64]
    cosine: NDArray[np.float64]
    neighbour_cosine: NDArray[np.float64]
    window: NDArray[np.int64]
    spoken: NDArray[np.float64]
    words: NDArray[np.float64]
    threads: NDArray[np.int64]
    namespaces: NDArray[np.int64]
    wordings: NDArray[np.int64]
    occurred: NDArray[np.int64]
    occurred_last: NDArray[np.int64]
    best_keyword: float
    rarity: Mapping[str, float]
    size: int
    linked: NDArray[np.float64] | None = None


Widen: TypeAlias = Callable[[Candidates], Sequence[int]]
"""What sees the candidates and returns the numbers of memories to take up beside them."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One vector of a memory, and which characters of the content it stands for.

    `tokens` are the codes of its telling tokens, one after the other, each one bit a dimension of the vector.
    """

    start: int
    stop: int
    vector: Vector
    tokens: bytes | None = None


@dataclass(frozen=True, slots=True)
class Draft:
    """A memory about to be written: its fields, what the indexes need. Without vectors it is queued for embedding.

    `speaker` are the terms of the name of who speaks in it, with spaces between; `mentions` what it speaks of.
    """

    memory: Memory
    namespace: int
    identity: bytes | None
    wording: int
    given: frozenset[str]
    terms: dict[str, int]
    speaker: str | None
    pieces: tuple[Piece, ...] | None
    mentions: tuple[Mention, ...] = ()


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
class Miss:
    """A question that found nothing: who asked, and from where; `key` is the same for the same question."""

    principal: str
    place: str
    query: str
    key: str
    at: int


@dataclass(frozen=True, slots=True)
class Asker:
    """Whose questions count: those of one principal, or of all that asked from some places, or from any."""

    principal: str | None = None
    places: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class Gap:
    """A question that found nothing, in the words of the last time, how often, and when first and last."""

    key: str
    query: str
    places: tuple[str, ...]
    count: int
    first: int
    last: int


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
class Holding:
    """What some memories of one namespace come to.

    `live` are neither retired nor superseded, `pending` wait for vectors, `bytes` are those of their texts with what
    came with them; the last write is in microseconds since the epoch.
    """

    memories: int
    live: int
    retired: int
    pending: int
    bytes: int
    last_write: int


@dataclass(frozen=True, slots=True)
class Backlog:
    """What waits of one kind of job: untried, failed before, and since when the oldest untried one has been due."""

    kind: str
    waiting: int
    failed: int
    since: int | None


@dataclass(frozen=True, slots=True)
class Order:
    """How a list is sorted, and where it continues: after the memory with this sort value and id."""

    by: str
    descending: bool
    after: tuple[Any, str] | None = None


@dataclass(frozen=True, slots=True)
class EdgeSelection:
    """Which edges count: those whose ends are both `visible`, and of which one is in `namespaces` and in `memories`.

    None and empty ask for nothing of that. `after` is the edge, as it sorts, that the last page ended with.
    """

    visible: Selection
    namespaces: frozenset[int] | None = None
    memories: tuple[str, ...] = ()
    types: frozenset[str] = frozenset()
    origin: str | None = None
    after: tuple[int, str, str, str] | None = None


@dataclass(frozen=True, slots=True)
class Outline:
    """What names a memory at the end of an edge."""

    id: str
    kind: str
    title: str
    status: str
    namespace: str
    occurred_at: int


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
