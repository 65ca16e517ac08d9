"""What the indexes need of a memory: weighted terms, and vectors of its windows."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

from bethink.domain import Memory
from bethink.models.protocol import Embedder
from bethink.storage.protocol import Piece, Vector
from bethink.text.analyzer import analyze
from bethink.text.windows import turn_starts, windows

# Weights are in tenths of an occurrence: what an assistant said in a transcript counts a tenth of what a person said.
# Chosen on LongMemEval: bench/RESULTS.md, `fit`.
UNIT: Final = 10
TITLE_WEIGHT: Final = 2 * UNIT
TAG_WEIGHT: Final = 2 * UNIT
ASSISTANT_WEIGHT: Final = 1
_ASSISTANT: Final = re.compile(r"(?:assistant|ai|model|bot|system)\s*:", re.IGNORECASE)
_MOST_TITLE_TOKENS: Final = 64
_MOST_WEIGHT: Final = 255


def index_terms(memory: Memory, *, title_given: bool) -> dict[str, int]:
    """Return the terms of a memory and how much each weighs: how often it occurs, more in titles and tags."""
    weights: Counter[str] = Counter()
    for text, weight in _parts(memory.content):
        _add(weights, text, weight)
    if title_given:
        _add(weights, memory.title, TITLE_WEIGHT)
    if memory.context:
        _add(weights, memory.context, UNIT)
    for tag in memory.tags:
        _add(weights, tag, TAG_WEIGHT)
    return {term: min(weight, _MOST_WEIGHT) for term, weight in weights.items()}


def passages(memory: Memory, embedder: Embedder, *, title_given: bool) -> list[tuple[int, int, str]]:
    """Return the windows of a memory as (start, stop, the text to embed); a given title heads each of them."""
    head = f"{memory.title}\n" if title_given and memory.title not in memory.content[:400] else ""
    room = embedder.window - min(len(embedder.token_starts(head)), _MOST_TITLE_TOKENS) if head else embedder.window
    spans = windows(memory.content, embedder.token_starts(memory.content), room)
    return [(start, stop, head + memory.content[start:stop].strip()) for start, stop in spans]


def pieces(spans: Sequence[tuple[int, int, str]], vectors: Sequence[Vector]) -> tuple[Piece, ...]:
    """Return the windows with their vectors."""
    return tuple(Piece(start, stop, vector) for (start, stop, _), vector in zip(spans, vectors, strict=True))


def _parts(content: str) -> list[tuple[str, int]]:
    """A text and its weight; the turns of a transcript each with its own."""
    turns = turn_starts(content)
    if len(turns) == 1:
        return [(content, UNIT)]
    texts = [content[start:stop] for start, stop in zip(turns, [*turns[1:], len(content)], strict=True)]
    return [(text, ASSISTANT_WEIGHT if _ASSISTANT.match(text) else UNIT) for text in texts]


def _add(weights: Counter[str], text: str, weight: int) -> None:
    for term, count in Counter(analyze(text)).items():
        weights[term] += weight * count
