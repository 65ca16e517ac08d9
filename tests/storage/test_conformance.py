"""What any store does, through `read` and `write` with plain drafts."""

import sqlite3
import tempfile
from collections import Counter
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bethink.domain import (
    Evidence,
    Kind,
    Level,
    Memory,
    Origin,
    Relation,
    Source,
    Status,
    Verification,
    Volatility,
    from_micros,
    to_micros,
)
from bethink.errors import Unavailable
from bethink.principal import AccessLevel
from bethink.storage.sqlite import filters, labels
from bethink.storage.sqlite.store import SqliteStore
from bethink.storage.values import Asker, Event, Miss, Order, Piece, Question
from bethink.text.analyzer import query_terms
from bethink.text.tags import fold_tag
from tests.bed import DAY, MINUTE, START
from tests.storage.drafts import DIMENSIONS, add, admits, choose, draft, everything, flaws, look, revise, unit


async def found(store, words="", *, vector=None, **chosen):
    """Return the contents of what is found, nearest or best first."""

    def work(reader):
        candidates = reader.candidates(Question(tuple(query_terms(words)), vector), choose(**chosen))
        scores = candidates.keyword if vector is None else np.nan_to_num(candidates.cosine, nan=-1)
        return [m.content for m in reader.memories(candidates.numbers[np.argsort(-scores, kind="stable")])]

    return await store.read(work)


OLDEST_FIRST = Order("recorded", descending=False)


async def ids(store, order=None, limit=100, **chosen):
    page = await store.read(lambda reader: reader.page(choose(**chosen), order or OLDEST_FIRST, limit))
    return [memory.id for memory in page]


async def test_a_memory_comes_back_as_it_was_written(store):
    at = from_micros(START)
    written = Memory(
        id="018bcfe5-6800-7000-8000-0000000000ff", namespace="work", kind=Kind.decision, subtype="policy",
        title="名前 \U0001f600", content="text\n\u202e with all\ufffd", context="why", tags=("B", "a"),
        source=Source(type="chat", thread="t", url="u"), author="ann", agent="bot",
        evidence=(Evidence(quote="q", url="u", seen_at=at),), metadata={"a": [1, {"b": None}]}, confidence=0.1,
        verification=Verification.tool_verified, verification_note="ran it", importance=1 / 3, language="ja",
        volatility=Volatility.stable, pinned=True, access_level=AccessLevel.restricted, occurred_at=at,
        occurred_until=at, valid_from=at, valid_to=at, recorded_at=at, updated_at=at, expires_at=at,
        last_confirmed_at=at,
        parent_id="018bcfe5-6800-7000-8000-0000000000fe", ordinal=3, content_hash="ff", embedded=False,
    )  # fmt: skip

    await add(store, replace(draft(), memory=written, given=frozenset({"title"})))

    (kept,) = await store.read(lambda reader: reader.kept([written.id]))
    assert (kept.memory, kept.namespace, kept.given) == (written, 1, {"title"})


async def test_what_is_written_is_found_by_its_words_and_its_vector(store):
    await add(store, draft("ada likes tabs", vector=[1]), draft("grace likes spaces", vector=[0, 1]))

    assert await found(store, "ada") == ["ada likes tabs"]
    assert await found(store, vector=unit([0.1, 1])) == ["grace likes spaces", "ada likes tabs"]


async def test_a_changed_text_is_found_by_its_new_words_and_vector_alone(store, path):
    before = draft("ada likes tabs", vector=[1])
    await add(store, before, draft("grace likes tabs", vector=[0, 1]))

    await revise(store, before, content="ada prefers spaces", vector=[-1])

    assert await found(store, "tabs") == ["grace likes tabs"]
    assert await found(store, "spaces") == ["ada prefers spaces"]
    assert await found(store, vector=unit([-1])) == ["ada prefers spaces", "grace likes tabs"]
    assert flaws(path) == []


async def test_a_change_of_tags_is_a_change_of_the_tag_filter(store):
    before = draft("ada likes tabs", tags=("Editor",))
    await add(store, before)

    await revise(store, before, tags=("taste",), text=False)

    assert await found(store, "ada", tags=("editor",)) == []
    assert await found(store, "ada", tags=("taste",)) == ["ada likes tabs"]


async def test_each_change_of_a_property_is_a_change_of_its_filter(store):
    before = draft("ada likes tabs", author="ann", confidence=0.2)
    await add(store, before)
    assert await found(store, "ada", equal=(("author", "ann"),)) == ["ada likes tabs"]

    await revise(store, before, author="bob", confidence=0.9, text=False)

    assert await found(store, "ada", equal=(("author", "ann"),)) == []
    assert await found(store, "ada", equal=(("author", "bob"),), at_least=(("confidence", 0.9),)) == ["ada likes tabs"]


