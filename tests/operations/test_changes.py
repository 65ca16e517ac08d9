"""Changing, retiring, restoring and erasing: what stays, what a version keeps, who was faster."""

import sqlite3
from contextlib import closing

import pytest

from bethink.errors import BethinkError, Conflict, InvalidRequest, NotFound
from tests.bed import DAY, HOUR, MINUTE

NEVER = "01890000-0000-7000-8000-00000badc0de"


async def read(memory, memory_id):
    (found,) = (await memory.get([memory_id])).memories
    return found


# Update.


@pytest.mark.failure("F152")
async def test_only_what_is_given_changes_and_the_state_before_is_a_version(memory):
    stored = await memory.store("The red crane.", title="Crane", tags=["a", "b"], confidence=0.4, metadata={"k": 1})
    before = await read(memory, stored.id)

    done = await memory.update(stored.id, tags=["c"], reason="tidied")

    after = await read(memory, stored.id)
    assert (done.version, done.changed, done.handle) == (2, ("tags",), stored.handle)
    assert after == before.model_copy(update={"tags": ("c",), "version": 2, "updated_at": after.updated_at})
    (version,) = (await memory.get([stored.id], versions=True)).versions[stored.id]
    assert (version.number, version.tags, version.changed, version.reason) == (1, ("a", "b"), ("tags",), "tidied")
    assert (version.by, version.replaced_at) == ("owner", after.updated_at)


async def test_a_change_to_the_same_writes_nothing(memory):
    stored = await memory.store("The red crane.", tags=["a"])

    done = await memory.update(stored.id, tags=["a"], content="The red crane.", kind="fact")

    assert (done.changed, done.version) == ((), 1)
    assert (await memory.get([stored.id], versions=True)).versions == {stored.id: ()}


@pytest.mark.parametrize(
    ("given", "cleared"),
    [
        ({"tags": ["a"]}, {"tags": ()}),
        ({"metadata": {"a": 1}}, {"metadata": None}),
        ({"source": {"repo": "r"}}, {"source": None}),
        ({"subtype": "policy"}, {"subtype": None}),
        ({"context": "c"}, {"context": None}),
        ({"author": "ann"}, {"author": None}),
        ({"verification": "asserted"}, {"verification": None}),
        ({"language": "de"}, {"language": None}),
        ({"valid_to": "2030-01-01"}, {"valid_to": None}),
        ({"ordinal": 3}, {"ordinal": None}),
        ({"title": "Another name"}, {"title": "The red crane"}),
    ],
)
@pytest.mark.failure("F028")
async def test_null_clears(memory, given, cleared):
    stored = await memory.store("The red crane.", **given)

    await memory.update(stored.id, **dict.fromkeys(given))

    after = await read(memory, stored.id)
    assert {name: getattr(after, name) for name in cleared} == cleared


async def test_what_was_derived_again_is_derived_with_the_next_text(memory):
    stored = await memory.store("The red crane.", title="Given", importance=0.123)

    await memory.update(stored.id, title=None, importance=None)
    await memory.update(stored.id, content="We decided to use PostgreSQL 16 on 2026-05-01 because of RLS.")

    after = await read(memory, stored.id)
    assert after.title.startswith("We decided to use PostgreSQL 16")
    assert after.importance != 0.123


async def test_what_was_given_is_not_derived_again(memory):
    stored = await memory.store("The red crane.", title="Given", importance=0.123)

    await memory.update(stored.id, content="We decided to use PostgreSQL 16 because of RLS.")

    after = await read(memory, stored.id)
    assert (after.title, after.importance) == ("Given", 0.123)


@pytest.mark.parametrize("name", ["occurred_at", "valid_from"])
async def test_a_time_that_every_memory_has_cannot_be_cleared(memory, name):
    stored = await memory.store("The red crane.")

    with pytest.raises(InvalidRequest, match=f"{name}: it cannot be cleared"):
        await memory.update(stored.id, **{name: None})


async def test_a_rewrite_confirms_and_other_edits_do_not(memory):
    stored = await memory.store("The red crane.")

    await memory.update(stored.id, tags=["a"])
    edited = await read(memory, stored.id)
    await memory.update(stored.id, content="The blue crane.")
    rewritten = await read(memory, stored.id)

    assert edited.last_confirmed_at is None
    assert rewritten.last_confirmed_at is not None
    assert rewritten.content_hash != edited.content_hash


