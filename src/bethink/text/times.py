"""Times as people and programs write them, to microseconds since the epoch, and back."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Final

from bethink.errors import InvalidRequest

from . import relative
from .cut import shorten

SECOND: Final = 1_000_000
DAY: Final = 86_400 * SECOND
EARLIEST: Final = -62_135_596_800 * SECOND  # 0001-01-01T00:00:00Z
LATEST: Final = 253_402_300_800 * SECOND - 1  # 9999-12-31T23:59:59.999999Z

ACCEPTED: Final = (
    "Accepted: 2026-05-20T14:30:00Z, 2026-05-20T14:30:00+02:00, 2026-05-20T14:30 in the configured zone, "
    "2026-05-20 for the whole day, or first/last joined by a slash"
)
_RELATIVE: Final = "; also today, yesterday, 3 days ago, last week, last month, last Monday, last 7 days"

# A leap second is legal in RFC 3339 and has no number in Unix time: it is read as the last microsecond before it.
_WRITTEN = re.compile(
    r"(?P<date>[0-9]{4}-[0-9]{2}-[0-9]{2})"
    r"(?:[Tt ](?P<hour>[01][0-9]|2[0-3]):(?P<minute>[0-5][0-9])"
    r"(?::(?P<second>[0-5][0-9]|(?<=59:)60)(?:\.(?P<fraction>[0-9]{1,9}))?)?"
    r"\s?(?P<offset>[Zz]|[+-](?:[01][0-9]|2[0-3]):?[0-5][0-9])?)?"
)
_LEAP = "60"
_LONGEST_SHOWN = 64


@dataclass(frozen=True, slots=True)
class Span:
    """From `start` up to but not including `stop`, in microseconds since the epoch; an instant is one long."""

    start: int
    stop: int


def parse_time(text: str, *, parameter: str, zone: tzinfo, now: int | None = None) -> Span:
    """Return the span that `text` names: an instant, a whole day in `zone`, or an interval `first/last`.

    Relative expressions are understood where `now` is given. What does not exist, or happened twice when the clocks
    went back, is an InvalidRequest that names `parameter` and the forms accepted.
    """
    words = " ".join(text.split())
    if "/" in words:
        return _interval(words, parameter, zone)
    if match := _WRITTEN.fullmatch(words):
        return _written(match, parameter, zone)
    if now is not None and (found := _relative(words.lower(), zone, now)):
        return found
    hint = ACCEPTED + (_RELATIVE if now is not None else "") + "."
    raise InvalidRequest(f"{parameter}: {_shown(text)} is not a time", hint=hint)


def format_time(micros: int) -> str:
    """Return the time as RFC 3339 in UTC, with a fraction only where there is one."""
    return (_EPOCH + timedelta(microseconds=micros)).replace(tzinfo=None).isoformat() + "Z"


def age(micros: int, now: int) -> str:
    """Return in words how long before `now` a time was, or how long after it will be."""
    seconds = abs(now - micros) // SECOND
    unit, length = next(((unit, length) for unit, length, least in _UNITS if seconds >= least), ("", seconds))
    if not unit:
        return "just now"
    count = seconds // length
    words = f"{count} {unit}{'s' if count > 1 else ''}"
    return f"{words} ago" if micros <= now else f"in {words}"


def day_span(day: date, zone: tzinfo) -> Span:
    """Return the whole of `day` in `zone`, whatever its length; the first and last days end with the calendar."""
    return Span(_instant(_midnight(day.toordinal()), zone), _instant(_midnight(day.toordinal() + 1), zone))


def clock_span(start: datetime, stop: datetime, zone: tzinfo) -> Span:
    """Return the span between two clock times of `zone`."""
    return Span(_instant(start, zone), _instant(stop, zone))


def local(micros: int, zone: tzinfo) -> datetime:
    """Return what the clocks of `zone` show at a time, without the zone."""
    return (_EPOCH + timedelta(microseconds=micros)).astimezone(zone).replace(tzinfo=None)


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_EPOCH_DAY = date(1970, 1, 1).toordinal()
# Two of a unit before the next longer one is used: "13 days ago", "3 weeks ago".
_UNITS = (
    ("year", 31_556_952, 2 * 31_556_952),
    ("month", 2_629_746, 2 * 2_629_746),
    ("week", 604_800, 2 * 604_800),
    ("day", 86_400, 86_400),
    ("hour", 3_600, 3_600),
    ("minute", 60, 60),
)


def _interval(text: str, parameter: str, zone: tzinfo) -> Span:
    first, _, last = text.partition("/")
    opened = parse_time(first, parameter=parameter, zone=zone)
    closed = parse_time(last, parameter=parameter, zone=zone)
    if closed.start < opened.start:
        raise InvalidRequest(f"{parameter}: {_shown(text)} ends before it begins", hint="Give the earlier time first.")
    return Span(opened.start, closed.stop)


def _written(match: re.Match[str], parameter: str, zone: tzinfo) -> Span:
    try:
        day = date.fromisoformat(match["date"])
    except ValueError as error:
        raise InvalidRequest(f"{parameter}: {match[0]!r} does not exist: {error}", hint=ACCEPTED + ".") from error
    if match["hour"] is None:
        return _whole_day(day, match[0], parameter, zone)
    clock = datetime.combine(day, _clock(match))
    offset = _offset(match["offset"]) if match["offset"] else _local_offset(clock, match[0], parameter, zone)
    micros = _micros(clock) - offset
    if not EARLIEST <= micros <= LATEST:
        raise InvalidRequest(f"{parameter}: {match[0]!r} is outside the years 1 to 9999", hint=ACCEPTED + ".")
    return Span(micros, _in_calendar(micros + 1))


def _clock(match: re.Match[str]) -> time:
    hour, minute = int(match["hour"]), int(match["minute"])
    if match["second"] == _LEAP:
        return time(hour, minute, 59, 999_999)
    fraction = (match["fraction"] or "")[:6].ljust(6, "0")
    return time(hour, minute, int(match["second"] or 0), int(fraction))


def _relative(words: str, zone: tzinfo, now: int) -> Span | None:
    if moments := relative.elapsed(words, now):
        return Span(*map(_in_calendar, moments))
    clocks = relative.resolve(words, local(now, zone))
    if clocks is None:
        return None
    start, stop = clocks
    return Span(_instant(start, zone), now + 1 if stop is None else _instant(stop, zone))


def _whole_day(day: date, text: str, parameter: str, zone: tzinfo) -> Span:
    span = day_span(day, zone)
    if span.stop <= span.start:
        raise InvalidRequest(f"{parameter}: {text!r} was skipped in {zone}", hint="Give the day before or after it.")
    return span


def _offset(text: str) -> int:
    if text in "Zz":
        return 0
    hours, minutes = int(text[1:3]), int(text[-2:])
    return (hours * 60 + minutes) * 60 * SECOND * (-1 if text[0] == "-" else 1)


def _local_offset(clock: datetime, text: str, parameter: str, zone: tzinfo) -> int:
    first, second = (_zone_offset(clock.replace(fold=fold), zone) for fold in (0, 1))
    if first == second:
        return first
    what = "happened twice" if first > second else "did not happen"
    raise InvalidRequest(
        f"{parameter}: {text!r} {what} in {zone}, where the clocks changed",
        hint=f"Give an offset, such as {text}{_offset_text(first)} or {text}{_offset_text(second)}.",
    )


def _offset_text(offset: int) -> str:
    minutes = abs(offset) // (60 * SECOND)
    return f"{'-' if offset < 0 else '+'}{minutes // 60:02d}:{minutes % 60:02d}"


def _zone_offset(clock: datetime, zone: tzinfo) -> int:
    return (zone.utcoffset(clock.replace(tzinfo=zone)) or timedelta()) // timedelta(microseconds=1)


def _instant(clock: datetime, zone: tzinfo) -> int:
    """Of a clock time that happened twice the first, of one that did not happen the moment the clocks were put on."""
    return _in_calendar(_micros(clock) - _zone_offset(clock, zone))


def _midnight(ordinal: int) -> datetime:
    past = ordinal > date.max.toordinal()
    return datetime.combine(date.max, time.max) if past else datetime.fromordinal(ordinal)


def _micros(clock: datetime) -> int:
    whole_days = clock.toordinal() - _EPOCH_DAY
    seconds = (clock.hour * 60 + clock.minute) * 60 + clock.second
    return whole_days * DAY + seconds * SECOND + clock.microsecond


def _in_calendar(micros: int) -> int:
    return max(EARLIEST, min(micros, LATEST))


def _shown(text: str) -> str:
    return repr(shorten(text, _LONGEST_SHOWN))
