"""A reranker reads the best memories: one more term of their score, or a note that there is none."""

import asyncio

import pytest

from bethink.errors import InvalidRequest
from bethink.ports import Policy
from bethink.principal import confined
from tests.bed import ANN, Clock, Ids, Judge, memory_at

TEXTS = (
    "deploy deploy deploy: the checklist",
    "deploy on Tuesday deploy",
    "deploy by Ann, who has the key",
    "we deploy with a script that Ben wrote for the staging machines",
)


@pytest.fixture
async def judge():
    return Judge({"Ben": 0.9, "Ann": 0.4})


@pytest.fixture
async def memory(path, judge):
    memory = memory_at(path, reranker=judge, clock=Clock(), ids=Ids())
    for text in TEXTS:
        await memory.store(text)
    yield memory
    await memory.close()


async def asked(memory, query="deploy", **options):
    return await memory.recall(query, mode="keyword", **options)


def texts(page):
    return [hit.text for hit in page.hits]


async def test_what_the_reranker_says_decides_the_order(memory, judge):
    plain = await asked(memory, rerank=False)
    page = await asked(memory)

    assert texts(plain) == list(TEXTS)
    assert texts(page) == [TEXTS[3], TEXTS[2], TEXTS[0], TEXTS[1]]
    assert (judge.questions, judge.read, page.skipped) == (["deploy"], list(TEXTS), ())


async def test_the_terms_sum_to_the_score_and_the_reranker_is_one_of_them(memory):
    plain = {hit.handle: hit for hit in (await asked(memory, rerank=False, explain=True)).hits}
    page = await asked(memory, explain=True)

    for hit in page.hits:
        assert round(sum(hit.terms.values()), 4) == hit.score
        assert hit.terms["rerank"] == pytest.approx(hit.score - plain[hit.handle].score, abs=0.00015)
    # The largest term takes what rounding has left of the sum.
    assert [hit.terms["rerank"] for hit in page.hits] == pytest.approx([0.9, 0.4, 0, 0], abs=0.00015)


async def test_why_names_it_only_where_it_counts(memory):
    page = await asked(memory)

    assert ["rerank" in hit.why for hit in page.hits] == [True, True, False, False]


async def test_a_label_means_what_was_measured_without_it(memory):
    plain = {
        hit.handle: (hit.chance, hit.confidence_label) for hit in (await asked(memory, rerank=False, explain=True)).hits
    }
    page = await asked(memory, explain=True)

    assert {hit.handle: (hit.chance, hit.confidence_label) for hit in page.hits} == plain


async def test_the_floor_and_the_callers_own_are_held_against_the_score_without_it(memory):
    scores = [hit.score for hit in (await asked(memory, rerank=False)).hits]

    page = await asked(memory, min_score=scores[1])

    assert set(texts(page)) == {*TEXTS[:2]}


async def test_only_the_best_are_read_and_the_others_come_after_them_without_that_term(memory, judge):
    page = await asked(memory, rerank_top=3, explain=True)

    assert (judge.read, texts(page)) == (list(TEXTS[:3]), [TEXTS[2], TEXTS[0], TEXTS[1], TEXTS[3]])
    assert [hit.terms.get("rerank") for hit in page.hits] == [0.4, 0, 0, None]


@pytest.mark.parametrize("top", [0, 101])
async def test_it_reads_from_one_to_a_hundred(memory, top):
    with pytest.raises(InvalidRequest, match="rerank_top"):
        await asked(memory, rerank_top=top)


async def test_where_it_is_off_it_is_not_asked(memory, judge):
    page = await asked(memory, rerank=False)

    assert (judge.questions, page.skipped) == ([], ())


async def test_without_a_reranker_nothing_is_said_unless_it_was_asked_for(memory):
    memory.ports.reranker = None

    assert (await asked(memory)).skipped == ()
    assert (await asked(memory, rerank=True)).skipped == ("rerank: no reranker is set",)


@pytest.mark.failure("F303")
async def test_one_that_fails_is_named_and_the_order_without_it_kept(memory, judge):
    plain = await asked(memory, rerank=False, explain=True)
    judge.fails = "judge answered 500: out of memory"

    page = await asked(memory, explain=True)

    assert page.hits == plain.hits
    assert page.skipped == ("rerank: judge answered 500: out of memory",)
    assert all("rerank" not in hit.terms for hit in page.hits)


@pytest.mark.failure("F303")
async def test_one_that_is_too_slow_is_named_and_the_order_without_it_kept(memory, judge):
    memory.ports.policy = Policy(wait_for_embedder=False, patience=0.01)
    judge.before = asyncio.Event().wait

    page = await asked(memory)

    assert texts(page) == list(TEXTS)
    assert page.skipped == ("rerank: the reranker did not answer within 0.01 s",)


@pytest.mark.parametrize(("waits", "why"), [(False, "the reranker is not ready"), (True, "the judge is not ready")])
async def test_one_that_is_not_loaded_is_named(memory, judge, waits, why):
    memory.ports.policy = Policy(wait_for_embedder=waits)
    judge.ready = False

    page = await asked(memory)

    assert (texts(page), page.skipped) == (list(TEXTS), (f"rerank: {why}",))


