"""The embedder of a store that is searched by keyword alone."""

from __future__ import annotations

from collections.abc import Sequence

from bethink.errors import Unavailable

from .protocol import NONE, Role, Vectors


class NoEmbedder:
    """Stand where an embedder is expected and say that there is none: never ready, dimensions 0."""

    identity = NONE
    dimensions = 0
    window = 0
    multilingual = False
    ready = False

    def start_loading(self) -> None:
        """Do nothing: there is nothing to load."""

    async def load(self) -> None:
        """Raise `Unavailable`: it is never ready."""
        raise _off()

    def token_starts(self, text: str) -> list[int]:
        """Raise `Unavailable`: there is no tokenizer."""
        del text
        raise _off()

    def familiarity(self, text: str) -> float:
        """Return 0: nothing is known."""
        del text
        return 0.0

    async def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        """Raise `Unavailable`: there is no model."""
        del texts, role
        raise _off()

    async def close(self) -> None:
        """Do nothing: nothing is held."""


def _off() -> Unavailable:
    return Unavailable("search by meaning is off", hint="Set the embedder to 'minilm' to turn it on.")
