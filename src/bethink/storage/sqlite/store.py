"""The store: a reading thread and a writing thread on one file, each with a connection of its own."""

from __future__ import annotations

import asyncio
import logging
import os
import random
import secrets
import sqlite3
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

from bethink.errors import Unavailable
from bethink.storage.protocol import Reader, Writer
from bethink.text.analyzer import VERSION as ANALYZER

from . import migrate
from .connection import connect, is_locked, may_write, translated

if TYPE_CHECKING:  # they need numpy, which a process that only starts does not
    from .reader import SqliteReader
    from .writer import SqliteWriter

T = TypeVar("T")

log = logging.getLogger("bethink.storage")

# Memories whose terms are kept by memory before they are moved into posting lists by term.
SEAL_AT: Final = 2048
_LONGEST_PAUSE: Final = 0.2


class SqliteStore:
    """Memories in one file. Readers never wait; writers of all processes take turns."""

    def __init__(
        self,
        path: Path,
        *,
        tenant: int = 1,
        synchronous: str = "full",
        wait_seconds: float = 30,
        seal_at: int = SEAL_AT,
        factory: type[sqlite3.Connection] = sqlite3.Connection,
    ) -> None:
        self.path, self.tenant = path, tenant
        self.writable = may_write(path)
        self._wait, self._seal_at = wait_seconds, seal_at
        self._connect = partial(connect, path, synchronous=synchronous, factory=factory)
        self._reading = ThreadPoolExecutor(1, thread_name_prefix="bethink-read")
        self._writing = ThreadPoolExecutor(1, thread_name_prefix="bethink-write")
        self._reader: SqliteReader | None = None
        self._writer: SqliteWriter | None = None
        self._opening = threading.Lock()
        self._closed = threading.Event()

    async def read(self, work: Callable[[Reader], T]) -> T:
        """Run `work` on a snapshot, in the reading thread."""
        self._refuse_if_closed()
        return await asyncio.get_running_loop().run_in_executor(self._reading, self._read, work)

    async def write(self, work: Callable[[Writer], T]) -> T:
        """Run `work` in a transaction, in the writing thread; a cancelled call that has not committed rolls back."""
        self._refuse_if_closed()
        dropped = threading.Event()
        try:
            return await asyncio.get_running_loop().run_in_executor(self._writing, self._write, work, dropped)
        except asyncio.CancelledError:
            dropped.set()
            raise

    async def scrub(self) -> bool:
        """Move the log into the file and empty it, so that erased bytes are gone; False while a reader prevents it."""
        self._refuse_if_closed()
        return await asyncio.get_running_loop().run_in_executor(self._writing, self._scrub)

    async def close(self) -> None:
        """Finish what runs and let go of the file."""
        self._closed.set()
        await asyncio.to_thread(self._shut)

    def _refuse_if_closed(self) -> None:
        if self._closed.is_set():
            raise Unavailable("the memory is closed", hint="Open it again.")

    def _shut(self) -> None:
        self._reading.shutdown(wait=True, cancel_futures=True)
        self._writing.shutdown(wait=True, cancel_futures=True)
        for side in (self._reader, self._writer):
            if side is not None:
                side.db.close()
        self._reader = self._writer = None

    def _read(self, work: Callable[[Reader], T]) -> T:
        with translated(self.path):
            reader = self._patiently(self._open_reader)
            self._patiently(reader.begin)
            try:
                return work(reader)
            finally:
                _roll_back(reader.db)

    def _write(self, work: Callable[[Writer], T], dropped: threading.Event) -> T:
        if not self.writable:
            raise Unavailable("the store cannot be written", hint=f"Give write permission to {self.path.name}.")
        with translated(self.path):
            writer = self._patiently(self._open_writer, dropped)
            self._patiently(lambda: writer.db.execute("begin immediate"), dropped)
            try:
                result = work(writer)
                _go_on_unless(dropped)
                writer.db.execute("commit")
            except BaseException:
                _roll_back(writer.db)
                writer.forget()
                raise
            self._seal_if_due(writer)
            return result

    def _patiently(self, attempt: Callable[[], T], dropped: threading.Event | None = None) -> T:
        """Wait while another connection has the lock: short pauses with jitter are fairer than SQLite's own."""
        deadline, pause = time.monotonic() + self._wait, 0.001
        while True:
            try:
                return attempt()
            except sqlite3.OperationalError as wrong:
                given_up = self._closed.is_set() or (dropped is not None and dropped.is_set())
                if not is_locked(wrong) or time.monotonic() > deadline or given_up:
                    raise
            self._closed.wait(random.uniform(pause / 2, pause))  # noqa: S311  # jitter, not a secret
            pause = min(pause * 2, _LONGEST_PAUSE)

    def _seal_if_due(self, writer: SqliteWriter) -> None:
        """Seal a long tail; what was written is kept already, so a seal that fails is left to a later write."""
        try:
            self._seal(writer)
        except sqlite3.Error as wrong:
            # Another writer at work is the rule among several processes, and no trouble.
            log.log(logging.DEBUG if is_locked(wrong) else logging.WARNING, "the index was not sealed: %s", wrong)

    def _seal(self, writer: SqliteWriter) -> None:
        db, tenant = writer.db, self.tenant
        if _keyword_tail(db, tenant) < self._seal_at:
            return
        db.execute("begin immediate")
        try:
            _seal(db, tenant)
            db.execute("commit")
        except BaseException:
            _roll_back(db)
            raise

    def _scrub(self) -> bool:
        with translated(self.path):
            busy, *_ = self._patiently(self._open_writer).db.execute("pragma wal_checkpoint(truncate)").fetchone()
            return not busy

    def _open_reader(self) -> SqliteReader:
        if self._reader is None:
            self._prepare()
            from .reader import SqliteReader

            self._reader = SqliteReader(self._connect(writable=False), self.tenant)
        return self._reader

    def _open_writer(self) -> SqliteWriter:
        if self._writer is None:
            self._prepare()
            from .writer import SqliteWriter

            self._writer = SqliteWriter(self._connect(writable=True), self.tenant)
        return self._writer

    def _prepare(self) -> None:
        """Create the file where there is none, bring an older one up to date; a current one is not written to."""
        with self._opening:
            _refuse_folder(self.path)
            there = os.path.exists(self.path)  # noqa: PTH110  # as in `may_write`
            if there and self._is_current():
                return
            if there and not self.writable:
                raise Unavailable(
                    "the store was made by an earlier version and cannot be brought up to date",
                    hint=f"Give write permission to {self.path.name} and its folder, once.",
                )
            _make_folder(self.path.parent)
            _make_file(self.path)
            db = self._connect(writable=True)
            try:
                migrate.migrate(db, self.path, migrate.migrations())
                _begin(db, self.tenant)
            finally:
                db.close()

    def _is_current(self) -> bool:
        db = self._connect(writable=False)
        try:
            steps = migrate.migrations()
            migrate.check(db, steps)
            return migrate.version(db) == steps[-1].number and _has_secret(db, self.tenant)
        finally:
            db.close()


