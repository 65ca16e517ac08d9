"""Give a memory the vectors that it was stored without, and look for what says the same, as nobody could then."""

from __future__ import annotations

from bethink.domain import NEVER_DEDUPLICATED
from bethink.errors import Unavailable
from bethink.intake.embedding import is_current, pieces
from bethink.intake.gate import Near, duplicate, near_memories
from bethink.intake.indexing import passages
from bethink.models.protocol import mismatch, shares_space
from bethink.operation import Call
from bethink.ports import Ports
from bethink.principal import ROOT, owner
from bethink.storage.protocol import Reader, Writer
from bethink.storage.values import Job, Kept, Piece

_WORKER = owner(ROOT)


async def work(ports: Ports, job: Job) -> bool:
    """Embed the job's memory; one that is gone or changed meanwhile needs nothing more of this job."""
    kept = await ports.storage.read(lambda reader: _waiting(ports, reader, job))
    made = None if kept is None else await vectors_of(ports, kept)
    await ports.storage.write(lambda writer: _write(ports, writer, job, kept, made))
    if kept is not None and made:
        await _propose(ports, kept, made[0])
    return True


async def vectors_of(ports: Ports, kept: Kept) -> tuple[Piece, ...]:
    """Return the vectors of a memory's windows."""
    windows = passages(kept.memory, ports.embedder, title_given="title" in kept.given)
    (made,) = await pieces(ports.embedder, [windows], seconds_for=ports.policy.seconds_for)
    return made


def _waiting(ports: Ports, reader: Reader, job: Job) -> Kept | None:
    current = reader.embedder()
    if current is not None and not shares_space(ports.embedder, current):
        raise Unavailable(mismatch(ports.embedder, current), hint="Run `bethink reembed`.")
    return next(iter(reader.kept([job.memory or ""])), None)


async def _propose(ports: Ports, kept: Kept, first: Piece) -> None:
    """Put a merge before the owner where another memory says the same; nothing is changed by itself."""
    if kept.memory.kind in NEVER_DEDUPLICATED:
        return
    call = Call(ports, _WORKER)
    same = await ports.storage.read(lambda reader: _same(call, reader, kept, first))
    if same is not None:
        evidence = {"similarity": round(same.similarity, 4)}
        ids = kept.memory.id, same.memory.id
        await ports.storage.write(
            lambda writer: (
                writer.propose("merge", *ids, evidence, ports.now()) if len(writer.kept(ids)) == len(ids) else None
            )
        )


def _same(call: Call, reader: Reader, kept: Kept, first: Piece) -> Near | None:
    place = next(p for p in reader.places() if p.id == kept.namespace)
    near = near_memories(call, reader, kept.memory, place=place, vector=first.vector, terms=())
    others = [n for n in near if n.memory.id != kept.memory.id]
    return duplicate(others, kept.memory, place.namespace)


def _write(ports: Ports, writer: Writer, job: Job, kept: Kept | None, made: tuple[Piece, ...] | None) -> None:
    if kept is not None and made is not None:
        now = writer.kept([kept.memory.id])
        changed = now and (now[0].number, now[0].memory.content_hash) != (kept.number, kept.memory.content_hash)
        if changed or not is_current(ports.embedder, writer):
            return  # the job stays, its lease ends
        if now:
            if writer.embedder() is None:
                writer.use_embedder(ports.embedder.identity, ports.embedder.dimensions)
            writer.embed(kept.number, made)
    writer.finish(job)
