"""The values that Bethink deals in: frozen, typed, the same in the library and on every surface."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any, Final

from pydantic import BaseModel, ConfigDict

from .principal import AccessLevel

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def from_micros(micros: int) -> datetime:
    """Return the UTC time `micros` microseconds after the epoch."""
    return EPOCH + timedelta(microseconds=micros)


def to_micros(time: datetime) -> int:
    """Return the microseconds from the epoch to an aware `time`."""
    return (time - EPOCH) // timedelta(microseconds=1)


class Kind(StrEnum):
    """What sort of memory it is."""

    fact = "fact"
    decision = "decision"
    pattern = "pattern"
    bug = "bug"
    architecture = "architecture"
    preference = "preference"
    workflow = "workflow"
    context = "context"
    learning = "learning"
    lesson = "lesson"
    incident = "incident"
    meeting = "meeting"
    observation = "observation"
    insight = "insight"
    document = "document"
    chunk = "chunk"
    conversation = "conversation"
    turn = "turn"
    session = "session"
    session_state = "session_state"


DERIVED = frozenset({Kind.observation, Kind.insight})
STRUCTURAL = frozenset({Kind.document, Kind.chunk, Kind.conversation, Kind.turn, Kind.session, Kind.session_state})
AUTHORED = tuple(kind for kind in Kind if kind not in DERIVED | STRUCTURAL)
NEVER_DEDUPLICATED = frozenset({Kind.turn, Kind.chunk, Kind.session, Kind.session_state})


class Status(StrEnum):
    """Whether Bethink counts on a memory; all but active and stale leave default reads."""

    active = "active"
    stale = "stale"
    deprecated = "deprecated"
    superseded = "superseded"
    retired = "retired"


class Verification(StrEnum):
    """How the content was checked."""

    source_verified = "source_verified"
    tool_verified = "tool_verified"
    asserted = "asserted"
    unverified = "unverified"


CHECKED: Final = frozenset({Verification.source_verified, Verification.tool_verified})
"""What a source or a tool confirmed."""
VERIFICATIONS: Final = (None, *Verification)
"""Every way, and none."""


class Level(StrEnum):
    """Trust in four words, derived from status and verification; lowest first."""

    deprecated = "deprecated"
    stale = "stale"
    inferred = "inferred"
    verified = "verified"


def level_of(status: Status, *, checked: bool) -> Level:
    """Return the level of a memory by its status and whether a source or a tool confirmed it."""
    if status in (Status.deprecated, Status.superseded, Status.retired):
        return Level.deprecated
    if status is Status.stale:
        return Level.stale
    return Level.verified if checked else Level.inferred


class Origin(StrEnum):
    """How a memory came to be; set by Bethink."""

    authored = "authored"
    imported = "imported"
    extracted = "extracted"
    ingested = "ingested"
    consolidated = "consolidated"
    reflected = "reflected"
    synced = "synced"


class Volatility(StrEnum):
    """How fast a memory goes out of date."""

    volatile = "volatile"
    normal = "normal"
    stable = "stable"


class Value(BaseModel):
    """A frozen value that refuses fields it does not have."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_enum_values=False)


class Source(Value):
    """Where a memory came from; every part is optional."""

    type: str | None = None
    id: str | None = None
    path: str | None = None
    url: str | None = None
    repo: str | None = None
    thread: str | None = None
    tool_call: str | None = None
    language: str | None = None
    folder: str | None = None
    workspace: str | None = None


class Evidence(Value):
    """A quote that supports a memory, from a URL or another memory."""

    quote: str
    url: str | None = None
    memory: str | None = None
    seen_at: datetime | None = None


