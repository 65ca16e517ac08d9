"""Statistics: each figure is what counting by hand comes to, and what needs attention is said."""

import sqlite3
from contextlib import closing

import pytest

from bethink.domain import STRUCTURAL, to_micros
from bethink.jobs.worker import work_one
from bethink.principal import confined
from bethink.testing import HashingEmbedder
from bethink.text.analyzer import VERSION
from tests.bed import DAY, HOUR, Clock, Ids, memory_at, worked
from tests.storage.drafts import look

HERE, ELSEWHERE = "user:ann", "team:other"
TEXTS = ("content", "context", "source", "evidence", "metadata", "verification_note")


class Another(HashingEmbedder):
    """Another vector space."""

    identity, dimensions = "another-32", 32


async def filled(memory):
    """A year of memories of every state, in two namespaces; return what is in use, by its name."""
    clock, ids = memory.ports.now, {}

    async def store(name, **fields):
        ids[name] = (await memory.store(f"The {name} note.", title=name, on_conflict="add", **fields)).id

    await store("old")
    await store("old and read")
    await store("old and confirmed")
    clock.pass_(300 * DAY)
    await store("retired")
    await store("restored")
    await memory.store("The deploy runs on Mondays")
    await store("erased")
    await store("expired", expires_at="in 2 days")
    await store("whole", kind="document")
    await store("part", kind="chunk", parent_id=ids["whole"])
    await memory.forget([ids["retired"], ids["restored"]])
    clock.pass_(40 * DAY)
    await memory.restore([ids["restored"]])
    await memory.store("The deploy runs on Mondays now", on_conflict="supersede")
    await memory.recall('"old and read"', limit=1)
    await memory.update(ids["old and confirmed"], content="The old and confirmed note, as it is now.")
    token = (await memory.forget([ids["erased"]], hard=True)).preview.token
    await memory.forget([ids["erased"]], hard=True, token=token)
    clock.pass_(5 * DAY)
    await store("pinned", pinned=True)
    await store("elsewhere", namespace=ELSEWHERE, pinned=True)
    clock.pass_(12 * HOUR)
    await store("new", context="said at lunch", tags=["ops"])
    await memory.ports.journal.flush(memory.ports.storage)
    return ids


async def everything(memory, namespace=HERE):
    kinds = ["fact", *STRUCTURAL]
    listed = await memory.list(namespaces=[namespace], status=["any"], kinds=kinds, detail="full", limit=50)
    return [row.memory for row in listed.memories]


def used(memories, now):
    """What is active, valid and no part of something larger: which have expired, which have not."""
    living = [m for m in memories if m.status in ("active", "stale") and m.kind not in STRUCTURAL]
    expired = [m for m in living if m.expires_at and to_micros(m.expires_at) <= now]
    return [m for m in living if m not in expired], expired


async def test_what_is_in_use_expired_dormant_and_pinned_is_what_counting_comes_to(hashing):
    await filled(hashing)
    now, kept = hashing.ports.now(), await everything(hashing)

    stats = await hashing.stats()

    in_use, expired = used(kept, now)
    touched = [max(t for t in (m.recorded_at, m.updated_at, m.last_accessed_at) if t) for m in in_use]
    assert (stats.memories, stats.in_use, stats.expired) == (len(kept), len(in_use), len(expired)) == (12, 7, 1)
    assert stats.in_use == (await hashing.list()).total
    assert stats.expired == (await hashing.list(expired=True)).total
    assert stats.dormant == sum(to_micros(t) < now - 90 * DAY for t in touched) == 1
    assert stats.pinned == sum(m.pinned for m in in_use) == 1
    assert stats.by_status == {"active": 10, "retired": 1, "superseded": 1}


async def test_growth_counts_what_was_recorded_in_the_spans_that_end_now(hashing):
    await filled(hashing)
    now, kept = hashing.ports.now(), await everything(hashing)

    growth = (await hashing.stats()).growth

    since = {"day": 1, "week": 7, "month": 30}
    recorded = [to_micros(m.recorded_at) for m in kept]
    assert growth == {span: sum(at >= now - days * DAY for at in recorded) for span, days in since.items()}
    hashing.ports.now.pass_(10 * DAY)
    assert (await hashing.stats()).growth == {"day": 0, "week": 0, "month": 3}


