"""Counting by what memories are: each figure is what counting a list by hand comes to."""

from collections import Counter
from zoneinfo import ZoneInfo

import pytest

from bethink.domain import Relation, Source, from_micros
from bethink.errors import Forbidden, InvalidRequest, Unsupported
from bethink.operations.explore import FACETS
from bethink.principal import AccessLevel, confined
from tests.bed import DAY, HOUR, START, Clock, Ids, memory_at


async def filled(memory):
    """Memories of every sort, in two namespaces; return those that a list has by default."""
    source = Source(repo="acme/web", path="src/a.py", type="file").model_dump(exclude_none=True)
    await memory.store("The deploy runs on Tuesdays.", tags=["Ops", "deploy"], kind="decision", source=source)
    await memory.store("The rota is in the wiki.", tags=["ops"], subtype="rota", author="ann", confidence=0.35)
    await memory.store("A test of the rota.", tags=["OPS", "test"], verification="tool_verified", pinned=True)
    await memory.store("Grace likes tea.", occurred_at="2020-02-29", importance=1.0, source={"repo": "acme/web"})
    await memory.store("It was decided elsewhere.", namespace="team:other", language="de")
    await memory.store("A whole text.", kind="document")
    await memory.store("Soon over.", expires_at="in 2 days", tags=["ops"])
    gone = await memory.store("No longer so.", tags=["gone"], author="bob")
    await memory.forget([gone.id])
    memory.ports.now.pass_(3 * DAY)
    return [listed.memory for listed in (await memory.list(detail="full", limit=200)).memories]


def counted(explored):
    """The counts of each facet, by its values."""
    without = {f.facet: {None: f.missing} if f.missing else {} for f in explored.facets}
    return {f.facet: {b.value: b.count for b in f.buckets} | without[f.facet] for f in explored.facets}


def by_hand(memories, value):
    return dict(Counter(value(m) for m in memories))


async def test_each_facet_counts_what_a_list_holds(memory):
    memories = await filled(memory)

    found = await memory.explore(list(FACETS))

    assert found.total == len(memories) == 4
    said = counted(found)
    for name in ("kind", "status", "level", "access_level", "origin"):
        assert said[name] == by_hand(memories, lambda m, name=name: getattr(m, name).value), name
    for name in ("subtype", "author", "agent", "language"):
        assert said[name] == by_hand(memories, lambda m, name=name: getattr(m, name)), name
    for part in Source.model_fields:
        assert said[f"source_{part}"] == by_hand(memories, lambda m, part=part: m.source and getattr(m.source, part))
    assert said["occurred_month"] == by_hand(memories, lambda m: f"{m.occurred_at:%Y-%m}")
    assert said["recorded_month"] == said["confirmed_month"] == {"2023-11": 4}
    assert said["pinned"] == {"true": 1, "false": 3}
    assert said["confidence"] == {"0.8": 3, "0.3": 1}
    assert said["importance"]["1.0"] == 1
    assert said["expired"] == said["has_relations"] == {"false": 4}
    assert said["tag"] == {"OPS": 3, "deploy": 1, "test": 1, None: 1}


async def test_the_owner_counts_by_namespace_and_a_confined_principal_does_not(memory):
    await filled(memory)
    agent = memory.as_(confined("user:ann"))

    found = await memory.explore(["namespace"], namespaces=["user:ann", "team:other"])

    assert counted(found) == {"namespace": {"user:ann": 4, "team:other": 1}}
    with pytest.raises(Forbidden, match="'namespace' cannot be a facet here"):
        await agent.explore(["namespace"])
    with pytest.raises(InvalidRequest) as wrong:
        await agent.explore(["namespac"])
    assert "namespace" not in wrong.value.hint


