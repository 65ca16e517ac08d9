"""Namespaces: made and changed on purpose, and each of their settings acts."""

import pytest

from bethink.errors import BethinkError, Conflict, Forbidden, InvalidRequest, NotFound
from bethink.principal import Permission, confined
from tests.bed import DAY, START

PLACE = "team:acme/project:web"


async def settings(memory, path=PLACE):
    (found,) = (n for n in (await memory.namespaces()).namespaces if n.path == path)
    return found


async def test_a_namespace_is_made_by_its_first_write_or_on_purpose(memory):
    await memory.store("One.", namespace="team:a")
    made = await memory.namespaces("create", path=PLACE, description="The web shop")

    listed = await memory.namespaces()

    assert made.changed == PLACE
    assert [(n.path, n.memories, n.description) for n in listed.namespaces] == [
        ("team:a", 1, ""), (PLACE, 0, "The web shop"),
    ]  # fmt: skip
    assert f"{PLACE}: 0 memories; The web shop" in listed.compact()


async def test_what_is_set_for_a_namespace_is_shown_to_a_model_in_one_line_and_what_is_not_is_left_out(memory):
    await memory.namespaces("create", path="team:a", floor=0, required_tags=["ops", "web"], max_memories=5_000)
    await memory.namespaces("create", path="team:b", description="b", dedup_threshold=0.9, default_repo="acme/web\nx")
    await memory.namespaces("create", path="team:c")

    lines = (await memory.namespaces()).compact().splitlines()

    assert lines == [
        "team:a: 0 memories; floor 0.0; required_tags ops, web; max_memories 5000",
        "team:b: 0 memories; b; dedup_threshold 0.9; default_repo acme/web x",
        "team:c: 0 memories",
    ]


async def test_a_list_of_namespaces_holds_what_fits_at_least_one_and_says_how_many_more_there_are(memory):
    for n in range(4):
        await memory.namespaces("create", path=f"team:{n}", description="what is kept there, " * 50)

    listed = [await memory.namespaces(max_tokens=most) for most in (100, 700, 10_000)]

    assert [(len(one.namespaces), one.more) for one in listed] == [(1, 3), (2, 2), (4, 0)]
    assert "3 more" in listed[0].compact()


async def test_statistics_name_the_fullest_namespaces_and_say_how_many_more_there_are(memory):
    deep = ["/".join([f"{n:02}" + "x" * 60] * 8) for n in range(12)]
    for path in deep:
        await memory.store("A note.", namespace=path)
    await memory.store("Another.", namespace=deep[-1])

    stats = await memory.stats(namespaces=deep)

    assert next(iter(stats.by_namespace)) == deep[-1]
    assert len(stats.by_namespace) + stats.more_namespaces == 12
    assert len("".join(stats.by_namespace)) < 4_000
    assert f", {stats.more_namespaces} more" in stats.compact()


async def test_a_list_says_what_the_memories_of_each_namespace_come_to(hashing):
    clock, ids = hashing.ports.now, {}
    for text in ("kept", "retired", "restored", "erased"):
        ids[text] = (await hashing.store(f"The {text} one.", namespace=PLACE, on_conflict="add")).id
    await hashing.store("Another's.", namespace="team:b", context="ünder lunch", metadata={"a": 1})
    await hashing.forget([ids["retired"], ids["restored"]])
    deploys = ["The deploy runs on Mondays", "The deploy runs on Mondays now"]
    for text in deploys:
        await hashing.store(text, namespace=PLACE, on_conflict="supersede")
    token = (await hashing.forget([ids["erased"]], hard=True)).preview.token
    await hashing.forget([ids["erased"]], hard=True, token=token)
    clock.pass_(DAY)
    await hashing.restore([ids["restored"]])

    listed = {n.path: n for n in (await hashing.namespaces()).namespaces}

    web, other = listed[PLACE], listed["team:b"]
    assert (web.memories, web.live, web.retired, web.pending) == (5, 3, 1, 0)
    assert (other.memories, other.live, other.retired, other.pending) == (1, 1, 0, 0)
    texts = [*(f"The {text} one." for text in ("kept", "retired", "restored")), *deploys]
    no_evidence = len("[]")
    assert web.bytes == sum(len(text) + no_evidence for text in texts)
    assert other.bytes == len("Another's.ünder lunch{'a': 1}".encode()) + no_evidence
    assert web.last_write == (await hashing.get([ids["restored"]])).memories[0].updated_at
    assert (
        f"{PLACE}: 5 memories, 3 live, 1 retired, 112 B, last write 2023-11-15"
        in (await hashing.namespaces()).compact()
    )


