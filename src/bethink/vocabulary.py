"""The words of the operations: each parameter type is named, bounded and described once."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, StrEnum
from types import UnionType
from typing import Annotated, Any, Final, Literal, TypedDict, Union, get_args, get_origin
from unicodedata import category

from pydantic import AfterValidator, BeforeValidator, Field
from pydantic.fields import FieldInfo
from pydantic_core import PydanticCustomError

from .domain import (
    AUTHORED,
    AUTHORED_RELATIONS,
    Evidence,
    Kind,
    Level,
    Origin,
    RelationType,
    Source,
    Verification,
    Volatility,
)
from .principal import AccessLevel, Permission

CONTENT_LIMIT: Final = 1_000_000
QUERY_LIMIT: Final = 100_000
METADATA_LIMIT: Final = 65_536
TAGS_LIMIT: Final = 64
_UNIONS: Final = (Union, UnionType)
_UNSEEN: Final = frozenset({"Cc", "Cf", "Zl", "Zp", "Zs"})  # controls, marks without a width, spaces
_BLANKS: Final = "\u115f\u1160\u2800\u3164\uffa0"  # letters and a symbol without a form


class Unset(Enum):
    """The default of a parameter for which null means something of its own."""

    UNSET = "unset"


UNSET: Final = Unset.UNSET


@dataclass(frozen=True, slots=True)
class Fold:
    """Marks a parameter that MCP shows inside one object (`filter` or `options`); elsewhere it is flat."""

    into: str


@dataclass(frozen=True, slots=True)
class ForModels:
    """Marks a parameter that has another default on MCP: a program is given everything, a model what it can read."""

    default: Any


@dataclass(frozen=True, slots=True)
class OwnerOnly:
    """Marks a parameter that names namespaces: a confined principal neither sees nor may send it."""


@dataclass(frozen=True, slots=True)
class Needs:
    """Marks a parameter that is shown only to who holds a permission; who sends it without is told so."""

    permission: Permission


OWNER = OwnerOnly()
FILTER = Fold("filter")
OPTIONS = Fold("options")


def about(text: str, **bounds: Any) -> Any:
    """Describe a parameter and bound it."""
    return Field(description=text, **bounds)


def _not_blank(text: str) -> str:
    if all(category(c) in _UNSEEN or c in _BLANKS for c in text):
        raise ValueError("it is blank")
    return text


def _authored(value: object) -> object:
    if value not in AUTHORED_RELATIONS:  # told like any other value that is none of an enumeration
        raise PydanticCustomError("enum", "not accepted", {"expected": ", ".join(AUTHORED_RELATIONS)})
    return value


def marks(field: FieldInfo) -> list[Any]:
    """Return everything a parameter is annotated with, also inside `X | None`."""
    return [*field.metadata, *_marks(field.annotation)]


def _marks(annotation: Any) -> list[Any]:
    inside = [mark for part in get_args(annotation) if get_origin(annotation) in _UNIONS for mark in _marks(part)]
    return [*getattr(annotation, "__metadata__", ()), *inside]


class Conflicting(StrEnum):
    """What a store does about a near match."""

    add = "add"
    update = "update"
    supersede = "supersede"
    skip = "skip"


class Detail(StrEnum):
    """How much of each memory a read returns."""

    ids = "ids"
    summary = "summary"
    full = "full"


class Mode(StrEnum):
    """Which sources a recall uses."""

    hybrid = "hybrid"
    semantic = "semantic"
    keyword = "keyword"


class Sort(Enum):  # not of text: texts have a method called title
    """What a list is ordered by."""

    recorded = "recorded"
    occurred = "occurred"
    updated = "updated"
    accessed = "accessed"
    importance = "importance"
    title = "title"


NotBlank = AfterValidator(_not_blank)
# Results are read line by line: a title of several could pass for another memory's.
OneLine = AfterValidator(lambda text: " ".join(text.split()))
Tag = Annotated[str, Field(min_length=1, max_length=64), NotBlank]
Tags = Annotated[list[Tag], about("Labels, compared whole.", max_length=TAGS_LIMIT)]
Content = Annotated[str, about("Self-contained text.", min_length=1, max_length=CONTENT_LIMIT), NotBlank]
Title = Annotated[str, about("Short name, else derived.", min_length=1, max_length=300), NotBlank, OneLine]
KindOf = Annotated[Kind, about("What sort of memory it is.", json_schema_extra={"enum": list(AUTHORED)})]
Query = Annotated[str, about("What you want to know.", max_length=QUERY_LIMIT)]
NamespaceName = Annotated[str, OWNER, about("Where it goes, else the usual place.", max_length=1100)]
Namespaces = Annotated[list[str], OWNER, about("Where to look, else all in reach.", max_length=64)]
MemoryId = Annotated[
    str, about("Id of a memory, or the shortest tail of it that is unique.", min_length=6, max_length=64)
]
MemoryIds = Annotated[list[MemoryId], about("Ids or unique tails of ids.", min_length=1, max_length=200)]
ExactIds = Annotated[
    list[Annotated[str, Field(min_length=8, max_length=64)]],
    about("Ids, or unique tails of at least 8 digits.", min_length=1, max_length=200),
]
DrawnType = Annotated[
    RelationType, BeforeValidator(_authored), Field(json_schema_extra={"enum": list(AUTHORED_RELATIONS)})
]
EdgeEnd = Annotated[str, about("Id, or a unique tail of at least 8 digits.", min_length=8, max_length=64)]
Limit = Annotated[int, about("Most results.", ge=1, le=50)]
PageLimit = Annotated[int, about("Most memories on a page.", ge=1, le=200)]
Cursor = Annotated[str, about("Continue where a result said `cursor`.", max_length=16_384)]
MaxTokens = Annotated[int, about("Most tokens of text.", ge=100, le=1_000_000)]
WhatFits = Annotated[MaxTokens | None, ForModels(8_000)]
Metadata = Annotated[dict[str, Any], about("your own, never searched")]
Fraction = Annotated[float, Field(ge=0, le=1)]
Word = Annotated[str, Field(min_length=1, max_length=200)]
TimeText = Annotated[str, Field(max_length=64)]
Reason = Annotated[str, about("Why; kept in the history.", max_length=2_000)]
OnConflict = Annotated[Conflicting, about("If nearly the same is known.")]
Hints = Annotated[bool, OPTIONS, about("report near matches")]
MinImportance = Annotated[Fraction, OPTIONS, about("store only from this score, 0..1")]
ExpectedVersion = Annotated[int, about("Refuse if the memory is no longer at this version.", ge=1)]


class Properties(TypedDict, total=False):
    """What may be said of a memory beside its text; shared by store, update and import."""

    subtype: Annotated[Word | None, OPTIONS, about("finer kind")]
    context: Annotated[str | None, about("The circumstances.", max_length=20_000)]
    source: Annotated[
        Source | None,
        OPTIONS,
        about("where from: {type, id, path, url, repo, thread, tool_call, language, folder, workspace}"),
    ]
    author: Annotated[Word | None, OPTIONS, about("who or what it comes from")]
    evidence: Annotated[list[Evidence], OPTIONS, about("[{quote, url or memory, seen_at}]", max_length=50)]
    metadata: Annotated[Metadata | None, OPTIONS]
    confidence: Annotated[Fraction, OPTIONS, about("how sure you are, 0..1")]
    verification: Annotated[Verification | None, OPTIONS, about("how it was checked")]
    verification_note: Annotated[str | None, OPTIONS, about("what the check was", max_length=2_000)]
    importance: Annotated[Fraction | None, OPTIONS, about("0..1, else derived")]
    volatility: Annotated[Volatility | None, OPTIONS, about("how soon out of date")]
    pinned: Annotated[bool, OPTIONS, about("kept in view")]
    access_level: Annotated[AccessLevel, OPTIONS, about("how widely seen")]
    language: Annotated[str | None, OPTIONS, about("ISO 639-1, else detected", pattern="^[a-z]{2}$")]
    occurred_at: Annotated[TimeText | None, about("When it happened: time, date or 'yesterday'.")]
    valid_from: Annotated[TimeText | None, OPTIONS, about("when true")]
    valid_to: Annotated[TimeText | None, OPTIONS, about("when true")]
    expires_at: Annotated[TimeText | None, OPTIONS, about("leaves default reads then")]
    parent_id: Annotated[MemoryId | None, OPTIONS, about("memory it is part of")]
    ordinal: Annotated[int | None, OPTIONS, about("place in the parent", ge=0, le=1_000_000_000)]


_Served = Literal["active", "stale", "deprecated", "superseded", "retired", "any"]


class Filters(TypedDict, total=False):
    """Which memories count; the same set for recall, list and every later read."""

    namespaces: Namespaces
    kinds: Annotated[list[Kind], about("Only these kinds.")]
    subtypes: Annotated[list[Word], FILTER, about("only these")]
    tags: Annotated[list[Tag], about("All of these tags.")]
    tags_any: Annotated[list[Tag], FILTER, about("any of these")]
    since: Annotated[TimeText, about("Occurred from: time, date, 'last week'.")]
    until: Annotated[TimeText, about("Up to the end of it.")]
    recorded_after: Annotated[TimeText, FILTER, about("when stored")]
    recorded_before: Annotated[TimeText, FILTER, about("when stored")]
    confirmed_after: Annotated[TimeText, FILTER, about("confirmed")]
    confirmed_before: Annotated[TimeText, FILTER, about("confirmed")]
    min_level: Annotated[Level, FILTER, about("deprecated < stale < inferred < verified")]
    min_confidence: Annotated[Fraction, FILTER, about("0..1")]
    min_importance: Annotated[Fraction, FILTER, about("0..1")]
    min_groundedness: Annotated[Fraction, FILTER, about("not served yet")]
    access_level: Annotated[AccessLevel, FILTER, about("exactly")]
    language: Annotated[Word, FILTER, about("ISO 639-1")]
    author: Annotated[Word, FILTER, about("exactly")]
    agent: Annotated[Word, FILTER, about("exactly")]
    origin: Annotated[Origin, FILTER, about("how it came")]
    source: Annotated[Source, FILTER, about("{type, id, path, ...}")]
    pinned: Annotated[bool, FILTER, about("pinned or not")]
    status: Annotated[list[_Served], FILTER, about("active, stale, deprecated, superseded, retired, any")]
    expired: Annotated[bool, FILTER, about("expired or not")]
    has_relations: Annotated[bool, FILTER, about("edges?")]
    entity: Annotated[Word, FILTER, about("by name")]
    claims: Annotated[Word, FILTER, about("not served yet")]
    orphans: Annotated[bool, FILTER, about("not served yet")]


UNSERVED_FILTERS: Final = frozenset({"min_groundedness", "claims", "orphans"})