async def test_who_read_an_older_version_is_told_and_nothing_changes(memory):
    stored = await memory.store("The red crane.")
    await memory.update(stored.id, tags=["a"], expected_version=1)

    with pytest.raises(Conflict, match=f"memory '{stored.id}' is at version 2, not 1") as wrong:
        await memory.update(stored.id, tags=["b"], expected_version=1)

    assert wrong.value.hint == "Read it again and decide anew."
    assert (await read(memory, stored.id)).tags == ("a",)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"status": "retired"}, "status: 'retired' cannot be set: Use memory_forget"),
        ({"status": "superseded"}, "status: 'superseded' cannot be set: Store what replaces it with on_conflict="),
        ({"kind": "chunk"}, "kind: 'chunk' cannot be set"),
        ({"parent_id": "self"}, "parent_id: a memory is not part of itself"),
        ({"parent_id": NEVER}, "no memory"),
        ({"metadata": {"a": "x" * 70_000}}, "over the limit of 65,536"),
        ({"confidence": 2}, "confidence: "),
    ],
)
@pytest.mark.failure("F152")
async def test_a_change_that_is_wrong_in_one_field_changes_none(memory, given, said):
    stored = await memory.store("The red crane.")
    given = {name: stored.id if value == "self" else value for name, value in given.items()}

    with pytest.raises(BethinkError) as wrong:
        await memory.update(stored.id, content="Changed.", **given)

    assert said in f"{wrong.value}: {wrong.value.hint}"
    assert (await read(memory, stored.id)).version == 1


async def test_a_retired_memory_and_a_part_of_something_larger_are_not_updated(memory):
    gone = await memory.store("A mistake.")
    await memory.forget([gone.id])
    part = await memory.store("A part.", kind="chunk")

    with pytest.raises(InvalidRequest, match="is retired") as retired:
        await memory.update(gone.id, title="x")
    with pytest.raises(InvalidRequest, match="is a chunk, a part of something larger"):
        await memory.update(part.id, title="x")

    assert "memory_restore" in retired.value.hint


async def test_an_update_to_the_text_of_another_memory_is_a_conflict(memory):
    first, second = await memory.store("One."), await memory.store("Two.")

    with pytest.raises(Conflict, match=f"memory {first.id} already says exactly this"):
        await memory.update(second.id, content="One.")


async def test_a_superseded_memory_does_not_stand_in_the_way_of_its_text(hashing):
    old = await hashing.store("The deploy runs on Mondays")
    await hashing.store("The deploy runs on Mondays now", on_conflict="supersede")
    await hashing.update(old.id, tags=["past"])

    again = await hashing.store("The deploy runs on Mondays")

    assert (again.action, again.id != old.id) == ("add", True)


async def test_required_tags_cannot_be_taken_off(memory):
    await memory.namespaces("create", path="team:a", required_tags=["Ops"])
    stored = await memory.store("The red crane.", namespace="team:a", tags=["ops", "x"])

    with pytest.raises(InvalidRequest, match="requires Ops"):
        await memory.update(stored.id, tags=["x"])


async def test_hints_come_with_a_changed_text_alone(hashing):
    await hashing.store("The deploy runs on Mondays")
    other = await hashing.store("Something else entirely")

    tagged = await hashing.update(other.id, tags=["a"])
    near = await hashing.update(other.id, content="The deploy runs on Mondays now")
    quiet = await hashing.update(other.id, content="The deploy now runs on Mondays", hints=False)

    assert (tagged.similar, len(near.similar), quiet.similar) == ((), 1, ())


# Forget and restore.


@pytest.mark.failure("F149", "F058")
async def test_what_was_retired_what_was_before_and_what_is_not_there_are_told_apart(memory):
    one, two = await memory.store("One."), await memory.store("Two.")
    await memory.forget([two.id])

    done = await memory.forget([one.id, two.handle, NEVER, one.id], reason="old")

    assert (done.retired, done.unchanged, done.missing, done.skipped) == ((one.id,), (two.id,), (NEVER,), ())
    gone = await read(memory, one.id)
    assert (gone.status, gone.retired_at, gone.content) == ("retired", gone.updated_at, "One.")


async def test_a_restored_memory_is_as_it_was_and_a_version_notes_it(memory):
    stored = await memory.store("One.", tags=["a"])
    before = await read(memory, stored.id)
    await memory.forget([stored.id], reason="a mistake")

    done = await memory.restore([stored.id, NEVER], reason="it was right")

    after = await read(memory, stored.id)
    assert (done.restored, done.missing) == ((stored.id,), (NEVER,))
    assert after == before.model_copy(update={"version": 3, "updated_at": after.updated_at})
    versions = (await memory.get([stored.id], versions=True)).versions[stored.id]
    assert [(v.status, v.reason) for v in versions] == [("active", "a mistake"), ("retired", "it was right")]
    assert (await memory.restore([stored.id])).unchanged == (stored.id,)


async def test_a_memory_whose_text_was_stored_again_meanwhile_is_not_restored(memory):
    old = await memory.store("One.")
    await memory.forget([old.id])
    new = await memory.store("One.")

    with pytest.raises(Conflict, match=f"memory {new.id} already says what {old.id} says"):
        await memory.restore([old.id])

    await memory.forget([new.id])
    assert (await memory.restore([old.id])).restored == (old.id,)
    assert (await memory.store("One.")).id == old.id


async def test_of_several_memories_all_are_restored_or_none(memory):
    one, two = await memory.store("One."), await memory.store("Two.")
    await memory.forget([one.id, two.id])
    await memory.store("Two.")

    with pytest.raises(Conflict):
        await memory.restore([one.id, two.id])

    assert (await read(memory, one.id)).status == "retired"


