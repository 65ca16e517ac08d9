"""The write gate: the same again, nearly the same, what recall has just shown, and what a namespace asks."""

import asyncio

import pytest

from bethink.errors import Conflict, InvalidRequest, TooLarge
from bethink.models.none import NoEmbedder
from bethink.principal import confined
from bethink.testing import HashingEmbedder
from tests.bed import ANN, DAY, Chosen, Clock, Ids, memory_at
from tests.storage.drafts import flaws, look

OLD, NEW, FAR = "Ada prefers tabs.", "Ada prefers tabs to spaces.", "The build takes nine minutes."
ANGLES = {OLD: 0, f"Editor\n{OLD}": 0, NEW: 10, FAR: 80, f"{OLD}\n\n{NEW}": 5, "prefers": 0}
NEARNESS = 0.98


@pytest.fixture
async def memory(path):
    memory = memory_at(path, embedder=Chosen(dict(ANGLES)), clock=Clock(), ids=Ids())
    yield memory
    await memory.close()


async def contents(memory, **filters):
    return [one.text for one in (await memory.list(detail="full", descending=False, **filters)).memories]


@pytest.mark.failure("F066", "F068")
async def test_add_stores_the_near_match_beside_the_old_and_reports_it(memory):
    old = await memory.store(OLD, title="Editor")

    new = await memory.store(NEW)

    (hint,) = new.similar
    assert (new.stored, new.action, hint.handle, hint.title, hint.summary) == (True, "add", old.handle, "Editor", OLD)
    assert (hint.basis, hint.similarity) == ("cosine", pytest.approx(NEARNESS, abs=0.01))
    assert await contents(memory) == [OLD, NEW]


@pytest.mark.failure("F143")
async def test_at_most_three_hints_of_200_characters_are_given(memory):
    for n in range(5):
        text = f"note number{n}" + " and a long text" * 40
        memory.ports.embedder.angles[text] = n
        await memory.store(text)

    hints = (await memory.store(OLD)).similar

    assert [len(hint.summary) <= 200 for hint in hints] == [True] * 3


async def test_no_hint_is_nearer_than_the_same_text(memory):
    for angle in range(0, 90, 5):
        texts = [f"{what} number{angle}" for what in ("One thing,", "Another thing,")]
        memory.ports.embedder.angles.update(dict.fromkeys(texts, angle))
        await memory.store(texts[0])

        (nearest, *_) = (await memory.store(texts[1])).similar

        assert 0.98 < nearest.similarity <= 1


async def test_hints_can_be_left_out(memory):
    await memory.store(OLD)

    assert (await memory.store(NEW, hints=False)).similar == ()


@pytest.mark.failure("F066")
async def test_update_appends_what_is_new_to_the_near_match_and_keeps_what_it_said(memory):
    old = await memory.store(OLD, tags=["a"])

    new = await memory.store(NEW, on_conflict="update", tags=["b"])
    assert new.similar == ()

    got = await memory.get([old.id], versions=True)
    assert (new.stored, new.action, new.id, new.version) == (True, "update", old.id, 2)
    assert (got.memories[0].content, got.memories[0].tags) == (f"{OLD}\n\n{NEW}", ("a", "b"))
    assert [version.content for version in got.versions[old.id]] == [OLD]
    assert (await memory.recall("prefers", mode="semantic", min_score=0)).hits[0].text == f"{OLD}\n\n{NEW}"


async def test_one_pinned_memory_more_than_a_brief_can_hold_is_refused_saying_which_could_go(memory):
    first, *_ = [await memory.store(f"pin {n}", pinned=True) for n in range(20)]
    loose = await memory.store("not pinned")

    for refused in (memory.store("one more", pinned=True), memory.update(loose.id, pinned=True)):
        with pytest.raises(Conflict, match="20 memories are pinned") as wrong:
            await refused
        assert first.id in wrong.value.hint
    await memory.forget([first.id])

    assert (await memory.update(loose.id, pinned=True)).changed == ("pinned",)
    assert (await memory.list(pinned=True)).total == 20


@pytest.mark.parametrize(("gone", "back"), [("forget", "restore"), ("supersede", "restore"), ("supersede", "update")])
async def test_a_pinned_memory_that_comes_back_counts_as_one_more(memory, gone, back):
    old = await memory.store(OLD, pinned=True)
    await (memory.forget([old.id]) if gone == "forget" else memory.store(NEW, on_conflict="supersede"))
    first, *_ = [await memory.store(f"pin {n}", pinned=True) for n in range(20)]

    with pytest.raises(Conflict, match="20 memories are pinned") as wrong:
        await (memory.restore([old.id]) if back == "restore" else memory.update(old.id, status="active"))

    assert first.id in wrong.value.hint
    assert (await memory.list(pinned=True)).total == 20


