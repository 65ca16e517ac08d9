"""What a caller gave of one memory, made into that memory: redacted, dated, titled, scored."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import Any, Final, NoReturn

from bethink.domain import NEVER_DEDUPLICATED, Evidence, Kind, Memory, Origin, Source, Status, Volatility, from_micros
from bethink.errors import Forbidden, InvalidRequest, TooLarge
from bethink.operation import Call
from bethink.principal import AccessLevel, Principal
from bethink.text.language import detect
from bethink.text.normal import nfc
from bethink.text.secrets import redact, redact_named
from bethink.text.signals import importance, volatility
from bethink.text.tags import fold_tag
from bethink.text.times import Span, parse_time
from bethink.text.titles import derive_title
from bethink.vocabulary import METADATA_LIMIT

GONE: Final = frozenset({Status.retired, Status.superseded})
_LASTING: Final = frozenset({"valid_to", "expires_at"})
_QUOTES: Final = "“”„‟«»‹›「」『』"
_CLOSING: Final = f".,!…。，、！．{_QUOTES}"
_TIMES: Final = ("occurred_at", "valid_from", "valid_to", "expires_at")
_AS_GIVEN: Final = (
    "subtype", "context", "confidence", "verification", "verification_note", "pinned", "parent_id", "ordinal",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Item:
    """A memory to be, what was given of it rather than derived, what was said beside its text, what was taken out."""

    memory: Memory
    given: frozenset[str]
    beside: frozenset[str]
    redacted: tuple[str, ...]

    def news_to(self, known: Memory) -> tuple[str, ...]:
        """Name what was said beside the text that another memory of that text does not say."""
        mine = self.memory
        return tuple(sorted(n for n in self.beside if _comparable(mine, n) != _comparable(known, n)))


def read_item(
    call: Call, fields: Mapping[str, Any], *, namespace: str, key: bytes, origin: Origin = Origin.authored
) -> Item:
    """Make a memory of the fields of a store; `key` is the store's, for the content's hash."""
    safe, redacted = without_secrets(fields, call.ports.policy.secrets)
    now = call.ports.now()
    times = read_times(call, safe)
    occurred = times.get("occurred_at")
    content = safe["content"]
    kind = safe.get("kind", Kind.fact)
    memory = Memory(
        id=call.ports.new_id(now),
        namespace=namespace,
        kind=kind,
        title=safe.get("title") or derive_title(content),
        content=content,
        tags=distinct_tags(safe.get("tags") or ()),
        source=read_source(safe.get("source")),
        author=_author(call.principal, safe),
        agent=call.principal.agent,
        origin=origin,
        access_level=readable_level(call.principal, safe.get("access_level")),
        evidence=read_evidence(call, safe.get("evidence")),
        metadata=checked_metadata(safe.get("metadata")),
        importance=_importance(safe, kind),
        volatility=safe.get("volatility") or Volatility(volatility(content, kind.value)),
        language=safe.get("language") or detect(content),
        occurred_at=from_micros(occurred.start if occurred else now),
        occurred_until=_until(occurred),
        valid_from=from_micros(_start(times, "valid_from", occurred.start if occurred else now)),
        valid_to=moment("valid_to", times.get("valid_to")),
        recorded_at=from_micros(now),
        updated_at=from_micros(now),
        expires_at=moment("expires_at", times.get("expires_at")),
        content_hash=content_hash(key, content),
        **{name: safe[name] for name in _AS_GIVEN if safe.get(name) is not None},
    )
    return Item(in_order(memory), _given(safe, occurred), _beside(safe), redacted)


def identity(key: bytes, memory: Memory, *, occurred_given: bool) -> bytes | None:
    """Return what makes two live memories one, as a keyed hash; None where nothing is one with it.

    The access level is part of it, so that a repeated store never answers with a memory above the caller's ceiling.
    """
    if memory.kind in NEVER_DEDUPLICATED or memory.status in GONE:
        return None
    occurred = memory.occurred_at.isoformat() if occurred_given else None
    where = [memory.namespace, memory.kind, memory.parent_id, memory.author, memory.access_level]
    parts = [*where, occurred, nfc(memory.content)]
    return hmac.digest(key, json.dumps(parts, ensure_ascii=False).encode(), "sha256")[:16]


def content_hash(key: bytes, content: str) -> str:
    """Return the keyed SHA-256 of a content, in hex."""
    return hmac.new(key, content.encode(), hashlib.sha256).hexdigest()


def wording(key: bytes, content: str) -> int:
    """Return a keyed 64-bit hash that contents share which differ in case, white space and sentence marks alone.

    Sentence marks are typographic quotes, and full stops, commas and exclamation marks after a word of letters.
    """
    folded = " ".join(map(_without_marks, nfc(content).casefold().split()))
    return int.from_bytes(hmac.digest(key, folded.encode(), "sha256")[:8], "big", signed=True)


def _without_marks(word: str) -> str:
    bare = word.rstrip(_CLOSING).lstrip(_QUOTES)
    return bare if bare[-1:].isalpha() else word


def without_secrets(fields: Mapping[str, Any], policy: str) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Replace live-looking credentials by placeholders in every text; refuse or allow them where the owner says so."""
    if policy == "allow":
        return dict(fields), ()
    kinds: dict[str, None] = {}
    safe = {name: _redacted(value, kinds) for name, value in fields.items()}
    if kinds and policy == "refuse":
        raise InvalidRequest(
            f"the text holds a credential ({', '.join(kinds)})", hint="Take it out; this store refuses credentials."
        )
    return safe, tuple(kinds)


