"""Take the words of every memory apart anew, where an earlier version of the analyzer had done it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final

from bethink.intake.indexing import index_terms
from bethink.ports import Ports
from bethink.storage.protocol import Snapshot, Writer
from bethink.text.analyzer import VERSION
from bethink.text.speakers import speaker_of

_BATCH: Final = 100


def outdated(reader: Snapshot) -> bool:
    """Say whether some terms may be of an earlier version than this program's."""
    return reader.analyzer() < VERSION


async def reindex(ports: Ports, report: Callable[[int], Awaitable[None]] | None = None) -> int:
    """Bring all terms to this version, a batch at a time, and return how many memories were looked at.

    Searches and writes go on meanwhile. What has been done is kept: interrupted, it goes on from there. A memory with
    other terms than before moves to the end of the index and is met there once more, with nothing left to change.
    """
    done = 0
    while await ports.storage.read(outdated):
        done += await ports.storage.write(_batch)
        if report is not None:
            await report(done)
    return done


def _batch(writer: Writer) -> int:
    waiting = writer.beyond(writer.reindexed(), _BATCH)
    for kept in waiting:
        terms = index_terms(kept.memory, title_given="title" in kept.given)
        writer.reindex(kept.number, terms, speaker_of(kept.memory.content))
    if not waiting:
        writer.use_analyzer(VERSION)
    return len(waiting)
