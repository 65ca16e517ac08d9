"""The spans that a few words name by themselves: `7 May 2023`, `early June`, `last week`, `two months ago`.

A day or a month without a year is the last one that has begun. Summer is June to August.
"""

from __future__ import annotations

from calendar import monthrange
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from .relative import midnight, months_on
from .time_grammar import ONE_DAY, SATURDAY, VAGUE, Run, Time, begun, clock, moved, rules
from .time_lexicon import DAY, FEASTS, HALF, QUARTER, WEEK, WEEKEND, WHICH, YEARS, YEARS_APART, Token

# How sure a way of saying is meant as a time.
_NO_YEAR: Final = 0.9
_ABOUT: Final = 0.9
_LOOSE: Final = 0.6
_AMBIGUOUS_MONTHS: Final = (3, 5)  # march, may
_LEAP_YEARS_APART: Final = 8  # at most
_SHORT: Final = timedelta(days=40)
_BEFORE_LAST: Final = -2


def day_of_month(run: Run) -> Time | None:
    """Read 7 May, May 7th, 2023."""
    return _in_year(run, run.needed("Mmj"), run.needed("noK"), ONE_DAY)


def bare_day_of_month(run: Run) -> Time | None:
    """Read June 7; `may 7` without more is none."""
    return None if run.needed("Mm") in _AMBIGUOUS_MONTHS else day_of_month(run)


def days_of_month(run: Run) -> Time | None:
    """Read March 1 to 10, the 1st and the 10th of March, 1-10 March 2026: the days from one to the other."""
    first, last = (item.value for item in run.items if isinstance(item, Token) and item.code in "no")
    if last < first:
        return None
    found = _in_year(run, run.needed("Mmj"), first, ONE_DAY)
    last = min(last, monthrange(found.start.year, found.start.month)[1])
    return replace(found, stop=clock(found.start.year, found.start.month, last) + ONE_DAY)


def month(run: Run) -> Time | None:
    """Read in May, last May, May 2023; `this may` is none."""
    number, which = run.needed("Mmj"), run.value("Ll")
    if which == 0 and number in _AMBIGUOUS_MONTHS and run.value("U") is None:
        return None
    found = _in_year(run, number, 1, None)
    away = 12 * (which or 0) if found.every_year and (which == 1 or found.stop > run.now) else 0
    start = months_on(found.start, away)  # last March, asked in March, is that of the year before
    return replace(found, start=start, stop=months_on(start, 1))


def year(run: Run) -> Time:
    """Read 2023."""
    start = clock(run.needed("Y"), 1, 1)
    return Time(start, months_on(start, 12))


def years(run: Run) -> Time | None:
    """Read 2019-2021."""
    first, last = divmod(run.needed("r"), YEARS_APART)
    return Time(clock(first, 1, 1), clock(last + 1, 1, 1)) if first <= last else None


def written(run: Run) -> Time:
    """Read 2023-05-07."""
    start = midnight(run.now).fromordinal(run.needed("Z"))
    return Time(start, start + ONE_DAY)


def named_day(run: Run) -> Time:
    """Read yesterday."""
    start = midnight(run.now) + run.needed("D") * ONE_DAY
    return Time(start, start + ONE_DAY)


def season(run: Run) -> Time:
    """Read summer 2023, last winter."""
    found = _in_year(run, 3 + 3 * run.needed("Qq"), 1, None)
    start = found.start
    if found.every_year and run.value("Ll") == -1 and months_on(start, 3) > run.now:  # this one is not over yet
        start = months_on(start, -12)
    return replace(found, start=start, stop=months_on(start, 3), sure=found.sure * _ABOUT, vague=20.0)


def feast(run: Run) -> Time:
    """Read Christmas, Christmas 2023."""
    number, day = FEASTS[run.needed("E")]
    return replace(_in_year(run, number, day, ONE_DAY), sure=_LOOSE, vague=2.0)


def quarter(run: Run) -> Time | None:
    """Read Q3, Q3 2023, the third quarter."""
    if run.value("U") not in (None, QUARTER):
        return None
    found = _in_year(run, 3 * run.needed("RoO") - 2, 1, None)
    return replace(found, stop=months_on(found.start, 3))


def third(run: Run) -> Time | None:
    """Read the beginning, the middle or the end of May, of last year."""
    whole = _whole(run)
    if whole is None:
        return None
    length = (whole.stop - whole.start) / 3
    start = midnight(whole.start + run.needed("P") * length)
    return replace(whole, start=start, stop=midnight(start + length + ONE_DAY))


def nth(run: Run) -> Time | None:
    """Read the second week of November, the first half of 2023, the last week of May, last year's March."""
    unit, number = run.needed("U"), run.value("Oo")
    if number is None and unit == YEARS:
        return month(run)
    whole = _whole(run.part(2))
    if whole is None:
        return None
    if unit in (DAY, WEEK, WEEKEND) or (unit == HALF and whole.stop - whole.start < _SHORT):
        return _nth_days(whole, {DAY: 1, HALF: 15}.get(unit, 7), number)
    start = moved(whole.start, (number or 1) - 1, unit)
    return replace(whole, start=start, stop=moved(start, 1, unit))


def ago(run: Run) -> Time | None:
    """Read two weeks ago: that day, and vaguely the ones around it."""
    if run.value("B") == 0:  # `before two weeks`: only the German word means ago
        return None
    number, unit = run.needed("nN"), run.needed("U")
    start = midnight(moved(run.now, -number, unit))
    vague = VAGUE[unit] + (number / 10 if unit == DAY else 0)
    return Time(start, start + ONE_DAY, sure=_ABOUT, vague=vague)


