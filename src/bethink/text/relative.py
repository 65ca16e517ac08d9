"""Relative time expressions, by the calendar: a week has seven dates, whatever the clocks did."""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable
from datetime import datetime, time, timedelta

Clocks = tuple[datetime, datetime | None]

_NUMBERS = {
    word: value
    for value, words in enumerate(
        ["zero", "a an one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
    )
    for word in words.split()
} | {"a couple of": 2, "couple of": 2, "a few": 3}
_NUMBER = r"(?P<number>[0-9]{1,5}|a couple of|couple of|a few|" + "|".join(w for w in _NUMBERS if " " not in w) + ")"
_UNIT = r"(?P<unit>day|week|month|year)s?"
_SHORT_UNIT = r"(?P<unit>second|minute|hour)s?"
_SECONDS = {"second": 1, "minute": 60, "hour": 3_600}
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_WEEKDAY = f"(?P<weekday>{'|'.join(_WEEKDAYS)})"
_DAYS = {"today": 0, "yesterday": -1, "tomorrow": 1, "the day before yesterday": -2, "day before yesterday": -2}
_DAYS |= {"the day after tomorrow": 2, "day after tomorrow": 2}
_WHICH = {"last": -1, "previous": -1, "this": 0, "next": 1}


def elapsed(words: str, now: int) -> tuple[int, int] | None:
    """Return the microseconds from which and up to which lower-case `words` reach when they count hours or less.

    These are counted by the stopwatch, across a change of the clocks too. None when the words are no such expression.
    """
    if words in ("now", "just now"):
        return now, now + 1
    match = _ELAPSED.fullmatch(words)
    if match is None or words.startswith(("in ", "last ", "past ", "the ")) == bool(match["ago"]):
        return None
    distance = _number(match) * _SECONDS[match["unit"]] * 1_000_000
    if match["last"]:
        return now - distance, now + 1
    then = now - distance if match["ago"] else now + distance
    return then, then + 1


def resolve(words: str, now: datetime) -> Clocks | None:
    """Return the clock times from which and up to which lower-case `words` reach, seen from the clock time `now`.

    A number of days, weeks, months or years ago is that whole day. A week begins on Monday. An end of None is now.
    None when the words are no such expression.
    """
    try:
        found = (read(match, now) for pattern, read in _FORMS if (match := pattern.fullmatch(words)))
        return next(found, None)
    except (OverflowError, ValueError):  # before the year 1 or after 9999
        return None


def _named_day(match: re.Match[str], now: datetime) -> Clocks:
    return _day(now + timedelta(days=_DAYS[match[0]]))


def _distance(match: re.Match[str], now: datetime) -> Clocks:
    sign = -1 if match["ago"] else 1
    return _day(shifted(now, sign * _number(match), match["unit"]))


def _last_few(match: re.Match[str], now: datetime) -> Clocks:
    """Begin with the whole of the day seven days ago for the last 7 days, so that nothing of them is missed."""
    return midnight(shifted(now, -_number(match), match["unit"])), None


def _unit_beside(match: re.Match[str], now: datetime) -> Clocks:
    unit, which = match["unit"], _WHICH[match["which"]]
    today = midnight(now)
    if unit == "week":
        first = today - timedelta(days=today.weekday())
    else:
        first = today.replace(day=1) if unit == "month" else today.replace(month=1, day=1)
    return shifted(first, which, unit), shifted(first, which + 1, unit)


def _weekday(match: re.Match[str], now: datetime) -> Clocks:
    """Take the one nearest before today, or after it for `next`; for `this` the one of this week."""
    wanted, which = _WEEKDAYS.index(match["weekday"]), match["which"] or "last"
    if which == "this":
        return _day(now + timedelta(days=wanted - now.weekday()))
    if which == "next":
        return _day(now + timedelta(days=(wanted - now.weekday() - 1) % 7 + 1))
    return _day(now - timedelta(days=(now.weekday() - wanted - 1) % 7 + 1))


_ELAPSED = re.compile(rf"(?:(?P<last>(?:the )?(?:last|past) )|in )?{_NUMBER} {_SHORT_UNIT}(?P<ago> ago)?")
_FORMS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str], datetime], Clocks]], ...] = (
    (re.compile("|".join(sorted(_DAYS, key=len, reverse=True))), _named_day),
    (re.compile(rf"{_NUMBER} {_UNIT} (?P<ago>ago)"), _distance),
    (re.compile(rf"in {_NUMBER} {_UNIT}(?P<ago>)"), _distance),
    (re.compile(rf"(?:the )?(?:last|past) {_NUMBER} {_UNIT}"), _last_few),
    (re.compile(r"(?:the )?(?P<which>last|previous|this|next) (?P<unit>week|month|year)"), _unit_beside),
    (re.compile(rf"(?:on )?(?:(?P<which>last|previous|this|next) )?{_WEEKDAY}"), _weekday),
)


def _number(match: re.Match[str]) -> int:
    text = match["number"]
    return int(text) if text.isdigit() else _NUMBERS[text]


def shifted(clock: datetime, count: int, unit: str) -> datetime:
    """Return the clock time so many days, weeks, months or years on, at the last day of a month that is too short."""
    if unit in ("month", "year"):
        return months_on(clock, count * (12 if unit == "year" else 1))
    return clock + timedelta(**{f"{unit}s": count})


def months_on(clock: datetime, count: int) -> datetime:
    """Return the clock time so many months on, at the last day of a month that is too short."""
    year, month = divmod(clock.year * 12 + clock.month - 1 + count, 12)
    last = calendar.monthrange(year, month + 1)[1]
    return clock.replace(year=year, month=month + 1, day=min(clock.day, last))


def _day(clock: datetime) -> Clocks:
    start = midnight(clock)
    return start, start + timedelta(days=1)


def midnight(clock: datetime) -> datetime:
    """Return the clock time at which the day of `clock` begins."""
    return datetime.combine(clock.date(), time())
