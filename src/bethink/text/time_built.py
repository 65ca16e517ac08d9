"""The spans that are built upon others: `between June and August`, `the week before 7 May`, `since Christmas`."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from .relative import midnight, months_on
from .time_grammar import BEGINNING, END, ONE_DAY, SATURDAY, VAGUE, Run, Time, begun, moved, rules
from .time_lexicon import WEEK, WEEKEND

# What lies on one side of a time tells little: it is half of all there is.
_OPEN: Final = 0.3


def between(run: Run) -> Time | None:
    """Read from June to August 2023: a year that one of them names is the other's too."""
    first, last = run.times
    if first.every_year and not last.every_year:
        first = _in_year(first, last.start.year)
    if last.every_year and last.start < first.start:
        last = _in_year(last, first.start.year)
    if last.stop <= first.start:
        return None
    return Time(first.start, last.stop, sure=min(first.sure, last.sure))


def away(run: Run) -> Time:
    """Read two weeks before 7 May."""
    [time] = run.times
    unit = run.needed("U")
    start = midnight(moved(time.start, (-1 if _before(run) else 1) * run.needed("nN"), unit))
    return Time(start, start + ONE_DAY, sure=time.sure, vague=VAGUE[unit])


def adjoining(run: Run) -> Time:
    """Read the week before 7 May."""
    [time] = run.times
    unit = run.needed("U")
    if unit == WEEKEND:
        return _nearest(time, SATURDAY, before=_before(run), days=2)
    start, stop = (moved(time.start, -1, unit), time.start) if _before(run) else (time.stop, moved(time.stop, 1, unit))
    return Time(start, stop, sure=time.sure, vague=VAGUE[unit] / 3)


def adjoining_weekday(run: Run) -> Time:
    """Read the Sunday before 7 May."""
    [time] = run.times
    return _nearest(time, run.needed("W"), before=_before(run), days=1)


def around(run: Run) -> Time | None:
    """Read the week of 7 May, the weekend of it."""
    [time] = run.times
    unit = run.needed("U")
    if unit not in (WEEK, WEEKEND) or time.stop - time.start > ONE_DAY:
        return None
    monday = begun(time.start, WEEK)
    return Time(monday + (SATURDAY if unit == WEEKEND else 0) * ONE_DAY, monday + 7 * ONE_DAY, sure=time.sure)


def since(run: Run) -> Time | None:
    """Read since Christmas."""
    [time] = run.times
    return Time(time.start, run.now, sure=_OPEN) if time.start < run.now else None


def after(run: Run) -> Time:
    """Read after Christmas."""
    return Time(run.times[0].stop, END, sure=_OPEN)


def before(run: Run) -> Time:
    """Read before Christmas."""
    return Time(BEGINNING, run.times[0].start, sure=_OPEN)


def until(run: Run) -> Time:
    """Read by Christmas."""
    return Time(BEGINNING, run.times[0].stop, sure=_OPEN)


def _before(run: Run) -> bool:
    return run.value("B") is not None


def _nearest(time: Time, weekday: int, *, before: bool, days: int) -> Time:
    """Return the days from the nearest such weekday before or after a time."""
    if before:
        start = time.start - ((time.start.weekday() - weekday - 1) % 7 + 1) * ONE_DAY
    else:
        start = time.stop + (weekday - time.stop.weekday()) % 7 * ONE_DAY
    return Time(start, start + days * ONE_DAY, sure=time.sure, vague=days - 1.0)


def _in_year(time: Time, year: int) -> Time:
    start = months_on(time.start, 12 * (year - time.start.year))
    return replace(time, start=start, stop=start + (time.stop - time.start), every_year=False)


BUILT: Final = rules(
    (between, "[TI]s,?&s|s&s"),
    (away, "[nN]U[BF]s"),
    (adjoining, "L?U[BF]s"),
    (adjoining_weekday, "L?W[BF]s"),
    (around, "UIs"),
    (since, "Ss"),
    (after, "Fs"),
    (before, "Bs"),
    (until, "Xs"),
)
