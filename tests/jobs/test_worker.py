"""The worker goes on whatever goes wrong, and says what it was."""

import asyncio
import logging
import sqlite3
from contextlib import closing

import pytest

from bethink.engine import Bethink
from bethink.errors import InvalidRequest
from bethink.jobs.worker import work_off, work_one
from bethink.testing import HashingEmbedder
from tests.bed import HOUR, Clock, Ids, memory_at


class Faulty(HashingEmbedder):
    """Fails as it is told to, when a text that holds this word is embedded, or already while it loads."""

    def __init__(self, *, word="", at_load=None):
        super().__init__()
        self.ready, self.asked = False, asyncio.Event()
        self.word, self.at_load = word, at_load

    async def load(self):
        self.asked.set()
        if self.at_load is not None:
            raise self.at_load
        self.ready = True

    async def embed(self, texts, role):
        if self.word and any(self.word in text for text in texts):
            raise ZeroDivisionError("a fault of the model")
        return await super().embed(texts, role)


async def opened(path, embedder):
    """A memory that stored two texts before its embedder was ready, so that both wait."""
    memory = memory_at(path, embedder=embedder, clock=Clock(), ids=Ids(), waits=False)
    for text in ("The bad text.", "The good text."):
        assert not (await memory.store(text)).embedded
    return memory


async def test_a_job_with_a_fault_is_logged_put_back_and_holds_up_no_other(path, caplog):
    memory = await opened(path, Faulty(word="bad"))

    for _ in range(3):
        await work_off(memory.ports)

    (record,) = [r for r in caplog.records if r.levelno == logging.ERROR]
    with closing(sqlite3.connect(path)) as db:
        waiting = db.execute("select error from job where kind = 'embed'").fetchall()
    assert record.exc_info[0] is ZeroDivisionError
    assert waiting == [("ZeroDivisionError",)]
    assert [m.memory.embedded for m in (await memory.list(detail="full")).memories] == [True, False]
    await memory.close()


@pytest.mark.parametrize(
    ("wrong", "level"), [(InvalidRequest("no such model"), logging.WARNING), (OSError("no such file"), logging.ERROR)]
)
async def test_a_round_that_goes_wrong_is_logged_and_the_next_one_does_the_work(path, caplog, wrong, level):
    embedder = Faulty(at_load=wrong)
    memory = await opened(path, embedder)

    await work_off(memory.ports)
    embedder.at_load = None
    memory.ports.now.pass_(HOUR)
    await work_off(memory.ports)

    assert [r.levelno for r in caplog.records if r.levelno >= logging.WARNING] == [level]
    assert (await memory.stats()).without_vectors == 0
    await memory.close()


@pytest.mark.parametrize(
    "embedder", [Faulty(word="text"), Faulty(at_load=OSError("no such file"))], ids=["job", "load"]
)
async def test_no_embedder_holds_up_what_was_erased(path, embedder):
    memory = await opened(path, embedder)
    await memory.ports.storage.write(lambda writer: writer.enqueue("scrub", None, memory.ports.now()))

    await work_off(memory.ports)

    with closing(sqlite3.connect(path)) as db:
        assert db.execute("select kind from job").fetchall() == [("embed",)] * 2
    await memory.close()


async def test_a_scrub_asked_for_while_another_runs_is_not_taken_for_done(path):
    memory = await opened(path, Faulty())
    storage = memory.ports.storage
    memory.ports.storage = Meanwhile(storage, lambda writer: writer.enqueue("scrub", None, memory.ports.now()))
    await storage.write(lambda writer: writer.enqueue("scrub", None, memory.ports.now()))

    assert await work_one(memory.ports, "scrub")

    with closing(sqlite3.connect(path)) as db:
        assert db.execute("select count(*) from job where kind = 'scrub'").fetchone() == (1,)
    await memory.close()


class Meanwhile:
    """A storage in which somebody else writes right after the log was emptied."""

    def __init__(self, storage, work):
        self._storage, self._work = storage, work

    def __getattr__(self, name):
        return getattr(self._storage, name)

    async def scrub(self):
        done = await self._storage.scrub()
        await self._storage.write(self._work)
        return done


async def test_a_running_worker_outlives_a_round_that_goes_wrong(path, caplog):
    memory = await opened(path, Faulty(at_load=OSError("no such file")))

    async with Bethink(memory.ports, memory.principal) as running:
        await memory.ports.embedder.asked.wait()
        await asyncio.sleep(0)
        assert not running._worker._task.done()

    assert "what waits was not worked off" in caplog.text
