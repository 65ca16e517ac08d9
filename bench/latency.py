"""What a call costs at 1,000 to 100,000 memories, and at a million where asked: recall and store, on one core.

Through the library embedding is excluded. Through a server of its own, over MCP, it is not: `mcp`, `open` (its first
recall, which brings the index into memory), `fresh` (a recall right after another server has written) and `private_mb`.

`quiet_cpu_p95` takes the best of five rounds of each question: whatever else runs on the machine adds to the time of a
call and never takes from it, so this comes nearest to a machine on which nothing else runs. `free_cpu_p95` is a recall
that the system may move between cores.

Memories are LongMemEval turns cut to what the model reads, with their sessions as threads, so that most have two
vectors; vectors are the real ones. Past 50,000 of them, whose tokens the model reads in some ten minutes, copies with
words swapped stand in, with perturbed vectors.
"""

from __future__ import annotations

import asyncio
import gc
import random
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bethink.engine import Bethink
from bethink.models.minilm import MiniLm
from bethink.models.protocol import Role, Tokens, Vectors
from bethink.operation import Call
from bethink.ports import Policy, Ports
from bethink.principal import owner
from bethink.recall.plan import understand
from bethink.recall.selection import choose
from bethink.storage.protocol import Reader
from bethink.storage.sqlite.store import SqliteStore
from bethink.storage.values import Question, Vector
from bethink.text.windows import windows

from . import data as data_
from .bed import cache_folder
from .cache import CachedEmbedder
from .copies import copies
from .copies import vectors as copied_vectors
from .measure import Timer, load, one_core, percentiles
from .progress import steps
from .scoring import Bm25
from .serving import served

SIZES = (1_000, 10_000, 100_000)
MOST = 1_000_000
_MOST_READ = 50_000
_MOST_BASELINE = 100_000  # the plain baseline takes too much memory for more
LARGE_NAMESPACE = "bench/large"
SMALL_NAMESPACES = tuple(f"bench/small-{n}" for n in range(4))
NAMESPACES = (LARGE_NAMESPACE, *SMALL_NAMESPACES)
_STORES = 100
_WARMING = 5  # calls before the measured ones
_ROUNDS = 5
_FILTER_TAG = "tenth"


class Known:
    """An embedder that looks up what the model says of a text: what a call costs without its embedding."""

    def __init__(self, inner: MiniLm, vectors: dict[str, Any], tokens: dict[str, Tokens]) -> None:
        self._inner, self.vectors, self.tokens = inner, vectors, tokens
        self.identity, self.dimensions, self.window = inner.identity, inner.dimensions, inner.window
        self.multilingual, self.ready = inner.multilingual, True
        self._familiarity: dict[str, float] = {}

    def start_loading(self) -> None:
        """Nothing is left to load."""

    async def load(self) -> None:
        """Nothing is left to load."""

    def token_starts(self, text: str) -> list[int]:
        """Pass to the model's tokenizer."""
        return self._inner.token_starts(text)

    def familiarity(self, text: str) -> float:
        """Look up; what was not asked before is asked of the model's tokenizer."""
        if text not in self._familiarity:
            self._familiarity[text] = self._inner.familiarity(text)
        return self._familiarity[text]

    async def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        """Look up; the few texts that were cleaned or redacted on their way in are embedded."""
        for text in texts:
            if text not in self.vectors:
                self.vectors[text] = (await self._inner.embed([text], role))[0]
        return np.array([self.vectors[text] for text in texts], np.float32)

    async def embed_tokens(self, texts: Sequence[str], role: Role) -> tuple[Vectors, list[Tokens]]:
        """Look up, as `embed` does; what is not known is read by the model."""
        for text in texts:
            if text not in self.tokens:
                (vector,), (self.tokens[text],) = await self._inner.embed_tokens([text], role)
                self.vectors.setdefault(text, vector)
        return await self.embed(texts, role), [self.tokens[text] for text in texts]

    async def close(self) -> None:
        """Nothing is held."""


def run(data: Path, *, sample: int | None = None, seed: int = 0) -> dict[str, Any]:
    """Return the figures of each size up to `sample` memories, or of `sample` alone where it is less than all.

    A million is among the sizes where `sample` says so.
    """
    sizes = [size for size in (*SIZES, MOST) if size <= (sample or SIZES[-1])] or [sample or 0]
    return asyncio.run(measured(data, sizes, seed))


