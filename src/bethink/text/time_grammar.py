"""What the grammar of times is made of: spans of clock times, runs of tokens that are read as one, and rules.

Everything is counted in clock times, by the calendar: whoever asks puts the result into a zone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Final, TypeAlias

from .relative import midnight, months_on
from .time_lexicon import DAY, HALF, MONTHS, QUARTER, WEEK, WEEKEND, YEARS, Token

TIME: Final = "s"
BEGINNING: Final = datetime.combine(date.min, time())
END: Final = datetime.combine(date.max, time.max)
ONE_DAY: Final = timedelta(days=1)
SATURDAY: Final = 5
# How far around the very day "so many of a unit ago" is still likely, in days.
VAGUE: Final = {DAY: 1.0, WEEK: 3.0, MONTHS: 12.0, QUARTER: 30.0, YEARS: 120.0, WEEKEND: 1.0, HALF: 60.0}
_MONTHS_OF: Final = {MONTHS: 1, QUARTER: 3, HALF: 6, YEARS: 12}


@dataclass(frozen=True, slots=True)
class Time:
    """A span of clock times, how sure it is meant, how many days beyond its ends are likely, if no year was named."""

    start: datetime
    stop: datetime
    sure: float = 1.0
    vague: float = 0.0
    every_year: bool = False
    code: str = TIME


Item: TypeAlias = Token | Time


@dataclass(frozen=True, slots=True)
class Run:
    """Items that a rule reads as one, and the clock time now."""

    items: Sequence[Item]
    now: datetime

    def value(self, codes: str) -> int | None:
        """Return the value of the first token with one of these letters."""
        found = (item.value for item in self.items if isinstance(item, Token) and item.code in codes)
        return next(found, None)

    def needed(self, codes: str) -> int:
        """Return the same where the pattern promises one."""
        value = self.value(codes)
        assert value is not None, "the pattern promises it"
        return value

    @property
    def times(self) -> list[Time]:
        """The times among the items."""
        return [item for item in self.items if isinstance(item, Time)]

    def part(self, start: int, stop: int | None = None) -> Run:
        """Return some of the items."""
        return Run(self.items[start:stop], self.now)


Reader: TypeAlias = Callable[[Run], Time | None]


@dataclass(frozen=True, slots=True)
class Rules:
    """Readers by name, and one pattern with a group of that name for each; it is compiled at its first use."""

    pattern: str
    readers: Mapping[str, Reader]


def rules(*pairs: tuple[Reader, str]) -> Rules:
    """Return rules of which the first that fits reads."""
    pattern = "|".join(f"(?P<r{place}>{pattern})" for place, (_, pattern) in enumerate(pairs))
    return Rules(pattern, {f"r{place}": reader for place, (reader, _) in enumerate(pairs)})


def clock(year: int, month: int, day: int) -> datetime:
    """Return the clock time at which a day begins."""
    return datetime.combine(date(year, month, day), time())


def begun(now: datetime, unit: int) -> datetime:
    """Return when the unit that `now` is in began; a week on Monday, a weekend with its week."""
    today = midnight(now)
    if unit == DAY:
        return today
    if unit in (WEEK, WEEKEND):
        return today - timedelta(days=today.weekday())
    months = _MONTHS_OF[unit]
    return today.replace(day=1, month=(today.month - 1) // months * months + 1)


def moved(start: datetime, count: int, unit: int) -> datetime:
    """Return the clock time so many units on, by the calendar."""
    if unit in _MONTHS_OF:
        return months_on(start, count * _MONTHS_OF[unit])
    return start + timedelta(days=count * (1 if unit == DAY else 7))
