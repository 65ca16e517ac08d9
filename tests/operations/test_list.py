"""Lists: every order, page by page, nothing twice and nothing left out, whatever is written meanwhile."""

import asyncio
import random

import pytest

from bethink.errors import InvalidRequest
from tests.bed import HOUR, MINUTE

SORTS = {
    "recorded": lambda m: m.recorded_at,
    "occurred": lambda m: m.occurred_at,
    "updated": lambda m: m.updated_at,
    "accessed": lambda m: m.last_accessed_at.timestamp() if m.last_accessed_at else 0,
    "importance": lambda m: m.importance,
    "title": lambda m: m.title,
}


@pytest.fixture(scope="module")
def filled(shared):
    return asyncio.run(_filled(shared))


async def _filled(memory):
    chosen = random.Random(7)
    for n in range(23):
        title = chosen.choice(["same title", f"Ärger {n}", f"title {n:02}", "Zoo", "爱", "same title"])
        await memory.store(
            f"Note {n}",
            title=title,
            importance=chosen.choice([0.1, 1 / 3, 0.9]),
            occurred_at=f"2023-1{n % 2}-0{n % 9 + 1}",
        )
        memory.ports.now.pass_(MINUTE)
    listed = (await memory.list(limit=50)).memories
    for row in listed[3:9:2]:
        await memory.update(row.handle, confidence=0.3)
    await memory.recall("note", limit=5)
    await memory.ports.journal.flush(memory.ports.storage)
    return memory


async def pages(memory, size, **asked):
    """Every page of a list, each as its handles."""
    found, cursor = [], None
    while True:
        page = await memory.list(limit=size, cursor=cursor, **asked)
        found.append([m.handle for m in page.memories])
        if (cursor := page.cursor) is None:
            return found
        assert len(found) < 100


@pytest.mark.failure("F151")
@pytest.mark.parametrize("descending", [True, False])
@pytest.mark.parametrize("sort", SORTS)
async def test_pages_of_any_size_are_one_list_in_the_order_asked_for(filled, sort, descending):
    whole = (await filled.list(sort=sort, descending=descending, limit=200, detail="full")).memories

    memories = [m.memory for m in whole]
    assert memories == sorted(memories, key=lambda m: (SORTS[sort](m), m.id), reverse=descending)
    assert len(memories) == 23
    for size in (1, 4, 23, 24):
        found = await pages(filled, size, sort=sort, descending=descending)
        assert [handle for page in found for handle in page] == [m.handle for m in whole]


async def test_the_total_is_true_on_every_page(filled):
    first = await filled.list(limit=5)
    second = await filled.list(limit=5, cursor=first.cursor)

    assert (first.total, second.total, len(second.memories)) == (23, 23, 5)


@pytest.mark.failure("F151")
@pytest.mark.parametrize("sort", ["recorded", "occurred", "title", "importance"])
@pytest.mark.parametrize("descending", [True, False])
async def test_no_row_comes_twice_and_none_is_left_out_while_others_write(memory, sort, descending):
    for n in range(12):
        await memory.store(f"Note {n}", title=f"m {n % 4}", importance=n % 3 / 2, occurred_at=f"2023-10-{n % 5 + 10}")
    before = {m.handle for m in (await memory.list(limit=50)).memories}
    asked = {"sort": sort, "descending": descending, "limit": 3}
    seen, page, retired = [], await memory.list(**asked), set()

    while True:
        seen += [m.handle for m in page.memories]
        for title in ("a", "m 2", "z"):
            await memory.store(f"Written after {len(seen)}", title=title, importance=0.5, occurred_at="2023-10-12")
        unseen = sorted(before - set(seen) - retired)
        if len(seen) == 3:
            retired = {unseen[0]}
            await memory.forget([seen[0], unseen[0]])
        if page.cursor is None:
            break
        page = await memory.list(**asked, cursor=page.cursor)

    assert len(seen) == len(set(seen))
    assert set(seen) >= before - retired
    assert not retired & set(seen)


async def test_the_newest_is_the_newest_of_all(memory):
    for n in range(30):
        await memory.store(f"Note {n}", occurred_at=f"2023-10-{30 - n:02}")

    newest = (await memory.list(limit=1)).memories[0]
    latest = (await memory.list(limit=1, sort="occurred")).memories[0]

    assert (newest.text, latest.text) == ("Note 29", "Note 0")


