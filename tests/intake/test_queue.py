"""Vectors that come later: the queue, its worker, another embedder, and the rebuilding of all."""

import asyncio
from dataclasses import replace

import pytest

from bethink.errors import Unavailable, Unsupported
from bethink.jobs.worker import work_one
from bethink.models.none import NoEmbedder
from bethink.testing import HashingEmbedder
from tests.bed import DAY, Chosen, Clock, Ids, memory_at, worked
from tests.storage.drafts import flaws, look

TEXTS = ["ada likes tabs", "grace writes compilers", "alan breaks ciphers"]


class Other(HashingEmbedder):
    """Another vector space, of another size; fails after `left` texts where that is given."""

    identity, dimensions = "other-32", 32

    def __init__(self, left=None):
        super().__init__()
        self.left, self.embedded = left, []

    async def embed(self, texts, role):
        if self.left is not None and self.left < len(texts):
            raise Unavailable("the endpoint went away", hint="Try again.")
        if self.left is not None:
            self.left -= len(texts)
        self.embedded += texts
        return await super().embed(texts, role)


class Interrupting(HashingEmbedder):
    """Lets something else happen while it embeds."""

    meanwhile = None

    async def embed(self, texts, role):
        vectors = await super().embed(texts, role)
        if self.meanwhile is not None:
            meanwhile, self.meanwhile = self.meanwhile, None
            await meanwhile()
        return vectors


class Silent(HashingEmbedder):
    """Never answers, like an endpoint that hangs, until it is `awake`."""

    awake = False

    async def embed(self, texts, role):
        if not self.awake:
            await asyncio.Event().wait()
        return await super().embed(texts, role)


def opened(path, embedder, clock=None, ids=None):
    return memory_at(path, embedder=embedder, waits=False, clock=clock or Clock(), ids=ids or Ids())


@pytest.fixture
async def memory(path):
    memory = opened(path, HashingEmbedder(loads=True))
    yield memory
    await memory.close()


async def test_an_embedder_that_hangs_holds_neither_store_nor_recall_up_and_is_caught_up_with_later(path):
    memory = opened(path, Silent())
    memory.ports.policy = replace(memory.ports.policy, patience=0.01)

    stored = await memory.store(TEXTS[0])
    page = await memory.recall("ada tabs")
    with pytest.raises(Unsupported, match=r"did not answer within 0.011 s"):
        await memory.recall("ada tabs", mode="semantic")
    memory.ports.embedder.awake = True
    await worked(memory)
    later = await memory.recall("ada tabs", mode="semantic")

    assert (stored.stored, stored.embedded) == (True, False)
    assert [hit.text for hit in page.hits] == [hit.text for hit in later.hits] == [TEXTS[0]]
    assert page.skipped == ("meaning: the embedder did not answer within 0.011 s",)
    await memory.close()


@pytest.mark.parametrize("loads", [True, False])
async def test_a_caller_that_waits_for_the_model_waits_no_longer_than_it_may(path, loads):
    memory = memory_at(path, embedder=Silent(loads=loads), clock=Clock(), ids=Ids())
    memory.ports.policy = replace(memory.ports.policy, patience=0.005)
    if loads:
        memory.ports.embedder.load = asyncio.Event().wait

    stored = await memory.store(TEXTS[0])
    page = await memory.recall("ada tabs")

    assert (stored.stored, stored.embedded) == (True, False)
    assert [hit.text for hit in page.hits] == [TEXTS[0]]
    assert "did not answer within" in page.skipped[0]
    await memory.close()


async def test_a_very_long_memory_is_answered_for_before_it_has_its_vectors(path):
    memory = opened(path, HashingEmbedder())
    long = " ".join(f"word{n}" for n in range(70 * HashingEmbedder.window))

    stored, short = await memory.store(long), await memory.store("ada likes tabs")
    await worked(memory)

    assert (stored.embedded, short.embedded) == (False, True)
    assert (await memory.stats()).without_vectors == 0
    await memory.close()


async def by_meaning(memory, query):
    return [hit.text for hit in (await memory.recall(query, mode="semantic", min_score=0)).hits]


async def by_keyword(memory, query):
    return [hit.text for hit in (await memory.recall(query, mode="keyword", min_score=0)).hits]


@pytest.mark.failure("F044", "F078")
async def test_what_is_stored_before_the_embedder_is_ready_is_found_by_keyword_at_once_and_by_meaning_later(
    memory, path
):
    done = await memory.store("ada likes tabs")

    assert (done.stored, done.embedded) == (True, False)
    assert await by_keyword(memory, "tabs") == ["ada likes tabs"]
    with pytest.raises(Unsupported, match="not ready"):
        await by_meaning(memory, "tabs")
    assert (await memory.recall("tabs")).skipped == ("meaning: the embedder is not ready",)
    assert (await memory.stats()).without_vectors == 1

    assert await worked(memory) == 0
    await memory.ports.embedder.load()
    assert await worked(memory) == 1

    assert await by_meaning(memory, "tabs") == ["ada likes tabs"]
    assert (await memory.recall("tabs")).skipped == ()
    assert (await memory.stats()).without_vectors == 0
    assert flaws(path) == []


