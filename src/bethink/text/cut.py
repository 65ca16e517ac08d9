"""Cut a text short between what a reader sees as characters, between words where that costs little."""

from __future__ import annotations

import re

from .graphemes import floor

ELLIPSIS = "…"
_USUAL_WORD = 40  # characters to look through for the end of a word before all are
_SHORTEST_EXCERPT = 3  # an ellipsis, a character, an ellipsis

_WORD_END = re.compile(r"\s+|(?<=[。、．，！？；：])")
_DANGLING = " \t\n\r\f\v,;:-–—([{<"


def shorten(text: str, limit: int) -> str:
    """Return `text` in at most `limit` characters, with an ellipsis where something was cut."""
    if len(text) <= limit:
        return text
    if limit < 1:
        return ""
    end = _word_end(text, limit // 2, limit - 1)
    return text[: _trimmed(text, 0, end)] + ELLIPSIS


def excerpt(text: str, around: tuple[int, int], limit: int) -> str:
    """Return at most `limit` characters of `text` with the span `around` inside, ellipses where it was cut.

    Of a span longer than the limit its beginning is shown.
    """
    if len(text) <= limit:
        return text
    if limit < _SHORTEST_EXCERPT:
        return ELLIPSIS[:limit]
    span_start, span_end = around
    room = max(0, limit - 2 - (span_end - span_start))
    earliest = min(span_start - room // 2, len(text) - limit + 1)
    if earliest <= 1:
        start, end = 0, limit - 1
    else:
        start = _word_start(text, earliest, min(span_start, earliest + limit // 4))
        end = start + limit - 2
    if end >= len(text) - 1:
        return ELLIPSIS + text[start:]
    end = _word_end(text, max(start + limit // 2, min(span_end, end)), end)
    return (ELLIPSIS if start else "") + text[start : _trimmed(text, start, end)] + ELLIPSIS


def _trimmed(text: str, start: int, end: int) -> int:
    """Return where `text[start:end]` ends without what leads on to the next word."""
    return max(start, floor(text, start + len(text[start:end].rstrip(_DANGLING))))


def _word_end(text: str, low: int, high: int) -> int:
    for start in (max(low, high - _USUAL_WORD), low):
        ends = [gap.start() for gap in _WORD_END.finditer(text, start, high + 1) if gap.start() <= high]
        if ends:
            return floor(text, ends[-1])
    return floor(text, high)


def _word_start(text: str, low: int, high: int) -> int:
    gap = _WORD_END.search(text, low, high)
    if gap:
        return floor(text, gap.end())
    start = floor(text, low)
    while start < low <= high:
        low += 1
        start = floor(text, low)
    return start