@pytest.mark.parametrize(
    "change",
    [{"sort": "title"}, {"descending": False}, {"tags": ["x"]}, {"kinds": ["fact"]}, {"since": "2020-01-01"}],
)
async def test_a_cursor_belongs_to_its_call(filled, change):
    cursor = (await filled.list(limit=3)).cursor

    with pytest.raises(InvalidRequest, match="the cursor belongs to another call"):
        await filled.list(limit=3, cursor=cursor, **change)


async def test_size_and_detail_may_change_from_page_to_page(filled):
    first = await filled.list(limit=3)

    second = await filled.list(limit=5, detail="ids", cursor=first.cursor)

    whole = (await filled.list(limit=8)).memories
    assert [m.handle for m in (*first.memories, *second.memories)] == [m.handle for m in whole]


async def test_a_cursor_expires_and_a_forged_one_is_refused(memory):
    for n in range(4):
        await memory.store(f"Note {n}")
    cursor = (await memory.list(limit=2)).cursor
    forged = cursor[:-4] + ("AAAA" if cursor[-4:] != "AAAA" else "BBBB")

    for wrong in (forged, "x", cursor + "x", "e30", "☃", cursor[:10]):
        with pytest.raises(InvalidRequest, match="the cursor is not valid"):
            await memory.list(limit=2, cursor=wrong)
    memory.ports.now.pass_(HOUR + MINUTE)
    with pytest.raises(InvalidRequest, match="the cursor has expired"):
        await memory.list(limit=2, cursor=cursor)


async def test_a_cursor_of_recall_is_none_of_list(memory):
    for n in range(4):
        await memory.store(f"Note {n}")
    cursor = (await memory.recall("note", limit=1)).cursor

    with pytest.raises(InvalidRequest, match="the cursor is not valid"):
        await memory.list(limit=1, cursor=cursor)


async def test_as_much_of_each_as_is_asked_for(memory):
    stored = await memory.store("word " * 100, tags=["t"])

    ids, summary, full = [(await memory.list(detail=d)).memories[0] for d in ("ids", "summary", "full")]

    assert ids.model_dump(exclude_none=True, exclude={"tags"}) == {
        "handle": stored.handle,
        "kind": "fact",
        "status": "active",
    }
    assert (len(summary.text) <= 200, summary.text[-1], summary.id, summary.tags) == (True, "…", None, ("t",))
    assert (full.text, full.id, full.memory.content) == ("word " * 100, stored.id, "word " * 100)


@pytest.mark.failure("F107", "F142")
@pytest.mark.parametrize("detail", ["summary", "full"])
async def test_a_budget_gives_fewer_rows_and_the_cursor_gives_the_rest(memory, detail):
    for n in range(40):
        await memory.store(f"Note {n}: " + "word " * 60)
    asked = {"limit": 40, "detail": detail, "max_tokens": 1_000}
    seen, cursor = [], None

    while True:
        page = await memory.list(**asked, cursor=cursor)
        assert len(page.model_dump_json(exclude_none=True)) < 1_000 * 4 + 1_000
        seen += [m.handle for m in page.memories]
        if (cursor := page.cursor) is None:
            break

    assert seen == [m.handle for m in (await memory.list(limit=40)).memories]
    assert page.total == 40


async def test_one_that_alone_is_over_the_budget_is_shortened_and_said(memory):
    stored = await memory.store("word " * 10_000, metadata={"much": "x" * 50_000})

    page = await memory.list(detail="full", max_tokens=500)

    assert page.cut == (stored.handle,)
    assert len(page.model_dump_json(exclude_none=True)) < 500 * 4 + 1_000
    assert "memory_get reads it" in page.compact()


async def test_without_a_budget_a_library_caller_gets_everything(memory):
    for n in range(3):
        await memory.store(f"{n} " + "word " * 100_000)

    page = await memory.list(detail="full")

    assert [len(m.text) for m in page.memories] == [500_002] * 3
    assert page.cut == ()


async def test_parts_of_documents_are_left_out_unless_their_kinds_are_named(memory):
    whole = await memory.store("The whole.")
    await memory.store("The part.", kind="chunk", parent_id=whole.id)

    assert [m.text for m in (await memory.list()).memories] == ["The whole."]
    assert [m.text for m in (await memory.list(kinds="chunk")).memories] == ["The part."]
