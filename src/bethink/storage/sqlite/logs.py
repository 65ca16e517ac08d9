"""What was shown to whom and what found nothing: kept for a while, then counted into daily totals."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any, Final

from bethink.storage.values import Asker, Gap, Miss

_LONGEST: Final = 2_000
_DAY: Final = 86_400_000_000
_TABLES: Final = {"shown": "delivery", "missed": "gap"}
_ADD: Final = "insert into gap (tenant, principal, place, key, query, at) values (?, ?, ?, ?, ?, ?)"
_GAPS: Final = """
with asked as (select *, row_number() over (partition by key order by at desc, id desc) as back from gap where {})
select key, max(query) filter (where back = 1), group_concat(distinct place), count(*), min(at), max(at)
from asked group by key having count(*) >= ? order by count(*) desc, max(at) desc, key
"""
_TO_DAILY: Final = """
insert into daily (tenant, day, what, count)
select tenant, at / {day}, '{what}', count(*) from {table} where tenant = ? and at < ? group by at / {day}
on conflict (tenant, day, what) do update set count = count + excluded.count
"""


def note_gaps(db: sqlite3.Connection, tenant: int, missed: Iterable[Miss]) -> None:
    """Remember questions that found nothing."""
    rows = [(tenant, m.principal, m.place, m.key, m.query[:_LONGEST], m.at) for m in missed]
    db.executemany(_ADD, rows)


def gaps(db: sqlite3.Connection, tenant: int, asker: Asker, least: int) -> list[Gap]:
    """Return the questions that found nothing at least so often, the most frequent first, then the latest."""
    condition, values = _asked_by(tenant, asker)
    rows = db.execute(_GAPS.format(condition), (*values, least))
    return [Gap(key, query, tuple(sorted(places.split(","))), *figures) for key, query, places, *figures in rows]


def forget_gaps(db: sqlite3.Connection, tenant: int, keys: Sequence[str] | None, asker: Asker) -> list[str]:
    """Forget questions that found nothing by their keys, or all of an asker's; return the keys that there were."""
    condition, values = _asked_by(tenant, asker)
    if keys is not None:
        condition, values = f"{condition} and key in ({_marks(keys)})", (*values, *keys)
    gone = db.execute(f"delete from gap where {condition} returning key", values).fetchall()
    return sorted({row[0] for row in gone})


def oldest(db: sqlite3.Connection, tenant: int) -> int | None:
    """Return when the oldest entry of the logs happened."""
    found = [db.execute(f"select min(at) from {table} where tenant = ?", (tenant,)).fetchone()[0] for table in _LOGS]
    return min((at for at in found if at is not None), default=None)


def prune(db: sqlite3.Connection, tenant: int, before: int) -> None:
    """Count what the logs hold from before then into daily totals, and forget it."""
    for what, table in _TABLES.items():
        db.execute(_TO_DAILY.format(day=_DAY, what=what, table=table), (tenant, before))
        db.execute(f"delete from {table} where tenant = ? and at < ?", (tenant, before))


def daily(db: sqlite3.Connection, tenant: int, what: str) -> int:
    """Return how much is in the daily totals."""
    sql = "select coalesce(sum(count), 0) from daily where tenant = ? and what = ?"
    found: int = db.execute(sql, (tenant, what)).fetchone()[0]
    return found


_LOGS: Final = tuple(_TABLES.values())


def _asked_by(tenant: int, asker: Asker) -> tuple[str, tuple[Any, ...]]:
    condition, values = "tenant = ?", (tenant,)
    if asker.principal is not None:
        return f"{condition} and principal = ?", (*values, asker.principal)
    if asker.places is not None:
        return f"{condition} and place in ({_marks(asker.places)})", (*values, *sorted(asker.places))
    return condition, values


def _marks(values: Iterable[Any]) -> str:
    return ",".join("?" for _ in values)
