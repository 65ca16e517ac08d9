"""A text cut between paragraphs into passages that make one memory each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from bethink.text.graphemes import floor

LONGEST: Final = 4_000

# Where a paragraph that is too long may be cut, best first.
_ENDS: Final = (re.compile(r"\n"), re.compile(r"(?<=[.!?…])\s|(?<=[。！？])"), re.compile(r"\s"))
_FENCE: Final = re.compile(r" {0,3}(?P<marks>`{3,}|~{3,})(?P<info>.*)")


class Fence:
    """Follows lines into and out of fenced code."""

    def __init__(self) -> None:
        self._open = ""

    def holds(self, line: str) -> bool:
        """Take the next line; say whether it is code or a fence."""
        found = _FENCE.fullmatch(line)
        if not self._open:
            if found is None or (found["marks"][0] == "`" and "`" in found["info"]):
                return False
            self._open = found["marks"]
        elif found is not None and found["marks"].startswith(self._open) and not found["info"].strip():
            self._open = ""
        return True


def passages(text: str) -> Iterator[tuple[int, str]]:
    """Yield passages of at most 4,000 characters, each with the number of the line where it starts, from 0.

    Nothing but blank lines and the space at a cut is left out. Code between fences is kept together where it fits.
    """
    start = end = line = counted = 0
    for first, last in _pieces(text):
        if end and last - start > LONGEST:
            line, counted = line + text.count("\n", counted, start), start
            yield line, text[start:end]
            start = first
        elif not end:
            start = first
        end = last
    if end:
        yield line + text.count("\n", counted, start), text[start:end]


def _pieces(text: str) -> Iterator[tuple[int, int]]:
    for start, end in _paragraphs(text):
        at = start
        while end - at > LONGEST:
            cut = _cut(text, at)
            if text[at:cut].strip():
                yield at, at + len(text[at:cut].rstrip())
            at = cut
        if text[at:end].strip():
            yield at, at + len(text[at:end].rstrip())


def _paragraphs(text: str) -> Iterator[tuple[int, int]]:
    fence, start, at = Fence(), -1, 0
    for line in text.split("\n"):
        inside = fence.holds(line)
        if line.strip() or inside:
            start = at if start < 0 else start
        elif start >= 0:
            yield start, at - 1
            start = -1
        at += len(line) + 1
    if start >= 0:
        yield start, len(text)


def _cut(text: str, start: int) -> int:
    low, high = start + LONGEST // 2, start + LONGEST
    for ends in _ENDS:
        found = [end.end() for end in ends.finditer(text, low, high)]
        if found:
            return found[-1]
    return max(floor(text, high), start + 1)