def last_few(run: Run) -> Time | None:
    """Read the last three months."""
    which = run.needed("Ll")
    if abs(which) > 1:
        return None
    there = midnight(moved(run.now, which * run.needed("nN"), run.needed("U")))
    if which == 0:
        return None
    return Time(min(there, run.now), max(there, run.now), sure=_LOOSE)


def beside(run: Run) -> Time | None:
    """Read last week, this month, next year, and vaguely what touches it; `the last day` is none."""
    which, unit = run.needed("Ll"), run.needed("U")
    if unit == DAY:
        return None
    start = moved(begun(run.now, unit), which, unit)
    if unit == WEEKEND:
        start += SATURDAY * ONE_DAY
        return Time(start, start + 2 * ONE_DAY, vague=1.0)
    return Time(start, moved(start, 1, unit), vague=VAGUE[unit] / 3)


def beyond(run: Run) -> Time | None:
    """Read the week before last, the month after next."""
    which = run.needed("L")
    if which != (-1 if run.value("B") is not None else 1):
        return None
    return beside(Run([Token(WHICH, 2 * which), run.items[0]], run.now))


def weekday(run: Run) -> Time | None:
    """Read Tuesday: the nearest before today, or after it for `next`; Tuesday of last week."""
    wanted, which, unit = run.needed("W"), run.value("Ll"), run.value("U")
    today = midnight(run.now)
    if unit is not None:
        if unit != WEEK or which is None:
            return None
        start = moved(begun(today, WEEK), which, WEEK) + wanted * ONE_DAY
    elif which == 1:
        start = today + ((wanted - today.weekday() - 1) % 7 + 1) * ONE_DAY
    else:
        start = today - ((today.weekday() - wanted - 1) % 7 + 1) * ONE_DAY
    if which == _BEFORE_LAST:
        start -= 7 * ONE_DAY
    return Time(start, start + ONE_DAY, sure=_LOOSE if which is None else _ABOUT)


def _in_year(run: Run, number: int, day: int, length: timedelta | None) -> Time:
    """Return a day, or from there a month, of the year that is named, or the last time that it came."""
    which, named = run.value("Ll"), run.value("Y")
    if named is None and which is not None and run.value("U") == YEARS:
        named = run.now.year + which
    start = _last_begun(run, number, day) if named is None else clock(named, number, day)
    stop = months_on(start, 1) if length is None else start + length
    return Time(start, stop, sure=_NO_YEAR if named is None else 1.0, every_year=named is None)


def _last_begun(run: Run, number: int, day: int) -> datetime:
    years = range(run.now.year, run.now.year - _LEAP_YEARS_APART - 1, -1)
    starts = (clock(year, number, day) for year in years if _exists(year, number, day))
    last = next((start for start in starts if start <= run.now), None)
    if last is None:
        raise ValueError(f"no month {number} has a day {day}")
    return last


def _exists(year: int, number: int, day: int) -> bool:
    return day <= monthrange(year, number)[1]


def _whole(run: Run) -> Time | None:
    if run.value("Mmj") is not None:
        return month(run)
    return year(run) if run.value("Y") is not None else beside(run)


def _nth_days(whole: Time, length: int, number: int | None) -> Time:
    start = whole.stop - length * ONE_DAY if number is None else whole.start + length * (number - 1) * ONE_DAY
    return replace(whole, start=start, stop=min(start + length * ONE_DAY, whole.stop), vague=length / 4)


_OF: Final = "(?:[Mmj](?:,?I?Y)?|,?YI?j)"
_LAST: Final = "(?:[Ll]U|Ul)"
# A time may begin here, so that what stands before it is not one by itself: `last weekend before 7 May`.
_BEGINS: Final = "[noMmjZDLWIYE]"
SPANS: Final = rules(
    (written, "Z"),
    (days_of_month, "[no]&[no]I?[Mm](?:,?I?Y)?|[Mm][no]&[no](?!U)(?:,?I?Y)?"),
    (day_of_month, "[no]I?[Mm](?:,?I?Y)?|[Mm][no],?Y|[Mm]o|(?<=[ISBFXT&])[Mm]n(?!U)|YI?jK|jK"),
    (bare_day_of_month, "[Mm]n(?!U)"),
    (nth, f"[OLo]UI(?:{_OF}|Y|{_LAST})"),
    (quarter, "RI?Y?|[oO]U(?!I?[MmjLUZW])I?Y?"),
    (third, f"PI?(?:{_OF}|Y|{_LAST})"),
    (month, f"M,?I?Y|YI?j|[Mmj]I?{_LAST}|{_LAST}I?[Mj]|[Ll]M|Ml|(?<=[ISBFXT&])M|M(?=&M)|j"),
    (season, f"I?[Qq]I?(?:Y|{_LAST})|{_LAST}I?[Qq]|[Ll][Qq]|[Qq]l|IQ"),
    (feast, "L?E(?:,?I?Y)?"),
    (years, "(?<=[ISBFXT])r"),
    (year, "(?<=[ISBFXT&P])Y"),
    (ago, "[nN]UA|[GB][nN]U"),
    (last_few, "[Ll][nN]U|[nN][Ll]U|[nN]Ul"),
    (weekday, f"{_LAST}I?W|WI?{_LAST}|[Ll]W(?![BF]I?{_BEGINS})|Wl|(?<![VN])W(?![BF]I?{_BEGINS})"),
    (beyond, "U[BF]L(?![UWEMmjQq])"),
    (beside, f"{_LAST}(?![BF]I?{_BEGINS})"),
    (named_day, "D"),
)
