"""Times as operations take them: in the configured zone, whole days whole, what did not happen refused."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from bethink.errors import InvalidRequest
from bethink.ports import Policy
from tests.bed import DAY, Clock, Ids, memory_at

BERLIN = ZoneInfo("Europe/Berlin")


def utc(*parts):
    return datetime(*parts, tzinfo=UTC)


@pytest.fixture
async def berlin(path):
    """A memory of somebody in Berlin, who lives in May 2026."""
    memory = memory_at(path, clock=Clock(int(utc(2026, 5, 20, 12).timestamp()) * 1_000_000), ids=Ids())
    memory.ports.policy = Policy(timezone=BERLIN)
    yield memory
    await memory.close()


@pytest.mark.failure("F082", "F083", "F084")
@pytest.mark.parametrize(
    ("given", "start", "until"),
    [
        ("2026-05-20T14:30:00Z", utc(2026, 5, 20, 14, 30), None),
        ("2026-05-20T14:30:00.123456+02:00", utc(2026, 5, 20, 12, 30, 0, 123456), None),
        ("2026-05-20T14:30", utc(2026, 5, 20, 12, 30), None),
        ("2026-05-20 14:30:01", utc(2026, 5, 20, 12, 30, 1), None),
        ("2026-05-20", utc(2026, 5, 19, 22), utc(2026, 5, 20, 22)),
        ("2026-03-29", utc(2026, 3, 28, 23), utc(2026, 3, 29, 22)),
        ("2026-05-01/2026-05-03", utc(2026, 4, 30, 22), utc(2026, 5, 3, 22)),
        ("yesterday", utc(2026, 5, 18, 22), utc(2026, 5, 19, 22)),
        ("2026-10-25T02:30:00+01:00", utc(2026, 10, 25, 1, 30), None),
        ("1066-10-14T09:00:00Z", utc(1066, 10, 14, 9), None),
    ],
)
async def test_when_something_happened_is_kept_to_the_microsecond(berlin, given, start, until):
    stored = await berlin.store("It happened.", occurred_at=given)

    (kept,) = (await berlin.get([stored.id])).memories
    assert (kept.occurred_at, kept.occurred_until) == (start, until)
    assert kept.valid_from == kept.occurred_at


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("2026-02-30", "does not exist"),
        ("2026-13-01", "does not exist"),
        ("2026-03-29T02:30", "did not happen in Europe/Berlin"),
        ("2026-10-25T02:30", "happened twice in Europe/Berlin"),
        ("2026-05-20T25:00:00Z", "is not a time"),
        ("20.05.2026", "is not a time"),
        ("soon", "is not a time"),
        ("", "is not a time"),
        (" ", "is not a time"),
        ("2026-05-03/2026-05-01", "ends before it begins"),
    ],
)
@pytest.mark.parametrize("parameter", ["occurred_at", "valid_from", "expires_at", "since", "recorded_after"])
async def test_an_impossible_or_ambiguous_time_is_refused_by_its_parameter(berlin, parameter, given, said):
    kept = await berlin.store("A text.")
    call = [berlin.list, berlin.recall] if parameter in ("since", "recorded_after") else [berlin.store, berlin.update]
    first = {berlin.recall: "text", berlin.store: "Another.", berlin.update: kept.id}

    for method in call:
        with pytest.raises(InvalidRequest) as wrong:
            await method(*([first[method]] if method in first else []), **{parameter: given})
        assert str(wrong.value).startswith(f"{parameter}: ")
        assert said in str(wrong.value)
        assert "2026-05-20T14:30" in wrong.value.hint or "Give" in wrong.value.hint
    assert (await berlin.list()).memories[0].handle == kept.handle


@pytest.mark.failure("F087")
@pytest.mark.parametrize(
    ("since", "until", "found"),
    [
        ("2026-05-18", None, ["late on the 18th", "on the 19th", "today"]),
        ("2026-05-18", "2026-05-18", ["late on the 18th"]),
        ("2026-05-19", "2026-05-19", ["on the 19th"]),
        (None, "2026-05-17", ["last month"]),
        ("yesterday", "yesterday", ["on the 19th"]),
        ("last month", "last month", ["last month"]),
        ("2026-05-18T21:00:00Z", "2026-05-18T21:59:59Z", ["late on the 18th"]),
        ("2026-05-18T21:00:00Z", "2026-05-18T22:30:00Z", ["late on the 18th", "on the 19th"]),
        ("2026-05-20", None, ["today"]),
        ("2026-05-21", None, []),
    ],
)
async def test_since_and_until_take_dates_and_words_and_both_ends_count(berlin, since, until, found):
    for text, at in (
        ("last month", "2026-04-11T10:00:00Z"),
        ("late on the 18th", "2026-05-18T21:59:59Z"),  # 23:59:59 in Berlin
        ("on the 19th", "2026-05-19"),
        ("today", "2026-05-20T08:00"),
    ):
        await berlin.store(f"The talk was {text}", occurred_at=at)
    asked = {name: value for name, value in (("since", since), ("until", until)) if value}

    page = await berlin.list(sort="occurred", descending=False, **asked)
    hits = (await berlin.recall("talk", **asked)).hits

    assert [m.text.removeprefix("The talk was ") for m in page.memories] == found
    assert sorted(h.text.removeprefix("The talk was ") for h in hits) == sorted(found)


async def test_since_after_until_is_refused(berlin):
    with pytest.raises(InvalidRequest, match="since is not before until"):
        await berlin.list(since="2026-05-02", until="2026-05-01")


@pytest.mark.parametrize("name", ["store", "update"])
async def test_what_ends_before_it_begins_is_refused(berlin, name):
    kept = await berlin.store("A text.", valid_from="2026-05-10")
    ends = {"valid_to": "2026-05-09"}

    with pytest.raises(InvalidRequest, match="valid_to is not after valid_from"):
        await (
            berlin.store("Another.", valid_from="2026-05-10", **ends)
            if name == "store"
            else berlin.update(kept.id, **ends)
        )


@pytest.mark.parametrize(
    ("given", "said", "how"),
    [
        (
            {"expires_at": "2026-05-01"},
            "expires_at is past: recall leaves it out unless expired=true",
            {"expired": True},
        ),
        (
            {"valid_from": "2025-01-01", "valid_to": "2026-01-01"},
            "valid_to is past: recall leaves it out unless status=any",
            {"status": ["any"]},
        ),
        (
            {"valid_from": "2025-01-01", "valid_to": "2026-01-01", "expires_at": "2026-05-01"},
            "expires_at is past: recall leaves it out unless status=any",
            {"status": ["any"]},
        ),
        ({"valid_to": "2030-01-01", "expires_at": "2030-01-01"}, None, {}),
    ],
)
async def test_what_has_lapsed_when_it_is_stored_is_told_with_how_it_is_read(berlin, given, said, how):
    stored = await berlin.store("The contract.", **given)

    assert (stored.stored, stored.reason) == (True, said)
    assert (await berlin.list(**how)).total == 1


async def test_default_reads_show_what_is_valid_and_not_expired_now(berlin):
    await berlin.store("The contract of today.")
    await berlin.store("The contract of January.", valid_from="2027-01-01")
    await berlin.store("The contract of last year.", valid_from="2025-01-01", valid_to="2026-01-01")
    await berlin.store("The contract that lapses.", expires_at="2026-05-21")

    async def now(**filters):
        return {m.text for m in (await berlin.list(**filters)).memories}

    assert await now() == {"The contract of today.", "The contract that lapses."}
    berlin.ports.now.pass_(2 * DAY)
    assert await now() == {"The contract of today."}
    assert await now(expired=True) == {"The contract that lapses."}
    assert len(await now(status=["any"])) == 4
    assert {h.text for h in (await berlin.recall("contract")).hits} == {"The contract of today."}


async def test_a_null_clears_an_end_and_an_expiry(berlin):
    kept = await berlin.store("A text.", valid_to="2026-06-01", expires_at="2026-07-01")

    await berlin.update(kept.id, valid_to=None, expires_at=None)

    (after,) = (await berlin.get([kept.id])).memories
    assert (after.valid_to, after.expires_at) == (None, None)


async def test_a_corrected_day_is_a_day_and_a_corrected_moment_a_moment(berlin):
    kept = await berlin.store("It happened.", occurred_at="2026-05-01")
    await berlin.update(kept.id, occurred_at="2026-05-02T10:00:00Z")
    (moment,) = (await berlin.get([kept.id])).memories
    await berlin.update(kept.id, occurred_at="2026-05-03")
    (day,) = (await berlin.get([kept.id])).memories

    assert (moment.occurred_at, moment.occurred_until) == (utc(2026, 5, 2, 10), None)
    assert (day.occurred_at, day.occurred_until) == (utc(2026, 5, 2, 22), utc(2026, 5, 3, 22))


async def test_the_same_text_at_two_given_times_is_two_memories_and_correcting_the_time_makes_them_one(berlin):
    first = await berlin.store("The backup ran.", occurred_at="2026-05-01")
    second = await berlin.store("The backup ran.", occurred_at="2026-05-02")
    await berlin.update(second.id, occurred_at="2026-05-03")

    again = await berlin.store("The backup ran.", occurred_at="2026-05-03")

    assert (first.action, second.action, again.action) == ("add", "add", "replay")
    assert again.id == second.id


async def test_a_hit_says_when_and_how_long_ago(berlin):
    await berlin.store("The backup ran.", occurred_at="2026-05-01T12:00:00Z")

    (hit,) = (await berlin.recall("backup")).hits

    assert (hit.occurred_at, hit.age) == (utc(2026, 5, 1, 12), "2 weeks ago")


@pytest.mark.parametrize(
    ("given", "moment"),
    [
        ("2026-05-21", utc(2026, 5, 21, 22)),
        ("2026-05-21/2026-05-23", utc(2026, 5, 23, 22)),
        ("2026-05-21T14:30:00Z", utc(2026, 5, 21, 14, 30)),
    ],
)
async def test_what_holds_or_lasts_through_a_day_ends_with_it(berlin, given, moment):
    stored = await berlin.store("The offer holds.", valid_to=given, expires_at=given)
    changed = await berlin.store("Another offer.")
    await berlin.update(changed.id, valid_to=given, expires_at=given)

    for kept in (await berlin.get([stored.id, changed.id])).memories:
        assert (kept.valid_to, kept.expires_at) == (moment, moment)
