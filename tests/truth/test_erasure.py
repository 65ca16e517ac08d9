"""Erasing: what it asks for, what it leaves, and that no byte of the text is left in any file."""

import hashlib
import json
import random
import subprocess
import sys
from contextlib import contextmanager

import numpy as np
import pytest

from bethink.errors import Conflict, Forbidden, InvalidRequest
from bethink.principal import Permission, confined
from bethink.testing import HashingEmbedder
from tests.bed import ANN, HOUR, Clock, Ids, memory_at, worked
from tests.jobs.test_worker import Meanwhile
from tests.storage.drafts import flaws, look

CANARY = "canary"
EVERYWHERE = {
    "title": "canarytitle",
    "subtype": "canarysubtype",
    "context": "canarycontext",
    "tags": ["canarytag", "other"],
    "author": "canaryauthor",
    "source": {"path": "/canarypath", "thread": "canarythread"},
    "evidence": [{"quote": "canaryquote", "url": "https://canary.example/"}],
    "metadata": {"canarykey": [{"deep": "canaryvalue"}]},
    "verification": "asserted",
    "verification_note": "canarynote",
}


@pytest.fixture(params=[2, 1000], ids=["sealed", "not-sealed"])
async def memory(path, request):
    memory = memory_at(path, embedder=HashingEmbedder(), waits=False, seal_at=request.param, clock=Clock(), ids=Ids())
    yield memory
    await memory.close()


@pytest.fixture
async def alone(path):
    memory = memory_at(path, embedder=HashingEmbedder(), clock=Clock(), ids=Ids())
    yield memory
    await memory.close()


async def planted(memory):
    """Store a canary wherever text can hide: fields, an earlier version, edges, what was shown, what waits."""
    await memory.store("a bird sang in the mine", source={"thread": "canarythread"})
    first = await memory.store("canarycontent sang in the mine", **EVERYWHERE)
    await memory.update(first.id, content="canarychanged sang in the mine", reason="canaryreason")
    await memory.recall("canarychanged")
    await memory.ports.journal.flush(memory.ports.storage)
    await memory.store("canarychanged sang in the mine twice", on_conflict="supersede", **EVERYWHERE)
    await memory.store("another bird, after it", source={"thread": "canarythread"})
    memory.ports.embedder.ready = False
    waiting = await memory.store("canarywaiting for its vector", **EVERYWHERE)
    memory.ports.embedder.ready = True
    doomed = [one.handle for one in (await memory.list(status=["any"], tags=["canarytag"])).memories]
    assert (len(doomed), waiting.embedded) == (3, False)
    return doomed


async def erased(memory, ids, **more):
    token = (await memory.forget(ids, hard=True)).preview.token
    return await memory.forget(ids, hard=True, token=token, **more)


SEARCH = """
import pathlib, sys
for file in pathlib.Path(sys.argv[1]).iterdir():
    data = file.read_bytes().lower() if file.is_file() else b""
    for word in sys.argv[2:]:
        if word.encode() in data:
            print(file.name, word)
"""


def holding(folder, *words):
    """The files of the folder, but for the owner's exports, that hold a byte of the canary, or of `words`.

    Another process reads them: one that closed a file would let go of the locks that SQLite has on it.
    """
    command = [sys.executable, "-c", SEARCH, str(folder), *(words or [CANARY])]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()[::2]


@pytest.mark.failure("F145")
async def test_no_byte_of_what_is_erased_is_left(memory, path):
    doomed = await planted(memory)
    assert holding(path.parent)
    await memory.forget(doomed[:1])

    done = await erased(memory, doomed)
    others = [one.handle for one in (await memory.list(limit=50)).memories]
    await erased(memory, others)

    assert (done.erasure, len(done.erased)) == ("done", 3)
    assert holding(path.parent) == []
    assert flaws(path) == []


@pytest.mark.failure("F232")
async def test_a_name_is_gone_with_the_last_memory_that_held_it(path):
    memory = memory_at(path, clock=Clock(), ids=Ids())
    kept = await memory.store("They told Robert of the cat.")
    doomed = await memory.store("They told Wilhelmine of the cat, and met Zephyrine.")
    await memory.update(doomed.id, content="They told Philomena of the cat.")
    await memory.entities("assert", memory=doomed.id, entities=[{"name": "Clementine", "kind": "queen"}])
    await memory.entities("merge", name="Philomena", others=["Robert"])
    await memory.entities("rename", name="Clementine", to="Clementine the Great")

    await erased(memory, [doomed.id])

    assert holding(path.parent, "wilhelmine", "zephyrine", "philomena", "clementine", "queen") == []
    assert [(e.name, e.memories) for e in (await memory.entities()).entities] == [("Robert", 1)]
    assert (await memory.list(entity="robert")).memories[0].handle == kept.handle
    assert flaws(path) == []
    await memory.close()