async def test_ages_count_from_the_last_confirmation_or_else_from_the_recording(hashing):
    await filled(hashing)
    now, (in_use, _) = hashing.ports.now(), used(await everything(hashing), hashing.ports.now())

    ages = (await hashing.stats()).ages

    days = [(now - to_micros(m.last_confirmed_at or m.recorded_at)) / DAY for m in in_use]
    spans = {"0-7d": (0, 7), "7-30d": (7, 30), "30-90d": (30, 90), "90-365d": (90, 365), "365d+": (365, 10_000)}
    assert ages == {span: sum(least < d <= most for d in days) for span, (least, most) in spans.items()}
    assert list(ages.values()) == [4, 0, 1, 2, 0]


async def test_a_namespace_that_is_named_is_counted_alone(hashing):
    await filled(hashing)

    stats = await hashing.stats(namespaces=[ELSEWHERE])

    assert (stats.memories, stats.in_use, stats.pinned, stats.expired, stats.dormant) == (1, 1, 1, 0, 0)
    assert (stats.growth, stats.ages["0-7d"]) == ({"day": 1, "week": 1, "month": 1}, 1)


async def test_the_sizes_are_those_of_the_rows_and_of_the_files_at_each_call(hashing, path):
    await filled(hashing)
    await hashing.stats()
    await hashing.update((await hashing.list(limit=1)).memories[0].handle, content="Ümläut " * 900)

    sizes = (await hashing.stats()).bytes

    def total(table, *columns):
        rows = look(path, f"select {', '.join(columns)} from {table}")[0]
        return sum(len(v if isinstance(v, bytes) else str(v).encode()) for row in rows for v in row if v is not None)

    log = path.with_name("memories.db-wal")
    assert sizes == {
        "text": total("body", *TEXTS),
        "versions": total("version", "state"),
        "keyword_index": total("terms", "list") + total("posting", "term", "numbers", "weights"),
        "vectors": total("vector", "code"),
        "events": total("event", "operation", "principal", "agent", "memories", "fields", "reason"),
        "file": path.stat().st_size,
        "wal": log.stat().st_size,
    }
    assert min(sizes.values()) > 0


async def test_sealed_lists_count_as_part_of_the_index(path):
    memory = memory_at(path, clock=Clock(), ids=Ids(), seal_at=2)
    for word in ("alpha", "beta", "gamma"):
        await memory.store(f"The {word} note, naïve.", on_conflict="add")

    sizes = (await memory.stats()).bytes

    ((terms, lists),) = look(
        path, "select (select sum(length(list)) from terms), sum(length(numbers) + length(weights)) from posting"
    )[0]
    words = sum(len(term.encode()) for (term,) in look(path, "select term from posting")[0])
    assert lists > 0
    assert sizes["keyword_index"] == terms + lists + words
    await memory.close()


async def test_a_store_in_order_is_ok(hashing):
    await filled(hashing)
    await worked(hashing)

    stats = await hashing.stats()

    assert (stats.status, stats.reasons, stats.index) == ("ok", (), "current")
    assert stats.compact().splitlines()[0] == "ok"
    assert len(stats.compact()) < 900


@pytest.mark.parametrize(
    ("version", "state", "said"),
    [(VERSION - 1, "outdated", "bethink reindex"), (VERSION + 1, "newer", "a newer Bethink")],
)
async def test_an_index_of_another_analyzer_needs_attention(memory, path, version, state, said):
    await memory.store("One.")
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("update meta set value = ? where key = 'analyzer'", (version,))

    stats = await memory.stats()

    assert (stats.status, stats.index, len(stats.reasons)) == ("attention", state, 1)
    assert said in stats.reasons[0]
    assert stats.compact().startswith(f"attention: {stats.reasons[0]}\n")


