"""What a caller may know of a memory that it may read: nothing that tells of what is out of reach or too high."""

from __future__ import annotations

from collections.abc import Sequence

from bethink.domain import Memory, Relation, Version
from bethink.operation import Call
from bethink.storage.protocol import Reader, Snapshot
from bethink.storage.values import Selection


def as_known(call: Call, reader: Snapshot, memories: Sequence[Memory], reach: Selection) -> list[Memory]:
    """Return memories as the caller may see them: no parent out of reach, for a confined principal no namespace."""
    visible = reader.numbers([m.parent_id for m in memories if m.parent_id], reach)
    hidden = {"namespace": ""} if call.principal.confined else {}
    return [m.model_copy(update=hidden | ({} if m.parent_id in visible else {"parent_id": None})) for m in memories]


def known_versions(call: Call, reader: Reader, memory: str) -> list[Version]:
    """Return the earlier states under the ceiling; a confined principal is not told whose edits replaced them."""
    principal = call.principal
    versions = [v for v in reader.versions(memory) if v.access_level.rank <= principal.ceiling.rank]
    return [v.model_copy(update={"by": None}) for v in versions] if principal.confined else versions


def visible_relations(reader: Reader, memories: Sequence[str], reach: Selection) -> list[Relation]:
    """Return the edges of memories whose ends are both in reach."""
    relations = reader.relations(memories)
    visible = reader.numbers(sorted({end for r in relations for end in (r.source, r.target)}), reach)
    return [r for r in relations if r.source in visible and r.target in visible]
