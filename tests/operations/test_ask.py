"""One question answered in quoted sentences, with what they rest on and what stands around it."""

from itertools import pairwise

import pytest

from bethink.domain import Relation, from_micros
from bethink.principal import confined
from bethink.recall.budget import cost
from bethink.recall.walk import CROWDED
from bethink.testing import HashingEmbedder
from tests.bed import START, Clock, Ids, memory_at


async def link(memory, source, target, kind="caused_by", weight=1.0):
    edge = Relation(source=source, target=target, type=kind, weight=weight, created_at=from_micros(START))
    await memory.ports.storage.write(lambda writer: writer.relate(edge))


async def chain(memory, *texts):
    """Store texts, each the cause of the one before."""
    ids = [(await memory.store(text)).id for text in texts]
    for source, target in pairwise(ids):
        await link(memory, source, target)
    return ids


async def test_every_chunk_of_a_document_that_answers_is_read(memory):
    whole = (await memory.store("A guide.", title="Harbour")).id
    texts = [
        "The harbour crane was built in 1990.",
        "The harbour crane lifts forty tons.",
        "The harbour crane is green.",
    ]
    for text in texts:
        await memory.store(text, kind="chunk", parent_id=whole)

    found = await memory.ask("who built the harbour crane, how much does the harbour crane lift, which colour has it")

    assert {citation.quote for citation in found.citations} >= set(texts)


async def test_the_answer_is_sentences_as_they_stand_each_with_what_it_rests_on(memory):
    text = "Much was said at the meeting in May. The zanzibar office moves to Stone Street. Lunch was late that day."
    stored = await memory.store(text, kind="meeting")

    found = await memory.ask("Where does the zanzibar office move to?")

    first = found.citations[0]
    assert (found.method, found.unanswered) == ("extracted", None)
    assert (first.handle, first.quote, first.kind) == (
        stored.handle, "The zanzibar office moves to Stone Street.", "meeting",
    )  # fmt: skip
    assert all(text[c.start : c.end] == c.quote for c in found.citations)
    assert found.answer == " ".join(c.quote for c in found.citations)
    assert f"[{stored.handle}] The zanzibar office moves to Stone Street. (meeting, just now)" in found.compact()


@pytest.mark.parametrize(
    ("parts", "asked"),
    [
        (
            ["会議は長かった。", "東京の事務所は来月に移転します。", "昼食は遅かった。"],
            "東京の事務所はいつ移転しますか",
        ),
        (["大家昨天都来开会了。", "北京办公室下个月搬家。", "午饭很晚。"], "北京办公室搬家"),
        (["انتهى الاجتماع متأخرا. ", "ينتقل مكتب زنجبار إلى شارع الحجر؟", " نعم كما قيل."], "أين مكتب زنجبار"),
        (["ประชุมนานมาก ", "สำนักงานแซนซิบาร์จะย้ายไปถนนหิน", " อาหารมาช้ามาก"], "สำนักงานแซนซิบาร์ย้ายเมื่อไร"),
    ],
    ids=["Japanese", "Chinese", "Arabic", "Thai"],
)
@pytest.mark.failure("F243")
async def test_a_sentence_of_any_script_is_quoted_by_itself(memory, parts, asked):
    await memory.store("".join(parts))

    found = await memory.ask(asked)

    assert found.citations[0].quote == parts[1]


async def test_a_fact_in_the_last_line_of_a_long_memory_is_quoted_alone(memory):
    text = "Nothing of note was said there by anybody at all.\n" * 5_000 + "The zanzibar key is under the mat."
    await memory.store(text)

    found = await memory.ask("Where is the zanzibar key?")

    assert found.citations[0].quote == "The zanzibar key is under the mat."
    assert found.citations[0].start == len(text) - len("The zanzibar key is under the mat.")


async def test_what_relations_join_to_it_is_looked_at_as_far_as_asked(memory):
    ids = await chain(
        memory, "The zanzibar outage lasted a day.", "A disk was full.", "Nobody rotated the logs.", "Ann was away."
    )

    none, two, four = [await memory.ask("Why was there a zanzibar outage?", hops=hops) for hops in (0, 2, 4)]

    assert [(m.title, m.hops, m.relevance) for m in two.memories] == [
        ("The zanzibar outage lasted a day", 0, 1.0),
        ("A disk was full", 1, 0.5),
        ("Nobody rotated the logs", 2, 0.25),
    ]
    assert [len(found.memories) for found in (none, four)] == [1, len(ids)]
    assert "A disk was full." in {c.quote for c in two.citations}
    assert [(e.source, e.type, e.target) for e in two.relations] == [
        (two.memories[0].handle, "caused_by", two.memories[1].handle),
        (two.memories[1].handle, "caused_by", two.memories[2].handle),
    ]
    assert none.relations == ()


