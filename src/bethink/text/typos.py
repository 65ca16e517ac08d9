"""Whether two words are one but for a slip: a letter left out, doubled, wrong, or two that changed places."""

from __future__ import annotations

from typing import Final

LEAST: Final = 5
_LONG: Final = 8


def slips(length: int) -> int:
    """Return how many slips a word of this length may hold and still be taken for another: none, one or two."""
    return 0 if length < LEAST else 1 if length < _LONG else 2


def is_slip(word: str, other: str) -> bool:
    """Say whether `word` may be meant for `other`, which is another word."""
    most = slips(min(len(word), len(other)))
    return (
        word != other
        and abs(len(word) - len(other)) <= most
        and _shares(word, other, most)
        and (distance(word, other) <= most)
    )


def distance(word: str, other: str) -> int:
    """Return how many letters are left out, put in, wrong or swapped with the next (optimal string alignment)."""
    before: list[int] = []
    last = list(range(len(other) + 1))
    for row, letter in enumerate(word, 1):
        here = [row]
        for column, opposite in enumerate(other, 1):
            cost = min(here[-1] + 1, last[column] + 1, last[column - 1] + (letter != opposite))
            if row > 1 and column > 1 and letter == other[column - 2] and word[row - 2] == opposite:
                cost = min(cost, before[column - 2] + 1)
            here.append(cost)
        before, last = last, here
    return last[-1]


def _shares(word: str, other: str, most: int) -> bool:
    """Whether the letters of two words differ by no more than so many slips may change, which is quick to see."""
    return len(set(word) ^ set(other)) <= 2 * most
