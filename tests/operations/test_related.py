"""What is near to one memory: by stored vectors, by words where there are none, and said which."""

import pytest

from bethink.domain import Relation, from_micros
from bethink.errors import NotFound
from bethink.models.none import NoEmbedder
from bethink.testing import HashingEmbedder
from tests.bed import DAY, START, Chosen, Clock, Ids, Steps, memory_at, worked
from tests.storage.drafts import add, draft

DEPLOY, AGAIN, DOG, CAT = "The deploy is on Tuesday.", "We deploy each Tuesday.", "The dog barks.", "Cats sleep a lot."
ANGLES = {DEPLOY: 0, AGAIN: 20, DOG: 60, CAT: 80}


@pytest.fixture
async def turned(path):
    """Four memories at angles that are chosen, opened again without any embedder."""
    memory = memory_at(path, embedder=Chosen(ANGLES), clock=Clock(), ids=Ids())
    for text in ANGLES:
        await memory.store(text, kind="decision" if text == DOG else "fact", on_conflict="add")
    await memory.close()
    memory = memory_at(path, embedder=NoEmbedder(), clock=Clock(START + DAY), ids=Ids(100))
    yield memory
    await memory.close()


async def the(memory, text):
    return next(listed.memory.id for listed in (await memory.list(detail="full")).memories if listed.text == text)


def told(found):
    return [(near.text, round(near.similarity, 1), near.by) for near in found.memories]


async def test_the_nearest_come_first_by_vectors_alone(turned):
    found = await turned.related(await the(turned, DEPLOY))

    assert told(found) == [(AGAIN, 0.9, "meaning"), (DOG, 0.5, "meaning"), (CAT, 0.2, "meaning")]
    assert found.skipped == ()


async def test_limit_floor_and_filters_apply(turned):
    deploy = await the(turned, DEPLOY)

    assert [n.text for n in (await turned.related(deploy, limit=1)).memories] == [AGAIN]
    assert [n.text for n in (await turned.related(deploy, min_similarity=0.4)).memories] == [AGAIN, DOG]
    assert [n.text for n in (await turned.related(deploy, kinds=["decision"])).memories] == [DOG]
    assert (await turned.related(deploy, tags=["none"])).memories == ()


async def test_what_is_linked_is_marked_and_can_be_left_out(turned):
    deploy, again, dog = [await the(turned, text) for text in (DEPLOY, AGAIN, DOG)]
    for edge in ((deploy, again, "related_to"), (dog, deploy, "caused_by")):
        source, target, kind = edge
        relation = Relation(source=source, target=target, type=kind, created_at=from_micros(START))
        await turned.ports.storage.write(lambda writer, relation=relation: writer.relate(relation))

    every = await turned.related(deploy)
    fresh = await turned.related(deploy, unlinked=True, limit=1)

    assert [(n.text, n.linked) for n in every.memories] == [(AGAIN, ("related_to",)), (DOG, ("caused_by",)), (CAT, ())]
    assert [n.text for n in fresh.memories] == [CAT]


async def draw(memory, hub, others):
    edges = [Relation(source=hub, target=other, type="related_to", created_at=from_micros(START)) for other in others]
    await memory.ports.storage.write(lambda writer: [writer.relate(edge) for edge in edges])


@pytest.fixture
async def crowded(path):
    """A memory whose nearest neighbours can be joined to it: opened so that what the database does is counted."""
    steps = Steps()
    texts = ["The hub of all.", *(f"The note {n}." for n in range(150))]
    angles = {text: n * 0.1 for n, text in enumerate(texts)}
    memory = memory_at(path, embedder=Chosen(angles), clock=Clock(), ids=Ids(), factory=steps.factory())
    await memory.store_many([{"content": text} for text in texts])
    ids = {listed.text: listed.memory.id for listed in (await memory.list(detail="full", limit=200)).memories}
    yield memory, [ids[text] for text in texts], steps
    await memory.close()


