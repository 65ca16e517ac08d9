"""Draw edges between memories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Annotated, Any, Final

from bethink.domain import Certainty, Relation, RelationType, Value, from_micros
from bethink.errors import InvalidRequest
from bethink.graph.asked import Asked, Key, check_no_circle, drawable
from bethink.intake.item import GONE, checked_metadata, without_secrets
from bethink.intake.storing import log
from bethink.intake.superseding import check, close
from bethink.operation import Call, Effect, operation
from bethink.recall.selection import reachable, writable
from bethink.storage.protocol import Writer
from bethink.storage.values import Selection
from bethink.vocabulary import DrawnType, EdgeEnd, Fraction, Metadata, about

MOST_EDGES: Final = 100
TypeOf = Annotated[DrawnType, about("What the source is to the target.")]
Weight = Annotated[Fraction, about("How strong, 0..1; 1 unless given.")]


class NewEdge(Value):
    """An edge to draw."""

    source: EdgeEnd
    target: EdgeEnd
    type: TypeOf
    weight: Weight | None = None
    metadata: Metadata | None = None


NewEdges = Annotated[
    list[NewEdge],
    about("Several instead: [{source, target, type, weight, metadata}].", min_length=1, max_length=MOST_EDGES),
]


class Drawing(StrEnum):
    """What became of one edge."""

    drawn = "drawn"
    changed = "changed"
    unchanged = "unchanged"
    skipped = "skipped"


class Drawn(Value):
    """One edge as it is kept, and what became of it; `skipped` is out of the write reach."""

    source: str
    target: str
    type: RelationType
    weight: float | None = None
    outcome: Drawing


class Related(Value):
    """The edges in the order given, and the memories that are superseded by them now."""

    edges: tuple[Drawn, ...]
    superseded: tuple[str, ...] = ()
    cleaned: tuple[str, ...] = ()
    redacted: tuple[str, ...] = ()

    def compact(self) -> str:
        """Return it as the few lines a model needs."""
        lines = [f"{e.source} {e.type} {e.target}: {_SAID[e.outcome]}" for e in self.edges]
        lines += [f"superseded now: {handle}" for handle in self.superseded]
        return "\n".join([*lines, *(f"redacted: {kind}" for kind in self.redacted)])


_SAID: Final = {
    Drawing.drawn: "drawn",
    Drawing.changed: "was there, changed",
    Drawing.unchanged: "was there, nothing differs",
    Drawing.skipped: "not drawn, outside the write reach",
}


@operation(Effect.WRITE, tool="memory_relate", http="POST /relations")
async def relate(
    call: Call,
    source: EdgeEnd | None = None,
    target: EdgeEnd | None = None,
    type: TypeOf | None = None,  # noqa: A002  # what callers know it as
    *,
    weight: Weight | None = None,
    metadata: Metadata | None = None,
    edges: NewEdges | None = None,
) -> Related:
    """Connect two memories.

    `source` supersedes, contradicts, is caused_by, derived_from, parent_of or related_to `target`. The same edge drawn
    again stays one edge and takes the new weight or metadata. What is superseded leaves default reads. Several `edges`
    are drawn all or none.
    """
    given = [_only(source, target, type, weight, metadata)] if edges is None else edges
    if edges is not None and any(value is not None for value in (source, target, type, weight, metadata)):
        raise InvalidRequest("edges goes alone", hint="Put the other edge into `edges` too.")
    safe = [without_secrets({"metadata": edge.metadata}, call.ports.policy.secrets) for edge in given]
    fields = [_given(edge, checked_metadata(kept["metadata"])) for edge, (kept, _) in zip(given, safe, strict=True)]
    redacted = tuple(dict.fromkeys(kind for _, kinds in safe for kind in kinds))
    done = await call.ports.storage.write(lambda writer: _relate(call, writer, given, fields))
    return done.model_copy(update={"cleaned": call.cleaned, "redacted": redacted})


def _only(
    source: str | None,
    target: str | None,
    kind: RelationType | None,
    weight: float | None,
    metadata: dict[str, Any] | None,
) -> NewEdge:
    if source is None or target is None or kind is None:
        named = {"source": source, "target": target, "type": kind}
        lacking = next(name for name, value in named.items() if value is None)
        raise InvalidRequest(f"{lacking} is required", hint="Give source, target and type, or several as `edges`.")
    return NewEdge(source=source, target=target, type=kind, weight=weight, metadata=metadata)


def _given(edge: NewEdge, metadata: dict[str, Any] | None) -> dict[str, Any]:
    given = {"weight": edge.weight, "metadata": metadata}
    return {name: value for name, value in given.items() if value is not None}


def _relate(call: Call, writer: Writer, given: Sequence[NewEdge], fields: Sequence[Mapping[str, Any]]) -> Related:
    reach = reachable(call, writer)
    asked = [drawable(writer, edge.source, edge.target, edge.type, reach) for edge in given]
    ids = sorted({end for one in asked for end in (one.source, one.target)})
    within = writer.numbers(ids, writable(call, writer)).keys()
    allowed = [one for one in asked if one.touched <= within]
    _check(writer, allowed, reach)
    drawn = [
        _draw(call, writer, one, said) if one in allowed else (one.key, None, Drawing.skipped)
        for one, said in zip(asked, fields, strict=True)
    ]
    superseded = [old for one in allowed if (old := _supersede(call, writer, one))]
    handles = writer.handles(ids, reach)
    return Related(
        edges=tuple(
            Drawn(source=handles[key[0]], target=handles[key[1]], type=key[2], weight=weight, outcome=outcome)
            for key, weight, outcome in drawn
        ),
        superseded=tuple(handles[memory] for memory in superseded),
    )


def _check(writer: Writer, asked: Sequence[Asked], reach: Selection) -> None:
    """Refuse what cannot be superseded, before anything is written."""
    for one in asked:
        if one.type is RelationType.supersedes:
            new, old = (kept.memory for kept in writer.kept([one.source, one.target]))
            check(old, new)
    check_no_circle(writer, [one.key for one in asked], reach)


def _draw(call: Call, writer: Writer, asked: Asked, given: Mapping[str, Any]) -> tuple[Key, float, Drawing]:
    """Draw one edge; one that is there takes what is given of it, and counts as said from now on."""
    source, target, kind = asked.key
    there = writer.edge(source, target, kind)
    if there is None:
        now = from_micros(call.ports.now())
        relation = Relation(source=source, target=target, type=kind, created_at=now, **given)
    else:
        relation = there.model_copy(update={**given, "certainty": Certainty.extracted})
    if relation != there:
        writer.put_edge(relation)
        log(call, writer, "relate", (source, target), (kind.value, *given))
    outcome = Drawing.drawn if there is None else Drawing.unchanged if relation == there else Drawing.changed
    return asked.key, relation.weight, outcome


def _supersede(call: Call, writer: Writer, asked: Asked) -> str | None:
    """Mark the target of a supersedes edge; one that is out of use already stays as it is."""
    if asked.type is not RelationType.supersedes:
        return None
    new, old = writer.kept([asked.source, asked.target])
    if old.memory.status in GONE:
        return None
    close(call, writer, old, new.memory)
    return asked.target
