"""Vectors for what is written: made before the transaction, or left to the queue when the embedder cannot run."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from bethink.domain import Memory
from bethink.errors import Unavailable
from bethink.models.protocol import Embedder, embed_within, load_within, shares_space
from bethink.operation import Call
from bethink.storage.protocol import Piece, Snapshot

from .indexing import passages, pieces

Titled = tuple[Memory, bool]

# Windows, of some 250 words each, that are embedded in about a second. A caller that does not wait is answered before
# a longer memory has its vectors.
MOST_AT_ONCE: Final = 64


async def can_embed(call: Call) -> bool:
    """Say whether vectors can be made now; a caller that may wait waits for the model."""
    embedder = call.ports.embedder
    if not embedder.ready and call.ports.policy.wait_for_embedder:
        try:
            await load_within(call.ports.policy.seconds_for(0), embedder)
        except Unavailable:
            return False
    return embedder.ready


async def embed_all(call: Call, memories: Sequence[Titled]) -> list[tuple[Piece, ...] | None]:
    """Return the window vectors of each memory; None where they are left to the queue.

    All are when the embedder cannot run or is not the store's, a very long one also where the caller does not wait.
    """
    nothing: list[tuple[Piece, ...] | None] = [None] * len(memories)
    if not await can_embed(call) or not await serves(call):
        return nothing
    embedder = call.ports.embedder
    spans = [passages(memory, embedder, title_given=given) for memory, given in memories]
    most = math.inf if call.ports.policy.wait_for_embedder else MOST_AT_ONCE
    texts = [text for cut in spans if len(cut) <= most for _, _, text in cut]
    try:
        made = list(await embed_within(call.ports.policy.seconds_for(len(texts)), embedder, texts, "document"))
    except Unavailable:
        return nothing
    # Only an answer tells the dimensions of an endpoint.
    if not await serves(call) or any(len(vector) != embedder.dimensions for vector in made):
        return nothing
    vectors = iter(made)
    return [pieces(cut, [next(vectors) for _ in cut]) if len(cut) <= most else None for cut in spans]


async def serves(call: Call) -> bool:
    """Say whether the store's vectors are of this embedder, or it has none yet."""
    return await call.ports.storage.read(lambda reader: is_current(call.ports.embedder, reader))


def is_current(embedder: Embedder, reader: Snapshot) -> bool:
    """Say the same within a snapshot."""
    return shares_space(embedder, reader.embedder())
