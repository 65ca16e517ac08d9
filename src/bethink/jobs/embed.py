"""Give a memory the vectors that it was stored without."""

from __future__ import annotations

from bethink.errors import Unavailable
from bethink.intake.indexing import passages, pieces
from bethink.ports import Ports
from bethink.storage.protocol import Job, Kept, Piece, Reader, Writer


async def work(ports: Ports, job: Job) -> bool:
    """Embed the job's memory; one that is gone or changed meanwhile needs nothing more of this job."""
    kept = await ports.storage.read(lambda reader: _waiting(ports, reader, job))
    made = None if kept is None else await vectors_of(ports, kept)
    await ports.storage.write(lambda writer: _write(ports, writer, job, kept, made))
    return True


async def vectors_of(ports: Ports, kept: Kept) -> tuple[Piece, ...]:
    """Return the vectors of a memory's windows."""
    spans = passages(kept.memory, ports.embedder, title_given="title" in kept.given)
    return pieces(spans, list(await ports.embedder.embed([text for _, _, text in spans], "document")))


def _waiting(ports: Ports, reader: Reader, job: Job) -> Kept | None:
    current = reader.embedder()
    if current is not None and current[0] != ports.embedder.identity:
        raise Unavailable(f"the store's vectors are of {current[0]}", hint="Run `bethink reembed`.")
    return next(iter(reader.kept([job.memory or ""])), None)


def _write(ports: Ports, writer: Writer, job: Job, kept: Kept | None, made: tuple[Piece, ...] | None) -> None:
    if kept is not None and made is not None:
        now = writer.kept([kept.memory.id])
        if now and now[0].number != kept.number:
            return  # the text changed meanwhile: the job stays, its lease ends
        if now:
            if writer.embedder() is None:
                writer.use_embedder(ports.embedder.identity, ports.embedder.dimensions)
            writer.embed(kept.number, made)
    writer.finish(job)