async def measured(data: Path, sizes: Sequence[int], seed: int) -> dict[str, Any]:
    """Return the figures of each of `sizes`; the largest is measured first, for it shows what a machine cannot hold."""
    questions = [q["question"] for q in data_.longmemeval_questions(data)][:200]
    known, stored = await stock(data, max(sizes), questions, seed)
    largest_first = sorted(sizes, reverse=True)
    figures = {str(size): await _at(known, stored[:size], questions) for size in steps(largest_first, "latency")}
    return {str(size): figures[str(size)] for size in sizes}


async def stock(data: Path, most: int, questions: Sequence[str], seed: int) -> tuple[Known, list[dict[str, Any]]]:
    """Return `most` memories to store, and an embedder that knows the vectors of those and of the questions."""
    model = MiniLm()
    await model.load()
    items = list(_items(data, min(most, _MOST_READ), model, seed))
    cached = CachedEmbedder(model, cache_folder())
    known = await _known(model, cached, [i["content"] for i in items], questions, seed)
    made = list(copies([i["content"] for i in items], most - len(items), seed))
    known.vectors |= copied_vectors(made, known.vectors, seed)
    known.tokens |= {copy.content: known.tokens[copy.of] for copy in made}
    items += [_item(len(items) + n, copy.content, copy.thread, tagged=n % 10 == 0) for n, copy in enumerate(made)]
    return known, items


def _items(data: Path, most: int, model: MiniLm, seed: int) -> Iterator[dict[str, Any]]:
    """Yield turns as memories; one in a hundred goes to each of four small namespaces, one in ten carries a tag."""
    chosen = random.Random(seed)  # noqa: S311  # a sample
    count = 0
    for session, turns in data_.longmemeval_sessions(data):
        text = data_.session_text(turns)
        for start, stop in windows(text, model.token_starts(text), model.window):
            if count == most:
                return
            tagged = chosen.random() < 0.1  # noqa: PLR2004  # one in ten
            yield _item(count, text[start:stop].strip(), session, tagged=tagged)
            count += 1


def _item(number: int, content: str, thread: str, *, tagged: bool) -> dict[str, Any]:
    small = number % 100 < len(SMALL_NAMESPACES)
    return {
        "content": content,
        "kind": "turn",
        "source": {"thread": thread},
        "namespace": SMALL_NAMESPACES[number % 100] if small else LARGE_NAMESPACE,
        "tags": [_FILTER_TAG] if tagged else [],
    }


async def _known(
    model: MiniLm, cached: CachedEmbedder, texts: Sequence[str], questions: Sequence[str], seed: int
) -> Known:
    """Return what the model says of every text, and of the texts that the store measurement adds."""
    wanted = list(dict.fromkeys([*texts, *questions]))
    found, read = await cached.embed_tokens(wanted, "document")
    vectors, tokens = dict(zip(wanted, found, strict=True)), dict(zip(wanted, read, strict=True))
    noise = np.random.default_rng(seed)
    for number, text in enumerate(texts[:_STORES]):
        moved = vectors[text] + noise.normal(0, 0.02, len(vectors[text])).astype(np.float32)
        vectors[_reworded(text, number)] = moved / np.linalg.norm(moved)
        tokens[_reworded(text, number)] = tokens[text]
    return Known(model, vectors, tokens)


def _reworded(text: str, number: int) -> str:
    return f"measured {number}: {text[:400]}".strip()


async def _at(known: Known, items: Sequence[dict[str, Any]], questions: Sequence[str]) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bench.db"
        memory = Bethink(Ports(SqliteStore(path), known, Policy(exports=folder)), owner(LARGE_NAMESPACE))
        try:
            bulk = await store_all(memory, items)
            memory.ports.journal.shown.clear()
            gc.collect()
            gc.freeze()  # the texts and vectors held here are not what a call should be charged for
            with one_core():
                plain = await _asked(memory, questions)
                quiet = np.min(
                    [plain.cpu, *[(await _asked(memory, questions)).cpu for _ in range(_ROUNDS - 1)]], axis=0
                )
                filtered = await _asked(memory, questions, namespaces=list(SMALL_NAMESPACES), since="2000-01-01")
                tagged = await _asked(memory, questions, tags=[_FILTER_TAG])
                await memory.ports.journal.flush(memory.ports.storage)  # as a worker does every few seconds
                alone = await _asked_alone(memory, questions)
                stored = await _stored(memory, [i["content"] for i in items])
            free = await _asked(memory, questions)
            figures = {
                **percentiles("cpu", plain.cpu),
                **percentiles("wall", plain.wall),
                "quiet_cpu_p95": percentiles("x", quiet)["x_p95"],
                "free_cpu_p95": percentiles("x", free.cpu)["x_p95"],
                "filtered_cpu_p95": percentiles("x", filtered.cpu)["x_p95"],
                "alone_cpu_p95": percentiles("x", alone)["x_p95"],
                "tagged_cpu_p95": percentiles("x", tagged.cpu)["x_p95"],
                "vector_recall@10": await _vector_recall(memory, known, items, questions),
                **percentiles("store_cpu", stored.cpu),
                "bulk_cpu_ms": bulk,
                "file_mb": sum(f.stat().st_size for f in path.parent.glob("bench.db*")) / 2**20,
                "load": load(),
            }
        finally:
            gc.unfreeze()
            await memory.close()
        figures |= _baseline([i["content"] for i in items], questions)
        return figures | served(path, questions, list(NAMESPACES))