@pytest.mark.failure("F244")
async def test_a_walk_goes_round_what_is_joined_to_everything(memory):
    _, hub, _ = await chain(memory, "The zanzibar outage lasted a day.", "All about disks.", "Ann was away.")
    for n in range(CROWDED):
        await link(memory, hub, (await memory.store(f"The disk of day {n}.")).id)

    found = await memory.ask("Why was there a zanzibar outage?", hops=4)

    assert [m.title for m in found.memories] == ["The zanzibar outage lasted a day", "All about disks"]


async def test_a_walk_ends_where_there_are_very_many(memory):
    layer = [(await memory.store("The zanzibar outage lasted a day.")).id]
    for depth in range(3):
        following = []
        for source in layer:
            for n in range(5):
                following.append((await memory.store(f"A cause of step {depth}, {source[-4:]} and {n}.")).id)
                await link(memory, source, following[-1])
        layer = following

    found = await memory.ask("Why was there a zanzibar outage?", hops=4, max_tokens=100_000)

    assert len(found.memories) == 60


async def test_what_no_longer_holds_or_is_filtered_away_is_not_walked_to(memory):
    outage, disk, _ = await chain(memory, "The zanzibar outage lasted a day.", "A disk was full.", "Ann was away.")
    await memory.forget([disk])
    await link(memory, outage, (await memory.store("A secret cause.", tags=["no"], kind="bug")).id)

    every = await memory.ask("Why was there a zanzibar outage?")
    facts = await memory.ask("Why was there a zanzibar outage?", kinds=["fact"])

    assert {m.title for m in every.memories} == {"The zanzibar outage lasted a day", "A secret cause"}
    assert {m.title for m in facts.memories} == {"The zanzibar outage lasted a day"}


async def test_what_is_out_of_reach_is_not_walked_to(memory):
    alpha = memory.as_(confined("team:alpha"))
    (mine, *_) = [(await alpha.store("The zanzibar outage lasted a day.")).id]
    hidden = await memory.store("The board knows why.", namespace="team:other")
    await link(memory, mine, hidden.id)

    found = await alpha.ask("Why was there a zanzibar outage?")

    assert [m.title for m in found.memories] == ["The zanzibar outage lasted a day"]
    assert (found.relations, found.namespaces) == ((), None)


async def test_where_nothing_answers_it_says_why_and_the_question_is_kept_as_a_gap(memory):
    await memory.store("Cats sleep a lot.")
    for _ in range(2):
        found = await memory.ask("Where is the zanzibar office?")
    await memory.ports.journal.flush(memory.ports.storage)

    assert (found.answer, found.citations, found.memories) == (None, (), ())
    assert found.unanswered == "no memory in reach matches the filters and the question"
    assert found.compact().startswith("unanswered: no memory")
    assert [q.count for q in (await memory.gaps()).questions] == [2]


async def test_instructions_are_said_to_be_left_aside_where_no_language_model_is(memory):
    await memory.store("The zanzibar office is on Stone Street.")

    found = await memory.ask("Where is the zanzibar office?", instructions="In one word, as a poem.")

    assert found.answer == "The zanzibar office is on Stone Street."
    assert found.skipped[-1] == "instructions: no language model is set, so the sentences are quoted as they stand"


async def test_the_whole_result_fits_into_what_it_may_take(memory):
    for n in range(20):
        await memory.store(f"The zanzibar office number {n} is on a street of its own. " + f"It has {n} rooms. " * 30)

    for tokens in (100, 300, 1_500):
        found = await memory.ask("Where is the zanzibar office?", max_tokens=tokens)
        assert found.citations
        assert cost(found) <= tokens


async def test_a_text_without_sentences_is_quoted_in_part(memory):
    await memory.store("zanzibar" + "x" * 50_000 + " office")

    found = await memory.ask("zanzibar office")

    assert all(len(c.quote) <= 400 for c in found.citations)


async def test_what_says_the_same_is_quoted_once(memory):
    for text in (
        "The zanzibar office is on Stone Street.",
        "the ZANZIBAR office is on Stone Street!",
        "A zanzibar map.",
    ):
        await memory.store(text, on_conflict="add")

    found = await memory.ask("Where is the zanzibar office?")

    assert [c.quote for c in found.citations][1:] == ["A zanzibar map."]


async def test_the_embedder_tells_which_sentence_is_nearest_where_it_is_ready(path):
    memory = memory_at(path, embedder=HashingEmbedder(), clock=Clock(), ids=Ids())
    await memory.store("The meeting was long and warm that day. The zanzibar office is on Stone Street.")

    found = await memory.ask("Where is the zanzibar office?")

    assert found.citations[0].quote == "The zanzibar office is on Stone Street."
    await memory.close()
