"""Plain drafts and selections, and what a selection means, worked out without a store."""

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

from bethink.domain import Memory, Source, from_micros, to_micros
from bethink.storage.sqlite.postings import UNIT
from bethink.storage.values import Draft, Piece, Selection
from bethink.text.analyzer import analyze
from bethink.text.speakers import speaker_of
from bethink.text.tags import fold_tag
from tests.bed import DAY, START, Ids

NOW = START + 10 * DAY
DIMENSIONS = 8
EMBEDDER = ("test-8", DIMENSIONS)
_ids, _seconds = Ids(), count()


def draft(content: str = "a text", *, place: int = 1, vector: Any = None, **fields: Any) -> Draft:
    """Return a draft as the intake would make it; `terms`, `identity` and `given` may be named."""
    of_draft = {name: fields.pop(name) for name in ("terms", "identity", "given", "pieces") if name in fields}
    at = from_micros(START + 1_000_000 * next(_seconds))
    times = {"occurred_at": at, "valid_from": at, "recorded_at": at, "updated_at": at}
    if "thread" in fields:
        fields["source"] = Source(thread=fields.pop("thread"))
    named = {"id": _ids(START), "kind": "fact", "title": content[:20], "content_hash": "0", **times, **fields}
    memory = Memory(namespace="work", content=content, **named)
    pieces = None if vector is None else (Piece(0, len(content), unit(vector)),)
    kept = Draft(
        memory,
        place,
        None,
        hash(content),
        frozenset(),
        dict.fromkeys(analyze(content), UNIT),
        speaker_of(content),
        pieces,
    )
    return replace(kept, **{name: value for name, value in of_draft.items() if value is not None})


def unit(vector: Any) -> Any:
    """Return `vector` with length one, filled up to the dimensions of the test's embedder."""
    long = np.zeros(DIMENSIONS, np.float32)
    long[: len(vector)] = vector
    return long / np.linalg.norm(long)


def choose(**fields: Any) -> Selection:
    """Select what is in use, in every namespace, unless told otherwise."""
    usual: dict[str, Any] = {
        "namespaces": None,
        "ceiling": 3,
        "statuses": frozenset({"active", "stale"}),
        "valid_at": NOW,
    }
    return Selection(tenant=1, now=NOW, **{**usual, **fields})


def everything() -> Selection:
    """Select whatever is there."""
    return choose(statuses=frozenset(), valid_at=None, expired=None)


async def add(store, *drafts):
    """Add drafts, in namespaces 1 (`work`) and 2 (`home`)."""

    def work(writer):
        writer.add_place("work", START), writer.add_place("home", START)
        if writer.embedder() is None:
            writer.use_embedder(*EMBEDDER)
        for one in drafts:
            writer.add(one)

    await store.write(work)
    return drafts[0].memory.id if len(drafts) == 1 else [one.memory.id for one in drafts]


async def revise(store, before, *, text=True, **fields):
    """Write the next state of a draft's memory."""
    after = draft(
        fields.pop("content", before.memory.content), vector=fields.pop("vector", None), terms=fields.pop("terms", None)
    )
    memory = before.memory.model_copy(
        update={"version": before.memory.version + 1, "content": after.memory.content, **fields}
    )
    state = replace(after, memory=memory, namespace=before.namespace)
    await store.write(
        lambda writer: writer.revise(state, text_changed=text, changed=["content"], by="ann", reason="wrong", at=NOW)
    )
    return state


