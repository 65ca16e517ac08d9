"""Who may see and change what: the same for every operation, in its results and in its errors."""

import json

import pytest

from bethink.engine import Bethink
from bethink.errors import BethinkError, InvalidRequest, Unsupported
from bethink.operation import Effect, operations
from bethink.operations.explore import FACETS
from bethink.principal import AccessLevel, Permission, Reach, confined, owner, parse_principal
from bethink.testing import HashingEmbedder
from tests.bed import ANN, DAY, START, Clock, Ids, memory_at

TEAM, ALPHA, BETA = "team:acme", "team:acme/agent:alpha", "team:acme/agent:beta"
ALL = frozenset(Permission)
A = confined(ALPHA, permissions=ALL)
B = confined(BETA, permissions=ALL)
OPERATIONS = operations(Bethink)
NEVER = "01890000-0000-7000-8000-00000badc0de"
TEXT = "The staging deploy runs on Tuesdays."


@pytest.fixture
async def memory(path):
    memory = memory_at(path, embedder=HashingEmbedder(), clock=Clock(), ids=Ids())
    yield memory
    await memory.close()


async def told(engine, name, **arguments):
    """Everything that a caller of an operation is told, as text: the result in both forms, or the error."""
    try:
        result = await OPERATIONS[name].call(engine, arguments)
    except BethinkError as wrong:
        return f"{type(wrong).__name__}: {wrong} | {wrong.hint}"
    return result.model_dump_json() + result.compact()


# Whom a host may confine, and to what.


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"place": "global"}, "'global' is the owner's to write"),
        ({"place": "team:a", "read": ["exact", "exact:global"], "write": ["exact:global"]}, "'global' is the owner's"),
        ({"place": "team:a", "read": ["subtree:global"], "write": ["subtree:global"]}, "'global' is the owner's"),
        ({"place": "team:a", "read": ["exact:team:b"]}, "the write reach goes beyond the read reach: exact:team:a"),
        ({"place": "team:a", "write": ["subtree"]}, "the write reach goes beyond the read reach: subtree:team:a"),
        ({"place": "team:a", "read": ["exact"], "write": ["exact:team:b"]}, "beyond the read reach: exact:team:b"),
        ({"place": "team:a/..", "read": []}, "is not a namespace"),
        ({"place": "..:a"}, "is not a namespace"),
        ({"place": "team:."}, "is not a namespace"),
        ({"place": "team:a//b"}, "is not a namespace"),
        ({"place": "a/" * 8 + "a"}, "is not a namespace"),
        ({"place": "team:a", "read": ["everything"]}, "is not a reach"),
    ],
)
def test_what_no_host_may_confine_to_is_refused(given, said):
    with pytest.raises(InvalidRequest, match=said) as wrong:
        confined(**given)

    assert wrong.value.hint


def test_a_write_reach_within_the_read_reach_is_accepted():
    principal = confined("org/team:a", read=["subtree:org"], write=["subtree", "exact:org/team:b"])

    assert [principal.write.covers(p) for p in ("org/team:a/x", "org/team:b", "org/team:b/x")] == [True, True, False]


@pytest.mark.parametrize("path", ["a", "a.b", ".git", "v1..2", "team:a-b_c", "équipe:数据/x", "...a"])
def test_a_name_with_more_than_dots_is_a_namespace(path):
    assert confined(path).place == path


