"""The values that cross between a store and those who use it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from bethink.domain import Memory, Namespace, Source

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from bethink.text.mentions import Mention

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
    parent: str | None


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
    depth: int = 60
    required: tuple[str, ...] = ()
    speakers: tuple[str, ...] = ()
    among: tuple[int, ...] | None = None
    forms: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    unsure: Mapping[str, float] = field(default_factory=dict)
    spans: tuple[tuple[int, int], ...] = ()


def entries(wordings: NDArray[np.int64], documents: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return what is equal where memories take one place in an answer: they say the same, or are of one document."""
    import numpy as np

    return np.where(documents > 0, -documents, wordings)  # a wording, a hash, is as good as never that small


@dataclass(frozen=True, slots=True)
class Candidates:
    """What the sources found, one place a memory: raw evidence, nothing weighed. All arrays have the same length.

    `keyword` is the BM25 score, 0 where no term matched; `best_keyword` what a memory holding every term would get.
    `held` is the share of the question's terms, weighed by how rare they are, that the memory itself holds, 0..1.
    `cosine` is the best over its windows, `neighbour_cosine` the best over its windows each taken together with the two
    before it; NaN where there is no vector. `window` is where the window of the best cosine starts in the text.
    `words` is how far each word of the question finds its like among its words, NaN where that was not compared.
    `spoken` is 1 where the speaker is named in the question, else 0; where another candidate is, `by_others` is 1 for
    what somebody else says in a conversation. `by_assistant` is 1 for what an assistant says, where the question is
    about the one who asks. `threads` are equal in one thread, 0 in none.
    `wordings` are equal where the texts differ in case, spaces and sentence marks alone, `documents` where they are
    chunks of one, 0 where of none. `rarity` is how rare each term of the question is, as its inverse document
    frequency. `occurred` and `occurred_last` are the first and the last microsecond of what each is about, `confirmed`
    is when it was last said to hold, long before any time where never.
    `verification` and `volatility` are places in `VERIFICATIONS` and `Volatility`; `contradicted` says of which a newer
    memory, that the search covers, says the contrary. `linked` says, where that was asked for, how far what a memory
    mentions ties it to the question and its best hits, 0..1.
    """

    numbers: NDArray[np.int64]
    keyword: NDArray[np.float64]
    held: NDArray[np.float64]
    cosine: NDArray[np.float64]
    neighbour_cosine: NDArray[np.float64]
    window: NDArray[np.int64]
    spoken: NDArray[np.float64]
    by_others: NDArray[np.float64]
    by_assistant: NDArray[np.float64]
    words: NDArray[np.float64]
    threads: NDArray[np.int64]
    namespaces: NDArray[np.int64]
    wordings: NDArray[np.int64]
    documents: NDArray[np.int64]
    occurred: NDArray[np.int64]
    occurred_last: NDArray[np.int64]
    confirmed: NDArray[np.int64]
    confidence: NDArray[np.float64]
    verification: NDArray[np.uint8]
    volatility: NDArray[np.uint8]
    stale: NDArray[np.bool_]
    contradicted: NDArray[np.bool_]
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
