"""Whether two texts that sound alike differ in a fact: a figure, a name, an identifier, a denial, a state, a role."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from typing import Final

from bethink.text.normal import nfkc
from bethink.text.stem import stem

from .fact_words import DENIED, DENYING_ENDINGS, FILLERS, MONTHS, PIVOTS, SPELLINGS

_EDGES: Final = " \t\n.,;:!?…\"'`´‘’“”„«»()[]{}<>*=-–—|~¿¡、。「」『』"
_NUMBER = re.compile(r"[#$€£v]?([0-9]+(?:[.,:][0-9]+)*)(?:st|nd|rd|th)?([a-zµ]*)[%$€£]?")
_THOUSANDS = re.compile(r",(?=[0-9]{3}(?![0-9]))")
_ISO_DATE = re.compile(r"([0-9]{4})-(0[1-9]|1[0-2])-([0-9]{2})")
_CLOCK = re.compile(r"(?<![0-9:.])([0-9]{1,2})(:[0-9]{2})?\s?([ap])m\b")
_KANA = re.compile("[\u3041-\u30ff]")
_JAPANESE = re.compile(r"[\u3041-\u309f]+|[^\s\u3041-\u309f、。]+")
_CLAUSE = re.compile(r"[,;:.!?]+(?:\s|$)|[、。]|\n|\b(?:and|und|y|et)\b")
_SENTENCE = re.compile(r"[;.!?]+(?:\s|$)|。|\n")
_LOOSE: Final = FILLERS - PIVOTS


def differs_in_fact(a: str, b: str) -> bool:
    """Return whether one of two texts that sound alike says something that the other does not.

    It rather says yes: two memories that could be one cost little, two facts taken for one lose one of them. What
    passes is another spelling, another order of clauses, filler, and near synonyms of a short list.
    """
    if a == b:
        return False
    left, right = _plain(a), _plain(b)
    first, second = _words(left), _words(right)
    if first.count(DENIED) != second.count(DENIED) or ("?" in left) != ("?" in right):
        return True
    if first == second:
        return False
    only_first, only_second = _telling(set(first).difference(second)), _telling(set(second).difference(first))
    if only_first.keys() != only_second.keys():
        return True
    return _turned_round(left, right, {only_second[root]: only_first[root] for root in only_first})


def _plain(text: str) -> str:
    text = (text if text.isascii() else nfkc(text).replace("’", "'")).lower()
    return _CLOCK.sub(_on_24_hours, text)


def _on_24_hours(found: re.Match[str]) -> str:
    hour, minutes, half = found.groups()
    return f"{int(hour) % 12 + (12 if half == 'p' else 0)}{minutes or ':00'}"


def _words(text: str) -> list[str]:
    """Return the words of a plain text in order, each in the spelling under which it is compared."""
    japanese = not text.isascii() and _KANA.search(text)
    words: list[str] = []
    for piece in _JAPANESE.findall(text) if japanese else text.split():
        word = piece.strip(_EDGES)
        if word in SPELLINGS:
            words.append(SPELLINGS[word])
        elif word.isascii() and word.isalpha():
            words.append(word)
        elif word:
            words += _spelled_out(word)
    return words


def _spelled_out(word: str) -> list[str]:
    if number := _NUMBER.fullmatch(word):
        return _number(number[1], number[2])
    if date := _ISO_DATE.fullmatch(word):
        return [date[1], MONTHS[int(date[2]) - 1], *_number(date[3], "")]
    if word.endswith(DENYING_ENDINGS):
        return [DENIED]
    bare = word.removesuffix("'s")
    return [SPELLINGS.get(bare, bare)]


def _number(digits: str, suffix: str) -> list[str]:
    digits = _THOUSANDS.sub("", digits)
    if digits[0] == "0" and digits[1:2].isdigit():
        digits = digits[1:]
    if suffix == "k":
        return [digits + "000"]
    if suffix and suffix not in SPELLINGS:
        return [digits + suffix]
    return [digits, SPELLINGS[suffix]] if suffix else [digits]


def _telling(words: Iterable[str]) -> dict[str, str]:
    """Return the words that are more than grammar, by their roots."""
    return {_root(word): word for word in words if word not in FILLERS}


def _root(word: str) -> str:
    """Return what inflections share, but keep the past apart: `we used it` is not `we use it`."""
    if not word.isalpha() or word.endswith("ed"):
        return word
    root = stem(word)
    return root if word.startswith(root.removesuffix("i")) else word


def _turned_round(a: str, b: str, inflected: Mapping[str, str]) -> bool:
    """Whether the same words stand in an order that moving clauses does not explain: who did what to whom."""
    if _order(a, {}) == _order(b, inflected):
        return False
    return all(_parts(cut, a, {}) != _parts(cut, b, inflected) for cut in (_CLAUSE, _SENTENCE))


def _order(text: str, inflected: Mapping[str, str]) -> list[str]:
    """Return the words in order of first mention."""
    return list(dict.fromkeys(_kept(text, FILLERS, inflected)))


def _parts(cut: re.Pattern[str], text: str, inflected: Mapping[str, str]) -> list[list[str]]:
    """Return the words of each part, each part turned to begin with its least word, the parts in order."""
    parts = (_kept(part, _LOOSE, inflected) for part in cut.split(text))
    return sorted(_rotated(part) for part in parts if part)


def _kept(text: str, dropped: AbstractSet[str], inflected: Mapping[str, str]) -> list[str]:
    return [inflected.get(word, word) for word in _words(text) if word not in dropped]


def _rotated(part: list[str]) -> list[str]:
    start = part.index(min(part))
    return part[start:] + part[:start]