@pytest.mark.failure("F321")
async def test_what_else_a_memory_is_joined_to_costs_nothing(crowded):
    memory, (hub, *others), steps = crowded

    async def cost():
        await memory.related(hub)  # what was written is taken in
        steps.count = 0
        return [(n.text, n.linked) for n in (await memory.related(hub, limit=3)).memories], steps.count

    await draw(memory, hub, others[:3])
    few, steps_of_few = await cost()
    await draw(memory, hub, others)
    many, steps_of_many = await cost()

    assert many == few == [(f"The note {n}.", ("related_to",)) for n in range(3)]
    assert steps_of_many < steps_of_few + len(others) / 10


async def test_behind_many_that_are_linked_the_nearest_that_is_not_is_found(crowded):
    memory, (hub, *others), _ = crowded
    await draw(memory, hub, others[:100])

    found = await memory.related(hub, limit=2, unlinked=True)

    assert ([n.text for n in found.memories], found.skipped) == (["The note 100.", "The note 101."], ())
    await draw(memory, hub, others)
    assert (await memory.related(hub, unlinked=True)).memories == ()


async def test_how_far_it_was_looked_behind_those_that_are_linked_is_said(memory):
    near = [draft(f"A note of {n} cats.") for n in range(1_050)]
    hub, *others = await add(memory.ports.storage, draft("Notes of cats."), *near)
    await draw(memory, hub, others)
    memory.ports.now.pass_(DAY)

    found = await memory.related(hub, limit=1, unlinked=True, namespaces=["work"])

    assert found.memories == ()
    assert "what is less near than 1,001 others, of which nearly all are linked" in found.skipped


async def test_without_vectors_the_words_are_compared_and_that_is_said(memory):
    deploy = await memory.store("The zanzibar deploy is on Tuesday.")
    await memory.store("Who is on call for the zanzibar deploy?")
    await memory.store("A deploy takes an hour.")
    await memory.store("Cats sleep a lot.")

    found = await memory.related(deploy.id)

    assert [(n.text, n.by) for n in found.memories] == [
        ("Who is on call for the zanzibar deploy?", "keyword"),
        ("A deploy takes an hour.", "keyword"),
    ]
    assert 1 > found.memories[0].similarity > found.memories[1].similarity > 0
    assert found.skipped == ("meaning: this memory has no vectors",)


async def test_what_has_no_vector_yet_is_compared_by_words_behind_the_others(path):
    memory = memory_at(path, embedder=HashingEmbedder(), clock=Clock(), ids=Ids(), waits=False)
    deploy = await memory.store("The zanzibar deploy is on Tuesday.")
    await memory.store("The zanzibar deploy is on Tuesday, at noon.")
    memory.ports.embedder.ready = False
    await memory.store("Of the zanzibar deploy nobody knows.")

    found = await memory.related(deploy.id)

    assert [n.by for n in found.memories] == ["meaning", "keyword"]
    memory.ports.embedder.ready = True
    await worked(memory)
    assert [n.by for n in (await memory.related(deploy.id)).memories] == ["meaning", "meaning"]
    await memory.close()


async def test_any_part_of_a_long_memory_may_be_what_is_near(path):
    parts = ["Of cats and dogs much is said. " * 30, "The zanzibar deploy is on Tuesday at noon. " * 30]
    memory = memory_at(path, embedder=HashingEmbedder(), clock=Clock(), ids=Ids())
    long = await memory.store("\n\n".join(parts))
    await memory.store("The zanzibar deploy is on Tuesday at noon.")
    await memory.store("Wholly other matters of finance.")

    found = await memory.related(long.id)

    assert found.memories[0].text == "The zanzibar deploy is on Tuesday at noon."
    await memory.close()


async def test_a_memory_alone_has_none_near(memory):
    alone = await memory.store("The deploy is on Tuesday.")

    found = await memory.related(alone.id)

    assert found.memories == ()
    assert f"nothing is near to {alone.handle}" in found.compact()


async def test_an_unknown_memory_is_not_found(memory):
    with pytest.raises(NotFound):
        await memory.related("01890000-0000-7000-8000-00000badc0de")
