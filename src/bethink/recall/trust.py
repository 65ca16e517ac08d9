"""How far an embedder can be trusted with a question: one made for English says nothing of Japanese."""

from __future__ import annotations

import unicodedata
from functools import lru_cache


def trust_in(query: str, multilingual: bool) -> float:
    """Return 1 when the embedder reads the question's script, else the share of its letters that are Latin."""
    if multilingual or query.isascii():
        return 1.0
    letters = [c for c in query if c.isalpha()]
    if not letters:
        return 1.0
    return sum(_is_latin(c) for c in letters) / len(letters)


@lru_cache(maxsize=4096)
def _is_latin(letter: str) -> bool:
    return letter.isascii() or unicodedata.name(letter, "").startswith("LATIN")
