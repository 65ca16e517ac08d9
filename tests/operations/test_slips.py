"""A word that no memory holds, taken for the word of a title or for a name that it may be a slip of, and said so."""

import pytest

from bethink.principal import confined
from tests.bed import Clock, Ids, memory_at


@pytest.fixture
async def titled(memory):
    await memory.store("It holds the pods of every team.", title="Kubernetes cluster")
    await memory.store("The retention of backups is thirty days.", title="Backup policy")
    await memory.store("They told Annabelle about the migration.", title="Minutes")
    await memory.store("Carrots grow in the garden behind the house.", title="The garden")
    return memory


async def found(memory, query, **asked):
    recalled = await memory.recall(query, mode="keyword", **asked)
    return [hit.title for hit in recalled.hits], recalled.notes


@pytest.mark.failure("F325")
@pytest.mark.parametrize(
    ("query", "title", "note"),
    [
        ("who runs the Kubernates here?", "Kubernetes cluster", "'kubernates' was taken for 'Kubernetes'"),
        ("kubrenetes", "Kubernetes cluster", "'kubrenetes' was taken for 'Kubernetes'"),
        ("bakcup", "Backup policy", "'bakcup' was taken for 'Backup'"),
        ("who is Anabelle?", "Minutes", "'anabelle' was taken for 'annabelle'"),
    ],
)
async def test_a_slip_finds_the_title_or_the_name_that_is_meant_and_says_so(titled, query, title, note):
    titles, notes = await found(titled, query)

    assert titles[:1] == [title]
    assert note in notes


@pytest.mark.parametrize(
    "query", ["who feeds the parrots?", "kuberx", "pods", "retentoin", "kube", "what of 'Kubernetes'?"]
)
async def test_what_is_held_too_short_too_far_or_in_no_title_is_taken_for_nothing_else(titled, query):
    _, notes = await found(titled, query)

    assert notes == ()


async def test_a_word_that_is_held_is_not_taken_for_another(titled):
    await titled.store("The kubernetis is a beetle.", title="Beetles")

    titles, notes = await found(titled, "kubernetis")

    assert (titles[:1], notes) == (["Beetles"], ())


async def test_where_something_answers_no_slip_is_looked_for(titled):
    assert await found(titled, "retention of backups, Kubernates") == (["Backup policy"], ())


async def test_a_title_out_of_reach_is_not_meant(titled):
    away = titled.as_(confined("team:other"))
    await away.store("Nothing of note.")

    assert await found(away, "kubernates cluster") == ([], ())


async def test_titles_are_looked_up_whether_sealed_or_not_and_pages_agree(path):
    memory = memory_at(path, clock=Clock(), ids=Ids(), seal_at=3)
    for n in range(4):
        await memory.store(f"The pods number{n} are of the team.", title=f"Kubernetes {n}")

    whole = await memory.recall("kubernates", mode="keyword", limit=4)
    first = await memory.recall("kubernates", mode="keyword", limit=2)
    second = await memory.recall("kubernates", mode="keyword", limit=2, cursor=first.cursor)

    assert len(whole.hits) == 4
    assert [(h.title, h.score) for h in (*first.hits, *second.hits)] == [(h.title, h.score) for h in whole.hits]
    await memory.close()
