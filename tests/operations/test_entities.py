"""Entities: what memories speak of, as callers see it and put it right."""

import pytest

from bethink.errors import Conflict, Forbidden, InvalidRequest, NotFound, TooLarge, Unsupported
from bethink.principal import AccessLevel, Permission, confined
from bethink.testing import HashingEmbedder
from tests.bed import HOUR, Clock, Ids, memory_at
from tests.storage.drafts import look


async def names(memory, **asked):
    return {e.name: e.memories for e in (await memory.entities(**asked)).entities}


async def about(memory, name):
    return (await memory.entities("get", name=name)).entities[0]


@pytest.fixture
async def told(memory):
    """Three memories about a cluster and those who run it."""
    first = await memory.store("Ann said that the Kubernetes cluster in Berlin is down.")
    second = await memory.store("We run K8s on AWS, and Ann likes it.")
    third = await memory.store("They told Bob of src/app.py in acme/web#12.")
    return memory, [first, second, third]


async def test_what_memories_speak_of_is_listed_most_mentioned_first(told):
    memory, _ = told

    assert list((await names(memory)).items()) == [
        ("Ann", 2), ("acme/web", 1), ("acme/web#12", 1), ("AWS", 1), ("Berlin", 1), ("Bob", 1), ("K8s", 1),
        ("Kubernetes", 1), ("src/app.py", 1),
    ]  # fmt: skip
    assert await names(memory, kind="person") == {"Ann": 2, "Bob": 1}
    assert await names(memory, name="kube") == {"Kubernetes": 1}


async def test_pages_of_a_list_hold_every_entity_once(told):
    memory, _ = told
    whole = [e.name for e in (await memory.entities()).entities]

    page = await memory.entities(limit=2)
    found = [e.name for e in page.entities]
    while page.cursor:
        page = await memory.entities(limit=2, cursor=page.cursor)
        found += [e.name for e in page.entities]

    assert found == whole
    cursor = (await memory.entities(limit=2)).cursor
    with pytest.raises(InvalidRequest, match="the cursor belongs to another call"):
        await memory.entities(kind="person", limit=2, cursor=cursor)
    with pytest.raises(InvalidRequest, match="the cursor is not valid"):
        await memory.entities(limit=2, cursor=cursor[:-2] + "zz")
    memory.ports.now.pass_(2 * HOUR)
    with pytest.raises(InvalidRequest, match="the cursor has expired"):
        await memory.entities(limit=2, cursor=cursor)


async def test_one_is_shown_with_its_memories_and_what_comes_with_it(told):
    memory, (first, second, _) = told

    shown = await memory.entities("get", name="ann")

    assert (shown.entities[0].name, shown.entities[0].kind) == ("Ann", "person")
    assert shown.memories == (second.handle, first.handle)
    assert set(shown.together) == {"AWS", "Berlin", "K8s", "Kubernetes"}


async def test_a_slip_of_a_name_is_taken_for_it_and_a_stranger_is_not_found(told):
    memory, _ = told

    shown = await memory.entities("get", name="Kubernets")

    assert (shown.entities[0].name, shown.notes) == ("Kubernetes", ("'Kubernets' was taken for 'Kubernetes'",))
    with pytest.raises(NotFound, match="no entity 'Zebra' in reach"):
        await memory.entities("get", name="Zebra")


async def test_a_change_is_not_made_by_a_slip(told):
    memory, _ = told

    with pytest.raises(NotFound, match="no entity 'Kubernets'"):
        await memory.entities("rename", name="Kubernets", to="Cluster")


async def test_merged_entities_are_one_also_for_what_is_stored_later(told):
    memory, (first, second, _) = told

    await memory.entities("merge", name="Kubernetes", others=["K8s"])
    later = await memory.store("K8s was upgraded by Bob.")

    shown = await memory.entities("get", name="k8s")
    assert (shown.entities[0].name, shown.entities[0].aliases, shown.entities[0].memories) == (
        "Kubernetes",
        ("K8s",),
        3,
    )
    assert shown.memories == (later.handle, second.handle, first.handle)
    assert {m.handle for m in (await memory.list(entity="Kubernetes")).memories} == set(shown.memories)


