"""What Bethink asks of a model that turns text into vectors."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, Protocol, TypeAlias, runtime_checkable

from bethink.errors import Unavailable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Role = Literal["query", "document"]
Vectors: TypeAlias = "NDArray[np.float32]"
Codes: TypeAlias = "NDArray[np.uint8]"
"""Vectors in one bit a dimension, a row each: whether each part is positive, the first in the highest bit of a byte."""
NONE: Final = "none"
"""The identity of the embedder that makes no vectors."""
UNTOLD: Final = "?"
"""What stands in an identity for what the embedder has yet to learn: which model a server has, which commit a hub."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """What a model makes of each token of a text: the code of its vector, and from where to where its word stands."""

    codes: Codes
    words: tuple[tuple[int, int], ...]


class Embedder(Protocol):
    """Turn texts into unit vectors whose dot product says how near their meanings are."""

    @property
    def identity(self) -> str:
        """Name the vector space: two vectors may be compared only when their identities are equal.

        `UNTOLD` stands in it for what is not known before the embedder is ready.
        """
        ...

    @property
    def dimensions(self) -> int:
        """Length of a vector; 0 while an endpoint has not answered yet, and always 0 for `none`."""
        ...

    @property
    def window(self) -> int:
        """Most tokens that one vector can stand for, special tokens excluded."""
        ...

    @property
    def multilingual(self) -> bool:
        """Whether a question finds a text in another language."""
        ...

    @property
    def ready(self) -> bool:
        """Whether `embed` would run now: False while loading, after a failed load, and for `none`."""
        ...

    def start_loading(self) -> None:
        """Begin to load in the background and return at once; harmless when loading or loaded."""
        ...

    async def load(self) -> None:
        """Wait until ready; raise `Unavailable` when that cannot come."""
        ...

    def token_starts(self, text: str) -> list[int]:
        """Return the offset, in characters, at which each token of `text` starts.

        Windows are cut with these. Raises `Unavailable` when the tokenizer is not loaded.
        """
        ...

    def familiarity(self, text: str) -> float:
        """Return how far the model knows the words of `text`, 0..1: 1 where it cannot tell.

        A model made for one language says nothing of another. Raises `Unavailable` when the tokenizer is not loaded.
        """
        ...

    async def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        """Return one row of length 1 a text, in the order given.

        Never waits for a load: raises `Unavailable` when not ready. A text longer than `window` is the caller's to
        cut; what lies beyond it does not reach the vector.
        """
        ...

    async def close(self) -> None:
        """Let go of threads, connections and memory; the embedder cannot be used afterwards."""
        ...


@runtime_checkable
class TokenEmbedder(Protocol):
    """What an embedder also does that shows the vectors of its tokens."""

    async def embed_tokens(self, texts: Sequence[str], role: Role) -> tuple[Vectors, list[Tokens]]:
        """Return the rows that `embed` returns, and the tokens of each text without those that frame it."""
        ...


class Reranker(Protocol):
    """Read a question and a text together, and tell how far the text answers it."""

    @property
    def identity(self) -> str:
        """Name the model and where it runs."""
        ...

    @property
    def ready(self) -> bool:
        """Whether `relevance` would run now."""
        ...

    def start_loading(self) -> None:
        """Begin to load in the background and return at once; harmless when loading or loaded."""
        ...

    async def load(self) -> None:
        """Wait until ready; raise `Unavailable` when that cannot come."""
        ...

    async def relevance(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        """Return for each text, in order, how far it answers, 0..1.

        Never waits for a load: raises `Unavailable` when not ready. Of a long text as much is read as fits.
        """
        ...

    async def close(self) -> None:
        """Let go of threads, connections and memory; the reranker cannot be used afterwards."""
        ...


def shares_space(embedder: Embedder, kept: tuple[str, int] | None) -> bool:
    """Say whether this embedder's vectors may stand beside those kept, of an identity and dimensions, if any are.

    One that has not answered yet, whose dimensions are unknown, is taken at its name, as far as that is told.
    """
    if kept is None:
        return True
    identity, dimensions = kept
    return _may_be(embedder.identity, identity) and embedder.dimensions in {0, dimensions}


def mismatch(embedder: Embedder, kept: tuple[str, int]) -> str:
    """Say in what the kept vectors are not this embedder's."""
    identity, dimensions = kept
    if not _may_be(embedder.identity, identity):
        return f"the vectors are of {identity}, the embedder is {embedder.identity}"
    return f"the vectors of {identity} have {dimensions} dimensions, it answers with {embedder.dimensions} now"


def _may_be(named: str, identity: str) -> bool:
    before, untold, after = named.partition(UNTOLD)
    return named == identity or bool(untold and identity.startswith(before) and identity.endswith(after))


async def load_within(seconds: float, model: Embedder | Reranker, who: str = "the embedder") -> None:
    """Wait until ready; raise `Unavailable` when that cannot come, or has not after so many seconds."""
    async with _answering(seconds, who):
        await model.load()


async def embed_within(seconds: float, embedder: Embedder, texts: Sequence[str], role: Role) -> Vectors:
    """Return a row a text; raise `Unavailable` when they have not come after so many seconds, as of a hung endpoint."""
    async with _answering(seconds):
        return await embedder.embed(texts, role)


async def read_within(
    seconds: float, embedder: Embedder, texts: Sequence[str], role: Role
) -> tuple[Vectors, Sequence[Tokens | None]]:
    """Return a row a text with its tokens, which are None where the embedder does not show them; raise as above."""
    if not isinstance(embedder, TokenEmbedder):
        return await embed_within(seconds, embedder, texts, role), [None] * len(texts)
    async with _answering(seconds):
        return await embedder.embed_tokens(texts, role)


async def judge_within(seconds: float, reranker: Reranker, query: str, texts: Sequence[str]) -> Sequence[float]:
    """Return how far each text answers; raise `Unavailable` when that has not come after so many seconds."""
    async with _answering(seconds, "the reranker"):
        return await reranker.relevance(query, texts)


@asynccontextmanager
async def _answering(seconds: float, who: str = "the embedder") -> AsyncIterator[None]:
    try:
        async with asyncio.timeout(seconds):
            yield
    except TimeoutError as late:
        raise Unavailable(
            f"{who} did not answer within {seconds:g} s", hint="Keyword search works meanwhile."
        ) from late
