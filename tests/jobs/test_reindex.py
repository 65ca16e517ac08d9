"""A store whose words were taken apart by another version of the analyzer."""

import sqlite3
from contextlib import closing

import pytest

from bethink.errors import Unavailable, Unsupported
from bethink.intake import storing
from bethink.jobs.worker import work_off
from bethink.text.analyzer import VERSION
from tests.bed import memory_at
from tests.storage.drafts import flaws, look

MANY = 230  # more than two batches


@pytest.fixture
async def outdated(path, monkeypatch):
    """A memory whose index knows every word by its first three letters alone, as an earlier version might have."""
    memory = memory_at(path)
    with monkeypatch.context() as earlier:
        earlier.setattr(storing, "index_terms", lambda kept, **_: {word[:3]: 10 for word in kept.content.split()})
        await memory.store_many([{"content": f"alpha{n} likes compilers"} for n in range(MANY)])
        await memory.store("gamma follows", source={"thread": "t"})
        await memory.store("delta follows", source={"thread": "t"})
    told(path, 0)
    yield memory
    await memory.close()


def told(path, version):
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("update meta set value = ? where key = 'analyzer'", (version,))


def version(path):
    return look(path, "select value from meta where key = 'analyzer'")[0][0][0]


async def found(memory, query):
    return [hit.text for hit in (await memory.recall(query, mode="keyword")).hits]


async def scored(memory, query):
    return [(hit.text, hit.score) for hit in (await memory.recall(query, mode="keyword")).hits]


async def test_a_new_store_says_which_analyzer_it_uses(path):
    memory = memory_at(path)
    await memory.store("alpha")

    assert version(path) == VERSION
    assert (await memory.recall("alpha")).notes == ()
    assert (await memory.reindex()).compact() == "the keyword index is up to date"
    await memory.close()


async def test_recall_says_that_words_may_be_missed_until_the_index_is_rebuilt(outdated, path):
    before = await outdated.recall("alpha7", mode="keyword")
    done = await outdated.reindex()
    after = await outdated.recall("alpha7", mode="keyword")

    assert (before.hits, "bethink reindex" in before.notes[0]) == ((), True)
    assert done.memories >= MANY
    assert (after.hits[0].text, after.notes) == ("alpha7 likes compilers", ())
    assert version(path) == VERSION
    assert flaws(path) == []


async def test_a_rebuilt_index_is_the_one_that_would_have_been_made(outdated, tmp_path):
    fresh = memory_at(tmp_path / "fresh" / "memories.db")
    await fresh.store_many([{"content": f"alpha{n} likes compilers"} for n in range(MANY)])
    await fresh.store("gamma follows", source={"thread": "t"})
    await fresh.store("delta follows", source={"thread": "t"})
    await outdated.reindex()

    for query in ("alpha7", "gamma", "delta follows"):
        assert await scored(outdated, query) == await scored(fresh, query)
    await fresh.close()


async def test_the_worker_rebuilds_it_by_itself(outdated, path):
    await work_off(outdated.ports)

    assert await found(outdated, "gamma") == ["gamma follows", "delta follows"]
    assert version(path) == VERSION


async def test_an_interrupted_rebuild_goes_on_where_it_was_and_loses_nothing(outdated, path, monkeypatch):
    storage = outdated.ports.storage
    write, left = storage.write, [2]

    async def failing(work):
        left[0] -= 1
        if left[0] < 0:
            raise Unavailable("the disk is full", hint="Make room.")
        return await write(work)

    monkeypatch.setattr(storage, "write", failing)
    with pytest.raises(Unavailable):
        await outdated.reindex()
    monkeypatch.undo()

    assert await found(outdated, "alpha7") == ["alpha7 likes compilers"]
    assert await found(outdated, "gamma") == []
    await outdated.store("epsilon arrives meanwhile")
    done = await outdated.reindex()

    assert done.memories < MANY + 3 + 200  # what was done is met once more at the end, not taken apart again
    assert await found(outdated, "gamma") == ["gamma follows", "delta follows"]
    assert await found(outdated, "epsilon") == ["epsilon arrives meanwhile"]
    assert (await outdated.stats()).memories == MANY + 3
    assert flaws(path) == []


async def test_an_index_of_a_newer_program_is_left_alone(outdated, path):
    told(path, VERSION + 1)

    await work_off(outdated.ports)
    with pytest.raises(Unsupported, match="newer"):
        await outdated.reindex()

    assert version(path) == VERSION + 1
