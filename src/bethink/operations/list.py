"""List memories by exact filters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import accumulate
from typing import Annotated, Any, Final, Unpack

from bethink.domain import Memory, Value, to_micros
from bethink.operation import Call, Effect, operation
from bethink.recall.budget import cost, fitted
from bethink.recall.cursor import issue, redeem
from bethink.recall.known import as_known
from bethink.recall.selection import choose, reachable
from bethink.storage.protocol import Reader
from bethink.storage.values import Order
from bethink.text.cut import shorten
from bethink.vocabulary import Cursor, Detail, Filters, PageLimit, Sort, WhatFits, about

_PURPOSE: Final = "list"
_SUMMARY: Final = 200
_SORTED_BY: Final = {
    Sort.recorded: "recorded_at",
    Sort.occurred: "occurred_at",
    Sort.updated: "updated_at",
    Sort.accessed: "last_accessed_at",
    Sort.importance: "importance",
    Sort.title: "title",
}

SortBy = Annotated[Sort, about("What to sort by.")]
Descending = Annotated[bool, about("Newest, greatest or last first.")]
DetailOf = Annotated[Detail, about("ids, summary (200 characters) or full.")]


class Listed(Value):
    """One memory of a list, as much of it as was asked for."""

    handle: str
    id: str | None = None
    kind: str
    title: str | None = None
    text: str | None = None
    namespace: str | None = None
    tags: tuple[str, ...] = ()
    status: str
    importance: float | None = None
    pinned: bool | None = None
    occurred_at: datetime | None = None
    recorded_at: datetime | None = None
    memory: Memory | None = None


class Page(Value):
    """A page of memories, how many there are in all, and where to continue; `cut` names one too long for max_tokens."""

    memories: tuple[Listed, ...]
    total: int
    cursor: str | None = None
    cut: tuple[str, ...] = ()
    namespaces: tuple[str, ...] | None = None

    def compact(self) -> str:
        """Return it as the lines a model needs, one a memory."""
        lines = [_line(listed) for listed in self.memories]
        lines += [f"shortened: {handle}; memory_get reads it with a greater max_tokens" for handle in self.cut]
        lines.append(f"{len(self.memories)} of {self.total}" + (f"; cursor={self.cursor}" if self.cursor else ""))
        return "\n".join(lines)


def _line(listed: Listed) -> str:
    tags = "".join(f" #{tag}" for tag in listed.tags)
    when = f", {listed.occurred_at:%Y-%m-%d}" if listed.occurred_at else ""
    text = f": {listed.text}" if listed.text and listed.text != listed.title else ""
    return f"[{listed.handle}] {listed.title or ''} ({listed.kind}, {listed.status}{when}){tags}{text}"


@operation(Effect.READ, tool="memory_list", http="GET /memories/list")
async def list(  # noqa: A001  # the operation's name
    call: Call,
    *,
    sort: SortBy = Sort.recorded,
    descending: Descending = True,
    limit: PageLimit = 20,
    cursor: Cursor | None = None,
    detail: DetailOf = Detail.summary,
    max_tokens: WhatFits = None,
    **filters: Unpack[Filters],
) -> Page:
    """List memories by exact filters, newest first by default, with the true total.

    For what is there, not for questions: memory_recall finds by meaning. Parts of documents and conversations are left
    out unless their kinds are named.
    """
    asked = [call.principal.name, sort.value, descending, sorted((k, str(v)) for k, v in filters.items())]
    return await call.ports.storage.read(
        lambda reader: _listed(
            call,
            reader,
            filters,
            asked,
            sort=sort,
            descending=descending,
            limit=limit,
            cursor=cursor,
            detail=detail,
            max_tokens=max_tokens,
        )
    )


def _listed(
    call: Call,
    reader: Reader,
    filters: Mapping[str, Any],
    asked: Any,
    *,
    sort: Sort,
    descending: bool,
    limit: int,
    cursor: str | None,
    detail: Detail,
    max_tokens: int | None,
) -> Page:
    key, now = reader.secret(), call.ports.now()
    after = redeem(key, cursor, purpose=_PURPOSE, call=asked, now=now)[0] if cursor else None
    chosen = choose(call, reader, filters)
    order = Order(sort.value, descending, (after[0], after[1]) if after else None)
    memories = reader.page(chosen.selection, order, limit + 1)
    rows, cut = _rows(call, reader, memories[:limit], detail, max_tokens)
    last = memories[len(rows) - 1] if len(memories) > len(rows) else None
    place = [_sort_value(last, sort), last.id] if last else None
    return Page(
        memories=rows,
        total=reader.count(chosen.selection),
        cursor=issue(key, purpose=_PURPOSE, call=asked, state=place, now=now) if place else None,
        cut=cut,
        namespaces=None if call.principal.confined else chosen.namespaces,
    )


def _rows(
    call: Call, reader: Reader, memories: Sequence[Memory], detail: Detail, max_tokens: int | None
) -> tuple[tuple[Listed, ...], tuple[str, ...]]:
    """Return the rows that fit, at least one, and the handle of the first where even that had to be shortened."""
    reach = reachable(call, reader)
    handles = reader.handles([m.id for m in memories], reach)
    known = as_known(call, reader, memories, reach)
    rows = [_row(call, m, handles[m.id], detail) for m in known]
    if max_tokens is None or not rows:
        return tuple(rows), ()
    fit = sum(total <= max_tokens for total in accumulate(map(cost, rows)))
    if fit:
        return tuple(rows[:fit]), ()
    (short,) = fitted(known[:1], max_tokens // 2).shown  # a full row holds its text twice
    return (_row(call, short, rows[0].handle, detail),), (rows[0].handle,)


def _row(call: Call, memory: Memory, handle: str, detail: Detail) -> Listed:
    namespace = None if call.principal.confined else memory.namespace
    if detail is Detail.ids:
        return Listed(handle=handle, kind=memory.kind.value, status=memory.status.value)
    full = detail is Detail.full
    return Listed(
        handle=handle,
        id=memory.id if full else None,
        kind=memory.kind.value,
        title=memory.title,
        text=memory.content if full else shorten(memory.content, _SUMMARY),
        namespace=namespace,
        tags=memory.tags,
        status=memory.status.value,
        importance=memory.importance,
        pinned=memory.pinned or None,
        occurred_at=memory.occurred_at,
        recorded_at=memory.recorded_at,
        memory=memory if full else None,
    )


def _sort_value(memory: Memory, sort: Sort) -> Any:
    value = getattr(memory, _SORTED_BY[sort])
    if isinstance(value, datetime):
        return to_micros(value)
    return 0 if value is None else value
