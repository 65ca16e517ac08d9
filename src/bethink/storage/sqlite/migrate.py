"""Bringing a file to the current schema: forward only, numbered, each step whole or not at all."""

from __future__ import annotations

import hashlib
import os
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Final

from bethink.errors import Unsupported

APPLICATION: Final = 0x42544E4B  # "BTNK", so that `file` and we can tell whose database it is


@dataclass(frozen=True, slots=True)
class Migration:
    """One numbered step."""

    number: int
    name: str
    sql: str

    @property
    def checksum(self) -> str:
        """SHA-256 of the text, kept with the fact that it ran."""
        return hashlib.sha256(self.sql.encode()).hexdigest()


def migrations() -> list[Migration]:
    """Return every step, in order."""
    folder = resources.files(__package__).joinpath("migrations")
    files = sorted((f for f in folder.iterdir() if f.name.endswith(".sql")), key=lambda f: f.name)
    return [Migration(int(f.name[:4]), f.name[5:-4], f.read_text(encoding="utf-8")) for f in files]


def version(db: sqlite3.Connection) -> int:
    """Return the schema version of the file, 0 for an empty one."""
    found: int = db.execute("pragma user_version").fetchone()[0]
    return found


def check(db: sqlite3.Connection, steps: Sequence[Migration]) -> None:
    """Refuse a file that is another program's, or that a program newer than `steps` wrote."""
    had_tables = _has_tables(db)  # first: between the two, another process may make the store that this one found empty
    owner = db.execute("pragma application_id").fetchone()[0]
    if owner != APPLICATION and (owner != 0 or had_tables):
        raise Unsupported("the file belongs to another program", hint="Point BETHINK_DB at another path.")
    newest = steps[-1].number
    if version(db) > newest:
        raise Unsupported(
            f"the store has schema {version(db)} and this program knows {newest}",
            hint="Update Bethink, for example with `uvx bethink@latest`; the file was not touched.",
        )


def migrate(db: sqlite3.Connection, path: Path, steps: Sequence[Migration]) -> None:
    """Apply what is missing. Another process may do so at once: the write lock decides, the loser finds it done.

    A new file gets all steps at once. An older one is copied as it was, then goes step by step.
    """
    check(db, steps)
    if version(db) == 0:
        _apply(db, steps)
    missing = [step for step in steps if step.number > version(db)]
    if missing:
        _back_up(db, path, missing[0].number)
    for step in missing:
        _apply(db, [step])


def statements(sql: str) -> Iterator[str]:
    """Yield the statements of a script; triggers, which hold semicolons, stay whole."""
    gathered = ""
    for line in sql.splitlines(keepends=True):
        gathered += line
        if sqlite3.complete_statement(gathered):
            yield gathered
            gathered = ""


def _apply(db: sqlite3.Connection, steps: Sequence[Migration]) -> None:
    """Apply those of `steps` that are missing, all or none."""
    db.execute("pragma busy_timeout = 30000")
    db.execute("begin immediate")
    try:
        for step in steps:
            if step.number > version(db):
                _run(db, step)
        db.execute("commit")
    except sqlite3.Error:
        if db.in_transaction:
            db.execute("rollback")
        raise
    finally:
        db.execute("pragma busy_timeout = 100")


def _run(db: sqlite3.Connection, step: Migration) -> None:
    for statement in statements(step.sql):
        db.execute(statement)
    db.execute(_RAN, (step.number, step.name, step.checksum, time.time_ns() // 1000))
    db.execute(f"pragma user_version = {step.number}")
    db.execute(f"pragma application_id = {APPLICATION}")


_RAN = "insert into migration (number, name, checksum, applied_at) values (?, ?, ?, ?)"


def _has_tables(db: sqlite3.Connection) -> bool:
    return bool(db.execute("select 1 from sqlite_schema limit 1").fetchone())


def _back_up(db: sqlite3.Connection, path: Path, number: int) -> None:
    """Copy the file as it is now; one that another process has just brought up to date is no copy of before."""
    target, before = path.with_name(f"{path.name}.before-{number:04}"), version(db)
    unfinished = target.with_name(f"{target.name}.{os.getpid()}")
    unfinished.touch(mode=0o600)
    with closing(sqlite3.connect(unfinished)) as copy:
        db.backup(copy)
        overtaken = version(copy) != before
    if overtaken:
        unfinished.unlink()
    else:
        unfinished.replace(target)
