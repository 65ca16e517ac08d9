"""The stem of a word of a script that tells its language, or one near enough."""

from __future__ import annotations

from collections.abc import Callable

from .hellenic import greek
from .indic import hindi
from .semitic import arabic, hebrew
from .slavic import russian

_STEMMERS: tuple[tuple[str, str, Callable[[str], str]], ...] = (
    ("\u0370", "\u03ff", greek),
    ("\u0400", "\u04ff", russian),
    ("\u0590", "\u05ff", hebrew),
    ("\u0600", "\u06ff", arabic),
    ("\u0900", "\u097f", hindi),
)


def stem_by_script(word: str) -> str:
    """Return the stem of a folded lower-case word that is not of Latin letters; of an unknown script the word."""
    for first, last, stem in _STEMMERS:
        if first <= word[0] and max(word) <= last:
            return (stem(word) if min(word) >= first else word) or word
    return word