async def test_the_first_vector_of_a_store_leaves_the_others_waiting(memory):
    await memory.store("ada likes tabs")
    await memory.ports.embedder.load()

    await memory.store("grace writes compilers")

    assert (await memory.stats()).without_vectors == 1
    await worked(memory)
    assert (await memory.stats()).without_vectors == 0


async def test_a_caller_that_may_wait_waits_for_the_embedder(path):
    memory = memory_at(path, embedder=HashingEmbedder(loads=True), waits=True)

    assert (await memory.store("ada likes tabs")).embedded
    await memory.close()


async def test_a_running_memory_embeds_what_waits_by_itself(path):
    memory = opened(path, HashingEmbedder(loads=True))
    await memory.store("ada likes tabs")

    memory.ports.now.pass_(DAY)
    memory.start()
    async with asyncio.timeout(30):
        while (await memory.stats()).without_vectors:  # noqa: ASYNC110  # only the store can tell
            await asyncio.sleep(0)

    assert await by_meaning(memory, "tabs") == ["ada likes tabs"]
    await memory.close()


async def test_an_updated_text_without_an_embedder_is_queued_anew(memory):
    await memory.ports.embedder.load()
    done = await memory.store("ada likes tabs")
    memory.ports.embedder.ready = False

    changed = await memory.update(done.id, content="ada prefers spaces")

    assert changed.embedded is False
    assert await by_keyword(memory, "spaces") == ["ada prefers spaces"]
    memory.ports.embedder.ready = True
    assert await by_meaning(memory, "spaces") == []
    assert await worked(memory) == 1
    assert await by_meaning(memory, "spaces") == ["ada prefers spaces"]


@pytest.mark.parametrize("text", ["ada prefers spaces", "ADA LIKES TABS"])
async def test_a_text_that_changed_while_it_was_embedded_gets_the_vector_of_what_it_says_now(path, text):
    embedder = Interrupting(loads=True)
    memory = opened(path, embedder)
    done = await memory.store("ada likes tabs")
    await embedder.load()

    async def change():
        embedder.ready = False
        await memory.update(done.id, content=text)
        embedder.ready = True

    embedder.meanwhile = change
    await worked(memory)
    await worked(memory)

    assert await by_meaning(memory, text) == [text]
    assert (await memory.stats()).store["waiting_jobs"] == 0
    assert flaws(path) == []
    await memory.close()


async def test_a_memory_that_was_erased_while_it_was_embedded_leaves_no_vector(path):
    embedder = Interrupting(loads=True)
    memory = opened(path, embedder)
    done = await memory.store("ada likes tabs")
    await embedder.load()

    async def erase():
        token = (await memory.forget([done.id], hard=True)).preview.token
        await memory.forget([done.id], hard=True, token=token)

    embedder.meanwhile = erase
    await worked(memory)

    assert look(path, "select count(*) from vector", "select count(*) from job") == [[(0,)], [(0,)]]
    await memory.close()


async def test_a_job_that_fails_waits_longer_each_time_and_is_counted(path):
    memory = opened(path, HashingEmbedder(loads=True))
    await memory.store("ada likes tabs")
    memory.ports.embedder = Other(left=0)

    assert await worked(memory) == 0
    ((first,),) = look(path, "select error, run_at, attempts from job")
    assert await worked(memory) == 0
    ((second,),) = look(path, "select error, run_at, attempts from job")

    assert (first[0], first[2], second[2]) == ("the endpoint went away", 1, 2)
    assert second[1] > first[1]
    assert (await memory.stats()).store["failed_jobs"] == 1
    memory.ports.embedder.left = None
    assert await worked(memory) == 1
    assert (await memory.stats()).store["failed_jobs"] == 0
    await memory.close()


async def test_a_job_whose_worker_died_is_done_by_another_once_its_lease_ends(memory):
    await memory.store("ada likes tabs")
    await memory.ports.embedder.load()
    now = memory.ports.now()
    await memory.ports.storage.write(lambda writer: writer.claim(["embed"], now, 120_000_000))

    assert await worked(memory, later=1_000_000) == 0
    assert await worked(memory, later=120_000_000) == 1
    assert (await memory.stats()).without_vectors == 0


