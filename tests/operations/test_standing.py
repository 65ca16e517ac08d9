"""Trust and freshness: they decide between memories that answer about equally well, and nothing else."""

import pytest

from bethink.errors import InvalidRequest
from bethink.principal import confined
from tests.bed import DAY

QUESTION = "when is the orders database saved"


async def two(memory, first, second):
    """Store what answers equally well, with what is said of each; of equals the one stored first comes first."""
    a = await memory.store("The orders database is saved hourly.", hints=False, **first)
    b = await memory.store("The orders database is saved nightly.", hints=False, **second)
    return a, b


async def order(memory, **asked):
    return [hit.handle for hit in (await memory.recall(QUESTION, **asked)).hits]


@pytest.mark.parametrize(
    ("worse", "better"),
    [
        ({"confidence": 0.3}, {}),
        ({}, {"verification": "source_verified"}),
        ({}, {"verification": "tool_verified"}),
        ({"verification": "unverified"}, {"verification": "asserted"}),
        (
            {"volatility": "volatile", "occurred_at": "20 days ago"},
            {"volatility": "stable", "occurred_at": "20 days ago"},
        ),
        ({"occurred_at": "200 days ago", "volatility": "normal"}, {"volatility": "normal"}),
    ],
)
async def test_of_two_that_answer_equally_well_the_more_trusted_or_fresher_comes_first(memory, worse, better):
    a, b = await two(memory, worse, better)

    assert await order(memory) == [b.handle, a.handle]


async def test_of_equals_in_all_the_first_stays_first(memory):
    a, b = await two(memory, {}, {})

    assert await order(memory) == [a.handle, b.handle]


async def test_a_stale_memory_comes_after_one_that_is_not(memory):
    a, b = await two(memory, {}, {})
    await memory.update(a.id, status="stale")

    assert await order(memory) == [b.handle, a.handle]


async def test_confirming_an_old_memory_makes_it_fresh_again(memory):
    a, b = await two(memory, {"volatility": "volatile"}, {"volatility": "volatile"})
    memory.ports.now.pass_(30 * DAY)
    await memory.update(b.id, evidence=[{"quote": "still nightly"}])

    assert await order(memory) == [b.handle, a.handle]


async def test_evidence_that_is_taken_away_or_given_again_confirms_nothing(memory):
    _, b = await two(memory, {}, {"evidence": [{"quote": "x"}, {"quote": "y"}]})

    async def confirmed():
        return (await memory.get([b.id])).memories[0].last_confirmed_at

    await memory.update(b.id, evidence=[{"quote": "x"}])
    assert await confirmed() is None
    await memory.update(b.id, verification="tool_verified")
    assert await confirmed() is not None


async def test_what_answers_better_comes_first_however_little_it_is_trusted(memory):
    doubtful = {"confidence": 0.0, "verification": "unverified", "occurred_at": "3 years ago", "volatility": "volatile"}
    right = await memory.store("The orders database is saved hourly.", hints=False, **doubtful)
    await memory.store(
        "The orders database lives in Oslo.", hints=False, confidence=1.0, verification="source_verified"
    )

    assert (await order(memory))[0] == right.handle


async def test_trust_and_freshness_take_a_twentieth_of_a_score_at_most_and_explain_names_them(memory):
    worst = {"confidence": 0.0, "verification": "unverified", "occurred_at": "9 years ago", "volatility": "volatile"}
    best = {"confidence": 1.0, "verification": "source_verified", "volatility": "stable"}
    a, b = await two(memory, best, worst)

    first, last = (await memory.recall(QUESTION, explain=True)).hits

    assert (first.handle, last.handle) == (a.handle, b.handle)
    moved = [sum(hit.terms.get(name, 0.0) for name in ("trust", "freshness")) for hit in (first, last)]
    assert 0.9 * 0.045 < (moved[0] - moved[1]) / (first.score - moved[0]) <= 0.05
    for hit in (first, last):
        assert sum(hit.terms.values()) == pytest.approx(hit.score, abs=5e-4)