def test_a_confined_principal_reads_its_place_and_what_is_above_writes_its_place_alone_and_sees_what_is_internal():
    principal = confined("org/team:a/agent:x")

    assert principal.read == Reach(exact=frozenset({"org", "org/team:a", "org/team:a/agent:x"}))
    assert principal.write == Reach(exact=frozenset({"org/team:a/agent:x"}))
    assert (principal.ceiling, principal.permissions) == (AccessLevel.internal, {Permission.write})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("place=team:a", confined("team:a")),
        (" place=team:a ; read=subtree ;read=exact:global; ", confined("team:a", read=["subtree", "exact:global"])),
        ("place=team:a;ceiling=public;can=none", confined("team:a", ceiling=AccessLevel.public, permissions=())),
        ("place=team:a;can=write,erase", confined("team:a", permissions=(Permission.write, Permission.erase))),
    ],
)
def test_a_principal_is_read_from_text(text, expected):
    assert parse_principal(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "", ";", "team:a", "place", "place=", "read=exact", "place=team:a;who=me", "place=team:a;ceiling=secret",
        "place=team:a;can=fly", "place=team:a;read=", "place=../etc", "place=global",
        "place=team:a;write=subtree:other",
    ],
)  # fmt: skip
def test_a_malformed_principal_is_refused(text):
    with pytest.raises(InvalidRequest) as wrong:
        parse_principal(text)

    assert wrong.value.hint


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("place=team:a;place=team:b", "'place=team:b'"),
        ("place=team:a;place=team:a", "'place=team:a'"),
        ("place=team:a;ceiling=public;ceiling=restricted", "'ceiling=restricted'"),
        ("place=team:a;can=none;can=write", "'can=write'"),
        ("place=team:a;read=exact;read=exact", "'read=exact'"),
        ("place=team:a;can=none,write", "'none,write'"),
        ("place=team:a;can=write,write", "'write,write'"),
        ("place=team:a;can=write,,erase", "'write,,erase'"),
        ("place=team:a;can=,", "','"),
        ("place=team:a;;can=write", "''"),
        (";place=team:a", "''"),
        ("place=team:a;;", "''"),
        ("place=team:a;read=exact:", "''"),
        ("place=team:a;Place=team:b", "'Place=team:b'"),
    ],
)
def test_a_principal_that_can_be_read_in_two_ways_is_refused_by_the_part(text, named):
    with pytest.raises(InvalidRequest) as wrong:
        parse_principal(text)

    assert named in str(wrong.value)


# Naming a namespace.

NAMES = [
    {"namespace": TEAM},
    {"namespaces": [TEAM]},
    {"reach": "subtree"},
    {"scope": None},
    {" Namespace ": TEAM},
    {"NAMESPACES": "x"},
    {"name\x01space": TEAM},
    {"anything": {"deep": [{"deeper": {"scope": 1}}]}},
    {"filter": {"metadata": {}, "reach": 1}},
]


@pytest.mark.failure("F097")
@pytest.mark.parametrize("name", OPERATIONS)
async def test_every_operation_refuses_a_confined_principal_that_names_a_namespace_at_any_depth(memory, name):
    said = {await told(memory.as_(A), name, **given) for given in NAMES}

    assert {text.partition(": ")[0] for text in said} == {"Forbidden"}
    assert {text.partition(" | ")[2] for text in said} == {"The host fixes which namespaces are used; leave it out."}


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("store", {"content": TEXT, "source": '{"repo": "r", "namespace": "x"}'}),
        ("store", {"content": TEXT, "evidence": '[{"quote": "q", "scope": "x"}]'}),
        ("update", {"id": NEVER, "source": '{"reach": "x"}'}),
        ("recall", {"query": "q", "source": '{"namespaces": ["x"]}'}),
        ("list", {"tags": '[{"namespace": "x"}]'}),
        ("store_many", {"items": [{"content": TEXT, "namespace": TEAM}]}),
        ("store_many", {"items": [{"content": TEXT, "source": {"namespace": TEAM}}]}),
    ],
)
async def test_also_inside_json_text_and_lists(memory, name, given):
    assert (await told(memory.as_(A), name, **given)).startswith("Forbidden: ")


async def test_an_item_of_a_stream_that_names_a_namespace_is_rejected(memory):
    done = await memory.as_(A).store_many(iter([{"content": "One."}, {"content": "Two.", "namespace": TEAM}]))

    assert (done.stored, [(r.item, r.reason) for r in done.rejections]) == (
        1,
        [(1, "'namespace' cannot be given here")],
    )


@pytest.mark.parametrize("given", [{"namespace": "x", "a": {"scope": [1]}}, '{"namespace": "x", "a": {"scope": [1]}}'])
async def test_metadata_is_the_users_own_and_may_hold_any_key(memory, given):
    stored = await memory.as_(A).store(TEXT, metadata=given)
    await memory.as_(A).update(stored.id, metadata={"reach": {"namespaces": 1}})

    (kept,) = (await memory.as_(A).get([stored.id])).memories
    assert kept.metadata == {"reach": {"namespaces": 1}}


@pytest.mark.parametrize("name", OPERATIONS)
def test_no_operation_shows_a_confined_principal_a_parameter_that_names_a_namespace(name):
    shown = set(OPERATIONS[name].visible_params(A))

    assert not shown & {"namespace", "namespaces", "reach", "scope"}


# Ids out of reach.


@pytest.fixture
async def hidden(memory):
    """Ids that A may not see: of another place, of the owner's, above its ceiling in its own place and the team's."""
    beta = await memory.as_(B).store("Beta keeps the zanzibar rota.")
    own = await memory.store("Ann keeps the zanzibar rota.")
    at_a = await memory.store("Nobody but Ann knows of zanzibar.", namespace=ALPHA, access_level="confidential")
    above = await memory.store("The board knows of zanzibar.", namespace=TEAM, access_level="restricted")
    retired = await memory.as_(B).store("Beta forgot zanzibar.")
    await memory.as_(B).forget([retired.id])
    return [beta.id, own.id, at_a.id, above.id, retired.id]


