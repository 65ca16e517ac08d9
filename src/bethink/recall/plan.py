"""Understand a question: its terms, its quoted phrases, the text whose meaning is compared."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Final

from bethink.errors import InvalidRequest
from bethink.models.protocol import Embedder
from bethink.text.analyzer import Further, further, query_terms
from bethink.text.speakers import ASKER, is_first_person

from .quoted import Phrase, quoted

# What a person asks, even with a page pasted in; an index of 100,000 characters would take longer than the search.
_MOST_READ: Final = 40_000
_MOST_TERMS: Final = 64
_MOST_WORDS: Final = 8
_WORD: Final = re.compile(r"\w{4,}")
_NAME: Final = re.compile(r"\b\w++(?:[^\w\s]\w++)+")
_MOST_EMBEDDED_CHARACTERS: Final = 4_000
_LOOSENED: Final = "no memory holds what is quoted to the letter; its words were looked up"


@dataclass(frozen=True, slots=True)
class Plan:
    """What a question asks for, by which further terms too, and what was left aside of it."""

    query: str
    terms: tuple[str, ...]
    further: Further
    phrases: tuple[Phrase, ...]
    words: tuple[str, ...]
    notes: tuple[str, ...]
    loosened: bool = False
    meant: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def is_more_than_quoted(self) -> bool:
        """Whether it asks something of what is quoted: a title, as people write one, and not a search to the letter."""
        quoted = {term for phrase in self.phrases for term in phrase.terms.split()}
        return bool(self.phrases) and not quoted.issuperset(self.terms)

    def loosen(self) -> Plan:
        """Return the same without what must stand in an answer to the letter."""
        return replace(self, phrases=(), notes=(*self.notes, _LOOSENED), loosened=True)

    def taken_for(self, forms: Mapping[str, Sequence[str]], notes: Sequence[str] = ()) -> Plan:
        """Return the same with what mistyped words may mean, by their terms."""
        meant = {term: tuple(others) for term, others in forms.items()}
        return replace(self, meant=meant, notes=(*self.notes, *notes))

    @property
    def forms(self) -> Mapping[str, tuple[str, ...]]:
        """What else finds each term."""
        return {**self.further.forms, **self.meant}

    @property
    def speakers(self) -> tuple[str, ...]:
        """Who is asked about, beside those whose names are among the terms."""
        return (ASKER,) if is_first_person(self.query) else ()

    @property
    def required(self) -> tuple[str, ...]:
        """What an answer must hold for what is quoted to stand in it."""
        return tuple(dict.fromkeys(term for phrase in self.phrases for term in phrase.required))

    @property
    def key(self) -> str:
        """What is the same for questions of the same terms, in whatever order, case and form they stand."""
        return blake2b(" ".join(sorted(self.terms)).encode(), digest_size=6).hexdigest()


def understand(query: str) -> Plan:
    """Read a question; a blank one is refused."""
    if not query.strip():
        raise InvalidRequest("query: it is blank", hint="Ask something, or use memory_list to see what is there.")
    read = query.strip()[-_MOST_READ:]
    terms = list(dict.fromkeys(query_terms(read)))
    phrases, said = quoted(read)
    notes = list(said)
    if len(read) < len(query.strip()):
        notes.append(f"the query is very long; its last {_MOST_READ:,} characters were looked up")
    if len(terms) > _MOST_TERMS:
        # Long words are the rare ones, and rare words decide.
        kept = set(sorted(terms, key=lambda t: (-len(t), t))[:_MOST_TERMS])
        notes.append(f"the query has {len(terms):,} different words; the {_MOST_TERMS} longest were looked up")
        terms = [t for t in terms if t in kept]
    return Plan(query, tuple(terms), further(read, terms), phrases, _words(read), tuple(notes))


def _words(query: str) -> tuple[str, ...]:
    """The longest words and names as they are written, in lower case, for the preview; long ones are the rare ones."""
    written = query.lower()
    found = {*_WORD.findall(written), *_NAME.findall(written)}
    return tuple(sorted(found, key=lambda word: (-len(word), word))[:_MOST_WORDS])


def meaning_of(query: str, embedder: Embedder) -> tuple[str, tuple[str, ...]]:
    """Return the part of a question that the embedder reads, its end when it is too long, and a note when it is cut."""
    end = query[-_MOST_EMBEDDED_CHARACTERS:]
    if len(end) > embedder.window:  # a token has a character at least
        starts = embedder.token_starts(end)
        end = end[starts[-embedder.window] :] if len(starts) > embedder.window else end
    cut = len(query.strip()) - len(end.strip())
    note = f"for the meaning, the first {cut:,} characters of the query were left out"
    return end, (note,) if cut > 0 else ()
