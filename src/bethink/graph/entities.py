"""Entities as a caller sees them: the names that its memories hold, put together by what they stand for."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bethink.domain import Entity
from bethink.storage.naming import Name
from bethink.storage.protocol import Snapshot
from bethink.storage.values import Selection
from bethink.text.sorts import CONCEPT
from bethink.text.typos import is_slip

_MOST_ALIASES = 20
_RENAMED = 2


@dataclass(frozen=True, slots=True)
class Known:
    """An entity, the folded form of its name, and what it is to the store in each namespace."""

    entity: Entity
    folded: str
    ids: dict[int, int]
    names: frozenset[str]


def known(
    reader: Snapshot,
    selection: Selection,
    folded: Sequence[str] | None = None,
    *,
    entities: Sequence[int] | None = None,
) -> list[Known]:
    """Return the entities that a selection's memories mention, or of these names or numbers, most mentioned first.

    Entities of one name in several namespaces are one.
    """
    by_name, counts = _grouped(reader, selection, reader.names(selection, folded=folded, entities=entities))
    found = [_known(folded, own, counts) for folded, own in by_name.items()]
    return sorted(found, key=lambda one: (-one.entity.memories, one.folded))


def tallied(reader: Snapshot, selection: Selection) -> dict[str | None, int]:
    """Count a selection's memories by the entities that they mention, and under None those that mention nothing."""
    by_name, counts = _grouped(reader, selection, reader.names(selection))
    found = sorted((-_memories(own, counts), folded, _main(own).spelled) for folded, own in by_name.items())
    nameless = reader.count_nameless(selection)
    return {**{name: -count for count, _, name in found}, **({None: nameless} if nameless else {})}


def nearest(reader: Snapshot, selection: Selection, folded: str) -> list[Known]:
    """Return the entities whose names may be meant by a folded one that is mistyped."""
    near = slips_of(reader, selection, folded)
    return known(reader, selection, near) if near else []


def slips_of(reader: Snapshot, selection: Selection, folded: str) -> list[str]:
    """Return the names that may be meant by a folded one that is mistyped."""
    return [name for name in reader.names_like(folded, selection) if is_slip(folded, name)]


def _grouped(
    reader: Snapshot, selection: Selection, names: Sequence[Name]
) -> tuple[Mapping[str, list[Name]], Mapping[int, int]]:
    """Names by what they stand for, and how many memories mention the entities that have several."""
    by_entity: defaultdict[int, list[Name]] = defaultdict(list)
    for name in names:
        by_entity[name.entity].append(name)
    by_name: defaultdict[str, list[Name]] = defaultdict(list)
    for own in by_entity.values():
        by_name[_main(own).folded] += own
    several = [e for e, own in by_entity.items() if len(own) > 1]  # a memory may hold two spellings of one
    return by_name, reader.counted(several, selection) if several else {}


def _memories(names: Sequence[Name], counts: Mapping[int, int]) -> int:
    """How many memories hold any of the names of one."""
    single = [name.memories for name in names if name.entity not in counts]
    return sum(single) + sum(counts.get(entity, 0) for entity in {name.entity for name in names})


def _known(folded: str, names: Sequence[Name], counts: Mapping[int, int]) -> Known:
    main = _main(names)
    spellings: Counter[str] = Counter()
    for name in names:
        spellings[name.spelled] += name.memories
    others = {s: n for s, n in spellings.most_common() if s != main.spelled}
    entity = Entity(
        name=main.spelled,
        kind=_kind(names),
        aliases=tuple(sorted(others, key=lambda s: (-others[s], s))[:_MOST_ALIASES]),
        memories=_memories(names, counts),
    )
    return Known(entity, folded, {name.place: name.entity for name in names}, frozenset(n.folded for n in names))


def _main(names: Sequence[Name]) -> Name:
    """The name that was chosen, else the one that most memories hold, a whole word before an address of it."""
    if len(names) == 1:
        return names[0]
    return max(names, key=lambda name: (name.chosen, name.memories, _reversed(name.spelled)))


def _reversed(text: str) -> tuple[int, ...]:
    return tuple(-ord(character) for character in text)


def _kind(names: Sequence[Name]) -> str:
    """What a rename said, else what most memories tell; one that tells nothing counts where none does."""
    votes: Counter[tuple[bool, str]] = Counter()
    for name in names:
        votes[name.chosen == _RENAMED, name.kind] += max(name.memories, 1)
    _, kind = max(votes, key=lambda vote: (vote[0], vote[1] != CONCEPT, votes[vote], vote[1]))
    return kind
