"""A light stem of Turkish words: endings are taken off one after the other, as they were put on.

Snowball's stemmer leaves verbs alone and asks for a dotless i, which is often typed as i.
"""

from __future__ import annotations

_LEAST = 3
_LEAST_BEFORE_PLURAL = 2
_VOWELS = frozenset("aeiou")
_PLURALS = ("lar", "ler")
# Folded, so that one stands for the harmonies of i, and u for those of u; the longest are tried first.
_ENDINGS = tuple(
    ending
    for length in (5, 4, 3, 2, 1)
    for ending in (
        # case, possessive, with the letters that go between
        *(
            "a",
            "e",
            "i",
            "u",
            "m",
            "na",
            "ne",
            "ni",
            "nu",
            "ya",
            "ye",
            "yi",
            "yu",
            "si",
            "su",
            "sin",
            "sun",
            "in",
            "un",
        ),
        *(
            "nin",
            "nun",
            "da",
            "de",
            "ta",
            "te",
            "dan",
            "den",
            "tan",
            "ten",
            "nda",
            "nde",
            "ndan",
            "nden",
            "daki",
            "deki",
        ),
        *(
            "taki",
            "teki",
            "ndaki",
            "ndeki",
            "im",
            "um",
            "imiz",
            "umuz",
            "miz",
            "muz",
            "iniz",
            "unuz",
            "niz",
            "nuz",
            "n",
        ),
        *("la", "le", "yla", "yle", "lik", "luk", "li", "lu", "siz", "suz", "ci", "cu", "ca", "ce"),
        # tense, voice, verbal noun
        *("di", "du", "ti", "tu", "dir", "dur", "tir", "tur", "mis", "mus", "yor", "iyor", "uyor", "acak", "ecek"),
        *("yacak", "yecek", "acag", "eceg", "ir", "ur", "ar", "er", "mak", "mek", "ma", "me", "an", "en", "yan", "yen"),
        *("dik", "duk", "tik", "tuk", "dig", "dug", "tig", "tug", "ip", "up", "yip", "yup", "il", "ul"),
    )
    if len(ending) == length
)
_SOFTENED = str.maketrans("bdgv", "ptkv")


def turkish(word: str) -> str:
    """Return the light stem of a folded Turkish word."""
    shorter = _without_ending(word)
    while shorter != word:
        word, shorter = shorter, _without_ending(shorter)
    return word[:-1] + word[-1:].translate(_SOFTENED)


def _without_ending(word: str) -> str:
    for plural in _PLURALS:
        if word.endswith(plural) and len(word) - len(plural) >= _LEAST_BEFORE_PLURAL:
            return word[: -len(plural)]
    for ending in _ENDINGS:
        rest = word[: len(word) - len(ending)]
        if word.endswith(ending) and len(rest) >= _LEAST and not _VOWELS.isdisjoint(rest):
            return rest
    return word
