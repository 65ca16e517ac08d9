"""Stand-ins for what the engine needs from outside: for our tests and for those of hosts."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

from .errors import Unavailable
from .models.protocol import Role, Vectors

_WORD = re.compile(r"\w+")


class HashingEmbedder:
    """Embed by the words a text holds: the same words, the same vector; no word in common, nearly always 0.

    Each word counts in one of 64 dimensions. With `loads=True` it is not ready before `load` is awaited.
    """

    identity = "hashing-64"
    dimensions = 64
    window = 254
    multilingual = False

    def __init__(self, *, loads: bool = False) -> None:
        self.ready = not loads

    def start_loading(self) -> None:
        """Do nothing: only `load` makes it ready, so that a test decides when."""

    async def load(self) -> None:
        """Become ready."""
        self.ready = True

    def token_starts(self, text: str) -> list[int]:
        """Return where each word starts."""
        return [match.start() for match in _WORD.finditer(text)]

    def familiarity(self, text: str) -> float:
        """Return 1: any word is hashed."""
        del text
        return 1.0

    async def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        """Return one row of length 1 a text, in order."""
        del role
        import numpy as np

        if not self.ready:
            raise Unavailable("the hashing embedder is not loaded yet", hint="Await `load()` first.")
        counts = np.zeros((len(texts), self.dimensions), np.float32)
        for row, text in enumerate(texts):
            for word in _WORD.findall(text.casefold()) or [""]:
                counts[row, _bucket(word) % self.dimensions] += 1
        unit: Vectors = counts / np.linalg.norm(counts, axis=1, keepdims=True)
        return unit

    async def close(self) -> None:
        """Do nothing: nothing is held."""


def _bucket(word: str) -> int:
    return int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest(), "big")
