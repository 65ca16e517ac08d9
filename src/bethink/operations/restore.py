"""Bring retired and superseded memories back."""

from __future__ import annotations

from collections.abc import Sequence

from bethink.domain import Value
from bethink.intake.item import GONE, safe_reason
from bethink.intake.restoring import bring_back
from bethink.operation import Call, Effect, operation
from bethink.storage.protocol import Writer
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
    bring_back(call, writer, gone, reason)
    return Restored(
        restored=tuple(kept.memory.id for kept in gone),
        unchanged=tuple(kept.memory.id for kept in targets if kept not in gone),
        missing=missing,
        skipped=skipped,
    )
