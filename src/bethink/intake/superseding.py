"""One memory in the place of another: what becomes of the old one."""

from __future__ import annotations

from bethink.domain import STRUCTURAL, Memory, Relation, RelationType, Status
from bethink.errors import InvalidRequest
from bethink.operation import Call
from bethink.storage.protocol import Writer
from bethink.storage.values import Kept

from .revising import revision, write_revision


def close(call: Call, writer: Writer, old: Kept, new: Memory) -> None:
    """Mark a memory as superseded: it was true until the new one is, or until it ceased to be anyway."""
    before = old.memory
    until = max(new.valid_from, before.valid_from)
    ends = min(until, before.valid_to) if before.valid_to else until
    change = revision(old, {"status": Status.superseded, "valid_to": ends}, call.ports.now())
    write_revision(call, writer, change, pieces=None, identity=None, reason="superseded")


def edge_between(new: Memory, old: Memory) -> Relation:
    """Return the edge that says so."""
    return Relation(source=new.id, target=old.id, type=RelationType.supersedes, created_at=new.recorded_at)


def check(old: Memory, new: Memory) -> None:
    """Refuse what cannot stand in the place of another, and what nothing can stand in the place of."""
    if new.status is Status.retired:
        raise InvalidRequest(
            f"memory {new.id} is retired and supersedes nothing", hint="Bring it back with memory_restore first."
        )
    if old.kind in STRUCTURAL:
        raise InvalidRequest(
            f"memory {old.id} is a {old.kind.value}, a part of something larger",
            hint="Supersede what it is part of, or use another type.",
        )