async def test_a_list_says_how_many_memories_wait_for_their_vectors(memory):
    await memory.store("One.", namespace=PLACE)

    assert (await settings(memory)).pending == 1
    assert f"{PLACE}: 1 memory, 1 pending, 6 B" in (await memory.namespaces()).compact()


async def test_only_what_is_given_changes_and_null_clears(memory):
    await memory.namespaces("create", path=PLACE, description="d", floor=0.5, max_memories=3)

    await memory.namespaces("update", path=PLACE, max_memories=4, floor=None)

    changed = await settings(memory)
    assert (changed.description, changed.floor, changed.max_memories) == ("d", None, 4)


@pytest.mark.parametrize(
    ("given", "kind", "said"),
    [
        ({"action": "create"}, InvalidRequest, "path is required"),
        ({"action": "create", "path": PLACE}, Conflict, "exists already"),
        ({"action": "update", "path": "team:acme/project:wed"}, NotFound, "no namespace"),
        ({"action": "create", "path": "a b"}, InvalidRequest, "is not a namespace"),
        ({"action": "create", "path": "../x"}, InvalidRequest, "is not a namespace"),
        ({"action": "create", "path": "x" * 2_000}, InvalidRequest, "over the limit"),
        ({"action": "list", "floor": 0.2}, InvalidRequest, "list takes no settings"),
        ({"action": "delete", "path": PLACE}, InvalidRequest, "action: 'delete' is not accepted"),
        ({"action": "update", "path": PLACE, "dedup_threshold": 0.4}, InvalidRequest, "0.4 is less than 0.5"),
        ({"action": "update", "path": PLACE, "floor": 1.1}, InvalidRequest, "1.1 is more than 1"),
        ({"action": "update", "path": PLACE, "max_memories": 0}, InvalidRequest, "0 is less than 1"),
    ],
)
async def test_what_cannot_be_is_refused(memory, given, kind, said):
    await memory.namespaces("create", path=PLACE)

    with pytest.raises(kind, match=said) as wrong:
        await memory.namespaces(**given)

    assert wrong.value.hint
    assert [n.path for n in (await memory.namespaces()).namespaces] == [PLACE]


async def test_an_unknown_namespace_is_answered_with_near_ones(memory):
    await memory.namespaces("create", path=PLACE)

    with pytest.raises(NotFound) as wrong:
        await memory.namespaces("update", path="team:acme/project:wed", description="x")

    assert wrong.value.hint == f"Near: {PLACE}."


async def test_a_confined_administrator_changes_what_it_may_write_and_nothing_else(memory):
    admin = memory.as_(confined("team:acme", read=["subtree"], write=["subtree"], permissions=Permission))

    await admin.namespaces("create", path=PLACE)
    with pytest.raises(Forbidden, match="outside the write reach"):
        await admin.namespaces("create", path="team:other")

    assert (await settings(memory)).path == PLACE


