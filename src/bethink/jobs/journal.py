"""What recall showed, gathered in memory and written in batches, so that no read waits for a write."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from bethink.errors import Busy, Unavailable
from bethink.storage.protocol import Storage, Writer
from bethink.storage.values import Miss

Shown = tuple[str, str, str, int]

_MOST_KEPT: Final = 10_000


@dataclass(slots=True)
class Journal:
    """Reads waiting to be counted: (principal, agent, memory, time), and questions that found nothing."""

    shown: list[Shown] = field(default_factory=list)
    gaps: list[Miss] = field(default_factory=list)

    def note(self, shown: Sequence[Shown], missed: Miss | None) -> None:
        """Take what one recall showed, or the question that found nothing."""
        self.shown += shown
        if missed is not None:
            self.gaps.append(missed)

    def delivered(self, principal: str, agent: str) -> set[str]:
        """Return the memories shown to this principal and agent that are not written down yet."""
        return {memory for p, a, memory, _ in self.shown if (p, a) == (principal, agent)}

    async def flush(self, storage: Storage) -> None:
        """Write what has gathered; while another process holds the lock it waits, in a store without writes it goes."""
        shown, gaps = self.shown, self.gaps
        if not shown and not gaps:
            return
        self.shown, self.gaps = [], []
        try:
            await storage.write(lambda writer: _write(writer, shown, gaps))
        except Busy:
            self.shown = [*shown, *self.shown][-_MOST_KEPT:]
            self.gaps = [*gaps, *self.gaps][-_MOST_KEPT:]
        except Unavailable:
            return


def _write(writer: Writer, shown: Sequence[Shown], gaps: Sequence[Miss]) -> None:
    writer.note_access(shown)
    writer.note_gaps(gaps)
