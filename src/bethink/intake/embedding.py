"""Vectors for what is written: made before the transaction, or left to the queue when the embedder cannot run."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from bethink.domain import Memory
from bethink.errors import Unavailable
from bethink.models.protocol import Embedder, embed_within, load_within, read_within, shares_space
from bethink.operation import Call
from bethink.storage.protocol import Snapshot
from bethink.storage.values import Piece, Vector

from .indexing import passages, telling_codes

Titled = tuple[Memory, bool]
Window = tuple[int, int, str]

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
    cuts = [passages(memory, embedder, title_given=given) for memory, given in memories]
    most = math.inf if call.ports.policy.wait_for_embedder else MOST_AT_ONCE
    try:
        made = await pieces(
            embedder, [cut for cut in cuts if len(cut) <= most], seconds_for=call.ports.policy.seconds_for
        )
    except Unavailable:
        return nothing
    # Only an answer tells the dimensions of an endpoint.
    if not await serves(call) or any(len(piece.vector) != embedder.dimensions for found in made for piece in found):
        return nothing
    found = iter(made)
    return [next(found) if len(cut) <= most else None for cut in cuts]


async def pieces(
    embedder: Embedder, cuts: Sequence[Sequence[Window]], *, seconds_for: Callable[[int], float]
) -> list[tuple[Piece, ...]]:
    """Return the windows of some memories with their vectors; a memory of one window has codes of its tokens too.

    A long one would have as many codes as it has words, and gains little by them. `seconds_for` says how long so many
    texts may take.
    """
    lone = [cut[0][2] for cut in cuts if len(cut) == 1]
    others = [text for cut in cuts if len(cut) > 1 for *_, text in cut]
    seconds = seconds_for(len(lone) + len(others))
    short = iter(await _read(embedder, lone, seconds) if lone else [])
    vectors: Iterable[Vector] = await embed_within(seconds, embedder, others, "document") if others else ()
    long = iter((vector, None) for vector in vectors)
    return [tuple(Piece(a, b, *next(short if len(cut) == 1 else long)) for a, b, _ in cut) for cut in cuts]


async def _read(embedder: Embedder, texts: Sequence[str], seconds: float) -> list[tuple[Vector, bytes | None]]:
    rows, tokens = await read_within(seconds, embedder, texts, "document")
    codes = [telling_codes(text, one) if one else None for text, one in zip(texts, tokens, strict=True)]
    return list(zip(rows, codes, strict=True))


async def serves(call: Call) -> bool:
    """Say whether the store's vectors are of this embedder, or it has none yet."""
    return await call.ports.storage.read(lambda reader: is_current(call.ports.embedder, reader))


def is_current(embedder: Embedder, reader: Snapshot) -> bool:
    """Say the same within a snapshot."""
    return shares_space(embedder, reader.embedder())
