"""One additive score over what the sources found, and the floor under it. Pure: values in, values out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bethink.storage.protocol import Candidates

from .ranking import Ranking

# Chosen on training splits, with the floor and the words: bench/RESULTS.md, `fit`. They sum to one, so a score is 0..1.
KEYWORD_WEIGHT: Final = 2 / 3
MEANING_WEIGHT: Final = 1 / 6
NEIGHBOURS_WEIGHT: Final = 1 / 6
FLOOR: Final = 0.12
# A literal hit is evidence of its own: this share of the best keyword score is enough. That score falls with the length
# of a text; where half of the question stands in it, words weighed by how rare they are, its length does not matter.
# It is a choice of meaning: on the benchmarks it changes nothing, see bench/RESULTS.md, `fit`.
LITERAL: Final = 0.12
HELD: Final = 0.5

Values = NDArray[np.float64]


def ranked(
    found: Candidates, *, trust: float, floor: float | None = None, floors: Mapping[int, float] | None = None
) -> Ranking:
    """Score candidates and order them, ties by number; `trust` (0..1): how far the embedder knows the words.

    `floor` is the caller's own, for all; `floors` those of namespaces that have one of their own, by id.
    """
    terms = _terms(found, trust)
    scores = _sum(terms)
    order = np.lexsort((found.numbers, -scores))
    order = order[_clears(found, scores, terms["keyword"], floor, floors or {})[order]]
    return _in_order(found, scores, terms, order)


def ranked_again(found: Candidates, numbers: Sequence[int], *, trust: float) -> Ranking:
    """Score candidates that were ranked before, in the order of `numbers` that they had then."""
    terms = _terms(found, trust)
    places = {number: place for place, number in enumerate(found.numbers.tolist())}
    order = np.array([places[number] for number in numbers], np.int64)
    return _in_order(found, _sum(terms), terms, order)


def _sum(terms: Mapping[str, Values]) -> Values:
    total: Values = np.sum(list(terms.values()), axis=0)
    return total


def _in_order(found: Candidates, scores: Values, terms: Mapping[str, Values], order: NDArray[np.int64]) -> Ranking:
    return Ranking(
        numbers=found.numbers[order],
        scores=scores[order],
        terms={name: values[order] for name, values in terms.items()},
        windows=found.window[order],
        wordings=found.wordings[order],
        dropped=len(found.numbers) - len(order),
    )


def _clears(
    found: Candidates, scores: Values, keyword: Values, floor: float | None, floors: Mapping[int, float]
) -> NDArray[np.bool_]:
    if floor is not None:
        return scores >= floor
    clears = (scores >= FLOOR) | (keyword >= KEYWORD_WEIGHT * LITERAL) | (found.held >= HELD)
    for namespace, own in floors.items():
        here = found.namespaces == namespace
        clears[here] = scores[here] >= own
    return clears


def _terms(found: Candidates, trust: float) -> dict[str, Values]:
    own = np.where(np.isnan(found.cosine), 0.0, found.cosine)
    around = np.where(np.isnan(found.neighbour_cosine), own, found.neighbour_cosine)
    best = found.best_keyword or 1.0
    return {
        "keyword": KEYWORD_WEIGHT * found.keyword / best,
        "meaning": trust * MEANING_WEIGHT * own,
        "neighbours": trust * NEIGHBOURS_WEIGHT * around,
    }
