"""Read memories by id."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Annotated

from bethink.domain import Memory, Relation, Value, Version, to_micros
from bethink.operation import Call, Effect, operation
from bethink.recall.budget import Fitted, T, cost, fitted
from bethink.recall.handles import resolve_all
from bethink.recall.known import as_known, known_versions, visible_relations
from bethink.recall.selection import reachable
from bethink.storage.protocol import Reader
from bethink.text.times import format_time
from bethink.vocabulary import MemoryIds, WhatFits, about

WithVersions = Annotated[bool, about("Also the earlier versions of each.")]
WithRelations = Annotated[bool, about("Also the edges from and to each.")]
WithChunks = Annotated[bool, about("Also the parts of each, in order.")]


class Got(Value):
    """Memories in the order asked for, retired and superseded ones included; `missing` are not in reach.

    Where max_tokens did not suffice, `cut` names those whose text was shortened, `left_out` those that were not read,
    and `notes` says how to read on.
    """

    memories: tuple[Memory, ...]
    missing: tuple[str, ...] = ()
    versions: dict[str, tuple[Version, ...]] | None = None
    relations: tuple[Relation, ...] | None = None
    chunks: dict[str, tuple[Memory, ...]] | None = None
    cut: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def compact(self) -> str:
        """Return it as the lines a model needs: a heading a memory, then its text."""
        lines = [line for memory in self.memories for line in told(memory)]
        for memory, versions in (self.versions or {}).items():
            lines += [f"{memory} version {v.number}, until {v.replaced_at:%Y-%m-%d}: {v.content}" for v in versions]
        lines += [f"{r.source} {r.type} {r.target}" for r in self.relations or ()]
        lines += [line for chunks in (self.chunks or {}).values() for chunk in chunks for line in told(chunk)]
        said = {"not found": self.missing, "shortened": self.cut, "left out": self.left_out}
        lines += [f"{what}: {', '.join(ids)}" for what, ids in said.items() if ids]
        return "\n".join([*lines, *(f"note: {note}" for note in self.notes)])


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
    max_tokens: WhatFits = None,
) -> Got:
    """Read whole memories by id, up to 200, in the order asked for.

    Retired, superseded and expired ones are included and marked. Ids that are not in reach come back as `missing`.
    """
    got = await call.ports.storage.read(
        lambda reader: _got(call, reader, ids, versions=versions, relations=relations, chunks=chunks)
    )
    if max_tokens is None or cost(got) <= max_tokens:
        return got
    short = _within(got, max_tokens)
    handles = await call.ports.storage.read(lambda reader: reader.handles(short.cut, reachable(call, reader)))
    return short.model_copy(update={"cut": tuple(handles[i] for i in short.cut)})


def _got(call: Call, reader: Reader, ids: list[str], *, versions: bool, relations: bool, chunks: bool) -> Got:
    reach = reachable(call, reader)
    found, missing = resolve_all(reader, ids, reach)
    memories = [kept.memory for kept in reader.kept(found)]
    parts = {i: tuple(as_known(call, reader, reader.children(i, reach), reach)) for i in found} if chunks else None
    return Got(
        memories=tuple(as_known(call, reader, memories, reach)),
        missing=tuple(missing),
        versions={i: tuple(known_versions(call, reader, i)) for i in found} if versions else None,
        relations=tuple(visible_relations(reader, found, reach)) if relations else None,
        chunks=parts,
    )


def _within(got: Got, tokens: int) -> Got:
    """Return what fits: memories, up to half where more was asked for, then versions, relations and parts."""
    more = got.versions or got.relations or got.chunks
    memories = fitted(got.memories, tokens // 2 if more else tokens)
    left = tokens - sum(map(cost, memories.shown))
    versions, old, left = _grouped(got.versions, left)
    relations = _fitting(got.relations, left)
    parts, chunks, left = _grouped(got.chunks, left - sum(map(cost, relations or ())))
    lacking = {
        "memories": memories.left_out,
        "versions": old.left_out,
        "relations": len(got.relations or ()) - len(relations or ()),
        "parts": chunks.left_out,
    }
    cut = [f.shown[n].id for f in (memories, chunks) for n in sorted(f.cut)]
    return Got(
        memories=tuple(memories.shown),
        missing=got.missing,
        versions=versions,
        relations=relations,
        chunks=parts,
        cut=tuple(cut),
        left_out=tuple(m.id for m in got.memories[len(memories.shown) :]),
        notes=tuple(_notes(lacking, shortened=bool(cut or old.cut))),
    )


def _notes(lacking: Mapping[str, int], *, shortened: bool) -> Iterator[str]:
    counts = ", ".join(f"{count} {what}" for what, count in lacking.items() if count)
    if counts:
        yield f"{counts} did not fit into max_tokens"
    if shortened:
        yield "texts were shortened to fit into max_tokens"
    if counts or shortened:
        yield "to read on, use memory_get with fewer ids or a greater max_tokens"


def _grouped(
    groups: Mapping[str, Sequence[T]] | None, tokens: int
) -> tuple[dict[str, tuple[T, ...]] | None, Fitted[T], int]:
    """Return as much of each group as fits, in order, and what is left of the tokens."""
    rows = [(owner, value) for owner, values in (groups or {}).items() for value in values]
    kept = fitted([value for _, value in rows], tokens, least=0)
    shown: dict[str, list[T]] = {owner: [] for owner in groups or {}}
    for (owner, _), value in zip(rows, kept.shown, strict=False):
        shown[owner].append(value)
    told = None if groups is None else {owner: tuple(values) for owner, values in shown.items()}
    return told, kept, tokens - sum(map(cost, kept.shown))


def _fitting(relations: tuple[Relation, ...] | None, tokens: int) -> tuple[Relation, ...] | None:
    if relations is None:
        return None
    spent = accumulate(map(cost, relations))
    return relations[: sum(total <= tokens for total in spent)]
