"""Delete edges, give them another type, or turn them round."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Final

from bethink.domain import RelationType, Status, Value
from bethink.errors import InvalidRequest
from bethink.graph.asked import Asked, Key, check_no_circle, resolved
from bethink.graph.mending import Change, Mending, Outcome
from bethink.intake.item import GONE
from bethink.intake.restoring import bring_back
from bethink.intake.storing import log
from bethink.intake.superseding import check, close
from bethink.operation import Call, Effect, operation
from bethink.recall.selection import everything, reachable, writable
from bethink.storage.protocol import Snapshot, Writer
from bethink.vocabulary import DrawnType, EdgeEnd, about

from .relate import MOST_EDGES

EdgeType = Annotated[RelationType, about("The type of the edge.")]
Retype = Annotated[DrawnType, about("The type that it becomes.")]
Reverse = Annotated[bool, about("Turn it round: what was its target is its source.")]
DryRun = Annotated[bool, about("Only say what would become of each.")]


class NamedEdge(Value):
    """An edge that is there."""

    source: EdgeEnd
    target: EdgeEnd
    type: EdgeType


NamedEdges = Annotated[
    list[NamedEdge],
    about("Several instead: [{source, target, type}].", min_length=1, max_length=MOST_EDGES),
]


class Mended(Value):
    """What became of one edge; `now` is the edge that stands in its place, where it is another."""

    source: str
    target: str
    type: RelationType
    outcome: Outcome
    now: tuple[str, RelationType, str] | None = None


class Unrelated(Value):
    """The edges in the order given, and the memories whose status went with them."""

    edges: tuple[Mended, ...]
    superseded: tuple[str, ...] = ()
    restored: tuple[str, ...] = ()
    dry_run: bool = False
    cleaned: tuple[str, ...] = ()

    def compact(self) -> str:
        """Return it as the few lines a model needs."""
        lines = [_line(edge) for edge in self.edges]
        lines += [f"in use again: {handle}" for handle in self.restored]
        lines += [f"superseded now: {handle}" for handle in self.superseded]
        return "\n".join([*lines, *(["nothing was changed: this was a dry run"] if self.dry_run else [])])


_SAID: Final = {
    Outcome.not_found: "no such edge",
    Outcome.skipped: "outside the write reach",
    Outcome.merged: "merged into the edge that was there",
}


def _line(edge: Mended) -> str:
    now = f": {' '.join(edge.now)}" if edge.now else ""
    return f"{edge.source} {edge.type} {edge.target}: {_SAID.get(edge.outcome, edge.outcome)}{now}"


@dataclass(frozen=True, slots=True)
class _Plan:
    """What is to become of each edge, and of the memories at the ends of those that say what supersedes what."""

    mending: Mending
    changes: list[Change]
    superseded: list[Key]
    freed: list[str]


@operation(Effect.DESTROY, tool="memory_unrelate", http="POST /relations/remove", toolset="graph")
async def unrelate(
    call: Call,
    source: EdgeEnd | None = None,
    target: EdgeEnd | None = None,
    type: EdgeType | None = None,  # noqa: A002  # what callers know it as
    *,
    retype: Retype | None = None,
    reverse: Reverse = False,
    edges: NamedEdges | None = None,
    dry_run: DryRun = False,
) -> Unrelated:
    """Delete an edge between two memories, or correct it.

    With retype or reverse it keeps its age and metadata; where the corrected edge is there already, the two become one.
    A memory that nothing supersedes any more is in use again. Several are changed all or none, each the same way;
    dry_run shows what would become of each.
    """
    given = _given(source, target, type, edges)
    if dry_run:
        done = await call.ports.storage.read(lambda reader: _planned(call, reader, given, retype, reverse=reverse))
    else:
        done = await call.ports.storage.write(lambda writer: _mend(call, writer, given, retype, reverse=reverse))
    return done.model_copy(update={"dry_run": dry_run, "cleaned": call.cleaned})


def _given(
    source: str | None, target: str | None, kind: RelationType | None, edges: list[NamedEdge] | None
) -> list[NamedEdge]:
    one = {"source": source, "target": target, "type": kind}
    if edges is not None:
        if any(value is not None for value in one.values()):
            raise InvalidRequest("edges goes alone", hint="Put the other edge into `edges` too.")
        return edges
    if lacking := [name for name, value in one.items() if value is None]:
        raise InvalidRequest(f"{lacking[0]} is required", hint="Give source, target and type, or several as `edges`.")
    return [NamedEdge.model_validate(one)]


def _planned(
    call: Call, reader: Snapshot, given: Sequence[NamedEdge], retype: RelationType | None, *, reverse: bool
) -> Unrelated:
    return _told(call, reader, given, _plan(call, reader, given, retype, reverse=reverse))


def _mend(
    call: Call, writer: Writer, given: Sequence[NamedEdge], retype: RelationType | None, *, reverse: bool
) -> Unrelated:
    plan = _plan(call, writer, given, retype, reverse=reverse)
    told = _told(call, writer, given, plan)
    for key in plan.mending.removed:
        writer.remove_edge(*key)
    for relation in plan.mending.put:
        writer.put_edge(relation)
    for change in plan.changes:
        _log(call, writer, change)
    if plan.freed:
        bring_back(call, writer, writer.kept(plan.freed), "no longer superseded")
    for source, target, _ in plan.superseded:
        new, old = writer.kept([source, target])
        close(call, writer, old, new.memory)
    return told


def _plan(
    call: Call, reader: Snapshot, given: Sequence[NamedEdge], retype: RelationType | None, *, reverse: bool
) -> _Plan:
    reach, mending = reachable(call, reader), Mending(reader)
    asked = [resolved(reader, edge.source, edge.target, edge.type, reach) for edge in given]
    writes = _writes(call, reader, asked)
    changes = [
        mending.apply(one, writes, retype=retype, reverse=reverse) if one else Change(Outcome.not_found)
        for one in asked
    ]
    drawn = [key for key in mending.added if key[2] is RelationType.supersedes]
    for source, target, _ in drawn:
        new, old = (kept.memory for kept in reader.kept([source, target]))
        check(old, new)
    check_no_circle(reader, drawn, reach, removed=mending.removed)
    freed = _with_status(reader, mending.freed(everything(call)), frozenset({Status.superseded}))
    first = {key[1]: key for key in reversed(drawn)}  # two may supersede one, which is marked once
    in_use = _with_status(reader, list(first), frozenset(Status) - GONE)
    return _Plan(mending, changes, [first[memory] for memory in in_use], freed)


def _writes(call: Call, reader: Snapshot, asked: Sequence[Asked | None]) -> frozenset[str]:
    ends = sorted({end for one in asked if one for end in (one.source, one.target)})
    return frozenset(reader.numbers(ends, writable(call, reader)))


def _with_status(reader: Snapshot, memories: Sequence[str], statuses: frozenset[Status]) -> list[str]:
    return [kept.memory.id for kept in reader.kept(memories) if kept.memory.status in statuses]


def _log(call: Call, writer: Writer, change: Change) -> None:
    """Note an edge that was changed, so that it could be drawn again as it was."""
    if change.before is None or change.outcome in (Outcome.unchanged, Outcome.skipped):
        return
    source, target, kind = change.before
    became = [change.after[2].value] if change.after else []
    log(call, writer, f"unrelate.{change.outcome.value}", (source, target), (kind.value, *became))


def _told(call: Call, reader: Snapshot, given: Sequence[NamedEdge], plan: _Plan) -> Unrelated:
    reach = reachable(call, reader)
    keys = [key for change in plan.changes for key in (change.before, change.after) if key]
    handles = reader.handles(sorted({end for key in keys for end in key[:2]}), reach)
    return Unrelated(
        edges=tuple(_mended(edge, change, handles) for edge, change in zip(given, plan.changes, strict=True)),
        superseded=tuple(handles[target] for _, target, _ in plan.superseded),
        restored=tuple(handles[memory] for memory in plan.freed),
    )


def _mended(edge: NamedEdge, change: Change, handles: dict[str, str]) -> Mended:
    if change.before is None:  # as it was named: there is nothing that it could mean
        return Mended(source=edge.source, target=edge.target, type=edge.type, outcome=change.outcome)
    source, target, kind = change.before
    after = change.after if change.after != change.before else None
    return Mended(
        source=handles[source],
        target=handles[target],
        type=kind,
        outcome=change.outcome,
        now=(handles[after[0]], after[2], handles[after[1]]) if after else None,
    )
