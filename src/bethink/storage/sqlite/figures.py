"""How much there is: what namespaces hold, how large the parts of the file are, what waits in the queue."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

from bethink.storage.values import Backlog, Holding, Selection

from . import filters, rows


def _size(columns: Iterable[str]) -> str:
    """SQL for the bytes of some texts of a row."""
    return " + ".join(f"coalesce({_BYTES.format(column)}, 0)" for column in columns)


# The first reads a text of several pages by its head alone; SQLite has it from 3.43 on.
_BYTES: Final = "octet_length({})" if sqlite3.sqlite_version_info >= (3, 43) else "length(cast({} as blob))"
_POSTED: Final = 5  # bytes of one memory in the list of one term: its number and a weight
_HOLDINGS: Final = f"""
select m.namespace, count(*), count(*) filter (where m.status not in ('retired', 'superseded')),
  count(*) filter (where m.status = 'retired'), count(*) filter (where not m.embedded),
  sum({_size(f"b.{column}" for column in rows.BULKY)}), max(m.updated_at)
from memory m join body b on b.number = m.number
"""
_UNTOUCHED: Final = """
select count(*) from memory m where max(
  m.recorded_at, m.updated_at, coalesce(m.last_accessed_at, m.recorded_at), coalesce(m.last_confirmed_at, m.recorded_at)
) < ?
"""
_BACKLOG: Final = """
select kind, count(*) filter (where error is null), count(*) filter (where error is not null),
  min(run_at) filter (where error is null)
from job where tenant = ? group by kind order by kind
"""
_PARTS: Final = {
    "text": f"select sum({_size(rows.BULKY)}) from body where tenant = :tenant",
    "versions": f"select sum({_size(['state'])}) from version where tenant = :tenant",
    "keyword_index": f"""
        select (select coalesce(sum(length(list)), 0) from terms where tenant = :tenant)
        + (select coalesce(sum({_POSTED} * count + {_size(["term"])}), 0) from posting where tenant = :tenant)
    """,
    # A code has a byte a dimension: counted in the index, no vector is read.
    "vectors": """
        select sum(v.held * e.dimensions) from embedder e
        join (select embedder, count(*) as held from vector where tenant = :tenant group by embedder) v
        on v.embedder = e.id
    """,
}
_EVENTS: Final = f"""
select coalesce(sum({_size(["operation", "principal", "agent", "memories", "fields", "reason"])}), 0)
from event where tenant = ?
"""


def holdings(db: sqlite3.Connection, selection: Selection) -> dict[int, Holding]:
    """Return what the admitted memories of each namespace come to; a namespace without any is left out."""
    condition, values = filters.where(selection)
    found = db.execute(f"{_HOLDINGS} where {condition} group by m.namespace", values)
    return {place: Holding(*figures) for place, *figures in found}


def untouched(db: sqlite3.Connection, selection: Selection, since: int) -> int:
    """Count the admitted memories that were neither written, confirmed nor shown since then."""
    condition, values = filters.where(selection)
    found: int = db.execute(f"{_UNTOUCHED} and {condition}", (since, *values)).fetchone()[0]
    return found


def backlog(db: sqlite3.Connection, tenant: int) -> list[Backlog]:
    """Return what waits in the queue, by kind of job."""
    return [Backlog(*row) for row in db.execute(_BACKLOG, (tenant,))]


def parts(db: sqlite3.Connection, tenant: int) -> dict[str, int]:
    """Return the bytes of each part of a tenant's memories; they stay the same until the next change."""
    return {name: db.execute(sql, {"tenant": tenant}).fetchone()[0] or 0 for name, sql in _PARTS.items()}


def logs(db: sqlite3.Connection, tenant: int) -> dict[str, int]:
    """Return the bytes of what grows without a change of memories: the events, the file and the log beside it."""
    path = Path(db.execute("pragma database_list").fetchone()[2])
    events = db.execute(_EVENTS, (tenant,)).fetchone()[0]
    return {"events": events, "file": _file_size(path), "wal": _file_size(path.with_name(f"{path.name}-wal"))}


def _file_size(path: Path) -> int:
    with suppress(FileNotFoundError):  # the log is there only while the file is open for writing
        return path.stat().st_size
    return 0
