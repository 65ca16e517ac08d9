"""Edges between memories: drawn, listed, followed, corrected, and what hits are connected with."""

import pytest

from bethink.errors import Conflict, InvalidRequest, NotFound, TooLarge
from tests.bed import HOUR, Chosen, Clock, Ids, memory_at

NEVER = "01890000-0000-7000-8000-00000badc0de"


async def stored(memory, count=3, **given):
    """Store so many memories; return their ids."""
    return [(await memory.store(f"Text number{n}.", title=f"M{n}", hints=False, **given)).id for n in range(count)]


async def triples(memory, *ids):
    """Return every edge at those memories, by the titles of its ends, in order."""
    got = await memory.get(list(ids), relations=True)
    every = sorted({end for r in got.relations for end in (r.source, r.target)})
    named = {m.id: m.title for m in (await memory.get(every)).memories} if every else {}
    return sorted((named[r.source], r.type.value, named[r.target]) for r in got.relations)


async def status(memory, *ids):
    return [m.status.value for m in (await memory.get(list(ids))).memories]


async def edge(memory, memory_id):
    (found,) = (await memory.get([memory_id], relations=True)).relations
    return found


async def events(memory):
    """Return what the log holds of edges: operation, memories, fields."""
    rows = await memory.ports.storage.read(
        lambda reader: reader.db.execute("select operation, memories, fields from event order by id").fetchall()
    )
    return [row for row in rows if "relate" in row[0]]


@pytest.fixture
async def memory_of_angles(path):
    """A memory whose texts are embedded as the angles that are given."""
    opened = []

    def opening(**angles):
        opened.append(memory_at(path, embedder=Chosen(angles), clock=Clock(), ids=Ids()))
        return opened[0]

    yield opening
    await opened[0].close()


# Drawing.


async def test_an_edge_is_drawn_once_and_says_so(memory):
    a, b, _ = await stored(memory)

    first = await memory.relate(a, b, "caused_by", weight=0.5, metadata={"seen": ["log"]})
    again = await memory.relate(a[-8:], b, "caused_by")

    assert [(e.source, e.type.value, e.target, e.weight, e.outcome) for e in first.edges] == [
        (a[-8:], "caused_by", b[-8:], 0.5, "drawn")
    ]
    assert [(e.weight, e.outcome) for e in again.edges] == [(0.5, "unchanged")]
    drawn = await edge(memory, b)
    assert (drawn.weight, drawn.metadata, drawn.origin, drawn.certainty) == (
        0.5, {"seen": ["log"]}, "authored", "extracted",
    )  # fmt: skip
    assert len(await events(memory)) == 1


async def test_an_edge_drawn_again_takes_what_is_given_of_it_and_keeps_its_age(memory):
    a, b, _ = await stored(memory)
    await memory.relate(a, b, "related_to", metadata={"n": 1})
    before = await edge(memory, a)

    done = await memory.relate(a, b, "related_to", weight=0.25)

    assert done.edges[0].outcome == "changed"
    assert await edge(memory, a) == before.model_copy(update={"weight": 0.25})


async def test_who_is_the_child_of_somebody_is_kept_as_whose_parent_that_is(memory):
    a, b, _ = await stored(memory)

    await memory.relate(a, b, "child_of")
    done = await memory.relate(b, a, "parent_of")

    assert done.edges[0].outcome == "unchanged"
    assert await triples(memory, a) == [("M1", "parent_of", "M0")]
    assert (await memory.edges(a, types=["child_of"])).total == 1


async def test_a_memory_that_is_superseded_leaves_default_reads_and_says_what_replaced_it(memory):
    old, new, _ = await stored(memory)

    done = await memory.relate(new, old, "supersedes")

    assert done.superseded == (old[-8:],)
    assert await status(memory, old, new) == ["superseded", "active"]
    before, after = (await memory.get([old, new], versions=True)).memories
    assert before.valid_to == after.valid_from
    assert [h.title for h in (await memory.recall("number0 number1")).hits] == ["M1"]
    (hit,) = (await memory.recall("number0", status=["superseded"])).hits
    assert hit.superseded_by == new[-8:]