CALLS_WITH_IDS = [
    ("get", lambda i: {"ids": [i], "versions": True, "relations": True, "chunks": True}),
    ("get", lambda i: {"ids": [i[-8:]]}),
    ("get", lambda i: {"ids": [i[-6:], i.upper(), i.replace("-", "")]}),
    ("update", lambda i: {"id": i, "title": "Mine"}),
    ("update", lambda i: {"id": i[-8:], "expected_version": 9, "content": "Mine"}),
    ("update", lambda i: {"id": i, "kind": "chunk", "access_level": "restricted"}),
    ("forget", lambda i: {"ids": [i], "reason": "mine"}),
    ("forget", lambda i: {"ids": [i[-8:]], "hard": True}),
    ("forget", lambda i: {"ids": [i], "hard": True, "token": "abc"}),
    ("restore", lambda i: {"ids": [i]}),
    ("store", lambda i: {"content": "A part.", "parent_id": i}),
    ("store", lambda i: {"content": "A part.", "kind": "chunk", "parent_id": i[-8:]}),
    ("store_many", lambda i: {"items": [{"content": "A part.", "parent_id": i}]}),
    ("edges", lambda i: {"memory": i}),
    ("graph", lambda i: {"ids": [i[-8:]], "status": ["any"]}),
    ("unrelate", lambda i: {"source": i, "target": i[-8:], "type": "related_to", "retype": "supersedes"}),
    ("relate", lambda i: {"source": i, "target": i, "type": "related_to"}),
    ("relate", lambda i: {"edges": [{"source": i, "target": i[-8:], "type": "supersedes"}]}),
    ("excerpt", lambda i: {"id": i, "query": "zanzibar"}),
    ("excerpt", lambda i: {"id": i[-8:], "start": 0}),
    ("related", lambda i: {"id": i}),
    ("related", lambda i: {"id": i[-6:], "unlinked": True}),
]


@pytest.mark.failure("F089", "F091")
@pytest.mark.parametrize("call", range(len(CALLS_WITH_IDS)))
async def test_an_id_out_of_reach_looks_exactly_like_one_that_never_was(memory, hidden, call):
    name, arguments = CALLS_WITH_IDS[call]

    unknown = await told(memory.as_(A), name, **arguments(NEVER))

    for known in hidden:
        said = await told(memory.as_(A), name, **arguments(known))
        assert _anonymous(said, known) == _anonymous(unknown, NEVER)


@pytest.mark.parametrize("name", ["update", "store"])
async def test_a_parent_out_of_reach_looks_like_one_that_never_was(memory, hidden, name):
    first = await memory.as_(A).store("The first of mine.")
    asked = {"id": first.id} if name == "update" else {"content": "The second of mine."}

    said = {_anonymous(await told(memory.as_(A), name, **asked, parent_id=i), i) for i in [NEVER, *hidden]}

    assert said == {"NotFound: no memory 'ID' in reach | Recall or list to find its id."}


async def test_ids_out_of_reach_among_others_come_back_as_missing(memory, hidden):
    mine = await memory.as_(A).store("Mine to keep.")

    got = await memory.as_(A).get([hidden[0], mine.id, NEVER, hidden[2]])
    gone = await memory.as_(A).forget([hidden[1], mine.id, NEVER])

    assert ([m.id for m in got.memories], got.missing) == ([mine.id], (hidden[0], NEVER, hidden[2]))
    assert (gone.retired, gone.missing, gone.skipped) == ((mine.id,), (hidden[1], NEVER), ())
    assert [m.status for m in (await memory.get(hidden)).memories][:4] == ["active"] * 4


async def test_a_tail_is_ambiguous_only_among_what_is_in_reach(memory):
    memory.ports.new_id = _each("01890000-0000-7000-8000-0000aaaaaaaa", "01890000-0000-7000-9000-0000aaaaaaaa")
    await memory.as_(B).store("Beta's.")
    mine = await memory.as_(A).store("Alpha's.")

    got = await memory.as_(A).get(["aaaaaaaa"])

    assert (mine.handle, [m.id for m in got.memories]) == ("aaaaaaaa", [mine.id])
    assert "means 2 memories" in await told(memory, "get", ids=["aaaaaaaa"])


# What is told.


