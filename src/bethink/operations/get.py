"""Read memories by id."""

from __future__ import annotations

from typing import Annotated

from bethink.domain import Memory, Relation, Value, Version, to_micros
from bethink.operation import Call, Effect, operation
from bethink.recall.handles import resolve_all
from bethink.recall.selection import reachable
from bethink.storage.protocol import Reader, Selection
from bethink.text.times import format_time
from bethink.vocabulary import MemoryIds, about

WithVersions = Annotated[bool, about("Also the earlier versions of each.")]
WithRelations = Annotated[bool, about("Also the edges from and to each.")]
WithChunks = Annotated[bool, about("Also the parts of each, in order.")]


class Got(Value):
    """Memories in the order asked for, retired and superseded ones included; `missing` are not in reach."""

    memories: tuple[Memory, ...]
    missing: tuple[str, ...] = ()
    versions: dict[str, tuple[Version, ...]] | None = None
    relations: tuple[Relation, ...] | None = None
    chunks: dict[str, tuple[Memory, ...]] | None = None

    def compact(self) -> str:
        """Return it as the lines a model needs: a heading a memory, then its text."""
        lines = [line for memory in self.memories for line in told(memory)]
        for memory, versions in (self.versions or {}).items():
            lines += [f"{memory} version {v.number}, until {v.replaced_at:%Y-%m-%d}: {v.content}" for v in versions]
        lines += [f"{r.source} {r.type} {r.target}" for r in self.relations or ()]
        lines += [line for chunks in (self.chunks or {}).values() for chunk in chunks for line in told(chunk)]
        lines += [f"not found: {text}" for text in self.missing]
        return "\n".join(lines)


def told(memory: Memory) -> list[str]:
    """Return a memory as lines: what it is, then its text."""
    tags = "".join(f" #{tag}" for tag in memory.tags)
    facts = [
        memory.kind.value,
        memory.status.value,
        f"version {memory.version}",
        format_time(to_micros(memory.occurred_at)),
    ]
    head = f"[{memory.id}] {memory.title} ({', '.join(facts)}){tags}"
    context = [f"context: {memory.context}"] if memory.context else []
    return [head, memory.content, *context]


@operation(Effect.READ, tool="memory_get", http="GET /memories")
async def get(
    call: Call,
    ids: MemoryIds,
    *,
    versions: WithVersions = False,
    relations: WithRelations = False,
    chunks: WithChunks = False,
) -> Got:
    """Read whole memories by id, up to 200, in the order asked for.

    Retired, superseded and expired ones are included and marked. Ids that are not in reach come back as `missing`.
    """
    return await call.ports.storage.read(
        lambda reader: _got(call, reader, ids, versions=versions, relations=relations, chunks=chunks)
    )


def _got(call: Call, reader: Reader, ids: list[str], *, versions: bool, relations: bool, chunks: bool) -> Got:
    reach = reachable(call, reader)
    found, missing = resolve_all(reader, ids, reach)
    memories = [shown(call, kept.memory) for kept in reader.kept(found)]
    return Got(
        memories=tuple(memories),
        missing=tuple(missing),
        versions={i: tuple(reader.versions(i)) for i in found} if versions else None,
        relations=tuple(_visible(reader, reader.relations(found), reach)) if relations else None,
        chunks={i: tuple(shown(call, c) for c in reader.children(i, reach)) for i in found} if chunks else None,
    )


def shown(call: Call, memory: Memory) -> Memory:
    """Return a memory as the caller may see it: a confined principal sees no namespace."""
    return memory.model_copy(update={"namespace": ""}) if call.principal.confined else memory


def _visible(reader: Reader, relations: list[Relation], reach: Selection) -> list[Relation]:
    ends = sorted({end for r in relations for end in (r.source, r.target)})
    visible = reader.numbers(ends, reach)
    return [r for r in relations if r.source in visible and r.target in visible]
