"""Bring retired and superseded memories back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from bethink.domain import Memory, Value
from bethink.errors import Conflict
from bethink.intake.item import GONE, identity, safe_reason
from bethink.intake.places import check_pins, place_of, takes_pin
from bethink.intake.revising import Revision, revision, write_revision
from bethink.operation import Call, Effect, operation
from bethink.storage.protocol import Snapshot, Writer
from bethink.vocabulary import ExactIds, Reason

from .forget import targeted


class Restored(Value):
    """What is in use again, what was in use all along, and what could not be touched."""

    restored: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()
    redacted: tuple[str, ...] = ()

    def compact(self) -> str:
        """Return it as the few lines a model needs."""
        said = {
            "restored": self.restored,
            "neither retired nor superseded": self.unchanged,
            "not found": self.missing,
            "outside the write reach": self.skipped,
            "redacted": self.redacted,
        }
        return "\n".join(f"{what}: {', '.join(ids)}" for what, ids in said.items() if ids) or "nothing to restore"


@operation(Effect.WRITE, tool="memory_restore", http="POST /memories/restore", toolset="truth")
async def restore(call: Call, ids: ExactIds, *, reason: Reason | None = None) -> Restored:
    """Bring memories back that were retired or superseded, as they were before. What was erased is gone for good."""
    why, redacted = safe_reason(call, reason)
    done = await call.ports.storage.write(lambda writer: _restore(call, writer, ids, why))
    return done.model_copy(update={"redacted": redacted})


def _restore(call: Call, writer: Writer, ids: Sequence[str], reason: str | None) -> Restored:
    targets, missing, skipped = targeted(call, writer, ids)
    gone = [kept for kept in targets if kept.memory.status in GONE]
    now, key = call.ports.now(), writer.secret()
    changes = [revision(kept, {**_in_use(writer, kept.memory), "retired_at": None}, now) for kept in gone]
    _check_pins(call, writer, changes)
    for change in changes:
        same = identity(key, change.memory, occurred_given="occurred" in change.given)
        if same and (other := writer.by_identity(same)):
            raise Conflict(f"memory {other} already says what {change.memory.id} says", hint="Forget one of the two.")
        write_revision(call, writer, change, pieces=None, identity=same, reason=reason, operation="restore")
    return Restored(
        restored=tuple(kept.memory.id for kept in gone),
        unchanged=tuple(kept.memory.id for kept in targets if kept not in gone),
        missing=missing,
        skipped=skipped,
    )


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