async def test_of_pinned_memories_that_come_back_together_all_fit_or_none_does(memory):
    *more, last = [(await memory.store(f"was pinned {n}", pinned=True)).id for n in range(6)]
    loose = await memory.store("not pinned")
    await memory.forget([*more, last, loose.id])
    there = [(await memory.store(f"pin {n}", pinned=True)).id for n in range(15)]

    with pytest.raises(
        Conflict, match="6 more pinned memories than the 15 in 'user:ann' are over the limit of 20"
    ) as wrong:
        await memory.restore([*more, last, loose.id])

    assert wrong.value.hint == f"Restore fewer, or unpin some that were not read for long: {', '.join(there[:3])}."
    assert (await memory.list(pinned=True)).total == 15
    assert (await memory.restore([*more, loose.id])).restored == (*more, loose.id)


async def test_of_similar_memories_the_one_that_is_superseded_is_not_named(memory):
    old = await memory.store(OLD)

    new = await memory.store(NEW, on_conflict="supersede")

    assert (new.superseded, new.similar) == (old.handle, ())


async def test_a_text_of_very_many_words_is_stored_without_an_embedder(path):
    memory = memory_at(path, embedder=NoEmbedder())

    stored = await memory.store(" ".join(f"w{n}" for n in range(40_000)))
    other = await memory.store(" ".join(f"w{n}" for n in range(1, 40_001)))

    assert (stored.stored, other.similar[0].handle) == (True, stored.handle)
    await memory.close()


async def test_update_with_what_the_near_match_already_says_adds_nothing(memory):
    await memory.store(f"{OLD}\n\n{NEW}")

    again = await memory.store(NEW, on_conflict="update")

    assert (again.stored, again.action, again.version) == (False, "skip", 1)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The gateway listens on port 8080", "The gateway listens on port 80"),
        ("The gateway does not listen on port 80", "listen on port 80"),
        ("Releases are tagged v1.10", "Releases are tagged v1.1"),
    ],
)
async def test_update_appends_a_text_that_only_looks_like_a_part_of_the_near_match(memory, old, new):
    memory.ports.embedder.angles |= {old: 0, new: 1}
    await memory.store(old)

    assert (await memory.store(new, on_conflict="update")).action == "update"
    assert await contents(memory) == [f"{old}\n\n{new}"]


@pytest.mark.parametrize("new", ["ada  prefers TABS", "prefers tabs, Ada", "Ada prefers tabs"])
async def test_update_adds_nothing_that_stands_there_in_other_dress(memory, new):
    memory.ports.embedder.angles[new] = 1
    await memory.store(OLD)

    assert (await memory.store(new, on_conflict="update")).action == ("update" if "," in new else "skip")


async def test_update_keeps_the_spelling_of_a_tag_that_is_there(memory):
    old = await memory.store(OLD, tags=["Ops"])

    await memory.store(NEW, on_conflict="update", tags=["ops", "Editor"])

    assert (await memory.get([old.id])).memories[0].tags == ("Ops", "Editor")


async def test_update_over_a_limit_is_refused_by_name_and_changes_nothing(memory):
    long = "x" * 999_990
    memory.ports.embedder.angles[long] = 0
    tagged = await memory.store(OLD, tags=[f"a{n}" for n in range(40)])

    with pytest.raises(TooLarge, match="tags: 80 together are over the limit of 64"):
        await memory.store(NEW, on_conflict="update", tags=[f"b{n}" for n in range(40)])
    with pytest.raises(TooLarge, match="content: 1,000,009 characters together are over the limit of 1,000,000"):
        await memory.store(long, on_conflict="update")

    assert (await memory.get([tagged.id])).memories[0].version == 1


@pytest.mark.failure("F058", "F064", "F075")
async def test_supersede_stores_the_new_and_closes_the_old_in_one_step(memory):
    old = await memory.store(OLD)

    new = await memory.store(NEW, on_conflict="supersede")

    got = await memory.get([old.id], relations=True)
    (edge,) = got.relations
    assert (new.action, new.superseded) == ("supersede", old.handle)
    assert (edge.source, edge.type, edge.target) == (new.id, "supersedes", old.id)
    assert (got.memories[0].status, got.memories[0].valid_to) == ("superseded", edge.created_at)
    assert await contents(memory) == [NEW]
    assert await contents(memory, status=["any"]) == [OLD, NEW]
    assert [hit.text for hit in (await memory.recall("Ada prefers", mode="keyword", min_score=0)).hits] == [NEW]
    both = (await memory.recall("Ada prefers", mode="keyword", min_score=0, status=["any"])).hits
    assert {hit.text: (hit.status, hit.superseded_by) for hit in both} == {
        OLD: ("superseded", new.handle),
        NEW: (None, None),
    }


