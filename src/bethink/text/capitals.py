"""Names by their capitals: runs of capitalised words, but for those whose capital says only where they stand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from .language import is_frequent
from .name_words import (
    AFTER_A_SUBJECT,
    BEFORE_A_PERSON,
    BEFORE_A_PLACE,
    KNOWN,
    NOT_AT_THE_HEAD,
    NOT_NAMES,
    PERSON_VERBS,
    SORT_BY_WORD,
    TELLTALE_ENDINGS,
    TITLES,
)
from .sorts import CONCEPT, PERSON

_JOINING: Final = frozenset(("of", "de", "la", "van", "von", "der", "den", "da", "di", "del", "du", "bin", "al"))
_LONGEST_NAME: Final = 5
_LONGEST_ACRONYM: Final = 6
_A_HEADING: Final = 4
_LONG_FOR_A_NAME: Final = 6
_SHARE_OF_CAPITALS: Final = 0.75
_APOSTROPHES: Final = ("'s", "’s", "'", "’")
_CONTRACTED: Final = tuple(f"{mark}{end}" for mark in "'’" for end in ("ve", "ll", "re", "d", "m", "t", "all"))
# In these languages every noun has a capital.
_CAPITAL_NOUNS: Final = frozenset({"de", "lb"})

PLAIN, CAPITAL, ACRONYM, MIXED = range(4)


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a text with what its marks tell: whether a name breaks off after it, whether a sentence ends."""

    core: str
    form: int
    breaks: bool
    ends: bool = False
    label: bool = False
    opens: bool = False


BREAK: Final = Word("", PLAIN, breaks=True)


@dataclass(frozen=True, slots=True)
class _Run:
    """A run of words with capitals, between which nothing breaks off, and what stands around it."""

    words: tuple[str, ...]
    at_head: bool
    before: str
    after: str
    owns: bool
    label: bool


def names(lines: Sequence[Sequence[Word]], language: str | None) -> Iterator[tuple[str, str]]:
    """Return the names among the words of lines, with what sort of thing each stands for, in order."""
    joining = frozenset[str]() if language in _CAPITAL_NOUNS else _JOINING
    runs = [run for line in lines for run in _runs(_unheaded(line), joining)]
    sure = {word for run in runs if not run.at_head for word in run.words}
    labels = Counter(" ".join(run.words) for run in runs if run.label)
    for place, run in enumerate(runs):
        spoken = run.label and (place == 0 or labels[" ".join(run.words)] > 1)
        if spoken and run.words[0].lower() not in NOT_AT_THE_HEAD:
            yield " ".join(run.words), PERSON
        elif found := _name(run, sure, language):
            yield found


def form(core: str) -> int:
    """Return what the capitals of a word tell: no name, one at its head, nothing else, or an inner one or a digit."""
    if core.islower() or not core:
        return PLAIN
    return _form(core)


def _unheaded(line: Sequence[Word]) -> Sequence[Word]:
    """Return a line, but of a heading, where all words have capitals, those alone that are names by their form."""
    written = [word.core for word in line if word.core and _lowered(word.core) not in NOT_NAMES]
    capital = sum(core[0].isupper() for core in written)
    if len(written) > 1 and all(map(str.isupper, written)):
        return [word if word.core.lower() in KNOWN else BREAK for word in line]
    few = len(written) < _A_HEADING or capital < _SHARE_OF_CAPITALS * len(written)
    if few or any(word.ends and not word.label for word in line):
        return line
    return [word if word.core.lower() in KNOWN or word.form == MIXED else BREAK for word in line]


def _runs(line: Sequence[Word], joining: frozenset[str]) -> Iterator[_Run]:
    start, head = 0, True
    capitals = [place for place, word in enumerate(line) if word.form != PLAIN]
    for place in capitals:
        if place < start:
            continue
        head = _heads(line, start, place, head=head)
        stop = _end_of_run(line, place, joining)
        last = line[stop - 1]
        cores = [word.core for word in line[place:stop]]
        cores[-1] = _bare(last.core)
        yield _Run(
            words=tuple(cores),
            at_head=head or line[place].opens,
            before=line[place - 1].core.lower() if place and not line[place - 1].breaks else "",
            after=line[stop].core.lower() if stop < len(line) and not last.breaks else "",
            owns=last.core != cores[-1],
            label=last.label and place == 0,
        )
        start, head = stop, last.ends


def _heads(line: Sequence[Word], start: int, place: int, *, head: bool) -> bool:
    """Whether the word at `place` heads a sentence, if the one at `start` does."""
    if place == start:
        return head
    return line[place - 1].ends or (head and not any(word.core for word in line[start:place]))


def _end_of_run(line: Sequence[Word], start: int, joining: frozenset[str]) -> int:
    """Where the run ends that starts here."""
    place = start
    while place < len(line) and place - start < _LONGEST_NAME:
        word = line[place]
        if word.form == PLAIN:
            joins = word.core in joining and not word.breaks
            if not (joins and place + 1 < len(line) and line[place + 1].form != PLAIN):
                return place
        place += 1
        if word.breaks or word.core.endswith(_APOSTROPHES):
            return place
    return place