async def _world(memory, *, more):
    """What A may see, and with `more` what it may not, told apart by the word zanzibar."""
    team = await memory.store("The staging deploy runs on Tuesdays, says the team.", namespace=TEAM, tags=["ops"])
    old = await memory.as_(A).store("The login page lets expired passwords in.", kind="bug")
    mine = await memory.as_(A).store("Alpha reviews the login page on Fridays.", tags=["ops", "login"])
    gone = await memory.as_(A).store("Alpha once had a parrot.")
    await memory.as_(A).forget([gone.id])
    if more:
        await _secrets(memory, mine.id)
    memory.ports.now.now = START + DAY
    memory.ports.new_id = Ids(1_000)
    return [team.id, old.id, mine.id, gone.id]


async def _secrets(memory, mine):
    for place in (BETA, "user:ann", "global", "team:other", f"{ALPHA}/sub"):
        await memory.store(
            f"The zanzibar deploy of {place} runs on Tuesdays.", namespace=place, tags=["ops", "zanzibar"]
        )
        await memory.store("Alpha reviews the login page on Fridays.", namespace=place, title="Zanzibar")
    secret = {"namespace": ALPHA, "access_level": "confidential"}
    await memory.store("Alpha reviews the login page on Fridays.", title="Zanzibar login page", tags=["ops"], **secret)
    await memory.store("The zanzibar part.", parent_id=mine, **secret)
    other = await memory.store("The zanzibar part in another place.", parent_id=mine, namespace="user:ann")
    for kind in ("caused_by", "related_to"):
        await memory.relate(mine, other.id, kind)
        await memory.relate(other.id, mine, kind, metadata={"of": "zanzibar"})
    await memory.recall("zanzibar")


KEYED = {
    "relevance", "score", "terms", "ranks", "why", "confidence_label", "chance", "best_score", "cursor", "content_hash",
}  # fmt: skip
# The line that counts by agent begins as a path can.
COUNTED = [facet for facet in FACETS if facet != "agent"]
EVERY_READ = [
    ("recall", {"query": "zanzibar deploy login page Tuesdays parrot", "explain": True, "limit": 50}),
    ("recall", {"query": "zanzibar", "mode": "keyword"}),
    ("recall", {"query": "zanzibar", "min_score": 0, "status": "any", "detail": "full"}),
    ("recall", {"query": '"zanzibar deploy"', "tags": ["zanzibar"]}),
    ("list", {"status": ["any"], "kinds": "fact,bug,chunk", "detail": "full"}),
    ("list", {"access_level": "confidential"}),
    ("list", {"tags": ["zanzibar"], "sort": "title"}),
    ("list", {"has_relations": False}),
    ("stats", {}),
    ("edges", {"limit": 200}),
    ("edges", {"types": ["caused_by"]}),
    ("recall", {"query": "login page", "include_related": True, "status": "any"}),
    ("explore", {"facets": COUNTED, "status": ["any"], "limit": 1000}),
    ("explore", {"facets": ["tag", "kind", "access_level"], "kinds": "fact,bug,chunk"}),
    ("ask", {"query": "What does Alpha review on Fridays, zanzibar?", "max_tokens": 100_000}),
    ("gaps", {"least": 1, "limit": 50}),
    ("store", {"content": "Alpha reviews the login page on Fridays!", "on_conflict": "add"}),
    ("store", {"content": "The staging deploy runs on Tuesdays, says the team"}),
    ("store", {"content": "The zanzibar deploy of user:ann runs on Tuesdays."}),
    ("store", {"content": "The zanzibar part."}),
]


async def _everything(memory, ids):
    """All that A is told about what is there, and about what it then writes."""
    a = memory.as_(A)
    said = [await told(a, "related", id=i, limit=50) for i in ids]
    said += [await told(a, "excerpt", id=i, query="zanzibar", start=0) for i in ids]
    said += [await told(a, name, **given) for name, given in EVERY_READ]
    said.append(await told(a, "get", ids=ids, versions=True, relations=True, chunks=True))
    said += [await told(a, "graph", ids=[i], hops=3, status=["any"]) for i in ids]
    said.append(await told(a, "relate", source=ids[2], target=ids[1], type="supersedes"))
    said.append(await told(a, "unrelate", source=ids[2], target=ids[1], type="supersedes"))
    said.append(await told(a, "update", id=ids[2], content="Alpha reviews the login page on Mondays."))
    said.append(await told(a, "update", id=ids[0], title="Not mine"))
    said.append(await told(a, "forget", ids=ids, reason="enough"))
    said.append(await told(a, "restore", ids=ids))
    said.append((await a.forget(ids, hard=True)).model_dump_json(exclude={"preview": {"token"}}))
    return said


