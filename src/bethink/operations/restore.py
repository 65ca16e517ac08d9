"""Bring retired memories back."""

from __future__ import annotations

from collections.abc import Sequence

from bethink.domain import Status, Value
from bethink.errors import Conflict
from bethink.intake.item import identity, safe_reason
from bethink.intake.revising import revision, write_revision
from bethink.operation import Call, Effect, operation
from bethink.storage.protocol import Writer
from bethink.vocabulary import ExactIds, Reason

from .forget import targeted


class Restored(Value):
    """What is active again, what was not retired, and what could not be touched."""

    restored: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()

    def compact(self) -> str:
        """Return it as the few lines a model needs."""
        said = {
            "restored": self.restored,
            "not retired": self.unchanged,
            "not found": self.missing,
            "outside the write reach": self.skipped,
        }
        return "\n".join(f"{what}: {', '.join(ids)}" for what, ids in said.items() if ids) or "nothing to restore"


@operation(Effect.WRITE, tool="memory_restore", http="POST /memories/restore", toolset="truth")
async def restore(call: Call, ids: ExactIds, *, reason: Reason | None = None) -> Restored:
    """Bring memories back that were retired by memory_forget. What was erased is gone for good."""
    why = safe_reason(call, reason)
    return await call.ports.storage.write(lambda writer: _restore(call, writer, ids, why))


def _restore(call: Call, writer: Writer, ids: Sequence[str], reason: str | None) -> Restored:
    targets, missing, skipped = targeted(call, writer, ids)
    retired = [kept for kept in targets if kept.memory.status is Status.retired]
    now, key = call.ports.now(), writer.secret()
    for kept in retired:
        change = revision(kept, {"status": Status.active, "retired_at": None}, now)
        same = identity(key, change.memory, occurred_given="occurred" in kept.given)
        if same and (other := writer.by_identity(same)):
            raise Conflict(f"memory {other} already says what {kept.memory.id} says", hint="Forget one of the two.")
        write_revision(call, writer, change, pieces=None, identity=same, reason=reason, operation="restore")
    return Restored(
        restored=tuple(kept.memory.id for kept in retired),
        unchanged=tuple(kept.memory.id for kept in targets if kept not in retired),
        missing=missing,
        skipped=skipped,
    )
