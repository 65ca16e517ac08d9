"""The engine: what it holds, and what it can do."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from .jobs.worker import Worker
from .operations import ask as ask_
from .operations import calibrate as calibrate_
from .operations import edges as edges_
from .operations import entities as entities_
from .operations import evaluate as evaluate_
from .operations import excerpt as excerpt_
from .operations import explore as explore_
from .operations import forget as forget_
from .operations import gaps as gaps_
from .operations import get as get_
from .operations import golden as golden_
from .operations import graph as graph_
from .operations import list as list_
from .operations import namespaces as namespaces_
from .operations import recall as recall_
from .operations import reembed as reembed_
from .operations import reindex as reindex_
from .operations import relate as relate_
from .operations import related as related_
from .operations import restore as restore_
from .operations import stats as stats_
from .operations import store as store_
from .operations import store_many as store_many_
from .operations import unrelate as unrelate_
from .operations import update as update_
from .ports import Ports
from .principal import Principal

if TYPE_CHECKING:
    from .models.protocol import Embedder, Reranker


@dataclass(slots=True)
class Bethink:
    """A memory, opened for one principal. Use it as an async context manager, or close it.

    Every method below is an operation: the same on MCP, the command line and here. See docs/reference.
    """

    ports: Ports
    principal: Principal
    _worker: Worker | None = field(default=None, repr=False)

    store = store_.store
    recall = recall_.recall
    get = get_.get
    list = list_.list
    update = update_.update
    forget = forget_.forget
    restore = restore_.restore
    relate = relate_.relate
    edges = edges_.edges
    graph = graph_.graph
    unrelate = unrelate_.unrelate
    stats = stats_.stats
    entities = entities_.entities
    namespaces = namespaces_.namespaces
    store_many = store_many_.store_many
    explore = explore_.explore
    excerpt = excerpt_.excerpt
    related = related_.related
    ask = ask_.ask
    gaps = gaps_.gaps
    reembed = reembed_.reembed
    reindex = reindex_.reindex
    evaluate = evaluate_.evaluate
    golden = golden_.golden
    calibrate = calibrate_.calibrate

    @staticmethod
    def open(
        path: str | Path | None = None,
        *,
        principal: Principal | None = None,
        embedder: str = "minilm",
        reranker: str = "none",
        timezone: str = "UTC",
    ) -> Bethink:
        """Open the store at `path` (default: the user's), creating it at the first call where there is none.

        Nothing is read from the environment. `principal` fixes whose memory is touched; without one the caller is the
        owner and writes to `user:LOGIN`. `embedder` and `reranker` name models, as the settings of these names do; they
        load in the background, and a call that needs one waits. Dates and times without an offset are read in
        `timezone`.
        """
        from .app import open_library

        return open_library(path, principal=principal, embedder=embedder, reranker=reranker, timezone=timezone)

    def as_(self, principal: Principal) -> Bethink:
        """Return the same store for another principal; close only the first."""
        return replace(self, principal=principal, _worker=None)

    def start(self) -> None:
        """Begin to load the models and to work off what waits; needs a running event loop."""
        for model in self._models():
            model.start_loading()
        if self._worker is None:
            self._worker = Worker(self.ports)
            self._worker.start()

    async def close(self) -> None:
        """Write down what was read, stop the worker, let go of the file and the model."""
        if self._worker is not None:
            await self._worker.stop()
        await self.ports.journal.flush(self.ports.storage)
        await asyncio.gather(self.ports.storage.close(), *(model.close() for model in self._models()))

    def _models(self) -> tuple[Embedder | Reranker, ...]:
        embedder, reranker = self.ports.embedder, self.ports.reranker
        return (embedder,) if reranker is None else (embedder, reranker)

    async def __aenter__(self) -> Self:
        """Start in the background."""
        self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close."""
        await self.close()