async def test_a_renamed_entity_keeps_its_old_name_beside_the_new(told):
    memory, _ = told

    await memory.entities("rename", name="Ann", to="Ann Smith", kind="engineer")
    await memory.store("They met with Ann in the office.")

    shown = await about(memory, "ann")
    assert (shown.name, shown.kind, shown.aliases, shown.memories) == ("Ann Smith", "engineer", ("Ann",), 3)
    assert (await memory.list(entity="ann smith")).total == 3


async def test_a_memory_counts_once_for_an_entity_that_it_names_twice(told):
    memory, _ = told
    await memory.store("Kubernetes, in short K8s, is what we use.")

    await memory.entities("merge", name="Kubernetes", others=["K8s"])

    assert (await about(memory, "Kubernetes")).memories == 3


async def test_a_memory_counts_once_for_an_entity_that_it_is_said_to_mention_in_another_spelling(memory):
    stored = await memory.store("We talked with Carol Miller about the cluster.")

    await memory.entities("assert", memory=stored.id, entities=[{"name": "CAROL MILLER", "kind": "engineer"}])

    assert (await about(memory, "Carol Miller")).memories == 1


async def test_what_a_caller_says_of_a_memory_stands_until_it_says_otherwise(told):
    memory, (first, _, _) = told
    tie = {"source": "Carol", "type": "Works_On", "target": "Kubernetes"}

    await memory.entities("assert", memory=first.id, entities=[{"name": "Carol", "kind": "Person"}], relations=[tie])
    await memory.update(first.id, content="The cluster is up again.")

    shown = await memory.entities("get", name="Carol")
    assert (shown.entities[0].kind, shown.memories) == ("person", (first.handle,))
    assert [(t.source, t.type, t.target) for t in shown.relations] == [("Carol", "works_on", "Kubernetes")]

    await memory.entities("assert", memory=first.id, entities=[{"name": "Dan"}])
    assert "Dan" in await names(memory)
    assert "Carol" not in await names(memory)


async def test_an_edited_memory_speaks_of_what_its_new_text_says(told):
    memory, (_, _, third) = told

    await memory.update(third.id, content="They told Carol of it.")

    assert {"Carol", "Bob"} & (await names(memory)).keys() == {"Carol"}
    assert (await memory.list(entity="Bob")).total == 0


async def test_a_bare_number_means_the_repository_of_its_namespace(memory):
    await memory.namespaces("create", path="user:ann", default_repo="acme/web")

    done = await memory.store("Fixed by PR #12.")
    await memory.update(done.id, content="Fixed by PR #13.")

    assert await names(memory) == {"acme/web#13": 1}


async def test_where_there_is_no_repository_a_bare_number_is_nothing(memory):
    await memory.namespaces("create", path="user:ann", default_repo="")

    await memory.store("Fixed by PR #12.")

    assert await names(memory) == {}


async def test_the_source_of_a_memory_is_a_part_of_what_it_speaks_of(memory):
    await memory.store("It is slow.", source={"repo": "acme/web", "path": "src/slow.py"})

    assert await names(memory) == {"acme/web": 1, "src/slow.py": 1}


async def test_what_another_process_writes_is_seen_at_the_next_call(memory, path):
    other = memory_at(path)
    await names(other)

    await memory.store("They told Bob of it.")

    assert await names(other) == {"Bob": 1}
    assert (await other.list(entity="bob")).total == 1
    await other.close()


async def test_entities_of_one_name_in_two_namespaces_are_shown_as_one_and_changed_where_one_may(path):
    memory = memory_at(path)
    await memory.store("They told Bob of it.", namespace="team:a")
    await memory.store("They told Bob of that, and told Robert too.", namespace="team:b")
    both = ["team:a", "team:b"]
    inside = memory.as_(confined("team:b"))

    assert await names(memory, namespaces=both) == {"Bob": 2, "Robert": 1}
    await inside.entities("merge", name="Bob", others=["Robert"])

    assert await names(inside) == {"Bob": 1}
    assert await names(memory, namespaces=["team:a"]) == {"Bob": 1}
    await memory.close()


