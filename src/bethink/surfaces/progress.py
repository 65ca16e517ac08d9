"""A progress bar with rate and time left, on standard error where that is a terminal."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


class Bar:
    """Shown from the first report on and gone at the end; where standard error is no terminal, never shown."""

    def __init__(self, what: str, unit: str = "memories") -> None:
        self._what = what
        self._unit = unit
        self._shown: tuple[Progress, TaskID] | None = None
        self._started = time.monotonic()

    def __enter__(self) -> Self:
        """Begin to count the time."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Take the bar away."""
        if self._shown is not None:
            self._shown[0].stop()

    async def report(self, done: int, total: int | None) -> None:
        """Show how many are done, of how many."""
        self.move(done, total, memories=done)

    def move(self, done: int, total: int | None, *, memories: int) -> None:
        """Show how much is done of the total, in any unit, and how many memories that makes."""
        if not sys.stderr.isatty():
            return
        progress, task = self._shown = self._shown or self._show()
        rate = memories / max(time.monotonic() - self._started, 1e-3)
        progress.update(task, completed=done, total=total, said=f"{memories:,} {self._unit}, {rate:,.0f}/s")

    def _show(self) -> tuple[Progress, TaskID]:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        what, said = TextColumn("{task.description}"), TextColumn("{task.fields[said]}")
        progress = Progress(
            what, BarColumn(), said, TimeRemainingColumn(), console=Console(stderr=True), transient=True
        )
        progress.start()
        return progress, progress.add_task(self._what, said="")