def _name(run: _Run, sure: set[str], language: str | None) -> tuple[str, str] | None:
    words, at_head = _trimmed(run, sure, language)
    if not words:
        return None
    titled = run.before in TITLES or words[0].lower() in TITLES
    if words[0].lower() in TITLES:
        words = words[1:]
    if not words or not (titled or len(words) > 1 or _is_name(words[0], run, sure, language, at_head=at_head)):
        return None
    if len(words) > 1 and not titled and not _hangs_together(words, at_head=at_head, language=language):
        return None
    return " ".join(words), PERSON if titled else _sort(words, run)


def _trimmed(run: _Run, sure: set[str], language: str | None) -> tuple[tuple[str, ...], bool]:
    """A run without the words at its ends that belong to no name; the next word heads no sentence any more."""
    words, at_head = run.words, run.at_head
    while words and _is_no_part(words, sure, language, at_head=at_head):
        words, at_head = words[1:], False
        while words and words[0] in _JOINING:
            words = words[1:]
    while words and (_lowered(words[-1]) in NOT_NAMES or words[-1] in _JOINING):
        words = words[:-1]
    return words, at_head


def _is_no_part(words: tuple[str, ...], sure: set[str], language: str | None, *, at_head: bool) -> bool:
    lowered = _lowered(words[0])
    if lowered in NOT_NAMES:
        return True
    if not at_head or lowered in KNOWN or words[0] in sure:
        return False
    if lowered in NOT_AT_THE_HEAD or is_frequent(lowered, language):
        return True
    # Before a name at the head of a sentence stands a word that has its capital from there: Upgraded Redis, Ayer María.
    return len(words) > 1 and (language not in ("en", None) or _is_telltale(lowered))


def _is_name(word: str, run: _Run, sure: set[str], language: str | None, *, at_head: bool) -> bool:
    lowered, form = _lowered(word), _form(word)
    if len(word) == 1 or lowered.partition("-")[0] in NOT_NAMES:
        return False
    if lowered in KNOWN or form in (MIXED, ACRONYM):
        return True
    if language in _CAPITAL_NOUNS:
        return False
    if not at_head:
        return True
    if lowered in NOT_AT_THE_HEAD or _is_telltale(lowered):
        return False
    return word in sure or run.owns or run.after in AFTER_A_SUBJECT


def _hangs_together(words: tuple[str, ...], *, at_head: bool, language: str | None) -> bool:
    """Whether several words make one name: where nouns have capitals, an article before one makes none."""
    return language not in _CAPITAL_NOUNS or not at_head or any(_form(word) != CAPITAL for word in words)


def _sort(words: tuple[str, ...], run: _Run) -> str:
    first, last = words[0].lower(), words[-1].lower()
    own = KNOWN.get(" ".join(words).lower()) or (_sort_of(last) or _sort_of(first) if len(words) > 1 else None)
    if own or first in KNOWN:
        return own or KNOWN[first]
    if run.after in PERSON_VERBS or run.before in BEFORE_A_PERSON:
        return PERSON
    if not run.owns and (behind := _sort_of(run.after)):
        return behind
    if run.before in _BEFORE:
        return SORT_BY_WORD[run.before]
    return "place" if run.before in BEFORE_A_PLACE and _form(words[0]) == CAPITAL else CONCEPT


def _sort_of(word: str) -> str | None:
    return SORT_BY_WORD.get(word)


_BEFORE: Final = frozenset({"team", "project", "service", "repo", "repository", "app", "company"})


def _is_telltale(lowered: str) -> bool:
    if lowered in SORT_BY_WORD:
        return False
    return lowered.endswith(TELLTALE_ENDINGS) or (lowered.endswith("ed") and len(lowered) >= _LONG_FOR_A_NAME)


def _lowered(word: str) -> str:
    return word.lower().replace("'", "").replace("’", "")


def _bare(core: str) -> str:
    return next((core.removesuffix(mark) for mark in _APOSTROPHES if core.endswith(mark)), core)


@lru_cache(maxsize=16_384)
def _form(core: str) -> int:
    """What the capitals of a word tell: none at all, one at the head, nothing else, or an inner one or a digit."""
    bare = _bare(core)
    if bare.endswith(_CONTRACTED):
        return PLAIN
    letters = bare.replace("-", "").replace("'", "").replace("’", "").replace(".", "")
    if not letters or not letters[0].isalpha() or not letters.isalnum():
        return PLAIN
    if letters.isupper():
        return ACRONYM if 1 < len(letters) <= _LONGEST_ACRONYM else CAPITAL if len(letters) == 1 else PLAIN
    if letters == letters.lower():
        return PLAIN
    parts = [part for part in bare.replace("’", "-").replace("'", "-").replace(".", "-").split("-") if part]
    if all(part[0].isupper() and part[1:] == part[1:].lower() and part.isalpha() for part in parts):
        return CAPITAL
    return MIXED if letters[0].isupper() or letters.lower() in KNOWN else PLAIN
