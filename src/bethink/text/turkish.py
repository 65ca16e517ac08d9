"""A light stem of Turkish words: endings are taken off one after the other, as they were put on.

Snowball's stemmer leaves verbs alone and asks for a dotless i, which is often typed as i.
"""

from __future__ import annotations

import re

_LEAST = 3
_LEAST_BEFORE_PLURAL = 2
_VOWELS = frozenset("aeiou")
_PLURALS = ("lar", "ler")
# Folded, so that one stands for the harmonies of i, and u for those of u; the longest are tried first.
_ENDINGS = tuple(
    ending
    for length in (6, 5, 4, 3, 2, 1)
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
        *("dim", "dum", "tim", "tum", "iyoruz", "uyoruz", "iyorum", "uyorum", "diniz", "dunuz", "tiniz", "tunuz"),
        *("dik", "duk", "tik", "tuk", "dig", "dug", "tig", "tug", "ip", "up", "yip", "yup", "il", "ul"),
    )
    if len(ending) == length
)
# `bekliyor` is of `bekle`, whose last syllable is taken off as an ending.
_NARROWED = re.compile("(?<=..[^aeiou])l[iu]yor(?:um|uz|sun|sunuz|lar)?$")
# Of a stem of two letters what follows must be of a verb: `al` in `aldık`, `iç` in `içtim`.
_SHORT_VERB = re.compile(
    "([aeiou][^aeiou])(?:(?:(?<=[ct])t|(?<=[^aeiouct])d)[iu](?:m|n|k|niz|nuz|lar|ler)?|m[ae]k"
    "|[iu]yor(?:um|uz|sun|sunuz|lar)?|[ae]c[ae](?:k|g[iu]m|g[iu]z|kler|klar)|m[iu]s(?:t[iu]r)?)"
)
_SOFTENED = str.maketrans("bdgv", "ptkv")


def turkish(word: str) -> str:
    """Return the light stem of a folded Turkish word."""
    if short := _SHORT_VERB.fullmatch(word):
        return _hard(short[1])
    word = _NARROWED.sub("", word)
    shorter = _without_ending(word)
    while shorter != word:
        word, shorter = shorter, _without_ending(shorter)
    return _hard(word)


def _without_ending(word: str) -> str:
    for plural in _PLURALS:
        if word.endswith(plural) and len(word) - len(plural) >= _LEAST_BEFORE_PLURAL:
            return word[: -len(plural)]
    for ending in _ENDINGS:
        rest = word[: len(word) - len(ending)]
        if word.endswith(ending) and len(rest) >= _LEAST and not _VOWELS.isdisjoint(rest):
            return rest
    return word


def _hard(stem: str) -> str:
    return stem[:-1] + stem[-1:].translate(_SOFTENED)
