"""When a question asks about, and how near the time of a memory is to that."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import tzinfo
from functools import cache
from typing import TYPE_CHECKING, Final, TypeAlias

from bethink.storage.protocol import Reader
from bethink.storage.values import Candidates, Question, Selection
from bethink.text.analyzer import query_terms
from bethink.text.time_clauses import Anchor, Order, Side, anchor_asked, order_asked
from bethink.text.time_words import Named, times_named
from bethink.text.times import DAY, Span, parse_time

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Values: TypeAlias = NDArray[np.float64]

# What happened is told of on the days after it, seldom before: at which distance half of the evidence is left, and the
# share of the span's length that is added to both. Chosen with the weight of the term, see bench/RESULTS.md, `time`.
_BEFORE: Final = 1 * DAY
_AFTER: Final = 4 * DAY
_SHARE: Final = 4
_LONGEST: Final = 366 * DAY
_NOTHING: Final = 0.05
_TELLING: Final = 2 * 366 * DAY
# Before or after an event means on the weeks that touch it, and less surely than a time that is named.
_TOUCHING: Final = 30 * DAY
_EDGE: Final = DAY // 4
_BY_EVENT: Final = 0.4
_OF_ITS_WORDS: Final = 0.5
_ANCHORS: Final = 20
# What answers nearly as well as the best: among these an order decides.
_NEAR_TIE: Final = 0.85
# Words that ask for whatever happened: a time beside them is all that a question names.
_NOTHING_ELSE: Final = "happened"
_WHATEVER: Final = """
happen happened happening decide decided decision decisions discuss discussed discussion discussions talk talked say
said tell told mention mentioned learn learned work worked note noted notes remember remembered store stored record
recorded change changed changes event events news new anything everything something things stuff meeting meetings
conversation conversations memory memories make made go went list
haben wir was passiert entschieden beschlossen besprochen gemacht
que qué paso pasó decidimos hicimos hablamos
avons nous fait passé parlé décidé
何を決めた 何を決めました 何があった 何をした 何を話した 做了什么 决定了什么 发生了什么 我们做了什么 我们决定了什么
"""


@dataclass(frozen=True, slots=True)
class Around:
    """A time asked about: its span, how far before and after it half of the evidence is left, how sure it is meant."""

    span: Span
    before: int
    after: int
    sure: float


@dataclass(frozen=True, slots=True)
class When:
    """The times that a question is about; `alone` when it asks for nothing but what is of them.

    `anchor` is the event before or after which they are, until `dated` finds when it was. `aside` are the terms that
    name the times, which an answer need not hold.
    """

    times: tuple[Around, ...] = ()
    alone: bool = False
    aside: tuple[str, ...] = ()
    order: Order | None = None
    anchor: Anchor | None = None

    @property
    def spans(self) -> tuple[tuple[int, int], ...]:
        """Where memories are looked for by their time: around each span short enough to tell some from others."""
        short = [time for time in self.times if time.span.stop - time.span.start <= _TELLING]
        return tuple((time.span.start - time.before, time.span.stop + time.after) for time in short)


ANY_TIME: Final = When()


def when(query: str, refers_to: str | None, *, zone: tzinfo, now: int) -> When:
    """Read when a question is about: what `refers_to` names, else its own words."""
    order = order_asked(query)
    if refers_to is not None:
        return When(_around(_referred(refers_to, zone, now)), order=order)
    found = times_named(query, zone=zone, now=now)
    if found.named:
        rest = frozenset(query_terms(" ".join([*found.rest, _NOTHING_ELSE])))  # beside it stop words are none of them
        aside = tuple(term for term in query_terms(query) if term not in rest)
        return When(_around(found.named), rest <= _whatever(), aside, order)
    return When(order=order, anchor=anchor_asked(query))


def dated(asked: When, reader: Reader, selection: Selection) -> When:
    """Find when the event was that a question names its time by: that of the memory with most of its words."""
    if asked.anchor is None:
        return asked
    event = Question(tuple(query_terms(asked.anchor.words)), depth=_ANCHORS)
    found = reader.candidates(event, selection)
    best = max(range(len(found.numbers)), key=lambda place: (found.held[place], found.keyword[place]), default=None)
    if best is None or found.held[best] < _OF_ITS_WORDS:
        return replace(asked, anchor=None)
    first, last = int(found.occurred[best]), int(found.occurred_last[best])
    if asked.anchor.side is Side.before:
        time = Around(Span(first - _TOUCHING, first), _TOUCHING, _EDGE, _BY_EVENT)
    else:
        time = Around(Span(last + 1, last + _TOUCHING), _EDGE, _TOUCHING, _BY_EVENT)
    return replace(asked, anchor=None, times=(time,))


def _around(named: tuple[Named, ...]) -> tuple[Around, ...]:
    return tuple(
        Around(time.span, _BEFORE + slack, _AFTER + slack, time.sure) for time in named for slack in [_slack(time)]
    )


def _slack(time: Named) -> int:
    return time.vague + min(time.span.stop - time.span.start, _LONGEST) // _SHARE


def nearness(times: tuple[Around, ...], found: Candidates) -> Values:
    """Return how near each candidate is to the nearest of the times, 0..1: 1 within one that is surely meant."""
    import numpy as np

    near = np.zeros(len(found.numbers))
    for time in times:
        # To the far end of what lies outside: of a day beside the one asked about all of it is past.
        before = np.where(found.occurred_last < time.span.start, time.span.start - found.occurred, 0) / time.before
        after = np.where(found.occurred >= time.span.stop, found.occurred_last - time.span.stop + 1, 0) / time.after
        near = np.maximum(near, time.sure / (1 + np.maximum(before, after) ** 2))
    near[near < _NOTHING] = 0.0
    return near


def placed(order: Order, found: Candidates, scores: Values) -> Values:
    """Return where each stands in time among those that answer nearly as well as the best, 0..1: 1 is what is asked.

    It is a place in their row: by the time between them, one that is years off would put all others in one place.
    """
    import numpy as np

    places = np.zeros(len(scores))
    near = np.flatnonzero(scores >= _NEAR_TIE * scores.max(initial=0.0))
    moments, place = np.unique(found.occurred[near], return_inverse=True)
    if len(moments) > 1:
        late = place / (len(moments) - 1)
        places[near] = late if order is Order.latest else 1 - late
    return places


def _referred(text: str, zone: tzinfo, now: int) -> tuple[Named, ...]:
    found = times_named(text, zone=zone, now=now)
    if found.named and not found.rest:
        return found.named
    return (Named(parse_time(text, parameter="refers_to", zone=zone, now=now), vague=0, sure=1.0),)


@cache
def _whatever() -> frozenset[str]:
    return frozenset(query_terms(_WHATEVER))