async def store_all(memory: Bethink, items: Sequence[dict[str, Any]]) -> float:
    """Store everything, a namespace at a time; return milliseconds of processor time a memory."""
    started = time.process_time()
    for namespace in sorted({i["namespace"] for i in items}):
        own = ({k: v for k, v in i.items() if k != "namespace"} for i in items if i["namespace"] == namespace)
        report = await memory.store_many(own, namespace=namespace, batch=256)
        if report.rejected:
            raise RuntimeError(str(report.rejections[:3]))
    return 1000 * (time.process_time() - started) / len(items)


async def _asked(
    memory: Bethink,
    questions: Sequence[str],
    **filters: Any,  # those of recall
) -> Timer:
    named = filters or {"namespaces": list(NAMESPACES)}
    for question in questions[:_WARMING]:
        await memory.recall(question, **named)
    for question in questions:
        memory.ports.embedder.familiarity(question)
    timer = Timer()
    for question in questions:
        with timer.call():
            await memory.recall(question, **named)
    return timer


async def _asked_alone(memory: Bethink, questions: Sequence[str]) -> list[float]:
    """Return what finding candidates by keyword and by meaning costs, without ranking them and reading their texts."""
    call, spent = Call(memory.ports, memory.principal), []

    def candidates(reader: Reader, question: Question) -> None:
        chosen = choose(call, reader, {"namespaces": list(NAMESPACES)}, structural=True)
        started = time.thread_time()
        reader.candidates(question, chosen.selection)
        spent.append(1000 * (time.thread_time() - started))

    for text in questions:
        (vector,) = await memory.ports.embedder.embed([text], "query")
        question = Question(understand(text).terms, vector)
        await memory.ports.storage.read(lambda reader, q=question: candidates(reader, q))  # type: ignore[misc]
    return spent


def _baseline(texts: Sequence[str], questions: Sequence[str]) -> dict[str, float | None]:
    """Return what the plain baseline needs for the same questions in the same process."""
    if len(texts) > _MOST_BASELINE:
        return dict.fromkeys(percentiles("bm25_cpu", []))
    index, timer = Bm25(texts), Timer()
    for question in questions:
        with timer.call():
            index.rank(question)
    return dict(percentiles("bm25_cpu", timer.cpu))


async def _stored(memory: Bethink, texts: Sequence[str]) -> Timer:
    for number, text in enumerate(texts[:_WARMING]):
        await memory.store(_reworded(text, number))
    timer = Timer()
    for number, text in enumerate(texts[_WARMING:_STORES], _WARMING):
        with timer.call():
            await memory.store(_reworded(text, number))
    return timer


async def _vector_recall(
    memory: Bethink, known: Known, items: Sequence[dict[str, Any]], questions: Sequence[str]
) -> float:
    """Return how many of the ten exactly nearest memories are the ten nearest of the index."""
    exact = np.array([known.vectors[i["content"]] for i in items])
    shares = []
    for question in questions[:100]:
        vector = known.vectors[question]
        cosines = exact @ vector
        edge = np.sort(cosines)[-10] - 1e-6
        found = await memory.ports.storage.read(lambda reader, v=vector: _nearest(memory, reader, v))  # type: ignore[misc]
        shares.append(sum(known.vectors[t] @ vector >= edge - 0.002 for t in found) / 10)
    return float(np.mean(shares))


def _nearest(memory: Bethink, reader: Reader, vector: Vector) -> list[str]:
    call = Call(memory.ports, memory.principal)
    chosen = choose(call, reader, {"namespaces": list(NAMESPACES)}, structural=True)
    found = reader.candidates(Question((), vector), chosen.selection)
    best = np.argsort(-np.nan_to_num(found.cosine, nan=-1))[:10]
    return [m.content for m in reader.memories([int(n) for n in found.numbers[best]])]
