"""What any store does with edges, through `read` and `write` with plain drafts."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bethink.domain import Origin, Relation, Status, from_micros, to_micros
from bethink.principal import AccessLevel
from bethink.storage.sqlite.store import SqliteStore
from bethink.storage.values import EdgeSelection
from tests.bed import MINUTE, START, Steps
from tests.storage.drafts import add, choose, draft, everything, flaws, revise


def edge(source, target, kind="related_to", *, at=0, **fields):
    return Relation(source=source, target=target, type=kind, created_at=from_micros(START + at * MINUTE), **fields)


async def draw(store, *edges):
    await store.write(lambda writer: [writer.put_edge(one) for one in edges])


async def around(store, memory, selection=None, *, limit=10, **how):
    def work(reader):
        return reader.neighbours(memory, selection or everything(), limit=limit, **how)

    return [(r.source, r.type.value, r.target) for r in await store.read(work)]


async def listed(store, limit=100, **chosen):
    chosen = EdgeSelection(**{"visible": everything(), **chosen})
    return await store.read(lambda reader: (reader.edges(chosen, limit), reader.count_edges(chosen)))


async def test_an_edge_comes_back_as_it_was_drawn_and_takes_the_place_of_the_same_triple(store):
    one, two = await add(store, draft("one"), draft("two"))
    first = edge(one, two, "caused_by", weight=1 / 3, certainty="inferred", origin="extracted", metadata={"é": [1]})
    await draw(store, first)
    assert await store.read(lambda reader: reader.relations([one])) == [first]

    second = first.model_copy(update={"weight": 0.5, "metadata": None})
    await draw(store, second)

    assert await store.read(lambda reader: reader.relations([two])) == [second]


async def test_the_edges_between_a_memory_and_some_others_are_read_without_its_other_edges(path):
    steps = Steps()
    store = SqliteStore(path, synchronous="normal", factory=steps.factory())
    one, two, three, *far = await add(store, *(draft(f"text {n}") for n in range(303)))
    drawn = [edge(one, two), edge(two, one, "caused_by"), edge(one, three)]
    await draw(store, *drawn, edge(two, three))

    async def between():
        steps.count = 0
        return await store.read(lambda reader: reader.relations_between(one, [two, three])), steps.count

    await between()
    few, taken = await between()
    await draw(store, *(edge(*ends) for other in far for ends in [(one, other), (other, one)]))

    assert few == sorted(drawn, key=lambda r: r.key)
    assert await between() == (few, taken)
    await store.close()


async def test_an_edge_that_is_taken_away_leaves_the_others_of_its_ends(store):
    one, two = await add(store, draft("one"), draft("two"))
    kept = edge(one, two), edge(two, one, "caused_by")
    await draw(store, *kept, edge(one, two, "caused_by"), edge(two, one))

    await store.write(
        lambda writer: [writer.remove_edge(one, two, "caused_by"), writer.remove_edge(two, one, "related_to")]
    )

    assert await store.read(lambda reader: reader.relations([one])) == sorted(kept, key=lambda r: r.key)


async def test_neighbours_come_directional_first_then_the_heaviest_and_the_newest(store):
    hub, *far = await add(store, *(draft(f"text {n}") for n in range(7)))
    drawn = [
        edge(hub, far[0], "similar_to"),
        edge(far[1], hub, weight=0.5),
        edge(hub, far[2], at=1),
        edge(hub, far[3], at=2),
        edge(far[4], hub, "caused_by", weight=0.1),
        edge(hub, far[5], "supersedes", weight=0.2),
    ]
    await draw(store, *drawn)

    expected = [(r.source, r.type.value, r.target) for r in (drawn[n] for n in (5, 4, 3, 2, 1, 0))]
    assert await around(store, hub) == expected
    assert await around(store, hub, limit=2) == expected[:2]
    assert await around(store, hub, incoming=False) == [expected[n] for n in (0, 2, 3, 5)]
    assert await around(store, hub, outgoing=False) == [expected[n] for n in (1, 4)]
    assert await around(store, hub, types=frozenset({"caused_by", "similar_to"})) == [expected[1], expected[5]]


async def test_neighbours_that_the_selection_does_not_admit_never_hide_the_one_that_it_does(store):
    drafts = [draft(f"text {n}", place=1 + n % 2) for n in range(60)]
    hub, *far = await add(store, *drafts)
    await draw(store, *(edge(hub, one, "caused_by", at=n) for n, one in enumerate(far)))
    await revise(store, drafts[4], status=Status.retired, text=False)

    here = choose(namespaces=frozenset({1}))

    assert (hub, "caused_by", far[3]) not in await around(store, hub, here, limit=60)
    assert len(await around(store, hub, here, limit=60)) == 28
    assert await around(store, hub, here, limit=1) == [(hub, "caused_by", far[57])]
    assert await store.read(lambda reader: reader.degrees([hub, far[0], far[3]], here)) == {
        hub: 28, far[0]: 1, far[3]: 1,
    }  # fmt: skip


async def test_a_page_of_edges_holds_those_whose_ends_are_both_visible_the_newest_first(store):
    drafts = [
        draft("a"),
        draft("b"),
        draft("c", place=2),
        draft("d", access_level=AccessLevel.restricted),
    ]
    a, b, c, d = await add(store, *drafts)
    drawn = [edge(a, b), edge(b, a, "caused_by", at=1, origin=Origin.imported), edge(a, c, at=2), edge(d, a, at=3)]
    await draw(store, *drawn)

    assert await listed(store) == (drawn[::-1], 4)
    assert await listed(store, visible=choose(namespaces=frozenset({1}), ceiling=1)) == (drawn[1::-1], 2)
    assert await listed(store, namespaces=frozenset({2})) == ([drawn[2]], 1)
    assert await listed(store, memories=(b, c)) == (drawn[2::-1], 3)
    assert await listed(store, types=frozenset({"caused_by"})) == ([drawn[1]], 1)
    assert await listed(store, origin="imported") == ([drawn[1]], 1)


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(at=st.lists(st.integers(0, 3), min_size=1, max_size=12), size=st.integers(1, 5))
async def test_pages_of_edges_are_one_list_cut_in_pieces(store, at, size):
    memories = [(await add(store, draft(f"m{n}"))) for n in range(len(at) + 1)]
    drawn = [edge(memories[n], memories[n + 1], at=minute) for n, minute in enumerate(at)]
    await draw(store, *drawn)

    seen, after = [], None
    while page := (await listed(store, size, after=after, memories=tuple(memories)))[0]:
        seen += page
        last = page[-1]
        after = (to_micros(last.created_at), *last.key)

    assert sorted(r.key for r in seen) == sorted(r.key for r in drawn)
    assert [r.created_at for r in seen] == sorted((r.created_at for r in drawn), reverse=True)


async def test_what_names_a_memory_is_read_without_its_text(store):
    written = draft("a text", title="A title", kind="bug", place=2)
    memory = await add(store, draft("other"), written)

    outlines = await store.read(lambda reader: reader.outlines([memory[1], "gone"]))

    assert [(o.id, o.kind, o.title, o.status, o.namespace) for o in outlines.values()] == [
        (memory[1], "bug", "A title", "active", "home")
    ]


@pytest.mark.failure("F221")
async def test_the_edges_of_an_erased_memory_go_with_it(store, path):
    one, two, three = await add(store, *(draft(f"text {n}") for n in range(3)))
    await draw(store, edge(one, two), edge(two, three), edge(three, one, "caused_by"))

    await store.write(lambda writer: writer.erase([two]))

    assert await listed(store) == ([edge(three, one, "caused_by")], 1)
    assert flaws(path) == []
