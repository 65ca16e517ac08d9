"""Rebuild every vector with the embedder that is configured now."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

from bethink.domain import Value
from bethink.errors import Unsupported
from bethink.intake.storing import log
from bethink.jobs.embed import vectors_of
from bethink.operation import Call, Effect, operation
from bethink.principal import Permission
from bethink.storage.protocol import Writer
from bethink.storage.values import Kept, Piece, Space
from bethink.text.counts import memories

_BATCH: Final = 32


class Reembedded(Value):
    """How many memories got new vectors, and of which embedder all vectors are now."""

    memories: int
    embedder: str
    before: str | None = None

    def compact(self) -> str:
        """Return it as one line."""
        return f"{memories(self.memories)} embedded; the vectors are of {self.embedder}"


@operation(
    Effect.WRITE,
    tool="memory_reembed",
    http="POST /reembed",
    toolset="admin",
    permission=Permission.admin,
    seconds=None,
    surfaces=frozenset({"http", "cli"}),
)
async def reembed(call: Call) -> Reembedded:
    """Rebuild the vectors after the embedder was changed. Keyword search goes on; can be interrupted and run again."""
    embedder, storage = call.ports.embedder, call.ports.storage
    if call.principal.confined:
        raise Unsupported("vectors are rebuilt by the owner", hint="Ask who runs this server.")
    await embedder.load()
    space = embedder.identity, embedder.dimensions
    before = await storage.read(lambda reader: reader.embedder())
    await storage.write(lambda writer: writer.add_embedder(*space))
    total = await storage.read(lambda reader: reader.count_without(space))
    done = 0
    while True:
        pending = await storage.read(lambda reader: reader.without(space, _BATCH))
        made = [(kept, await vectors_of(call.ports, kept)) for kept in pending]
        if await storage.write(partial(_keep, call, space, made)):
            return Reembedded(memories=done, embedder=embedder.identity, before=before[0] if before else None)
        done += len(made)
        await call.report(done, max(total, done))


def _keep(call: Call, space: Space, made: Sequence[tuple[Kept, tuple[Piece, ...]]], writer: Writer) -> bool:
    """Write a batch; with none left, serve the new vectors and drop the old. True when that is done."""
    if made:
        for kept, pieces in made:
            writer.embed(kept.number, pieces, embedder=space)
        return False
    if writer.count_without(space):
        return False
    writer.use_embedder(*space)
    log(call, writer, "reembed", ())
    return True