@pytest.mark.failure("F220")
async def test_a_chain_of_superseded_memories_says_what_stands_at_its_end(memory):
    a, b, c = await stored(memory)
    await memory.relate(edges=[_named(b, a, "supersedes"), _named(c, b, "supersedes")])

    (hit,) = (await memory.recall("number0", status=["superseded"], min_score=0.25)).hits

    assert (hit.title, hit.superseded_by) == ("M0", c[-8:])


async def test_superseding_what_had_ended_before_does_not_make_it_true_for_longer(memory):
    old = (await memory.store("It was so.", valid_from="2001-01-01", valid_to="2002-01-01")).id
    (new,) = await stored(memory, 1)

    await memory.relate(new, old, "supersedes")

    assert (await memory.get([old])).memories[0].valid_to.year == 2002


async def test_what_is_retired_is_not_marked_a_second_time_when_it_is_superseded(memory):
    old, new, _ = await stored(memory)
    await memory.forget([old])

    done = await memory.relate(new, old, "supersedes")

    assert (done.edges[0].outcome, done.superseded) == ("drawn", ())
    assert await status(memory, old) == ["retired"]


async def test_several_edges_are_drawn_in_the_order_given(memory):
    a, b, c = await stored(memory)

    done = await memory.relate(
        edges=[_named(a, b, "caused_by", weight=0.1), _named(b, c, "related_to"), _named(a, b, "caused_by")]
    )

    assert [e.outcome for e in done.edges] == ["drawn", "drawn", "unchanged"]
    assert await triples(memory, b) == [("M0", "caused_by", "M1"), ("M1", "related_to", "M2")]


WRONG = [
    ((0, 0, "related_to"), InvalidRequest, "are one memory"),
    ((0, NEVER, "related_to"), NotFound, "no memory"),
    ((NEVER, 0, "supersedes"), NotFound, "no memory"),
    ((0, 1, "similar_to"), InvalidRequest, "type: 'similar_to' is not accepted"),
    ((0, 1, "mentions"), InvalidRequest, "type: 'mentions' is not accepted"),
    ((0, 1, "likes"), InvalidRequest, "type: 'likes' is not accepted"),
    ((1, 0, "supersedes"), InvalidRequest, "supersedes"),  # 0 supersedes 1 already
    ((2, 0, "supersedes"), InvalidRequest, "supersedes"),  # 0 supersedes 1 supersedes 2
    ((3, 0, "supersedes"), InvalidRequest, "is retired and supersedes nothing"),
    ((0, 4, "supersedes"), InvalidRequest, "is a chunk, a part of something larger"),
    ((0, "zzzzzzzz", "related_to"), InvalidRequest, "is not an id"),
    ((0, "00badc", "related_to"), InvalidRequest, "fewer than 8"),
]


@pytest.mark.failure("F222")
@pytest.mark.parametrize(("named", "error", "said"), WRONG, ids=lambda part: str(part)[:40])
async def test_what_makes_no_sound_edge_is_refused_and_nothing_is_drawn(memory, named, error, said):
    ids = await stored(memory, 4)
    ids.append((await memory.store("A part.", kind="chunk", parent_id=ids[0])).id)
    await memory.relate(edges=[_named(ids[0], ids[1], "supersedes"), _named(ids[1], ids[2], "supersedes")])
    await memory.forget([ids[3]])
    before = await triples(memory, *ids), await status(memory, *ids), await events(memory)
    source, target = (ids[end] if isinstance(end, int) else end for end in named[:2])

    with pytest.raises(error, match=said) as one:
        await memory.relate(source, target, named[2])
    with pytest.raises(error, match=said):
        await memory.relate(edges=[_named(ids[0], ids[3], "related_to"), _named(source, target, named[2])])

    assert one.value.hint
    assert (await triples(memory, *ids), await status(memory, *ids), await events(memory)) == before