class Memory(Value):
    """One stored unit of knowledge with its metadata; times are aware and in UTC.

    The namespace is empty where the caller may not know it: a confined principal is never told.
    """

    id: str
    namespace: str = ""
    kind: Kind
    subtype: str | None = None
    title: str
    content: str
    context: str | None = None
    tags: tuple[str, ...] = ()
    source: Source | None = None
    author: str | None = None
    agent: str | None = None
    origin: Origin = Origin.authored
    evidence: tuple[Evidence, ...] = ()
    metadata: dict[str, Any] | None = None
    confidence: float = 0.8
    verification: Verification | None = None
    verification_note: str | None = None
    status: Status = Status.active
    importance: float = 0.5
    volatility: Volatility = Volatility.normal
    pinned: bool = False
    access_level: AccessLevel = AccessLevel.internal
    language: str | None = None
    occurred_at: datetime
    occurred_until: datetime | None = None
    valid_from: datetime
    valid_to: datetime | None = None
    recorded_at: datetime
    retired_at: datetime | None = None
    updated_at: datetime
    expires_at: datetime | None = None
    last_confirmed_at: datetime | None = None
    parent_id: str | None = None
    ordinal: int | None = None
    version: int = 1
    content_hash: str
    access_count: int = 0
    last_accessed_at: datetime | None = None
    embedded: bool = True

    @property
    def thread(self) -> str | None:
        """What it is one in a row of: its thread, else its parent."""
        if self.source is not None and self.source.thread:
            return self.source.thread
        return f"parent:{self.parent_id}" if self.parent_id else None

    @property
    def level(self) -> Level:
        """Trust in one of four words."""
        return level_of(self.status, checked=self.verification in CHECKED)


class Version(Value):
    """An earlier state of a memory, kept by the edit that replaced it."""

    number: int
    title: str
    content: str
    tags: tuple[str, ...]
    status: Status
    access_level: AccessLevel
    valid_to: datetime | None = None
    replaced_at: datetime
    changed: tuple[str, ...]
    by: str | None = None
    reason: str | None = None


class RelationType(StrEnum):
    """What the source of an edge is to its target; `child_of` is `parent_of` read from the other end."""

    supersedes = "supersedes"
    contradicts = "contradicts"
    caused_by = "caused_by"
    parent_of = "parent_of"
    child_of = "child_of"
    derived_from = "derived_from"
    related_to = "related_to"
    mentions = "mentions"
    similar_to = "similar_to"


_DRAWN_BY_BETHINK = frozenset({RelationType.mentions, RelationType.similar_to})
AUTHORED_RELATIONS = tuple(relation for relation in RelationType if relation not in _DRAWN_BY_BETHINK)


class Certainty(StrEnum):
    """How an edge is known: said by somebody or in a text, inferred from what is near, or one of several readings."""

    extracted = "extracted"
    inferred = "inferred"
    ambiguous = "ambiguous"


class Relation(Value):
    """A typed, directed edge between two memories."""

    source: str
    target: str
    type: RelationType
    weight: float = 1.0
    origin: Origin = Origin.authored
    certainty: Certainty = Certainty.extracted
    created_at: datetime
    metadata: dict[str, Any] | None = None

    @property
    def key(self) -> tuple[str, str, RelationType]:
        """What makes it one edge."""
        return self.source, self.target, self.type


class Entity(Value):
    """What memories speak of: its name, its other names, what sort of thing it is, how many memories mention it."""

    name: str
    kind: str
    aliases: tuple[str, ...] = ()
    memories: int


class Tie(Value):
    """A typed edge between two entities, by their names."""

    source: str
    type: str
    target: str


class Namespace(Value):
    """A path that owns memories, with what they come to and the settings that apply there.

    `live` memories are neither retired nor superseded, `pending` ones wait for vectors; `bytes` are those of the texts.
    """

    path: str
    description: str = ""
    memories: int = 0
    live: int = 0
    retired: int = 0
    pending: int = 0
    bytes: int = 0
    last_write: datetime | None = None
    dedup_threshold: float | None = None
    floor: float | None = None
    high_from: float | None = None
    medium_from: float | None = None
    required_tags: tuple[str, ...] = ()
    max_memories: int | None = None
    default_repo: str | None = None
    created_at: datetime
