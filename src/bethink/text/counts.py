"""Numbers with their nouns."""

from __future__ import annotations

from typing import Final

_THOUSAND: Final = 1_000


def counted(number: int, one: str, many: str) -> str:
    """Return a number with its noun, `one` or `many` of it: 1 memory, 2,000 memories."""
    return f"{number:,} {one if number == 1 else many}"


def memories(number: int) -> str:
    """Return how many memories in words."""
    return counted(number, "memory", "memories")


def sized(number: int) -> str:
    """Return a number of bytes as a person reads it: 512 B, 6.1 MB."""
    if number < _THOUSAND:
        return f"{number} B"
    size, units = number / _THOUSAND, iter(("kB", "MB", "GB"))
    unit = next(units)
    while size >= _THOUSAND - 0.05 and (greater := next(units, None)):
        size, unit = size / _THOUSAND, greater
    return f"{size:,.1f} {unit}"