async def test_a_new_edge_is_a_change_of_the_filter_on_relations(store):
    one, other = await add(store, draft("ada likes tabs"), draft("grace likes tea"))
    assert await found(store, "ada", has_relations=True) == []

    edge = Relation(source=one, target=other, type="related_to", created_at=from_micros(START))
    await store.write(lambda writer: writer.relate(edge))

    assert await found(store, "ada", has_relations=True) == ["ada likes tabs"]


async def test_what_is_erased_is_in_no_read(store, path):
    gone, kept = await add(store, draft("ada likes tabs", vector=[1], tags=("x",)), draft("ada likes tea", vector=[1]))

    await store.write(lambda writer: writer.erase([gone]))

    assert await found(store, "ada") == ["ada likes tea"]
    assert await found(store, vector=unit([1])) == ["ada likes tea"]
    assert await ids(store) == [kept]
    assert await store.read(lambda reader: (reader.kept([gone]), reader.resolve(gone, everything()))) == ([], [])
    assert flaws(path) == []


@pytest.mark.failure("F077")
async def test_another_process_sees_each_write_at_its_next_read(store, path):
    other = type(store)(path)
    before = draft("ada likes tabs", vector=[1])
    await add(store, before)
    assert await found(other, "ada") == ["ada likes tabs"]

    after = await revise(store, before, content="ada prefers spaces", vector=[-1])
    assert await found(other, "ada") == ["ada prefers spaces"]
    assert await found(other, vector=unit([-1])) == ["ada prefers spaces"]

    await store.write(lambda writer: writer.erase([after.memory.id]))
    assert await found(other, "ada") == []
    assert await found(other, vector=unit([-1])) == []
    await other.close()


async def test_a_snapshot_does_not_change_while_it_is_read(store):
    await add(store, draft("ada one"))

    def work(reader):
        first = reader.candidates(Question(("ada",)), choose()).numbers.tolist()
        store._writing.submit(store._write, lambda writer: writer.add(draft("ada two")), NEVER).result()
        return first, reader.candidates(Question(("ada",)), choose()).numbers.tolist(), reader.count(choose())

    assert await store.read(work) == ([1], [1], 1)
    assert await found(store, "ada") == ["ada one", "ada two"]


class NEVER:
    @staticmethod
    def is_set():
        return False


async def test_a_write_that_raises_keeps_nothing(store, path):
    await add(store, draft("ada likes tabs"))

    def work(writer):
        writer.add(draft("grace likes tea", tags=("x",)))
        raise KeyError("stop")

    with pytest.raises(KeyError):
        await store.write(work)
    assert await found(store, "grace") == []
    assert await store.read(lambda reader: reader.count(everything())) == 1
    assert flaws(path) == []


async def test_what_a_write_saw_that_was_undone_is_forgotten(store):
    await add(store, draft("ada likes tabs"))

    def undone(writer):
        writer.add_place("never", START)
        raise KeyError("stop")

    with pytest.raises(KeyError):
        await store.write(undone)
    made = await store.write(lambda writer: writer.add_place("other", START))

    assert made.namespace.path == "other"
    assert await store.write(lambda writer: [p.namespace.path for p in writer.places()]) == ["home", "other", "work"]


