"""What a text speaks of, without a model: people, files, code, services, places; better too little than wrong.

A word is read by its form alone where that is telling (an address, a path, an identifier), and as a part of a name by
its capitals and its neighbours. Each word is looked at a fixed number of times, so a text costs what its length says.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from . import fold
from .capitals import BREAK, Word, form, names
from .handles import Handle, handles
from .name_words import KNOWN, PLAINLY_KNOWN, TITLES
from .sorts import CONCEPT

MOST: Final = 64
LONGEST: Final = 200
_MOST_READ: Final = 200_000
_LONGEST_WORD: Final = 300
_LONGEST_CACHED: Final = 48
_FENCED: Final = re.compile(r"^[ \t]*(?:```|~~~)", re.MULTILINE)
_WIKILINK: Final = re.compile(r"\[\[([^\[\]|#\n]{1,200})(?:[|#][^\[\]\n]{0,200})?\]\]")
_TITLE: Final = re.compile(r"《([^《》\n]{1,60})》")
_EASTERN: Final = re.compile(
    r"(?P<ja>[\u30a0-\u30ff\u3400-\u9fff]{1,8}?)(?:さん|ちゃん|くん|様|先生)"
    r"|(?P<ko>[가-힣]{2,4}) ?씨(?:[가는은를의와도께]|(?![가-힣]))"
)
# What stands before a courtesy though it names nobody: everybody, a guest, a wife, a daughter, a father.
_NOBODY: Final = frozenset(("皆", "客", "奥", "娘", "息子", "お客", "神", "王", "母", "父", "兄", "姉"))
_GAP: Final = re.compile(r"[\s_-]+")
_SIGN: Final = re.compile(r"^[@#](?=[^\W\d])")
_PATHLIKE: Final = re.compile(r"[/\\:@]|\.\w")
_LATIN_RUN: Final = re.compile(r"[A-Za-z][A-Za-z0-9+#._-]*")
_OPENING: Final = "([{<\"'“”‘’«»„*`|,;"
_CLOSING: Final = ")]}>\"'“”‘’«».,;:!?…*`|。、！？"
_QUOTES: Final = frozenset("\"'“«„")
_STOPS: Final = frozenset(".!?:…。！？")


@dataclass(frozen=True, slots=True)
class Mention:
    """One thing that a text speaks of: as it is spelled, the form in which it is compared, and what sort it is."""

    spelled: str
    folded: str
    kind: str


def mentions(text: str, *, language: str | None = None) -> list[Mention]:
    """Return what `text` speaks of, each thing once, in order; of very many those that come most often."""
    found: dict[str, Mention] = {}
    counts: dict[str, int] = {}
    for spelled, kind in _found(text[:_MOST_READ], language):
        folded = fold_name(spelled)
        if not folded or len(spelled) > LONGEST:
            continue
        counts[folded] = counts.get(folded, 0) + 1
        if folded not in found or (found[folded].kind == CONCEPT != kind):
            found[folded] = Mention(spelled, folded, kind)
    kept = set(sorted(found, key=lambda folded: -counts[folded])[:MOST])
    return [mention for folded, mention in found.items() if folded in kept]


def fold_name(name: str) -> str:
    """Return the form in which names are compared: case, accents, spaces, hyphens and a leading @ or # tell nothing."""
    folded = fold.fold(_SIGN.sub("", name.strip())).casefold()
    if not _PATHLIKE.search(folded):
        folded = _GAP.sub(" ", folded)
    return folded.removesuffix("'s").strip()[:LONGEST]


def _found(text: str, language: str | None) -> Iterator[tuple[str, str]]:
    if "`" in text or "~~~" in text:
        text = "".join(_FENCED.split(text)[::2])
    if "[[" in text:
        yield from ((link[1].strip(), CONCEPT) for link in _WIKILINK.finditer(text))
        text = _WIKILINK.sub(" ", text)
    lines = []
    for line in text.splitlines():
        words: list[Word] = []
        for raw in line.split():
            for part in _parsed(raw) if len(raw) <= _LONGEST_CACHED else _read(raw):
                if isinstance(part, Handle):
                    yield part
                    words.append(BREAK)
                else:
                    words.append(part)
        lines.append(words)
    yield from names(lines, language)
    if not text.isascii():
        yield from _eastern(text)


@lru_cache(maxsize=32_768)
def _parsed(raw: str) -> tuple[Word | Handle, ...]:
    return _read(raw)


def _read(raw: str) -> tuple[Word | Handle, ...]:
    """What a word between blanks is: a part of names, or what tells by its form what it is."""
    if len(raw) > _LONGEST_WORD:
        return (BREAK,)
    whole = raw.lstrip(_OPENING)
    core = whole.rstrip(_CLOSING).removesuffix("(")
    if core.isalpha() and (core.islower() or core[1:].islower()) and core.isascii():
        return (Handle(core, KNOWN[core]),) if core in PLAINLY_KNOWN else (_word(core, raw, whole),)
    if not core.isascii() and any(c in fold.DENSE for c in fold.shape(core)):
        return tuple(_western(core))
    called = f"{core}()"
    return handles(called if whole.startswith(called) else core) or (_word(core, raw, whole),)


def _word(core: str, raw: str, whole: str) -> Word:
    behind = whole[len(core) :]
    if behind == "." and (len(core) == 1 or core.lower() in TITLES):  # short for something, and a name goes on
        behind = ""
    return Word(
        core,
        form(core),
        breaks=bool(behind),
        ends=not _STOPS.isdisjoint(behind),
        label=behind == ":",
        opens=raw[:1] in _QUOTES,
    )


def _western(core: str) -> Iterator[Word | Handle]:
    """The Latin words within a text that leaves no spaces: their capitals are not those of a sentence's head."""
    for run in _LATIN_RUN.findall(core):
        word = run.rstrip("._-")
        yield BREAK
        yield from handles(word) or (Word(word, form(word), breaks=True),)


def _eastern(text: str) -> Iterator[tuple[str, str]]:
    for found in _EASTERN.finditer(text):
        name = found["ja"] or found["ko"]
        if name not in _NOBODY:
            yield name, "person"
    yield from ((title[1], "product") for title in _TITLE.finditer(text))
