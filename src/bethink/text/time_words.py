"""The times that a question names, in plain words of several languages, as spans seen from now.

A question is read into tokens (`time_lexicon`). Two sets of patterns over their letters then find spans (`time_spans`)
and what is built upon spans (`time_built`). A pattern has a bounded length, so reading takes a time in proportion to
the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, tzinfo
from typing import Final

from .fold import fold
from .time_built import BUILT
from .time_grammar import Item, Rules, Run, Time
from .time_lexicon import (
    AND,
    COMMA,
    DATE,
    DENSE_PATTERN,
    DIGITS,
    FRENCH,
    IN,
    LONGEST,
    MONTH,
    ONLY_FRENCH,
    ORDINAL_DIGITS,
    OTHER,
    QUARTER_NUMBER,
    SPACED,
    TELLING,
    THE,
    YEAR,
    YEAR_RANGE,
    YEARS_APART,
    Token,
    dense_tokens,
)
from .time_spans import SPANS
from .times import DAY, Span, clock_span, local

# A long question names its time at its beginning or its end; what is pasted between is not read.
_MOST_READ: Final = 600
_MOST_NAMED: Final = 8
# Without a digit, a character of these scripts or a word of these a text names no time: most questions end here.
_POSSIBLE: Final = re.compile(r"[0-9\u3041-\u30ff\u3400-\u9fff]")
_LETTERS: Final = re.compile(r"[^\W\d_]+")
_A_YEAR: Final = re.compile("(?:19|20)[0-9][0-9]")


@dataclass(frozen=True, slots=True)
class Named:
    """A time that a text names: its span, how far beyond its ends is still likely, and how sure it is meant (0..1)."""

    span: Span
    vague: int
    sure: float


@dataclass(frozen=True, slots=True)
class Times:
    """The times that a text names, in order, and its other words, folded and without prepositions of time."""

    named: tuple[Named, ...] = ()
    rest: tuple[str, ...] = ()


def times_named(text: str, *, zone: tzinfo, now: int) -> Times:
    """Return the times that `text` names, seen from `now` in `zone`, and what else it says where it names one."""
    read = fold(text if len(text) <= 2 * _MOST_READ else f"{text[:_MOST_READ]} ... {text[-_MOST_READ:]}").lower()
    if not _POSSIBLE.search(read) and TELLING.isdisjoint(_LETTERS.findall(read)):
        return Times()
    clock = local(now, zone)
    found = _rewritten(_rewritten(_tokens(read), SPANS, clock), BUILT, clock)
    times = [item for item in found if isinstance(item, Time)][:_MOST_NAMED]
    rest = tuple(item.word for item in found if isinstance(item, Token) and item.word and item.code != IN)
    return Times(tuple(_named(time, zone) for time in times), rest) if times else Times()


def _named(time: Time, zone: tzinfo) -> Named:
    return Named(clock_span(time.start, time.stop, zone), int(time.vague * DAY), time.sure)


def _rewritten(items: Sequence[Item], rules: Rules, now: datetime) -> list[Item]:
    """Put a time in the place of each run of items that a rule reads as one."""
    found: list[Item] = []
    at = 0
    for match in re.finditer(rules.pattern, "".join(item.code for item in items)):
        time = _applied(rules, match, items, now)
        if time is not None:
            found += [*items[at : match.start()], time]
            at = match.end()
    return [*found, *items[at:]]


def _applied(rules: Rules, match: re.Match[str], items: Sequence[Item], now: datetime) -> Time | None:
    try:
        return rules.readers[match.lastgroup or ""](Run(items[match.start() : match.end()], now))
    except (OverflowError, ValueError):  # no such day, or before the year 1 or after 9999
        return None


_DASH: Final = r"\s?[-\u2013\u2014]\s?"
_WORD: Final = re.compile(
    r"(?P<iso>[12][0-9]{3}-[0-9]{1,2}-[0-9]{1,2})\b|(?P<dotted>[0-9]{1,2}\.[0-9]{1,2}\.[12][0-9]{3})\b"
    r"|(?P<year_month>(?<![\w.-])[12][0-9]{3}-(?:0[1-9]|1[0-2]))(?![\w-])"
    rf"|(?P<days>(?<![\w.-])[0-9]{{1,2}}{_DASH}[0-9]{{1,2}})(?![\w.-])"
    rf"|(?P<years>(?<![\w.-])(?:19|20)[0-9]{{2}}{_DASH}(?:19|20)[0-9]{{2}})(?![\w-])"
    r"|(?P<ordinal>[0-9]{1,2}(?:st|nd|rd|th|er|\.(?=\s?[a-z])))(?![\w.])|(?P<digits>[0-9]{1,4})(?![\w.:%])"
    r"|q(?P<quarter>[1-4])\b|(?P<dense>[\u3005\u3041-\u30ff\u3400-\u9fff0-9]+)|(?P<word>[^\W\d_]+)|(?P<comma>,)"
    r"|(?P<other>[^\s'\u2019-])"
)


def _tokens(text: str) -> list[Item]:
    words = [(match.lastgroup or "", match[match.lastgroup or 0]) for match in _WORD.finditer(text)]
    found: list[Token] = []
    at = 0
    while at < len(words):
        kind, word = words[at]
        taken, tokens = _longest(words, at) if kind == "word" else (1, _READ[kind](word))
        found += tokens
        at += taken
    return list(_without_articles(found))


def _longest(words: Sequence[tuple[str, str]], at: int) -> tuple[int, Sequence[Token]]:
    """Take the longest run of words that the lexicon has."""
    word = words[at][1]
    if word in ONLY_FRENCH and any(other in FRENCH for _, other in words):
        return 1, (ONLY_FRENCH[word],)
    for length in range(min(LONGEST.get(word, 0), len(words) - at), 0, -1):
        run = " ".join(word for _, word in words[at : at + length])
        if run in SPACED:
            return length, [token._replace(word=run) for token in SPACED[run]]
    return 1, (Token(OTHER, word=word),)


def _without_articles(tokens: Sequence[Token]) -> Sequence[Token]:
    """Leave `the` out, but before the name of a month: `on the march` names none."""
    following = [*tokens[1:], Token(OTHER)]
    kept = [(t, after) for t, after in zip(tokens, following, strict=True) if t.code != THE or after.code == MONTH]
    return [token._replace(code=OTHER) if token.code == THE else token for token, _ in kept]


def _digits(text: str) -> Sequence[Token]:
    return (Token(YEAR if _A_YEAR.fullmatch(text) else DIGITS, int(text), text),)


def _days(first: str, last: str) -> Sequence[Token]:
    return Token(DIGITS, int(first), first), Token(AND), Token(DIGITS, int(last), last)


def _date(year: int, month: int, day: int) -> Sequence[Token]:
    try:
        return (Token(DATE, date(year, month, day).toordinal()),)
    except ValueError:  # no such day
        return (Token(OTHER),)


def _dense(text: str) -> Sequence[Token]:
    found: list[Token] = []
    at = 0
    for match in re.finditer(DENSE_PATTERN, text):
        found += [*_others(text[at : match.start()]), *dense_tokens(match)]
        at = match.end()
    return [*found, *_others(text[at:])]


def _others(text: str) -> Sequence[Token]:
    return (Token(OTHER, word=text),) if text else ()


_READ: Final[dict[str, Callable[[str], Sequence[Token]]]] = {
    "iso": lambda text: _date(*map(int, text.split("-"))),
    "year_month": lambda text: (Token(MONTH, int(text[5:])), Token(YEAR, int(text[:4]))),
    "dotted": lambda text: _date(*map(int, reversed(text.split(".")))),
    "ordinal": lambda text: (Token(ORDINAL_DIGITS, int(text.rstrip("stndrhe."))),),
    "digits": _digits,
    "quarter": lambda text: (Token(QUARTER_NUMBER, int(text)),),
    "dense": _dense,
    "comma": lambda _: (Token(COMMA),),
    "days": lambda text: _days(*re.findall("[0-9]+", text)),
    "years": lambda text: (Token(YEAR_RANGE, int(text[:4]) * YEARS_APART + int(text[-4:])),),
    "other": lambda _: (Token(OTHER),),
}