LEVELS = st.sampled_from(AccessLevel)
TIMES = st.sampled_from([START + n * DAY for n in (0, 1, 2, 5, 9, 10, 11)])
FRACTIONS = st.sampled_from([0.0, 1 / 3, 0.7, 1.0]) | st.floats(0, 1)
MEMORIES = st.fixed_dictionaries(
    {
        "kind": st.sampled_from([Kind.fact, Kind.decision, Kind.turn]),
        "subtype": st.sampled_from([None, "policy", "contract"]),
        "tags": st.lists(st.sampled_from(["a", "B", "ß", "%", "a%"]), unique=True, max_size=3).map(tuple),
        "status": st.sampled_from(Status),
        "verification": st.sampled_from([None, *Verification]),
        "access_level": LEVELS,
        "importance": FRACTIONS,
        "confidence": FRACTIONS,
        "author": st.sampled_from([None, "", "ann", "Ann"]),
        "agent": st.sampled_from([None, "ann", "bot"]),
        "language": st.sampled_from([None, "en", "de"]),
        "origin": st.sampled_from(Origin),
        "pinned": st.booleans(),
        "source": st.sampled_from([None, Source(type="chat"), Source(type="chat", path='a"b'), Source(repo="r")]),
        "occurred_at": TIMES.map(from_micros),
        "valid_from": TIMES.map(from_micros),
        "valid_to": st.none() | TIMES.map(from_micros),
        "expires_at": st.none() | TIMES.map(from_micros),
        "recorded_at": TIMES.map(from_micros),
        "last_confirmed_at": st.none() | TIMES.map(from_micros),
    }
)
EQUAL = st.one_of(
    st.tuples(st.sampled_from(["author", "agent"]), st.sampled_from(["", "ann", "Ann", "nobody"])),
    st.tuples(st.just("language"), st.sampled_from(["en", "xx"])),
    st.tuples(st.just("origin"), st.sampled_from([o.value for o in Origin])),
    st.tuples(st.just("access_level"), st.sampled_from([level.value for level in AccessLevel])),
    st.tuples(st.just("pinned"), st.sampled_from([0, 1])),
)
BOUNDS = st.one_of(
    st.tuples(st.sampled_from(["confidence", "importance"]), FRACTIONS),
    st.tuples(st.sampled_from(["recorded_at", "last_confirmed_at"]), TIMES),
)
SELECTIONS = st.fixed_dictionaries(
    {},
    optional={
        "namespaces": st.sampled_from([None, frozenset(), frozenset({1}), frozenset({1, 2})]),
        "ceiling": st.integers(0, 3),
        "statuses": st.sets(st.sampled_from([s.value for s in Status])).map(frozenset),
        "valid_at": st.none() | TIMES,
        "expired": st.sampled_from([None, False, True]),
        "kinds": st.none() | st.sets(st.sampled_from(["fact", "decision", "turn"])).map(frozenset),
        "since": st.none() | TIMES,
        "until": st.none() | TIMES,
        "tags": st.lists(st.sampled_from(["a", "b", "ss", "%"]), max_size=2).map(tuple),
        "tags_any": st.lists(st.sampled_from(["a", "b", "a%"]), max_size=2).map(tuple),
        "subtypes": st.sampled_from([(), ("policy",), ("policy", "contract"), ("unknown",)]),
        "equal": st.lists(EQUAL, max_size=2).map(tuple),
        "at_least": st.lists(BOUNDS, max_size=2).map(tuple),
        "below": st.lists(BOUNDS, max_size=2).map(tuple),
        "source": st.sampled_from([(), (("type", "chat"),), (("path", 'a"b'), ("type", "chat"))]),
        "levels": st.none() | st.sets(st.sampled_from(["deprecated", "stale", "inferred", "verified"])).map(frozenset),
        "has_relations": st.sampled_from([None, True, False]),
        "reach": st.sampled_from([None, frozenset({1}), frozenset({1, 2})]),
    },
)
SINGLE = st.one_of(
    st.fixed_dictionaries({"equal": EQUAL.map(lambda one: (one,))}),
    st.fixed_dictionaries({"at_least": BOUNDS.map(lambda one: (one,))}),
    st.fixed_dictionaries({"below": BOUNDS.map(lambda one: (one,))}),
    st.fixed_dictionaries(
        {"has_relations": st.booleans(), "reach": st.sampled_from([None, frozenset({1})]), "ceiling": st.integers(0, 3)}
    ),
    st.fixed_dictionaries({"levels": st.sampled_from(Level).map(lambda one: frozenset({one.value}))}),
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    memories=st.lists(MEMORIES, min_size=1, max_size=8),
    selections=st.lists(SELECTIONS | SINGLE, min_size=6, max_size=6),
)
async def test_each_read_admits_what_the_filters_say(folder, memories, selections):
    store = SqliteStore(Path(tempfile.mkdtemp(dir=folder)) / "memories.db", synchronous="normal")
    drafts = [draft(f"word number{n}", place=1 + n % 2, vector=[1, n], **fields) for n, fields in enumerate(memories)]
    drafts[::3] = [
        replace(d, memory=d.memory.model_copy(update={"occurred_until": _day_after(d)})) for d in drafts[::3]
    ]
    await add(store, *drafts)
    related = {}
    if len(drafts) > 1:
        one, other = drafts[:2]
        related = {one.memory.id: other, other.memory.id: one}
        edge = Relation(source=one.memory.id, target=other.memory.id, type="related_to", created_at=from_micros(START))
        await store.write(lambda writer: writer.relate(edge))

    for fields in selections:
        chosen = choose(**fields)
        expected = {d.memory.id for d in drafts if admits(d, chosen, related)}
        assert await store.read(lambda reader, chosen=chosen: _admitted(reader, drafts, chosen)) == [expected] * 5
    await store.close()


