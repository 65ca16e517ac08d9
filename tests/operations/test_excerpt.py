"""Looking inside one memory: what is found, where it stands, and the part that was asked for."""

import pytest

from bethink.errors import Conflict, InvalidRequest, NotFound
from bethink.operations.excerpt import Match, Slice

LINES = "First line.\nThe deploy runs on Tuesdays.\nA deploy takes an hour.\n"


async def test_what_is_found_has_its_offsets_its_line_and_what_is_around_it(memory):
    stored = await memory.store(LINES, title="Deploys")

    found = await memory.excerpt(stored.id, "DEPLOY", context=5)

    assert (found.handle, found.title, found.length, found.lines, found.total) == (
        stored.handle, "Deploys", len(LINES), 3, 2,
    )  # fmt: skip
    assert [(m.start, m.end, m.line) for m in found.matches] == [(16, 22, 2), (43, 49, 3)]
    assert [LINES[m.start : m.end] for m in found.matches] == ["deploy", "deploy"]
    assert all("deploy" in m.text and len(m.text) <= 18 for m in found.matches)


async def test_a_fact_in_the_last_line_of_a_long_memory_is_found_with_little_around_it(memory):
    text = "Nothing of note here.\n" * 20_000 + "The key is under the mat."
    stored = await memory.store(text)

    found = await memory.excerpt(stored.id, "the mat", context=20)

    (match,) = found.matches
    assert (found.total, match.line, text[match.start : match.end]) == (1, 20_001, "the mat")
    assert len(match.text) < 60


async def test_case_counts_where_it_is_asked_to(memory):
    stored = await memory.store("Ada met ADA.")

    found = await memory.excerpt(stored.id, "ADA", case_sensitive=True)

    assert (found.total, found.matches[0].start) == (1, 8)


async def test_every_place_is_counted_though_only_some_are_shown(memory):
    stored = await memory.store("ha " * 5_000)

    found = await memory.excerpt(stored.id, "ha", max_matches=3)

    assert (found.total, [m.start for m in found.matches]) == (5_000, [0, 3, 6])


async def test_a_part_is_read_by_its_offsets_and_both_may_be_asked_at_once(memory):
    stored = await memory.store(LINES)

    found = await memory.excerpt(stored.id, "hour", start=12, end=22)

    assert found.slice == Slice(start=12, end=22, text=LINES[12:22])
    assert found.total == 1
    assert (await memory.excerpt(stored.id, end=5)).slice.text == "First"
    assert (await memory.excerpt(stored.id, start=50, end=999_999)).slice.text == LINES[50:]


async def test_what_is_nowhere_is_found_no_time(memory):
    stored = await memory.store(LINES)

    found = await memory.excerpt(stored.id, "zanzibar")

    assert (found.total, found.matches, found.length) == (0, (), len(LINES))


async def test_without_a_wish_it_says_how_long_the_memory_is_and_what_can_be_asked(memory):
    stored = await memory.store(LINES)

    found = await memory.excerpt(stored.id)

    assert (found.length, found.lines, found.total, found.slice) == (len(LINES), 3, None, None)
    assert found.notes == ("nothing was looked for: give query to find a text, or start and end to read a part",)


@pytest.mark.failure("F241")
async def test_a_whole_memory_is_read_in_parts_that_fit_one_after_the_other(memory):
    text = "".join(f"{n} ✓ " for n in range(3_000))
    stored = await memory.store(text)
    read, start = "", 0

    while start < len(text):
        found = await memory.excerpt(stored.id, start=start, max_tokens=500)
        assert found.slice.start == start
        assert len(found.slice.text.encode()) <= 2_000
        read, start = read + found.slice.text, found.slice.end

    assert read == text
    assert found.notes == ()


async def test_places_that_do_not_fit_are_said(memory):
    stored = await memory.store("The deploy runs on Tuesdays. " * 500)

    found = await memory.excerpt(stored.id, "deploy", max_matches=100, context=500, max_tokens=1_000)

    assert found.total == 500
    assert 0 < len(found.matches) < 10
    assert found.notes == (f"{100 - len(found.matches)} places did not fit into max_tokens",)


async def test_what_is_retired_is_read_and_marked(memory):
    stored = await memory.store(LINES)
    await memory.forget([stored.id])

    found = await memory.excerpt(stored.handle, "hour")

    assert (found.status, found.matches) == (
        "retired", (Match(start=59, end=63, line=3, text=found.matches[0].text),),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("asked", "error", "said"),
    [
        ({"start": 9, "end": 9}, InvalidRequest, "start is not before end"),
        ({"start": 4_000}, InvalidRequest, "start: 4000 is behind the end of the text"),
        ({"query": ""}, InvalidRequest, "query"),
        ({"max_matches": 0}, InvalidRequest, "max_matches"),
    ],
)
async def test_what_cannot_be_meant_is_refused(memory, asked, error, said):
    stored = await memory.store(LINES)

    with pytest.raises(error, match=said):
        await memory.excerpt(stored.id, **asked)


async def test_an_id_must_be_known_and_mean_one_memory(memory):
    await memory.store(LINES)

    with pytest.raises(NotFound):
        await memory.excerpt("01890000-0000-7000-8000-00000badc0de", "x")
    with pytest.raises(InvalidRequest):
        await memory.excerpt("not an id", "x")


async def test_a_tail_of_two_memories_is_refused(memory):
    ids = iter(["01890000-0000-7000-8000-0000aaaaaaaa", "01890000-0000-7000-9000-0000aaaaaaaa"])
    memory.ports.new_id = lambda _: next(ids)
    await memory.store("The first note.")
    await memory.store("The second note.")

    with pytest.raises(Conflict, match="means 2 memories"):
        await memory.excerpt("aaaaaaaa")
