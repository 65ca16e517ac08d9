"""Numbers with their nouns."""

from __future__ import annotations


def counted(number: int, one: str, many: str) -> str:
    """Return a number with its noun, `one` or `many` of it: 1 memory, 2,000 memories."""
    return f"{number:,} {one if number == 1 else many}"


def memories(number: int) -> str:
    """Return how many memories in words."""
    return counted(number, "memory", "memories")
