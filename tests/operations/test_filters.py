"""Every filter against what it says, worked out over all memories; recall and list take the same ones."""

import asyncio
from datetime import timedelta

import pytest

from bethink.domain import STRUCTURAL, Kind, Level, Source, Status
from bethink.errors import InvalidRequest, Unsupported
from bethink.vocabulary import UNSERVED_FILTERS
from tests.bed import DAY, HOUR

LEVELS = list(Level)
LIVE = {Status.active, Status.stale}


@pytest.fixture(scope="module")
def filled(shared):
    """Memories that differ in everything that a filter looks at, and all of them as the store knows them."""
    return asyncio.run(_filled(shared))


def later(memories):
    """When the tests read: a day after the last change."""
    return max(m.updated_at for m in memories) + timedelta(days=1)


async def _filled(memory):
    ids = []
    for n in range(36):
        ids.append((await memory.store(f"Harbour note number {n}.", **_fields(n), hints=False)).id)
        memory.ports.now.pass_(HOUR)
    await memory.update(ids[0], status="stale")
    await memory.update(ids[1], status="deprecated")
    await memory.forget([ids[2], ids[3]])
    await memory.update(ids[4], content="Harbour note number 4, rewritten.")
    memory.ports.now.pass_(DAY)
    page = await memory.list(status=["any"], kinds=[k.value for k in Kind], limit=200, detail="full", sort="title")
    assert page.total == 36
    return memory, [m.memory for m in page.memories], ids