async def test_an_erased_memory_is_answered_like_one_that_never_was(memory):
    a, b, gone = await stored(memory)
    await memory.relate(a, gone, "related_to")
    token = (await memory.forget([gone], hard=True)).preview.token
    await memory.forget([gone], hard=True, token=token)

    async def told(memory_id):
        said = []
        for call in (
            memory.relate(a, memory_id, "related_to"),
            memory.relate(memory_id, b, "supersedes"),
            memory.graph([memory_id]),
            memory.edges(memory_id),
            memory.related(memory_id),
        ):
            with pytest.raises(NotFound) as wrong:
                await call
            said.append((str(wrong.value).replace(memory_id, "ID"), wrong.value.hint))
        return said

    assert await told(gone) == await told(NEVER)
    assert await triples(memory, a, b) == []


async def test_edges_of_one_call_that_close_a_circle_are_refused(memory):
    a, b, c = await stored(memory)

    with pytest.raises(InvalidRequest, match="supersedes"):
        await memory.relate(edges=[_named(x, y, "supersedes") for x, y in ((a, b), (b, c), (c, a))])

    assert await triples(memory, a, b, c) == []


@pytest.mark.parametrize("given", [{}, {"source": 0}, {"source": 0, "target": 1}, {"source": 0, "edges": []}])
@pytest.mark.parametrize("name", ["relate", "unrelate"])
async def test_half_an_edge_is_refused(memory, name, given):
    ids = await stored(memory)
    named = {key: [_named(ids[0], ids[1], "related_to")] if value == [] else ids[value] for key, value in given.items()}

    with pytest.raises(InvalidRequest, match=r"is required|goes alone"):
        await getattr(memory, name)(**named)


@pytest.mark.parametrize("name", ["relate", "unrelate"])
async def test_more_than_a_hundred_edges_are_refused(memory, name):
    a, b, _ = await stored(memory)

    with pytest.raises(TooLarge, match="edges: 101 is over the limit of 100"):
        await getattr(memory, name)(edges=[_named(a, b, "related_to")] * 101)


async def test_a_credential_in_the_metadata_of_an_edge_is_taken_out(memory):
    a, b, _ = await stored(memory)

    done = await memory.relate(a, b, "related_to", metadata={"how": "AKIAIOSFODNN7EXAMPLQ"})

    assert done.redacted == ("aws-access-key",)
    assert "AKIA" not in str((await edge(memory, a)).metadata)


def _named(source, target, kind, **more):
    return {"source": source, "target": target, "type": kind, **more}


# Correcting.


async def test_an_edge_is_deleted_and_deleting_it_again_says_that_it_is_not_there(memory):
    a, b, c = await stored(memory)
    await memory.relate(edges=[_named(a, b, "related_to"), _named(b, c, "related_to")])

    first = await memory.unrelate(a, b, "related_to")
    again = await memory.unrelate(a, b, "related_to")

    assert [e.outcome for e in (*first.edges, *again.edges)] == ["deleted", "not_found"]
    assert await triples(memory, a, b, c) == [("M1", "related_to", "M2")]
    assert (await events(memory))[-1][0] == "unrelate.deleted"


@pytest.mark.parametrize(
    ("how", "outcome", "after"),
    [
        ({"retype": "contradicts"}, "retyped", ("M0", "contradicts", "M1")),
        ({"reverse": True}, "reversed", ("M1", "caused_by", "M0")),
        ({"retype": "derived_from", "reverse": True}, "retyped", ("M1", "derived_from", "M0")),
        ({"retype": "child_of"}, "retyped", ("M1", "parent_of", "M0")),
        ({"retype": "caused_by"}, "unchanged", ("M0", "caused_by", "M1")),
    ],
)
async def test_an_edge_that_is_corrected_keeps_its_age_weight_and_metadata(memory, how, outcome, after):
    a, b, _ = await stored(memory)
    await memory.relate(a, b, "caused_by", weight=0.3, metadata={"n": 1})
    before = await edge(memory, a)

    planned = await memory.unrelate(a, b, "caused_by", dry_run=True, **how)
    assert await edge(memory, a) == before
    done = await memory.unrelate(a, b, "caused_by", **how)

    assert (done.edges[0].outcome, done.dry_run) == (outcome, False)
    assert planned == done.model_copy(update={"dry_run": True})
    assert await triples(memory, a) == [after]
    now = await edge(memory, a)
    assert (now.created_at, now.weight, now.metadata) == (before.created_at, 0.3, {"n": 1})