async def test_skip_returns_the_memory_that_says_the_same_and_stores_nothing(memory):
    old = await memory.store(OLD)
    memory.ports.embedder.angles["Tabs are what Ada prefers."] = 3

    skipped = await memory.store("Tabs are what Ada prefers.", on_conflict="skip")

    assert (skipped.stored, skipped.action, skipped.id) == (False, "skip", old.id)
    assert await contents(memory) == [OLD]


@pytest.mark.failure("F068")
async def test_skip_stores_what_differs_in_a_fact(memory):
    memory.ports.embedder.angles |= {"The build takes 9 minutes.": 0, "The build takes 12 minutes.": 1}
    await memory.store("The build takes 9 minutes.")

    new = await memory.store("The build takes 12 minutes.", on_conflict="skip")

    assert (new.action, len(new.similar)) == ("add", 1)


@pytest.mark.parametrize("on_conflict", ["add", "update", "supersede", "skip"])
async def test_what_is_far_is_stored_whatever_was_asked(memory, on_conflict):
    await memory.store(OLD)

    far = await memory.store(FAR, on_conflict=on_conflict)

    assert (far.action, far.similar) == ("add", ())
    assert await contents(memory) == [OLD, FAR]


@pytest.mark.failure("F063")
@pytest.mark.parametrize("on_conflict", ["add", "update", "supersede", "skip"])
async def test_the_same_again_writes_nothing_and_returns_the_memory_that_is_there(memory, path, on_conflict):
    old = await memory.store(OLD)
    before = look(path, "select * from memory", "select * from event", "select * from version")

    again = await memory.store(OLD, on_conflict=on_conflict)

    assert (again.id, again.replayed, again.action) == (old.id, True, "replay")
    assert look(path, "select * from memory", "select * from event", "select * from version") == before


async def test_what_differs_in_kind_time_author_or_place_is_another_memory(memory):
    ways = [{}, {"kind": "decision"}, {"occurred_at": "2026-01-01"}, {"author": "Bob"}, {"namespace": "team:acme"}]

    ids = {(await memory.store(OLD, **way)).id for way in [*ways, *ways]}

    assert len(ids) == len(ways)


async def test_composed_and_decomposed_text_are_the_same(memory):
    assert (await memory.store("caf\u00e9 at nine")).id == (await memory.store("cafe\u0301 at nine")).id


async def test_turns_are_never_taken_for_one_another(memory):
    first = await memory.store("yes", kind="turn")
    second = await memory.store("yes", kind="turn")

    assert (first.id != second.id, second.replayed, second.similar) == (True, False, ())


async def test_a_retired_memory_is_neither_the_same_nor_near(memory):
    old = await memory.store(OLD)
    await memory.forget([old.id])

    again, near = await memory.store(OLD), await memory.store(NEW)

    assert (again.action, again.id != old.id) == ("add", True)
    assert [hint.handle for hint in near.similar] == [again.handle]


async def test_another_namespace_or_family_is_never_near(memory):
    await memory.store(OLD, namespace="team:acme")
    await memory.store(OLD, kind="observation")

    new = await memory.store(NEW, on_conflict="supersede")

    assert (new.action, new.similar) == ("add", ())


@pytest.mark.failure("F069")
async def test_of_two_processes_that_store_the_same_at_once_one_wins_and_the_other_replays(path):
    ids = Ids()
    processes = [memory_at(path, embedder=HashingEmbedder(), ids=ids) for _ in range(2)]
    texts = [f"fact number{n} of many" for n in range(25)]

    for text in texts:
        both = await asyncio.gather(*(process.store(text) for process in processes))
        assert both[0].id == both[1].id
        assert sorted(done.replayed for done in both) == [False, True]

    assert (await processes[0].list()).total == len(texts)
    for process in processes:
        await process.close()
    assert flaws(path) == []


async def test_of_two_that_supersede_the_same_memory_at_once_the_old_is_closed_once(path):
    ids, angles = Ids(), {OLD: 0, "Ada prefers spaces.": 4, "Ada prefers neither.": -4}
    processes = [memory_at(path, embedder=Chosen(angles), ids=ids) for _ in range(2)]
    old = await processes[0].store(OLD)

    texts = list(angles)[1:]
    pairs = zip(processes, texts, strict=True)
    done = await asyncio.gather(*(process.store(text, on_conflict="supersede") for process, text in pairs))

    got = await processes[0].get([old.id], versions=True)
    assert (len(got.versions[old.id]), [d.stored for d in done]) == (1, [True, True])
    assert flaws(path) == []
    for process in processes:
        await process.close()


