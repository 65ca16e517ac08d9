"""What a reader keeps between searches: it is never seen in an answer, and it takes no more room than was meant."""

import sqlite3
import tracemalloc
from contextlib import closing
from dataclasses import replace

import numpy as np
import pytest

from bethink.domain import from_micros
from bethink.storage.sqlite.columns import Columns
from bethink.storage.sqlite.lists import Lists
from bethink.storage.sqlite.store import SqliteStore
from bethink.storage.sqlite.vectors import Vectors, quantise
from bethink.storage.values import Question
from tests.bed import DAY
from tests.storage.drafts import NOW, add, choose, draft, revise

WIDE = 384


async def found(store, words, **chosen):
    def work(reader):
        selection = replace(choose(), **chosen)
        return {m.content for m in reader.memories(reader.candidates(Question(words), selection).numbers.tolist())}

    return await store.read(work)


@pytest.mark.failure("F281")
@pytest.mark.parametrize(
    ("fields", "before", "after"),
    [
        ({"valid_from": from_micros(NOW + DAY)}, set(), {"ada likes tea"}),
        ({"valid_to": from_micros(NOW + DAY)}, {"ada likes tea"}, set()),
        ({"expires_at": from_micros(NOW + DAY)}, {"ada likes tea"}, set()),
    ],
)
async def test_what_begins_or_ends_between_two_searches_is_seen_though_nothing_was_written(
    store, fields, before, after
):
    await add(store, draft("ada likes tea", **fields))
    later = {"valid_at": NOW + DAY, "now": NOW + DAY}

    assert await found(store, ("ada",)) == before
    assert await found(store, ("ada",), valid_at=NOW + DAY - 1, now=NOW + DAY - 1) == before
    assert await found(store, ("ada",), **later) == after
    assert await found(store, ("ada",)) == before


@pytest.mark.failure("F281")
async def test_what_was_written_later_begins_and_ends_by_itself_too(store):
    await add(store, draft("ada likes tea"))
    assert await found(store, ("ada",)) == {"ada likes tea"}

    await add(store, draft("ada likes tabs", valid_from=from_micros(NOW + DAY)))

    assert await found(store, ("ada",)) == {"ada likes tea"}
    later = {"valid_at": NOW + DAY, "now": NOW + DAY}
    assert await found(store, ("ada",), **later) == {"ada likes tea", "ada likes tabs"}


@pytest.mark.failure("F281")
async def test_two_processes_see_each_others_writes_in_everything_that_they_keep(path):
    one, other = (SqliteStore(path, synchronous="normal", seal_at=4) for _ in range(2))
    tea, tabs, gone = (draft(f"ada likes {what}", kind="fact") for what in ("tea", "tabs", "rain"))
    await add(one, tea, tabs, gone)
    facts = {"kinds": frozenset({"fact"})}
    assert await found(other, ("ada",), **facts) == {"ada likes tea", "ada likes tabs", "ada likes rain"}

    await add(one, draft("ada likes snow"), draft("ada likes hail", kind="turn"))
    await revise(one, tabs, content="grace likes tabs")
    await revise(one, tea, text=False, kind="decision")
    await one.write(lambda writer: writer.erase([gone.memory.id]))

    assert await found(other, ("ada",), **facts) == {"ada likes snow"}
    assert await found(other, ("ada",)) == {"ada likes snow", "ada likes hail", "ada likes tea"}
    for store in (one, other):
        await store.close()


@pytest.mark.failure("F281")
async def test_a_kept_list_counts_only_what_lives(store, path):
    """The score tells how many hold a word: a reader that has read it before a change answers as a fresh one."""
    drafts = [draft(f"ada likes {what}") for what in ("tea", "tabs", "rain", "snow")]
    await add(store, *drafts)
    await found(store, ("ada", "likes"))
    await store.write(lambda writer: writer.erase([drafts[0].memory.id]))
    await revise(store, drafts[1], content="grace writes")

    def scores(reader):
        return reader.candidates(Question(("ada", "likes")), choose()).keyword.tolist()

    fresh = SqliteStore(path)
    assert await store.read(scores) == await fresh.read(scores)
    await fresh.close()


def postings(count):
    """A file with `count` terms that a thousand memories hold each."""
    db = sqlite3.connect(":memory:")
    db.execute("create table posting (tenant, term, block, numbers, weights)")
    held = np.arange(1, 1001, dtype=np.uint32).tobytes(), bytes(1000)
    db.executemany("insert into posting values (1, ?, 0, ?, ?)", [(f"term{n}", *held) for n in range(count)])
    return db


@pytest.mark.failure("F282")
def test_kept_lists_take_no_more_bytes_than_there_is_room_for_and_the_last_ones_stay():
    columns = Columns()
    columns.reserve(1001)
    lists = Lists(1, most=50_000)

    with closing(postings(40)) as db:
        for number in range(40):
            lists.of(db, [f"term{number}"], columns)
        db.execute("delete from posting")
        kept = [n for n in range(40) if lists.of(db, [f"term{n}"], columns)]

    assert kept == list(range(40 - len(kept), 40))
    assert 0 < 5_000 * len(kept) <= 50_000


def vectors_of(rows):
    """A file with vectors, by number of their memory."""
    db = sqlite3.connect(":memory:")
    db.execute("create table vector (id integer primary key, tenant, embedder, number, start, scale, code)")
    filled = ((1, 1, number, start, *quantise(vector)) for number, start, vector in rows)
    db.executemany(
        "insert into vector (tenant, embedder, number, start, scale, code) values (?, ?, ?, ?, ?, ?)", filled
    )
    return db


@pytest.mark.failure("F282")
def test_a_memory_of_more_windows_than_are_read_at_a_time_is_not_parted():
    here, elsewhere = np.eye(2, 8, dtype=np.float32)
    windows = [(2, start, here if start == 9_999 else elsewhere) for start in range(10_000)]
    vectors, everywhere = Vectors(1, 8), np.ones(4, np.bool_)
    with closing(vectors_of([(1, 0, elsewhere), *windows, (3, 0, elsewhere)])) as db:
        vectors.refresh(db, 1, 4)

    found = vectors.evidence(np.array([1, 2, 3]), here, everywhere, np.zeros(4, np.int64))

    assert found.cosine.round(3).tolist() == [0, 1, 0]
    assert found.start.tolist() == [0, 9_999, 0]


@pytest.mark.failure("F282")
def test_vectors_are_taken_in_without_more_room_than_they_take_afterwards():
    count, batch = 30_000, 4_096
    with closing(vectors_of((n, 0, np.ones(WIDE, np.float32)) for n in range(1, count + 1))) as db:
        vectors = Vectors(1, WIDE)

        tracemalloc.start()
        vectors.refresh(db, 1, count + 1)
        kept, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()

    assert vectors.size == count
    assert kept < count * (WIDE + WIDE / 8 + 56) * 9 / 8 + 2**16
    assert most - kept < batch * 2_000
