"""What is left of a ranking, as whole numbers that a cursor can carry, and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from .ranking import Ranking

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST: Final = 200
_SCALE: Final = 100_000
_TERMS: Final = ("keyword", "meaning", "neighbours")

Frozen = Sequence[Sequence[int]]


def freeze(ranking: Ranking, places: Sequence[int]) -> list[list[int]]:
    """Return the first `MOST` of `places`, by column: numbers, windows, then each term of the scores."""
    kept = list(places[:MOST])
    terms = [(ranking.terms[name][kept] * _SCALE).round().astype(int) for name in _TERMS]
    return [column.tolist() for column in (ranking.numbers[kept], ranking.windows[kept], *terms)]


def thaw(frozen: Frozen, current: Mapping[int, tuple[int, int]]) -> Ranking:
    """Return the ranking again; `current` has the (number, wording) of those numbers that still stand for something."""
    numbers, *columns = frozen
    kept = [place for place, number in enumerate(numbers) if number in current]
    now = _array([current[numbers[place]] for place in kept]).reshape(-1, 2)
    windows, *terms = (_array(column)[kept] for column in columns)
    named = {name: column / _SCALE for name, column in zip(_TERMS, terms, strict=True)}
    scores = _array(terms).sum(axis=0) / _SCALE
    return Ranking(numbers=now[:, 0], scores=scores, terms=named, windows=windows, wordings=now[:, 1], dropped=0)


def _array(values: Sequence[Any]) -> NDArray[np.int64]:
    import numpy as np

    return np.array(values, np.int64)
