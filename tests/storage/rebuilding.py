"""A process that rebuilds an index and stops at a place, to be killed there.

`python -m tests.storage.rebuilding HOW FILE PLACE` calls the operation HOW (reindex or reembed). PLACE is `between`,
after the first batch, or how a statement begins and which of its like it is: `commit:2`. It says `stopped` and waits
there; `ended`, if it never came by.
"""

import asyncio
import os
import sqlite3
import sys
from pathlib import Path

from bethink.engine import Bethink
from bethink.operation import operations
from bethink.ports import now_micros, uuid7
from bethink.testing import HashingEmbedder
from tests.bed import memory_at


class Other(HashingEmbedder):
    """Another vector space, of another size."""

    identity, dimensions = "other-4096", 4096


def stop() -> None:
    os.write(1, b"stopped\n")
    sys.stdin.read()


def stopping(place: str) -> type[sqlite3.Connection]:
    beginning, _, number = place.partition(":")
    left = [int(number or 0)]

    class Connection(sqlite3.Connection):
        def execute(self, *args):
            if (args[0] == "commit" or self.in_transaction) and args[0].lstrip().startswith(beginning):
                left[0] -= 1
                if left[0] == 0:
                    stop()
            return super().execute(*args)

    return Connection


async def rebuild(how: str, path: Path, place: str) -> None:
    factory = sqlite3.Connection if place == "between" else stopping(place)
    memory = memory_at(path, embedder=Other(), clock=now_micros, ids=uuid7, factory=factory)

    async def progress(_done: int, _total: int | None) -> None:
        if place == "between":
            stop()

    await operations(Bethink)[how].call(memory, {}, progress=progress)
    await memory.close()
    os.write(1, b"ended\n")


if __name__ == "__main__":
    asyncio.run(rebuild(sys.argv[1], Path(sys.argv[2]), sys.argv[3]))
