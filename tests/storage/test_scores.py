"""The keyword index, sealed or not, in one process or another, against BM25 written out."""

import math
import sqlite3
import tempfile
from collections import Counter
from contextlib import closing
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bethink.domain import Status
from bethink.principal import AccessLevel
from bethink.storage.sqlite import postings
from bethink.storage.sqlite.lists import FEW
from bethink.storage.sqlite.postings import K1, NEIGHBOUR_SHARES, UNIT, B
from bethink.storage.sqlite.store import SqliteStore
from bethink.storage.values import Draft, Question
from tests.storage.drafts import add, choose, draft, look, revise

WORDS = ["ada", "tabs", "tea", "grace", "spaces"]
TEXTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=12)
STEPS = st.one_of(
    st.tuples(st.just("add"), TEXTS, st.sampled_from([None, "t", "u"]), st.sampled_from(["internal", "restricted"])),
    st.tuples(st.just("change"), st.integers(0, 30), TEXTS),
    st.tuples(st.just("retire"), st.integers(0, 30)),
    st.tuples(st.just("erase"), st.integers(0, 30)),
    st.tuples(st.just("look")),
)


@dataclass
class Kept:
    draft: Draft

    @property
    def weights(self):
        return {term: weight / UNIT for term, weight in self.draft.terms.items()}

    @property
    def length(self):
        return sum(self.draft.terms.values())

    @property
    def visible(self):
        return self.draft.memory.status == Status.active and self.draft.memory.access_level != AccessLevel.restricted


def written_out(memories, words):
    """Return the score of each memory that has one, by content, as the formula says."""
    mean = max(sum(m.length for m in memories) / len(memories), 1) if memories else 1

    def gain(memory, word):
        holding = sum(word in m.weights for m in memories)
        idf = math.log(1 + max(max(len(memories), FEW) - holding + 0.5, 0.5) / (holding + 0.5))
        weight = memory.weights.get(word, 0) if memory.visible else 0
        return idf * (K1 + 1) * weight / (weight + K1 * (1 - B + B * memory.length / mean))

    def before(memory):
        """The two before it in its thread, as far as they are seen."""
        thread = [m for m in memories if m.draft.memory.thread == memory.draft.memory.thread]
        earlier = thread[: thread.index(memory)][::-1] if memory.draft.memory.thread else []
        return list(takewhile(lambda m: m.visible, earlier[:2]))

    def score(memory):
        rows = list(zip((1, *NEIGHBOUR_SHARES), (memory, *before(memory)), strict=False))
        return sum(max(share * gain(near, word) for share, near in rows) for word in words)

    found = {m.draft.memory.id: score(m) for m in memories if m.visible}
    return {memory: s for memory, s in found.items() if s}


async def scored(store, words):
    def work(reader):
        found = reader.candidates(Question(tuple(words)), choose(ceiling=1))
        return {m.id: s for m, s in zip(reader.memories(found.numbers), found.keyword, strict=True)}

    return await store.read(work)


def near(found, expected):
    return found.keys() == expected.keys() and all(math.isclose(found[i], expected[i], rel_tol=1e-4) for i in found)


def counted(words):
    return {word: UNIT * n for word, n in Counter(words).items()}


async def apply(store, memories, step):
    match step:
        case ("add", words, thread, level):
            one = draft(
                " ".join(words),
                terms=counted(words),
                access_level=AccessLevel(level),
                **({"thread": thread} if thread else {}),
            )
            await add(store, one)
            memories.append(Kept(one))
        case ("change", n, words) if memories:
            kept = memories[n % len(memories)]
            kept.draft = await revise(store, kept.draft, content=" ".join(words), terms=counted(words))
        case ("retire", n) if memories:
            kept = memories[n % len(memories)]
            status = Status.retired if kept.draft.memory.status == Status.active else Status.active
            kept.draft = await revise(store, kept.draft, status=status, terms=kept.draft.terms, text=False)
        case ("erase", n) if memories:
            gone = memories.pop(n % len(memories))
            await store.write(lambda writer: writer.erase([gone.draft.memory.id]))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(STEPS, max_size=25), seal_at=st.sampled_from([1, 3, 1000]))
async def test_scores_are_those_of_the_formula_whatever_was_sealed_changed_or_erased(folder, steps, seal_at):
    path = Path(tempfile.mkdtemp(dir=folder)) / "memories.db"
    writing, reading = (SqliteStore(path, synchronous="normal", seal_at=seal_at) for _ in range(2))
    memories = []

    for step in steps:
        await apply(writing, memories, step)
        if step == ("look",):
            assert near(await scored(reading, WORDS), written_out(memories, WORDS))

    later = SqliteStore(path, synchronous="normal")
    for store in (writing, reading, later):
        for words in (WORDS[:1], WORDS[1:3], [*WORDS, "unknown"]):
            assert near(await scored(store, words), written_out(memories, words))
        await store.close()


async def test_a_list_that_spans_several_blocks_is_read_whole(path):
    store = SqliteStore(path, synchronous="normal", seal_at=1)
    memories = []
    await add(store)
    for start in (0, 2**postings.BLOCK_BITS - 2, 5 * 2**postings.BLOCK_BITS - 1):
        with closing(sqlite3.connect(path, isolation_level=None)) as db:
            db.execute("insert or replace into sqlite_sequence (rowid, name, seq) values (1, 'memory', ?)", (start,))
        for words in (["ada"], ["ada", "tea"], ["tea"]):
            await apply(store, memories, ("add", words, "t", "internal"))

    assert near(await scored(store, ["ada", "tea"]), written_out(memories, ["ada", "tea"]))
    assert look(path, "select count(*), sum(count) from posting where term = 'ada'") == [[(3, 6)]]
    await store.close()