@pytest.mark.parametrize("asked", [{"tags": ("x",)}, *({"source": ((part, "x"),)} for part in Source.model_fields)])
async def test_a_filter_on_a_tag_or_a_source_looks_it_up_in_an_index(store, path, asked):
    await add(store, draft())
    condition, values = filters.extras(choose(**asked))

    with closing(sqlite3.connect(path)) as db:
        plan = db.execute(f"explain query plan select m.number from memory m where {condition}", values).fetchall()

    assert not [step for *_, step in plan if step.startswith("SCAN") or step.endswith("(tenant=?)")]


@pytest.mark.parametrize("by", labels.SOURCES)
async def test_what_is_counted_is_looked_up_memory_by_memory(store, path, by):
    await add(store, draft())

    with closing(sqlite3.connect(path)) as db:
        plan = db.execute(f"explain query plan {labels.SOURCES[by]}", (1, 0)).fetchall()

    assert not [step for *_, step in plan if step.startswith("SCAN") or "(tenant=?)" in step]


def _day_after(one):
    return from_micros(START + DAY) if one.memory.occurred_at == from_micros(START) else None


def _admitted(reader, drafts, chosen):
    """What five kinds of read admit; the two of the index take no empty set of statuses for all of them."""
    every = [d.memory.id for d in drafts]
    listed = {m.id for m in reader.page(chosen, Order("title", descending=True), 100)}
    assert reader.count(chosen) == len(listed)
    for facet in ("kind", "status", "level", "namespace", "language", "confidence", "source_type", "embedded"):
        assert sum(reader.tally(chosen, facet).values()) == len(listed)
    assert _tags(reader, chosen) == _tags_by_hand(d.memory for d in drafts if d.memory.id in listed)
    assert sum(reader.months(chosen, "occurred", UTC).values()) == len(listed)
    assert sum(reader.spread(chosen, "confirmed", [START, chosen.now])) == len(listed)
    assert sum(holding.memories for holding in reader.holdings(chosen).values()) == len(listed)
    assert reader.untouched(chosen, 2**62) == len(listed)
    numbers = reader.numbers(every, chosen)
    words = reader.candidates(Question(("word",)), chosen)
    near = reader.candidates(Question((), unit([1, 1])), chosen)
    by_word, by_vector = ({m.id for m in reader.memories(c.numbers.tolist())} for c in (words, near))
    known = {m.id for m in reader.memories(list(reader.current(list(numbers.values()), chosen)))}
    return [listed, set(numbers), by_word, by_vector, known]


def _tags(reader, chosen):
    return {tag and fold_tag(tag): count for tag, count in reader.tally(chosen, "tag").items()}


def _tags_by_hand(memories):
    return dict(Counter(tag for m in memories for tag in [fold_tag(tag) for tag in m.tags] or [None]))


@pytest.mark.parametrize("sort", ["recorded", "occurred", "updated", "accessed", "importance", "title"])
@pytest.mark.parametrize("descending", [True, False])
async def test_pages_are_one_list_cut_in_pieces(store, sort, descending):
    tied = [{"title": "t", "importance": 0.5, "occurred_at": from_micros(START)} if n % 3 else {} for n in range(20)]
    await add(store, *(draft(f"text {n}", **fields) for n, fields in enumerate(tied)))
    whole = await ids(store, Order(sort, descending))

    for size in (1, 3, 7):
        assert await ids(store, Order(sort, descending), limit=size) == whole[:size]
        assert await paged(store, sort, size, descending=descending) == whole


SORTED_BY = {
    "recorded": "recorded_at",
    "occurred": "occurred_at",
    "updated": "updated_at",
    "accessed": "last_accessed_at",
}


async def paged(store, sort, size, *, descending, between=None):
    seen, order = [], Order(sort, descending)
    while page := await store.read(partial(next_page, order=order, size=size)):
        seen += [memory.id for memory in page]
        last = getattr(page[-1], SORTED_BY.get(sort, sort))
        order = replace(order, after=(to_micros(last) if isinstance(last, datetime) else last or 0, page[-1].id))
        if between:
            await between()
    return seen


def next_page(reader, order, size):
    return reader.page(choose(), order, size)


