"""A selection as SQL: composed from fixed fragments, every value a parameter."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from bethink.storage.values import Selection

Clause = tuple[str, tuple[Any, ...]]

_COLUMNS = frozenset(
    {
        "access_level",
        "language",
        "author",
        "agent",
        "origin",
        "pinned",
        "confidence",
        "importance",
        "recorded_at",
        "last_confirmed_at",
    }
)
_SOURCE = frozenset({"type", "id", "path", "url", "repo", "thread", "tool_call", "language", "folder", "workspace"})
_LEVELS = {
    "deprecated": "m.status in ('deprecated', 'superseded', 'retired')",
    "stale": "m.status = 'stale'",
    "verified": "m.status = 'active' and m.verification in ('source_verified', 'tool_verified')",
    "inferred": "m.status = 'active' and coalesce(m.verification, '') not in ('source_verified', 'tool_verified')",
}


def where(selection: Selection) -> Clause:
    """Return the condition on `memory m` that admits what `selection` does, and its parameters."""
    return _joined([*_visible(selection), *_basics(selection), *_scalars(selection), *_extras(selection)])


def visible(selection: Selection) -> Clause:
    """Return the condition of reach and ceiling alone."""
    return _joined(list(_visible(selection)))


def extras(selection: Selection) -> Clause | None:
    """Return the condition that the in-memory columns cannot decide, or None when they decide all."""
    clauses = list(_extras(selection))
    if not clauses:
        return None
    return _joined([*_around(selection), *clauses])


def _around(selection: Selection) -> Iterator[Clause]:
    """Where to look for what the other clauses admit."""
    if selection.source or selection.entity is not None:
        return  # these are looked up by tenant; with the tenant here too the planner scans the memories
    if selection.has_relations is None:
        yield "m.tenant = ?", (selection.tenant,)
    else:
        yield from _visible(selection)  # edges are looked for memory by memory


def _joined(clauses: list[Clause]) -> Clause:
    return " and ".join(sql for sql, _ in clauses), tuple(value for _, values in clauses for value in values)


def _visible(selection: Selection) -> Iterator[Clause]:
    yield "m.tenant = ?", (selection.tenant,)
    yield from within(selection.namespaces, selection.ceiling, "m")


def within(namespaces: frozenset[int] | None, ceiling: int, memory: str) -> Iterator[Clause]:
    """Yield the conditions of reach and ceiling on the memory of that alias."""
    if namespaces is not None:
        yield _among(f"{memory}.namespace", sorted(namespaces))
    if ceiling < len(_RANKS) - 1:
        yield _among(f"{memory}.access_level", _RANKS[: ceiling + 1])


_RANKS = ["public", "internal", "confidential", "restricted"]


def _basics(selection: Selection) -> Iterator[Clause]:
    if selection.statuses:
        yield _among("m.status", sorted(selection.statuses))
    if selection.kinds is not None:
        yield _among("m.kind", sorted(selection.kinds))
    if selection.valid_at is not None:
        yield "m.valid_from <= ? and (m.valid_to is null or m.valid_to > ?)", (selection.valid_at, selection.valid_at)
    if selection.expired is not None:
        sql = "m.expires_at <= ?" if selection.expired else "(m.expires_at is null or m.expires_at > ?)"
        yield sql, (selection.now,)
    if selection.since is not None:
        yield "coalesce(m.occurred_until - 1, m.occurred_at) >= ?", (selection.since,)
    if selection.until is not None:
        yield "m.occurred_at < ?", (selection.until,)


def _scalars(selection: Selection) -> Iterator[Clause]:
    if selection.subtypes:
        yield _among("m.subtype", list(selection.subtypes))
    for column, value in selection.equal:
        yield f"m.{_known(column)} = ?", (value,)
    for column, value in selection.at_least:
        yield f"m.{_known(column)} >= ?", (value,)
    for column, value in selection.below:
        yield f"m.{_known(column)} < ?", (value,)
    if selection.levels is not None:
        yield "(" + (" or ".join(f"({_LEVELS[level]})" for level in sorted(selection.levels)) or "false") + ")", ()


def _extras(selection: Selection) -> Iterator[Clause]:
    for tag in selection.tags:
        yield _TAGGED, (selection.tenant, tag)
    if selection.tags_any:
        sql, values = _among("folded", list(selection.tags_any))
        yield f"m.id in (select memory from tag where tenant = ? and {sql})", (selection.tenant, *values)
    for part, value in selection.source:
        numbers = f"select number from body where tenant = ? and json_extract(source, '$.{_part(part)}') = ?"
        yield f"m.number in ({numbers})", (selection.tenant, value)
    if selection.entity is not None:
        yield _speaking_of(selection.entity, selection)
    if selection.has_relations is not None:
        edge, values = _edge_to_visible(selection)
        yield f"{'' if selection.has_relations else 'not '}({edge})", values


def _edge_to_visible(selection: Selection) -> Clause:
    beyond = list(within(selection.reach, selection.ceiling, "o"))
    seen, values = "", ()
    if beyond:  # to one who sees everything every edge counts
        condition, values = _joined([("o.tenant = ?", (selection.tenant,)), *beyond])
        seen = f" and exists (select 1 from memory o where {condition} and o.id = r.{{far}})"
    edges = [
        f"exists (select 1 from relation r where r.tenant = ? and r.{near} = m.id{seen.format(far=far)})"
        for near, far in (("source", "target"), ("target", "source"))
    ]
    return " or ".join(edges), (selection.tenant, *values) * 2


def _speaking_of(name: str, selection: Selection) -> Clause:
    """What mentions the entity of that name, as far as a text in reach says that it is its name."""
    condition, values = known_name(selection)
    named = f"select a.entity from alias a where a.tenant = ? and a.folded = ? and {condition}"
    holding = "select x.number from alias n cross join mention x on x.alias = n.id where (x.held or x.said)"
    return f"m.number in ({holding} and n.entity in ({named}))", (selection.tenant, name, *values)


def known_name(selection: Selection) -> Clause:
    """Return the condition on `alias a` that a memory in reach holds it, where was asked, or a rename gave it."""
    named = [] if selection.namespaces is None else [_among("a.namespace", sorted(selection.namespaces))]
    beyond = list(within(selection.reach, selection.ceiling, "o"))
    if not beyond:
        return _joined(named or [("true", ())])
    condition, values = _joined(beyond)
    held = "select 1 from mention y join memory o on o.number = y.number where y.alias = a.id and (y.held or y.said)"
    return _joined([*named, (f"(a.chosen = 2 or exists ({held} and {condition}))", values)])


_TAGGED = "m.id in (select memory from tag where tenant = ? and folded = ?)"


def _among(column: str, values: list[Any]) -> Clause:
    return f"{column} in ({','.join('?' * len(values))})", tuple(values)


def _known(column: str) -> str:
    if column not in _COLUMNS:
        raise KeyError(column)
    return column


def _part(part: str) -> str:
    if part not in _SOURCE:
        raise KeyError(part)
    return part