async def test_nothing_that_a_confined_principal_is_told_holds_a_path_or_a_text_out_of_its_reach(memory):
    ids = await _world(memory, more=True)

    said = "\n".join(await _everything(memory, ids))

    assert "login page lets expired passwords" in said
    assert not [word for word in ("team:", "agent:", "user:ann", '"global', "/") if word in _without_queries(said)]
    assert "zanzibar" not in _without_queries(said).casefold()


@pytest.mark.failure("F089")
async def test_what_a_confined_principal_is_told_does_not_depend_on_what_is_out_of_its_reach(tmp_path):
    said = []
    for more in (False, True):
        folder = tmp_path / str(more)
        folder.mkdir()
        memory = memory_at(folder / "memories.db", embedder=HashingEmbedder(), clock=Clock(), ids=Ids())
        said.append(await _everything(memory, await _world(memory, more=more)))
        await memory.close()

    assert _unscored(said[0]) == _unscored(said[1])


async def test_two_confined_principals_of_one_team_do_not_see_each_other(memory):
    for engine, word in ((memory.as_(A), "alpha"), (memory.as_(B), "beta")):
        await engine.store(f"The rota of {word} is full.")

    assert [h.text for h in (await memory.as_(A).recall("rota full")).hits] == ["The rota of alpha is full."]
    assert [m.text for m in (await memory.as_(B).list()).memories] == ["The rota of beta is full."]


async def test_author_and_agent_of_a_confined_principal_are_the_name_of_its_place_and_cannot_be_given(memory):
    refused = await told(memory.as_(A), "store", content=TEXT, author="somebody else")
    stored = await memory.as_(A).store(TEXT)

    assert "'author' cannot be given here" in refused
    (kept,) = (await memory.as_(A).get([stored.id])).memories
    assert (kept.author, kept.agent, kept.namespace) == ("alpha", "alpha", "")
    assert "'author' cannot be given here" in await told(memory.as_(A), "update", id=stored.id, author="somebody else")
    assert (await memory.get([stored.id])).memories[0].namespace == ALPHA


async def test_refusals_by_the_settings_of_its_namespace_name_no_path(memory):
    await memory.namespaces("create", path=ALPHA, required_tags=["ops"], max_memories=1)

    lacking = await told(memory.as_(A), "store", content="One.")
    await memory.as_(A).store("One.", tags=["ops"])
    full = await told(memory.as_(A), "store", content="Two.", tags=["ops"])

    assert lacking.startswith("InvalidRequest: tags: its place requires ops")
    assert full.startswith("Conflict: its place is full: it may hold 1 memory")


# Replays, hints, echoes.


async def test_the_same_text_in_another_place_is_no_replay_no_hint_and_no_echo(memory):
    await memory.as_(B).store(TEXT)
    await memory.as_(B).recall("staging deploy")

    stored = await memory.as_(A).store(TEXT)

    assert (stored.action, stored.replayed, stored.similar) == ("add", False, ())


@pytest.mark.parametrize("on_conflict", ["add", "update", "supersede", "skip"])
async def test_the_same_text_above_the_ceiling_is_no_replay_and_no_match(memory, on_conflict):
    above = await memory.store(TEXT, namespace=ALPHA, author="alpha", access_level="confidential")

    stored = await memory.as_(A).store(TEXT, on_conflict=on_conflict)

    assert (stored.action, stored.similar, stored.superseded) == ("add", (), None)
    assert (await memory.get([above.id])).memories[0].status == "active"


async def test_a_document_that_the_caller_may_not_see_is_not_named_as_what_a_hit_is_a_part_of(memory):
    secret = await memory.store("The whole.", namespace=ALPHA, title="Secret", access_level="restricted")
    await memory.store(TEXT, namespace=ALPHA, kind="chunk", parent_id=secret.id)

    own, *_ = (await memory.recall("staging deploy", namespaces=[ALPHA])).hits
    (hit,) = (await memory.as_(confined(ALPHA, ceiling=AccessLevel.internal)).recall("staging deploy")).hits

    assert own.parent.title == "Secret"
    assert hit.parent is None


async def test_an_edge_to_a_memory_above_the_ceiling_is_none(memory):
    old = await memory.store("The deploy runs on Mondays.", namespace=ALPHA)
    new = await memory.store("The deploy runs on Mondays now.", namespace=ALPHA, on_conflict="supersede")
    await memory.update(new.id, access_level="confidential")
    a = memory.as_(A)

    related, alone = [await a.list(has_relations=has, status=["any"]) for has in (True, False)]

    assert new.superseded == old.handle
    assert (await memory.list(has_relations=True, status=["any"], namespaces=[ALPHA])).total == 2
    assert (related.total, [m.handle for m in alone.memories]) == (0, [old.handle])


