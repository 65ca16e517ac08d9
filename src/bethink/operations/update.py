"""Change a memory, keeping what it said before as a version."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, Final, Unpack

from bethink.domain import AUTHORED, STRUCTURAL, Kind, Memory, Status, Value, from_micros
from bethink.errors import Conflict, Forbidden, InvalidRequest
from bethink.intake.gate import NOTHING_NEAR, Nearby, hinted, near_memories
from bethink.intake.item import (
    checked_metadata,
    distinct_tags,
    in_order,
    moment,
    read_evidence,
    read_source,
    read_times,
    readable_level,
    refuse_author,
    without_secrets,
)
from bethink.intake.places import check_tags, place_of
from bethink.intake.revising import Revision, revision
from bethink.intake.storing import apply_revision, with_parent
from bethink.models.protocol import NONE
from bethink.operation import Call, Effect, operation
from bethink.recall.handles import EXACT, absent, resolve_one
from bethink.recall.selection import reachable, writable
from bethink.storage.protocol import Reader
from bethink.storage.values import Kept
from bethink.text.signals import importance, volatility
from bethink.text.titles import derive_title
from bethink.vocabulary import (
    UNSET,
    Content,
    ExpectedVersion,
    Hints,
    KindOf,
    MemoryId,
    Properties,
    Reason,
    Tags,
    Title,
    Unset,
    about,
)

from .store import Hint, hint, hint_lines

ExactId = Annotated[MemoryId, about("Id, or a unique tail of at least 8 digits.", min_length=8)]
_SETTABLE: Final = (Status.active, Status.stale, Status.deprecated)
_INSTEAD: Final = {
    Status.superseded: "Store what replaces it with on_conflict=supersede.",
    Status.retired: "Use memory_forget to retire.",
}
NewStatus = Annotated[Status, about("Whether it still holds.", json_schema_extra={"enum": list(_SETTABLE)})]
_CLEARED: Final = {"tags": ()}
_VALIDITY: Final = frozenset({"valid_from", "valid_to"})
_NEVER_NULL: Final = frozenset({"occurred_at", "valid_from"})


class Updated(Value):
    """The memory's new version and what changed; nothing is written when nothing differs."""

    id: str
    handle: str
    version: int
    changed: tuple[str, ...]
    embedded: bool | None
    similar: tuple[Hint, ...] = ()
    suggested_relations: tuple[Hint, ...] = ()
    cleaned: tuple[str, ...] = ()
    redacted: tuple[str, ...] = ()

    def compact(self) -> str:
        """Return it as the few lines a model needs."""
        what = f"changed {', '.join(self.changed)}" if self.changed else "nothing differs"
        lines = [f"{self.handle} is at version {self.version}: {what}"]
        lines += [f"redacted: {kind}" for kind in self.redacted] + [f"cleaned: {note}" for note in self.cleaned]
        return "\n".join([*lines, *hint_lines(self.similar, self.suggested_relations)])


@operation(Effect.WRITE, tool="memory_update", http="PATCH /memories/{id}")
async def update(
    call: Call,
    id: ExactId,  # noqa: A002  # what callers know it as
    *,
    title: Title | Unset | None = UNSET,
    content: Content | Unset = UNSET,
    kind: KindOf | Unset = UNSET,
    tags: Tags | Unset | None = UNSET,
    status: NewStatus | Unset = UNSET,
    expected_version: ExpectedVersion | None = None,
    reason: Reason | None = None,
    hints: Hints = True,
    **properties: Unpack[Properties],
) -> Updated:
    """Correct or extend a memory. Only what you give changes; tags replace; null clears. The version before is kept.

    With expected_version the call fails if somebody changed the memory since you read it. When the world changed rather
    than the wording, store the new fact with on_conflict=supersede instead.
    """
    named = {"title": title, "content": content, "kind": kind, "tags": tags, "status": status}
    given = {name: value for name, value in named.items() if value is not UNSET} | dict(properties)
    if not given:
        raise InvalidRequest("nothing to change", hint="Give at least one field.")
    safe, redacted = without_secrets({**given, "reason": reason}, call.ports.policy.secrets)
    why = safe.pop("reason")
    key, change = await call.ports.storage.read(lambda reader: _revised(call, reader, id, expected_version, safe))
    memory = change.kept.memory
    if change.changed:
        written = await apply_revision(call, change, key, reason=why)
        if written is None:
            raise Conflict(f"memory {memory.id} changed meanwhile", hint="Read it again and repeat the call.")
        memory = written
    return await call.ports.storage.read(
        lambda reader: _updated(call, reader, memory, change, hints=hints, redacted=redacted)
    )


