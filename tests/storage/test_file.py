"""The file itself: new, full, read-only, foreign, newer, damaged, being migrated."""

import hashlib
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from bethink.errors import Busy, Unavailable, Unsupported
from bethink.storage.sqlite import migrate
from bethink.storage.sqlite.connection import connect
from bethink.storage.sqlite.migrate import Migration, migrations
from bethink.storage.sqlite.store import SqliteStore
from tests.bed import memory_at
from tests.storage.drafts import add, draft, everything, flaws, look

NOBODY = 65534


def bytes_of(path):
    return hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_mtime_ns


async def count(store):
    return await store.read(lambda reader: reader.count(everything()))


async def filled(path, *texts):
    """Leave a file with a memory for each text, closed."""
    memory = memory_at(path)
    for text in texts or ("ada likes tabs",):
        await memory.store(text)
    await memory.close()
    return path


async def test_a_missing_folder_is_made_at_the_first_call_and_not_before(tmp_path):
    path = tmp_path / "a" / "b" / "memories.db"

    store = SqliteStore(path)
    assert not path.parent.exists()
    await add(store, draft())

    assert await count(store) == 1
    await store.close()


def mode_of(file):
    return file.stat().st_mode & 0o777


needs_modes = pytest.mark.skipif(os.name != "posix", reason="this system has no modes")


@needs_modes
async def test_a_new_store_and_its_folder_are_readable_by_their_user_alone(tmp_path):
    path = tmp_path / "new" / "memories.db"

    store = SqliteStore(path)
    await add(store, draft())

    assert mode_of(path.parent) == 0o700
    assert {file.name: mode_of(file) for file in path.parent.iterdir()} == {
        "memories.db": 0o600,
        "memories.db-wal": 0o600,
        "memories.db-shm": 0o600,
    }
    await store.close()


@needs_modes
async def test_a_folder_and_a_store_that_are_there_keep_their_modes(path):
    path.parent.chmod(0o755)
    path.touch()
    path.chmod(0o640)

    await filled(path)

    assert (mode_of(path.parent), mode_of(path)) == (0o755, 0o640)


async def test_after_the_close_every_call_is_refused(path):
    memory = memory_at(path)
    store = memory.ports.storage
    await memory.store("ada likes tabs")
    await memory.recall("ada")
    await memory.close()

    for call in (memory.list(), memory.store("more"), store.scrub()):
        with pytest.raises(Unavailable, match="the memory is closed"):
            await call
    await memory.close()


@pytest.mark.failure("F042")
async def test_a_folder_that_cannot_be_made_is_said(tmp_path):
    (tmp_path / "file").write_text("")

    with pytest.raises(Unavailable, match="folder 'file' cannot be made"):
        await count(SqliteStore(tmp_path / "file" / "memories.db"))


@pytest.mark.failure("F033")
async def test_opening_and_reading_change_no_byte_of_the_file(path):
    before = bytes_of(await filled(path))

    memory = memory_at(path)
    await memory.recall("ada")
    await memory.list()
    await memory.stats()
    await memory.ports.storage.close()

    assert bytes_of(path) == before


async def test_a_close_writes_down_what_was_read(path):
    await filled(path)

    memory = memory_at(path)
    (hit,) = (await memory.recall("ada")).hits
    await memory.close()

    assert look(path, "select access_count from memory") == [[(1,)]]
    assert hit.text == "ada likes tabs"


class Bounded(sqlite3.Connection):
    """A connection on a disk that has room for few pages."""

    pages = 120

    def execute(self, *args):
        if args[0] == "begin immediate":
            super().execute(f"pragma max_page_count = {self.pages}")
        return super().execute(*args)


@pytest.mark.failure("F042")
async def test_a_full_disk_is_said_and_keeps_what_was_there(path):
    memory = memory_at(path, factory=Bounded)

    stored = await _until_full(memory)

    assert (await memory.list()).total == stored
    assert flaws(path) == []
    assert len((await memory.recall("notes", mode="keyword", min_score=0, limit=50, detail="ids")).hits) == min(
        stored, 50
    )
    await memory.close()
    await _goes_on(path, stored)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can mount a small disk")
