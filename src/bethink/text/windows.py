"""Cut a text into windows that an embedder can read whole."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence

from .speakers import LABEL

Span = tuple[int, int]

_PARAGRAPH = re.compile(r"\n[ \t]*\n\s*")
_LINE = re.compile(r"\n\s*")
_SENTENCE = re.compile(r"(?<=[.!?])[\"')\]]*\s+|(?<=[。！？])")
_WORD = re.compile(r"\s+")


def windows(text: str, token_starts: Sequence[int], limit: int) -> list[Span]:
    """Return spans of `text`, in order, each at most `limit` tokens; a turn of a transcript is never joined to another.

    `token_starts` are the sorted offsets at which the embedder's tokens begin. The spans touch; only blank text at the
    end of a turn may be left out. The last line of a long text is a span of its own, unless it is a transcript: what
    was added to a memory last stands there, and among the lines before it its meaning would be lost.
    """
    turns = turn_starts(text)
    ranked = boundaries(text)
    spans: list[Span] = []
    for start, end in zip(turns, [*turns[1:], len(text)], strict=True):
        spans += _pack(text, (start, end), token_starts, limit, ranked)
    return [*spans[:-1], *_apart(spans[-1], text)] if len(spans) > 1 == len(turns) else spans


def turn_starts(text: str) -> list[int]:
    """Return where the turns of a transcript (`Name: ...` paragraphs) begin, or `[0]` for any other text."""
    starts = [0, *(gap.end() for gap in _PARAGRAPH.finditer(text))]
    labelled = [start for start in starts if LABEL.match(text, start)]
    return labelled if labelled[1:] and labelled[0] == 0 else [0]


def boundaries(text: str) -> list[list[int]]:
    """Return the sorted offsets where a cut hurts little: after paragraphs, lines, sentences, words."""
    return [[gap.end() for gap in kind.finditer(text)] for kind in (_PARAGRAPH, _LINE, _SENTENCE, _WORD)]


def _pack(text: str, turn: Span, tokens: Sequence[int], limit: int, ranked: list[list[int]]) -> list[Span]:
    start, end = turn
    spans: list[Span] = []
    while (reach := _reach(tokens, start, limit)) is not None and reach < end:
        cut = _best_cut(start, reach, ranked)
        spans.append((start, cut))
        start = cut
    if text[start:end].strip():
        spans.append((start, end))
    return spans


def _apart(last: Span, text: str) -> list[Span]:
    start, end = last
    line = text.rstrip().rfind("\n", start) + 1
    return [(start, line), (line, end)] if text[start:line].strip() else [last]


def _reach(tokens: Sequence[int], start: int, limit: int) -> int | None:
    """Return where the first token begins that no longer fits a window from `start`; None when all fit."""
    last = bisect_right(tokens, start - 1) + limit
    if last < len(tokens) and tokens[last] <= start:
        last = bisect_right(tokens, start)  # one character of more tokens than the limit: it stays whole
    return tokens[last] if last < len(tokens) else None


def _best_cut(start: int, reach: int, ranked: list[list[int]]) -> int:
    for offsets in ranked:
        nearest = bisect_right(offsets, reach) - 1
        if nearest >= 0 and offsets[nearest] > start + (reach - start) // 2:
            return offsets[nearest]
    return reach
