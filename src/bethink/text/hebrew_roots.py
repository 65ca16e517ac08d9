"""What the forms of a Hebrew word share inside: its consonants, without the letters that stand for vowels.

`כותב`, `לכתוב` and `כתבתי` have those of `כתב`. Which of the first letters are of the word it does not tell.
"""

from __future__ import annotations

from .semitic import FINAL_LETTERS, HEBREW_PREFIXES

_FUTURE = frozenset("איתנ")
_ENDINGS = ("תי", "תם", "נו", "ים", "ות", "ה", "ת", "ו")
_VOWELS = str.maketrans("", "", "וי")
_LEAST, _MOST = 3, 5
_TAKEN_OFF = 2


def hebrew_roots(word: str) -> tuple[str, ...]:
    """Return what may be the root of a folded word: with its first letters and, as they may be of no word, without."""
    found = []
    for start in range(_TAKEN_OFF + 1):
        if start and word[start - 1 : start] not in HEBREW_PREFIXES | _FUTURE:
            break
        found.append(_consonants(_without_ending(word[start:])))
    return tuple(dict.fromkeys(root for root in found if _LEAST <= len(root) <= _MOST))


def _without_ending(word: str) -> str:
    return next(
        (rest for one in _ENDINGS if word.endswith(one) and len(_consonants(rest := word[: -len(one)])) >= _LEAST),
        word,
    )


def _consonants(word: str) -> str:
    """What stands for a vowel inside is gone; at the beginning it is of the root: `ילד`."""
    return (word[:1] + word[1:].translate(_VOWELS)).translate(FINAL_LETTERS)
