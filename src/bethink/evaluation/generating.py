"""Questions made from a text: phrases of it. Pure."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from typing import Final

from bethink.text.analyzer import query_terms

_WORDS: Final = (4, 8)
_CHARACTERS: Final = (8, 16)  # of a script that writes no spaces
_FEWEST_TERMS: Final = 3
_TRIES: Final = 6
_QUOTES: Final = re.compile(r'["“”„«»「」『』]')
_BLANK: Final = re.compile(r"\s+")


def candidates(text: str, chance: random.Random) -> Iterator[str]:
    """Yield some phrases of a text that say enough to ask for it; the same ones for the same state of `chance`."""
    lines = _lines(text)
    drawn = chance.choices(lines, [len(line) for line in lines], k=_TRIES) if lines else []
    for phrase in dict.fromkeys(_phrase(line, chance) for line in drawn):
        if len(query_terms(phrase)) >= _FEWEST_TERMS:
            yield phrase


def _lines(text: str) -> list[str]:
    """Return the parts of a text within which a phrase can stand: no quotation mark, no line end."""
    parts = (_BLANK.sub(" ", part).strip() for line in text.splitlines() for part in _QUOTES.split(line))
    return [part for part in parts if part]


def _phrase(line: str, chance: random.Random) -> str:
    words = line.split(" ")
    if len(words) < _WORDS[0]:
        return _cut(line, _CHARACTERS, "", chance)
    return _cut(words, _WORDS, " ", chance)


def _cut(parts: str | list[str], sizes: tuple[int, int], between: str, chance: random.Random) -> str:
    size = chance.randint(*sizes)
    start = chance.randint(0, max(len(parts) - size, 0))
    return between.join(parts[start : start + size]).strip()