async def test_a_disk_that_is_really_full_is_said_and_keeps_what_was_there(tmp_path):
    if not _mounted(tmp_path):
        pytest.skip("this system does not let root mount a small disk")
    path, filler = tmp_path / "memories.db", tmp_path / "filler"
    try:
        filler.write_bytes(b"x" * 1_000_000)
        memory = memory_at(path)
        stored = await _until_full(memory)
        assert (await memory.list()).total == stored
        assert flaws(path) == []
        filler.unlink()
        assert (await memory.store("there is room again")).stored
        await memory.close()
        await _goes_on(path, stored + 1)
    finally:
        run("umount", tmp_path)


def _mounted(folder):
    command = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", folder]
    return shutil.which("mount") and run(*command) == 0


def run(*command):
    return subprocess.run(command, capture_output=True, check=False).returncode


async def _until_full(memory):
    for number in range(10_000):
        try:
            await memory.store(f"notes {number} " + "x" * 5000)
        except Unavailable as full:
            return number if "the disk is full" in str(full) and full.hint else pytest.fail(str(full))
    return pytest.fail("the disk was never full")


async def _goes_on(path, stored):
    memory = memory_at(path)
    assert (await memory.store("and again")).stored
    assert (await memory.list()).total == stored + 1
    await memory.close()


@contextmanager
def unprivileged():
    """Be a user whom permissions bind, also where the tests run as root."""
    if os.geteuid() != 0:
        yield
        return
    os.setresgid(NOBODY, NOBODY, 0)
    os.setresuid(NOBODY, NOBODY, 0)
    try:
        yield
    finally:
        os.setresuid(0, 0, 0)
        os.setresgid(0, 0, 0)


@pytest.fixture
async def guarded():
    """A file in a folder whose permissions a test can take away."""
    with tempfile.TemporaryDirectory() as name:
        path = await filled(Path(name) / "memories.db")
        for place in (path, path.parent):
            if os.geteuid() == 0:
                os.chown(place, NOBODY, NOBODY)
        yield path
        path.parent.chmod(0o700)


needs_users = pytest.mark.skipif(not hasattr(os, "setresuid"), reason="this system has no users to become")


@pytest.mark.failure("F042")
@needs_users
@pytest.mark.parametrize(("file", "folder"), [(0o444, 0o555), (0o444, 0o755), (0o644, 0o555)])
async def test_a_store_that_cannot_be_written_is_read_all_the_same(guarded, file, folder):
    guarded.chmod(file)
    guarded.parent.chmod(folder)

    with unprivileged():
        memory = memory_at(guarded)
        hits = (await memory.recall("ada")).hits
        with pytest.raises(Unavailable, match="cannot be written") as told:
            await memory.store("grace likes tea")
        await memory.close()

    assert ([hit.text for hit in hits], told.value.hint) == (
        ["ada likes tabs"],
        "Give write permission to memories.db.",
    )
    assert look(guarded, "select count(*) from memory") == [[(1,)]]


@needs_users
@pytest.mark.parametrize("mode", [0, 0o200])
async def test_a_file_that_may_not_be_read_is_said_and_its_folder_not_blamed(guarded, mode):
    guarded.chmod(mode)

    with unprivileged(), pytest.raises(Unavailable) as told:
        await count(SqliteStore(guarded))

    assert (str(told.value), told.value.hint) == ("memories.db cannot be read", "Give read permission to memories.db.")


@needs_users
@pytest.mark.parametrize("mode", [0, 0o666])
async def test_a_folder_that_may_not_be_entered_is_said(guarded, mode):
    guarded.parent.chmod(mode)

    with unprivileged(), pytest.raises(Unavailable) as told:
        await count(SqliteStore(guarded))

    assert str(told.value) == "the folder of memories.db cannot be entered"
    assert repr(guarded.parent.name) in told.value.hint


@pytest.mark.failure("F062")
async def test_a_newer_programs_file_is_refused_and_not_touched(path):
    await filled(path)
    with closing(sqlite3.connect(path)) as db:
        db.execute("pragma user_version = 99")
    before = bytes_of(path)

    store = SqliteStore(path)
    for call in (store.read, store.write):
        with pytest.raises(Unsupported, match="schema 99") as told:
            await call(lambda side: side.places())

    assert "uvx bethink@latest" in told.value.hint
    await store.close()
    assert bytes_of(path) == before