async def test_writes_between_pages_neither_repeat_nor_hide_a_memory(store):
    first = await add(store, *(draft(f"text {n}") for n in range(20)))

    async def between():
        await add(store, draft("new"))

    assert await paged(store, "recorded", 3, descending=True, between=between) == first[::-1]


@pytest.mark.parametrize("depth", [1, 3, 10])
async def test_a_smaller_depth_finds_the_best_of_a_greater_one(store, depth):
    texts = ["ada " * (n % 5 + 1) + "filler " * n for n in range(30)]
    await add(
        store,
        *(draft(text, terms={"ada": 10 * (n % 5 + 1), "filler": min(10 * n, 250)}) for n, text in enumerate(texts)),
    )

    def best(reader, depth):
        found = reader.candidates(Question(("ada",), None, depth), choose())
        return found.numbers[np.argsort(-found.keyword, kind="stable")][:depth].tolist()

    assert (
        await store.read(lambda reader: best(reader, depth))
        == (await store.read(lambda reader: best(reader, 30)))[:depth]
    )


async def test_a_tail_that_several_ids_share_resolves_to_each_of_them(store):
    alike = [f"018bcfe5-680{n}-7000-8000-{n}00000abcdef" for n in range(3)]
    await add(store, *(draft(f"text {n}", id=one) for n, one in enumerate(alike)))

    async def resolve(text, **chosen):
        return await store.read(lambda reader: reader.resolve(text, replace(everything(), **chosen)))

    assert await resolve("abcdef") == alike
    assert await resolve("ABCDEF") == alike
    assert await resolve("100000abcdef") == await resolve("8000-100000abcdef") == [alike[1]]
    assert await resolve(alike[2].replace("-", "")) == [alike[2]]
    assert await resolve("fedcba") == await resolve("a" + alike[0]) == []


async def test_a_handle_is_as_long_as_it_takes_within_reach(store):
    alike = ["018bcfe5-6800-7000-8000-100000abcdef", "018bcfe5-6801-7000-8000-200000abcdef"]
    await add(store, draft("one", id=alike[0]), draft("two", id=alike[1], place=2))

    both = await store.read(lambda reader: reader.handles(alike, everything()))
    one = await store.read(lambda reader: reader.handles(alike[:1], replace(everything(), namespaces=frozenset({1}))))

    assert both == {alike[0]: "100000abcdef", alike[1]: "200000abcdef"}
    assert one == {alike[0]: "00abcdef"}


async def test_what_is_out_of_reach_neither_resolves_nor_lengthens_a_handle(store):
    alike = ["018bcfe5-6800-7000-8000-100000abcdef", "018bcfe5-6801-7000-8000-200000abcdef"]
    await add(store, draft("one", id=alike[0]), draft("two", id=alike[1], access_level=AccessLevel.restricted))
    low = replace(everything(), ceiling=1)

    assert await store.read(lambda reader: reader.resolve("00abcdef", low)) == alike[:1]
    assert await store.read(lambda reader: reader.handles(alike[:1], low)) == {alike[0]: "00abcdef"}


WORDS = ["alpha", "beta", "gamma", "delta"]


def turns(**fields):
    return [draft(word, thread="t", vector=[n == m for m in range(4)], **fields) for n, word in enumerate(WORDS)]


async def test_what_two_memories_before_it_in_its_thread_hold_counts_a_little_for_a_memory(store):
    await add(store, *turns(), draft("epsilon", thread="u"), draft("zeta", thread="t", place=2))

    assert await found(store, "alpha") == ["alpha", "beta", "gamma"]
    assert await found(store, "gamma") == ["gamma", "delta"]


async def test_a_memory_is_near_in_meaning_by_the_two_before_it(store):
    await add(store, *turns())

    hit = await store.read(lambda reader: reader.candidates(Question((), unit([1])), choose()))

    assert hit.cosine.round(2).tolist() == [1, 0, 0, 0]
    assert 1 == hit.neighbour_cosine[0].round(2) > hit.neighbour_cosine[1] > hit.neighbour_cosine[2] > 0.1
    assert hit.neighbour_cosine[3] == 0


@pytest.mark.parametrize("changed", range(4))
async def test_a_changed_memory_stays_where_it_was_in_its_thread(store, path, changed):
    thread = turns()
    await add(store, *thread)

    await revise(store, thread[changed], content="omega")
    await add(store, draft("psi", thread="t"))

    words = [*WORDS[:changed], "omega", *WORDS[changed + 1 :], "psi"]
    for reading in (store, type(store)(path)):
        assert [await found(reading, word) for word in words] == [words[n : n + 3] for n in range(5)]


