"""What a question quotes must stand in the answer: a test that stays cheap over thousands of texts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import takewhile
from typing import Final

from bethink.text import fold
from bethink.text.analyzer import analyze, phrases

_MOST_PHRASES: Final = 16
_MOST_WORDS: Final = 32
_EDGES: Final = ".,;:!?()[]{}…"
_BETWEEN: Final = r"[\W_]*"
_INFLECTED: Final = r"[^\W_]{0,6}"
_SHORTEST_INFLECTED: Final = 4
_LONGEST_AROUND: Final = 80


@dataclass(frozen=True, slots=True)
class Phrase:
    """A quoted phrase: as it is written, and where it may stand in other forms of its words, which are then compared.

    `required` are terms that the keyword index has of every memory which holds the phrase.
    """

    literal: re.Pattern[str]
    loose: re.Pattern[str]
    terms: str
    required: tuple[str, ...]

    def stands_in(self, text: str) -> bool:
        """Say whether a text holds the phrase, whatever the case, accents and inflections."""
        folded = fold.fold(text)
        if self.literal.search(folded):
            return True
        return any(self.terms in _terms(_whole(folded, *found.span())) for found in self.loose.finditer(folded))


def quoted(query: str) -> tuple[tuple[Phrase, ...], tuple[str, ...]]:
    """Return the phrases that a question quotes, the longest where there are many, and notes on what was left out."""
    found = phrases(query)
    kept = sorted(found, key=lambda phrase: (-len(phrase), phrase))[:_MOST_PHRASES]
    notes = []
    if len(kept) < len(found):
        notes.append(f"the query quotes {len(found):,} phrases; the {_MOST_PHRASES} longest were asked for")
    if any(len(phrase.split()) > _MOST_WORDS for phrase in kept):
        notes.append(f"of a longer quotation the first {_MOST_WORDS} words were compared")
    return tuple(_phrase(words) for phrase in kept if (words := _words(phrase))), tuple(notes)


def _words(phrase: str) -> list[str]:
    words = (word.strip(_EDGES) for word in fold.fold(phrase).split()[:_MOST_WORDS])
    return [word for word in words if word]


def _phrase(words: list[str]) -> Phrase:
    literal = r"\W+".join(map(re.escape, words))
    edges = (_edge(words[0][0], "(?<!\\w)"), _edge(words[-1][-1], "(?!\\w)"))
    loose = _BETWEEN.join(map(_beginning, words))
    return Phrase(
        re.compile(f"{edges[0]}{literal}{edges[1]}", re.IGNORECASE),
        re.compile(loose, re.IGNORECASE),
        _terms(" ".join(words)),
        tuple(dict.fromkeys(term for word in words if _is_plain(word) for term in analyze(word))),
    )


def _is_plain(word: str) -> bool:
    """Of a name with parts the index may know a longer one, in which it stands."""
    return word.isalpha() and (len(analyze(word)) == 1 or not word.isascii())


def _edge(character: str, boundary: str) -> str:
    """A word ends where its letters do, but in scripts that write no spaces anywhere, and a mark ends by itself."""
    return boundary if character.isalnum() and fold.shape(character) not in fold.DENSE else ""


def _beginning(word: str) -> str:
    """What the forms of a word have in common, and how they may go on."""
    if not (word.isascii() and word.isalpha() and len(word) >= _SHORTEST_INFLECTED):
        return re.escape(word)
    forms = zip(word.lower(), *analyze(word), strict=False)
    shared = "".join(letters[0] for letters in takewhile(lambda letters: len(set(letters)) == 1, forms))
    return re.escape(shared or word) + _INFLECTED


def _whole(text: str, start: int, stop: int) -> str:
    """Read a span to the next space on either side, so that its parts are told as they were when it was indexed."""
    before, after = text[max(start - _LONGEST_AROUND, 0) : start], text[stop : stop + _LONGEST_AROUND]
    head = before.split()[-1] if before and not before[-1].isspace() else ""
    tail = after.split()[0] if after and not after[0].isspace() else ""
    return f"{head}{text[start:stop]}{tail}"


def _terms(text: str) -> str:
    return f" {' '.join(analyze(text))} "
