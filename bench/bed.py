"""The test bed: a Bethink in a temporary folder, with the embedded model behind a cache of vectors."""

from __future__ import annotations

import os
import tempfile
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

from bethink.engine import Bethink
from bethink.models.minilm import MiniLm
from bethink.models.protocol import Embedder
from bethink.operation import Call
from bethink.operations.recall import Recalled
from bethink.ports import Policy, Ports, now_micros
from bethink.principal import owner
from bethink.recall.budget import BYTES_A_TOKEN
from bethink.recall.selection import choose
from bethink.storage.protocol import Reader
from bethink.storage.sqlite.store import SqliteStore
from bethink.storage.values import Selection
from bethink.vocabulary import Detail

from .cache import CachedEmbedder

NAMESPACE = "bench"
_PAGE = 50
_GOT = 200


def cache_folder() -> Path:
    """Return where vectors are kept between runs."""
    return Path(os.environ.get("BETHINK_BENCH_CACHE") or Path(__file__).parent / ".cache")


@asynccontextmanager
async def bed(embedder: Embedder | None = None, *, at: int | None = None) -> AsyncIterator[Bethink]:
    """Open an empty memory that goes when it is closed; where `at` is given, it is that time all along."""
    embedder = embedder or CachedEmbedder(MiniLm(), cache_folder())
    with tempfile.TemporaryDirectory() as folder:
        async with opened(Path(folder) / "bench.db", embedder, at=at) as memory:
            yield memory


@asynccontextmanager
async def opened(path: Path, embedder: Embedder, *, at: int | None = None) -> AsyncIterator[Bethink]:
    """Open the memory at `path`, its model loaded, no worker; a power cut may take what was written last."""
    store = SqliteStore(path, synchronous="normal")
    ports = Ports(
        store, embedder, Policy(exports=str(path.parent)), now_micros if at is None else partial(next, count(at))
    )
    memory = Bethink(ports, owner(NAMESPACE))
    await embedder.load()
    try:
        yield memory
    finally:
        await memory.close()


async def fill(memory: Bethink, items: Iterable[dict[str, Any]], *, namespace: str = NAMESPACE) -> None:
    """Store items, and fail loudly when one is refused: a benchmark over half of its data is none."""
    report = await memory.store_many(items, namespace=namespace, batch=256)
    if report.rejected or report.without_vectors:
        raise RuntimeError(
            f"{report.rejected} rejected, {report.without_vectors} without vectors: {report.rejections[:3]}"
        )


async def answers(
    memory: Bethink, question: str, *, depth: int, min_score: float | None = None
) -> list[tuple[str, float]]:
    """Return (source id, score) of the best `depth` memories of the production recall, page after page.

    A hit stands for every memory of the same text: each takes a place of its own, as it would in a plain ranking.
    """
    page: Recalled = await memory.recall(question, limit=min(depth, _PAGE), detail=Detail.ids, min_score=min_score)
    found = await _named(memory, page)
    while page.cursor and len(found) < depth:
        page = await memory.recall(question, limit=_PAGE, detail=Detail.ids, cursor=page.cursor)
        found += await _named(memory, page)
    return found[:depth]


async def tokens(memory: Bethink, question: str) -> float:
    """Return what a model is given for a question that names nothing else, 4 bytes a token."""
    page: Recalled = await memory.recall(question)
    return len(page.compact().encode()) / BYTES_A_TOKEN


def everything(memory: Bethink, reader: Reader) -> Selection:
    """Return the selection of a recall without filters."""
    return choose(Call(memory.ports, memory.principal), reader, {}, structural=True).selection


async def _named(memory: Bethink, page: Recalled) -> list[tuple[str, float]]:
    copies = [handle for hit in page.hits for handle in hit.same_text]
    batches = (copies[at : at + _GOT] for at in range(0, len(copies), _GOT))
    got = [m for batch in batches for m in (await memory.get(batch)).memories]
    source = {handle: one.source.id for handle, one in zip(copies, got, strict=True) if one.source}
    source |= {hit.handle: hit.source.id for hit in page.hits if hit.source}
    return [(source[handle] or "", hit.score) for hit in page.hits for handle in (hit.handle, *hit.same_text)]
