"""What the forms of an Arabic word share inside: its consonants, for plurals and verbs change the vowels between them.

`خوادم` has those of `خادم`, `أطباء` of `طبيب`, `تقلع` of `إقلاع`. A root says less than a word (`مطار` and `مطر` have
one), so it stands beside the stem and not for it.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from .semitic import ARTICLES

_PRONOUNS = ("هما", "كما", "هم", "هن", "كم", "ها", "نا", "ه", "ي")
_PLURALS = ("ات", "يه")
_WITH_N = ("ون", "ين", "ان")  # of a plural, or its last letter of the root
_TENTH = ("است", "مست", "يست", "تست", "نست")  # what the tenth form of a verb begins with
_BROKEN = ("ا", "اء")  # around the plurals of `طبيب` and `صديق`
_WEAK = "اويء"
_WITHOUT_WEAK = str.maketrans("", "", _WEAK)
_VOWEL = "ا"  # stands for any of them
_SHE = "ت"
_PRESENT = ("ت", "ن")
_LEAST, _WHOLE, _MOST = 2, 3, 8  # consonants of a root: where a vowel is the third, of most, of any


def arabic_roots(word: str) -> tuple[str, ...]:
    """Return what may be the root of a folded word, most often one; none where too few consonants tell it."""
    bare = _bare(word)
    count = len(_consonants(bare))
    if not _LEAST <= count <= _MOST:
        return ()
    if count > _WHOLE:
        return (_root(_without_person(bare)),)
    if count < _WHOLE or _SHE not in (bare[0], bare[-1]):
        return (_root(bare),)
    return _root(bare), _root(bare[1:] if bare[0] == _SHE else bare[:-1])  # it is of the root, or says who does it


def _bare(word: str) -> str:
    """Take off article, pronoun, the ending of a plural, and what the tenth form begins with."""
    word = _without_beginning(word, ARTICLES)
    word = _without_ending(_without_ending(word, _PRONOUNS), _PLURALS)
    word = next((word[:-2] for one in _WITH_N if word.endswith(one) and len(_consonants(word)) > _WHOLE), word)
    begins, ends = _BROKEN
    if word.startswith(begins) and word.endswith(ends):
        word = word[len(begins) : -len(ends)]
    return _without_beginning(word, _TENTH)


def _without_person(word: str) -> str:
    """Take off what says who does it, where enough is left."""
    shorter = word.removesuffix(_SHE)
    return shorter[1:] if shorter.startswith(_PRESENT) and len(_consonants(shorter)) > _WHOLE else shorter


def _root(word: str) -> str:
    """The consonants, twins once; where there are but two, with the vowel that may be the third."""
    consonants = _consonants(word)
    if len(consonants) > _LEAST:
        return consonants[0] + "".join(b for a, b in pairwise(consonants) if a != b)
    first, last = consonants[0], consonants[1]
    if word.rindex(last) - word.index(first) > 1:
        return first + _VOWEL + last
    return (_VOWEL if word[0] in _WEAK else "") + consonants


def _without_beginning(word: str, beginnings: Iterable[str]) -> str:
    return next((word[len(one) :] for one in beginnings if word.startswith(one) and _tells(word[len(one) :])), word)


def _without_ending(word: str, endings: Iterable[str]) -> str:
    return next((word[: -len(one)] for one in endings if word.endswith(one) and _tells(word[: -len(one)])), word)


def _tells(word: str) -> bool:
    return len(_consonants(word)) >= _LEAST


def _consonants(word: str) -> str:
    return word.translate(_WITHOUT_WEAK)
