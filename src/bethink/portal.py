"""A thread with an event loop of its own, in which a memory lives for callers that do not await."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from .engine import Bethink
from .errors import Unavailable
from .principal import Principal

R = TypeVar("R")


class Portal:
    """Runs coroutines of one engine in its thread and waits for their results."""

    def __init__(self, engine: Bethink) -> None:
        self.engine = engine
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="bethink", daemon=True)
        self._thread.start()
        self._loop.call_soon_threadsafe(engine.start)

    @classmethod
    def open(
        cls,
        path: str | Path | None = None,
        *,
        principal: Principal | None = None,
        embedder: str = "minilm",
        reranker: str = "none",
        timezone: str = "UTC",
    ) -> Self:
        """Open a store as `Bethink.open` does."""
        return cls(Bethink.open(path, principal=principal, embedder=embedder, reranker=reranker, timezone=timezone))

    def run(self, work: Coroutine[Any, Any, R]) -> R:
        """Run `work` in the memory's thread and return its result; an interrupt cancels it."""
        if self._loop.is_closed():
            work.close()
            raise Unavailable("the memory is closed", hint="Open it again.")
        task: asyncio.Task[Any] | None = None
        interrupted = False

        async def waited() -> R:
            nonlocal task
            task = asyncio.current_task()
            if interrupted:
                work.close()
                raise asyncio.CancelledError
            return await work

        def cancel() -> None:
            if task is not None:
                task.cancel()

        try:  # before it is handed over: the interrupt may come while that is done
            return asyncio.run_coroutine_threadsafe(waited(), self._loop).result()
        except KeyboardInterrupt:
            interrupted = True
            self._loop.call_soon_threadsafe(cancel)
            raise

    def close(self) -> None:
        """Close the memory and end its thread; harmless when closed."""
        if self._loop.is_closed():
            return
        self.run(self.engine.close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def __enter__(self) -> Self:
        """Return itself: it is open already."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close."""
        self.close()