@pytest.mark.failure("F231")
async def test_what_only_memories_out_of_reach_mention_is_invisible(path):
    memory = memory_at(path)
    await memory.store("They told Bob of the cat.", namespace="team:a")
    await memory.store("They told Mallory, the spy, of it.", namespace="team:a", access_level=AccessLevel.restricted)
    await memory.store("They told Eve of it.", namespace="team:b")
    inside = memory.as_(confined("team:a"))

    assert await names(inside) == {"Bob": 1}
    for hidden in ("Mallory", "Eve", "Nobody", "Malory"):
        assert (await inside.list(entity=hidden)).total == 0
        with pytest.raises(NotFound, match=f"no entity '{hidden}' in reach") as wrong:
            await inside.entities("get", name=hidden)
        assert wrong.value.hint == "Use action list to see what there is."
        for change in (
            {"action": "merge", "name": "Bob", "others": [hidden]},
            {"action": "rename", "name": hidden, "to": "X"},
        ):
            with pytest.raises(NotFound, match=f"no entity '{hidden}' in reach"):
                await inside.entities(**change)
    await memory.close()


@pytest.mark.failure("F231")
async def test_a_name_that_a_merge_brought_from_out_of_reach_leads_nowhere(path):
    memory = memory_at(path)
    await memory.store("They told Bob of the cat.", namespace="team:a")
    await memory.store("They told Mallory of it.", namespace="team:a", access_level=AccessLevel.restricted)
    inside = memory.as_(confined("team:a"))

    await memory.entities("merge", name="Mallory", others=["Bob"], namespaces=["team:a"])

    assert [(e.name, e.aliases, e.memories) for e in (await inside.entities()).entities] == [("Bob", (), 1)]
    assert (await inside.list(entity="Mallory")).total == 0
    assert (await inside.list(entity="Bob")).total == 1
    await memory.close()


async def test_a_name_taken_by_what_is_out_of_reach_can_still_be_given(path):
    memory = memory_at(path)
    await memory.store("They told Bob of the cat.", namespace="team:a")
    await memory.store("They told Mallory of it.", namespace="team:a", access_level=AccessLevel.restricted)
    inside = memory.as_(confined("team:a"))

    renamed = await inside.entities("rename", name="Bob", to="Mallory")

    assert [(e.name, e.memories) for e in renamed.entities] == [("Mallory", 1)]
    await memory.close()


async def test_who_may_only_read_sees_what_there_is_and_changes_nothing(told):
    memory, (first, second, _) = told
    reader = memory.as_(confined("user:ann", permissions=()))

    assert (await about(reader, "Ann")).memories == 2
    assert {m.handle for m in (await reader.list(entity="Ann")).memories} == {first.handle, second.handle}
    with pytest.raises(Unsupported, match="entities rename is not available here"):
        await reader.entities("rename", name="Ann", to="Zoe")


async def test_what_can_be_read_but_not_written_is_not_changed(path):
    memory = memory_at(path)
    done = await memory.store("They told Bob of it.", namespace="team:a")
    below = memory.as_(confined("team:a/agent:x"))

    with pytest.raises(Forbidden, match="'Bob' is outside the write reach"):
        await below.entities("rename", name="Bob", to="Robert")
    with pytest.raises(Forbidden, match="is outside the write reach"):
        await below.entities("assert", memory=done.id, entities=[{"name": "Robert"}])
    await memory.close()


