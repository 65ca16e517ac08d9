"""The one analyzer: the terms of a text for the index, the query, near matches, hints and tags."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import chain, pairwise

from . import fold, forms, identifiers
from .graphemes import clusters
from .stopwords import JOINING, JOINING_OR_NAMES, OF_SCRIPT, STOP_WORDS

VERSION = 4  # of the terms: an index made by another version must be rebuilt

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
# At the end of a longer Korean word: a particle, or what turns a statement into a question.
_KOREAN_ENDING = re.compile(
    "(?<=..)(?:에서는|에서|에게|으로는|으로|까지|부터|하고|처럼|보다|에는|이랑|은|는|이|가|을|를|의|에|로|와|과|도|만)$"
    "|(?<=.)(?:습니까|습니다|입니까|입니다|인가요|었나요|았나요|했나요|하나요|되나요|나요|까요|어요|아요|해요|네요|지요|죠)$"
)
# What only asks, or joins: a question is looked up without it.
_ASKING = re.compile(
    "(?:ている|てある|ており|ました|ません|ます|でした|です)(?:か|よ|ね)?"
    "|どこ|いつ|だれ|誰|なに|何|どれ|どの|どんな|どう(?:して|やって)?|なぜ|ください|いくつ|いくら"
    "|会不会|是不是|有没有|能不能|要不要|什么时候|什么|甚麼|什麼|哪里|哪裡|哪儿|哪个|哪種|哪种|哪|为什么|为何|為何|怎么样|怎么|怎麼|怎样|多少|几|谁|誰|我们|你们|他们|吗|嗎|呢"
    "|무엇을|무엇이|무엇|무슨|어디에서|어디에|어디|언제|누구|누가|얼마나|어떻게|어떤|어느"
    "|อะไร|ที่ไหน|ไหน|เมื่อไหร่|เมื่อไร|เมื่อใด|อย่างไร|ยังไง|ทำไม|เหตุใด|ใคร|หรือเปล่า|หรือไม่|เท่าไหร่|เท่าไร|กี่"
)
_ROOT = 0.5  # of a word
# Of the pairs of an unspaced run about half are words.
_UNSURE_PAIR = 0.25
_KANA_PARTICLES = "はがをにへとでもの"
# Pairs of a word and a particle, or of what only inflects.
_JOINING = re.compile(
    f"[{_KANA_PARTICLES}][^ぁ-ゖ]|[^ぁ-ゖ][{_KANA_PARTICLES}っ]|っ[たて]|[った][^ぁ-ゖ]|たの|たか|のか|した|して|する"
)
# Between two Han of a Japanese compound the end of the first word is as often left out as written: 引っ越し, 引越.
_CLOSED_UP = re.compile("(?=([一-鿿々])[いきぎしじちびみりえけげせぜてべめれっ]([一-鿿々]))")
_PARTICLES = frozenset(_KANA_PARTICLES + "やかね的了吗嗎呢吧着")

_NAMES = frozenset(JOINING_OR_NAMES.split())
_LONGEST_JOINING = 24
_MARKS = ".,:;!?\"'()¿¡؟،؛।。、「」…"
_CONTRACTED = frozenset({"d", "ll", "m", "re", "s", "t", "ve"})

Grams = Callable[[list[str]], list[str]]


def analyze(text: str) -> list[str]:
    """Return the terms of `text` in order, as they are indexed."""
    return list(_terms(text, _index_grams))


def query_terms(text: str) -> list[str]:
    """Return the terms to look for, each once, without stop words unless there is nothing else.

    A particle is a word of no question: it stands in nearly every text of its language.
    """
    if _only_joins(text):
        return []
    every = [term for term in dict.fromkeys(_terms(text, _query_grams)) if term not in _PARTICLES]
    anyway, here = _stop_terms(), _stop_terms_of(forms.stop_words(text))
    return [term for term in every if term not in anyway and term not in here] or every


def _only_joins(text: str) -> bool:
    """Whether a question is of nothing but particles; what is in capitals may be a name: MIT."""
    if len(text) > _LONGEST_JOINING or (text.isascii() and text.isupper()):
        return False
    words = [word.strip(_MARKS) for word in fold.fold(text).casefold().split()]
    if len(words) == 1 and words[0] in _NAMES:
        return False
    return bool(words) and all(word in _joining() for word in words)


@cache
def _joining() -> frozenset[str]:
    return frozenset(fold.fold(JOINING).casefold().split())


@dataclass(frozen=True, slots=True)
class Further:
    """What a question is looked up by beside its terms.

    `forms` are what else finds a term; `parts` are terms too, of what may be compounds, the first of their forms;
    `unsure` says of a term that may be no word what share of one it counts for where no memory holds it.
    """

    forms: dict[str, tuple[str, ...]]
    parts: tuple[str, ...]
    unsure: dict[str, float]


def further(text: str, terms: Sequence[str]) -> Further:
    """Return what else a question is looked up by, of those of its terms that are."""
    found: dict[str, tuple[str, ...]] = {}
    parts: dict[str, tuple[str, ...]] = {}
    for word, others in forms.alike(text).items():
        term, *more = analyze(word) or [""]
        if term in terms and term not in found and not more:
            found[term] = others.stems
            parts |= {ends[0]: ends[1:] for ends in (others.heads, others.tails) if ends}
    unsure = dict.fromkeys(filter(_is_pair, terms), _UNSURE_PAIR) | dict.fromkeys(parts, 0.0)
    return Further(found | parts, tuple(parts), unsure)


def index_terms(text: str, language: str | None = None) -> Mapping[str, float]:
    """Return the terms by which a text is found and how often it has each; `language` is what it is said to be in.

    A root counts for less than a word, so that the word itself is found first.
    """
    counts = Counter(chain(analyze(text), forms.forms(text, language)))
    if not (roots := forms.roots(text)):
        return counts
    return {**counts, **{root: count * _ROOT for root, count in Counter(roots).items()}}


def length(terms: Mapping[str, int]) -> int:
    """Return how long a text with these weighted terms is: further forms of its words make it no longer."""
    return sum(weight for term, weight in terms.items() if forms.MARK not in term)


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
    return _stop_terms_of(STOP_WORDS.union(OF_SCRIPT.split()))


@lru_cache
def _stop_terms_of(words: frozenset[str]) -> frozenset[str]:
    return frozenset(term for word in words for term in analyze(word))


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
    return characters + _pairs(characters) + _closed_up("".join(characters))


def _query_grams(characters: list[str]) -> list[str]:
    """Take the pairs, which tell more, and a character only where it is likely to be a word."""
    if len(characters) == 1:
        return characters
    run = "".join(characters)
    told = [part for part in _ASKING.sub(" ", run).split() if part not in _PARTICLES]
    if told and told != [run]:
        return [gram for part in told for gram in _told(clusters(part) if len(characters) != len(run) else list(part))]
    return _told(characters)


def _told(characters: list[str]) -> list[str]:
    if len(characters) == 1:
        return characters
    run = "".join(characters)
    lone = [run[found.start()] for found in _LONE_HAN.finditer(fold.shape(run))]
    if noun := _NOUN_WITH_PARTICLE.fullmatch(run):
        lone.append(noun[1])
    stem = _KOREAN_ENDING.sub("", run)
    pairs = _pairs(characters if len(characters) != len(run) else list(stem))
    found = lone + [pair for pair in pairs if not _JOINING.fullmatch(pair)] + _closed_up(run)
    return found or pairs


def _pairs(characters: list[str]) -> list[str]:
    return [left + right for left, right in pairwise(characters)]


def _closed_up(run: str) -> list[str]:
    return [left + right for left, right in _CLOSED_UP.findall(run)]


def _is_pair(term: str) -> bool:
    """Whether a term is two neighbours of an unspaced run, which may be of two words."""
    return not term.isascii() and fold.shape(term)[0] in fold.DENSE and len(clusters(term)) > 1


def _symbols(run: str) -> Iterator[str]:
    """Yield each emoji sequence as a word, and each emoji in it as another."""
    for cluster in clusters(run):
        bare = [_SKIN_TONES.sub("", part) or part for part in cluster.split("\u200d") if part]
        yield from dict.fromkeys([cluster, *bare])
