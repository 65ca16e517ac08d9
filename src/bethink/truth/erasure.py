"""Erasing for good: a preview with a token, then removal from every read at once and from the bytes soon after."""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from bethink.domain import Value, from_micros
from bethink.errors import Conflict, InvalidRequest, Unavailable
from bethink.operation import Call
from bethink.recall.cursor import issue, redeem
from bethink.recall.known import visible_relations
from bethink.recall.selection import reachable
from bethink.storage.protocol import Reader, Snapshot, Writer
from bethink.storage.values import Event, Job, Kept

_PURPOSE: Final = "erase"
_LEASE_MICROS: Final = 120_000_000


class Preview(Value):
    """What an erasure would remove, and the token that makes it happen within the hour."""

    memories: int
    by_kind: dict[str, int]
    versions: int
    relations: int
    derived: tuple[str, ...]
    token: str

    def compact(self) -> str:
        """Return it as the few lines a model needs."""
        kinds = ", ".join(f"{n} {kind}" for kind, n in self.by_kind.items())
        lines = [f"would erase for good: {kinds}; {self.versions} earlier versions, {self.relations} relations"]
        if self.derived:
            lines.append(f"derived from them: {', '.join(self.derived)}")
        return "\n".join([*lines, f"to erase, call again with hard=true and token={self.token}"])


@dataclass(frozen=True, slots=True)
class Erased:
    """What was erased, where its export is (to a confined principal its name alone), whether the bytes are gone."""

    ids: tuple[str, ...]
    state: str
    export: str
    sha256: str


def preview(call: Call, reader: Reader, targets: Sequence[Kept]) -> Preview:
    """Count what would go, as far as the caller may know it; the token is bound to these memories at these versions."""
    if not targets:
        raise InvalidRequest("nothing to erase within the write reach", hint="Check the ids.")
    ids = [kept.memory.id for kept in targets]
    relations = visible_relations(reader, ids, reachable(call, reader))
    return Preview(
        memories=len(targets),
        by_kind=dict(Counter(kept.memory.kind.value for kept in targets)),
        versions=sum(len(reader.versions(i)) for i in ids),
        relations=len(relations),
        derived=tuple(sorted({r.source for r in relations if r.type == "derived_from" and r.source not in ids})),
        token=issue(reader.secret(), purpose=_PURPOSE, call=_bound(call, targets), state=None, now=call.ports.now()),
    )


async def erase(call: Call, targets: Sequence[Kept], token: str, reason: str | None) -> Erased:
    """Export, erase in one transaction, then empty the log; a job goes on where a reader prevents it."""
    storage = call.ports.storage
    await storage.read(lambda reader: _check(call, reader, targets, token))
    path, digest = await storage.read(lambda reader: _export(call, reader, targets))
    ids = tuple(kept.memory.id for kept in targets)
    await storage.write(lambda writer: _erase(call, writer, targets, token, reason))
    shown = path.name if call.principal.confined else str(path)
    return Erased(ids, "done" if await scrub(call) else "pending", shown, digest)


async def scrub(call: Call) -> bool:
    """Empty the log; say whether that took away the last bytes. The job is claimed first: a later one needs its own."""
    storage = call.ports.storage
    job = await storage.write(lambda writer: writer.claim(["scrub"], call.ports.now(), _LEASE_MICROS))
    done = await storage.scrub()
    if job is not None:
        await storage.write(lambda writer: _scrubbed(call, writer, job, done=done))
    return done


def _scrubbed(call: Call, writer: Writer, job: Job, *, done: bool) -> None:
    if done:
        writer.finish(job)
    else:
        writer.fail(job, "not possible yet", call.ports.now())


def _bound(call: Call, targets: Sequence[Kept]) -> Any:
    return [call.principal.name, sorted((k.memory.id, k.memory.version) for k in targets)]


def _check(call: Call, reader: Snapshot, targets: Sequence[Kept], token: str) -> None:
    if not targets:
        raise Conflict(
            "nothing to erase: the memories are gone or out of the write reach", hint="Ask for a new preview."
        )
    try:
        redeem(reader.secret(), token, purpose=_PURPOSE, call=_bound(call, targets), now=call.ports.now())
    except InvalidRequest as wrong:
        raise Conflict(
            "the token does not fit these memories as they are now", hint="Call with hard=true and no token first."
        ) from wrong


def _export(call: Call, reader: Reader, targets: Sequence[Kept]) -> tuple[Path, str]:
    folder = Path(call.ports.policy.exports)
    lines = [_line(reader, kept) for kept in targets]
    body = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines).encode()
    digest = hashlib.sha256(body).hexdigest()
    path = folder / f"erased-{from_micros(call.ports.now()):%Y%m%dT%H%M%S}-{digest[:8]}.jsonl"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # An earlier attempt may have left the same bytes, or half of them; the name holds their hash.
        path.touch(mode=0o600)
        with path.open("wb") as file:
            file.write(body)
            file.flush()
            os.fsync(file.fileno())
    except OSError as wrong:
        raise Unavailable("the export before erasing could not be written", hint="Check the exports folder.") from wrong
    return path, digest


def _line(reader: Reader, kept: Kept) -> dict[str, Any]:
    memory = kept.memory
    return {
        "memory": memory.model_dump(mode="json", exclude_none=True),
        "versions": [v.model_dump(mode="json") for v in reader.versions(memory.id)],
        "relations": [r.model_dump(mode="json") for r in reader.relations([memory.id])],
    }


def _erase(call: Call, writer: Writer, targets: Sequence[Kept], token: str, reason: str | None) -> None:
    ids = [kept.memory.id for kept in targets]
    now = writer.kept(ids)
    _check(call, writer, now, token)
    writer.erase(ids)
    principal = call.principal
    writer.log(Event(call.ports.now(), "erase", principal.name, principal.agent, tuple(ids), (), reason))
    writer.enqueue("scrub", None, call.ports.now())
