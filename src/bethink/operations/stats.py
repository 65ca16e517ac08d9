"""Count what is stored and say how the store is."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import accumulate, islice
from typing import Any, Final

from bethink.domain import Value
from bethink.operation import Call, Effect, operation
from bethink.recall.selection import Chosen, choose
from bethink.storage.protocol import Reader
from bethink.text.counts import memories
from bethink.vocabulary import Namespaces

_MOST_BYTES: Final = 4_000
_BYTES_A_COUNT: Final = 12


class Stats(Value):
    """Counts of what is in reach by what it is, and for the owner the state of the store.

    `more_namespaces` says how many smaller ones by_namespace leaves out; memory_namespaces lists them all.
    """

    memories: int
    by_kind: dict[str, int]
    by_status: dict[str, int]
    by_language: dict[str, int]
    without_vectors: int
    embedder: str
    embedder_ready: bool
    vectors_of: str | None = None
    by_namespace: dict[str, int] | None = None
    more_namespaces: int | None = None
    store: dict[str, int] | None = None
    namespaces: tuple[str, ...] | None = None

    def compact(self) -> str:
        """Return it as the few lines a model needs."""
        lines = [f"{memories(self.memories)} in reach: {_listed(self.by_kind)}", f"status: {_listed(self.by_status)}"]
        lines.append(f"embedder {self.embedder} ({'ready' if self.embedder_ready else 'not ready'})")
        if self.without_vectors:
            lines.append(f"{memories(self.without_vectors)} without vectors yet")
        if self.by_namespace:
            more = f", {self.more_namespaces} more" if self.more_namespaces else ""
            lines.append(f"namespaces: {_listed(self.by_namespace)}{more}")
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
    by_namespace = reader.tally(everything, "namespace")
    shown = None if confined else _greatest(by_namespace)
    return Stats(
        memories=sum(by_kind.values()),
        by_kind=by_kind,
        by_status=reader.tally(everything, "status"),
        by_language=reader.tally(everything, "language"),
        without_vectors=reader.tally(everything, "embedded").get("0", 0),
        embedder=call.ports.embedder.identity,
        embedder_ready=call.ports.embedder.ready,
        vectors_of=kept[0] if kept else None,
        by_namespace=shown,
        more_namespaces=None if shown is None else (len(by_namespace) - len(shown) or None),
        store=None if confined else _facts(reader),
        namespaces=None if confined else chosen.namespaces,
    )


def _greatest(counts: Mapping[str, int]) -> dict[str, int]:
    """Return the first counts, as many as take a bounded place in the result."""
    spent = accumulate(len(path.encode()) + _BYTES_A_COUNT for path in counts)
    return dict(islice(counts.items(), sum(total <= _MOST_BYTES for total in spent)))


def _facts(reader: Reader) -> dict[str, Any]:
    return reader.facts()
