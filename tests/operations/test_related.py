"""What is near to one memory: by stored vectors, by words where there are none, and said which."""

import pytest

from bethink.domain import Relation, from_micros
from bethink.errors import NotFound
from bethink.models.none import NoEmbedder
from bethink.testing import HashingEmbedder
from tests.bed import DAY, START, Chosen, Clock, Ids, memory_at, worked

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
