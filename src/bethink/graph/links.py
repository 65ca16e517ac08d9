"""From entities to memories and back, a bounded number of steps at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from bethink.storage.protocol import Snapshot
from bethink.storage.values import Selection

from .entities import Known, known

MOST: Final = 200


def memories_of(reader: Snapshot, selection: Selection, entities: Sequence[int], *, most: int = MOST) -> list[int]:
    """Return the numbers of up to `most` admitted memories that mention any of `entities`, the newest first."""
    found = {number for _, number in reader.mentioning(entities, selection, most)}
    return sorted(found, reverse=True)[:most]


def entities_of(reader: Snapshot, selection: Selection, numbers: Sequence[int], *, most: int = MOST) -> list[Known]:
    """Return up to `most` of the entities that memories, which the selection admits, mention: most mentioned first."""
    here = Counter(entity for _, entity in reader.mentioned(numbers[:MOST]))
    chosen = [entity for entity, _ in sorted(here.items(), key=lambda one: (-one[1], one[0]))[:most]]
    return known(reader, selection, entities=chosen)


def entities_beside(reader: Snapshot, selection: Selection, entities: Sequence[int], *, most: int) -> list[Known]:
    """Return the entities that come most often in the memories of `entities`, those themselves left out."""
    here = Counter(e for _, e in reader.mentioned(memories_of(reader, selection, entities)) if e not in set(entities))
    chosen = [entity for entity, _ in sorted(here.items(), key=lambda one: (-one[1], one[0]))[:most]]
    place = {entity: at for at, entity in enumerate(chosen)}
    found = known(reader, selection, entities=chosen)
    return sorted(found, key=lambda one: min(place.get(entity, most) for entity in one.ids.values()))
