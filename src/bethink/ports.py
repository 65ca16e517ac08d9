"""What the engine stands on: storage, an embedder, a reranker, a clock, ids, settings."""

from __future__ import annotations

import os
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final
from zoneinfo import ZoneInfo

from .jobs.journal import Journal

if TYPE_CHECKING:
    from .models.protocol import Embedder, Reranker
    from .storage.protocol import Storage


def now_micros() -> int:
    """Return the microseconds since the epoch."""
    return time.time_ns() // 1000


def uuid7(micros: int) -> str:
    """Return a UUIDv7 (RFC 9562) for a time, as 36 characters."""
    millis = max(micros // 1000, 0) & (2**48 - 1)
    tail = int.from_bytes(os.urandom(10), "big")
    value = millis << 80 | 7 << 76 | (tail >> 68) << 64 | 2 << 62 | (tail & (2**62 - 1))
    return str(uuid.UUID(int=value))


_WAITING: Final = 4  # with the patience of a server this leaves a store, which may take a minute, time to be kept


@dataclass(frozen=True, slots=True)
class Policy:
    """What the owner's configuration decides for every call.

    `wait_for_embedder` is for callers that wait while the model loads, as those of the command line. An embedder that
    does not answer is given `patience` seconds, and a tenth of that more a text; those who wait give four times that.
    What was shown, and what found nothing, is kept in detail for `log_days`.
    """

    timezone: ZoneInfo = field(default_factory=lambda: ZoneInfo("UTC"))
    secrets: str = "redact"
    exports: str = ""
    wait_for_embedder: bool = True
    patience: float = 5.0
    log_days: int = 90

    def seconds_for(self, texts: int) -> float:
        """Return how long to wait for the vectors of so many texts; of none, for the model."""
        return self.patience * (1 + texts / 10) * (_WAITING if self.wait_for_embedder else 1)


@dataclass(slots=True)
class Ports:
    """The outside of the engine; each is replaceable by a fake in tests."""

    storage: Storage
    embedder: Embedder
    policy: Policy = field(default_factory=Policy)
    now: Callable[[], int] = now_micros
    new_id: Callable[[int], str] = uuid7
    journal: Journal = field(default_factory=Journal)
    reranker: Reranker | None = None

    def unrecorded(self) -> Ports:
        """Return the same with a journal that nobody writes down: what is read through it does not count as read."""
        return replace(self, journal=Journal())