async def test_an_edge_that_becomes_one_that_is_there_is_merged_with_it(memory):
    a, b, _ = await stored(memory)
    await memory.relate(a, b, "caused_by", weight=0.9, metadata={"n": 1, "old": True})
    first = await edge(memory, a)
    await memory.relate(b, a, "caused_by", weight=0.4, metadata={"n": 2})

    done = await memory.unrelate(a, b, "caused_by", reverse=True)

    assert [(e.outcome, e.now) for e in done.edges] == [("merged", (b[-8:], "caused_by", a[-8:]))]
    merged = await edge(memory, a)
    assert (merged.source, merged.created_at, merged.weight) == (b, first.created_at, 0.9)
    assert merged.metadata == {"n": 2, "old": True}


async def test_who_is_the_child_is_found_from_either_end(memory):
    a, b, _ = await stored(memory)
    await memory.relate(a, b, "parent_of")

    done = await memory.unrelate(b, a, "child_of", reverse=True)

    assert done.edges[0].outcome == "reversed"
    assert await triples(memory, a) == [("M1", "parent_of", "M0")]


async def test_a_memory_that_nothing_supersedes_any_more_is_in_use_again(memory):
    old, new, other = await stored(memory)
    await memory.relate(edges=[_named(new, old, "supersedes"), _named(other, old, "supersedes")])

    first = await memory.unrelate(new, old, "supersedes")
    assert (first.restored, await status(memory, old)) == ((), ["superseded"])
    last = await memory.unrelate(other, old, "supersedes", retype="related_to")

    assert last.restored == (old[-8:],)
    assert await status(memory, old) == ["active"]
    assert (await memory.get([old])).memories[0].valid_to is None


async def test_turning_superseding_round_swaps_which_of_the_two_is_in_use(memory):
    new, old, _ = await stored(memory)
    await memory.relate(old, new, "supersedes")

    done = await memory.unrelate(old, new, "supersedes", reverse=True)

    assert (done.restored, done.superseded) == ((new[-8:],), (old[-8:],))
    assert await status(memory, new, old) == ["active", "superseded"]
    assert await triples(memory, new) == [("M0", "supersedes", "M1")]


@pytest.mark.parametrize("kind", ["similar_to", "mentions", "likes"])
async def test_a_type_that_cannot_be_drawn_is_answered_by_those_that_can(memory, kind):
    source, target = await stored(memory, 2)

    with pytest.raises(InvalidRequest) as refused:
        await memory.relate(source, target, kind)

    offered = refused.value.hint.removeprefix("Use ").removesuffix(".").split(", ")
    assert [(await memory.relate(source, target, one)).edges[0].outcome for one in offered] == ["drawn"] * len(offered)


async def test_several_corrections_are_made_all_or_none(memory):
    ids = await stored(memory, 4)
    a, b, c, d = ids
    await memory.relate(edges=[_named(a, b, "supersedes"), _named(c, b, "related_to"), _named(b, a, "related_to")])
    before = await triples(memory, *ids), await status(memory, *ids)

    with pytest.raises(InvalidRequest, match="supersedes"):
        await memory.unrelate(edges=[_named(c, b, "related_to"), _named(b, a, "related_to")], retype="supersedes")
    with pytest.raises(InvalidRequest, match="retype: 'mentions' is not accepted"):
        await memory.unrelate(c, b, "related_to", retype="mentions")

    assert (await triples(memory, *ids), await status(memory, *ids)) == before
    done = await memory.unrelate(
        edges=[_named(c, b, "related_to"), _named(d, a, "caused_by"), _named(NEVER, a, "related_to")]
    )
    assert [e.outcome for e in done.edges] == ["deleted", "not_found", "not_found"]