async def test_a_worker_survives_a_job_that_it_cannot_put_back(path):
    memory = opened(path, Other(left=0))
    memory.ports.embedder.ready = False
    await memory.store("ada likes tabs")
    memory.ports.embedder.ready = True
    memory.ports.now.pass_(DAY)
    storage, memory.ports.storage = memory.ports.storage, WithoutFailing(memory.ports.storage)

    assert await work_one(memory.ports, "embed") is False

    memory.ports.storage = storage
    memory.ports.embedder.left = None
    assert await worked(memory) == 1
    await memory.close()


class WithoutFailing:
    """A storage whose third write, that which puts a job back, cannot be made."""

    def __init__(self, storage):
        self._storage, self._writes = storage, 0

    def __getattr__(self, name):
        return getattr(self._storage, name)

    async def write(self, work):
        self._writes += 1
        if self._writes == 2:
            raise Unavailable("the disk is full", hint="Free some space.")
        return await self._storage.write(work)


async def three(path):
    memory = opened(path, HashingEmbedder())
    for text in TEXTS:
        await memory.store(text)
    await memory.close()


@pytest.mark.failure("F051")
async def test_with_another_embedder_keywords_still_serve_and_the_result_says_what_to_do(path):
    await three(path)
    memory = opened(path, Other(), ids=Ids(10), clock=Clock(Clock().now + DAY))

    found = await memory.recall("tabs", min_score=0)

    assert [hit.text for hit in found.hits] == ["ada likes tabs"]
    assert found.skipped == ("meaning: the vectors are of hashing-64, the embedder is other-32: run `bethink reembed`",)
    with pytest.raises(Unsupported, match="reembed"):
        await by_meaning(memory, "tabs")
    stored = await memory.store("kurt proves theorems")
    assert (stored.stored, stored.embedded, await by_keyword(memory, "theorems")) == (
        True,
        False,
        ["kurt proves theorems"],
    )
    assert await worked(memory) == 0
    assert look(path, "select distinct embedder from vector") == [[(1,)]]
    await memory.close()


class Grown(HashingEmbedder):
    """The same name over another model: longer vectors, whose length is known once it has answered."""

    longer = 128

    def __init__(self):
        super().__init__()
        self.dimensions = 0

    async def embed(self, texts, role):
        self.dimensions = self.longer
        return await super().embed(texts, role)


async def test_other_dimensions_under_the_same_name_are_another_embedder(path):
    await three(path)
    memory = opened(path, Grown(), ids=Ids(10), clock=Clock(Clock().now + DAY))
    reason = "the vectors of hashing-64 have 64 dimensions, it answers with 128 now"

    stored = await memory.store("kurt proves theorems")
    found = await memory.recall("tabs", min_score=0)

    assert (stored.stored, stored.embedded) == (True, False)
    assert [hit.text for hit in found.hits] == ["ada likes tabs"]
    assert found.skipped == (f"meaning: {reason}: run `bethink reembed`",)
    assert await worked(memory) == 0
    assert look(path, "select distinct error from job") == [[(reason,)]]

    assert (await memory.reembed()).memories == 4
    assert (await by_meaning(memory, "kurt proves theorems"))[0] == "kurt proves theorems"
    assert look(path, "select distinct length(code) from vector") == [[(128,)]]
    await worked(memory)
    assert flaws(path) == []
    await memory.close()


async def test_a_vector_that_is_not_as_long_as_its_embedder_says_is_not_kept(path):
    embedder = Grown()
    memory = opened(path, embedder)
    await memory.store("ada likes tabs")
    embedder.embed = HashingEmbedder().embed

    stored = await memory.store("grace writes compilers")

    assert (stored.stored, stored.embedded) == (True, False)
    assert look(path, "select distinct length(code) from vector") == [[(128,)]]
    await memory.close()


async def test_the_old_vectors_serve_while_those_of_other_dimensions_are_made(path):
    memory = opened(path, HashingEmbedder())
    await memory.store_many([{"content": f"fact number{n}"} for n in range(80)])
    shorter = Other(left=50)
    shorter.identity = "hashing-64"
    breaking = opened(path, shorter, clock=memory.ports.now)

    with pytest.raises(Unavailable):
        await breaking.reembed()

    assert look(path, "select distinct length(code) from vector order by 1") == [[(32,), (64,)]]
    assert (await by_meaning(memory, "fact number7"))[0] == "fact number7"
    for each in (memory, breaking):
        await each.close()


@pytest.mark.failure("F051")
async def test_reembed_rebuilds_every_vector_and_ends_the_mismatch(path):
    await three(path)
    memory = opened(path, Other(), ids=Ids(10), clock=Clock(Clock().now + DAY))
    await memory.store("kurt proves theorems")

    done = await memory.reembed()

    assert (done.memories, done.embedder, done.before) == (4, "other-32", "hashing-64")
    assert (await by_meaning(memory, "kurt proves theorems"))[0] == "kurt proves theorems"
    assert (await memory.recall("tabs")).skipped == ()
    assert ((await memory.stats()).without_vectors, (await memory.stats()).vectors_of) == (0, "other-32")
    await worked(memory)
    assert flaws(path) == []
    await memory.close()


