"""What came into question, what of it was left out and why: made only where a caller asks for an explanation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from bethink.domain import Value
from bethink.storage.protocol import Reader
from bethink.storage.values import Candidates, Selection
from bethink.text.counts import memories

from .hits import Page
from .ranking import Ranking

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FLOOR: Final = "under the floor"
PHRASE: Final = "without the quoted phrase"
SAME_PLACE: Final = "same text or document as a hit"
TOKENS: Final = "no room in max_tokens"
_MOST_NAMED: Final = 3
_BESIDE: Final = "floor: of scores without the time asked about; less of it behind an answer, none for a literal hit"


class Dropped(Value):
    """How many were left out for one reason, and the best of them."""

    reason: str
    count: int
    best: tuple[str, ...] = ()
    best_score: float


class Explained(Value):
    """How many memories came into question, how many of them each source knew, and what was left out of the page.

    `floors` are the scores that were enough, by whose floor it is: `min_score` (asked for), `quotation` (what holds it
    is an answer), `usual`, or `measured in` a namespace, which is numbered where its name is not for the caller to see.
    Of the usual one less is enough behind an answer, and a literal hit needs none.
    """

    candidates: int
    sources: dict[str, int]
    floors: dict[str, float]
    dropped: tuple[Dropped, ...] = ()

    def lines(self) -> list[str]:
        """Return it as lines."""
        found = ", ".join(f"{count} by {source}" for source, count in self.sources.items())
        return [
            f"considered: {memories(self.candidates)} ({found})",
            *(f"floor: {score} ({whose})" for whose, score in self.floors.items()),
            *((_BESIDE,) if "usual" in self.floors else ()),
            *(f"left out: {d.count} {d.reason} (best {d.best_score}: {', '.join(d.best)})" for d in self.dropped),
        ]


def ranks(found: Candidates) -> dict[int, dict[str, int]]:
    """Return for each candidate, by number, the place that each source gives it; a source that knows it not, none."""
    places = {source: _places(evidence) for source, evidence in _evidence(found).items()}
    return {
        number: {source: place[at] for source, place in places.items() if at in place}
        for at, number in enumerate(found.numbers.tolist())
    }


def explained(
    reader: Reader,
    found: Candidates,
    ranking: Ranking,
    page: Page,
    *,
    floors: dict[str, float],
    fit: int,
    reach: Selection,
) -> Explained:
    """Return what became of the candidates that are not among the first `fit` of the page."""
    taken = {f.place for f in page.found}
    copies = [place for f in page.found for place in f.copies]
    absent = sorted(set(range(len(ranking))) - taken - set(copies) - set(page.rest))
    scores, numbers = ranking.scores.tolist(), ranking.numbers.tolist()
    groups = {
        FLOOR: list(zip(ranking.under.tolist(), ranking.under_scores.tolist(), strict=True)),
        PHRASE: [(numbers[place], scores[place]) for place in absent],
        SAME_PLACE: [(numbers[place], scores[place]) for place in sorted(copies)],
        TOKENS: [(numbers[f.place], scores[f.place]) for f in page.found[fit:]],
    }
    return Explained(
        candidates=len(found.numbers),
        sources={source: len(_places(evidence)) for source, evidence in _evidence(found).items()},
        floors=floors,
        dropped=tuple(_dropped(reader, reach, reason, group) for reason, group in groups.items() if group),
    )


def _dropped(reader: Reader, reach: Selection, reason: str, group: Sequence[tuple[int, float]]) -> Dropped:
    ids = reader.ids([number for number, _ in group[:_MOST_NAMED]])
    handles = reader.handles(ids, reach)
    return Dropped(
        reason=reason,
        count=len(group),
        best=tuple(handles[i] for i in ids),
        best_score=round(max(score for _, score in group), 4),
    )


def _evidence(found: Candidates) -> dict[str, NDArray[np.float64]]:
    return {
        "keyword": found.keyword,
        "meaning": found.cosine,
        "neighbours": found.neighbour_cosine,
        "words": found.words,
    }


def _places(evidence: NDArray[np.float64]) -> dict[int, int]:
    """Return the place, from 1, of each that a source knows; equals share one."""
    known = [(value, at) for at, value in enumerate(evidence.tolist()) if value > 0]
    known.sort(key=lambda pair: -pair[0])
    places: dict[int, int] = {}
    for rank, (value, at) in enumerate(known, 1):
        last = known[rank - 2]
        places[at] = places[last[1]] if rank > 1 and last[0] == value else rank
    return places