def safe_reason(call: Call, reason: str | None) -> tuple[str | None, tuple[str, ...]]:
    """Return why something is done without credentials, for it is kept like any text, and what was taken out."""
    safe, redacted = without_secrets({"reason": reason}, call.ports.policy.secrets)
    return safe["reason"], redacted


def read_times(call: Call, fields: Mapping[str, Any]) -> dict[str, Span]:
    """Read the time parameters that were given."""
    return times_in(fields, call.ports.policy.timezone, call.ports.now())


def times_in(fields: Mapping[str, Any], zone: tzinfo, now: int) -> dict[str, Span]:
    """Read the time parameters among `fields`."""
    given = {name: fields[name] for name in _TIMES if fields.get(name) is not None}
    return {name: parse_time(text, parameter=name, zone=zone, now=now) for name, text in given.items()}


def moment(name: str, span: Span | None) -> datetime | None:
    """Return the moment that a time stands for: of a day its start, but its end for what holds through that day."""
    if span is None:
        return None
    return from_micros(span.stop if name in _LASTING and span.stop > span.start + 1 else span.start)


def readable_level(principal: Principal, level: AccessLevel | None) -> AccessLevel:
    """Return the level that was asked for, else the default; nobody may write what it could not read."""
    ceiling = principal.ceiling
    if level is None:
        return min(AccessLevel.internal, ceiling, key=lambda level: level.rank)
    if level.rank > ceiling.rank:
        raise Forbidden(
            f"access_level: {level.value!r} is above the ceiling {ceiling.value!r}",
            hint=f"Use {ceiling.value!r} or a lower one; what is above it could not be read from here.",
        )
    return level


def in_order(memory: Memory) -> Memory:
    """Return a memory that is true from before it ceases to be."""
    if memory.valid_to is not None and memory.valid_to <= memory.valid_from:
        raise InvalidRequest("valid_to is not after valid_from", hint="Correct one of them.")
    return memory


def refuse_author() -> NoReturn:
    """Tell a confined caller that it cannot say who writes."""
    raise Forbidden("'author' cannot be given here", hint="The host fixes who writes; leave it out.")


def read_source(source: Source | None) -> Source | None:
    """Return the source, or None when nothing of it is said."""
    return source if source is not None and source.model_dump(exclude_none=True) else None


