"""What the inflected forms of a word share, in languages of the Latin script, in Arabic and in Hebrew.

A word alone does not tell its language, and what is right for one spoils another, so the terms of the analyzer have
English endings taken off and nothing else. Beside them a text in another language gets the stems of its words and the
parts of its compounds, marked with the language. A question is looked up in the languages that it may be in, and each
of its words counts by the best of its forms. English texts get none, and English questions ask for none.

A word of Arabic or Hebrew, whose stem is a term, has its root beside it, for plurals and verbs change what is inside.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from itertools import chain

from .compounds import parts
from .fold import fold
from .germanic import german, german_part
from .hebrew_roots import hebrew_roots
from .language import likely
from .normal import nfc
from .romance import spanish
from .roots import arabic_roots
from .semitic import arabic, joined
from .snowball import snowball
from .stopwords import OF_LANGUAGE, OF_SCRIPT
from .turkish import turkish

MARK = "·"  # never inside a term of the analyzer

_STEMMERS: Mapping[str, Callable[[str], str]] = {
    "de": german, "es": spanish, "fr": partial(snowball, "french"),
    "it": partial(snowball, "italian"), "pt": partial(snowball, "portuguese"), "nl": partial(snowball, "dutch"),
    "sv": partial(snowball, "swedish"), "da": partial(snowball, "danish"), "no": partial(snowball, "norwegian"),
    "fi": partial(snowball, "finnish"), "pl": partial(snowball, "polish"), "cs": partial(snowball, "czech"),
    "ro": partial(snowball, "romanian"), "hu": partial(snowball, "hungarian"), "tr": turkish,
}  # fmt: skip
_OF_PARTS: Mapping[str, Callable[[str], str]] = {"de": german_part}
_COMPOUNDING = frozenset({"de", "nl", "sv", "da", "no", "fi", "hu"})
_MOST_LANGUAGES = 3  # that one text has forms of
_SHORTEST, _LONGEST = 3, 60
_LETTER = "a-z\u00df-\u00f6\u00f8-\u024f"
_WORD = re.compile(rf"(?<!\w)[{_LETTER}]{{{_SHORTEST},{_LONGEST}}}+(?!\w)")
_LATIN = re.compile(f"[A-Z{_LETTER}]")
_SEMITIC = re.compile(
    rf"[\u0620-\u065f\u0670-\u06d3]{{{_SHORTEST},{_LONGEST}}}+|[\u0591-\u05c7\u05d0-\u05ea]{{{_SHORTEST},{_LONGEST}}}+"
)
_SEMITIC_LETTER = re.compile("[\u05d0-\u06d3]")
_FIRST_OF_ARABIC = "\u0600"


@dataclass(frozen=True, slots=True)
class Alike:
    """What else finds a word: its stems, and where it may be a compound the stems of its possible parts."""

    stems: tuple[str, ...]
    heads: tuple[str, ...]
    tails: tuple[str, ...]


def forms(text: str, language: str | None = None) -> list[str]:
    """Return the further terms of a text, as often as its words occur; `language` is what it is said to be in."""
    languages = _foreign(text)[:_MOST_LANGUAGES]
    if language and language in _STEMMERS and language not in languages:
        languages.append(language)
    if not languages:
        return []
    return [form for word in _words(text) for spoken in languages for form in _every(word, spoken)]


def roots(text: str) -> list[str]:
    """Return the roots of the words of a text, as often as they occur."""
    return [root for word in _semitic(text) for root in _roots(word)]


def alike(text: str) -> dict[str, Alike]:
    """Return for each word of a question what else finds it, by the word as it is written."""
    found = {word: _rooted(word) for word in _semitic(text)}
    languages = _foreign(text)
    if not languages and _LATIN.search(text) and not likely(text):
        languages = list(_STEMMERS)
    if languages:
        found |= {word: _alike(word, tuple(languages)) for word in dict.fromkeys(_words(text))}
    return found


def stop_words(text: str) -> frozenset[str]:
    """Return the words that tell nothing in the languages that a question is likely to be in, English aside."""
    return frozenset().union(*(OF_LANGUAGE[language] for language in _foreign(text)))


def _foreign(text: str) -> list[str]:
    """The likely languages, none where English is the likeliest."""
    found = likely(text) if _LATIN.search(text) else []
    return [] if found[:1] == ["en"] else [language for language in found if language in _STEMMERS]


def _words(text: str) -> list[str]:
    return _WORD.findall(nfc(text).replace("İ", "i").lower())  # lowered it would be two characters


def _semitic(text: str) -> list[str]:
    return [] if text.isascii() or not _SEMITIC_LETTER.search(text) else _SEMITIC.findall(text)


@lru_cache(maxsize=4_096)
def _rooted(word: str) -> Alike:
    joint = joined(arabic(fold(word))) if word > _FIRST_OF_ARABIC else []
    return Alike((*joint, *_roots(word)), (), ())


@lru_cache(maxsize=32_768)
def _roots(word: str) -> tuple[str, ...]:
    folded = fold(word)
    if folded in _telling_nothing():
        return ()
    return tuple(
        _marked(arabic_roots(folded), "ar") if word > _FIRST_OF_ARABIC else _marked(hebrew_roots(folded), "he")
    )


@lru_cache(maxsize=4_096)
def _alike(word: str, languages: tuple[str, ...]) -> Alike:
    stems, heads, tails = (
        tuple(dict.fromkeys(chain.from_iterable(found)))
        for found in zip(*(_forms(word, language) for language in languages), strict=True)
    )
    return Alike(stems, heads, tails)


@lru_cache(maxsize=32_768)
def _every(word: str, language: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(chain.from_iterable(_forms(word, language))))


def _forms(word: str, language: str) -> tuple[list[str], list[str], list[str]]:
    """The stems of a word, those of what it may begin with, and of what it may end with."""
    folded = fold(word).casefold()
    if not folded.isascii() or folded in _skipped(language):
        return [], [], []
    stem = _STEMMERS[language]
    stem_of_part = _OF_PARTS.get(language, stem)
    heads, tails = parts(folded) if language in _COMPOUNDING else ([], [])
    # As written and folded: endings are told by their accents, and accents are often left out.
    accented = [] if word == folded else [fold(stem(word))]
    return (
        _marked([*accented, stem(folded)], language),
        _marked(map(stem_of_part, heads), language),
        _marked(map(stem_of_part, tails), language),
    )


def _marked(stems: Iterable[str], language: str) -> list[str]:
    return [f"{stem}{MARK}{language}" for stem in dict.fromkeys(stems) if stem]


@cache
def _telling_nothing() -> frozenset[str]:
    return frozenset(fold(word) for word in OF_SCRIPT.split())


@cache
def _skipped(language: str) -> frozenset[str]:
    return frozenset(fold(word) for word in OF_LANGUAGE[language])
