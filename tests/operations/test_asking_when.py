"""Questions that name a time: what is of that time comes first, and nothing is lost for it."""

import asyncio

import pytest

from bethink.errors import InvalidRequest
from tests.bed import Clock, memory_at

# The clock of the tests stands on Tuesday, 14 November 2023.
KEPT = {
    "Ann moved the billing tables to Postgres.": "2023-11-08",
    "Ben moved the search tables to Postgres.": "2023-09-20",
    "Cleo moved the audit tables to Postgres.": "2023-05-07",
    "The office plants were watered.": "2023-11-09",
    "The migration to the new cluster is done.": "2023-09-25",
}


@pytest.fixture(scope="module")
def kept(shared):
    items = [{"content": text, "occurred_at": day} for text, day in KEPT.items()]
    asyncio.run(shared.store_many(items))
    return shared


@pytest.fixture
def asked(kept):
    return kept.recall


def texts(page):
    return [hit.text for hit in page.hits]


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("which tables moved to Postgres last week?", "Ann"),
        ("which tables moved to Postgres in September?", "Ben"),
        ("which tables moved to Postgres on 7 May 2023?", "Cleo"),
        ("which tables moved to Postgres before the migration?", "Ben"),
        ("which tables moved to Postgres after the migration?", "Ann"),
        ("who first moved tables to Postgres?", "Cleo"),
        ("who moved tables to Postgres most recently?", "Ann"),
        ("tables in Postgres, letzte Woche", "Ann"),
        ("9月 tables Postgres", "Ben"),
    ],
)
async def test_what_is_of_the_time_asked_about_comes_first(asked, query, first):
    assert texts(await asked(query))[0].startswith(first)


@pytest.mark.parametrize(
    ("refers_to", "first"),
    [("2023-05-07", "Cleo"), ("in May", "Cleo"), ("two months ago", "Ben"), ("2023-11-01/2023-11-10", "Ann"),
     ("last week", "Ann"), ("hace dos meses", "Ben"), ("5月", "Cleo"), ("2023-09-20T10:00:00Z", "Ben")],
)  # fmt: skip
async def test_refers_to_names_the_time_apart_from_the_question(asked, refers_to, first):
    found = texts(await asked("tables moved to Postgres", refers_to=refers_to))

    assert found[0].startswith(first)
    assert len(found) == 3


async def test_refers_to_counts_before_the_words_of_the_question(asked):
    assert texts(await asked("tables moved to Postgres last week", refers_to="in May"))[0].startswith("Cleo")


@pytest.mark.parametrize("refers_to", ["the other day in spring", "2023-02-30", "before the migration", "may", "soon"])
async def test_a_time_that_cannot_be_read_is_refused_by_its_name(asked, refers_to):
    with pytest.raises(InvalidRequest, match="refers_to: ") as refused:
        await asked("tables", refers_to=refers_to)

    assert "last week" in refused.value.hint or "2026-05-20" in refused.value.hint


@pytest.mark.failure("F271")
@pytest.mark.parametrize(
    "time", ["last week", "in March 1999", "yesterday", "since 2020", "before the migration", "tomorrow", "first"]
)
async def test_a_time_in_a_question_never_removes_what_is_found_without_it(asked, time):
    plain = texts(await asked("tables moved to Postgres", refers_to=None))

    assert set(texts(await asked(f"tables moved to Postgres {time}"))) >= set(plain)


@pytest.mark.failure("F087")
async def test_what_we_decided_last_week_is_found_though_no_word_of_it_is_asked(asked):
    found = texts(await asked("what did we decide last week?"))

    assert sorted(found) == ["Ann moved the billing tables to Postgres.", "The office plants were watered."]


async def test_the_right_time_alone_answers_no_question_about_something_else(asked):
    page = await asked("which volcano erupted last week?")

    assert page.hits == ()
    assert "none near enough" in page.reason


async def test_explain_shows_the_time_and_the_order_among_terms_that_sum_to_the_score(asked):
    page = await asked("who first moved tables to Postgres this year?", explain=True)

    terms = page.hits[0].terms
    assert terms["time"] > 0
    assert terms["order"] > 0
    assert "time" in page.hits[0].why
    assert sum(terms.values()) == pytest.approx(page.hits[0].score, abs=5e-4)


async def test_a_memory_that_is_years_off_leaves_the_others_their_order(memory):
    for day, who in (("2023-01-20", "Ann"), ("2023-01-10", "Ben"), ("1990-01-01", "Cleo")):
        await memory.store(f"{who} moved the tables to Postgres.", occurred_at=day, hints=False)

    hits = (await memory.recall("who moved the tables to Postgres most recently", explain=True)).hits

    assert [(hit.text[:4].strip(), hit.terms["order"]) for hit in hits] == [("Ann", 0.02), ("Ben", 0.01), ("Cleo", 0.0)]


async def test_a_question_without_a_time_has_no_such_terms(asked):
    page = await asked("tables moved to Postgres", explain=True)

    assert page.hits[0].terms.keys().isdisjoint({"time", "order"})


async def test_a_page_further_on_is_ranked_by_the_same_time(asked):
    query = "which tables moved to Postgres in May?"
    first = await asked(query, limit=1, explain=True)
    second = await asked(query, limit=5, cursor=first.cursor, explain=True)

    together = [hit.score for hit in (*first.hits, *second.hits)]
    assert all("time" in hit.terms for hit in second.hits)
    assert together == sorted(together, reverse=True)


async def test_a_cursor_is_bound_to_the_time_that_was_named(asked):
    first = await asked("tables moved to Postgres", limit=1, refers_to="in May")

    with pytest.raises(InvalidRequest):
        await asked("tables moved to Postgres", limit=1, refers_to="in June", cursor=first.cursor)


async def test_what_is_of_the_time_is_a_candidate_among_hundreds_that_match_better(path):
    memory = memory_at(path, clock=Clock())
    items = [{"content": f"standup note {n} standup", "occurred_at": "2023-03-01"} for n in range(900)]
    await memory.store_many([*items, {"content": "a standup about pay and the office", "occurred_at": "2023-11-08"}])

    [best] = (await memory.recall("standup last week", limit=1)).hits

    assert best.text == "a standup about pay and the office"
    await memory.close()


DECIDED = {
    "We decided to keep weekly releases.": "2023-10-30",
    "We decided to drop the gateway.": "2023-11-08",
    "We decided to meet in Lyon.": "2023-10-12",
    "Yesterday's bread is given away.": "2023-03-01",
    "Bob fixed the leak.": "2023-11-13",
    "We moved the desks.": "2023-07-01",
    "Number ten was drawn.": "2023-02-10",
    "Number eleven was drawn.": "2023-02-11",
    "Number twelve was drawn.": "2023-02-12",
}


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("what did we decide last week", "We decided to drop the gateway."),
        ("what did we decide in October", "We decided to keep weekly releases."),
        ("last week", "We decided to drop the gateway."),
        ("what did we do yesterday", "Bob fixed the leak."),
        ("what happened on 2023-02-11?", "Number eleven was drawn."),
        ("what happened on 2023-02-10?", "Number ten was drawn."),
    ],
)
async def test_where_nothing_but_the_time_is_asked_the_time_decides(hashing, query, first):
    await hashing.store_many([{"content": text, "occurred_at": day} for text, day in DECIDED.items()])

    found = (await hashing.recall(query)).hits

    assert found[0].text == first
    assert all(0 < hit.score <= 1 for hit in found)
    later = [hit.score for hit in found if hit.text == "Yesterday's bread is given away."]
    assert all(score < found[0].score / 2 for score in later)