async def test_an_interrupted_reembed_goes_on_where_it_was_and_the_old_vectors_serve_meanwhile(path):
    memory = opened(path, HashingEmbedder())
    await memory.store_many([{"content": f"fact number{n}"} for n in range(80)])
    breaking = opened(path, Other(left=50), clock=memory.ports.now)

    with pytest.raises(Unavailable):
        await breaking.reembed()
    assert (await by_meaning(memory, "fact number7"))[0] == "fact number7"
    going_on = opened(path, Other(), clock=memory.ports.now)
    done = await going_on.reembed()

    assert done.memories == len(going_on.ports.embedder.embedded) == 80 - 32
    assert (await by_meaning(going_on, "fact number7"))[0] == "fact number7"
    assert flaws(path) == []
    for each in (memory, breaking, going_on):
        await each.close()


@pytest.mark.failure("F052")
async def test_what_is_stored_changed_or_erased_during_a_reembed_is_right_after_it(path):
    old = opened(path, HashingEmbedder())
    ids = [(await old.store(text)).id for text in TEXTS]
    embedder = Interrupting()
    embedder.identity = "interrupting"
    memory = opened(path, embedder, clock=old.ports.now, ids=Ids(10))

    async def meanwhile():
        await old.store("kurt proves theorems")
        await old.update(ids[0], content="ada prefers spaces")
        token = (await old.forget([ids[1]], hard=True)).preview.token
        await old.forget([ids[1]], hard=True, token=token)

    embedder.meanwhile = meanwhile
    await memory.reembed()

    for text in ("kurt proves theorems", "ada prefers spaces", "alan breaks ciphers"):
        assert (await by_meaning(memory, text))[0] == text
    assert len(await by_meaning(memory, "grace writes compilers")) == 3
    await worked(memory)
    assert flaws(path) == []
    for each in (memory, old):
        await each.close()


@pytest.mark.parametrize("how", ["store", "update", "store_many", "job"])
async def test_a_vector_made_before_the_store_went_over_to_another_embedder_is_not_kept(path, how):
    embedder = Interrupting()
    memory = opened(path, embedder)
    first = await memory.store("ada likes tabs")
    other = opened(path, Other(), clock=memory.ports.now, ids=Ids(10))
    if how == "job":
        embedder.ready = False
        await memory.store("grace writes compilers")
        embedder.ready = True

    embedder.meanwhile = other.reembed
    match how:
        case "store":
            await memory.store("grace writes compilers")
        case "update":
            await memory.update(first.id, content="grace writes compilers")
        case "store_many":
            await memory.store_many([{"content": "grace writes compilers"}])
    await worked(memory)
    await worked(other)

    assert (await by_meaning(other, "grace writes compilers"))[0] == "grace writes compilers"
    assert look(path, "select distinct length(code) from vector") == [[(32,)]]
    assert flaws(path) == []
    for each in (memory, other):
        await each.close()


async def test_a_store_without_an_embedder_takes_one_up_later(path):
    plain = opened(path, NoEmbedder())
    for text in TEXTS:
        assert (await plain.store(text)).embedded is None
    await plain.close()

    memory = opened(path, HashingEmbedder(), clock=Clock(Clock().now + DAY), ids=Ids(10))
    assert await worked(memory) == 3

    assert (await by_meaning(memory, "grace writes compilers"))[0] == "grace writes compilers"
    await memory.close()


async def test_a_memory_that_says_the_same_as_one_with_a_late_vector_is_proposed_for_merging(path):
    memory = opened(path, Chosen({"Ada likes tabs.": 0, "Tabs are what Ada likes.": 2}))
    old = await memory.store("Ada likes tabs.")
    memory.ports.embedder.ready = False
    late = await memory.store("Tabs are what Ada likes.", on_conflict="supersede")
    memory.ports.embedder.ready = True

    await worked(memory)

    assert (late.action, (await memory.list()).total) == ("add", 2)
    assert look(path, "select kind, memory, other from proposal") == [[("merge", late.id, old.id)]]
    await memory.close()


async def test_nothing_is_proposed_for_a_memory_that_was_erased_while_it_was_embedded(path):
    embedder = Interrupting()
    memory = opened(path, embedder)
    await memory.store("ada likes tabs")
    embedder.ready = False
    done = await memory.store("tabs likes ada")
    embedder.ready = True

    async def erase():
        token = (await memory.forget([done.id], hard=True)).preview.token
        await memory.forget([done.id], hard=True, token=token)

    embedder.meanwhile = erase
    await worked(memory)

    assert look(path, "select * from proposal") == [[]]
    await memory.close()