def _fields(n):
    kinds = ["fact", "bug", "decision", "chunk", "insight", "turn"]
    every = {
        "kind": kinds[n % 6],
        "tags": [["ops"], ["OPS", "web"], ["web"], ["opsy"], [], ["é%_\\", "a,b"]][n % 6],
        "subtype": [None, "policy", "contract"][n % 3],
        "author": [None, "ann", "bob"][n // 3 % 3],
        "language": ["en", "de"][n % 2],
        "confidence": (n % 5) / 4,
        "importance": (n % 7) / 6,
        "verification": [None, "source_verified", "tool_verified", "asserted"][n % 4],
        "pinned": n % 9 == 0,
        "access_level": ["public", "internal", "confidential", "restricted"][n % 4],
        "source": [None, Source(repo="acme/web", path=f"{n}.py"), Source(repo="acme/api", thread="t1")][n // 2 % 3],
        "occurred_at": f"2023-11-{n % 20 + 1:02}",
        "expires_at": "2023-11-15T12:00:00Z" if n % 8 == 5 else None,
    }
    return {name: value for name, value in every.items() if value is not None}


def live(memory, now):
    return memory.status in LIVE and memory.valid_from <= now and (not memory.valid_to or memory.valid_to > now)


def fresh(memory, now):
    return not memory.expires_at or memory.expires_at > now


def folded(tags):
    return {tag.casefold() for tag in tags}


def EVERY(_):  # noqa: N802  # reads as a value in the table
    return True


def NONE(_):  # noqa: N802  # reads as a value in the table
    return False


FILTERS = [
    ({}, EVERY),
    ({"kinds": ["bug"]}, lambda m: m.kind == "bug"),
    ({"kinds": ["bug", "insight"]}, lambda m: m.kind in ("bug", "insight")),
    ({"kinds": ["chunk", "turn"]}, lambda m: m.kind in STRUCTURAL),
    ({"subtypes": ["policy"]}, lambda m: m.subtype == "policy"),
    ({"subtypes": ["policy", "contract"]}, lambda m: m.subtype is not None),
    ({"tags": ["ops"]}, lambda m: "ops" in folded(m.tags)),
    ({"tags": ["OPS"]}, lambda m: "ops" in folded(m.tags)),
    ({"tags": ["ops", "web"]}, lambda m: {"ops", "web"} <= folded(m.tags)),
    ({"tags_any": ["ops", "web"]}, lambda m: {"ops", "web"} & folded(m.tags)),
    ({"tags": ["web"], "tags_any": ["ops", "x"]}, lambda m: {"ops", "web"} <= folded(m.tags)),
    ({"tags": ["op"]}, NONE),
    ({"tags": ["%"]}, NONE),
    ({"tags": ["E\u0301%_\\"]}, lambda m: "é%_\\" in m.tags),
    ({"tags_any": '["a,b"]'}, lambda m: "a,b" in m.tags),
    ({"author": "ann"}, lambda m: m.author == "ann"),
    ({"author": "an"}, NONE),
    ({"agent": "tester"}, EVERY),
    ({"agent": "another"}, NONE),
    ({"language": "de"}, lambda m: m.language == "de"),
    ({"origin": "authored"}, EVERY),
    ({"origin": "imported"}, NONE),
    ({"access_level": "confidential"}, lambda m: m.access_level == "confidential"),
    ({"pinned": True}, lambda m: m.pinned),
    ({"pinned": "false"}, lambda m: not m.pinned),
    ({"min_confidence": 0.5}, lambda m: m.confidence >= 0.5),
    ({"min_importance": 0.5}, lambda m: m.importance >= 0.5),
    *[({"min_level": level.value}, lambda m, at=n: LEVELS.index(m.level) >= at) for n, level in enumerate(LEVELS)],
    ({"source": {"repo": "acme/web"}}, lambda m: m.source and m.source.repo == "acme/web"),
    ({"source": {"repo": "acme/api", "thread": "t1"}}, lambda m: m.source and m.source.thread == "t1"),
    ({"source": {"repo": "acme"}}, NONE),
    ({"has_relations": False}, EVERY),
    ({"has_relations": True}, NONE),
    ({"since": "2023-11-10"}, lambda m: m.occurred_at.day >= 10),
    ({"until": "2023-11-05"}, lambda m: m.occurred_at.day <= 5),
    ({"since": "2023-11-03", "until": "2023-11-03"}, lambda m: m.occurred_at.day == 3),
    ({"recorded_after": "2023-11-15T10:00:00Z"}, lambda m: m.recorded_at.isoformat() >= "2023-11-15T10"),
    ({"recorded_before": "2023-11-15T10:00:00Z"}, lambda m: m.recorded_at.isoformat() < "2023-11-15T10"),
    ({"confirmed_after": "2023-11-15T00:00:00Z"}, lambda m: m.last_confirmed_at is not None),
    ({"confirmed_before": "2023-11-15T00:00:00Z"}, NONE),
    ({"kinds": ["fact"], "tags": ["ops"], "min_confidence": "0.25", "language": "en"},
     lambda m: m.kind == "fact" and "ops" in folded(m.tags) and m.confidence >= 0.25 and m.language == "en"),
]  # fmt: skip


@pytest.mark.failure("F022", "F023", "F024", "F073")
@pytest.mark.parametrize("number", range(len(FILTERS)))
async def test_each_filter_admits_what_it_says_in_list_and_in_recall(filled, number):
    memory, everything, _ = filled
    given, admits = FILTERS[number]
    now = later(everything)
    structural = "kinds" in given
    expected = [m for m in everything if live(m, now) and fresh(m, now) and admits(m)]

    page = await memory.list(**given, limit=200)
    hits = (await memory.recall("harbour", **given, limit=50, max_tokens=100_000)).hits

    listed = [m.id for m in expected if structural or m.kind not in STRUCTURAL]
    assert {m.handle for m in page.memories} == {i[-8:].replace("-", "") for i in listed}
    assert page.total == len(listed)
    assert {h.handle for h in hits} == {m.id[-8:] for m in expected}


@pytest.mark.failure("F060")
@pytest.mark.parametrize("status", [["retired"], ["deprecated"], ["stale"], "active,stale", ["any"], ["superseded"]])
async def test_a_status_that_is_named_is_what_comes(filled, status):
    memory, everything, _ = filled
    wanted = set(status.split(",")) if isinstance(status, str) else set(status)

    page = await memory.list(status=status, kinds=[k.value for k in Kind], limit=200)

    whole = not wanted <= LIVE
    now = later(everything)
    named = [m for m in everything if "any" in wanted or m.status in wanted]
    expected = {m.id[-8:] for m in named if whole or (live(m, now) and fresh(m, now))}
    assert {m.handle for m in page.memories} == expected


@pytest.mark.parametrize("expired", [True, False])
async def test_what_has_expired_comes_only_where_it_is_asked_for(filled, expired):
    memory, everything, _ = filled

    page = await memory.list(expired=expired, kinds=[k.value for k in Kind], limit=200)

    now = later(everything)
    expected = {m.id[-8:] for m in everything if live(m, now) and fresh(m, now) != expired}
    assert {m.handle for m in page.memories} == expected


@pytest.mark.parametrize("name", sorted(UNSERVED_FILTERS))
async def test_a_filter_on_data_that_does_not_exist_yet_is_refused(filled, name):
    memory, _, _ = filled
    given = {"min_groundedness": 0.5, "claims": "open", "orphans": True}[name]

    for call in (memory.list(**{name: given}), memory.recall("harbour", **{name: given})):
        with pytest.raises(Unsupported, match=f"the filter '{name}' is not served yet"):
            await call


@pytest.mark.failure("F324")
@pytest.mark.parametrize(
    ("filters", "said"),
    [
        ({"since": "2024-02-01", "until": "2024-01-31"}, "since is not before until"),
        (
            {"recorded_after": "2024-02-01", "recorded_before": "2024-02-01"},
            "recorded_after is not before recorded_before",
        ),
        (
            {"confirmed_after": "today", "confirmed_before": "last week"},
            "confirmed_after is not before confirmed_before",
        ),
        (
            {"min_level": "stale", "status": ["retired", "superseded"]},
            "no memory of status retired, superseded has the min_level 'stale'",
        ),
        ({"min_level": "inferred", "status": ["stale"]}, "no memory of status stale has the min_level 'inferred'"),
    ],
)
async def test_filters_that_contradict_each_other_are_refused(filled, filters, said):
    memory, _, _ = filled

    for call in (memory.list(**filters), memory.recall("harbour", **filters), memory.explore(["kind"], **filters)):
        with pytest.raises(InvalidRequest, match=said) as wrong:
            await call
        assert wrong.value.hint


async def test_filters_that_hardly_agree_are_served(filled):
    memory, _, _ = filled

    for filters in (
        {"since": "2024-01-31", "until": "2024-01-31"},
        {"min_level": "verified", "status": ["active", "retired"]},
        {"min_level": "deprecated", "status": ["retired"]},
        {"recorded_after": "2024-02-01", "recorded_before": "2024-02-02"},
    ):
        listed, counted = await memory.list(**filters), await memory.explore(["kind"], **filters)
        assert listed.total == counted.total == len(listed.memories)


async def test_relations_are_looked_for_from_both_ends(hashing):
    old = await hashing.store("The deploy runs on Mondays.")
    new = await hashing.store("The deploy runs on Mondays now.", on_conflict="supersede")
    await hashing.store("Something else entirely.")

    related = await hashing.list(has_relations=True, status=["any"])
    alone = await hashing.list(has_relations=False, status=["any"])

    assert new.superseded == old.handle
    assert {m.handle for m in related.memories} == {old.handle, new.handle}
    assert alone.total == 1
