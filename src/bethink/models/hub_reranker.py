"""Rerank on this machine with a cross-encoder of the hub."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import partial
from typing import Final

from bethink.errors import Unavailable

from .background import Background, InBackground
from .hub import MAIN, Hub, Snapshot, fetch
from .hub_model import HubModel, usable
from .rerank_endpoint import logistic

_MOST_OF_QUESTION: Final = 2_000


class HubReranker(InBackground[HubModel]):
    """Read one pair a run, on as many threads as there are cores. The first load fetches the model."""

    def __init__(self, hub: Hub, model: str, revision: str = MAIN) -> None:
        self.identity = f"hub:{model}"
        self._stop = threading.Event()
        self._background = Background(
            lambda: _load(fetch(hub, model, revision, stopped=self._stop.is_set), model), name=model, threads="rerank"
        )

    async def relevance(self, query: str, texts: Sequence[str]) -> Sequence[float]:
        """Return for each text, in order, how far it answers, 0..1."""
        read = partial(_relevance, self._background.loaded(), query[-_MOST_OF_QUESTION:])
        return await self._background.each(read, texts)

    async def close(self) -> None:
        """Stop fetching, drop what has not begun, and release the model."""
        self._stop.set()
        await self._background.close()


def _load(snapshot: Snapshot, name: str) -> HubModel:
    with usable(name):
        model = HubModel.opened(snapshot, name, outputs=("logits",))
        model.tokenizer.enable_truncation(model.longest, strategy="longest_first")
        _relevance(model, "a question", "a text")
        return model


def _relevance(model: HubModel, query: str, text: str) -> float:
    found = model.run(model.tokenizer.encode(query, text))
    if found.size != 1:
        raise Unavailable(
            f"{model.name} says {found.size} things of a question and a text, not one",
            hint="Name a cross-encoder that was made for reranking.",
        )
    return logistic(float(found.item()))
