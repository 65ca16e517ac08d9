"""Load a model on a thread, and let it work on as many threads as there are cores."""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Final, Generic, TypeVar

from bethink.errors import Unavailable

log = logging.getLogger("bethink.models")

AGAIN_AFTER: Final = 60.0
T = TypeVar("T")
X = TypeVar("X")
R = TypeVar("R")


class Background(Generic[T]):
    """One model: what `load` returns. A load that failed is tried again when it is asked for a minute later.

    `name` is what messages call the model.
    """

    def __init__(
        self, load: Callable[[], T], *, name: str, threads: str, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._load, self._name, self._clock = load, name, clock
        self._threads = ThreadPoolExecutor(os.cpu_count() or 1, thread_name_prefix=threads)
        self._loading: Future[T] | None = None
        self._begun = 0.0
        self._closed = False

    @property
    def model(self) -> T | None:
        """The model, once it is in memory."""
        loading = self._loading
        return loading.result() if loading is not None and loading.done() and not loading.exception() else None

    def start(self) -> None:
        """Begin to load and return at once."""
        if not self._closed and (self._loading is None or self._may_try_again(self._loading)):
            self._begun = self._clock()
            self._loading = self._threads.submit(self._load)
            self._loading.add_done_callback(self._tell)

    async def wait(self) -> T:
        """Return the model as soon as it is in memory; raise what the load raised."""
        self.start()
        if self._loading is None:
            raise Unavailable("the memory is closed", hint="Open it again.")
        return await asyncio.shield(asyncio.wrap_future(self._loading))

    def loaded(self) -> T:
        """Return the model; raise `Unavailable` when it is not in memory."""
        if self._loading is None or not self._loading.done():
            raise Unavailable(f"{self._name} is not loaded yet", hint="Keyword search works; try again shortly.")
        return self._loading.result()

    async def each(self, work: Callable[[X], R], given: Sequence[X]) -> list[R]:
        """Return what `work` makes of each, in order."""
        loop = asyncio.get_running_loop()
        return await asyncio.gather(*(loop.run_in_executor(self._threads, work, one) for one in given))

    async def close(self) -> None:
        """Drop what has not begun, wait for what has, and release the model."""
        self._loading, self._closed = None, True
        await asyncio.to_thread(self._threads.shutdown, cancel_futures=True)

    def _tell(self, loading: Future[T]) -> None:
        if not loading.cancelled() and (wrong := loading.exception()):
            log.warning("%s cannot be loaded: %s", self._name, wrong)

    def _may_try_again(self, loading: Future[T]) -> bool:
        return loading.done() and loading.exception() is not None and self._clock() >= self._begun + AGAIN_AFTER


class InBackground(Generic[T]):
    """What works with a model that loads in the background: the part of its contract that says so."""

    _background: Background[T]

    @property
    def ready(self) -> bool:
        """Whether the model is in memory."""
        return self._background.model is not None

    def start_loading(self) -> None:
        """Begin to load, after a fetch where one is due, on a thread and return at once."""
        self._background.start()

    async def load(self) -> None:
        """Wait until the model is in memory; raise `Unavailable` when that cannot be."""
        await self._background.wait()