async def shown(memory, text=OLD):
    await memory.store(text)
    assert (await memory.recall("Ada prefers tabs", mode="keyword", min_score=0)).hits


@pytest.mark.failure("F065")
@pytest.mark.parametrize("written_down", [False, True])
async def test_what_recall_has_just_shown_is_not_stored_again(memory, written_down):
    await shown(memory)
    if written_down:
        await memory.ports.journal.flush(memory.ports.storage)
    memory.ports.embedder.angles["ada prefers TABS"] = 2

    echo = await memory.store("ada prefers TABS")

    assert (echo.stored, echo.action) == (False, "echo")
    assert await contents(memory) == [OLD]


@pytest.mark.parametrize(
    ("more", "action"),
    [
        ({"kind": "decision"}, "add"),
        ({"tags": ["ops"]}, "add"),
        ({"pinned": True}, "add"),
        ({"title": "Editor"}, "add"),
        ({"importance": 0.91}, "add"),
        ({"kind": "fact", "pinned": False, "confidence": 0.8}, "echo"),
    ],
    ids=str,
)
async def test_what_is_given_beside_a_text_that_was_shown_makes_it_new_where_it_differs(memory, more, action):
    await shown(memory)

    assert (await memory.store("ada prefers TABS", **more)).action == action


async def test_an_echo_is_forgotten_after_a_day(memory):
    await shown(memory)
    await memory.ports.journal.flush(memory.ports.storage)
    memory.ports.now.pass_(DAY + 1)

    assert (await memory.store("ada prefers TABS")).stored


async def test_what_was_shown_to_another_is_no_echo(memory):
    await shown(memory)

    other = memory.as_(confined("user:ann"))

    assert (await other.store("ada prefers TABS")).stored


async def test_what_adds_to_what_was_shown_is_no_echo(memory):
    await shown(memory)

    assert (await memory.store(f"{OLD} She said so at the meeting about the new style guide.")).stored


async def test_a_namespace_may_require_tags(memory):
    await memory.namespaces("create", path="team:acme", required_tags=["Ticket"])

    with pytest.raises(InvalidRequest, match="requires Ticket"):
        await memory.store(OLD, namespace="team:acme")
    assert (await memory.store(OLD, namespace="team:acme", tags=["ticket"])).stored
    report = await memory.store_many([{"content": "a"}, {"content": "b", "tags": ["TICKET"]}], namespace="team:acme")

    assert (report.stored, [r.item for r in report.rejections]) == (1, [0])


async def test_a_full_namespace_refuses_more_until_something_is_erased(memory):
    await memory.namespaces("create", path="team:acme", max_memories=2)
    first = await memory.store("one of two", namespace="team:acme")
    await memory.store("two of two", namespace="team:acme")

    with pytest.raises(Conflict, match="may hold 2 memories") as told:
        await memory.store("one too many", namespace="team:acme")
    report = await memory.store_many([{"content": "one too many"}, {"content": "one of two"}], namespace="team:acme")
    token = (await memory.forget([first.id], hard=True)).preview.token
    await memory.forget([first.id], hard=True, token=token)

    assert "Erase some" in told.value.hint
    assert (report.replayed, [r.item for r in report.rejections]) == (1, [0])
    assert (await memory.store("room again", namespace="team:acme")).stored


async def test_what_scores_too_low_is_not_stored_and_why_is_said(memory):
    low = await memory.store("hm", min_importance=0.9)
    given = await memory.store("hm", min_importance=0.9, importance=0.1)
    high = await memory.store("hm", min_importance=0.9, importance=0.95)

    assert (low.stored, low.scorer, low.importance < 0.9) == (False, "wording", True)
    assert (given.stored, given.scorer, given.importance) == (False, "given", 0.1)
    assert high.stored
    assert await contents(memory) == ["hm"]


async def test_a_threshold_of_the_namespace_decides_what_is_near(memory):
    await memory.store(OLD)
    await memory.namespaces("update", path=ANN.place, dedup_threshold=1.0)

    assert (await memory.store(NEW, on_conflict="supersede")).action == "add"


async def test_without_vectors_the_same_words_are_near(path):
    memory = memory_at(path)
    old = await memory.store("We chose PostgreSQL because of row-level security")

    new = await memory.store("we chose PostgreSQL, because of row-level security!")

    assert [(hint.handle, hint.basis) for hint in new.similar] == [(old.handle, "lexical")]
    await memory.close()
