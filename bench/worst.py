"""What the costliest questions take at 100,000 memories: processor and wall time of each, its embedding included.

The memories are those of `latency`. Each question is asked once to warm up and then five times; of the pages of a
question that goes on, the last is measured.
"""

from __future__ import annotations

import asyncio
import gc
import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from bethink.engine import Bethink
from bethink.models.minilm import MiniLm
from bethink.ports import Policy, Ports
from bethink.principal import owner
from bethink.storage.sqlite.store import SqliteStore
from bethink.text.stopwords import STOP_WORDS

from .bed import opened
from .latency import LARGE_NAMESPACE, stock, store_all
from .measure import Timer
from .progress import steps
from .report import Table, cell

SIZE: Final = 100_000
LIMIT_MS: Final = 200
_ROUNDS: Final = 5
_LOOKED_AT: Final = 10_000
_LONG: Final = 100_000
_ONE: Final = "the-only-one"
_WORD: Final = re.compile(r"[a-z]{3,}")


@dataclass(frozen=True, slots=True)
class Hard:
    """A question that may cost much, what else is asked with it, and which of its pages."""

    name: str
    query: str
    asked: Mapping[str, Any] = field(default_factory=dict)
    page: int = 1


def run(data: Path, *, sample: int | None = None, seed: int = 0) -> dict[str, Any]:
    """Return what each question costs over `sample` memories, how many cost more than 200 ms, and the worst."""
    return asyncio.run(_run(data, sample or SIZE, seed))


def hard(texts: Sequence[str]) -> Iterator[Hard]:
    """Yield the questions for a store of these texts."""
    frequent = _frequent(texts)
    yield Hard("100,000 characters of memories", "\n".join(texts)[:_LONG])
    yield Hard("100,000 letters without a space", ("abcdefghij" * _LONG)[:_LONG])
    yield Hard("100,000 characters without a space, in Han", ("日本語東京都" * _LONG)[:_LONG])
    yield Hard("50,000 emoji", "🙂🎉" * (_LONG // 4))
    yield Hard("one emoji", "🙂")
    yield Hard("one letter", "a")
    yield Hard("one letter that is no word", "x")
    yield Hard("one digit", "1")
    yield Hard("stop words only", "what is the and of to in it that was for on with as you at by this")
    yield Hard("10,000 quotation marks", '"' * 10_000)
    yield Hard("5,000 quoted letters", '"a" ' * 5_000)
    yield Hard("5,000 quoted words, all different", " ".join(f'"word{n}"' for n in range(5_000)))
    yield Hard("opening quotation marks, never closed", "“„«" * 3_000)
    yield Hard("a quoted phrase of stop words", '"of the"')
    yield Hard("a quoted phrase of frequent words that stands nowhere", f'"{" ".join(frequent[:4])}"')
    yield Hard("a quoted phrase of stop words that stands nowhere", '"the of and to the of"')
    yield Hard("the 10 most frequent words", " ".join(frequent[:10]))
    yield Hard("the 64 most frequent words", " ".join(frequent[:64]))
    yield Hard("the 64 most frequent words, among a tenth", " ".join(frequent[:64]), {"tags": ["tenth"]})
    yield Hard("particles in Japanese", "のはがをにへとでもからまで")
    yield Hard("particles in Chinese", "的了是在和有不这")
    yield Hard("marks only", "?!.,;:-()[]{}" * 1_000)
    yield Hard("words of a query language", "NEAR(a, b) AND NOT * OR ^x col:y --flag 'a''b' %_")
    yield Hard("filters that admit one", " ".join(frequent[:10]), {"tags": [_ONE]})
    yield Hard("filters that admit none", " ".join(frequent[:10]), {"since": "2100-01-01"})
    yield Hard("no floor, 50 whole texts", " ".join(frequent[:10]), {"min_score": 0.0, "limit": 50, "detail": "full"})
    yield Hard("the fourth page of 50", " ".join(frequent[:10]), {"limit": 50, "min_score": 0.0}, page=4)
    yield Hard("explained", " ".join(frequent[:64]), {"limit": 50, "explain": True, "min_score": 0.0})


def tables(figures: Mapping[str, Any]) -> list[Table]:
    """Return a row a question."""
    found: dict[str, dict[str, float]] = figures["questions"]
    heads = tuple(next(iter(found.values())))
    rows = tuple((name, *(cell(head, values[head]) for head in heads)) for name, values in found.items())
    over = f"{figures['over']} of {len(found)} over {LIMIT_MS} ms of processor time"
    return [Table(("question", *heads), rows, f"{figures['memories']:,} memories; {over}")]


async def _run(data: Path, size: int, seed: int) -> dict[str, Any]:
    known, items = await stock(data, size, (), seed)
    texts = [item["content"] for item in items[:_LOOKED_AT]]
    namespaces = sorted({item["namespace"] for item in items})
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bench.db"
        memory = Bethink(Ports(SqliteStore(path), known, Policy(exports=folder)), owner(LARGE_NAMESPACE))
        try:
            await store_all(memory, items)
            await memory.store("This one alone has a tag of its own.", namespace=LARGE_NAMESPACE, tags=[_ONE])
        finally:
            await memory.close()
        del known, items, memory
        async with opened(path, MiniLm()) as memory:
            gc.collect()
            gc.freeze()  # what has been read to build the store is not what a call should be charged for
            cases = steps(list(hard(texts)), "worst")
            found = {case.name: await measured(memory, case, among=namespaces) for case in cases}
    worst = max(found, key=lambda name: found[name]["cpu_max"])
    over = sum(values["cpu_p50"] > LIMIT_MS for values in found.values())
    return {"memories": size, "over": over, "worst": worst, "questions": found}


async def measured(memory: Bethink, case: Hard, *, among: Sequence[str]) -> dict[str, float]:
    """Return what the page of a question costs: the median and the most of five calls."""
    asked = {"namespaces": list(among), **case.asked}
    cursor = None
    for _ in range(case.page - 1):
        cursor = (await memory.recall(case.query, cursor=cursor, **asked)).cursor
    await memory.recall(case.query, cursor=cursor, **asked)
    timer = Timer()
    for _ in range(_ROUNDS):
        with timer.call():
            await memory.recall(case.query, cursor=cursor, **asked)
    cpu, wall = sorted(timer.cpu), sorted(timer.wall)
    return {"cpu_p50": cpu[_ROUNDS // 2], "cpu_max": cpu[-1], "wall_p50": wall[_ROUNDS // 2], "wall_max": wall[-1]}


def _frequent(texts: Sequence[str]) -> list[str]:
    """Return the words that most texts hold, without those that no question looks for."""
    holding = Counter(word for text in texts for word in set(_WORD.findall(text.lower())))
    return [word for word, _ in holding.most_common(500) if word not in STOP_WORDS] or ["word"]