@pytest.mark.failure("F066", "F068")
async def test_the_threshold_decides_what_is_nearly_the_same(hashing):
    await hashing.namespaces("create", path="strict", dedup_threshold=1.0)
    await hashing.namespaces("create", path="loose", dedup_threshold=0.5)
    outcomes = {}
    for place in ("strict", "loose"):
        await hashing.store("The deploy runs on Mondays", namespace=place)
        stored = await hashing.store("The deploy of staging runs on Mondays", namespace=place, on_conflict="supersede")
        outcomes[place] = stored.action

    assert outcomes == {"strict": "add", "loose": "supersede"}


async def test_a_list_can_be_of_a_namespace_and_those_below_it(memory):
    for path in ("team:acme", "team:acme/a", "team:acmes", "team:b"):
        await memory.namespaces("create", path=path)

    assert [n.path for n in (await memory.namespaces(path="team:acme")).namespaces] == ["team:acme", "team:acme/a"]
    assert (await memory.namespaces(path="team:none")).namespaces == ()


async def test_a_list_of_very_many_is_cut_and_says_how_many_are_left(memory):
    def create(writer):
        for number in range(203):
            writer.add_place(f"team:acme/{number:03}", START)

    await memory.ports.storage.write(create)

    listed = await memory.namespaces()

    assert (len(listed.namespaces), listed.more) == (200, 3)
    assert listed.compact().endswith("3 more; list those below one of them with `path`")


async def test_each_hit_is_judged_by_the_floor_of_its_own_namespace(memory):
    await memory.namespaces("create", path="strict", floor=1.0)
    for place in ("strict", "usual"):
        await memory.store("The red crane stands.", namespace=place)

    found = (await memory.recall("red crane stands", namespaces=["strict", "usual"])).hits
    asked = (await memory.recall("red crane stands", namespaces=["strict", "usual"], min_score=0, limit=5)).hits

    assert [h.namespace for h in found] == ["usual"]
    assert len(asked) == 1
    assert len(asked[0].same_text) == 1


@pytest.mark.parametrize("how", ["store", "store_many"])
async def test_required_tags_are_required_without_regard_to_case(memory, how):
    await memory.namespaces("create", path=PLACE, required_tags=["Ops", "web"])
    lacking = {"content": "One.", "tags": ["ops"]}

    if how == "store":
        with pytest.raises(InvalidRequest, match=f"tags: '{PLACE}' requires web"):
            await memory.store(**lacking, namespace=PLACE)
    else:
        done = await memory.store_many([lacking], namespace=PLACE)
        assert [r.reason for r in done.rejections] == [f"tags: '{PLACE}' requires web"]

    assert (await memory.store("Two.", tags=["OPS", "web"], namespace=PLACE)).stored
    assert (await settings(memory)).memories == 1


async def test_a_full_namespace_refuses_what_is_new_replays_what_is_known_and_says_what_to_do(memory):
    await memory.namespaces("create", path=PLACE, max_memories=2)
    await memory.store("One.", namespace=PLACE)

    done = await memory.store_many([{"content": text} for text in ("One.", "Two.", "Three.")], namespace=PLACE)
    again = await memory.store("Two.", namespace=PLACE)
    with pytest.raises(Conflict, match=f"'{PLACE}' is full: it may hold 2 memories") as wrong:
        await memory.store("Four.", namespace=PLACE)

    assert (done.stored, done.replayed, [r.item for r in done.rejections]) == (1, 1, [2])
    assert again.replayed
    assert "max_memories" in wrong.value.hint


async def test_every_change_is_an_event(memory):
    before = (await memory.stats()).store["events"]

    await memory.namespaces("create", path=PLACE)
    await memory.namespaces("update", path=PLACE, description="x")

    assert (await memory.stats()).store["events"] == before + 2


@pytest.mark.parametrize("dots", [".", "a/.", "a/../b", "...", "kind:.."])
async def test_no_path_has_a_segment_of_dots(memory, dots):
    for call in (
        memory.store("x", namespace=dots),
        memory.namespaces("create", path=dots),
        memory.list(namespaces=[dots]),
    ):
        with pytest.raises(BethinkError, match="is not a namespace"):
            await call