@pytest.mark.failure("F224")
async def test_edges_out_of_the_write_reach_are_skipped_and_the_others_drawn(memory):
    a = memory.as_(A)
    team = (await memory.store("The team's.", namespace=TEAM)).id
    mine = (await a.store("Mine.")).id
    named = [(team, mine, "related_to"), (mine, team, "supersedes"), (team, mine, "child_of"), (mine, team, "child_of"),
             (mine, team, "related_to")]  # fmt: skip

    drawn = await a.relate(edges=[{"source": s, "target": t, "type": kind} for s, t, kind in named])
    turned = await a.unrelate(mine, team, "related_to", reverse=True)
    deleted = await a.unrelate(mine, team, "child_of")

    assert [e.outcome for e in drawn.edges] == ["skipped", "skipped", "skipped", "drawn", "drawn"]
    assert [e.outcome for e in (*turned.edges, *deleted.edges)] == ["skipped", "deleted"]
    assert (await memory.get([team])).memories[0].status == "active"
    edges = (await memory.get([mine], relations=True)).relations
    assert [(r.source, r.type, r.target) for r in edges] == [(mine, "related_to", team)]


async def test_a_neighbour_above_the_ceiling_or_out_of_reach_is_neither_woken_nor_counted(memory):
    a = memory.as_(A)
    mine = await a.store("The crane is red.")
    above = await memory.store("The board knows.", namespace=ALPHA, access_level="confidential")
    beta = await memory.as_(B).store("Beta knows.")
    seen = await memory.store("The team knows.", namespace=TEAM)
    for far in (above, beta, seen):
        await memory.relate(mine.id, far.id, "caused_by")
        await memory.relate(far.id, mine.id, "supersedes" if far is above else "related_to")

    (hit,) = (await a.recall("red crane", status=["any"], include_related=True, mode="keyword")).hits
    listed, graph = await a.edges(), await a.graph([mine.id], status=["any"], hops=3)

    assert [(n.relation, n.title) for n in hit.related] == [("caused_by", "The team knows")]
    assert (hit.superseded_by, listed.total, listed.edges[0].source.edges) == (None, 2, 2)
    assert {node.memory.title for node in graph.nodes} == {"The crane is red", "The team knows"}


async def test_a_conflict_never_names_a_memory_above_the_ceiling(memory):
    await memory.store(TEXT, namespace=ALPHA, author="alpha", access_level="confidential")
    a = memory.as_(A)
    other = await a.store("Something else.")

    changed = await a.update(other.id, content=TEXT)
    await a.forget([other.id])
    restored = await a.restore([other.id])

    assert (changed.changed, restored.restored) == (("content",), (other.id,))


# Ceiling.


async def test_the_ceiling_hides_what_is_above_it_in_every_read(memory):
    a = memory.as_(A)
    whole = await memory.store("The whole of the plan.", namespace=ALPHA)
    await memory.store(
        "Part: zanzibar.", namespace=ALPHA, access_level="confidential", parent_id=whole.id, kind="chunk"
    )

    got = await a.get([whole.id], chunks=True)

    assert got.chunks == {whole.id: ()}
    assert "zanzibar" not in (await a.recall("zanzibar", min_score=0)).model_dump_json()
    assert ((await a.list(kinds=["chunk"])).total, (await a.stats()).memories) == (0, 1)


async def test_a_state_from_when_a_memory_was_above_the_ceiling_stays_hidden(memory):
    once = await memory.store("The zanzibar plan.", namespace=ALPHA, access_level="confidential")
    await memory.update(once.id, content="The plan.", access_level="internal")
    await memory.update(once.id, content="The new plan.")

    got = await memory.as_(A).get([once.id], versions=True)

    assert [(v.content, v.by) for v in got.versions[once.id]] == [("The plan.", None)]
    assert [v.content for v in (await memory.get([once.id], versions=True)).versions[once.id]] == [
        "The zanzibar plan.", "The plan.",
    ]  # fmt: skip


