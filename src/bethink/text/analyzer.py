"""The one analyzer: the terms of a text for the index, the query, near matches, hints and tags."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from itertools import pairwise

from . import fold, identifiers
from .graphemes import clusters
from .stopwords import STOP_WORDS

VERSION = 1  # of the terms: an index made by another version must be rebuilt

_LONGEST_CACHED = 48
_TOKEN = re.compile(
    f"(?P<word>{identifiers.CORE})|(?P<dense>[{fold.HAN}{fold.HIRAGANA}{fold.KATAKANA}{fold.HANGUL}]+)"
    f"|(?P<unspaced>{fold.UNSPACED}+)|(?P<symbols>{fold.SYMBOL}[{fold.SYMBOL}{fold.JOINER}]*)"
)
_LONE_HAN = re.compile(f"(?<!{fold.HAN}){fold.HAN}(?!{fold.HAN})")
_SKIN_TONES = re.compile("[\U0001f3fb-\U0001f3ff]")
# None holds another of its own beginnings, so that of many that are never closed each is read to the next one alone.
_QUOTED = re.compile(r'"([^"]+)"|“([^“”]+)”|„([^„“”]+)[“”]|«([^«»]+)»|「([^「」]+)」|『([^『』]+)』')
_NOUN_WITH_PARTICLE = re.compile("(.)[은는이가을를의에로와과도만]")
_JAPANESE_FUNCTION_WORDS = frozenset(
    (
        "です",
        "ます",
        "した",
        "して",
        "する",
        "こと",
        "この",
        "その",
        "ある",
        "いる",
        "から",
        "まで",
        "など",
        "には",
        "では",
        "とは",
    )
)

_CONTRACTED = frozenset({"d", "ll", "m", "re", "s", "t", "ve"})

Grams = Callable[[list[str]], list[str]]


def analyze(text: str) -> list[str]:
    """Return the terms of `text` in order, as they are indexed."""
    return list(_terms(text, _index_grams))


def query_terms(text: str) -> list[str]:
    """Return the terms to look for, each once, without stop words unless there is nothing else."""
    every = dict.fromkeys(_terms(text, _query_grams))
    telling = [term for term in every if term not in _stop_terms()]
    return telling or list(every)


@lru_cache(maxsize=32_768)
def tells(word: str) -> bool:
    """Say whether a word tells what a text is about: not a stop word, a mark, or the end of a contraction."""
    lowered = word.lower()
    if lowered in _CONTRACTED or not any(character.isalnum() for character in word):
        return False
    return any(term not in _stop_terms() for term in analyze(lowered))


def phrases(text: str) -> list[str]:
    """Return what stands between double quotation marks, as written, without the marks."""
    found = (next(filter(None, match.groups())).strip() for match in _QUOTED.finditer(text))
    return [phrase for phrase in dict.fromkeys(found) if phrase]


@cache
def _stop_terms() -> frozenset[str]:
    return frozenset(term for word in STOP_WORDS for term in analyze(word)) | _JAPANESE_FUNCTION_WORDS


def _terms(text: str, grams: Grams) -> Iterator[str]:
    for chunk in text.split():
        yield from _chunk(chunk, grams) if len(chunk) <= _LONGEST_CACHED else _analyzed(chunk, grams)


@lru_cache(maxsize=32_768)
def _chunk(chunk: str, grams: Grams) -> tuple[str, ...]:
    return tuple(_analyzed(chunk, grams))


def _analyzed(chunk: str, grams: Grams) -> Iterator[str]:
    text = fold.fold(chunk)
    shape = fold.shape(text)
    for token in _TOKEN.finditer(shape):
        piece = text[token.start() : token.end()]
        match token.lastgroup:
            case "word":
                yield from identifiers.terms(piece)
            case "dense":
                yield from grams(list(piece))
            case "unspaced":
                yield from grams(clusters(piece))
            case _:
                yield from _symbols(piece)


def _index_grams(characters: list[str]) -> list[str]:
    """Take every character and every pair, so that words of one and of two characters are found."""
    return characters + _pairs(characters)


def _query_grams(characters: list[str]) -> list[str]:
    """Take the pairs, which tell more, and a character only where it is likely to be a word."""
    if len(characters) == 1:
        return characters
    run = "".join(characters)
    lone = [run[found.start()] for found in _LONE_HAN.finditer(fold.shape(run))]
    if noun := _NOUN_WITH_PARTICLE.fullmatch(run):
        lone.append(noun[1])
    return lone + _pairs(characters)


def _pairs(characters: list[str]) -> list[str]:
    return [left + right for left, right in pairwise(characters)]


def _symbols(run: str) -> Iterator[str]:
    """Yield each emoji sequence as a word, and each emoji in it as another."""
    for cluster in clusters(run):
        bare = [_SKIN_TONES.sub("", part) or part for part in cluster.split("\u200d") if part]
        yield from dict.fromkeys([cluster, *bare])