@pytest.mark.parametrize("gone", range(4))
async def test_a_thread_closes_up_where_a_memory_was_erased_or_left_it(store, path, gone):
    thread = turns()
    await add(store, *thread)
    await found(store, "alpha")

    if gone % 2:
        await store.write(lambda writer: writer.erase([thread[gone].memory.id]))
    else:
        await revise(store, thread[gone], source=None, text=False)

    words = [*WORDS[:gone], *WORDS[gone + 1 :]]
    for reading in (store, type(store)(path)):
        assert [await found(reading, word) for word in words] == [words[n : n + 3] for n in range(3)]


async def test_a_memory_that_was_overtaken_takes_its_place_in_the_thread_by_its_time(store):
    first, second, third, fourth = turns()

    for one in (first, fourth, second, third):
        await add(store, one)

    assert [await found(store, word) for word in WORDS] == [WORDS[n : n + 3] for n in range(4)]


async def test_what_the_caller_may_not_see_counts_for_nobody(store):
    secret = draft("secret", thread="t", vector=[1], access_level=AccessLevel.restricted)
    await add(store, secret, draft("open", thread="t", vector=[0, 1]))

    low = await store.read(lambda reader: reader.candidates(Question(("secret",), unit([1])), choose(ceiling=1)))

    assert (low.keyword.tolist(), low.neighbour_cosine.tolist()) == ([0], [0])


async def test_each_change_keeps_the_state_before_it(store):
    first = draft("one", title="t1", tags=("a",))
    await add(store, first)
    second = await revise(store, first, content="two", tags=("b", "c"))
    await revise(store, second, status=Status.retired, text=False)

    versions = await store.read(lambda reader: reader.versions(first.memory.id))

    assert [(v.number, v.content, v.tags, v.status, v.by, v.reason) for v in versions] == [
        (1, "one", ("a",), Status.active, "ann", "wrong"),
        (2, "two", ("b", "c"), Status.active, "ann", "wrong"),
    ]


async def test_the_same_edge_twice_is_one_edge_and_read_from_both_ends(store):
    one, two, three = await add(store, *(draft(f"text {n}") for n in range(3)))
    edge = Relation(source=one, target=two, type="related_to", created_at=from_micros(START))
    await store.write(lambda writer: [writer.relate(edge), writer.relate(edge.model_copy(update={"weight": 0.5}))])

    async def relations(*memories):
        return await store.read(lambda reader: reader.relations(memories))

    assert await relations(one) == await relations(two) == await relations(one, two) == [edge]
    assert await relations(three) == []


async def test_of_two_memories_with_one_identity_the_second_is_refused(store, path):
    await add(store, draft("one", identity=b"same"))

    with pytest.raises(Exception, match="identity"):
        await add(store, draft("two", identity=b"same"))

    assert await store.read(lambda reader: reader.count(everything())) == 1
    assert flaws(path) == []


async def test_an_event_can_neither_be_changed_nor_deleted(store, path):
    await store.write(lambda writer: writer.log(Event(START, "store", "owner", None, ("x",))))

    for sql in ("update event set reason = 'other'", "delete from event"):
        with pytest.raises(Exception, match="append-only"):
            look(path, sql)


async def test_a_job_is_held_by_one_until_its_lease_ends(store):
    await store.write(lambda writer: writer.enqueue("embed", "x", START))

    async def claim(now):
        return await store.write(lambda writer: writer.claim(["embed"], now, MINUTE))

    first = await claim(START)
    assert (first.kind, first.memory, first.attempts) == ("embed", "x", 1)
    assert await claim(START + MINUTE - 1) is None
    again = await claim(START + MINUTE)
    assert (again.id, again.attempts) == (first.id, 2)
    await store.write(lambda writer: writer.fail(again, "broken", START + 5 * MINUTE))
    assert await claim(START + 4 * MINUTE) is None
    await store.write(lambda writer: writer.finish(again))
    assert await claim(START + DAY) is None


async def test_vectors_for_a_memory_that_is_gone_are_not_kept(store, path):
    before = draft("ada", vector=[1])
    gone = await add(store, before)
    number = (await store.read(lambda reader: reader.kept([gone])))[0].number
    await store.write(lambda writer: writer.erase([gone]))

    await store.write(lambda writer: writer.embed(number, [Piece(0, 1, unit([1]))]))

    assert look(path, "select count(*) from vector") == [[(0,)]]


