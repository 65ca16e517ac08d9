"""Which namespace a write goes to, and what that namespace asks of it."""

from __future__ import annotations

from typing import Final

from bethink.domain import Memory
from bethink.errors import Conflict, Forbidden, InvalidRequest
from bethink.operation import Call
from bethink.principal import namespace_path
from bethink.recall.selection import reachable
from bethink.storage.protocol import Snapshot
from bethink.storage.values import Place
from bethink.text.counts import memories
from bethink.text.secrets import find
from bethink.text.tags import fold_tag

from .item import GONE

MOST_PINNED: Final = 20
_NAMED: Final = 3


def destination(call: Call, name: str | None) -> str:
    """Return the path that a write goes to: the one named, else the caller's place."""
    path = namespace_path(name) if name else call.principal.place
    if not call.principal.write.covers(path):
        raise Forbidden(f"{_said(call, path)} is outside the write reach", hint="Leave the namespace out.")
    return path


def place_of(reader: Snapshot, path: str) -> Place | None:
    """Return the namespace at `path`, if anything was ever written to it."""
    return next((p for p in reader.places() if p.namespace.path == path), None)


def checked_path(call: Call, path: str) -> str:
    """Return the path of a new namespace, refused where it holds a credential: it cannot be replaced in a name."""
    if call.ports.policy.secrets != "allow" and (found := find(path)):
        raise InvalidRequest(f"namespace: it holds a credential ({found[0].kind})", hint="Name it otherwise.")
    return path


def admit(call: Call, reader: Snapshot, place: Place, memory: Memory) -> None:
    """Refuse a memory that breaks the settings of its namespace."""
    settings = place.namespace
    if settings.max_memories is not None and reader.held(place.id) >= settings.max_memories:
        raise Conflict(
            f"{_said(call, settings.path)} is full: it may hold {memories(settings.max_memories)}",
            hint="Erase some there, or have its owner raise max_memories.",
        )
    check_tags(call, place, memory)
    if memory.pinned:
        check_pins(call, reader, place)


def takes_pin(before: Memory, after: Memory) -> bool:
    """Say whether a change makes a memory one of those that are pinned and in use."""
    return _is_pinned(after) and not _is_pinned(before)


def check_pins(call: Call, reader: Snapshot, place: Place, *, more: int = 1) -> None:
    """Refuse more pinned memories than a brief can hold."""
    pinned = reader.pinned(place.id)
    if len(pinned) + more <= MOST_PINNED:
        return
    visible = reader.numbers(pinned, reachable(call, reader))
    could_go = [memory for memory in pinned if memory in visible][:_NAMED]
    named = f": {', '.join(could_go)}" if could_go else ""
    where = _said(call, place.namespace.path)
    if more == 1:
        raise Conflict(
            f"{len(pinned)} memories are pinned in {where} already",
            hint=f"Unpin one that was not read for long{named}.",
        )
    raise Conflict(
        f"{more} more pinned memories than the {len(pinned)} in {where} are over the limit of {MOST_PINNED}",
        hint=f"Restore fewer, or unpin some that were not read for long{named}.",
    )


def check_tags(call: Call, place: Place, memory: Memory) -> None:
    """Refuse a memory without the tags that its namespace requires."""
    settings = place.namespace
    carried = {fold_tag(tag) for tag in memory.tags}
    if lacking := [tag for tag in settings.required_tags if fold_tag(tag) not in carried]:
        said = _said(call, settings.path)
        raise InvalidRequest(f"tags: {said} requires {', '.join(lacking)}", hint="Add what is required.")


def _is_pinned(memory: Memory) -> bool:
    return memory.pinned and memory.status not in GONE


def _said(call: Call, path: str) -> str:
    """A namespace as the caller may know it: a confined principal is told no path."""
    return "its place" if call.principal.confined else repr(path)