def admits(kept: Draft, chosen: Selection, related: Mapping[str, Draft] | None = None) -> bool:
    """Say whether `chosen` admits a memory, by the words of the specification."""
    m = kept.memory
    until = m.occurred_until or m.occurred_at
    ends_before = bool(m.occurred_until and to_micros(until) == chosen.since)
    tags = {fold_tag(tag) for tag in m.tags}
    source = m.source.model_dump() if m.source else {}
    return all(
        (
            chosen.namespaces is None or kept.namespace in chosen.namespaces,
            m.access_level.rank <= chosen.ceiling,
            not chosen.statuses or m.status in chosen.statuses,
            chosen.valid_at is None or _holds(m, from_micros(chosen.valid_at)),
            chosen.expired is None or chosen.expired == bool(m.expires_at and to_micros(m.expires_at) <= chosen.now),
            chosen.kinds is None or m.kind in chosen.kinds,
            chosen.since is None or (to_micros(until) >= chosen.since and not ends_before),
            chosen.until is None or to_micros(m.occurred_at) < chosen.until,
            tags >= set(chosen.tags),
            not chosen.tags_any or bool(tags & set(chosen.tags_any)),
            not chosen.subtypes or m.subtype in chosen.subtypes,
            all(_plain(m, column) == value for column, value in chosen.equal),
            all((v := _plain(m, column)) is not None and v >= value for column, value in chosen.at_least),
            all((v := _plain(m, column)) is not None and v < value for column, value in chosen.below),
            all(source.get(part) == value for part, value in chosen.source),
            chosen.levels is None or m.level in chosen.levels,
            chosen.has_relations is None or chosen.has_relations == _is_seen((related or {}).get(m.id), chosen),
        )
    )


def _is_seen(other: Draft | None, chosen: Selection) -> bool:
    """Whether there is another end of an edge, and the caller may know of it."""
    in_reach = other is not None and (chosen.reach is None or other.namespace in chosen.reach)
    return in_reach and other.memory.access_level.rank <= chosen.ceiling


def _holds(memory: Memory, at: Any) -> bool:
    return memory.valid_from <= at and (memory.valid_to is None or memory.valid_to > at)


def _plain(memory: Memory, column: str) -> Any:
    value = getattr(memory, column)
    return to_micros(value) if column.endswith("_at") and value else value


def look(path: Path, *questions: str) -> list[list[Any]]:
    """Ask the file itself, past the store: the rows of each statement."""
    with closing(sqlite3.connect(path)) as db:
        return [db.execute(sql).fetchall() for sql in questions]


def flaws(path: Path) -> list[str]:
    """Name what is not in step in the file; nothing for a sound one."""
    whole, *found = look(path, "pragma integrity_check", "pragma foreign_key_check", *_STEP.values())
    named = zip(("a key to nothing", *_STEP), found, strict=True)
    return [row[0] for row in whole if row[0] != "ok"] + [f"{what}: {row}" for what, rows in named for row in rows]


_STEP = {
    "a memory without a body": "select number from memory where number not in (select number from body)",
    "a body without a memory": "select number from body where number not in (select number from memory)",
    "a memory without terms": "select number from memory where number not in (select number from terms)",
    "terms of neither a memory nor a dead number": (
        "select number from terms where number not in (select number from memory union select number from tombstone)"
    ),
    "a dead number that lives": "select number from tombstone where number in (select number from memory)",
    "a vector without a memory": "select number from vector where number not in (select number from memory)",
    "an embedded memory without a vector": (
        "select number from memory where embedded and number not in (select number from vector)"
        " and exists (select 1 from vector)"
    ),
    "a memory that waits for no one": (
        "select id from memory where not embedded and id not in (select memory from job where kind = 'embed')"
    ),
    "a tag without a memory": "select memory from tag where memory not in (select id from memory)",
    "a mention without a memory": "select number from mention where number not in (select number from memory)",
    "a name that nothing ever held": (
        "select folded from alias where chosen != 2 and id not in (select alias from mention)"
        " and entity not in (select a.entity from mention x join alias a on a.id = x.alias)"
    ),
    "an entity without a name": "select id from entity where id not in (select entity from alias)",
    "one name of two entities": (
        "select folded from alias group by tenant, namespace, folded having count(distinct entity) > 1"
    ),
    "a version without a memory": "select memory from version where memory not in (select id from memory)",
    "a version that is missing": (
        "select id from memory m where version != 1 + (select count(*) from version v where v.memory = m.id)"
    ),
    "a relation to nothing": (
        "select source from relation where source not in (select id from memory)"
        " or target not in (select id from memory)"
    ),
}
