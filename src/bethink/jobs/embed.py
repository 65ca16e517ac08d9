"""Give a memory the vectors it was stored without, and propose what the gate could not see then."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bethink.errors import Unavailable
from bethink.intake.indexing import NEIGHBOURS_BEFORE, among_neighbours, passages, pieces
from bethink.ports import Ports
from bethink.storage.protocol import Job, Kept, Piece, Reader, Vector, Writer


@dataclass(frozen=True, slots=True)
class _Waiting:
    kept: Kept
    before: Sequence[Vector]


async def work(ports: Ports, job: Job) -> bool:
    """Embed the job's memory; one that is gone or changed meanwhile needs nothing more of this job."""
    waiting = await ports.storage.read(lambda reader: _waiting(ports, reader, job))
    made = None if waiting is None else await vectors_of(ports, waiting.kept, waiting.before)
    await ports.storage.write(lambda writer: _write(ports, writer, job, waiting, made))
    return True


async def vectors_of(ports: Ports, kept: Kept, before: Sequence[Vector]) -> tuple[Piece, ...]:
    """Return every vector of a memory: its windows, and it among its neighbours."""
    spans = passages(kept.memory, ports.embedder, title_given="title" in kept.given)
    vectors = await ports.embedder.embed([text for _, _, text in spans], "document")
    own = pieces(spans, list(vectors))
    return (*own, *among_neighbours(own, before))


def _waiting(ports: Ports, reader: Reader, job: Job) -> _Waiting | None:
    current = reader.embedder()
    if current is not None and current[0] != ports.embedder.identity:
        raise Unavailable(f"the store's vectors are of {current[0]}", hint="Run `bethink reembed`.")
    found = reader.kept([job.memory or ""])
    if not found:
        return None
    return _Waiting(found[0], reader.thread_vectors(found[0].namespace, found[0].memory, NEIGHBOURS_BEFORE))


def _write(ports: Ports, writer: Writer, job: Job, waiting: _Waiting | None, made: tuple[Piece, ...] | None) -> None:
    if waiting is not None and made is not None:
        now: list[Kept] = writer.kept([waiting.kept.memory.id])
        if now and now[0].number == waiting.kept.number:
            if writer.embedder() is None:
                writer.use_embedder(ports.embedder.identity, ports.embedder.dimensions)
            writer.embed(waiting.kept.number, made)
        elif now:
            return
    writer.finish(job)