@pytest.mark.failure("F145")
async def test_what_is_erased_is_in_no_index(memory, path):
    doomed = await planted(memory)
    other = memory_at(path, embedder=HashingEmbedder(), clock=memory.ports.now)
    await other.recall("canarychanged")
    ((numbers,),) = look(path, "select group_concat(number) from memory where id in (select memory from tag)")

    await erased(memory, doomed)

    gone = {int(number) for number in numbers[0].split(",")}
    lists, words, vectors = look(
        path, "select numbers from posting", "select list from terms", "select number from vector"
    )
    listed = {int(n) for (kept,) in lists for n in np.frombuffer(kept, np.uint32)}
    assert (listed & gone, {n for (n,) in vectors} & gone) == (set(), set())
    assert not [kept for (kept,) in words if CANARY in kept.decode()]
    for reader in (memory, other):
        assert (await reader.recall("canarychanged canarytitle", mode="keyword", min_score=0)).hits == ()
        assert len((await reader.recall("canarychanged sang in the mine", mode="semantic", min_score=0)).hits) == 2
    await other.close()


async def test_texts_of_all_sizes_leave_no_copy_on_any_page(path):
    memory = memory_at(path, embedder=HashingEmbedder(), seal_at=16, clock=Clock(), ids=Ids())
    chance = random.Random(7)
    names = [f"canary{n:03}x" for n in range(160)]
    ids = []
    for name in names:
        text = f"{name} " * chance.choice([1, 3, 30, 300, 2000])
        ids.append((await memory.store(text, title=name, tags=[name], metadata={"a": name * 9}, hints=False)).id)
    for place in chance.sample(range(160), 40):
        await memory.update(ids[place], content=f"{names[place]} again " * chance.choice([1, 40, 900]), hints=False)
    gone = chance.sample(range(160), 90)

    for at in range(0, 90, 9):
        await erased(memory, [ids[place] for place in gone[at : at + 9]])

    assert holding(path.parent, *(names[place] for place in gone)) == []
    assert flaws(path) == []
    await memory.close()


READ = """
import sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute("begin")
print(db.execute("select count(*) from memory").fetchone()[0], flush=True)
if sys.argv[2] == "finished":
    db.execute("rollback")
    print(flush=True)
sys.stdin.readline()
"""


@contextmanager
def another_process(path, how):
    """A process that has read the file and holds it open, its transaction finished or not."""
    command = [sys.executable, "-c", READ, str(path), how]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        process.stdout.readline()
        if how == "finished":
            process.stdout.readline()
        yield
        process.communicate("\n")


async def test_another_process_that_has_read_does_not_hold_an_erasure_up(alone, path):
    doomed = (await alone.store("canarycontent", **EVERYWHERE)).id

    with another_process(path, "finished"):
        done = await erased(alone, [doomed])

        assert (done.erasure, holding(path.parent)) == ("done", [])


async def test_a_snapshot_that_is_held_open_makes_an_erasure_wait_and_the_worker_ends_it(alone, path):
    doomed = (await alone.store("canarycontent", **EVERYWHERE)).id

    with another_process(path, "held"):
        done = await erased(alone, [doomed])
        at_once = (await alone.recall("canarycontent")).hits, (await alone.get([doomed])).missing
        assert await worked(alone) == 0

        assert done.erasure == "pending"
        assert at_once == ((), (doomed,))
        assert holding(path.parent) != []
    assert await worked(alone) == 1
    assert holding(path.parent) == []
    assert look(path, "select count(*) from job") == [[(0,)]]


async def test_an_erasure_leaves_the_job_of_one_that_came_after_its_log_was_emptied(alone, path):
    doomed = (await alone.store("canarycontent", **EVERYWHERE)).id
    storage = alone.ports.storage
    alone.ports.storage = Meanwhile(storage, lambda writer: writer.enqueue("scrub", None, alone.ports.now()))

    done = await erased(alone, [doomed])

    assert (done.erasure, look(path, "select kind from job")) == ("done", [[("scrub",)]])
    alone.ports.storage = storage
    assert await worked(alone) == 1


@pytest.mark.failure("F090")
async def test_the_first_call_erases_nothing_and_says_what_would_go(memory):
    doomed = await planted(memory)

    shown = await memory.forget(doomed, hard=True)

    assert (shown.erased, shown.erasure, shown.export) == ((), None, None)
    assert (shown.preview.memories, shown.preview.by_kind, shown.preview.versions, shown.preview.relations) == (
        3,
        {"fact": 3},
        2,
        1,
    )
    assert (await memory.get(doomed)).missing == ()