async def test_a_vector_of_another_length_than_its_embedder_has_is_refused_and_nothing_is_kept(store, path):
    await add(store, draft("one", vector=[1]))
    longer = Piece(0, 3, np.ones(DIMENSIONS + 1, np.float32))

    with pytest.raises(Unavailable, match="a vector of 9 dimensions came where those of test-8 have 8"):
        await add(store, draft("two", pieces=(longer,)))

    assert look(path, "select count(*) from memory", "select count(*) from vector") == [[(1,)], [(1,)]]


async def test_only_what_has_vectors_counts_as_embedded_when_the_first_embedder_comes(store):
    async def counted():
        return await store.read(lambda reader: reader.tally(everything(), "embedded"))

    waiting = [draft("waits", embedded=False), draft("has lost its own", embedded=True)]
    await store.write(lambda writer: (writer.add_place("work", START), [writer.add(one) for one in waiting]))
    assert await counted() == {"0": 1, "1": 1}

    await add(store, draft("has one", vector=[1]))

    assert await counted() == {"0": 2, "1": 1}


async def test_the_best_of_a_memorys_windows_speaks_for_it(store):
    windows = (Piece(0, 10, unit([0, 1])), Piece(10, 20, unit([1])), Piece(20, 30, unit([0, 0, 1])))
    await add(store, draft("a long text", pieces=windows))

    hit = await store.read(lambda reader: reader.candidates(Question((), unit([1])), choose()))

    assert (hit.cosine.round(2).tolist(), hit.window.tolist()) == ([1.0], [10])


def lone(content, *codes):
    """A memory of one window, with the codes of its tokens."""
    return draft(content, pieces=(Piece(0, len(content), unit([1]), bytes(codes)),))


async def likeness(store, ids, *codes):
    def work(reader):
        numbers = [kept.number for kept in reader.kept(ids)]
        return reader.likeness(numbers, np.array([[code] for code in codes], np.uint8))

    return (await store.read(work)).tolist()


async def test_each_token_of_a_question_is_compared_with_the_most_like_of_a_memory(store):
    ids = await add(store, lone("one", 0b00000000, 0b11110000), lone("two", 0b11111111))

    assert await likeness(store, ids, 0b11111111, 0b11110000) == [[0.0, 1.0], [1.0, 0.0]]


async def test_a_memory_without_codes_is_compared_with_nothing(store):
    ids = await add(store, lone("short", 0b1), draft("without", vector=[1]), draft("waits"))

    first, *others = await likeness(store, ids, 0b1)

    assert (first, np.isnan(others).all()) == ([1.0], True)
    assert await likeness(store, ids) == [[], [], []]
    assert await likeness(store, [], 0b1) == []


async def test_codes_follow_a_memory_whose_words_change_and_go_with_its_vectors(store, path):
    before = lone("one", 0b1)
    kept = await add(store, before)
    await revise(store, before, text=False, terms={"other": 10})
    assert await likeness(store, [kept], 0b1) == [[1.0]]

    await store.write(lambda writer: writer.embed(writer.kept([kept])[0].number, (Piece(0, 3, unit([1])),)))

    assert np.isnan(await likeness(store, [kept], 0b1)).all()
    assert look(path, "select count(*) from token") == [[(0,)]]


async def test_codes_of_another_embedder_are_not_compared_and_go_with_it(store, path):
    kept = await add(store, lone("one", 0b1))
    other = ("other-8", DIMENSIONS)
    codes = (Piece(0, 3, unit([1]), bytes([0b0])),)
    number = (await store.read(lambda reader: reader.kept([kept])))[0].number
    await store.write(lambda writer: (writer.add_embedder(*other), writer.embed(number, codes, embedder=other)))
    assert await likeness(store, [kept], 0b0) == [[0.75]]

    await store.write(lambda writer: writer.use_embedder(*other))

    assert await likeness(store, [kept], 0b0) == [[1.0]]
    assert look(path, "select count(*) from token") == [[(1,)]]


async def test_nothing_is_left_of_the_codes_of_an_erased_memory(store, path):
    codes = bytes(range(100, 200))
    gone = await add(store, lone("one", *codes))
    await store.write(lambda writer: writer.erase([gone]))

    assert look(path, "select count(*) from token") == [[(0,)]]
    await store.close()
    assert codes not in path.read_bytes()


async def test_vectors_of_a_memory_are_all_or_some_evenly_over_its_text(store):
    windows = tuple(Piece(n, n + 1, unit([n, 1])) for n in range(10))
    memory = await add(store, draft("a long text", pieces=windows))

    every, some = [await store.read(lambda reader, most=most: reader.vectors(memory, most)) for most in (50, 3)]

    assert [round(float(v[0] / v[1])) for v in every] == list(range(10))
    assert [round(float(v[0] / v[1])) for v in some] == [0, 3, 6]
    assert await store.read(lambda reader: reader.vectors("unknown", 3)) == []


