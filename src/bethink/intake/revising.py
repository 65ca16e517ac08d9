"""Changing a memory: what becomes of it, and the transaction that keeps the state before as a version."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from bethink.domain import Kind, Memory, from_micros, to_micros
from bethink.operation import Call
from bethink.storage.protocol import Draft, Event, Kept, Piece, Writer
from bethink.text.language import detect
from bethink.text.signals import importance, volatility
from bethink.text.titles import derive_title

from .indexing import index_terms
from .item import content_hash

_TEXT: Final = frozenset({"title", "content"})
_SPACE: Final = re.compile(r"\s+")


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
    """Return the state after `changes`; a changed text renews what is derived from it and counts as a confirmation."""
    before = kept.memory
    changed = tuple(name for name, value in changes.items() if getattr(before, name) != value)
    given = kept.given | {name for name in ("title", "importance", "volatility") if name in changes}
    after = before.model_copy(update={n: changes[n] for n in changed})
    if "content" in changed:
        after = after.model_copy(update=_derived(after, given, key))
    stamps: dict[str, Any] = {"version": before.version + 1, "updated_at": from_micros(max(now, 0))}
    if _TEXT & set(changed):
        stamps["last_confirmed_at"] = from_micros(now)
    return Revision(kept, after.model_copy(update=stamps), given, changed)


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
        given=change.given,
        terms=index_terms(memory, title_given="title" in change.given),
        pieces=pieces,
    )
    principal, now = call.principal, to_micros(memory.updated_at)
    writer.revise(
        draft, text_changed=change.text_changed, changed=change.changed, by=principal.name, reason=reason, at=now
    )
    writer.log(Event(now, operation, principal.name, principal.agent, (memory.id,), change.changed))
    return memory


def appended(old: str, new: str) -> str:
    """Return `old` with those paragraphs of `new` that it does not hold yet."""
    known = _folded(old)
    fresh = [part.strip() for part in re.split(r"\n\s*\n", new) if part.strip() and _folded(part) not in known]
    return "\n\n".join([old, *fresh])


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
