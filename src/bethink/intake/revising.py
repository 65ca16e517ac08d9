"""Changing a memory: what becomes of it, and the transaction that keeps the state before as a version."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from bethink.domain import CHECKED, Kind, Memory, Verification, from_micros, to_micros
from bethink.errors import TooLarge
from bethink.operation import Call
from bethink.storage.protocol import Writer
from bethink.storage.values import Draft, Event, Kept, Piece
from bethink.text.language import detect
from bethink.text.mentions import Mention
from bethink.text.signals import importance, volatility
from bethink.text.speakers import speaker_of
from bethink.text.titles import derive_title
from bethink.vocabulary import CONTENT_LIMIT, TAGS_LIMIT

from .facts import differs_in_fact
from .indexing import index_terms
from .item import content_hash, distinct_tags, wording
from .mentions import in_repo, mentions_of

_TEXT: Final = frozenset({"title", "content"})
_SPACE: Final = re.compile(r"\s+")
_BREAK: Final = re.compile(r"\n\s*\n")


@dataclass(frozen=True, slots=True)
class Revision:
    """A memory's next state, from which it differs, and what was given of it."""

    kept: Kept
    memory: Memory
    given: frozenset[str]
    changed: tuple[str, ...]

    @property
    def text_changed(self) -> bool:
        """Whether its vectors must be made anew."""
        return bool(_TEXT & set(self.changed))


def revision(kept: Kept, changes: Mapping[str, Any], now: int, *, key: bytes = b"") -> Revision:
    """Return the state after `changes`.

    A changed text renews what is derived from it. It says that the memory holds, as new evidence and a check do.
    """
    before = kept.memory
    changed = tuple(name for name, value in changes.items() if getattr(before, name) != value)
    given = kept.given | {name for name in ("title", "importance", "volatility") if name in changes}
    after = before.model_copy(update={n: changes[n] for n in changed})
    if "content" in changed:
        after = after.model_copy(update=_derived(after, given, key))
    stamps: dict[str, Any] = {"version": before.version + 1, "updated_at": from_micros(max(now, 0))}
    if _TEXT & set(changed) or _confirms(before, changes):
        stamps["last_confirmed_at"] = from_micros(now)
    return Revision(kept, after.model_copy(update=stamps), given, changed)


def _confirms(before: Memory, changes: Mapping[str, Any]) -> bool:
    """Say whether there is evidence that was not there before, or somebody says how it was checked."""
    known = {(one.quote, one.url, one.memory) for one in before.evidence}
    new = any((one.quote, one.url, one.memory) not in known for one in changes.get("evidence", ()))
    return new or changes.get("verification") in (*CHECKED, Verification.asserted)


def write_revision(
    call: Call,
    writer: Writer,
    change: Revision,
    *,
    pieces: tuple[Piece, ...] | None,
    identity: bytes | None,
    reason: str | None,
    operation: str = "update",
) -> Memory:
    """Write a revision and its event in one transaction; the version keeps the reason, for it can be erased."""
    embedded = pieces is not None if change.text_changed else change.kept.memory.embedded
    memory = change.memory.model_copy(update={"embedded": embedded})
    draft = Draft(
        memory=memory,
        namespace=change.kept.namespace,
        identity=identity,
        wording=wording(writer.secret(), memory.content),
        given=change.given,
        terms=index_terms(memory, title_given="title" in change.given),
        speaker=speaker_of(memory.content),
        pieces=pieces,
        mentions=_mentions(writer, change, memory),
    )
    principal, now = call.principal, to_micros(memory.updated_at)
    writer.revise(
        draft, text_changed=change.text_changed, changed=change.changed, by=principal.name, reason=reason, at=now
    )
    writer.log(Event(now, operation, principal.name, principal.agent, (memory.id,), change.changed))
    return memory


def _mentions(writer: Writer, change: Revision, memory: Memory) -> tuple[Mention, ...]:
    place = next(place for place in writer.places() if place.id == change.kept.namespace)
    return in_repo(mentions_of(memory, title_given="title" in change.given), place.namespace.default_repo)


def extended(old: Memory, new: Memory) -> dict[str, Any]:
    """Return what changes when `old` takes in what `new` says and its tags; nothing where `old` says it already."""
    content = appended(old.content, new.content)
    if content == old.content:
        return {}
    if len(content) > CONTENT_LIMIT:
        raise TooLarge(
            f"content: {len(content):,} characters together are over the limit of {CONTENT_LIMIT:,}",
            hint="Store it with on_conflict=add.",
        )
    tags = distinct_tags([*old.tags, *new.tags])
    if len(tags) > TAGS_LIMIT:
        raise TooLarge(f"tags: {len(tags)} together are over the limit of {TAGS_LIMIT}", hint="Give fewer tags.")
    return {"content": content, "tags": tags}


def appended(old: str, new: str) -> str:
    """Return `old` with those paragraphs of `new` that it does not hold yet."""
    known = _paragraphs(old)
    fresh = [part for part in _paragraphs(new) if not any(_holds(paragraph, part) for paragraph in known)]
    return "\n\n".join([old, *fresh])


def _paragraphs(text: str) -> list[str]:
    return [part.strip() for part in _BREAK.split(text) if part.strip()]


def _holds(paragraph: str, part: str) -> bool:
    """Whether a paragraph says what `part` says: the same, or the same among words that add no fact."""
    whole, said = _folded(paragraph), _folded(part)
    return whole == said or (_stands_in(said, whole) and not differs_in_fact(paragraph, part))


def _stands_in(part: str, whole: str) -> bool:
    """Whether `part` is in `whole` from the start of a word to the end of one."""
    at = whole.find(part)
    while at >= 0:
        before, after = whole[max(at - 1, 0) : at + 1], whole[at + len(part) - 1 : at + len(part) + 1]
        if not (before.isalnum() and at > 0) and not (after.isalnum() and len(after) > 1):
            return True
        at = whole.find(part, at + 1)
    return False


def _folded(text: str) -> str:
    return _SPACE.sub(" ", text).strip().casefold()


def _derived(memory: Memory, given: frozenset[str], key: bytes) -> dict[str, Any]:
    kind = Kind(memory.kind).value
    derived: dict[str, Any] = {
        "content_hash": content_hash(key, memory.content),
        "language": detect(memory.content) or memory.language,
    }
    if "title" not in given:
        derived["title"] = derive_title(memory.content)
    if "importance" not in given:
        derived["importance"] = importance(memory.content, kind)
    if "volatility" not in given:
        derived["volatility"] = type(memory.volatility)(volatility(memory.content, kind))
    return derived
