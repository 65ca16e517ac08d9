"""The store: a reading thread and a writing thread on one file, each with a connection of its own."""

from __future__ import annotations

import asyncio
import random
import secrets
import sqlite3
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final, TypeVar

from bethink.errors import Unavailable
from bethink.storage.protocol import Reader, Writer

from . import migrate, postings, vectors
from .connection import connect, is_locked, may_write, translated
from .reader import SqliteReader
from .search import Index
from .writer import SqliteWriter

T = TypeVar("T")

_LONGEST_PAUSE: Final = 0.2


class SqliteStore:
    """Memories in one file. Readers never wait; writers of all processes take turns."""

    def __init__(self, path: Path, *, tenant: int = 1, synchronous: str = "full", wait_seconds: float = 30) -> None:
        self.path, self.tenant = path, tenant
        self.writable = may_write(path)
        self._synchronous, self._wait = synchronous, wait_seconds
        self._reading = ThreadPoolExecutor(1, thread_name_prefix="bethink-read")
        self._writing = ThreadPoolExecutor(1, thread_name_prefix="bethink-write")
        self._reader: SqliteReader | None = None
        self._writer: SqliteWriter | None = None
        self._opening = threading.Lock()
        self._closed = threading.Event()

    async def read(self, work: Callable[[Reader], T]) -> T:
        """Run `work` on a snapshot, in the reading thread."""
        return await asyncio.get_running_loop().run_in_executor(self._reading, self._read, work)

    async def write(self, work: Callable[[Writer], T]) -> T:
        """Run `work` in a transaction, in the writing thread; a cancelled call that has not committed is rolled back."""
        dropped = threading.Event()
        try:
            return await asyncio.get_running_loop().run_in_executor(self._writing, self._write, work, dropped)
        except asyncio.CancelledError:
            dropped.set()
            raise

    async def scrub(self) -> bool:
        """Move the log into the file and empty it, so that erased bytes are gone; False while a reader prevents it."""
        return await asyncio.get_running_loop().run_in_executor(self._writing, self._scrub)

    async def close(self) -> None:
        """Finish what runs and let go of the file."""
        self._closed.set()
        await asyncio.to_thread(self._shut)

    def _shut(self) -> None:
        self._reading.shutdown(wait=True, cancel_futures=True)
        self._writing.shutdown(wait=True, cancel_futures=True)
        for side in (self._reader, self._writer):
            if side is not None:
                side.db.close()
        self._reader = self._writer = None

    def _read(self, work: Callable[[Reader], T]) -> T:
        with translated(self.path):
            reader = self._open_reader()
            reader.db.execute("begin")
            try:
                return work(reader)
            finally:
                reader.db.execute("rollback")

    def _write(self, work: Callable[[Writer], T], dropped: threading.Event) -> T:
        if not self.writable:
            raise Unavailable("the store cannot be written", hint=f"Give write permission to {self.path.name}.")
        with translated(self.path):
            writer = self._open_writer()
            self._begin(writer.db, dropped)
            try:
                result = work(writer)
                if dropped.is_set():
                    raise Unavailable("the call was cancelled", hint="Nothing of it was kept.")
                writer.db.execute("commit")
            except BaseException:
                _roll_back(writer.db)
                raise
            self._seal_if_due(writer)
            return result

    def _begin(self, db: sqlite3.Connection, dropped: threading.Event) -> None:
        """Take the write lock, waiting with back-off: short pauses with jitter are fairer than SQLite's own handler."""
        deadline, pause = time.monotonic() + self._wait, 0.001
        while True:
            try:
                db.execute("begin immediate")
            except sqlite3.OperationalError as wrong:
                if not is_locked(wrong) or time.monotonic() > deadline or dropped.is_set() or self._closed.is_set():
                    raise
                self._closed.wait(random.uniform(pause / 2, pause))  # noqa: S311  # jitter, not a secret
                pause = min(pause * 2, _LONGEST_PAUSE)
            else:
                return

    def _seal_if_due(self, writer: SqliteWriter) -> None:
        db, tenant = writer.db, self.tenant
        if not _keyword_tail_is_long(db, tenant) and not _vector_tail_is_long(db, tenant):
            return
        self._begin(db, threading.Event())
        try:
            _seal(db, tenant)
            db.execute("commit")
        except BaseException:
            _roll_back(db)
            raise

    def _scrub(self) -> bool:
        with translated(self.path):
            busy, *_ = self._open_writer().db.execute("pragma wal_checkpoint(truncate)").fetchone()
            return not busy

    def _open_reader(self) -> SqliteReader:
        if self._reader is None:
            self._prepare()
            self._reader = SqliteReader(connect(self.path, writable=False), self.tenant, Index(self.tenant))
        return self._reader

    def _open_writer(self) -> SqliteWriter:
        if self._writer is None:
            self._prepare()
            db = connect(self.path, writable=True, synchronous=self._synchronous)
            self._writer = SqliteWriter(db, self.tenant, Index(self.tenant))
        return self._writer

    def _prepare(self) -> None:
        """Create the file where there is none, bring an older one up to date; a current one is not written to."""
        with self._opening:
            if self.path.exists() and self._is_current():
                return
            self.path.parent.mkdir(parents=True, exist_ok=True)
            db = connect(self.path, writable=True, synchronous=self._synchronous)
            try:
                migrate.migrate(db, self.path)
                db.execute("insert or ignore into meta values (?, 'secret', ?)", (self.tenant, secrets.token_bytes(32)))
            finally:
                db.close()

    def _is_current(self) -> bool:
        db = connect(self.path, writable=False)
        try:
            migrate.check(db)
            return migrate.version(db) == migrate.migrations()[-1].number
        finally:
            db.close()


def _roll_back(db: sqlite3.Connection) -> None:
    if db.in_transaction:
        db.execute("rollback")


def _keyword_tail_is_long(db: sqlite3.Connection, tenant: int) -> bool:
    last = db.execute("select max(number) from terms").fetchone()[0] or 0
    sealed = db.execute("select value from meta where tenant = ? and key = 'sealed'", (tenant,)).fetchone()
    return last - (sealed[0] if sealed else 0) >= postings.SEAL_AT


def _vector_tail_is_long(db: sqlite3.Connection, tenant: int) -> bool:
    return bool(db.execute(_LONG_TAIL, {"tenant": tenant, "enough": vectors.SEAL_AT}).fetchone()[0])


_LONG_TAIL = """
select coalesce((select max(id) from vector), 0) - coalesce((select max(value) from meta
where tenant = :tenant and key = 'signed'), 0) >= :enough
"""


def _seal(db: sqlite3.Connection, tenant: int) -> None:
    meta = dict(db.execute("select key, value from meta where tenant = ?", (tenant,)).fetchall())
    through = db.execute("select max(number) from terms").fetchone()[0] or 0
    rows = db.execute(
        "select number, list from terms where tenant = ? and number > ? order by number",
        (tenant, meta.get("sealed", 0)),
    )
    postings.seal(db, tenant, through, rows.fetchall())
    if "embedder" in meta:
        vectors.seal(db, tenant, meta["embedder"])
        last = db.execute("select max(id) from vector").fetchone()[0] or 0
        db.execute("insert or replace into meta values (?, 'signed', ?)", (tenant, last))
    db.execute(
        "insert into meta values (?, 'change', 1) on conflict (tenant, key) do update set value = value + 1", (tenant,)
    )