async def test_a_memory_superseded_by_one_above_the_ceiling_does_not_say_by_which(memory):
    old = await memory.store("The deploy runs on Mondays now", namespace=ALPHA)
    new = await memory.store(
        "The deploy runs on Mondays now.", namespace=ALPHA, access_level="confidential", on_conflict="supersede"
    )

    got = await memory.as_(A).get([old.id], versions=True, relations=True)
    found = await memory.as_(A).recall("deploy Mondays", status=["superseded"])

    assert new.superseded
    assert new.id not in got.model_dump_json() + found.model_dump_json()
    assert new.handle not in got.compact() + found.compact()


@pytest.mark.parametrize("call", ["store", "update", "store_many"])
async def test_nobody_writes_above_the_own_ceiling(memory, call):
    stored = await memory.as_(A).store("One.")
    level = {"access_level": "restricted"}
    given = {"content": TEXT, **level}

    said = {
        "store": await told(memory.as_(A), "store", **given),
        "update": await told(memory.as_(A), "update", id=stored.id, **level),
        "store_many": await told(memory.as_(A), "store_many", items=[given]),
    }[call]

    assert "access_level: 'restricted' is above the ceiling 'internal'" in said
    assert (await memory.list(namespaces=[ALPHA])).total == 1


async def test_under_a_low_ceiling_what_is_stored_can_be_read_back(memory):
    low = memory.as_(confined(ALPHA, ceiling=AccessLevel.public))

    stored = await low.store(TEXT)

    assert (await low.get([stored.id])).memories[0].access_level == "public"


# Write reach and permissions.


@pytest.mark.failure("F149")
async def test_what_is_out_of_the_write_reach_is_skipped_and_said(memory):
    team = await memory.store("The team's.", namespace=TEAM)
    mine = await memory.as_(A).store("Mine.")

    forgotten = await memory.as_(A).forget([team.id, mine.id])
    restored = await memory.as_(A).restore([team.id, mine.id])
    updated = await told(memory.as_(A), "update", id=team.id, title="Mine now")
    preview = await memory.as_(A).forget([team.id, mine.id], hard=True)

    assert (forgotten.retired, forgotten.skipped) == ((mine.id,), (team.id,))
    assert (restored.restored, restored.skipped) == ((mine.id,), (team.id,))
    assert updated.startswith("Forbidden: ")
    assert (preview.preview.memories, preview.skipped) == (1, (team.id,))
    assert (await memory.get([team.id])).memories[0].version == 1


@pytest.mark.parametrize(
    "name", [n for n, op in OPERATIONS.items() if op.effect is not Effect.READ and not op.readable]
)
async def test_whoever_may_only_read_changes_nothing(memory, name):
    reader = memory.as_(confined(ALPHA, permissions=()))

    assert (await told(reader, name)).startswith(f"Unsupported: {name} is not available here")
    assert not OPERATIONS[name].allowed(reader.principal)


@pytest.mark.parametrize("name", [n for n, op in OPERATIONS.items() if op.effect is Effect.READ or op.readable])
def test_whoever_may_only_read_may_read(name):
    assert OPERATIONS[name].allowed(confined(ALPHA, permissions=()))


@pytest.mark.failure("F322")
@pytest.mark.parametrize(
    ("name", "reads", "writes"),
    [
        ("entities", {"action": "get", "name": "Ann Smith"}, {"action": "rename", "name": "Ann Smith", "to": "Zoe"}),
        ("entities", {}, {"action": "merge", "name": "Ann Smith", "others": ["Berlin"]}),
        ("entities", {"action": "list"}, {"action": "assert"}),
        ("gaps", {"least": 1}, {"least": 1, "forget": ["all"]}),
    ],
)
async def test_what_reads_and_writes_is_open_to_a_reader_for_what_it_reads(memory, name, reads, writes):
    await memory.as_(A).store("They told Ann Smith about Berlin.")
    reader = memory.as_(confined(ALPHA, permissions=()))
    await reader.recall("What of the parrot?")
    before = await getattr(reader, name)(**reads)

    with pytest.raises(Unsupported, match=f"{name} {writes.get('action', 'forget')} is not available here"):
        await getattr(reader, name)(**writes)

    assert await getattr(reader, name)(**reads) == before
    assert OPERATIONS[name].only_reads(reader.principal)


@pytest.mark.failure("F090")
async def test_erasing_needs_its_permission(memory):
    writer = memory.as_(confined(ALPHA))
    stored = await writer.store(TEXT)

    said = await told(writer, "forget", ids=[stored.id], hard=True)

    assert said == "Forbidden: erasing is not permitted here | Retire instead: leave hard out."


