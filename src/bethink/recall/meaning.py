"""The vector of a question, or why there is none."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from bethink.errors import Unavailable
from bethink.models.protocol import load_within, mismatch, read_within, shares_space
from bethink.operation import Call
from bethink.storage.protocol import Reader
from bethink.storage.values import Vector

from .plan import meaning_of
from .words import Words, words_of


@dataclass(frozen=True, slots=True)
class Meaning:
    """A question's vector, how far to trust it (0..1), what was cut from it, and why meaning was skipped.

    `words` are its telling tokens, where the embedder shows them.
    """

    vector: Vector | None
    words: Words | None = None
    trust: float = 0.0
    notes: tuple[str, ...] = ()
    skipped: str | None = None


NOT_ASKED: Final = Meaning(None)


async def embedded(call: Call, query: str) -> Meaning:
    """Embed a question; a caller that may wait waits for the model, others go without it."""
    embedder = call.ports.embedder
    try:
        if call.ports.policy.wait_for_embedder:
            await load_within(call.ports.policy.seconds_for(0), embedder)
        if not embedder.ready:
            return Meaning(None, skipped="the embedder is not ready")
        text, notes = meaning_of(query, embedder)
        (row,), (tokens,) = await read_within(call.ports.policy.seconds_for(1), embedder, [text], "query")
        words = words_of(text, tokens) if tokens else None
        return Meaning(row, words, trusted(embedder.familiarity(text)), notes)
    except Unavailable as wrong:
        return Meaning(None, skipped=str(wrong))


def trusted(familiarity: float) -> float:
    """Return how far a vector counts for a question of whose words the model knows this share.

    Chosen so that questions in English count whole and those in Japanese not at all with an English model.
    """
    return min(max((familiarity - 0.2) / 0.3, 0.0), 1.0)


def comparable(call: Call, reader: Reader, meaning: Meaning) -> Meaning:
    """Drop the vector when the store's vectors are of another embedder, and say what to do."""
    embedder, kept = call.ports.embedder, reader.embedder()
    if meaning.vector is None or kept is None or shares_space(embedder, kept):
        return meaning
    return replace(meaning, vector=None, words=None, skipped=f"{mismatch(embedder, kept)}: run `bethink reembed`")