async def test_bringing_back_what_another_memory_says_meanwhile_is_refused_and_nothing_changes(memory):
    old, new, _ = await stored(memory)
    await memory.relate(new, old, "supersedes")
    await memory.store("Text number0.", title="M0")

    with pytest.raises(Conflict, match="already says"):
        await memory.unrelate(new, old, "supersedes")

    assert await triples(memory, old) == [("M1", "supersedes", "M0")]


# Listing.


async def test_edges_come_newest_first_with_both_ends_and_their_degrees(memory):
    a, b, c = await stored(memory)
    await memory.relate(edges=[_named(a, b, "caused_by"), _named(c, b, "supersedes", weight=0.5)])

    page = await memory.edges()

    assert [(e.source.title, e.type.value, e.target.title, e.weight) for e in page.edges] == [
        ("M2", "supersedes", "M1", 0.5),
        ("M0", "caused_by", "M1", 1.0),
    ]
    newest = page.edges[0]
    assert (newest.source.edges, newest.target.edges, newest.source.status, newest.target.status) == (
        1, 2, None, "superseded",
    )  # fmt: skip
    assert (newest.source.handle, newest.source.namespace, page.total) == (c[-8:], "user:ann", 2)


async def test_edges_are_filtered_by_memory_type_namespace_and_origin(memory):
    a, b, c = await stored(memory)
    (far,) = await stored(memory, 1, namespace="org/app")
    await memory.relate(edges=[_named(a, b, "caused_by"), _named(b, c, "related_to"), _named(c, far, "related_to")])

    async def total(**chosen):
        return (await memory.edges(**chosen)).total

    assert await total() == 3
    assert await total(memory=b) == 2
    assert await total(types=["related_to"]) == 2
    assert await total(memory=b, types=["caused_by", "mentions"]) == 1
    assert await total(namespaces=["org/app"]) == 1
    assert await total(origin="authored") == 3
    assert await total(origin="imported") == 0
    with pytest.raises(NotFound):
        await memory.edges(NEVER)


@pytest.mark.parametrize("limit", [1, 2, 5])
async def test_pages_of_edges_are_one_list_also_while_others_are_drawn(memory, limit):
    ids = await stored(memory, 6)
    await memory.relate(edges=[_named(one, ids[0], "related_to") for one in ids[1:]])
    whole = [e.source.title for e in (await memory.edges(ids[0])).edges]

    seen, cursor = [], None
    while True:
        page = await memory.edges(ids[0], limit=limit, cursor=cursor)
        seen += [e.source.title for e in page.edges]
        cursor = page.cursor
        if cursor is None:
            break
        await memory.relate(ids[0], ids[len(seen) % 5 + 1], "caused_by")

    assert seen == whole
    cursor = (await memory.edges(ids[0], limit=1)).cursor
    with pytest.raises(InvalidRequest, match="the cursor belongs to another call"):
        await memory.edges(ids[1], cursor=cursor)
    with pytest.raises(InvalidRequest, match="the cursor is not valid"):
        await memory.list(cursor=cursor)
    memory.ports.now.pass_(2 * HOUR)
    with pytest.raises(InvalidRequest, match="the cursor has expired"):
        await memory.edges(ids[0], limit=1, cursor=cursor)


async def test_a_budget_gives_fewer_edges_and_the_cursor_the_rest(memory):
    ids = await stored(memory, 6)
    await memory.relate(edges=[_named(one, ids[0], "related_to") for one in ids[1:]])

    first = await memory.edges(max_tokens=200)
    rest = await memory.edges(cursor=first.cursor)

    assert 1 <= len(first.edges) < 5
    assert len(first.edges) + len(rest.edges) == first.total == 5


# Following.


async def reached(memory, start, **how):
    graph = await memory.graph([start], **how)
    return {node.memory.title: node.hops for node in graph.nodes}


