"""What the indexes need of a memory: weighted terms, and vectors of its windows and of it among its neighbours."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

import numpy as np

from bethink.domain import Memory
from bethink.models.protocol import Embedder
from bethink.storage.protocol import NEIGHBOURS, TEXT, WINDOW, Piece, Vector
from bethink.text.analyzer import analyze
from bethink.text.windows import windows

TITLE_WEIGHT: Final = 2
TAG_WEIGHT: Final = 2
# The share of the memory before in the vector among neighbours, and of the one before that.
NEIGHBOUR_SHARES: Final = (0.7, 0.5)
NEIGHBOURS_BEFORE: Final = len(NEIGHBOUR_SHARES)
_MOST_TITLE_TOKENS: Final = 64
_MOST_WEIGHT: Final = 255


def index_terms(memory: Memory, *, title_given: bool) -> dict[str, int]:
    """Return the terms of a memory and how much each weighs: how often it occurs, more in titles and tags."""
    terms = Counter(analyze(memory.content))
    if title_given:
        terms.update({t: TITLE_WEIGHT * n for t, n in Counter(analyze(memory.title)).items()})
    if memory.context:
        terms.update(analyze(memory.context))
    for tag in memory.tags:
        terms.update(dict.fromkeys(analyze(tag), TAG_WEIGHT))
    return {term: min(weight, _MOST_WEIGHT) for term, weight in terms.items()}


def passages(memory: Memory, embedder: Embedder, *, title_given: bool) -> list[tuple[int, int, str]]:
    """Return the windows of a memory as (start, stop, the text to embed); a given title heads each of them."""
    head = f"{memory.title}\n" if title_given and memory.title not in memory.content[:400] else ""
    room = embedder.window - min(len(embedder.token_starts(head)), _MOST_TITLE_TOKENS) if head else embedder.window
    spans = windows(memory.content, embedder.token_starts(memory.content), room)
    return [(start, stop, head + memory.content[start:stop].strip()) for start, stop in spans]


def pieces(spans: Sequence[tuple[int, int, str]], vectors: Sequence[Vector]) -> tuple[Piece, ...]:
    """Return the windows with their vectors; the only one stands for the whole text."""
    role = TEXT if len(spans) == 1 else WINDOW
    return tuple(Piece(role, start, stop, v) for (start, stop, _), v in zip(spans, vectors, strict=True))


def among_neighbours(own: Sequence[Piece], before: Sequence[Vector]) -> tuple[Piece, ...]:
    """Return a vector of a memory together with the ones before it in its thread, newest first; none without them."""
    if not before or not own:
        return ()
    mixed = own[0].vector + sum(share * vector for share, vector in zip(NEIGHBOUR_SHARES, before, strict=False))
    norm = float(np.linalg.norm(mixed))
    return (Piece(NEIGHBOURS, 0, own[-1].stop, (mixed / norm).astype(np.float32)),) if norm else ()
