"""The test bed: a Bethink in a temporary folder, with the embedded model behind a cache of vectors."""

from __future__ import annotations

import os
import tempfile
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from bethink.engine import Bethink
from bethink.models.minilm import MiniLm
from bethink.models.protocol import Embedder
from bethink.operations.recall import Recalled
from bethink.ports import Policy, Ports
from bethink.principal import owner
from bethink.storage.sqlite.store import SqliteStore

from .cache import CachedEmbedder

CACHE = Path(os.environ.get("BETHINK_BENCH_CACHE", Path(__file__).parent / ".cache"))


@asynccontextmanager
async def bed(embedder: Embedder | None = None) -> AsyncIterator[Bethink]:
    """Open an empty memory; nothing of it is synchronised to the disk, since nothing of it is kept."""
    with tempfile.TemporaryDirectory() as folder:
        store = SqliteStore(Path(folder) / "bench.db", synchronous="normal")
        model = embedder or CachedEmbedder(MiniLm(), CACHE)
        memory = Bethink(Ports(store, model, Policy(exports=folder)), owner("bench"))
        await model.load()
        try:
            yield memory
        finally:
            await memory.close()


async def fill(memory: Bethink, items: Iterable[dict[str, Any]], *, namespace: str = "bench") -> None:
    """Store items, and fail loudly when one is refused: a benchmark over half of its data is none."""
    report = await memory.store_many(items, namespace=namespace, batch=256)
    if report.rejected or report.without_vectors:
        raise RuntimeError(
            f"{report.rejected} rejected, {report.without_vectors} without vectors: {report.rejections[:3]}"
        )


async def answers(memory: Bethink, question: str, *, depth: int, **how: Any) -> list[tuple[str, float]]:
    """Return (source id, score) of the best `depth` hits of the production recall, page after page."""
    page: Recalled = await memory.recall(question, limit=min(depth, 50), detail="ids", **how)
    found = _named(page)
    while page.cursor and len(found) < depth:
        page = await memory.recall(question, limit=50, detail="ids", cursor=page.cursor, **how)
        found += _named(page)
    return found[:depth]


def _named(page: Recalled) -> list[tuple[str, float]]:
    return [(hit.source.id or "", hit.score) for hit in page.hits if hit.source]