@pytest.mark.parametrize("number", [0, 1, 7])
async def test_another_programs_database_is_refused_and_not_touched(path, number):
    with closing(sqlite3.connect(path)) as db:
        db.execute("create table theirs (a)")
        db.execute(f"pragma user_version = {number}")
    before = bytes_of(path)

    store = SqliteStore(path)
    for call in (store.read, store.write):
        with pytest.raises(Unsupported, match="another program"):
            await call(lambda side: side.places())

    await store.close()
    assert bytes_of(path) == before


@pytest.mark.parametrize(
    "content", [b"not a database at all, but long enough to be one" * 40, b"SQLite format 3\0" + b"\xff" * 4000]
)
async def test_a_file_that_is_no_database_is_refused_and_not_touched(path, content):
    path.write_bytes(content)
    before = bytes_of(path)

    store = SqliteStore(path)
    for call in (store.read, store.write):
        with pytest.raises(Unavailable) as told:
            await call(lambda side: side.places())

    assert told.value.hint
    await store.close()
    assert bytes_of(path) == before


async def test_a_folder_in_place_of_the_file_is_said(tmp_path):
    with pytest.raises(Unavailable):
        await count(SqliteStore(tmp_path))


async def test_an_empty_file_becomes_a_store(path):
    path.touch()

    store = SqliteStore(path)
    await add(store, draft())

    assert await count(store) == 1
    await store.close()


@pytest.mark.failure("F037")
async def test_damaged_pages_are_said_and_the_file_is_left_as_it_is(path):
    await filled(path, *(f"text {n} " + "x" * 2000 for n in range(50)))
    data = bytearray(path.read_bytes())
    data[8192:] = b"\xa5" * (len(data) - 8192)
    path.write_bytes(data)
    before = bytes_of(path)

    memory = memory_at(path)
    for call in (memory.recall("text"), memory.list(), memory.store("more")):
        with pytest.raises(Unavailable, match=r"damaged|no such|failed"):
            await call
    await memory.ports.storage.close()

    assert bytes_of(path)[0] == before[0]


@pytest.mark.failure("F034")
async def test_a_lock_that_is_held_too_long_is_said_and_reads_go_on(path):
    await filled(path)
    store = SqliteStore(path, wait_seconds=0.05)

    with closing(sqlite3.connect(path, isolation_level=None)) as holder:
        holder.execute("begin immediate")
        with pytest.raises(Busy):
            await add(store, draft("late"))
        assert await count(store) == 1
        holder.execute("rollback")

    await add(store, draft("in time"))
    assert await count(store) == 2
    await store.close()


@pytest.mark.failure("F040")
async def test_a_write_waits_for_the_lock_as_long_as_it_may(path):
    await filled(path)
    store = SqliteStore(path, wait_seconds=30)
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("begin immediate")

    waiting = store._writing.submit(store._write, lambda writer: writer.add(draft("waited")), Never())
    assert await count(store) == 1
    holder.execute("commit")
    waiting.result()

    assert await count(store) == 2
    holder.close()
    await store.close()


class Never:
    def is_set(self):
        return False


async def test_a_store_that_was_killed_between_its_schema_and_its_key_is_made_whole(path):
    with closing(connect(path, writable=True)) as db:
        migrate.migrate(db, path, migrations())

    memory = memory_at(path)

    assert (await memory.store("ada likes tabs")).stored
    await memory.close()


LAST = migrations()[-1].number
NEXT = LAST + 1
SECOND = Migration(
    NEXT, "second", "create table second (a) strict;\ninsert into second values (1);\n".replace("(a)", "(a any)")
)


def upgraded(path, *steps):
    with closing(connect(path, writable=True)) as db:
        migrate.migrate(db, path, [*migrations(), *steps])


async def test_an_older_file_is_backed_up_and_brought_up_to_date(path):
    await filled(path)

    upgraded(path, SECOND)

    backup = path.with_name(f"memories.db.before-{NEXT:04}")
    assert look(path, "pragma user_version", "select a from second", "select count(*) from memory") == [
        [(NEXT,)],
        [(1,)],
        [(1,)],
    ]
    assert look(backup, "pragma user_version", "select count(*) from memory", "pragma integrity_check") == [
        [(LAST,)],
        [(1,)],
        [("ok",)],
    ]
    assert sorted(file.name for file in path.parent.iterdir()) == [path.name, backup.name]
    assert os.name != "posix" or mode_of(backup) == 0o600


