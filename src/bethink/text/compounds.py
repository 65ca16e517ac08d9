"""What a compound may be made of: every pair of parts that could be words, for the index knows which are."""

from __future__ import annotations

import re

_SHORTEST_COMPOUND = 7
_SHORTEST_HEAD = 3
_SHORTEST_TAIL = 4
_LONGEST = 40  # what is longer is no word
_SHORT_TAILS = frozenset(
    {
        *("amt", "arm", "art", "bad", "bau", "bus", "eis", "gas", "gut", "hof", "hut", "ort", "rad", "rat", "see"),
        *("tag", "tee", "tor", "tur", "uhr", "weg", "zug"),
    }
)
_DIMINUTIVES = frozenset({"chen", "chens", "lein", "leins"})
_VOWEL = re.compile("[aeiouy]")
# How a German word can begin; that of its neighbours is not far from it.
_BEGINNING = re.compile(
    "(?:[bcdfghjklmnpqrstvwz]|bl|br|chr|dr|fl|fr|gl|gn|gr|kl|kn|kr|pf|pfl|ph|pl|pr|qu|sc|sch|schl|schm|schn|schr|schw|sk"
    "|sl|sm|sn|sp|spl|spr|st|str|sv|th|thr|tr|tsch|tv|vl|vr|wr|zw)?[aeiouy]"
)
# What only ends words.
_ENDING = re.compile("(?:ung|heit|keit|lich|isch|chen|lein|schaft|bar|sam|ern|erin)(?:e[nrsm]?|s|nen|en)?")


def parts(word: str) -> tuple[list[str], list[str]]:
    """Return what a folded word may begin with and what it may end with, where it may be put together of two."""
    heads: list[str] = []
    tails: list[str] = []
    if not _SHORTEST_COMPOUND <= len(word) <= _LONGEST:
        return heads, tails
    for place in range(_SHORTEST_HEAD, len(word) - _SHORTEST_HEAD + 1):
        head, tail = word[:place], word[place:]
        if _VOWEL.search(head) and (tail in _DIMINUTIVES or _is_tail(tail)):
            heads.append(head)
            tails += [] if tail in _DIMINUTIVES else [tail]
    return heads, tails


def _is_tail(tail: str) -> bool:
    if len(tail) < _SHORTEST_TAIL:
        return tail in _SHORT_TAILS
    return bool(_BEGINNING.match(tail)) and not _ENDING.fullmatch(tail)
