"""Reading by id: whole, in the order asked for, within a budget where there is one."""

import pytest

from bethink.errors import Conflict
from tests.bed import DAY

NEVER = "01890000-0000-7000-8000-00000badc0de"


async def test_memories_come_whole_and_in_the_order_asked_for_whatever_their_state(hashing):
    old = await hashing.store("The deploy runs on Mondays.")
    new = await hashing.store("The deploy runs on Mondays now.", on_conflict="supersede")
    gone = await hashing.store("A mistake.")
    lapsed = await hashing.store("An offer.", expires_at="2023-11-15")
    await hashing.forget([gone.id])
    hashing.ports.now.pass_(3 * DAY)

    got = await hashing.get([lapsed.id, NEVER, gone.handle, new.id, old.id[-6:], lapsed.id])

    assert [(m.id, m.status) for m in got.memories] == [
        (lapsed.id, "active"), (gone.id, "retired"), (new.id, "active"), (old.id, "superseded"),
    ]  # fmt: skip
    assert got.missing == (NEVER,)


async def test_versions_relations_and_parts_come_where_they_are_asked_for(hashing):
    old = await hashing.store("The deploy runs on Mondays.")
    await hashing.store("The deploy runs on Mondays now.", on_conflict="supersede")
    parts = [await hashing.store(f"Part {n}.", kind="chunk", parent_id=old.handle, ordinal=n) for n in (1, 0)]

    bare = await hashing.get([old.id])
    got = await hashing.get([old.id], versions=True, relations=True, chunks=True)

    assert (bare.versions, bare.relations, bare.chunks) == (None, None, None)
    assert [(v.number, v.status, v.reason) for v in got.versions[old.id]] == [(1, "active", "superseded")]
    assert [(r.type, r.target) for r in got.relations] == [("supersedes", old.id)]
    assert [m.id for m in got.chunks[old.id]] == [parts[1].id, parts[0].id]


@pytest.mark.failure("F079")
async def test_an_ambiguous_tail_is_an_error_that_lists_the_candidates(memory):
    ids = iter([f"01890000-0000-7000-8000-00{n}0aaaaaaaa" for n in (1, 2)])
    memory.ports.new_id = lambda _: next(ids)
    first, second = await memory.store("One."), await memory.store("Two.")

    for call in (memory.get(["aaaaaaaa"]), memory.forget(["aaaaaaaa"]), memory.update("aaaaaaaa", title="x")):
        with pytest.raises(Conflict, match="means 2 memories") as wrong:
            await call
        assert first.id in wrong.value.hint
        assert second.id in wrong.value.hint
    assert second.handle == "20aaaaaaaa"
    assert (await memory.get([second.handle])).memories[0].id == second.id


@pytest.mark.failure("F107", "F142")
@pytest.mark.parametrize("count", [1, 3, 10])
@pytest.mark.parametrize("text", ["word ", "成语 ", 'line\n"quoted"\n'])
async def test_a_budget_shortens_long_texts_says_which_and_how_to_read_on(memory, count, text):
    ids = [(await memory.store(f"{n} " + text * (60_000 // len(text)))).id for n in range(count)]
    short = await memory.store("A short one.")

    got = await memory.get([*ids, short.id], max_tokens=8_000)

    assert len(got.model_dump_json(exclude_none=True).encode()) < 8_000 * 4 + 1_000
    assert len(got.cut) == min(count, len(got.memories))
    assert got.memories[-1].content == "A short one."
    assert all(m.content.endswith("…") for m in got.memories[:count])
    assert got.notes[-1] == "to read on, use memory_get with fewer ids or a greater max_tokens"
    assert "shortened: " in got.compact()


async def test_what_one_text_does_not_need_another_gets(memory):
    long = await memory.store("word " * 2_000)
    short = await memory.store("short " * 20)

    got = await memory.get([short.id, long.id], max_tokens=2_000)

    assert got.memories[0].content == "short " * 20
    assert len(got.memories[1].content) > 6_000
    assert got.cut == (long.handle,)


async def test_what_does_not_fit_at_all_is_left_out_by_name(memory):
    ids = [(await memory.store(f"Note {n}: " + "word " * 100)).id for n in range(200)]

    got = await memory.get(ids, max_tokens=8_000)

    read = [m.id for m in got.memories]
    assert (read + list(got.left_out), len(read) > 10) == (ids, True)
    assert len(got.model_dump_json(exclude_none=True)) < 40_000
    assert got.notes[0] == f"{len(got.left_out)} memories did not fit into max_tokens"


async def test_extras_are_cut_before_the_memories_themselves(memory):
    kept = await memory.store("The text 0. " + "word " * 50)
    for n in range(1, 40):
        await memory.update(kept.id, content=f"The text {n}. " + "word " * 50)
        await memory.store(f"Part {n}: " + "word " * 50, kind="chunk", parent_id=kept.id, ordinal=n)

    got = await memory.get([kept.id], versions=True, relations=True, chunks=True, max_tokens=4_000)

    assert len(got.model_dump_json(exclude_none=True)) < 4_000 * 4 + 1_000
    assert got.memories[0].content.endswith("word word ")
    assert 0 < len(got.versions[kept.id]) < 39
    assert "versions" in got.notes[0]
    assert "parts" in got.notes[0]


async def test_a_huge_memory_in_metadata_and_context_stays_within_the_budget(memory):
    kept = await memory.store("A text.", metadata={"much": "x" * 60_000}, context="c" * 20_000)

    got = await memory.get([kept.id], max_tokens=1_000)

    assert (got.memories[0].content, got.memories[0].metadata, got.cut) == ("A text.", None, (kept.handle,))
    assert len(got.model_dump_json(exclude_none=True)) < 5_000


async def test_without_a_budget_a_library_caller_gets_everything(memory):
    ids = [(await memory.store(f"{n} " + "word " * 100_000)).id for n in range(3)]

    got = await memory.get(ids)

    assert [len(m.content) for m in got.memories] == [500_002] * 3
    assert (got.cut, got.left_out, got.notes) == ((), (), ())