@pytest.mark.failure("F054")
async def test_the_backup_holds_what_is_still_in_the_log(path):
    store = SqliteStore(path, synchronous="normal")
    await add(store, draft("in the log"))

    upgraded(path, SECOND)

    assert look(path.with_name(f"memories.db.before-{NEXT:04}"), "select count(*) from memory") == [[(1,)]]
    await store.close()


@pytest.mark.failure("F055")
async def test_a_migration_that_fails_leaves_the_file_as_it_was(path):
    await filled(path)
    broken = Migration(NEXT, "broken", SECOND.sql + "insert into nowhere values (1);\n")

    with pytest.raises(sqlite3.OperationalError):
        upgraded(path, broken)

    assert look(path, "pragma user_version", "select count(*) from sqlite_schema where name = 'second'") == [
        [(LAST,)],
        [(0,)],
    ]
    store = SqliteStore(path)
    assert await count(store) == 1
    await store.close()


@pytest.mark.failure("F055")
async def test_after_a_migration_that_failed_the_next_one_backs_up_what_is_there_by_then(path):
    await filled(path)
    with pytest.raises(sqlite3.OperationalError):
        upgraded(path, Migration(NEXT, "broken", SECOND.sql + "insert into nowhere values (1);\n"))
    store = SqliteStore(path)
    await add(store, draft("in between"))
    await store.close()

    upgraded(path, SECOND)

    assert look(path.with_name(f"memories.db.before-{NEXT:04}"), "select count(*) from memory") == [[(2,)]]


async def test_a_file_of_an_older_version_that_cannot_be_written_is_refused_saying_why(path, monkeypatch):
    await filled(path)
    steps = [*migrations(), SECOND]
    monkeypatch.setattr(migrate, "migrations", lambda: steps)
    store = SqliteStore(path)
    store.writable = False  # as it is where permissions say so, which do not bind every user that runs tests

    with pytest.raises(Unavailable, match="made by an earlier version") as refused:
        await count(store)

    assert "Give write permission" in refused.value.hint
    await store.close()


DIE = """
import os, signal, sqlite3, sys
from contextlib import closing
from pathlib import Path
from bethink.storage.sqlite import migrate
from bethink.storage.sqlite.connection import connect

class Dying(sqlite3.Connection):
    left = int(sys.argv[2])

    def execute(self, *args):
        Dying.left -= 1
        if Dying.left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().execute(*args)

path = Path(sys.argv[1])
step = migrate.Migration(migrate.migrations()[-1].number + 1, "second", sys.argv[3])
with closing(connect(path, writable=True, factory=Dying)) as db:
    migrate.migrate(db, path, [*migrate.migrations(), step])
"""


@pytest.mark.failure("F055")
async def test_a_migration_that_is_killed_at_any_statement_is_done_by_the_next(path):
    await filled(path)
    template = path.read_bytes()

    for number in range(1, 100):
        for file in path.parent.iterdir():
            file.unlink()
        path.write_bytes(template)
        died = run(sys.executable, "-c", DIE, path, str(number), SECOND.sql)

        assert look(path, "pragma integrity_check", "select count(*) from memory") == [[("ok",)], [(1,)]]
        assert look(path, "pragma user_version")[0][0][0] in (LAST, NEXT)
        upgraded(path, SECOND)
        assert look(path, "pragma user_version", "select a from second") == [[(NEXT,)], [(1,)]]
        if died != -signal.SIGKILL:
            return
    pytest.fail("it never ran to its end")


async def test_each_migration_is_kept_with_the_hash_of_its_text(path):
    await filled(path)

    assert look(path, "select number, name, checksum from migration") == [
        [(step.number, step.name, step.checksum) for step in migrations()]
    ]


class Overtaken(sqlite3.Connection):
    """Another process makes the store while this one looks at the file, right after its first question about it."""

    made = None

    def execute(self, sql, *values):
        found = super().execute(sql, *values)
        if self.made is not None and ("application_id" in sql or "sqlite_schema" in sql):
            made, self.made = self.made, None
            made()
        return found


@pytest.mark.failure("F154")
def test_a_store_that_another_process_makes_at_the_same_moment_is_not_taken_for_a_foreign_file(path):
    def made():
        with closing(connect(path, writable=True)) as other:
            migrate.migrate(other, path, migrations())

    with closing(connect(path, writable=True, factory=Overtaken)) as db:
        db.made = made
        migrate.migrate(db, path, migrations())

        assert (db.made, migrate.version(db)) == (None, migrations()[-1].number)