async def test_edges_are_followed_step_by_step_in_the_direction_and_of_the_types_asked_for(memory):
    ids = await stored(memory, 5)
    a, b, c, d, e = ids
    await memory.relate(
        edges=[
            _named(a, b, "caused_by"),
            _named(b, c, "related_to"),
            _named(d, a, "derived_from"),
            _named(c, e, "caused_by"),
        ]
    )

    assert await reached(memory, a, hops=1) == {"M0": 0, "M1": 1, "M3": 1}
    assert await reached(memory, a) == {"M0": 0, "M1": 1, "M3": 1, "M2": 2}
    assert await reached(memory, a, hops=3) == {"M0": 0, "M1": 1, "M3": 1, "M2": 2, "M4": 3}
    assert await reached(memory, a, hops=3, direction="in") == {"M0": 0, "M3": 1}
    assert await reached(memory, a, hops=3, direction="out", types=["caused_by"]) == {"M0": 0, "M1": 1}
    both = await memory.graph([a, c], hops=1)
    assert {(x.source, x.type.value, x.target) for x in both.edges} == {
        (a[-8:], "caused_by", b[-8:]),
        (b[-8:], "related_to", c[-8:]),
        (d[-8:], "derived_from", a[-8:]),
        (c[-8:], "caused_by", e[-8:]),
    }


async def test_a_circle_is_walked_once(memory):
    a, b, c = await stored(memory)
    await memory.relate(edges=[_named(a, b, "caused_by"), _named(b, c, "caused_by"), _named(c, a, "caused_by")])

    graph = await memory.graph([a], hops=3)

    assert (len(graph.nodes), len(graph.edges)) == (3, 3)


async def test_what_the_filters_leave_out_is_not_passed_on_the_way(memory):
    a, b, c = await stored(memory)
    await memory.relate(edges=[_named(a, b, "caused_by"), _named(b, c, "caused_by")])
    await memory.forget([b])

    assert await reached(memory, a, hops=3) == {"M0": 0}
    assert await reached(memory, a, hops=3, status=["any"]) == {"M0": 0, "M1": 1, "M2": 2}
    assert await reached(memory, b) == {"M1": 0, "M0": 1, "M2": 1}
    with pytest.raises(NotFound):
        await memory.graph([NEVER])


@pytest.mark.failure("F223")
async def test_a_walk_is_bounded_and_says_what_it_left_out(memory):
    ids = await stored(memory, 64)
    hub, leaf, beyond, *others = ids
    await memory.relate(edges=[_named(one, hub, "related_to") for one in (leaf, *others)])
    await memory.relate(beyond, hub, "related_to")

    through = await memory.graph([leaf], hops=3)
    from_it = await memory.graph([hub], hops=3, limit=10)
    short = await memory.graph([hub], hops=1, limit=60, max_tokens=400)
    crowd = await memory.graph(ids[:8], limit=2)

    assert [node.memory.title for node in through.nodes] == ["M1", "M0"]
    assert through.nodes[1].memory.edges == 63
    assert "not followed" in through.notes[0]
    assert hub[-8:] in through.notes[0]
    assert (len(from_it.nodes), len(from_it.edges)) == (10, 9)
    assert (len(crowd.nodes), len(crowd.edges)) == (8, 7)
    assert "more edges than fit" in from_it.notes[0]
    assert 1 < len(short.nodes) < 60
    assert "did not fit into max_tokens" in short.notes[-1]
    assert {x.target for x in short.edges} | {x.source for x in short.edges} <= {n.memory.handle for n in short.nodes}


# Suggesting.


async def test_near_memories_that_are_not_the_same_are_suggested_as_relations(memory_of_angles):
    memory = memory_of_angles(same=5, near=40, nearer=45, far=80, new=0)
    for text in ("same", "near", "nearer", "far"):
        await memory.store(text)

    done = await memory.store("new")
    silent = await memory.store("new again", hints=False)

    assert [h.title for h in done.similar] == ["same"]
    assert [(h.title, h.basis) for h in done.suggested_relations] == [("near", "cosine"), ("nearer", "cosine")]
    assert "may be related (0.77)" in done.compact()
    assert (silent.similar, silent.suggested_relations) == ((), ())


async def test_what_is_linked_already_is_not_suggested_when_a_text_changes(memory_of_angles):
    memory = memory_of_angles(near=40, nearer=45, new=0, changed=1)
    near, _ = (await memory.store("near")).id, await memory.store("nearer", hints=False)
    new = (await memory.store("new")).id
    await memory.relate(near, new, "caused_by")

    done = await memory.update(new, content="changed")
    tagged = await memory.update(new, tags=["x"])

    assert [h.title for h in done.suggested_relations] == ["nearer"]
    assert tagged.suggested_relations == ()


