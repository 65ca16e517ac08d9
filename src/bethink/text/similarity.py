"""How much of one text stands in another, by the runs of terms that they share."""

from __future__ import annotations

from .analyzer import analyze

_RUN = 3


def overlap(left: str, right: str) -> float:
    """Return the share, 0 to 1, of the runs of either text that both hold: 1 for texts of the same words."""
    first, second = shingles(left), shingles(right)
    return len(first & second) / len(first | second) if first and second else float(left == right)


def containment(part: str, whole: str) -> float:
    """Return the share, 0 to 1, of the runs of `part` that `whole` holds too."""
    first, second = shingles(part), shingles(whole)
    return len(first & second) / len(first) if first else float(part in whole)


def shingles(text: str, size: int = _RUN) -> frozenset[str]:
    """Return the runs of `size` terms of `text`; of a shorter one the whole."""
    terms = analyze(text)
    if not terms:
        return frozenset()
    return frozenset(" ".join(terms[place : place + size]) for place in range(max(1, len(terms) - size + 1)))
