"""See what memories speak of, put names right, and say what a memory speaks of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import accumulate
from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field

from bethink.domain import Entity, Tie, Value
from bethink.errors import Conflict, Forbidden, InvalidRequest, NotFound
from bethink.graph.entities import Known, known, nearest
from bethink.graph.links import entities_beside, memories_of
from bethink.intake.item import without_secrets
from bethink.intake.storing import log
from bethink.operation import Call, Effect, operation
from bethink.principal import Permission
from bethink.recall.budget import cost
from bethink.recall.cursor import issue, redeem
from bethink.recall.handles import EXACT, resolve_one
from bethink.recall.selection import choose, reachable, writable
from bethink.storage.protocol import Reader, Snapshot, Writer
from bethink.storage.values import Selection
from bethink.text.mentions import LONGEST, Mention, fold_name
from bethink.text.sorts import CONCEPT
from bethink.vocabulary import Cursor, MemoryId, Namespaces, Needs, NotBlank, OneLine, PageLimit, WhatFits, about

_PURPOSE: Final = "entities"
_MOST_SHOWN: Final = 20
_MOST_SAID: Final = 64
_WRITING: Final = Needs(Permission.write)


class Action(StrEnum):
    """What to do with entities."""

    list = "list"
    get = "get"
    merge = "merge"
    rename = "rename"
    assert_ = "assert"


NameOf = Annotated[str, Field(min_length=1, max_length=LONGEST), NotBlank, OneLine]
SortOf = Annotated[str, Field(min_length=1, max_length=40), NotBlank, OneLine]


class Said(BaseModel):
    """One entity that a caller says a memory mentions."""

    model_config = ConfigDict(extra="forbid")
    name: NameOf
    kind: SortOf | None = None


class SaidTie(BaseModel):
    """One edge between entities that a caller says a memory tells of."""

    model_config = ConfigDict(extra="forbid")
    source: NameOf
    type: SortOf
    target: NameOf


ActionOf = Annotated[Action, about("list, get, merge, rename or assert.")]
OneName = Annotated[NameOf, about("The entity; of a list, a part of its name.")]
Others = Annotated[
    list[NameOf], _WRITING, about("merge: the entities that are the same as `name`.", min_length=1, max_length=50)
]
To = Annotated[NameOf, _WRITING, about("rename: the new name.")]
Kind = Annotated[SortOf, about("list: only this kind. rename: the kind it is. person, project, tool, place ...")]
SaidOf = Annotated[MemoryId, _WRITING]
Told = Annotated[
    list[Said], _WRITING, about("assert: [{name, kind}], in place of what was asserted before.", max_length=_MOST_SAID)
]
Ties = Annotated[list[SaidTie], _WRITING, about("assert: [{source, type, target}], by names.", max_length=_MOST_SAID)]


class Entities(Value):
    """Entities, and of the one that was asked for its memories, its edges and what comes together with it."""

    entities: tuple[Entity, ...]
    more: int = 0
    cursor: str | None = None
    memories: tuple[str, ...] = ()
    relations: tuple[Tie, ...] = ()
    together: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def compact(self) -> str:
        """Return it as the lines a model needs, one an entity."""
        lines = [_line(entity) for entity in self.entities]
        lines += [f"{tie.source} {tie.type} {tie.target}" for tie in self.relations]
        if self.memories:
            lines.append(f"in {', '.join(self.memories)}")
        if self.together:
            lines.append(f"with {', '.join(self.together)}")
        lines += [f"note: {note}" for note in self.notes]
        if self.cursor:
            lines.append(f"{self.more:,} more; cursor={self.cursor}")
        return "\n".join(lines) or "no entity in reach"


@operation(Effect.WRITE, tool="memory_entities", http="POST /entities", toolset="graph", readable=True)
async def entities(
    call: Call,
    action: ActionOf = Action.list,
    *,
    name: OneName | None = None,
    others: Others | None = None,
    to: To | None = None,
    kind: Kind | None = None,
    memory: SaidOf | None = None,
    entities: Told | None = None,
    relations: Ties | None = None,
    limit: PageLimit = 50,
    cursor: Cursor | None = None,
    max_tokens: WhatFits = None,
    namespaces: Namespaces | None = None,
) -> Entities:
    """See what memories speak of (people, projects, files, tools, places), and put names right.

    Names are found in texts by themselves. Get shows one with its memories and what it comes with; merge those that are
    the same, rename one, or assert what the text of a memory does not tell. To find memories of one use the filter.
    """
    given = {"name": name, "others": others, "to": to, "kind": kind, "memory": memory, "entities": entities,
        "relations": relations}  # fmt: skip
    asked: dict[str, Any] = {key: value for key, value in given.items() if value is not None}
    if action not in _READING:
        call.require(Permission.write, f"entities {action.value}")
    _check(action, asked)
    where = {"namespaces": namespaces} if namespaces else {}
    storage = call.ports.storage
    if action is Action.list:
        page = _Page(limit, cursor, max_tokens)
        return await storage.read(lambda reader: _listed(call, reader, asked, where, page))
    if action is not Action.get:
        asked = await _changed(call, action, asked, where)
    if action is Action.assert_:
        return await storage.read(lambda reader: _of_memory(call, reader, asked["memory"]))
    return await storage.read(lambda reader: _got(call, reader, asked["name"], where))


_READING: Final = frozenset({Action.list, Action.get})
_NEEDS: Final[Mapping[Action, tuple[frozenset[str], frozenset[str]]]] = {
    Action.list: (frozenset(), frozenset({"name", "kind"})),
    Action.get: (frozenset({"name"}), frozenset()),
    Action.merge: (frozenset({"name", "others"}), frozenset()),
    Action.rename: (frozenset({"name"}), frozenset({"to", "kind"})),
    Action.assert_: (frozenset({"memory"}), frozenset({"entities", "relations"})),
}


def _check(action: Action, asked: Mapping[str, Any]) -> None:
    """Refuse what an action needs and has not, or has and cannot use."""
    needed, useful = _NEEDS[action]
    if missing := sorted(needed - asked.keys()):
        raise InvalidRequest(f"{missing[0]} is required", hint=f"{action.value} takes {_listing(needed | useful)}.")
    if extra := sorted(asked.keys() - needed - useful):
        raise InvalidRequest(
            f"{action.value} takes no {extra[0]!r}", hint=f"It takes {_listing(needed | useful)}; leave {extra[0]} out."
        )
    if action in (Action.rename, Action.assert_) and not asked.keys() & useful:
        raise InvalidRequest(f"{action.value} takes one of {_listing(useful)}", hint="Give one of them.")


def _listing(names: frozenset[str]) -> str:
    return ", ".join(sorted(names))


async def _changed(call: Call, action: Action, asked: dict[str, Any], where: dict[str, Any]) -> dict[str, Any]:
    """Make a change and return what to show: the same words, with what was taken out of them."""
    plain = {key: _plain(value) for key, value in asked.items()}
    safe, _ = without_secrets(plain, call.ports.policy.secrets)
    change = {Action.merge: _merge, Action.rename: _rename, Action.assert_: _say}[action]
    return await call.ports.storage.write(lambda writer: change(call, writer, safe, where))


def _plain(value: Any) -> Any:
    return (
        [one.model_dump() if isinstance(one, BaseModel) else one for one in value] if isinstance(value, list) else value
    )


@dataclass(frozen=True, slots=True)
class _Page:
    """How much of a list is shown, and from where on."""

    limit: int
    cursor: str | None
    max_tokens: int | None


def _listed(call: Call, reader: Reader, asked: Mapping[str, Any], where: dict[str, Any], wanted: _Page) -> Entities:
    """One page, most mentioned first; a cursor holds the place, so that nothing that stays comes twice."""
    bound = [call.principal.name, sorted(asked.items()), where]
    every = known(reader, _selection(call, reader, where))
    part, kind = fold_name(asked.get("name", "")), asked.get("kind")
    chosen = [k for k in every if _is_asked(k, part, kind)]
    if wanted.cursor is not None:
        (count, folded), _ = redeem(reader.secret(), wanted.cursor, purpose=_PURPOSE, call=bound, now=call.ports.now())
        chosen = [k for k in chosen if (-k.entity.memories, k.folded) > (-count, folded)]
    page = _fitting(chosen[: wanted.limit], wanted.max_tokens)
    last = page[-1] if page and len(page) < len(chosen) else None
    state = [last.entity.memories, last.folded] if last else None
    return Entities(
        entities=tuple(k.entity for k in page),
        more=len(chosen) - len(page),
        cursor=issue(reader.secret(), purpose=_PURPOSE, call=bound, state=state, now=call.ports.now())
        if last
        else None,
    )


def _is_asked(one: Known, part: str, kind: str | None) -> bool:
    return (not kind or one.entity.kind == kind) and (not part or any(part in name for name in one.names))


def _fitting(page: list[Known], tokens: int | None) -> list[Known]:
    if tokens is None:
        return page
    return page[: max(1, sum(total <= tokens for total in accumulate(cost(k.entity) for k in page)))]


def _got(call: Call, reader: Reader, name: str, where: dict[str, Any]) -> Entities:
    selection = _selection(call, reader, where)
    found = known(reader, selection, [fold_name(name)])[:1]
    notes: tuple[str, ...] = ()
    if not found:
        near = nearest(reader, selection, fold_name(name))
        if len(near) != 1:
            raise _unknown(name, near)
        found, notes = near, (f"{name!r} was taken for {near[0].entity.name!r}",)
    one = found[0]
    ids = list(one.ids.values())
    memories = reader.ids(memories_of(reader, selection, ids, most=_MOST_SHOWN))
    handles = reader.handles(memories, reachable(call, reader))
    beside = entities_beside(reader, selection, ids, most=_MOST_SHOWN)
    together = {k.entity.name: None for k in beside if k.folded != one.folded}
    return Entities(
        entities=(one.entity,),
        memories=tuple(handles[memory] for memory in memories),
        relations=_ties(reader, selection, ids),
        together=tuple(together),
        notes=notes,
    )


def _ties(reader: Reader, selection: Selection, ids: Sequence[int]) -> tuple[Tie, ...]:
    """The edges of entities, by the names that they have now."""
    ties = reader.ties(ids, selection)
    ends = sorted({end for tie in ties for end in (tie.source, tie.target)})
    names = {folded: k.entity.name for k in (known(reader, selection, ends) if ends else []) for folded in k.names}
    shown = dict.fromkeys(
        Tie(source=names[t.source], type=t.type, target=names[t.target])
        for t in ties
        if t.source in names and t.target in names
    )
    return tuple(shown)[:_MOST_SHOWN]


def _of_memory(call: Call, reader: Reader, memory: str) -> Entities:
    """What a memory mentions, by its text and by what was said of it."""
    selection = reachable(call, reader)
    number = reader.numbers([memory], selection)[memory]
    here = sorted({entity for _, entity in reader.mentioned([number])})
    found = known(reader, selection, entities=here)
    return Entities(entities=tuple(k.entity for k in found), relations=_ties(reader, selection, here))


def _merge(call: Call, writer: Writer, asked: dict[str, Any], where: dict[str, Any]) -> dict[str, Any]:
    """Make entities one in each namespace that may be written to; the one that keeps its name is given there."""
    target, others = asked["name"], list(dict.fromkeys(asked["others"]))
    folded = fold_name(target)
    if any(fold_name(other) == folded for other in others):
        raise InvalidRequest(f"{target!r} cannot be merged with itself", hint="Name the others in `others`.")
    into, _ = _ours(call, writer, target, where)
    merged = [_ours(call, writer, other, where) for other in others]
    for place in sorted({place for one, _ in merged for place in one.ids}):
        own = [one.ids[place] for one, _ in merged if place in one.ids]
        if place in into.ids:
            _, main = _ours(call, writer, target, where)
            writer.merge_entities(into.ids[place], [e for e in own if e != into.ids[place]], main)
        else:
            writer.rename_entity(own[0], Mention(into.entity.name, into.folded, into.entity.kind))
            writer.merge_entities(own[0], [e for e in own[1:] if e != own[0]], into.folded)
    log(call, writer, "entity.merge", (), ("others",))
    return asked


def _rename(call: Call, writer: Writer, asked: dict[str, Any], where: dict[str, Any]) -> dict[str, Any]:
    one, _ = _ours(call, writer, asked["name"], where)
    to = asked.get("to") or one.entity.name
    new = _mention(to, asked.get("kind") or one.entity.kind)
    others = known(writer, _selection(call, writer, where), [new.folded])
    if any(set(k.ids.values()) - set(one.ids.values()) for k in others):
        raise Conflict(f"{to!r} is another entity", hint="If they are the same, use action merge.")
    for entity in one.ids.values():
        writer.rename_entity(entity, new)
    log(call, writer, "entity.rename", (), sorted(asked.keys() & {"to", "kind"}))
    return {**asked, "name": to}


def _say(call: Call, writer: Writer, asked: dict[str, Any], _where: dict[str, Any]) -> dict[str, Any]:
    memory = resolve_one(writer, asked["memory"], reachable(call, writer), least=EXACT)
    if not writer.numbers([memory], writable(call, writer)):
        raise Forbidden(
            f"memory {asked['memory']!r} is outside the write reach", hint="It can be read but not changed from here."
        )
    told = [_mention(one["name"], one["kind"]) for one in asked.get("entities", ())]
    sorts = {one.folded: one for one in told}
    ties = [
        (_end(sorts, tie["source"]), tie["type"].lower(), _end(sorts, tie["target"]))
        for tie in asked.get("relations", ())
    ]
    if same := next((source for source, _, target in ties if source.folded == target.folded), None):
        raise InvalidRequest(f"relations: {same.spelled!r} is at both ends", hint="Name two different entities.")
    writer.say(memory, told, ties)
    log(call, writer, "entity.assert", (memory,), sorted(asked.keys() & {"entities", "relations"}))
    return {**asked, "memory": memory}


def _end(sorts: Mapping[str, Mention], name: str) -> Mention:
    return sorts.get(fold_name(name)) or _mention(name, None)


def _mention(name: str, kind: str | None) -> Mention:
    folded = fold_name(name)
    if not folded:
        raise InvalidRequest(f"{name!r} is not a name", hint="Give a name of letters or digits.")
    return Mention(name.strip(), folded, (kind or CONCEPT).lower())


def _ours(call: Call, writer: Writer, name: str, where: dict[str, Any]) -> tuple[Known, str]:
    """The entity of that name where the caller may change it, and the folded name that it has now."""
    selection = _selection(call, writer, where)
    found = known(writer, selection, [fold_name(name)])
    if not found:
        raise _unknown(name, nearest(writer, selection, fold_name(name)))
    write = writable(call, writer).namespaces
    own = {place: entity for k in found for place, entity in k.ids.items() if write is None or place in write}
    if not own:
        raise Forbidden(f"{name!r} is outside the write reach", hint="It can be read but not changed from here.")
    one = found[0]
    return Known(one.entity, one.folded, own, one.names), one.folded


def _selection(call: Call, reader: Snapshot, where: Mapping[str, Any]) -> Selection:
    return choose(call, reader, where, structural=True).selection


def _unknown(name: str, near: Sequence[Known]) -> NotFound:
    hint = f"Near: {', '.join(k.entity.name for k in near[:5])}." if near else "Use action list to see what there is."
    return NotFound(f"no entity {name!r} in reach", hint=hint)


def _line(entity: Entity) -> str:
    also = f" (also {', '.join(entity.aliases)})" if entity.aliases else ""
    return f"{entity.name}: {entity.kind}, {entity.memories:,} {'memory' if entity.memories == 1 else 'memories'}{also}"
