"""Count what is stored and say how the store is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bethink.domain import Value
from bethink.operation import Call, Effect, operation
from bethink.recall.selection import Chosen, choose
from bethink.storage.protocol import Reader
from bethink.vocabulary import Namespaces


class Stats(Value):
    """Counts of what is in reach by what it is, and for the owner the state of the store."""

    memories: int
    by_kind: dict[str, int]
    by_status: dict[str, int]
    by_language: dict[str, int]
    without_vectors: int
    embedder: str
    embedder_ready: bool
    vectors_of: str | None = None
    by_namespace: dict[str, int] | None = None
    store: dict[str, int] | None = None
    namespaces: tuple[str, ...] | None = None

    def compact(self) -> str:
        """Return it as the few lines a model needs."""
        lines = [f"{self.memories} memories in reach: {_listed(self.by_kind)}", f"status: {_listed(self.by_status)}"]
        lines.append(f"embedder {self.embedder} ({'ready' if self.embedder_ready else 'not ready'})")
        if self.without_vectors:
            lines.append(f"{self.without_vectors} memories wait for their vectors")
        if self.by_namespace:
            lines.append(f"namespaces: {_listed(self.by_namespace)}")
        if self.store:
            lines.append(f"store: {_listed(self.store)}")
        return "\n".join(lines)


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in counts.items()) or "none"


@operation(Effect.READ, tool="memory_stats", http="GET /stats")
async def stats(call: Call, *, namespaces: Namespaces | None = None) -> Stats:
    """Count what is stored in reach, by kind, status and language, and say whether search by meaning works."""
    given = {"namespaces": namespaces, "status": ["any"]}
    return await call.ports.storage.read(
        lambda reader: _stats(call, reader, choose(call, reader, given, structural=True))
    )


def _stats(call: Call, reader: Reader, chosen: Chosen) -> Stats:
    everything = chosen.selection
    kept = reader.embedder()
    confined = call.principal.confined
    by_kind = reader.tally(everything, "kind")
    return Stats(
        memories=sum(by_kind.values()),
        by_kind=by_kind,
        by_status=reader.tally(everything, "status"),
        by_language=reader.tally(everything, "language"),
        without_vectors=reader.tally(everything, "embedded").get("0", 0),
        embedder=call.ports.embedder.identity,
        embedder_ready=call.ports.embedder.ready,
        vectors_of=kept[0] if kept else None,
        by_namespace=None if confined else reader.tally(everything, "namespace"),
        store=None if confined else _facts(reader),
        namespaces=None if confined else chosen.namespaces,
    )


def _facts(reader: Reader) -> dict[str, Any]:
    return reader.facts()
