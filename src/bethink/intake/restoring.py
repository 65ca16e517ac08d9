"""Bringing memories that are retired or superseded back into use, as they were before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from bethink.domain import Memory
from bethink.errors import Conflict
from bethink.operation import Call
from bethink.storage.protocol import Snapshot, Writer
from bethink.storage.values import Kept

from .item import GONE, identity
from .places import check_pins, place_of, takes_pin
from .revising import Revision, revision, write_revision


def bring_back(call: Call, writer: Writer, gone: Sequence[Kept], reason: str | None) -> None:
    """Bring memories back, all or none: refused where another says the same meanwhile or too many are pinned."""
    now, key = call.ports.now(), writer.secret()
    changes = [revision(kept, {**_in_use(writer, kept.memory), "retired_at": None}, now) for kept in gone]
    _check_pins(call, writer, changes)
    for change in changes:
        same = identity(key, change.memory, occurred_given="occurred" in change.given)
        if same and (other := writer.by_identity(same)):
            raise Conflict(f"memory {other} already says what {change.memory.id} says", hint="Forget one of the two.")
        write_revision(call, writer, change, pieces=None, identity=same, reason=reason, operation="restore")


def _check_pins(call: Call, writer: Writer, changes: Sequence[Revision]) -> None:
    """Count them together: those that were restored before in the same call are not there yet."""
    back = Counter(c.memory.namespace for c in changes if takes_pin(c.kept.memory, c.memory))
    for path, more in back.items():
        if place := place_of(writer, path):
            check_pins(call, writer, place, more=more)


def _in_use(reader: Snapshot, memory: Memory) -> dict[str, Any]:
    """Return the status and the end of validity that a memory had when it was last in use."""
    last = next(v for v in reversed(reader.versions(memory.id)) if v.status not in GONE)
    return {"status": last.status, "valid_to": last.valid_to}
