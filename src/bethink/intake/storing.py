"""The path of one store: read the item, embed, look for the same and the near, then one transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from bethink.domain import NEVER_DEDUPLICATED, Memory
from bethink.errors import Conflict
from bethink.operation import Call
from bethink.recall.handles import resolve_one
from bethink.recall.selection import reachable
from bethink.storage.protocol import Reader, Writer
from bethink.storage.values import Draft, Event, Piece, Place
from bethink.text.speakers import speaker_of
from bethink.vocabulary import Conflicting

from . import gate
from .embedding import embed_all, is_current
from .indexing import index_terms
from .item import Item, identity, read_item, wording
from .mentions import in_repo, mentions_of
from .places import admit, check_pins, checked_path, destination, place_of, takes_pin
from .revising import Revision, extended, revision, write_revision
from .superseding import close, edge_between

_TRIES = 3


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of an item: the memory that now stands for it, and how that came."""

    memory: Memory
    action: str
    hints: gate.Nearby = gate.NOTHING_NEAR
    superseded: str | None = None
    redacted: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Seen:
    """What a snapshot showed before the transaction."""

    same: str | None
    echo: Memory | None
    near: list[gate.Near]
    place: Place | None


async def store_item(
    call: Call, fields: Mapping[str, Any], *, namespace: str | None, on_conflict: Conflicting, hints: bool
) -> Outcome:
    """Store one item with the gate's judgement."""
    path = destination(call, namespace)
    key, fields = await call.ports.storage.read(lambda reader: (reader.secret(), with_parent(call, reader, fields)))
    item = read_item(call, fields, namespace=path, key=key)
    (own,) = await embed_all(call, [(item.memory, "title" in item.given)])
    for _ in range(_TRIES):
        seen = await call.ports.storage.read(lambda reader: _look(call, reader, item, own, key))
        outcome = await _act(call, item, seen, own=own, key=key, on_conflict=on_conflict, hints=hints)
        if outcome is not None:
            left_out = item.news_to(outcome.memory) if outcome.action == "replay" else ()
            return replace(outcome, redacted=item.redacted, left_out=left_out)
    raise Conflict("the near match keeps changing", hint="Try again, or store with on_conflict add.")