async def test_filters_apply_before_anything_is_counted(memory):
    await filled(memory)

    async def said(*facets, **filters):
        return counted(await memory.explore(list(facets), **filters))

    assert await said("kind", tags=["ops"]) == {"kind": {"fact": 2, "decision": 1}}
    assert await said("tag", status=["retired"]) == {"tag": {"gone": 1}}
    assert await said("tag", expired=True) == {"tag": {"ops": 1}}
    assert await said("expired", status="any") == {"expired": {"true": 1, "false": 5}}
    assert await said("kind", kinds=["document"]) == {"kind": {"document": 1}}
    assert await said("author", source={"repo": "acme/web"}) == {"author": {None: 2}}


async def test_a_change_is_counted_at_the_next_call(memory):
    stored = await memory.store("The deploy runs on Tuesdays.", tags=["ops"], source={"repo": "a"})
    await memory.store("Another.", tags=["ops"])
    assert counted(await memory.explore(["tag", "source_repo"])) == {
        "tag": {"ops": 2},
        "source_repo": {"a": 1, None: 1},
    }

    await memory.update(stored.id, content="The deploy runs on Mondays.", tags=["new"], source={"repo": "b"})

    assert counted(await memory.explore(["tag", "source_repo"])) == {
        "tag": {"new": 1, "ops": 1},
        "source_repo": {"b": 1, None: 1},
    }
    token = (await memory.forget([stored.id], hard=True)).preview.token
    await memory.forget([stored.id], hard=True, token=token)
    assert counted(await memory.explore(["tag", "source_repo"])) == {"tag": {"ops": 1}, "source_repo": {None: 1}}


async def told(memory, **asked):
    (facet,) = (await memory.explore(["entity"], **asked)).facets
    return {b.value: b.count for b in facet.buckets}, facet.missing, facet.more


@pytest.fixture
async def spoken_of(memory):
    """What is said of some people in two namespaces: for all, and for a few."""
    await memory.store("They told Ann Smith about Berlin.", tags=["ops"])
    await memory.store("They told Ann Smith about Kubernetes and about K8s.", tags=["ops"])
    await memory.store("They met Bob Miller in Berlin.", kind="decision")
    await memory.store("Nothing of note.", tags=["ops"])
    await memory.store("They told Ann Smith about Quentin Quinn.", namespace="team:other")
    await memory.store("They fear Zoe Zimmer.", access_level="restricted")
    return memory


async def test_a_memory_counts_once_for_each_entity_that_it_mentions(spoken_of):
    named, missing, more = await told(spoken_of)

    assert list(named.items()) == [
        ("Ann Smith", 2), ("Berlin", 2), ("Bob Miller", 1), ("K8s", 1), ("Kubernetes", 1), ("Zoe Zimmer", 1)
    ]  # fmt: skip
    assert (missing, more) == (1, 0)
    assert await told(spoken_of, tags=["ops"], limit=1) == ({"Ann Smith": 2}, 1, 3)
    assert await told(spoken_of, kinds=["decision"]) == ({"Berlin": 1, "Bob Miller": 1}, 0, 0)


async def test_each_entity_counts_what_its_filter_finds(spoken_of):
    await spoken_of.entities("merge", name="Kubernetes", others=["K8s"])
    await spoken_of.entities("rename", name="Bob Miller", to="Robert Miller")

    named, _, _ = await told(spoken_of, namespaces=["user:ann", "team:other"])

    assert named == {"Ann Smith": 3, "Berlin": 2, "Kubernetes": 1, "Quentin Quinn": 1, "Robert Miller": 1,
        "Zoe Zimmer": 1}  # fmt: skip
    for name, count in named.items():
        assert (await spoken_of.list(entity=name, namespaces=["user:ann", "team:other"])).total == count, name


async def test_only_the_entities_of_memories_in_reach_are_counted(spoken_of):
    away = spoken_of.as_(confined("team:other"))
    low = spoken_of.as_(confined("user:ann", ceiling=AccessLevel.internal))

    assert await told(away) == ({"Ann Smith": 1, "Quentin Quinn": 1}, 0, 0)
    assert "Zoe Zimmer" not in (await told(low))[0]


