"""Opening the file: pragmas, read-only files, and what SQLite's errors mean for a caller."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from bethink.errors import BethinkError, Busy, Unavailable

# SQLite's own wait is short, so that it never holds up a process that stops; the store waits on top, with back-off.
_NATIVE_WAIT_SECONDS: Final = 0.1

_SETTINGS: Final = (
    "pragma foreign_keys = on",
    # Deleted text must not stay behind in free pages.
    "pragma secure_delete = on",
    "pragma temp_store = memory",
    "pragma cache_size = -32768",
    "pragma mmap_size = 268435456",
)
_SYNCHRONOUS: Final = {"full": "pragma synchronous = full", "normal": "pragma synchronous = normal"}


def connect(
    path: Path, *, writable: bool, synchronous: str = "full", factory: type[sqlite3.Connection] = sqlite3.Connection
) -> sqlite3.Connection:
    """Open the file at `path`; a writable connection turns on write-ahead logging once and keeps it."""
    db = _open(path if writable else _read_only(path), factory)
    try:
        if writable:
            if db.execute("pragma journal_mode").fetchone()[0] != "wal":
                db.execute("pragma journal_mode = wal")
            db.execute(_SYNCHRONOUS[synchronous])
        for setting in _SETTINGS:
            db.execute(setting)
    except sqlite3.Error:
        db.close()
        raise
    return db


def may_write(path: Path) -> bool:
    """Say whether the file, or the nearest folder that exists for a new one, can be written."""
    if os.path.exists(path):  # noqa: PTH110  # a folder that may not be searched is an answer, not an error
        return os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)
    folder = next(f for f in path.absolute().parents if os.path.exists(f))  # noqa: PTH110
    return os.access(folder, os.W_OK)


def _open(name: Path | str, factory: type[sqlite3.Connection]) -> sqlite3.Connection:
    return sqlite3.connect(
        name,
        uri=isinstance(name, str),
        isolation_level=None,
        timeout=_NATIVE_WAIT_SECONDS,
        check_same_thread=False,
        factory=factory,
    )


def _read_only(path: Path) -> str:
    uri = f"{path.absolute().as_uri()}?mode=ro"
    # A reader of a WAL file shares memory through a file beside it; where none can be made, nothing can change either.
    if not os.access(path.parent, os.W_OK) and not path.with_name(path.name + "-wal").exists():
        uri += "&immutable=1"
    return uri


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Raise SQLite's errors as ours, with what to do."""
    try:
        yield
    except (sqlite3.ProgrammingError, sqlite3.InterfaceError):
        raise  # ours: a statement and its values do not fit
    except sqlite3.Error as wrong:
        raise _meaning(wrong, path) from wrong


def is_locked(wrong: sqlite3.Error) -> bool:
    """Say whether another connection holds the lock that was wanted."""
    return str(getattr(wrong, "sqlite_errorname", "")).startswith(("SQLITE_BUSY", "SQLITE_LOCKED"))


def _meaning(wrong: sqlite3.Error, path: Path) -> BethinkError:
    name = str(getattr(wrong, "sqlite_errorname", ""))
    if is_locked(wrong):
        return Busy("another process holds the write lock", hint="Try again in a moment.")
    if name.startswith("SQLITE_CANTOPEN") and (barred := _barred(path)):
        return barred
    for prefix, message, hint in _MEANINGS:
        if name.startswith(prefix):
            return Unavailable(message, hint=hint.format(name=path.name))
    return Unavailable(f"the store failed: {wrong}", hint="The log has the details; nothing was half written.")


def _barred(path: Path) -> Unavailable | None:
    """Say which permission is missing, for SQLite has one error for all that keeps a file from being opened."""
    try:
        path.stat()
    except PermissionError:
        folder = path.absolute().parent.name
        hint = f"Give permission to enter {folder!r} and the folders above it."
        return Unavailable(f"the folder of {path.name} cannot be entered", hint=hint)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as wrong:
        return Unavailable(f"the store cannot be opened: {wrong.strerror}", hint="Give another path.")
    if os.access(path, os.R_OK):
        return None
    return Unavailable(f"{path.name} cannot be read", hint=f"Give read permission to {path.name}.")


_MEANINGS: Final = (
    ("SQLITE_FULL", "the disk is full", "Free some space; what was stored before is safe."),
    ("SQLITE_READONLY", "the store cannot be written", "Give write permission to {name} and its folder."),
    ("SQLITE_NOTADB", "the file is not a Bethink store", "Point BETHINK_DB at another path; {name} was not touched."),
    ("SQLITE_CORRUPT", "the store is damaged", "Keep {name} as it is and restore a copy of it."),
    ("SQLITE_CANTOPEN", "the store cannot be opened", "See that the folder of {name} exists and can be written."),
    ("SQLITE_IOERR", "the disk failed while reading or writing", "Check the disk; nothing was half written."),
    ("SQLITE_INTERRUPT", "the call was stopped", "Nothing of it was kept."),
)
