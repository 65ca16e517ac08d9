"""Rebuild the keyword index with the analyzer of this program."""

from __future__ import annotations

from bethink.domain import Value
from bethink.errors import Unsupported
from bethink.jobs import reindex as reindex_
from bethink.operation import Call, Effect, operation
from bethink.principal import Permission
from bethink.text.analyzer import VERSION
from bethink.text.counts import memories


class Reindexed(Value):
    """How many memories were looked at again; none, where the index was up to date."""

    memories: int

    def compact(self) -> str:
        """Return it as one line."""
        return f"{memories(self.memories)} indexed" if self.memories else "the keyword index is up to date"


@operation(
    Effect.WRITE,
    tool="memory_reindex",
    http="POST /reindex",
    toolset="admin",
    permission=Permission.admin,
    seconds=None,
    surfaces=frozenset({"http", "cli"}),
)
async def reindex(call: Call) -> Reindexed:
    """Bring the keyword index to this version after an update of Bethink. Can be interrupted and run again."""
    if call.principal.confined:
        raise Unsupported("the index is rebuilt by the owner", hint="Ask who runs this server.")
    if await call.ports.storage.read(lambda reader: reader.analyzer()) > VERSION:
        raise Unsupported("a newer Bethink made the keyword index", hint="Update Bethink.")

    async def report(done: int) -> None:
        await call.report(done, None)

    return Reindexed(memories=await reindex_.reindex(call.ports, report))