@pytest.mark.parametrize(
    ("asked", "kind", "said"),
    [
        ({"action": "get"}, InvalidRequest, "name is required"),
        ({"action": "merge", "name": "Ann"}, InvalidRequest, "others is required"),
        ({"action": "merge", "name": "Ann", "others": ["ANN"]}, InvalidRequest, "cannot be merged with itself"),
        ({"action": "merge", "name": "Ann", "others": []}, InvalidRequest, "others: it is empty"),
        ({"action": "rename", "name": "Ann"}, InvalidRequest, "rename takes one of kind, to"),
        ({"action": "rename", "name": "Ann", "to": "Kubernetes"}, Conflict, "'Kubernetes' is another entity"),
        ({"action": "rename", "name": "Ann", "to": " \u200b"}, InvalidRequest, "to: it is blank"),
        ({"action": "rename", "name": "Ann", "to": "x" * 201}, TooLarge, "to: 201 is over the limit of 200"),
        ({"action": "list", "to": "Ann"}, InvalidRequest, "list takes no 'to'"),
        ({"action": "assert", "memory": "ffffffffff", "entities": [{"name": "X"}]}, NotFound, "no memory 'ffffffffff'"),
        ({"action": "assert", "memory": "ffffffffff"}, InvalidRequest, "assert takes one of entities, relations"),
        ({"action": "list", "cursor": "x"}, InvalidRequest, "the cursor is not valid"),
        ({"action": "split"}, InvalidRequest, "action: 'split' is not accepted"),
    ],
)  # fmt: skip
async def test_what_cannot_be_done_says_why_and_changes_nothing(told, path, asked, kind, said):
    memory, _ = told
    tables = ("select * from alias", "select * from mention", "select count(*) from event")
    before = look(path, *tables)

    with pytest.raises(kind, match=said):
        await memory.entities(**asked)

    assert look(path, *tables) == before


async def test_an_edge_needs_two_ends(told):
    memory, (first, _, _) = told
    tie = {"source": "Ann", "type": "is", "target": "ann"}

    with pytest.raises(InvalidRequest, match="'Ann' is at both ends"):
        await memory.entities("assert", memory=first.id, relations=[tie])


async def test_no_credential_becomes_a_name(told, path):
    memory, (first, _, _) = told
    key = "AKIA" + "IOSFODNN7EXAMPLE"

    await memory.entities("assert", memory=first.id, entities=[{"name": key}])

    assert key not in str(look(path, "select * from alias"))


async def test_recall_takes_up_what_is_tied_to_its_hits(path):
    memory = memory_at(path, embedder=HashingEmbedder(), clock=Clock(), ids=Ids())
    for number in range(30):
        await memory.store(f"Nothing to see in report {number}.")
    await memory.store("They told Zephyrine about the harbour.")
    tied = await memory.store("They told Zephyrine off over money.")

    plain = await memory.recall("harbour", mode="keyword", min_score=0)
    linked = await memory.recall("harbour", mode="keyword", min_score=0, use_graph=True, explain=True)

    assert tied.handle not in {hit.handle for hit in plain.hits}
    (found,) = [hit for hit in linked.hits if hit.handle == tied.handle]
    assert found.terms["graph"] > 0
    assert all(abs(sum(hit.terms.values()) - hit.score) < 1e-3 for hit in linked.hits)
    await memory.close()


async def test_recall_takes_a_slip_for_the_entity_that_was_meant(told):
    memory, (first, _, _) = told

    found = await memory.recall("what about Kubernetees", use_graph=True, min_score=0)

    assert found.hits[0].handle == first.handle


async def test_ties_lead_nowhere_that_filters_and_reach_do_not_admit(path):
    memory = memory_at(path)
    await memory.store("They told Zephyrine about the harbour.", namespace="team:a")
    await memory.store("They told Zephyrine off.", namespace="team:a", tags=["x"])
    await memory.store("They told Zephyrine of a secret.", namespace="team:a", access_level=AccessLevel.restricted)
    inside = memory.as_(confined("team:a", permissions=(Permission.write,)))

    found = await inside.recall("harbour", use_graph=True, min_score=0)
    tagged = await inside.recall("harbour", use_graph=True, min_score=0, tags=["x"])

    assert {hit.text for hit in found.hits} == {"They told Zephyrine about the harbour.", "They told Zephyrine off."}
    assert tagged.hits == ()
    await memory.close()


async def test_pages_of_a_recall_with_ties_hold_every_memory_once(path):
    memory = memory_at(path, clock=Clock(), ids=Ids())
    for number in range(12):
        await memory.store(f"They told Zephyrine about harbour {number}.")

    page = await memory.recall("harbour", use_graph=True, limit=5, min_score=0)
    found = [hit.handle for hit in page.hits]
    while page.cursor:
        page = await memory.recall("harbour", use_graph=True, limit=5, min_score=0, cursor=page.cursor)
        found += [hit.handle for hit in page.hits]

    assert (len(found), len(set(found))) == (12, 12)
    await memory.close()
