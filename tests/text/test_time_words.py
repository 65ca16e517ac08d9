"""Times in a question's own words: what they span, in which languages, and which words are no times."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink.text.time_clauses import Anchor, Order, Side, anchor_asked, order_asked
from bethink.text.time_words import times_named
from bethink.text.times import DAY, format_time

BERLIN = ZoneInfo("Europe/Berlin")
UNIVERSAL = ZoneInfo("UTC")


def micros(*when):
    return int(datetime(*when, tzinfo=UTC).timestamp()) * 1_000_000


NOW = micros(2026, 3, 30, 10)  # a Monday, a day after the clocks of Berlin were put on


def spans(text, zone=UNIVERSAL, now=NOW):
    """Each time that a text names, first and last day, as `2026-03-29` or `2026-03-23/2026-03-29`."""
    found = []
    for named in times_named(text, zone=zone, now=now).named:
        first, last = (format_time(at)[:10] for at in (named.span.start, named.span.stop - 1))
        found.append(first if first == last else f"{first}/{last}")
    return found


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("what did we decide yesterday?", "2026-03-29"),
        ("the day before yesterday", "2026-03-28"),
        ("what did we decide last week", "2026-03-23/2026-03-29"),
        ("this week", "2026-03-30/2026-04-05"),
        ("last month's numbers", "2026-02-01/2026-02-28"),
        ("two months ago", "2026-01-30"),
        ("Where did I go a year ago?", "2025-03-30"),
        ("in the past three weeks", "2026-03-09/2026-03-30"),
        ("last Tuesday", "2026-03-24"),
        ("Tuesday of last week", "2026-03-24"),
        ("the past weekend", "2026-03-28/2026-03-29"),
        ("in March 2024", "2024-03-01/2024-03-31"),
        ("since when, in May?", "2025-05-01/2025-05-31"),
        ("in February", "2026-02-01/2026-02-28"),
        ("on 7 May 2023", "2023-05-07"),
        ("on May 7th, 2023", "2023-05-07"),
        ("the 7th of May", "2025-05-07"),
        ("8 Dec 2023", "2023-12-08"),
        ("2023-05-07", "2023-05-07"),
        ("in 2023", "2023-01-01/2023-12-31"),
        ("early May 2023", "2023-05-01/2023-05-11"),
        ("2024-11", "2024-11-01/2024-11-30"),
        ("from 2024-11 to 2025-02", "2024-11-01/2025-02-28"),
        ("between March 1 and March 10", "2026-03-01/2026-03-10"),
        ("from March 1 to March 10, 2025", "2025-03-01/2025-03-10"),
        ("March 1 to 10", "2026-03-01/2026-03-10"),
        ("March 1-10", "2026-03-01/2026-03-10"),
        ("between the 1st and the 10th of March 2024", "2024-03-01/2024-03-10"),
        ("1 – 10 May 2023", "2023-05-01/2023-05-10"),
        ("what changed in 2019-2021", "2019-01-01/2021-12-31"),
        ("Feb 28 to 31, 2025", "2025-02-28"),
        ("the week before last Christmas", "2025-12-18/2025-12-24"),
        ("the weekend before last Christmas", "2025-12-20/2025-12-21"),
        ("the week before last Friday", "2026-03-20/2026-03-26"),
        ("the week before last May", "2025-04-24/2025-04-30"),
        ("the week before last summer", "2025-05-25/2025-05-31"),
        ("the week before last", "2026-03-16/2026-03-22"),
        ("the month before last", "2026-01-01/2026-01-31"),
        ("the weekend before last", "2026-03-21/2026-03-22"),
        ("the week after next", "2026-04-13/2026-04-19"),
        ("was haben wir vorletzte Woche beschlossen", "2026-03-16/2026-03-22"),
        ("la semana antepasada", "2026-03-16/2026-03-22"),
        ("先々週何を決めた", "2026-03-16/2026-03-22"),
        ("上上周我们决定了什么", "2026-03-16/2026-03-22"),
        ("the 3rd quarter", "2025-07-01/2025-09-30"),
        ("in the first quarter", "2026-01-01/2026-03-31"),
        ("the second week of November 2025", "2025-11-08/2025-11-14"),
        ("the end of last year", "2025-09-01/2025-12-31"),
        ("the second week of November", "2025-11-08/2025-11-14"),
        ("the first half of 2025", "2025-01-01/2025-06-30"),
        ("the third quarter of 2024", "2024-07-01/2024-09-30"),
        ("Q3 2024", "2024-07-01/2024-09-30"),
        ("last quarter", "2025-10-01/2025-12-31"),
        ("last summer", "2025-06-01/2025-08-31"),
        ("in the summer of 2021", "2021-06-01/2021-08-31"),
        ("last March", "2025-03-01/2025-03-31"),
        ("March last year", "2025-03-01/2025-03-31"),
        ("at Christmas 2024", "2024-12-25"),
        ("since Christmas", "2025-12-25/2026-03-30"),
        ("between June and August", "2025-06-01/2025-08-31"),
        ("between August 11 and August 15 2023", "2023-08-11/2023-08-15"),
        ("from 3 May 2023 to 7 May 2023", "2023-05-03/2023-05-07"),
        ("the week before 16 November 2023", "2023-11-09/2023-11-15"),
        ("last weekend before April 10, 2023", "2023-04-08/2023-04-09"),
        ("the Sunday before October 25, 2022", "2022-10-23"),
        ("the Monday after 7 May 2023", "2023-05-08"),
        ("two weeks before August 11, 2023", "2023-07-28"),
        ("the week of 10 May 2023", "2023-05-08/2023-05-14"),
        ("by July 10, 2022", "0001-01-01/2022-07-10"),
    ],
)
def test_a_time_in_a_question_is_a_span_by_the_calendar(text, span):
    assert spans(text) == [span]


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("Was haben wir gestern entschieden?", "2026-03-29"),
        ("vor zwei Wochen", "2026-03-16"),
        ("letzte Woche", "2026-03-23/2026-03-29"),
        ("im März 2024", "2024-03-01/2024-03-31"),
        ("am 7. Mai 2023", "2023-05-07"),
        ("am 07.05.2023", "2023-05-07"),
        ("zwischen Juni und August 2024", "2024-06-01/2024-08-31"),
        ("seit Weihnachten", "2025-12-25/2026-03-30"),
        ("¿Qué decidimos ayer?", "2026-03-29"),
        ("hace dos semanas", "2026-03-16"),
        ("la semana pasada", "2026-03-23/2026-03-29"),
        ("el fin de semana pasado", "2026-03-28/2026-03-29"),
        ("en marzo de 2024", "2024-03-01/2024-03-31"),
        ("el 7 de mayo de 2023", "2023-05-07"),
        ("los últimos tres meses", "2025-12-30/2026-03-30"),
        ("Qu'avons-nous décidé hier ?", "2026-03-29"),
        ("il y a deux semaines", "2026-03-16"),
        ("la semaine dernière", "2026-03-23/2026-03-29"),
        ("l'année dernière", "2025-01-01/2025-12-31"),
        ("en août 2024", "2024-08-01/2024-08-31"),
        ("le 7 mai 2023", "2023-05-07"),
        ("先週何を決めましたか", "2026-03-23/2026-03-29"),
        ("昨日の会議", "2026-03-29"),
        ("2週間前に買った本", "2026-03-16"),
        ("2024年3月の旅行", "2024-03-01/2024-03-31"),
        ("2024年3月5日", "2024-03-05"),
        ("先週の火曜日", "2026-03-24"),
        ("去年の夏", "2025-06-01/2025-08-31"),
        ("上周我们决定了什么", "2026-03-23/2026-03-29"),
        ("两个月前", "2026-01-30"),
        ("昨天", "2026-03-29"),
        ("上周五", "2026-03-27"),
        ("去年三月", "2025-03-01/2025-03-31"),
        ("２０２４年３月", "2024-03-01/2024-03-31"),
    ],
)
def test_times_are_read_in_german_spanish_french_japanese_and_chinese(text, span):
    assert spans(text) == [span]


@pytest.mark.failure("F272")
@pytest.mark.parametrize(
    "text",
    [
        "may I go now", "this may be wrong", "we march on Rome", "on the march", "march 3 miles", "may 7 people come",
        "a second opinion", "the second attempt", "wait a second", "the sun is out", "she sat down", "he wed her",
        "what did April tell June", "fall from the roof", "spring boot", "the last day of the trip", "every Tuesday",
        "what happens on a Sunday", "on Tuesdays", "how many days a week", "my last name", "hier steht der Code",
        "a couple of weeks", "two weeks before the exam", "before the migration", "version 2023.4", "port 2023",
        "29 February 2023", "31 April 2024", "99999 years ago", "at 10:30", "50% in total", "Mars orbit", "日本語の本",
        "CVE-2019-2021", "what is CVE-2024-11", "INV-2024-11", "call 555-2019-2021", "port 2000-2010", "June 31",
        "in 2021-2019", "Feb 30", "99 March", "99 - 100 March", "RFC 2019-2021", "", "?!",
    ],
)  # fmt: skip
def test_words_that_only_look_like_times_are_none(text):
    assert spans(text) == []


@pytest.mark.failure("F082")
@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Pacific/Midway"])
def test_days_in_a_question_are_those_of_the_zone(zone):
    [named] = times_named("what did I do yesterday", zone=ZoneInfo(zone), now=NOW).named

    began = datetime.fromisoformat(format_time(named.span.start)).astimezone(ZoneInfo(zone))
    today = datetime.fromtimestamp(NOW / 1_000_000, ZoneInfo(zone)).date()
    assert (began.hour, (today - began.date()).days) == (0, 1)
    assert named.span.stop - named.span.start == DAY


@pytest.mark.failure("F085")
def test_a_week_in_which_the_clocks_change_is_an_hour_shorter():
    [named] = times_named("last week", zone=BERLIN, now=NOW).named

    assert named.span.stop - named.span.start == 7 * DAY - DAY // 24


@pytest.mark.parametrize(
    ("now", "day"), [((2026, 3, 1), "2024-02-29"), ((2024, 2, 29), "2024-02-29"), ((2103, 1, 1), "2096-02-29")]
)
def test_a_leap_day_without_a_year_is_the_last_one_there_was(now, day):
    assert spans("what happened on February 29", now=micros(*now)) == [day]


def test_a_year_after_a_leap_day_is_its_last_day_of_february():
    assert spans("one year ago", now=micros(2024, 2, 29)) == ["2023-02-28"]


def test_a_loose_time_is_less_sure_than_a_date_and_vaguer():
    [date] = times_named("on 7 May 2023", zone=UNIVERSAL, now=NOW).named
    [ago] = times_named("two months ago", zone=UNIVERSAL, now=NOW).named
    [since] = times_named("since Christmas", zone=UNIVERSAL, now=NOW).named

    assert date.sure > ago.sure > since.sure
    assert ago.vague > date.vague


def test_what_a_question_says_beside_its_time_is_told():
    found = times_named("What did Anna decide last week?", zone=UNIVERSAL, now=NOW)

    assert found.rest == ("what", "did", "anna", "decide")


def test_a_time_behind_a_long_paste_is_read():
    assert spans("x " * 5_000 + "what of this did we decide yesterday") == ["2026-03-29"]


@given(st.text(max_size=60), st.sampled_from(["Pacific/Kiritimati", "Europe/Berlin", "Pacific/Midway"]))
def test_any_text_is_read(text, zone):
    for named in times_named(f"{text} last week {text}", zone=ZoneInfo(zone), now=NOW).named:
        assert named.span.start <= named.span.stop
        assert 0 < named.sure <= 1


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("who first suggested Postgres", Order.first), ("the earliest plan", Order.first),
        ("the latest figures", Order.latest), ("my most recent visit", Order.latest),
        ("wer hat zuerst gefragt", Order.first),
        ("最新の計画", Order.latest), ("谁最早提出", Order.first), ("how to build a house", None),
    ],
)  # fmt: skip
def test_a_question_asks_for_the_first_or_the_latest(text, order):
    assert order_asked(text) is order


@pytest.mark.parametrize(
    ("text", "anchor"),
    [
        ("what did we use before the migration?", Anchor(Side.before, "the migration")),
        ("Where did Ann live after she left Rome, in the end?", Anchor(Side.after, "she left rome")),
        ("Was taten wir nach dem Umzug?", Anchor(Side.after, "umzug")),
        ("移行の前に使っていたもの", Anchor(Side.before, "移行")),
        ("迁移之后怎么样", Anchor(Side.after, "迁移")),
        ("what do we use", None),
    ],
)
def test_a_question_names_an_event_before_or_after_which(text, anchor):
    assert anchor_asked(text) == anchor