def _go_on_unless(dropped: threading.Event) -> None:
    if dropped.is_set():
        raise Unavailable("the call was cancelled", hint="Nothing of it was kept.")


def _refuse_folder(path: Path) -> None:
    if os.path.isdir(path):  # noqa: PTH112  # as in `may_write`
        raise Unavailable(f"{path} is a folder, not a store", hint="Give the path of a file, as --db or BETHINK_DB.")


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as wrong:
        raise Unavailable(
            f"the folder {folder.name!r} cannot be made: {wrong.strerror}", hint="Point BETHINK_DB at another path."
        ) from wrong


def _make_file(path: Path) -> None:
    """Make the file, readable by its user alone; SQLite gives the files beside it the same mode."""
    with suppress(OSError):  # it is there, or SQLite will say why it cannot be
        path.touch(mode=0o600, exist_ok=False)


def _begin(db: sqlite3.Connection, tenant: int) -> None:
    """Give a new store its key, and the version of the analyzer by which its words will be taken apart."""
    beginning = {"analyzer": ANALYZER, "secret": secrets.token_bytes(32)}  # the key last: it says that it has begun
    if not _has_secret(db, tenant):
        db.executemany("insert or ignore into meta values (?, ?, ?)", [(tenant, *pair) for pair in beginning.items()])


def _has_secret(db: sqlite3.Connection, tenant: int) -> bool:
    return bool(db.execute("select 1 from meta where tenant = ? and key = 'secret'", (tenant,)).fetchone())


def _roll_back(db: sqlite3.Connection) -> None:
    if db.in_transaction:
        db.execute("rollback")


def _keyword_tail(db: sqlite3.Connection, tenant: int) -> int:
    last = db.execute("select max(number) from terms").fetchone()[0] or 0
    sealed = db.execute("select value from meta where tenant = ? and key = 'sealed'", (tenant,)).fetchone()
    return int(last - (sealed[0] if sealed else 0))


def _seal(db: sqlite3.Connection, tenant: int) -> None:
    meta = dict(db.execute("select key, value from meta where tenant = ?", (tenant,)).fetchall())
    through = db.execute("select max(number) from terms").fetchone()[0] or 0
    rows = db.execute(
        "select number, list from terms where tenant = ? and number > ? order by number",
        (tenant, meta.get("sealed", 0)),
    )
    from . import postings

    postings.seal(db, tenant, through, rows.fetchall())
    db.execute(
        "insert into meta values (?, 'change', 1) on conflict (tenant, key) do update set value = value + 1", (tenant,)
    )