@pytest.mark.failure("F136")
async def test_the_owner_gets_an_export_of_what_was_erased(memory, path):
    doomed = await planted(memory)

    done = await erased(memory, doomed)

    (file,) = (path.parent / "exports").iterdir()
    body = file.read_bytes()
    lines = [json.loads(line) for line in body.splitlines()]
    assert file.suffix == ".jsonl"
    assert (str(file), hashlib.sha256(body).hexdigest()) == (done.export, done.export_sha256)
    assert file.stat().st_mode & 0o777 == 0o600
    assert {line["memory"]["id"] for line in lines} == set(done.erased)
    assert min(v["content"] for line in lines for v in line["versions"]) == "canarychanged sang in the mine"
    assert {line["memory"]["metadata"]["canarykey"][0]["deep"] for line in lines} == {"canaryvalue"}


async def forged(memory, ids, token):
    return await memory.forget(ids, hard=True, token=token[:-6] + ("AAAAAA" if token[-6:] != "AAAAAA" else "BBBBBB"))


async def made_up(memory, ids, _token):
    return await memory.forget(ids, hard=True, token="yes, please")


async def for_others(memory, ids, token):
    return await memory.forget(ids[:1], hard=True, token=token)


async def of_another_caller(memory, ids, token):
    other = confined("user:ann", permissions=[Permission.write, Permission.erase])
    return await memory.as_(other).forget(ids, hard=True, token=token)


async def expired(memory, ids, token):
    memory.ports.now.pass_(HOUR + 1)
    return await memory.forget(ids, hard=True, token=token)


async def of_an_earlier_version(memory, ids, token):
    await memory.update(ids[0], confidence=0.1)
    return await memory.forget(ids, hard=True, token=token)


WRONG = [forged, made_up, for_others, of_another_caller, expired, of_an_earlier_version]


@pytest.mark.failure("F039")
@pytest.mark.parametrize("call", WRONG, ids=lambda call: call.__name__)
async def test_a_token_that_does_not_fit_is_a_conflict_and_changes_nothing(alone, path, call):
    ids = [(await alone.store(f"text {n}")).id for n in range(2)]
    token = (await alone.forget(ids, hard=True)).preview.token

    with pytest.raises(Conflict):
        await call(alone, ids, token)

    assert (await alone.get(ids)).missing == ()
    assert not (path.parent / "exports").exists()
    assert look(path, "select count(*) from event where operation = 'erase'") == [[(0,)]]


async def test_a_token_is_good_for_one_erasure(alone, path):
    doomed = (await alone.store("text")).id
    token = (await alone.forget([doomed], hard=True)).preview.token
    await alone.forget([doomed], hard=True, token=token)

    with pytest.raises(Conflict):
        await alone.forget([doomed], hard=True, token=token)

    assert len(list((path.parent / "exports").iterdir())) == 1


async def test_who_may_not_erase_is_told_so_and_nothing_is_erased(path):
    memory = memory_at(path, principal=confined("user:ann"))
    doomed = (await memory.store("text")).id

    with pytest.raises(Forbidden):
        await memory.forget([doomed], hard=True)

    assert (await memory.get([doomed])).missing == ()
    await memory.close()


async def test_a_token_alone_does_not_erase(alone):
    doomed = (await alone.store("text")).id
    token = (await alone.forget([doomed], hard=True)).preview.token

    with pytest.raises(InvalidRequest, match="hard=true"):
        await alone.forget([doomed], token=token)

    assert (await alone.list()).total == 1


async def test_what_is_out_of_reach_is_not_erased_and_looks_as_if_it_never_were(path):
    memory = memory_at(path, principal=ANN)
    theirs = (await memory.store("theirs", namespace="team:other")).id
    able = memory.as_(confined("user:ann", permissions=[Permission.write, Permission.erase]))
    mine = (await able.store("mine")).id

    shown = await able.forget([mine, theirs, "0000beef"], hard=True)
    done = await able.forget([mine, theirs], hard=True, token=shown.preview.token)

    assert (shown.missing, shown.preview.memories) == ((theirs, "0000beef"), 1)
    assert (done.erased, done.missing) == ((mine,), (theirs,))
    assert (await memory.get([theirs])).missing == ()
    await memory.close()


async def test_an_event_without_text_remains(memory, path):
    doomed = await planted(memory)

    await erased(memory, doomed, reason="asked for by its subject")

    (rows,) = look(path, "select operation, reason, memories || fields from event order by id desc limit 1")
    assert rows[0][:2] == ("erase", "asked for by its subject")
    assert CANARY not in str(look(path, "select * from event"))