def with_parent(call: Call, reader: Reader, fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return fields with the whole id of their parent; one out of reach is as one that never was."""
    parent = fields.get("parent_id")
    return {**fields, "parent_id": resolve_one(reader, parent, reachable(call, reader))} if parent else dict(fields)


def _look(call: Call, reader: Reader, item: Item, own: Sequence[Piece] | None, key: bytes) -> _Seen:
    memory = item.memory
    place = place_of(reader, memory.namespace)
    same = reader.by_identity(identity(key, memory, occurred_given="occurred" in item.given) or b"")
    if place is None or same or memory.kind in NEVER_DEDUPLICATED:
        return _Seen(same, None, [], place)
    terms = () if own else index_terms(memory, title_given="title" in item.given)
    near = gate.near_memories(call, reader, memory, place=place, vector=own[0].vector if own else None, terms=terms)
    return _Seen(None, gate.echo_of(call, reader, item, near), near, place)


async def _act(
    call: Call,
    item: Item,
    seen: _Seen,
    *,
    own: tuple[Piece, ...] | None,
    key: bytes,
    on_conflict: Conflicting,
    hints: bool,
) -> Outcome | None:
    """Do what the gate says; None when another writer changed the match meanwhile."""
    if seen.same:
        return await _replayed(call, seen.same)
    if seen.echo:
        return Outcome(seen.echo, "echo")
    match = _match(item, seen, on_conflict)
    found = gate.hinted(seen.near) if hints else gate.NOTHING_NEAR
    others = found.without(match.id) if match else found
    if match is not None and on_conflict is Conflicting.skip:
        return Outcome(match, "skip", others)
    if match is not None and on_conflict is Conflicting.update:
        return await _update(call, match, item, key, others)
    superseded = match if on_conflict is Conflicting.supersede else None
    draft = draft_of(item, own, key)
    return await call.ports.storage.write(lambda writer: add_draft(call, writer, draft, superseded, others))


def _match(item: Item, seen: _Seen, on_conflict: Conflicting) -> Memory | None:
    """The memory to act on: to skip, it must say the same; to update or supersede, be about the same matter."""
    if seen.place is None or on_conflict is Conflicting.add:
        return None
    settings = seen.place.namespace
    if on_conflict is Conflicting.skip:
        found = gate.duplicate(seen.near, item.memory, settings)
    else:
        found = gate.same_matter(seen.near, settings)
    return found.memory if found else None


def draft_of(item: Item, pieces: tuple[Piece, ...] | None, key: bytes) -> Draft:
    """Return what the store needs of an item; its namespace is filled in within the transaction."""
    memory = item.memory.model_copy(update={"embedded": pieces is not None})
    return Draft(
        memory=memory,
        namespace=0,
        identity=identity(key, memory, occurred_given="occurred" in item.given),
        wording=wording(key, memory.content),
        given=item.given,
        terms=index_terms(memory, title_given="title" in item.given),
        speaker=speaker_of(memory.content),
        pieces=pieces,
        mentions=mentions_of(memory, title_given="title" in item.given),
    )


def add_draft(
    call: Call, writer: Writer, draft: Draft, superseded: Memory | None, hints: gate.Nearby = gate.NOTHING_NEAR
) -> Outcome | None:
    """Write one memory, and what it supersedes, in the writer's transaction; the same one that is there is returned."""
    draft = _comparable(call, writer, draft)
    memory = draft.memory
    if draft.identity and (same := writer.by_identity(draft.identity)):
        return Outcome(writer.kept([same])[0].memory, "replay")
    place = place_of(writer, memory.namespace) or writer.add_place(
        checked_path(call, memory.namespace), call.ports.now()
    )
    admit(call, writer, place, memory)
    if draft.pieces is not None and writer.embedder() is None:
        writer.use_embedder(call.ports.embedder.identity, call.ports.embedder.dimensions)
    if superseded is not None and not _supersede(call, writer, superseded, memory):
        return None
    mentions = in_repo(draft.mentions, place.namespace.default_repo)
    writer.add(replace(draft, namespace=place.id, mentions=mentions))
    log(call, writer, "store", (memory.id,))
    if superseded is not None:
        writer.relate(edge_between(memory, superseded))
        return Outcome(memory, "supersede", hints, superseded.id)
    return Outcome(memory, "add", hints)


def _comparable(call: Call, writer: Writer, draft: Draft) -> Draft:
    """Leave the vectors to the queue where the store went over to another embedder since they were made."""
    if draft.pieces is None or is_current(call.ports.embedder, writer):
        return draft
    return replace(draft, memory=draft.memory.model_copy(update={"embedded": False}), pieces=None)


def log(call: Call, writer: Writer, operation: str, memories: Sequence[str], fields: Sequence[str] = ()) -> None:
    """Append an event in the caller's name."""
    principal = call.principal
    writer.log(Event(call.ports.now(), operation, principal.name, principal.agent, tuple(memories), tuple(fields)))


def _supersede(call: Call, writer: Writer, old: Memory, new: Memory) -> bool:
    kept = next(iter(writer.kept([old.id])), None)
    if kept is None or kept.memory.version != old.version:
        return False
    close(call, writer, kept, new)
    return True


async def _update(call: Call, match: Memory, item: Item, key: bytes, hints: gate.Nearby) -> Outcome | None:
    changes = extended(match, item.memory)
    if not changes:
        return Outcome(match, "skip", hints)
    found = await call.ports.storage.read(lambda reader: reader.kept([match.id]))
    if not found or found[0].memory.version != match.version:
        return None
    change = revision(found[0], changes, call.ports.now(), key=key)
    memory = await apply_revision(call, change, key, reason="near match")
    return Outcome(memory, "update", hints) if memory else None


async def apply_revision(call: Call, change: Revision, key: bytes, *, reason: str | None) -> Memory | None:
    """Embed what a revision changed and write it; None when the memory is no longer as it was read."""
    pieces: tuple[Piece, ...] | None = None
    if change.text_changed:
        (own,) = await embed_all(call, [(change.memory, "title" in change.given)])
        pieces = own
    same = identity(key, change.memory, occurred_given="occurred" in change.given)
    return await call.ports.storage.write(
        lambda writer: _revise(call, writer, change, pieces=pieces, same=same, reason=reason)
    )


def _revise(
    call: Call,
    writer: Writer,
    change: Revision,
    *,
    pieces: tuple[Piece, ...] | None,
    same: bytes | None,
    reason: str | None,
) -> Memory | None:
    found = writer.kept([change.memory.id])
    if not found or found[0].memory.version != change.memory.version - 1:
        return None
    if same and (other := writer.by_identity(same)) not in (None, change.memory.id):
        raise Conflict(f"memory {other} already says exactly this", hint="Forget one of the two.")
    if takes_pin(change.kept.memory, change.memory) and (place := place_of(writer, change.memory.namespace)):
        check_pins(call, writer, place)
    if not is_current(call.ports.embedder, writer):
        pieces = None
    return write_revision(call, writer, change, pieces=pieces, identity=same, reason=reason)


async def _replayed(call: Call, same: str) -> Outcome | None:
    found = await call.ports.storage.read(lambda reader: reader.kept([same]))
    return Outcome(found[0].memory, "replay") if found else None