async def test_the_rarer_a_term_the_more_it_tells(store):
    await add(store, *(draft(f"common text {n}") for n in range(20)), draft("common zanzibar"))

    rarity = await store.read(lambda reader: reader.rarity(["common", "zanzibar", "unknown"]))

    assert list(rarity) == ["common", "zanzibar", "unknown"]
    assert 0 < rarity["common"] < rarity["zanzibar"] < rarity["unknown"]


async def test_questions_that_found_nothing_are_told_apart_by_who_asked_and_where(store):
    asked = [("ann", "home", "one"), ("ann", "work", "One"), ("bot", "work", "one"), ("bot", "work", "two")]
    misses = [Miss(who, where, query, query.lower(), START + n) for n, (who, where, query) in enumerate(asked)]
    await store.write(lambda writer: writer.note_gaps(misses))

    async def gaps(asker, least=1):
        found = await store.read(lambda reader: reader.gaps(asker, least))
        return [(g.key, g.query, g.places, g.count, g.first - START, g.last - START) for g in found]

    two = ("two", "two", ("work",), 1, 3, 3)
    assert await gaps(Asker()) == [("one", "one", ("home", "work"), 3, 0, 2), two]
    assert await gaps(Asker(), least=2) == [("one", "one", ("home", "work"), 3, 0, 2)]
    assert await gaps(Asker(principal="ann")) == [("one", "One", ("home", "work"), 2, 0, 1)]
    assert await gaps(Asker(places=frozenset({"work"}))) == [("one", "one", ("work",), 2, 1, 2), two]
    assert await store.write(lambda writer: writer.forget_gaps(["one", "none"], Asker(principal="ann"))) == ["one"]
    assert await gaps(Asker()) == [two, ("one", "one", ("work",), 1, 2, 2)]
    assert await store.write(lambda writer: writer.forget_gaps(None, Asker())) == ["one", "two"]
    assert await gaps(Asker()) == []


async def test_logs_become_daily_totals_once(store):
    seen, other = await add(store, draft("seen"), draft("other"))
    shown = [("ann", "", seen, START), ("bot", "", seen, START + DAY), ("ann", "", other, START + 3 * DAY)]
    misses = [Miss("ann", "home", "q", "q", START + n * DAY) for n in (0, 0, 3)]
    await store.write(lambda writer: (writer.note_access(shown), writer.note_gaps(misses)))
    assert await store.read(lambda reader: reader.oldest_log()) == START

    for _ in range(2):
        await store.write(lambda writer: writer.prune_logs(START + 2 * DAY))

    told = await store.read(lambda reader: (reader.oldest_log(), reader.daily("shown"), reader.daily("missed")))
    assert told == (START + 3 * DAY, 2, 2)
    await store.write(lambda writer: writer.prune_logs(START + 9 * DAY))
    told = await store.read(lambda reader: (reader.oldest_log(), reader.daily("shown"), reader.daily("missed")))
    assert told == (None, 3, 3)


async def test_neighbours_out_of_the_selection_never_hide_the_one_that_is_in_it(store):
    near = [draft(f"near {n}", vector=[1, 0.001 * n], place=2) for n in range(4100)]
    await add(store, *near, draft("far but here", vector=[0.1, 1]))

    assert await found(store, vector=unit([1]), namespaces=frozenset({1})) == ["far but here"]


async def test_what_a_question_requires_is_held_by_all_that_is_found(store):
    await add(store, draft("ada likes tabs", vector=[1]), draft("ada likes", vector=[1]), draft("tabs", vector=[1]))

    question = Question(("ada",), unit([1]), required=tuple(query_terms("ada tabs")))

    hit = await store.read(lambda reader: reader.memories(reader.candidates(question, choose()).numbers))

    assert [m.content for m in hit] == ["ada likes tabs"]


@pytest.mark.failure("F070")
async def test_better_matches_out_of_the_selection_never_hide_the_one_that_is_in_it(store):
    better = [draft("ada ada ada", terms={"ada": 100}, tags=("other",), kind="bug") for _ in range(900)]
    await add(store, *better, draft("ada and a lot besides", tags=("this",)))

    assert await found(store, "ada", tags=("this",)) == ["ada and a lot besides"]
    assert await found(store, "ada", kinds=frozenset({"fact"})) == ["ada and a lot besides"]