async def test_a_short_page_is_the_beginning_of_a_long_one(memory):
    assert texts(await asked(memory, limit=2)) == texts(await asked(memory))[:2]


async def test_a_later_page_goes_on_in_that_order_and_explains_it_without_asking_again(memory, judge):
    whole = await asked(memory, explain=True)
    first = await asked(memory, limit=1, explain=True)
    judge.questions.clear()
    second = await asked(memory, limit=3, cursor=first.cursor, explain=True)

    assert (judge.questions, texts(first) + texts(second)) == ([], texts(whole))
    assert [hit.terms["rerank"] for hit in second.hits] == [0.4, 0, 0]
    assert all(round(sum(hit.terms.values()), 4) == hit.score for hit in second.hits)


async def test_a_later_page_says_too_that_it_could_not_run(memory, judge):
    judge.fails = "down"
    first = await asked(memory, limit=2)

    assert (await asked(memory, limit=2, cursor=first.cursor)).skipped == ("rerank: down",)


async def test_texts_without_the_quoted_phrase_are_not_read(memory, judge):
    page = await asked(memory, '"deploy on Tuesday"')

    assert (judge.read, texts(page)) == ([TEXTS[1]], [TEXTS[1]])


async def test_the_same_text_is_read_once_and_said_of_every_memory_that_holds_it(memory, judge):
    await memory.store(TEXTS[3].upper(), namespace="team:web")
    judge.said = {"BEN": 0.9, "Ben": 0.9}

    page = await asked(memory, explain=True, namespaces=["user:ann", "team:web"])

    assert len(judge.read) == len(TEXTS)
    assert page.hits[0].copies == 1


async def test_it_reads_every_chunk_of_a_document_and_the_best_of_them_is_shown(memory, judge):
    whole = (await memory.store("The whole.", kind="document")).id
    for text in ("The red deploy deploy.", "A blue deploy of it."):
        await memory.store(text, kind="chunk", parent_id=whole)
    judge.said = {"blue": 1.0}

    page = await asked(memory)

    assert page.hits[0].text == "A blue deploy of it."
    assert len(page.hits[0].parts) == 1


async def test_of_a_long_text_it_reads_what_is_around_the_match(memory, judge):
    long = "padding " * 3_000
    await memory.store(f"{long} the flux capacitor needs a deploy {long}", title="manual")

    await asked(memory, "flux capacitor deploy", rerank_top=1)

    (read,) = judge.read
    assert read.startswith("manual\n")
    assert len(read) < 2_100


async def test_it_reads_nothing_that_the_caller_may_not(memory, judge):
    await memory.store("deploy secrets of Ben", namespace="team:other")
    await memory.store("deploy notes of the web team", namespace="team:web")
    writer = memory.as_(confined("team:web"))

    page = await asked(writer)

    assert (judge.read, texts(page)) == (["deploy notes of the web team"], ["deploy notes of the web team"])


async def test_what_is_retired_while_it_reads_is_not_shown(memory, judge):
    first = (await asked(memory, rerank=False)).hits[0]

    async def retire():
        await memory.forget(ids=[first.handle])

    judge.before = retire

    page = await asked(memory)

    assert texts(page) == [TEXTS[3], TEXTS[2], TEXTS[1]]


async def test_nothing_is_read_where_nothing_was_found(memory, judge):
    page = await asked(memory, "zebra")

    assert (page.hits, judge.questions) == ((), [])


async def test_gaps_go_without_it(memory, judge):
    for _ in range(2):
        await asked(memory, "zebra crossing")
    await memory.ports.journal.flush(memory.ports.storage)
    await memory.store("the zebra crossing is closed")

    (gap,) = (await memory.gaps()).questions

    assert (gap.answered_by is not None, judge.questions) == (True, [])


async def test_calibration_measures_without_it(memory, judge):
    for number in range(40):
        await memory.store(
            f"room {number} of the house number {number} has {number + 7} windows and {number + 3} doors"
        )

    await memory.calibrate()

    assert judge.questions == []


async def test_an_evaluation_measures_with_it_and_names_it(memory, judge):
    done = await memory.evaluate([{"question": "deploy", "phrases": ["Ben wrote"]}])

    assert (done.reranker, done.figures["hit@1"], {*judge.questions}) == ("judge", 1, {"deploy"})


async def test_statistics_name_it(memory):
    found = await memory.stats()

    assert (found.reranker, found.reranker_ready) == ("judge", True)
    assert "reranker judge (ready)" in found.compact()


async def test_it_starts_and_closes_with_the_memory(path):
    class Counted(Judge):
        steps = ()

        def start_loading(self):
            self.steps += ("start",)

        async def close(self):
            self.steps += ("close",)

    judge = Counted({})
    async with memory_at(path, reranker=judge, principal=ANN):
        pass

    assert judge.steps == ("start", "close")
