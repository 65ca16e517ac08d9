"""Where the sentences of a text begin and end, in any script."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

Span = tuple[int, int]

_CLOSING: Final = "\"')\\]}»”’」』）】》"
# Of runs only the beginning is tried, so that each is read once. What ends a sentence of spaced writing has a space
# behind it (3.5 and node.js go on); that of others needs none; Thai and Lao part sentences by spaces alone.
_END: Final = re.compile(
    rf"(?P<spaced>(?<![.!?…‽])[.!?…‽]++[{_CLOSING}]*+(?=\s))"
    rf"|(?<![。！？｡．])[。！？｡．]++[{_CLOSING}]*+"
    rf"|(?<![؟۔।॥։።፧။។\u037e])[؟۔।॥։።፧။។\u037e]++[{_CLOSING}]*+"
    r"|(?<!\n)\n++"
    r"|(?<=[\u0e00-\u0eff]) ++(?=[\u0e00-\u0eff])"
)
_ABBREVIATED: Final = re.compile(
    r"(?:^|[\s(])(?:[^\W\d_]|e\.g|i\.e|z\.B|u\.a|d\.h|p\.ej|vs|etc|cf|ca|approx|no|nr|fig|vol|pp|ed|eds|inc|ltd|co|corp"
    r"|dr|mr|mrs|ms|prof|st|sr|jr|jan|feb|mar|apr|jun|jul|aug|sep|sept|oct|nov|dec|bzw|usw|vgl|bspw|env|sra|rev|gen)\.$",
    re.IGNORECASE,
)
_LONGEST_ABBREVIATION: Final = 10


def sentences(text: str, shortest: int = 1) -> list[Span]:
    """Return the spans of the sentences of `text`, in order, without the blank between them.

    One of fewer than `shortest` bytes is joined to the next of its line: "Yes!" says little by itself. They are bytes
    of UTF-8, for a letter of Han says as much as three of Latin.
    """
    spans: list[Span] = []
    start, joined = 0, False
    for end in [*_ends(text), len(text)]:
        span = _trimmed(text, start, end)
        start = end
        if span[0] == span[1]:
            continue
        if joined and "\n" not in text[spans[-1][1] : span[0]]:
            span = (spans.pop()[0], span[1])
        spans.append(span)
        joined = len(text[span[0] : span[1]].encode()) < shortest
    return spans


def _ends(text: str) -> Iterator[int]:
    for mark in _END.finditer(text):
        if not (mark["spaced"] and _goes_on(text, mark.start(), mark.end())):
            yield mark.end()


def _goes_on(text: str, dot: int, end: int) -> bool:
    """Say whether what looks like an end stands inside a sentence: behind an abbreviation, before a small letter."""
    following = text[end : end + 2].lstrip()
    if following[:1].islower():
        return True
    before = text[max(0, dot - _LONGEST_ABBREVIATION) : dot + 1]
    return end == dot + 1 and text[dot] == "." and bool(_ABBREVIATED.search(before))


def _trimmed(text: str, start: int, end: int) -> Span:
    part = text[start:end]
    begin = start + len(part) - len(part.lstrip())
    return begin, begin + len(part.strip())
