"""Questions that found nothing: counted however they were put, and gone when they are forgotten or old."""

import pytest

from bethink.errors import InvalidRequest
from bethink.jobs.worker import work_off
from bethink.principal import confined
from tests.bed import DAY, memory_at

ALPHA, BETA = confined("team:acme/agent:alpha"), confined("team:acme/agent:beta")


async def ask(memory, *questions):
    """Ask what finds nothing, and let the journal be written."""
    for question in questions:
        assert (await memory.recall(question)).hits == ()
    await memory.ports.journal.flush(memory.ports.storage)


def told(found):
    return [(question.text, question.count) for question in found.questions]


async def test_the_same_question_in_another_order_case_or_form_is_one(memory):
    await ask(memory, "Where is the Zanzibar office?", "zanzibar OFFICES: where are they", "office Zanzibar")
    await ask(memory, "Who runs the lab?")

    found = await memory.gaps()

    assert told(found) == [("office Zanzibar", 3)]
    assert told(await memory.gaps(least=1)) == [("office Zanzibar", 3), ("Who runs the lab?", 1)]
    (question,) = found.questions
    assert question.first_asked < question.last_asked
    assert (question.answered_by, question.namespaces) == (None, ("user:ann",))


async def test_what_was_stored_since_and_would_answer_is_named(memory):
    await ask(memory, "Where is the zanzibar office?", "Where is the zanzibar office?")
    stored = await memory.store("The zanzibar office is on Stone Street.")

    found = await memory.gaps()

    assert [(q.count, q.answered_by) for q in found.questions] == [(2, stored.handle)]
    await memory.ports.journal.flush(memory.ports.storage)
    assert told(await memory.gaps()) == told(found)
    assert (await memory.get([stored.id])).memories[0].access_count == 0


async def test_what_found_something_or_holds_no_word_is_no_gap(memory):
    await memory.store("The deploy runs on Tuesdays.")
    await memory.recall("When is the deploy?")
    await memory.recall("?!")
    await memory.ports.journal.flush(memory.ports.storage)

    assert (await memory.gaps(least=1)).questions == ()


async def test_one_question_is_forgotten_or_all(memory):
    await ask(memory, "the zanzibar office", "the zanzibar office", "the lab of tomorrow", "the lab of tomorrow")
    first, second = (await memory.gaps()).questions

    one = await memory.gaps(forget=[first.id, "unknown"])
    everything = await memory.gaps(forget=["all"])

    assert (one.forgotten, one.missing, told(one)) == ((first.id,), ("unknown",), [(second.text, 2)])
    assert (everything.forgotten, everything.questions) == ((second.id,), ())
    with pytest.raises(InvalidRequest, match="'all' stands beside ids"):
        await memory.gaps(forget=["all", first.id])


@pytest.mark.failure("F245")
async def test_a_confined_principal_sees_and_forgets_its_own_alone(memory):
    alpha, beta = memory.as_(ALPHA), memory.as_(BETA)
    await ask(memory, "the zanzibar office of Ann", "the zanzibar office of Ann")
    await ask(alpha, "the zanzibar office", "the zanzibar office", "an alpha matter", "an alpha matter")
    await ask(beta, "the Zanzibar OFFICE", "beta's affair", "beta's affair")

    assert told(await alpha.gaps()) == [("an alpha matter", 2), ("the zanzibar office", 2)]
    assert told(await beta.gaps()) == [("beta's affair", 2)]
    assert told(await beta.gaps(least=1)) == [("beta's affair", 2), ("the Zanzibar OFFICE", 1)]
    assert (await beta.gaps()).questions[0].namespaces is None
    await beta.gaps(forget=["all"])
    assert (await beta.gaps(least=1)).questions == ()
    assert len((await alpha.gaps()).questions) == 2


async def test_the_owner_sees_whose_question_it_was_by_place(memory):
    await ask(memory.as_(ALPHA), "the zanzibar office")
    await ask(memory, "the zanzibar office", "the lab of tomorrow", "the lab of tomorrow")

    every = await memory.gaps()
    of_alpha = await memory.gaps(least=1, namespaces=[ALPHA.place])

    assert [(q.text, q.count, q.namespaces) for q in every.questions] == [
        ("the lab of tomorrow", 2, ("user:ann",)),
        ("the zanzibar office", 2, (ALPHA.place, "user:ann")),
    ]
    assert told(of_alpha) == [("the zanzibar office", 1)]
    assert (await memory.gaps(forget=["all"], namespaces=[ALPHA.place], least=1)).questions == ()
    assert told(await memory.gaps(least=1)) == [("the lab of tomorrow", 2), ("the zanzibar office", 1)]


async def test_what_would_answer_is_looked_for_where_it_was_asked(memory):
    await ask(memory.as_(ALPHA), "the zanzibar office", "the zanzibar office")
    stored = await memory.store("The zanzibar office is on Stone Street.", namespace=ALPHA.place)

    found = await memory.gaps()

    assert [q.answered_by for q in found.questions] == [stored.handle]


async def test_credentials_in_a_question_are_not_kept(memory):
    await ask(memory, "what is AKIAIOSFODNN7EXAMPLQ", "what is AKIAIOSFODNN7EXAMPLQ")

    assert "AKIA" not in (await memory.gaps()).model_dump_json()


async def test_a_long_question_is_shown_short_and_the_list_is_cut_where_it_is_said(memory):
    for n in range(5):
        long = f"zanzibar{n} " + "office " * 500
        await ask(memory, long, long)

    found = await memory.gaps(limit=2)

    assert (len(found.questions), found.more) == (2, 3)
    assert all(len(q.text) <= 300 for q in found.questions)
    assert len((await memory.gaps(max_tokens=150)).questions) == 1


async def test_what_is_older_than_the_log_keeps_is_counted_and_forgotten(memory):
    await memory.store("The deploy runs on Tuesdays.")
    await ask(memory, "the zanzibar office", "the zanzibar office")
    await memory.recall("When is the deploy?")
    memory.ports.now.pass_(89 * DAY)
    await ask(memory, "the lab of tomorrow")
    await work_off(memory.ports)
    assert told(await memory.gaps(least=1)) == [("the zanzibar office", 2), ("the lab of tomorrow", 1)]

    memory.ports.now.pass_(3 * DAY)
    await work_off(memory.ports)

    found = await memory.gaps(least=1)
    assert (told(found), found.earlier) == ([("the lab of tomorrow", 1)], 2)
    assert "2 questions before that found nothing" in found.compact()
    assert (await memory.as_(ALPHA).gaps()).earlier is None
    daily = await memory.ports.storage.read(lambda reader: (reader.daily("shown"), reader.daily("missed")))
    assert daily == (1, 2)


async def test_how_long_the_log_keeps_is_a_setting(path):
    memory = memory_at(path)
    memory.ports.policy = type(memory.ports.policy)(log_days=2)
    await ask(memory, "the zanzibar office")
    memory.ports.now.pass_(4 * DAY)

    await work_off(memory.ports)

    assert (await memory.gaps(least=1)).questions == ()
    await memory.close()