# What hits are connected with.


async def connected(memory, query, **how):
    page = await memory.recall(query, include_related=True, mode="keyword", min_score=0.1, **how)
    return {hit.title: [(n.relation, n.title) for n in hit.related] for hit in page.hits}


async def test_a_hit_brings_three_neighbours_those_with_a_direction_first(memory):
    ids = await stored(memory, 7)
    a, b, c, d, e, f, g = ids
    await memory.relate(
        edges=[
            _named(a, b, "related_to"), _named(a, c, "related_to", weight=0.1), _named(d, a, "caused_by"),
            _named(a, e, "parent_of"), _named(a, f, "related_to"), _named(g, c, "related_to"),
        ]
    )  # fmt: skip

    assert await connected(memory, "number0") == {"M0": [("parent_of", "M4"), ("causes", "M3"), ("related_to", "M5")]}
    assert all(hit.related == () for hit in (await memory.recall("number0")).hits)


async def test_what_is_a_hit_already_is_no_neighbour_and_none_comes_twice(memory):
    a, b, c = await stored(memory)
    await memory.relate(edges=[_named(a, b, "caused_by"), _named(a, c, "caused_by"), _named(b, c, "related_to")])

    found = await connected(memory, "number0 number1")

    assert sorted(map(tuple, found.values())) == [(), (("caused_by", "M2"),)]


async def test_neighbours_that_are_not_in_use_stay_asleep(memory):
    ids = await stored(memory, 5)
    a, retired, _, _, _ = ids
    ended = (await memory.store("It was so.", title="Ended", valid_from="2001-01-01", valid_to="2002-01-01")).id
    expired = (await memory.store("No more.", title="Expired", expires_at="2001-01-01")).id
    elsewhere = (await memory.store("Elsewhere.", title="Elsewhere", namespace="org/app")).id
    await memory.relate(edges=[_named(a, far, "caused_by") for far in (retired, ended, expired, elsewhere)])
    await memory.forget([retired])

    assert await connected(memory, "number0") == {"M0": []}
    assert await connected(memory, "number0", namespaces=["user:ann", "org/app"]) == {
        "M0": [("caused_by", "Elsewhere")]
    }


async def test_a_superseded_hit_brings_what_stands_in_its_place_at_last(memory):
    a, b, c = await stored(memory)
    await memory.relate(edges=[_named(b, a, "supersedes"), _named(c, b, "supersedes")])

    assert await connected(memory, "number0", status=["superseded"]) == {
        "M0": [("superseded_by", "M2"), ("superseded_by", "M1")]
    }


async def test_neighbours_take_what_the_hits_leave_of_the_tokens_and_what_is_left_out_is_said(memory):
    a, *others = await stored(memory, 4)
    await memory.relate(edges=[_named(a, one, "related_to") for one in others])

    page = await memory.recall("number0", include_related=True, max_tokens=130)

    assert page.hits[0].text == "Text number0."
    assert len(page.hits[0].related) < 3
    assert page.notes == (f"{3 - len(page.hits[0].related)} related did not fit into max_tokens",)


async def test_a_hit_without_text_brings_neighbours_without_text(memory):
    a, b, _ = await stored(memory)
    await memory.relate(a, b, "caused_by")

    (hit,) = (await memory.recall("number0", include_related=True, detail="ids")).hits

    assert [(n.handle, n.title, n.text) for n in hit.related] == [(b[-8:], None, None)]


async def test_what_a_neighbour_has_shown_is_an_echo_when_it_is_stored_back(hashing):
    a, b = await stored(hashing, 2)
    await hashing.relate(a, b, "caused_by")
    (hit,) = (await hashing.recall("number0", mode="keyword", min_score=0.25, include_related=True)).hits
    assert [n.title for n in hit.related] == ["M1"]

    done = await hashing.store("Text number1")

    assert done.action == "echo"
