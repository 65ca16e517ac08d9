"""The entities that a question names: by their names as written, in small letters too, and by a slip of one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from bethink.storage.protocol import Reader
from bethink.storage.values import Selection
from bethink.text.analyzer import analyze
from bethink.text.mentions import fold_name
from bethink.text.stopwords import STOP_WORDS
from bethink.text.typos import LEAST

from .entities import slips_of

_MOST_WORDS: Final = 48
_LONGEST_NAME: Final = 3
_MOST_SLIPS: Final = 3
_READ: Final = 2_000
_MARKS: Final = ".,;:!?\"'()[]{}<>“”‘’«»。、！？`*"


def named(reader: Reader, selection: Selection, query: str) -> list[int]:
    """Return the numbers of the entities that a question names, as far as a memory in reach holds their names."""
    words = [fold_name(word.strip(_MARKS)) for word in query[:_READ].split()[:_MOST_WORDS]]
    runs = dict.fromkeys(_runs(words))
    meant = [name for word in _strange(reader, words) for name in slips_of(reader, selection, word)]
    return reader.entities_named([*runs, *meant], selection)


def _runs(words: list[str]) -> Iterator[str]:
    for length in range(1, _LONGEST_NAME + 1):
        for at in range(len(words) - length + 1):
            run = words[at : at + length]
            if all(run) and not (length == 1 and run[0] in STOP_WORDS):
                yield " ".join(run)


def _strange(reader: Reader, words: list[str]) -> list[str]:
    """The words that no memory holds; of what none holds, a slip can be what was meant."""
    terms = {word: analyze(word) for word in words if len(word) >= LEAST and word.isalpha()}
    unknown = reader.unknown(sorted({term for own in terms.values() for term in own})) if terms else set()
    return [word for word, own in terms.items() if own and unknown.issuperset(own)][:_MOST_SLIPS]
