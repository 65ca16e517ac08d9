"""Retire memories, or erase them for good in two steps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Final

from bethink.domain import Status, Value, from_micros
from bethink.errors import Forbidden, InvalidRequest
from bethink.intake.item import safe_reason
from bethink.intake.revising import revision, write_revision
from bethink.operation import Call, Effect, operation
from bethink.principal import Permission
from bethink.recall.handles import EXACT, resolve_all
from bethink.recall.selection import reachable, writable
from bethink.storage.protocol import Snapshot, Writer
from bethink.storage.values import Kept
from bethink.truth.erasure import Preview, erase, preview
from bethink.vocabulary import ExactIds, Needs, Reason, about

_ERASING: Final = Needs(Permission.erase)
Hard = Annotated[
    bool, _ERASING, about("Erase for good: gives a preview and a token; a second call with the token erases.")
]
Token = Annotated[str, _ERASING, about("The token of the preview.", max_length=16_384)]


class Forgotten(Value):
    """What was retired or erased, what was not, and for an erasure its preview or progress."""

    retired: tuple[str, ...] = ()
    erased: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()
    preview: Preview | None = None
    erasure: str | None = None
    export: str | None = None
    export_sha256: str | None = None
    redacted: tuple[str, ...] = ()

    def compact(self) -> str:
        """Return it as the few lines a model needs."""
        if self.preview is not None:
            return self.preview.compact()
        said = {
            "retired": self.retired,
            "erased": self.erased,
            "retired before": self.unchanged,
            "not found": self.missing,
            "outside the write reach": self.skipped,
            "redacted": self.redacted,
        }
        lines = [f"{what}: {', '.join(ids)}" for what, ids in said.items() if ids]
        if self.erasure:
            lines.append(f"erasure: {self.erasure}; exported to {self.export}")
        return "\n".join(lines) or "nothing to forget"


@operation(Effect.DESTROY, tool="memory_forget", http="POST /memories/forget")
async def forget(
    call: Call, ids: ExactIds, *, reason: Reason | None = None, hard: Hard = False, token: Token | None = None
) -> Forgotten:
    """Take memories out of use because they are wrong or no longer matter; they can be restored.

    Prefer storing a correction with on_conflict=supersede.
    """
    why, redacted = safe_reason(call, reason)
    if token is not None and not hard:
        raise InvalidRequest("token goes with hard=true", hint="Repeat the call with hard=true and the token.")
    if not hard:
        retired = await call.ports.storage.write(lambda writer: _retire(call, writer, ids, why))
        return retired.model_copy(update={"redacted": redacted})
    if not call.principal.may(Permission.erase):
        raise Forbidden("erasing is not permitted here", hint="Retire instead: leave hard out.")
    targets, missing, skipped = await call.ports.storage.read(lambda reader: targeted(call, reader, ids))
    if token is None:
        shown = await call.ports.storage.read(lambda reader: preview(call, reader, targets))
        return Forgotten(preview=shown, missing=missing, skipped=skipped)
    done = await erase(call, targets, token, why)
    return Forgotten(
        erased=done.ids,
        missing=missing,
        skipped=skipped,
        erasure=done.state,
        export=done.export,
        export_sha256=done.sha256,
        redacted=redacted,
    )


def targeted(call: Call, reader: Snapshot, ids: Sequence[str]) -> tuple[list[Kept], tuple[str, ...], tuple[str, ...]]:
    """Return what `ids` mean within the write reach, what means nothing, and what is out of the write reach."""
    found, missing = resolve_all(reader, ids, reachable(call, reader), least=EXACT)
    allowed = reader.numbers(found, writable(call, reader))
    return reader.kept([i for i in found if i in allowed]), tuple(missing), tuple(i for i in found if i not in allowed)


def _retire(call: Call, writer: Writer, ids: Sequence[str], reason: str | None) -> Forgotten:
    targets, missing, skipped = targeted(call, writer, ids)
    live = [kept for kept in targets if kept.memory.status is not Status.retired]
    now = call.ports.now()
    for kept in live:
        change = revision(kept, {"status": Status.retired, "retired_at": from_micros(now)}, now)
        write_revision(call, writer, change, pieces=None, identity=None, reason=reason, operation="retire")
    return Forgotten(
        retired=tuple(kept.memory.id for kept in live),
        unchanged=tuple(kept.memory.id for kept in targets if kept not in live),
        missing=missing,
        skipped=skipped,
    )