async def test_reasons_are_kept_with_the_versions_and_not_in_the_log_that_nothing_can_erase(memory, path):
    stored = await memory.store("One.")
    await memory.update(stored.id, content="Two.", reason="reason-one")
    await memory.forget([stored.id], reason="reason-two")
    await memory.restore([stored.id], reason="reason-three")

    with closing(sqlite3.connect(path)) as db:
        events = db.execute("select operation, reason from event order by id").fetchall()
        kept = [row[0] for row in db.execute("select reason from version order by number")]

    assert events == [("store", None), ("update", None), ("retire", None), ("restore", None)]
    assert kept == ["reason-one", "reason-two", "reason-three"]


async def test_a_supersession_can_be_undone(hashing):
    old = await hashing.store("The deploy runs on Mondays", valid_to="2030-01-01")
    before = await read(hashing, old.id)
    new = await hashing.store("The deploy runs on Mondays now", on_conflict="supersede")

    done = await hashing.restore([old.id])

    after = await read(hashing, old.id)
    assert (new.action, done.restored) == ("supersede", (old.id,))
    assert after == before.model_copy(update={"version": 3, "updated_at": after.updated_at})
    assert (await hashing.restore([old.id])).unchanged == (old.id,)


async def test_what_was_superseded_and_then_retired_is_found_again_once_restored(hashing):
    old = await hashing.store("The deploy runs on Mondays")
    await hashing.store("The deploy runs on Mondays now", on_conflict="supersede")
    await hashing.forget([old.id])

    await hashing.restore([old.id])

    assert old.handle in [hit.handle for hit in (await hashing.recall("deploy", min_score=0)).hits]


async def test_a_deprecated_memory_that_was_retired_comes_back_deprecated(memory):
    stored = await memory.store("One.")
    await memory.update(stored.id, status="deprecated")
    await memory.forget([stored.id])

    await memory.restore([stored.id])

    assert (await read(memory, stored.id)).status == "deprecated"


async def test_a_memory_that_was_superseded_from_its_first_moment_can_be_changed(hashing):
    old = await hashing.store("The deploy runs on Mondays")
    await hashing.store("The deploy runs on Mondays now", on_conflict="supersede", occurred_at="2020-01-01")

    await hashing.update(old.id, tags=["past"])

    with pytest.raises(InvalidRequest, match="valid_to is not after valid_from"):
        await hashing.update(old.id, valid_from="2030-01-01")
    assert (await read(hashing, old.id)).tags == ("past",)


# Erase.


@pytest.mark.failure("F090", "F039")
async def test_erasing_asks_twice_and_the_token_is_bound_to_memories_versions_and_caller(memory):
    one, two = await memory.store("One."), await memory.store("Two.")
    token = (await memory.forget([one.id], hard=True)).preview.token

    for ids, given in (([two.id], token), ([one.id, two.id], token), ([one.id], "abc")):
        with pytest.raises(Conflict, match="the token does not fit these memories as they are now"):
            await memory.forget(ids, hard=True, token=given)
    await memory.update(one.id, tags=["a"])
    with pytest.raises(Conflict):
        await memory.forget([one.id], hard=True, token=token)

    assert (await memory.list()).total == 2


async def test_a_token_lapses_within_the_hour(memory):
    one = await memory.store("One.")
    token = (await memory.forget([one.id], hard=True)).preview.token
    memory.ports.now.pass_(HOUR + MINUTE)

    with pytest.raises(Conflict):
        await memory.forget([one.id], hard=True, token=token)


async def test_the_preview_says_what_would_go_and_leaves_it_there(hashing):
    old = await hashing.store("The deploy runs on Mondays", kind="bug")
    await hashing.store("The deploy runs on Mondays now", kind="bug", on_conflict="supersede")

    shown = (await hashing.forget([old.id, NEVER], hard=True)).preview

    assert (shown.memories, shown.by_kind, shown.versions, shown.relations) == (1, {"bug": 1}, 1, 1)
    assert (await read(hashing, old.id)).content == "The deploy runs on Mondays"


async def test_with_nothing_to_erase_there_is_no_token(memory):
    with pytest.raises(InvalidRequest, match="nothing to erase within the write reach"):
        await memory.forget([NEVER], hard=True)


async def test_what_is_erased_is_gone_and_its_text_may_be_stored_anew(memory):
    one = await memory.store("One.")
    token = (await memory.forget([one.id], hard=True)).preview.token

    done = await memory.forget([one.id], hard=True, token=token, reason="asked to")

    assert (done.erased, done.erasure) == ((one.id,), "done")
    assert (await memory.get([one.id], versions=True)).missing == (one.id,)
    assert (await memory.restore([one.id])).missing == (one.id,)
    with pytest.raises(NotFound):
        await memory.update(one.id, title="x")
    again = await memory.store("One.")
    assert (again.action, again.id != one.id) == ("add", True)


# What lapses.


async def test_what_has_expired_is_still_read_by_id_and_can_be_prolonged(memory):
    stored = await memory.store("An offer.", expires_at="2023-11-15")
    memory.ports.now.pass_(3 * DAY)
    before = (await memory.list()).total

    await memory.update(stored.id, expires_at="2030-01-01")

    assert (before, (await memory.list()).total) == (0, 1)