def read_evidence(call: Call, evidence: Any) -> tuple[Evidence, ...]:
    """Return evidence, dated now where no date was given."""
    now = from_micros(call.ports.now())
    return tuple(e if e.seen_at else e.model_copy(update={"seen_at": now}) for e in evidence or ())


def distinct_tags(tags: Any) -> tuple[str, ...]:
    """Return tags in NFC, trimmed, the first spelling of each."""
    spelled: dict[str, str] = {}
    for tag in tags:
        if trimmed := nfc(tag).strip():
            spelled.setdefault(fold_tag(trimmed), trimmed)
    return tuple(spelled.values())


def checked_metadata(metadata: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return metadata that fits and is JSON."""
    if not metadata:
        return None
    try:
        size = len(json.dumps(metadata, ensure_ascii=False, allow_nan=False).encode())
    except (TypeError, ValueError) as wrong:
        raise InvalidRequest(f"metadata is not JSON: {wrong}", hint="Use text, numbers, true, false, null.") from wrong
    if size > METADATA_LIMIT:
        raise TooLarge(f"metadata: {size:,} bytes is over the limit of {METADATA_LIMIT:,}", hint="Store less of it.")
    return metadata


def _redacted(value: Any, kinds: dict[str, None], name: str = "") -> Any:
    """Redact every text in `value`; `name` is the key that it stands under in an object of the user's."""
    match value:
        case str() if type(value) is str:  # not an enum
            text, findings = redact_named(name, value) if name else redact(value)
            kinds.update(dict.fromkeys(f.kind for f in findings))
            return text
        case dict():
            return _redacted_object(value, kinds)
        case list() | tuple():
            return type(value)(_redacted(item, kinds, name) for item in value)
        case Source() | Evidence():
            parts = {name: _redacted(part, kinds) for name, part in value if isinstance(part, str)}
            return value.model_copy(update=parts)
        case _:
            return value


def _redacted_object(value: Mapping[str, Any], kinds: dict[str, None]) -> dict[str, Any]:
    safe: dict[str, Any] = {}
    for key, item in value.items():
        name = _redacted(key, kinds)
        if name in safe:  # two keys that were credentials of one kind
            name = f"{name} {len(safe) + 1}"
        safe[name] = _redacted(item, kinds, key)
    return safe


def _author(principal: Principal, fields: Mapping[str, Any]) -> str | None:
    given: str | None = fields.get("author")
    if not principal.confined:
        return given
    if given is not None:
        refuse_author()
    return principal.author


def _importance(fields: Mapping[str, Any], kind: Kind) -> float:
    given = fields.get("importance")
    return given if given is not None else importance(fields["content"], kind.value)


def _until(occurred: Span | None) -> Any:
    return from_micros(occurred.stop) if occurred is not None and occurred.stop > occurred.start + 1 else None


def _start(times: Mapping[str, Span], name: str, otherwise: int) -> int:
    return times[name].start if name in times else otherwise


def _given(fields: Mapping[str, Any], occurred: Span | None) -> frozenset[str]:
    named = {name for name in ("title", "importance", "volatility") if fields.get(name) is not None}
    return frozenset(named | ({"occurred"} if occurred else set()))


def _comparable(memory: Memory, name: str) -> Any:
    """A field as far as it was said: no spelling of tags, no date that evidence got when it came."""
    match name:
        case "tags":
            return {fold_tag(tag) for tag in memory.tags}
        case "evidence":
            return [(e.quote, e.url, e.memory) for e in memory.evidence]
        case _:
            return getattr(memory, name)


def _beside(fields: Mapping[str, Any]) -> frozenset[str]:
    """Return which fields say something; a fact is what every memory is of which no kind is given."""
    said = {name for name, value in fields.items() if value is not None}
    return frozenset(said - {"content"} - ({"kind"} if fields.get("kind") is Kind.fact else set()))