async def test_neither_decides_whether_anything_answers_nor_how_sure_that_is(memory):
    old = {"confidence": 0.0, "verification": "unverified", "occurred_at": "9 years ago", "volatility": "volatile"}
    await memory.store("The orders database is saved hourly.", hints=False, **old)
    (hit,) = (await memory.recall(QUESTION, explain=True, decay="half_life:1")).hits
    await memory.update(hit.id or hit.handle, confidence=0.8, verification=None)
    (plain,) = (await memory.recall(QUESTION, explain=True, decay="none")).hits

    assert (hit.chance, hit.confidence_label) == (plain.chance, plain.confidence_label)
    assert hit.score < 0.4 * plain.score


@pytest.mark.parametrize("decay", ["half_life:30", "linear:60"])
async def test_a_caller_may_let_the_age_weigh_as_much_as_the_match(memory, decay):
    old = await memory.store("The orders database is saved hourly.", hints=False, occurred_at="1 year ago")
    new = await memory.store("The orders database is saved, it seems, and so are others.", hints=False)

    assert (await order(memory))[0] == old.handle
    assert (await order(memory, decay=decay))[0] == new.handle


async def test_half_of_a_score_is_left_after_a_half_life_and_a_third_of_it_at_least(memory):
    await memory.store("The orders database is saved hourly.", hints=False)
    asked = {"explain": True, "min_score": 0.0}
    memory.ports.now.pass_(30 * DAY)

    async def left(decay):
        (hit,) = (await memory.recall(QUESTION, decay=decay, **asked)).hits
        return round(1 + hit.terms.get("freshness", 0.0) / (hit.score - hit.terms.get("freshness", 0.0)), 2)

    assert [await left(f"half_life:{days}") for days in (30, 60, 1)] == [0.5, 0.71, 0.35]
    assert [await left(f"linear:{days}") for days in (60, 300, 1)] == [0.5, 0.9, 0.35]
    assert await left("none") == 1.0


async def test_with_decay_none_age_does_not_even_decide_between_equals(memory):
    a, b = await two(memory, {"occurred_at": "200 days ago", "volatility": "normal"}, {"volatility": "normal"})

    assert await order(memory) == [b.handle, a.handle]
    assert await order(memory, decay="none") == [a.handle, b.handle]


@pytest.mark.parametrize(
    "decay",
    [
        "",
        "fast",
        "half_life",
        "half_life:",
        "half_life:0",
        "half_life:-3",
        "half_life:nan",
        "half_life:1e-320",
        "half_life:1_0",
        "half_life: 30",
        "linear:inf",
        "linear:1e9",
    ],
)
async def test_another_decay_is_refused_with_those_that_there_are(memory, decay):
    with pytest.raises(InvalidRequest, match="decay") as refused:
        await memory.recall(QUESTION, decay=decay)

    assert "half_life:N" in refused.value.hint


async def test_the_older_of_two_that_somebody_says_contradict_each_other_comes_last(memory):
    a, b = await two(memory, {}, {})
    await memory.relate(source=b.id, target=a.id, type="contradicts")
    assert await order(memory) == [b.handle, a.handle]

    await memory.unrelate(source=b.id, target=a.id, type="contradicts")
    assert await order(memory) == [a.handle, b.handle]


async def test_a_contradiction_moves_nothing_for_whoever_may_not_see_the_other_memory(memory):
    a, b = await two(memory, {"namespace": "team"}, {"namespace": "team"})
    secret = await memory.store("It is never saved.", hints=False, namespace="secret")
    await memory.relate(source=secret.id, target=a.id, type="contradicts")
    asked = {"namespaces": ["team", "secret"]}
    assert (await order(memory, **asked))[:2] == [b.handle, a.handle]

    assert await order(memory.as_(confined("team"))) == [a.handle, b.handle]


async def test_a_later_page_goes_on_with_the_same_decay_and_no_other(memory):
    for number in range(5):
        await memory.store(
            f"The orders database is saved hourly, {number}.", hints=False, occurred_at=f"{9 - number} days ago"
        )
    asked = {"decay": "half_life:5", "limit": 2}
    whole = await order(memory, decay="half_life:5")
    first = await memory.recall(QUESTION, **asked)
    second = await memory.recall(QUESTION, cursor=first.cursor, **asked)

    assert [hit.handle for hit in (*first.hits, *second.hits)] == whole[:4]
    with pytest.raises(InvalidRequest, match="cursor"):
        await memory.recall(QUESTION, cursor=first.cursor, limit=2)
