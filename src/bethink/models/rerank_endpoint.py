"""Rerank through an HTTP endpoint: the batches and checks that every provider shares."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from bethink.errors import Unavailable

from .connection import NO_KEY, Connection, Key, Pause, place

_BATCH: Final = 32  # text-embeddings-inference takes no more by default
_MEANWHILE: Final = "The order without it is given meanwhile."

Scores = list[tuple[int, float]]


@dataclass(frozen=True, slots=True)
class RerankWire:
    """How one provider is spoken to."""

    provider: str
    path: str
    body: Callable[[str, str, Sequence[str]], object]
    """Ask the model, named first, about a question and texts."""
    scores: Callable[[object], Scores]
    """Take the place and score of each text out of a reply; one of another shape may raise KeyError or TypeError."""


class EndpointReranker:
    """Rerank with a model that an HTTP server runs; nothing is loaded, it is ready at once."""

    ready = True

    def __init__(
        self, wire: RerankWire, model: str = "", *, url: str, key: Key = NO_KEY, pause: Pause = asyncio.sleep
    ) -> None:
        self.identity = f"{wire.provider}:{model}@{place(url)}" if model else f"{wire.provider}:{place(url)}"
        self._wire, self._model = wire, model
        self._connection = Connection(self.identity, url, key=key, later=_MEANWHILE, pause=pause)

    def start_loading(self) -> None:
        """Do nothing: the model is loaded elsewhere."""

    async def load(self) -> None:
        """Do nothing: whether it answers is seen when it is asked."""

    async def relevance(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        """Return for each text, in order, how far it answers, 0..1."""
        batches = [texts[start : start + _BATCH] for start in range(0, len(texts), _BATCH)]
        scores = [score for batch in batches for score in await self._scores(query, batch)]
        if all(0 <= score <= 1 for score in scores):
            return scores
        return [logistic(score) for score in scores]  # some servers hand out the bare logit

    async def close(self) -> None:
        """Close the connections."""
        await self._connection.close()

    async def _scores(self, query: str, texts: Sequence[str]) -> list[float]:
        reply = await self._connection.post(self._wire.path, self._wire.body(self._model, query, texts))
        try:
            scores = {int(at): float(score) for at, score in self._wire.scores(reply)}
        except (KeyError, TypeError, ValueError) as exc:
            raise self._malformed() from exc
        if scores.keys() != set(range(len(texts))) or not all(map(math.isfinite, scores.values())):
            raise self._malformed()
        return [scores[at] for at in range(len(texts))]

    def _malformed(self) -> Unavailable:
        return Unavailable(
            f"{self.identity} did not answer with one score a text",
            hint="Check that the URL is that of a reranking endpoint and the model one that reranks.",
        )


def logistic(logit: float) -> float:
    """Return the probability that a logit stands for."""
    return (1 + math.tanh(logit / 2)) / 2
