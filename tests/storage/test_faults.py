"""Fail the first statement of a write, then the second, and so on until a run has nothing left to fail."""

import shutil
import sqlite3
from contextlib import suppress

import pytest

from bethink.errors import Unavailable
from bethink.testing import HashingEmbedder
from tests.bed import DAY, START, Clock, Ids, memory_at, worked
from tests.storage.drafts import flaws, look

FIRST, RETIRED, OLD, WAITING = (f"00000000000{n}" for n in range(1, 5))
MOST_STATEMENTS = 400


class Fault:
    """Counts the statements of every writing transaction while it is armed, and fails one of them."""

    left, fired = 0, False

    def arm(self, number):
        self.left, self.fired = number, False

    def disarm(self):
        self.left = 0

    def count(self):
        self.left -= 1
        if self.left == 0:
            self.fired = True
            raise sqlite3.OperationalError("injected: disk I/O error")

    def factory(self):
        fault = self

        class Connection(sqlite3.Connection):
            writes = False

            def execute(self, *args):
                self.writes = args[0] == "begin immediate" or (self.writes and args[0] not in ("commit", "rollback"))
                if self.writes or args[0] == "commit":
                    fault.count()
                return super().execute(*args)

            def executemany(self, sql, rows):
                for row in rows:
                    self.execute(sql, row)

        return Connection


async def store_one(memory):
    await memory.store("ada likes tabs", tags=["taste"], source={"thread": "t"})


async def store_instead(memory):
    await memory.store("ada likes tabs and tea a lot less", on_conflict="supersede", tags=["taste"])


async def append(memory):
    await memory.store("ada likes tabs and tea a lot less", on_conflict="update", tags=["taste"])


async def store_batch(memory):
    await memory.store_many([{"content": f"note number{n}", "source": {"thread": "t"}} for n in range(3)])


async def update(memory):
    await memory.update(FIRST, content="ada prefers spaces", tags=["taste", "editor"])


async def retire(memory):
    await memory.forget([FIRST])


async def restore(memory):
    await memory.restore([RETIRED])


async def erase(memory):
    if not (await memory.get([FIRST])).missing:
        preview = (await memory.forget([FIRST], hard=True)).preview
        await memory.forget([FIRST], hard=True, token=preview.token)
    await worked(memory)


async def relate(memory):
    await memory.relate(
        edges=[
            {"source": FIRST, "target": WAITING, "type": "supersedes"},
            {"source": FIRST, "target": RETIRED, "type": "caused_by"},
        ]
    )


async def unrelate(memory):
    await memory.unrelate(WAITING, OLD, "supersedes", reverse=True)


LONG = [erase, worked]  # of several transactions
CALLS = [store_one, store_instead, append, store_batch, update, retire, restore, erase, worked, relate, unrelate]


async def prepare(path, seal_at):
    """A store with a memory in use, one retired, one waiting for its vector, which supersedes another."""
    memory = memory_at(path, embedder=HashingEmbedder(), waits=False, seal_at=seal_at, clock=Clock(), ids=Ids())
    await memory.store("ada likes tabs and tea a lot", tags=["seed"], source={"thread": "t"})
    await memory.store("grace writes compilers", source={"thread": "t"})
    await memory.forget([RETIRED])
    await memory.store("alan had a vector")
    memory.ports.embedder.ready = False
    await memory.store("alan waits for a vector", source={"thread": "t"})
    await memory.relate(WAITING, OLD, "supersedes")
    await memory.close()


def copied(template, path, fault):
    shutil.copy(template, path)
    options = {"waits": False, "factory": fault.factory(), "seal_at": 2, "ids": Ids(10), "clock": Clock(START + DAY)}
    return memory_at(path, embedder=HashingEmbedder(), **options)


def state(path):
    """What is kept, without ids and times, which the next attempt takes anew."""
    return look(path, *_STATE)


_STATE = (
    """
    select content, status, version, embedded, length, previous is null from memory join body using (number)
    order by 1
    """,
    "select content, folded from tag join memory on memory = id join body using (number) order by 1, 2",
    "select content, count(*) from vector join body using (number) group by number order by 1",
    """
    select content, v.number from version v join memory m on memory = id join body b on b.number = m.number
    order by 1, 2
    """,
    """
    select a.content, b.content, type from relation r
    join memory m on m.id = r.source join body a on a.number = m.number
    join memory n on n.id = r.target join body b on b.number = n.number order by 1, 2
    """,
    "select kind, count(*) from job group by 1 order by 1",
)


@pytest.mark.failure("F041", "F152")
@pytest.mark.parametrize(
    ("call", "seal_at"),
    [(c, 1000) for c in CALLS] + [(c, 2) for c in (update, erase)],
    ids=lambda part: getattr(part, "__name__", part),
)
async def test_a_statement_that_fails_leaves_all_or_nothing_and_the_call_can_be_repeated(folder, call, seal_at):
    fault, template, path = Fault(), folder / "template.db", folder / "memories.db"
    await prepare(template, seal_at)
    before, after = state(template), await _undisturbed(template, folder / "clean.db", call)

    for number in range(1, MOST_STATEMENTS):
        memory = copied(template, path, fault)

        fault.arm(number)
        failed = await _failed(call, memory)
        fault.disarm()

        assert flaws(path) == [], f"torn at statement {number}"
        assert call in LONG or state(path) == (before if failed else after), f"torn at statement {number}"
        await call(memory)
        assert (flaws(path), state(path)) == ([], after), f"not mended after statement {number}"
        assert await _found(memory) == await _listed(memory)
        await memory.close()
        if not fault.fired:
            return
    pytest.fail("it never ran clean")


async def test_a_seal_that_finds_another_writer_at_work_is_left_to_a_later_write_without_a_word(folder, caplog):
    path, other, refused = folder / "memories.db", [], []

    class Connection(sqlite3.Connection):
        """One that another gets ahead of after each commit, until it was refused once."""

        ahead = False

        def execute(self, *args):
            try:
                done = super().execute(*args)
            except sqlite3.OperationalError:
                refused.append(args[0])
                other.pop().close()
                raise
            if args[0] == "commit" and Connection.ahead:
                other.append(sqlite3.connect(path, isolation_level=None, check_same_thread=False))
                other[0].execute("begin immediate")
            return done

    memory = memory_at(path, embedder=HashingEmbedder(), factory=Connection, seal_at=2)
    await memory.store("ada likes tabs", hints=False)
    Connection.ahead = True
    await memory.store("grace writes compilers", hints=False)
    Connection.ahead = False
    unsealed = look(path, "select count(*) from posting")
    await memory.store("alan waits for a vector", hints=False)
    await memory.close()

    assert refused == ["begin immediate"]
    assert (unsealed, look(path, "select count(*) > 0 from posting")) == ([[(0,)]], [[(1,)]])
    assert caplog.records == []


async def _undisturbed(template, path, call):
    memory = copied(template, path, Fault())
    await call(memory)
    await memory.close()
    return state(path)


async def _failed(call, memory):
    with suppress(Unavailable):
        await call(memory)
        return False
    return True


async def _found(memory):
    words = "ada grace alan note number0 number1 number2"
    hits = (await memory.recall(words, mode="keyword", min_score=0, detail="full", limit=50)).hits
    return sorted(hit.text for hit in hits)


async def _listed(memory):
    return sorted(one.text for one in (await memory.list(detail="full")).memories)
