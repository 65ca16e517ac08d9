"""Many memories at once: batches, a report for each item, and a run that can be repeated."""

import pytest

from bethink.engine import Bethink
from bethink.errors import InvalidRequest
from bethink.operation import operations
from bethink.ports import Policy


async def test_every_item_is_accounted_for(memory):
    key = "AKIA" + "IOSFODNN7" + "EXAMPLQ"
    items = [
        {"content": "One.", "tags": "a,b", "occurred_at": "2023-05-01"},
        {"content": "One.", "tags": ["c"], "occurred_at": "2023-05-01"},
        {"content": " "},
        {"contents": "x"},
        "text",
        {"content": "a\x00b"},
        {"content": f"the key is {key}"},
        {"content": "Two.", "kind": "memo"},
        {"content": "Three.", "parent_id": "01890000-0000-7000-8000-00000badc0de"},
        {1: 2},
    ]

    done = await memory.store_many(items, batch=3)

    assert (done.stored, done.replayed, done.rejected, done.cleaned, done.redacted) == (3, 1, 6, 1, 1)
    assert [(r.item, r.reason.partition(":")[0]) for r in sorted(done.rejections, key=lambda r: r.item)] == [
        (2, "content"), (3, "'contents' is not a parameter"), (4, "an item is an object, not str"), (7, "kind"),
        (8, "no memory '01890000-0000-7000-8000-00000badc0de' in reach"), (9, "'1' is not a parameter"),
    ]  # fmt: skip
    assert {m.text for m in (await memory.list()).memories} == {
        "One.",
        "a\ufffdb",
        "the key is [secret:aws-access-key]",
    }


@pytest.mark.failure("F069", "F127")
async def test_a_repeated_run_stores_nothing_twice(memory):
    items = [{"content": f"Note {n}"} for n in range(10)]

    first = await memory.store_many(iter(items), batch=4)
    again = await memory.store_many(iter(items), batch=3)

    assert (first.stored, again.stored, again.replayed) == (10, 0, 10)
    assert (await memory.list()).total == 10


async def test_progress_counts_what_was_taken(memory):
    seen = []

    async def heard(done, total):
        seen.append((done, total))

    items = ({"content": f"Note {n}"} for n in range(10))
    await operations(Bethink)["store_many"].call(memory, {"items": items, "batch": 4}, progress=heard)

    assert seen == [(4, None), (8, None), (10, None)]


async def test_what_was_committed_stays_when_the_run_breaks(memory):
    def breaking():
        yield from ({"content": f"Note {n}"} for n in range(5))
        raise RuntimeError("the source broke")

    with pytest.raises(RuntimeError):
        await memory.store_many(breaking(), batch=2)

    assert (await memory.list()).total == 4


async def test_no_item_may_name_what_belongs_to_the_call(memory):
    done = await memory.store_many([{"content": "x", "on_conflict": "skip"}, {"content": "y", "namespace": "z"}])

    assert [r.reason for r in done.rejections] == [
        f"{name!r} is not of one item: it goes with the call" for name in ("on_conflict", "namespace")
    ]


async def test_the_parent_of_an_item_may_be_given_by_its_tail(memory):
    whole = await memory.store("The whole.")

    await memory.store_many([{"content": "A part.", "kind": "chunk", "parent_id": whole.handle}])

    (part,) = (await memory.get([whole.id], chunks=True)).chunks[whole.id]
    assert part.parent_id == whole.id


async def test_origin_is_imported_unless_said_otherwise(memory):
    await memory.store_many([{"content": "One."}])
    await memory.store_many([{"content": "Two."}], origin="authored")

    assert [m.text for m in (await memory.list(origin="imported")).memories] == ["One."]


async def test_a_credential_is_refused_where_the_owner_says_so(memory):
    memory.ports.policy = Policy(secrets="refuse")
    key = "AKIA" + "IOSFODNN7" + "EXAMPLQ"

    done = await memory.store_many([{"content": f"the key is {key}"}])
    with pytest.raises(InvalidRequest, match="the text holds a credential"):
        await memory.store(f"the key is {key}")

    assert done.rejected == 1
    assert key not in str(done.rejections)


@pytest.mark.parametrize("items", [[], iter(())])
async def test_nothing_is_stored_of_nothing(memory, items):
    done = await memory.store_many(items)

    assert (done.stored, done.rejected) == (0, 0)