async def test_vectors_that_the_embedder_cannot_be_compared_with_need_attention(hashing, path):
    await hashing.store("One.")
    other, without = (memory_at(path, embedder=embedder) for embedder in (Another(), None))

    told = [(await memory.stats()).reasons for memory in (hashing, other, without)]

    identity = hashing.ports.embedder.identity
    assert told == [
        (),
        (f"the vectors are of {identity}, the embedder is another-32: run `bethink reembed`",),
        (f"no embedder is set: the vectors of {identity} are not searched",),
    ]
    await other.close()
    await without.close()


async def test_memories_that_wait_for_an_embedder_that_is_not_ready_need_attention_where_no_call_waits_for_it(path):
    memory = memory_at(path, embedder=HashingEmbedder(loads=True), clock=Clock(), ids=Ids(), waits=False)
    before = await memory.stats()
    await memory.store("One.")

    waiting = await memory.stats()
    await memory.ports.embedder.load()
    ready = await memory.stats()

    assert (before.status, ready.status) == ("ok", "ok")
    assert waiting.reasons == ("the embedder is not ready, 1 memory without vectors: see the log",)
    await memory.close()


async def test_work_that_waits_for_an_hour_needs_attention_but_not_where_no_embedder_is_wanted(path):
    memory = memory_at(path, embedder=HashingEmbedder(loads=True), clock=Clock(), ids=Ids(), waits=False)
    await memory.store("One.")
    await memory.store("Two.")
    await memory.ports.embedder.load()

    at_once = (await memory.stats()).reasons
    memory.ports.now.pass_(3 * HOUR)
    late = (await memory.stats()).reasons
    keywords = (await memory_at(path, clock=memory.ports.now).stats()).reasons
    await worked(memory, later=0)
    done = (await memory.stats()).reasons

    assert (at_once, keywords, done) == ((), (), ())
    assert late == ("2 embed jobs waiting, the oldest for 3 h: keep a server running",)
    await memory.close()


@pytest.mark.failure("F148")
async def test_work_that_failed_needs_attention(path):
    memory = memory_at(path, embedder=HashingEmbedder(loads=True), clock=Clock(), ids=Ids(), waits=False)
    await memory.store("One.")
    await memory.ports.embedder.load()
    await memory.ports.storage.write(
        lambda writer: writer.fail(writer.claim(["embed"], memory.ports.now(), HOUR), "no answer", memory.ports.now())
    )

    failed = (await memory.stats()).reasons
    await work_one(memory.ports, "embed")

    assert failed == ("1 embed job failed and will be tried again: see the log",)
    assert (await memory.stats()).status == "ok"
    await memory.close()


async def test_namespaces_that_are_nearly_full_need_attention_the_fullest_first(memory):
    for number in range(5):
        await memory.namespaces("create", path=f"team:{number}", max_memories=10)
        for text in range(10 if number == 3 else 9 if number else 8):
            await memory.store(f"Note {text}.", namespace=f"team:{number}")

    stats = await memory.stats(namespaces=[f"team:{number}" for number in range(5)])

    assert stats.reasons == (
        "'team:3' holds 10 of at most 10 memories",
        "'team:1' holds 9 of at most 10 memories",
        "'team:2' holds 9 of at most 10 memories",
        "1 more namespace is nearly full",
    )


async def test_one_who_is_confined_is_told_nothing_of_the_store_as_a_whole(path):
    memory = memory_at(path, embedder=HashingEmbedder(loads=True), clock=Clock(), ids=Ids(), waits=False)
    await memory.namespaces("create", path="team:a", max_memories=2)
    guest = memory.as_(confined("team:a/agent:x"))
    await memory.store("The board's.", namespace="team:a", access_level="restricted", pinned=True)
    await memory.store("The team's.", namespace="team:a")
    await memory.store("The other team's.", namespace=ELSEWHERE, pinned=True)
    memory.ports.now.pass_(100 * DAY)

    of_owner, of_guest = await memory.stats(namespaces=["team:a", ELSEWHERE]), await guest.stats()

    assert (of_guest.bytes, of_guest.store, of_guest.by_namespace) == (None, None, None)
    assert (of_guest.memories, of_guest.in_use, of_guest.dormant, of_guest.pinned) == (1, 1, 1, 0)
    assert of_guest.reasons == ("the embedder is not ready, 1 memory without vectors: see the log",)
    assert len(of_owner.reasons) == 3
    await memory.close()