async def test_an_entity_that_only_an_earlier_text_named_is_counted_no_longer(spoken_of):
    memory = next(m for m in (await spoken_of.list(detail="full")).memories if "Bob" in m.text)

    await spoken_of.update(memory.memory.id, content="They met somebody in Berlin.")

    named, missing, _ = await told(spoken_of)
    assert ("Bob Miller" in named, named["Berlin"], missing) == (False, 2, 1)


async def test_an_edge_counts_where_the_caller_sees_both_ends(memory):
    one, other = [await memory.store(f"The {word} note.") for word in ("first", "second")]
    away = await memory.store("A note elsewhere.", namespace="team:other")
    for target in (other, away):
        edge = Relation(source=one.id, target=target.id, type="related_to", created_at=from_micros(START))
        await memory.ports.storage.write(lambda writer, edge=edge: writer.relate(edge))

    found = await memory.explore(["has_relations"])
    seen = await memory.as_(confined("team:other")).explore(["has_relations"])

    assert counted(found) == {"has_relations": {"true": 2}}
    assert counted(seen) == {"has_relations": {"false": 1}}


async def test_months_are_those_of_the_callers_zone(path):
    memory = memory_at(path, clock=Clock(), ids=Ids())
    memory.ports.policy = type(memory.ports.policy)(ZoneInfo("Asia/Tokyo"))
    for day in ("2024-05-01", "2024-04-30", "2024-04-30T23:59:59", "0001-01-01", "9999-12-31"):
        await memory.store(f"A note of {day}.", occurred_at=day)

    found = await memory.explore(["occurred_month"], status="any")

    assert counted(found)["occurred_month"] == {"9999-12": 1, "2024-05": 1, "2024-04": 2, "0001-01": 1}
    assert found.facets[0].buckets[0].value == "9999-12"
    await memory.close()


@pytest.mark.failure("F242")
async def test_what_is_left_off_is_said(memory):
    for n in range(30):
        await memory.store(f"The note {n}.", tags=[f"tag-{n:02}", "all"], author="a" * 150 + str(n))

    few = (await memory.explore(["tag"], limit=3)).facets[0]
    short = await memory.explore(["author", "kind"], limit=100, max_tokens=1_000)

    assert ([b.value for b in few.buckets], few.more, few.missing) == (["all", "tag-00", "tag-01"], 28, 0)
    assert 5 < len(short.facets[0].buckets) < 25
    assert short.facets[0].more == 30 - len(short.facets[0].buckets)
    assert counted(short)["kind"] == {"fact": 30}


@pytest.mark.parametrize("facet", ["theme", "orphans", "claims"])
async def test_what_is_not_counted_yet_is_refused_by_name_with_what_is(memory, facet):
    with pytest.raises(Unsupported, match=f"the facet '{facet}' is not served yet") as wrong:
        await memory.explore(["kind", facet])

    assert wrong.value.hint == "Count by tag, kind or subtype instead."


async def test_an_unknown_facet_is_refused_with_the_nearest(memory):
    with pytest.raises(InvalidRequest, match="there is no facet 'tags'") as wrong:
        await memory.explore(["tags"])

    assert wrong.value.hint.startswith("Did you mean 'tag'?")


async def test_an_empty_memory_is_counted_too(memory):
    found = await memory.explore(["kind", "tag", "occurred_month", "source_url"])

    assert (found.total, counted(found)) == (0, {"kind": {}, "tag": {}, "occurred_month": {}, "source_url": {}})


async def test_times_between_two_looks_do_not_change_what_is_counted(memory):
    await filled(memory)
    first = await memory.explore(["tag", "source_repo", "kind"])

    memory.ports.now.pass_(HOUR)

    assert await memory.explore(["tag", "source_repo", "kind"]) == first
