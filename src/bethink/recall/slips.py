"""Words of a question that no memory holds, taken for the words of titles and for names that they may be slips of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from bethink.storage.protocol import Reader
from bethink.storage.values import Candidates, Question, Selection
from bethink.text.analyzer import analyze
from bethink.text.mentions import fold_name
from bethink.text.typos import LEAST, distance, is_slip

# The longest: each costs a look through the terms that begin alike.
_MOST_STRANGE: Final = 1
_MOST_MEANT: Final = 3
_MOST_TRIED: Final = 5
_LOOKED_AT: Final = 50
_LONGEST: Final = 40  # letters: what is longer is no word that somebody mistyped
_MARKS: Final = ".,;:!?\"'()[]"


@dataclass(frozen=True, slots=True)
class Meant:
    """What mistyped words were taken for: further forms of their terms, and a note for each."""

    forms: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


AS_TYPED: Final = Meant()


def meant(
    reader: Reader,
    selection: Selection,
    found: Candidates,
    *,
    forms: Mapping[str, Sequence[str]],
    words: Sequence[str],
) -> Meant:
    """Return what those of `words` may mean that no memory holds; `forms` are what else finds each term of theirs."""
    strange = _strange(reader, forms, found)
    taken_for: dict[str, tuple[str, ...]] = {}
    notes: list[str] = []
    for word, term in _typed(words, strange) if strange else ():
        taken = _nearest(term, {**_named(reader, selection, word), **_titled(reader, selection, word, term)})
        if taken:
            taken_for[term] = (*forms.get(term, ()), *taken)
            notes.append(f"{word!r} was taken for {' or '.join(map(repr, taken.values()))}")
    return Meant(taken_for, tuple(notes)) if taken_for else AS_TYPED


def _strange(reader: Reader, forms: Mapping[str, Sequence[str]], found: Candidates) -> set[str]:
    """The terms that no memory holds, in no form of theirs: they are the rarest."""
    rarest = max(found.rarity.values(), default=0.0)
    terms = [term for term, rarity in found.rarity.items() if rarity == rarest]
    unknown = reader.unknown(terms) if terms else set()
    return {term for term in unknown if len(reader.unknown(own := forms.get(term, ()))) == len(set(own))}


def _typed(words: Sequence[str], strange: set[str]) -> Iterator[tuple[str, str]]:
    """The strange words that are long enough to tell a slip, each with its term."""
    terms = [(word, analyze(word)) for word in words if LEAST <= len(word) <= _LONGEST and word.isalpha()]
    alone = [(word, own[0]) for word, own in terms if len(own) == 1 and own[0] in strange]
    return iter(alone[:_MOST_STRANGE])


def _titled(reader: Reader, selection: Selection, word: str, term: str) -> dict[str, str]:
    """The terms of words of titles in reach that `word` may be a slip of, each as a title spells it."""
    found: dict[str, str] = {}
    near = [other for other in reader.terms_like(term) if is_slip(term, other)]
    for other in sorted(near, key=lambda other: (distance(term, other), other))[:_MOST_TRIED]:
        if spelled := _spelled(_titles(reader, selection, other), word, other):
            found[other] = spelled
    return found


def _titles(reader: Reader, selection: Selection, term: str) -> list[str]:
    holding = reader.candidates(Question((term,), depth=_LOOKED_AT), selection)
    numbers = holding.numbers[holding.held > 0][:_LOOKED_AT].tolist()
    return [outline.title for outline in reader.outlines(reader.ids(numbers)).values()]


def _spelled(titles: Sequence[str], typed: str, term: str) -> str | None:
    """The first word of that term that is near as it is written too: far words may have near stems."""
    words = (word.strip(_MARKS) for title in titles for word in title.split())
    return next(
        (word for word in words if analyze(word) == [term] and is_slip(fold_name(typed), fold_name(word))), None
    )


def _named(reader: Reader, selection: Selection, word: str) -> dict[str, str]:
    """The terms of names in reach, of one word each, that `word` may be a slip of."""
    folded = fold_name(word)
    names = ((name, analyze(name)) for name in reader.names_like(folded, selection) if is_slip(folded, name))
    return {terms[0]: name for name, terms in names if len(terms) == 1}


def _nearest(term: str, found: Mapping[str, str]) -> dict[str, str]:
    """Of what may be meant the nearest; what is further off is left out."""
    away = {other: distance(term, other) for other in found}
    least = min(away.values(), default=0)
    near = sorted(other for other in found if away[other] == least)
    return {other: found[other] for other in near[:_MOST_MEANT]}