async def test_a_confined_principal_is_told_the_name_of_an_export_and_the_owner_its_path(memory, tmp_path):
    exports = []
    for engine in (memory.as_(A), memory):
        stored = await engine.store(TEXT)
        token = (await engine.forget([stored.id], hard=True)).preview.token
        exports.append(await engine.forget([stored.id], hard=True, token=token))

    theirs, owners = exports
    assert (tmp_path / "exports" / theirs.export).is_file()
    assert "/" not in theirs.model_dump_json() + theirs.compact()
    assert owners.export.startswith(str(tmp_path))
    assert len(theirs.export_sha256) == 64


async def test_an_administrator_that_is_confined_counts_only_what_it_may_see(memory):
    await memory.store("The board's.", namespace=ALPHA, access_level="restricted")
    await memory.as_(A).store("Mine.")
    await memory.as_(B).store("Beta's.")
    await memory.store("The team's.", namespace=TEAM)

    listed = await memory.as_(A).namespaces()
    refused = await told(memory.as_(A), "namespaces", action="update", path=BETA, description="mine")

    assert [(n.path, n.memories, n.live, n.bytes) for n in listed.namespaces] == [(ALPHA, 1, 1, len("Mine.[]"))]
    assert refused.startswith("Forbidden: ")


async def test_only_the_owner_rebuilds_the_indexes(memory):
    with pytest.raises(Unsupported):
        await memory.as_(A).reembed()
    with pytest.raises(Unsupported):
        await memory.as_(A).reindex()


# Reading makes nothing.


@pytest.mark.failure("F093")
async def test_a_read_never_creates_a_namespace(memory):
    for engine in (memory, memory.as_(A)):
        await engine.recall("anything")
        await engine.list()
        await engine.get([NEVER])
        await engine.stats()
        await engine.forget([NEVER])

    unknown = await told(memory, "recall", query="anything", namespaces=["team:acm"])

    assert (await memory.namespaces()).namespaces == ()
    assert unknown.startswith("NotFound: no namespace 'team:acm' in reach")


async def test_a_refused_store_creates_no_namespace(memory):
    for given in ({"content": " "}, {"content": TEXT, "parent_id": NEVER}, {"content": TEXT, "valid_to": "1999-01-01"}):
        await told(memory, "store", **given)

    assert (await memory.namespaces()).namespaces == ()


# The owner.


@pytest.mark.failure("F093")
async def test_the_owner_reads_its_place_what_is_above_its_home_and_the_root_and_is_told_so(memory):
    for place in ("user:ann", "org", "org/web", "org/app", "global"):
        await memory.store(f"A rule of {place}.", namespace=place)
    engine = memory.as_(owner("org/web", home="user:ann"))

    page = await engine.list(sort="title", descending=False)
    named = await engine.recall("rule", namespaces=["org/app"])

    assert [m.namespace for m in page.memories] == ["global", "org", "org/web", "user:ann"]
    assert page.namespaces == ("global", "org", "org/web", "user:ann")
    assert (named.namespaces, [h.namespace for h in named.hits]) == (("org/app",), ["org/app"])


async def test_an_unknown_namespace_is_refused_with_near_ones(memory):
    await memory.store(TEXT, namespace=TEAM)

    said = await told(memory, "list", namespaces=["team:acne"])

    assert said.startswith("NotFound: no namespace 'team:acne' in reach")
    assert "Near: team:acme." in said


async def test_the_owner_is_told_where_everything_is(memory):
    stored = await memory.store(TEXT)

    assert (stored.namespace, (await memory.list()).memories[0].namespace) == (ANN.place, ANN.place)


def _anonymous(said, memory_id):
    """What was said, with the id in every form it was given in put in place by ID."""
    for form in (memory_id, memory_id.upper(), memory_id.replace("-", ""), memory_id[-8:], memory_id[-6:]):
        said = said.replace(form, "ID")
    return said


def _each(*ids):
    rest = list(ids)
    return lambda _: rest.pop(0)


def _without_queries(said):
    """Leave out what A wrote itself."""
    for _, given in EVERY_READ:
        for own in (given.get("query"), given.get("content")):
            if own:
                said = said.replace(own, "").replace(json.dumps(own)[1:-1], "")
    return said


def _unscored(said):
    """Leave out what rests on word statistics, which are the whole tenant's, and what is made with the store's key."""
    return [_plain(json.JSONDecoder().raw_decode(text)[0]) if text.startswith("{") else text for text in said]


def _plain(value):
    if isinstance(value, dict):
        hits = {"hits": sorted(value["hits"], key=lambda hit: hit["handle"])} if "hits" in value else {}
        return {name: _plain(part) for name, part in (value | hits).items() if name not in KEYED}
    return [_plain(v) for v in value] if isinstance(value, list) else value
