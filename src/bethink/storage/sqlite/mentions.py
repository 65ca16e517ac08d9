"""What memories mention, as rows: written with a memory, carried with its number, gone with the last that held it."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bethink.text.mentions import Mention

Tied = tuple["Mention", str, "Mention"]


def add(db: sqlite3.Connection, tenant: int, namespace: int, number: int, mentions: Sequence[Mention]) -> None:
    """Write the mentions of a new memory."""
    db.executemany(_HOLD, [(number, alias) for alias in _aliases(db, tenant, namespace, mentions)])


def replace(db: sqlite3.Connection, tenant: int, namespace: int, number: int, mentions: Sequence[Mention]) -> None:
    """Write the mentions of a memory's new text; those of the text before stay known."""
    db.execute("update mention set held = 0 where number = ?", (number,))
    add(db, tenant, namespace, number, mentions)


def say(
    db: sqlite3.Connection, tenant: int, place: tuple[int, int], mentions: Sequence[Mention], ties: Sequence[Tied]
) -> None:
    """Write what a caller says of a memory, by namespace and number, in place of what was said before."""
    namespace, number = place
    db.execute("update mention set said = 0 where number = ?", (number,))
    db.execute("delete from entity_relation where number = ?", (number,))
    ends = [end for source, _, target in ties for end in (source, target)]
    db.executemany(_SAY, [(number, alias) for alias in _aliases(db, tenant, namespace, [*mentions, *ends])])
    ids = dict(zip(ends, _aliases(db, tenant, namespace, ends), strict=True))
    db.executemany(_TIE, [(tenant, number, ids[source], ids[target], kind) for source, kind, target in ties])


def carry(db: sqlite3.Connection, number: int, new: int) -> None:
    """Let a memory that has a new number keep its mentions."""
    db.execute("update mention set number = ? where number = ?", (new, number))
    db.execute("update entity_relation set number = ? where number = ?", (new, number))


def erase(db: sqlite3.Connection, tenant: int, number: int) -> None:
    """Take away the mentions of a memory, the names that only it held, and the entities without another."""
    held = db.execute(_HELD, (number,)).fetchall()
    db.execute("delete from entity_relation where number = ?", (number,))
    db.execute("delete from mention where number = ?", (number,))
    for entity, namespace, folded in held:
        where = {"tenant": tenant, "namespace": namespace, "folded": folded, "entity": entity}
        db.execute(_DROP_NAME, where)
        if not db.execute(_IS_MENTIONED, where).fetchone():
            db.execute("delete from alias where entity = :entity", where)
            db.execute("delete from entity where id = :entity", where)


def merge(db: sqlite3.Connection, target: int, others: Sequence[int], name: str) -> None:
    """Give all names of others to `target`, and make `name`, where it has that, its own."""
    for other in others:
        db.execute("update alias set entity = ?, chosen = 0 where entity = ?", (target, other))
        db.execute("delete from entity where id = ?", (other,))
    db.execute("update alias set chosen = max(chosen, 1) where entity = ? and folded = ?", (target, name))
    db.execute("update alias set chosen = 0 where entity = ? and folded != ?", (target, name))


def rename(db: sqlite3.Connection, tenant: int, entity: int, mention: Mention) -> None:
    """Make a name the one of an entity; those that it had stay. Another of that name becomes one with it."""
    namespace = db.execute("select namespace from entity where id = ?", (entity,)).fetchone()[0]
    others = db.execute(_NAMESAKES, (tenant, namespace, mention.folded, entity)).fetchall()
    merge(db, entity, [other for (other,) in others], mention.folded)
    db.execute("update alias set chosen = 0 where entity = ?", (entity,))
    db.execute(_NAME, (tenant, namespace, entity, mention.folded, mention.spelled, mention.kind))


def _aliases(db: sqlite3.Connection, tenant: int, namespace: int, mentions: Sequence[Mention]) -> list[int]:
    """The alias of each mention; a name that is not known yet is that of a new entity."""
    if not mentions:
        return []
    names = sorted({mention.folded for mention in mentions})
    sql = _KNOWN.format(",".join("?" * len(names)))
    aliases: dict[tuple[Any, ...], int] = {}
    entities: dict[str, int] = {}
    for alias, entity, *name in db.execute(sql, (tenant, namespace, *names)):
        aliases[tuple(name)] = alias
        entities[name[0]] = entity
    for mention in mentions:
        key = (mention.folded, mention.spelled, mention.kind)
        if mention.folded not in entities:
            entities[mention.folded] = db.execute(_ADD_ENTITY, (tenant, namespace)).fetchone()[0]
        if key not in aliases:
            aliases[key] = db.execute(_ADD_ALIAS, (tenant, namespace, entities[mention.folded], *key)).fetchone()[0]
    return [aliases[mention.folded, mention.spelled, mention.kind] for mention in mentions]


_KNOWN = "select id, entity, folded, spelled, kind from alias where tenant = ? and namespace = ? and folded in ({})"
_ADD_ENTITY = "insert into entity (tenant, namespace) values (?, ?) returning id"
_ADD_ALIAS = """
insert into alias (tenant, namespace, entity, folded, spelled, kind) values (?, ?, ?, ?, ?, ?) returning id
"""
_HOLD = """
insert into mention (number, alias, held, said) values (?, ?, 1, 0) on conflict do update set held = 1
"""
_SAY = """
insert into mention (number, alias, held, said) values (?, ?, 0, 1) on conflict do update set said = 1
"""
_TIE = "insert or ignore into entity_relation (tenant, number, source, target, type) values (?, ?, ?, ?, ?)"
_NAME = """
insert into alias (tenant, namespace, entity, folded, spelled, kind, chosen) values (?, ?, ?, ?, ?, ?, 2)
on conflict do update set chosen = 2
"""
_NAMESAKES = "select distinct entity from alias where tenant = ? and namespace = ? and folded = ? and entity != ?"
_HELD = """
select distinct a.entity, a.namespace, a.folded from mention x join alias a on a.id = x.alias where x.number = ?
"""
_DROP_NAME = """
delete from alias where tenant = :tenant and namespace = :namespace and folded = :folded
and not exists (select 1 from mention x where x.alias = alias.id)
"""
_IS_MENTIONED = """
select 1 from alias a join mention x on x.alias = a.id where a.entity = :entity limit 1
"""
