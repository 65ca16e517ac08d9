"""Times are read as written, in the zone of the user, and refused when they do not exist."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink.errors import InvalidRequest
from bethink.text.times import EARLIEST, LATEST, age, format_time, parse_time

BERLIN = ZoneInfo("Europe/Berlin")


def micros(*when: int) -> int:
    return (datetime(*when, tzinfo=UTC) - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)


NOW = micros(2026, 3, 30, 10)  # a Monday, a day after the clocks of Berlin were put on


def read(text: str, zone: ZoneInfo = BERLIN, now: int | None = NOW) -> tuple[str, str]:
    span = parse_time(text, parameter="since", zone=zone, now=now)
    return format_time(span.start), format_time(span.stop)


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("2026-05-20T14:30:00Z", "2026-05-20T14:30:00Z"),
        ("2026-05-20t14:30:00.25+02:00", "2026-05-20T12:30:00.250000Z"),
        ("2026-05-20 14:30 -0330", "2026-05-20T18:00:00Z"),
        ("2026-05-20T14:30", "2026-05-20T12:30:00Z"),
        ("2026-01-20T14:30:00.123456789", "2026-01-20T13:30:00.123456Z"),
        ("2016-12-31T23:59:60Z", "2016-12-31T23:59:59.999999Z"),
        ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z"),
        ("9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59.999999Z"),
        ("1969-12-31T23:59:59.999999Z", "1969-12-31T23:59:59.999999Z"),
        ("2 hours ago", "2026-03-30T08:00:00Z"),
        ("now", "2026-03-30T10:00:00Z"),
    ],
)
def test_an_instant_is_read_to_the_microsecond(text, start):
    assert read(text)[0] == start


@pytest.mark.parametrize(
    ("text", "start", "stop"),
    [
        ("2026-05-20", "2026-05-19T22:00:00Z", "2026-05-20T22:00:00Z"),
        ("2026-03-29", "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z"),
        ("2026-10-25", "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z"),
        ("2026-01-01/2026-01-31", "2025-12-31T23:00:00Z", "2026-01-31T23:00:00Z"),
        ("Today", "2026-03-29T22:00:00Z", "2026-03-30T22:00:00Z"),
        ("yesterday", "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z"),
        ("3 days ago", "2026-03-26T23:00:00Z", "2026-03-27T23:00:00Z"),
        ("last week", "2026-03-22T23:00:00Z", "2026-03-29T22:00:00Z"),
        ("last month", "2026-01-31T23:00:00Z", "2026-02-28T23:00:00Z"),
        ("a month ago", "2026-02-27T23:00:00Z", "2026-02-28T23:00:00Z"),
        ("last 7 days", "2026-03-22T23:00:00Z", "2026-03-30T10:00:00.000001Z"),
        ("last Monday", "2026-03-22T23:00:00Z", "2026-03-23T23:00:00Z"),
        ("next friday", "2026-04-02T22:00:00Z", "2026-04-03T22:00:00Z"),
        ("in two weeks", "2026-04-12T22:00:00Z", "2026-04-13T22:00:00Z"),
    ],
)
def test_a_day_or_longer_is_a_span_by_the_calendar(text, start, stop):
    assert read(text) == (start, stop)


@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Pacific/Midway"])
def test_yesterday_is_that_of_the_zone(zone):
    start, _ = read("yesterday", ZoneInfo(zone))

    local = datetime.fromisoformat(start).astimezone(ZoneInfo(zone))
    assert (local.hour, local.minute) == (0, 0)
    assert local.date() == datetime(2026, 3, 30, 10, tzinfo=UTC).astimezone(ZoneInfo(zone)).date() - timedelta(days=1)


def test_hours_are_counted_by_the_stopwatch_when_the_clocks_change():
    now = micros(2026, 3, 29, 1, 30)  # 03:30 in Berlin, half an hour after 02:00 became 03:00

    assert read("2 hours ago", now=now)[0] == "2026-03-28T23:30:00Z"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("2026-02-30", "does not exist"),
        ("0000-01-01", "does not exist"),
        ("2026-05-20T24:00:00Z", "is not a time"),
        ("2026-05-20T12:00:60Z", "is not a time"),
        ("2026-05-20T12:00:00+24:00", "is not a time"),
        ("2026-10-25T02:30", "happened twice"),
        ("2026-03-29T02:30", "did not happen"),
        ("0001-01-01T00:00:00+14:00", "outside the years 1 to 9999"),
        ("2026-02-01/2026-01-01", "ends before it begins"),
        ("next blue moon", "is not a time"),
        ("99999 years ago", "is not a time"),
        ("٢٠٢٦-05-20", "is not a time"),
        ("", "is not a time"),
    ],
)
def test_what_is_no_time_is_refused_by_the_name_of_the_parameter(text, said):
    with pytest.raises(InvalidRequest, match=f"^since: .*{said}") as refused:
        read(text)

    assert refused.value.hint


def test_a_skipped_day_is_refused():
    with pytest.raises(InvalidRequest, match="skipped"):
        read("2011-12-30", ZoneInfo("Pacific/Apia"))


def test_relative_words_are_refused_where_there_is_no_now():
    with pytest.raises(InvalidRequest, match="'yesterday' is not a time"):
        read("yesterday", now=None)


def test_days_at_the_edges_of_the_calendar_stay_in_it():
    assert read("9999-12-31", ZoneInfo("America/New_York"))[1] == "9999-12-31T23:59:59.999999Z"
    assert read("0001-01-01", ZoneInfo("Asia/Tokyo"))[0] == "0001-01-01T00:00:00Z"


@given(st.integers(EARLIEST, LATEST - 1))
def test_a_time_that_was_printed_is_read_back(time):
    assert parse_time(format_time(time), parameter="since", zone=BERLIN).start == time


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (5, "just now"),
        (70, "1 minute ago"),
        (7_200, "2 hours ago"),
        (86_400, "1 day ago"),
        (13 * 86_400, "13 days ago"),
        (21 * 86_400, "3 weeks ago"),
        (70 * 86_400, "2 months ago"),
        (800 * 86_400, "2 years ago"),
        (-3 * 86_400, "in 3 days"),
    ],
)
def test_an_age_is_said_in_words(seconds, words):
    assert age(NOW - seconds * 1_000_000, NOW) == words
