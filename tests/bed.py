"""A memory on a file of its own, with a clock, ids and an embedder that a test decides."""

import sqlite3
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

from bethink.engine import Bethink
from bethink.errors import Unavailable
from bethink.jobs.worker import work_one
from bethink.models.none import NoEmbedder
from bethink.ports import Policy, Ports
from bethink.principal import Principal, owner
from bethink.storage.sqlite.store import SqliteStore

MINUTE = 60_000_000
HOUR = 60 * MINUTE
DAY = 24 * HOUR
START = 1_700_000_000_000_000
ANN = owner("user:ann", home="user:ann", agent="tester")


@dataclass
class Clock:
    """Stands still but for a microsecond a look, so that every time is another."""

    now: int = START

    def __call__(self) -> int:
        self.now += 1
        return self.now

    def pass_(self, micros: int) -> None:
        self.now += micros


class Ids:
    """UUIDv7 that end in a count: 00000001, 00000002, ..."""

    def __init__(self, first: int = 1) -> None:
        self._numbers = count(first)

    def __call__(self, micros: int) -> str:
        return str(uuid.UUID(int=micros // 1000 << 80 | 7 << 76 | 2 << 62 | next(self._numbers)))


@dataclass
class Chosen:
    """Embeds each text as the angle, in degrees, that was chosen for it; its cosines are those of the differences."""

    angles: Mapping[str, float]
    identity: str = "chosen-2"
    ready: bool = True
    otherwise: float = 90.0
    dimensions: int = 8
    window: int = 1000
    multilingual: bool = True
    embedded: list[str] = field(default_factory=list)

    def start_loading(self) -> None:
        pass

    async def load(self) -> None:
        if not self.ready:
            raise Unavailable("the chosen embedder is not ready", hint="Set `ready`.")

    def token_starts(self, text: str) -> list[int]:
        return [0] if text else []

    def familiarity(self, _text: str) -> float:
        return 1.0

    async def embed(self, texts: Sequence[str], _role: str) -> Any:
        await self.load()
        self.embedded += texts
        turned = np.radians([self.angles.get(text, self.otherwise) for text in texts])
        vectors = np.zeros((len(texts), self.dimensions), np.float32)
        vectors[:, 0], vectors[:, 1] = np.cos(turned), np.sin(turned)
        return vectors

    async def close(self) -> None:
        pass


class Steps:
    """Counts the steps of the database's machine that a connection takes."""

    count = 0

    def factory(self):
        steps = self

        class Connection(sqlite3.Connection):
            def __init__(self, *args, **named):
                super().__init__(*args, **named)
                self.set_progress_handler(steps.step, 1)

        return Connection

    def step(self):
        self.count += 1


@dataclass
class Judge:
    """Reranks by the first of some words that a text holds; keeps what it was given to read."""

    said: Mapping[str, float]
    otherwise: float = 0.0
    identity: str = "judge"
    ready: bool = True
    fails: str | None = None
    before: Any = None
    questions: list[str] = field(default_factory=list)
    read: list[str] = field(default_factory=list)

    def start_loading(self) -> None:
        pass

    async def load(self) -> None:
        if not self.ready:
            raise Unavailable("the judge is not ready", hint="Set `ready`.")

    async def relevance(self, query: str, texts: Sequence[str]) -> list[float]:
        self.questions.append(query)
        self.read += texts
        if self.before is not None:
            await self.before()
        if self.fails:
            raise Unavailable(self.fails)
        return [next((s for word, s in self.said.items() if word in text), self.otherwise) for text in texts]

    async def close(self) -> None:
        pass


def memory_at(
    path: Path,
    *,
    embedder: Any = None,
    reranker: Any = None,
    principal: Principal = ANN,
    clock: Any = None,
    ids: Any = None,
    waits: bool = True,
    secrets: str = "redact",
    **options: Any,
) -> Bethink:
    """Open the file at `path`, by default with keywords alone; nothing runs in the background."""
    policy = Policy(exports=str(path.parent / "exports"), wait_for_embedder=waits, secrets=secrets)
    store = SqliteStore(path, **{"synchronous": "normal", **options})
    ports = Ports(store, embedder or NoEmbedder(), policy, clock or _CLOCK, ids or _IDS, reranker=reranker)
    return Bethink(ports, principal)


async def worked(memory: Bethink, later: int = DAY) -> int:
    """Let the worker do what it can, a day later; return how many jobs that was."""
    memory.ports.now.pass_(later)
    done = 0
    for kind in ("scrub", "embed"):
        while await work_one(memory.ports, kind):
            done += 1
    return done


_CLOCK, _IDS = Clock(), Ids()
