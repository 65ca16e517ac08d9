"""The sentences of memories that say most about a question. Pure: values in, values out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from bethink.text.analyzer import analyze
from bethink.text.graphemes import floor
from bethink.text.sentences import Span, sentences

# Beside how well its memory answers, what a sentence is chosen by: the question's words in it, its nearness in meaning;
# then what a memory's second sentence counts of its own score. Chosen on LoCoMo: docs/design/decisions/0014.
WORDS: Final = 0.1
MEANING: Final = 0.1
REPEATED: Final = 0.5
_OF_TITLE: Final = 0.5
_SHORTEST: Final = 20
_LONGEST: Final = 400
_MOST_READ: Final = 300
_MOST_OF_ONE: Final = 2
_PROMISING_OF_ONE: Final = 3
_SAME: Final = 0.8


@dataclass(frozen=True, slots=True)
class Passage:
    """A part of a memory, between two offsets of its text, with the score by which it is chosen."""

    memory: str
    start: int
    end: int
    text: str
    terms: frozenset[str]
    score: float


@dataclass(frozen=True, slots=True)
class Sought:
    """The terms of a question, each with how much it tells."""

    rarity: Mapping[str, float]

    def share(self, terms: frozenset[str], others: frozenset[str]) -> float:
        """Return the share of the question, 0..1, that stands in `terms`; what stands in `others` alone counts half."""
        whole = sum(self.rarity.values())
        held = sum(value for term, value in self.rarity.items() if term in terms)
        beside = sum(value for term, value in self.rarity.items() if term in others and term not in terms)
        return (held + _OF_TITLE * beside) / whole if whole else 0.0


def passages(memory: str, title: str, content: str, relevance: float, sought: Sought) -> list[Passage]:
    """Return the sentences of one memory, scored by its relevance and by the question's words in them."""
    titled = frozenset(analyze(title))
    return [
        Passage(memory, start, end, text, terms, relevance + WORDS * sought.share(terms, titled))
        for start, end in _worth_reading(content, sought)
        if (terms := frozenset(analyze(text := content[start:end])))
    ]


def promising(found: Sequence[Passage], most: int) -> list[Passage]:
    """Return the passages that are worth a closer look: a few of each memory, the best of all."""
    kept: list[Passage] = []
    held: Counter[str] = Counter()
    for passage in sorted(found, key=_order):
        if held[passage.memory] < _PROMISING_OF_ONE:
            held[passage.memory] += 1
            kept.append(passage)
    return kept[:most]


def best(found: Sequence[Passage], most: int) -> list[Passage]:
    """Return the best passages, best first, none that repeats another; a memory's second sentence counts half."""
    left, chosen = list(found), list[Passage]()
    held: Counter[str] = Counter()
    while left and len(chosen) < most:
        passage = min(left, key=lambda p: _order(replace(p, score=p.score * REPEATED ** held[p.memory])))
        left.remove(passage)
        if held[passage.memory] < _MOST_OF_ONE and not any(_alike(passage.terms, other.terms) for other in chosen):
            chosen.append(passage)
            held[passage.memory] += 1
    return chosen


def _order(passage: Passage) -> tuple[float, str, int]:
    return -passage.score, passage.memory, passage.start


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    return len(one & other) >= _SAME * len(one | other)


def _worth_reading(content: str, sought: Sought) -> list[Span]:
    """The sentences of a text; of very many those in which most of the question's words are spelt out, in order."""
    spans = [piece for span in sentences(content, _SHORTEST) for piece in _pieces(content, span)]
    if len(spans) <= _MOST_READ:
        return spans
    folded = [content[start:end].casefold() for start, end in spans]
    spelt = [sum(term in text for term in sought.rarity) for text in folded]
    most = sorted(range(len(spans)), key=lambda place: (-spelt[place], place))[:_MOST_READ]
    return [spans[place] for place in sorted(most)]


def _pieces(content: str, span: Span) -> Iterator[Span]:
    """Cut what goes on for too long without an end, between words where there are any."""
    start, end = span
    while end - start > _LONGEST:
        gap = content.rfind(" ", start + _LONGEST // 2, start + _LONGEST)
        cut = gap + 1 if gap >= 0 else floor(content, start + _LONGEST)
        cut = cut if cut > start else start + _LONGEST  # a single character of very many marks
        yield start, cut
        start = cut
    yield start, end
