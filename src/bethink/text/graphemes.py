"""Where a text may be cut: the boundaries of what a reader sees as one character (UAX 29)."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import regex

# Letters that neither join what stands before them nor hold what follows, short of a mark: ASCII, Latin, Greek,
# Cyrillic, Hebrew, Arabic, Thai, kana, Han, Hangul syllables.
_APART = (
    " -~\\n\u00c0-\u02ff\u0370-\u0481\u048a-\u052f\u05d0-\u05ea\u0620-\u064a\u0e01-\u0e30\u0e40-\u0e46"
    "\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff\uac00-\ud7a3"
)
# Between the two characters of a match there is always a boundary, so the search for one can start there.
_SURE = re.compile(f"[{_APART}]{{2}}|[^\r\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u0d4e\U00010000-\U0010ffff][ \n]")
_FARTHEST = 1_000


def clusters(text: str) -> list[str]:
    """Return the characters of `text` as a reader counts them."""
    return _cluster().findall(text)


def floor(text: str, at: int) -> int:
    """Return the last boundary at or before `at`, as far as the thousand characters before it tell."""
    if at <= 0 or at >= len(text):
        return max(0, min(at, len(text)))
    start = at
    least = max(0, at - _FARTHEST)
    while start > least and not _SURE.match(text, start - 1):
        start -= 1
    if start == at:
        return at
    return next((cluster.start() for cluster in _cluster().finditer(text, start) if cluster.end() > at), at)


@cache
def _cluster() -> regex.Pattern[str]:
    import regex  # 17 ms: not paid by a start that cuts nothing

    # Flags are pairs, named before \X, which would count back over a whole run of them for each.
    return regex.compile(r"\p{RI}{2}[\p{Grapheme_Extend}\p{GCB=SpacingMark}\u200d]*|\X")