def _revised(
    call: Call, reader: Reader, text: str, expected: int | None, given: dict[str, Any]
) -> tuple[bytes, Revision]:
    kept, key = _target(call, reader, text, expected), reader.secret()
    changes = _changes(call, kept.memory, with_parent(call, reader, given))
    change = revision(kept, changes, call.ports.now(), key=key)
    memory = in_order(change.memory) if given.keys() & _VALIDITY else change.memory
    if memory.parent_id == memory.id:
        raise InvalidRequest("parent_id: a memory is not part of itself", hint="Name another memory, or null.")
    if "tags" in change.changed and (place := place_of(reader, memory.namespace)):
        check_tags(call, place, memory)
    derived = {name for name, value in given.items() if value is None}
    dated = {"occurred"} if "occurred_at" in given else set()
    return key, replace(change, given=(change.given | dated) - derived)


def _target(call: Call, reader: Reader, text: str, expected: int | None) -> Kept:
    found = resolve_one(reader, text, reachable(call, reader), least=EXACT)
    if not reader.numbers([found], writable(call, reader)):
        raise Forbidden(f"memory {text!r} is outside the write reach", hint="It can be read but not changed from here.")
    kept = next(iter(reader.kept([found])), None)
    if kept is None:
        raise absent(text)
    _check_changeable(kept.memory, text)
    if expected is not None and kept.memory.version != expected:
        raise Conflict(
            f"memory {text!r} is at version {kept.memory.version}, not {expected}",
            hint="Read it again and decide anew.",
        )
    return kept


def _check_changeable(memory: Memory, text: str) -> None:
    if memory.status is Status.retired:
        raise InvalidRequest(f"memory {text!r} is retired", hint="Bring it back with memory_restore first.")
    if memory.kind in STRUCTURAL:
        raise InvalidRequest(
            f"memory {text!r} is a {memory.kind.value}, a part of something larger",
            hint="Store or import what it is part of anew.",
        )


def _changes(call: Call, memory: Memory, given: Mapping[str, Any]) -> dict[str, Any]:
    _check_given(call, given)
    changes: dict[str, Any] = {}
    for name, value in given.items():
        if value is None:
            changes[name] = _cleared(memory, name, given)
        elif name == "access_level":
            changes[name] = readable_level(call.principal, value)
        elif name == "tags":
            changes[name] = distinct_tags(value)
        elif name == "source":
            changes[name] = read_source(value)
        elif name == "evidence":
            changes[name] = read_evidence(call, value)
        elif name == "metadata":
            changes[name] = checked_metadata(value)
        else:
            changes[name] = value
    return changes | _moments(call, given)


def _check_given(call: Call, given: Mapping[str, Any]) -> None:
    if "author" in given and call.principal.confined:
        refuse_author()
    if (status := given.get("status")) is not None and status not in _SETTABLE:
        raise InvalidRequest(f"status: {status.value!r} cannot be set", hint=_INSTEAD[status])
    if (kind := given.get("kind")) in STRUCTURAL:
        raise InvalidRequest(f"kind: {kind.value!r} cannot be set", hint=f"Use {', '.join(AUTHORED)}.")


def _moments(call: Call, given: Mapping[str, Any]) -> dict[str, Any]:
    spans = read_times(call, {name: value for name, value in given.items() if isinstance(value, str)})
    changes: dict[str, Any] = {name: moment(name, span) for name, span in spans.items()}
    if (occurred := spans.get("occurred_at")) is not None:
        changes["occurred_until"] = from_micros(occurred.stop) if occurred.stop > occurred.start + 1 else None
    return changes


def _cleared(memory: Memory, name: str, given: Mapping[str, Any]) -> Any:
    if name in _NEVER_NULL:
        raise InvalidRequest(f"{name}: it cannot be cleared", hint="Give another time.")
    content = given.get("content") or memory.content
    kind = Kind(given.get("kind") or memory.kind).value
    if name == "importance":
        return importance(content, kind)
    if name == "volatility":
        return type(memory.volatility)(volatility(content, kind))
    if name == "title":
        return derive_title(content)
    return _CLEARED.get(name)


def _updated(
    call: Call, reader: Reader, memory: Memory, change: Revision, *, hints: bool, redacted: tuple[str, ...]
) -> Updated:
    found = _hints(call, reader, memory) if hints and change.text_changed else NOTHING_NEAR
    handles = reader.handles([memory.id, *found.memories()], reachable(call, reader))
    return Updated(
        id=memory.id,
        handle=handles[memory.id],
        version=memory.version,
        changed=change.changed,
        embedded=None if call.ports.embedder.identity == NONE else memory.embedded,
        similar=tuple(hint(n, handles) for n in found.similar),
        suggested_relations=tuple(hint(n, handles) for n in found.related),
        cleaned=call.cleaned,
        redacted=redacted,
    )


def _hints(call: Call, reader: Reader, memory: Memory) -> Nearby:
    place = place_of(reader, memory.namespace)
    vector = reader.vector_of(memory.id)
    if place is None or vector is None:
        return NOTHING_NEAR
    near = near_memories(call, reader, memory, place=place, vector=vector, terms=())
    return hinted([n for n in near if n.memory.id != memory.id]).unlinked(reader, memory.id)
