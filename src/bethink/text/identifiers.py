"""Take a word or identifier apart: the whole is one term, its parts are further ones."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from . import fold
from .scripts import stem_by_script
from .stem import stem

LONGEST_TERM = 80
_LONGEST_IDENTIFIER = 512
_SHORTEST_WORD = 3

# A word, with the joiners that can stand inside one, the prefixes of a name, and the `++` or `#` of a language.
# Of a long run of prefixes the last are enough: it tells nothing, and a whole one would be read anew at each sign.
CORE = (
    r"(?:(?<![A-Za-z0-9])(?:--|[#@.~/$_\\]{1,3}+))?"
    r"[A-Za-z0-9]+(?:(?!--|\.\.)[-._/:@&'~\\#]{1,3}[A-Za-z0-9]+)*+"
    r"(?:\+\+|#(?![A-Za-z0-9]))?"
)
_SHELL = re.compile(r"(?P<prefix>--|[#@.~/$_\\]*)(?P<body>.*?)(?P<suffix>\+\+|#)?", re.DOTALL)
_SCHEME = re.compile(r"^[A-Za-z][A-Za-z0-9+.-]*://(?:www\.)?")
_VERSION = re.compile(r"[vV]?([0-9]+(?:\.[0-9]+)+)([-+.]?[A-Za-z].*)?")
_UNJOINED = re.compile(r"(?<![0-9])[-_]+|[-_]+(?![0-9])|'")
_CAMEL = re.compile(r"[A-Z]+s?(?![a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")


def terms(core: str) -> list[str]:
    """Return the terms of one word or identifier, the whole first.

    `foo_bar.py` gives `foobar.py`, `foobar`, `foo`, `bar`, `py`: hyphens, underscores and case do not tell names apart,
    so that `getUserName` and `get_user_name` are one whole.
    """
    if core.islower() and core.isalpha():
        return [_normal(core)]
    if len(core) > _LONGEST_IDENTIFIER:
        return [_normal(part) for part in re.split(r"[^\w]+", core) if part]
    shell = _SHELL.fullmatch(core)
    if shell is None:
        return [_normal(core)]
    prefix, body, suffix = shell["prefix"], _SCHEME.sub("", shell["body"]), shell["suffix"] or ""
    found = [_normal(body), *_parts(body, 0)]
    if suffix:
        found.insert(0, body.casefold() + suffix)
    if prefix in ("--", "#", "@", ".") and not (prefix == "." and "." in body):
        found.insert(0, prefix + _normal(body))
    return [term for term in dict.fromkeys(found) if term]


def _normal(name: str) -> str:
    folded = name.casefold()
    if folded.isalpha() or fold.shape(folded).isalpha():  # the vowels of some scripts are marks
        return _word(folded)
    folded = _UNJOINED.sub("", folded.removesuffix("'s"))
    if folded.isalpha():
        return _word(folded)
    if folded[:1] == "v" and _VERSION.fullmatch(folded):
        folded = folded[1:]
    return folded[:LONGEST_TERM]


def _word(folded: str) -> str:
    if len(folded) > LONGEST_TERM:
        return folded[:LONGEST_TERM]
    return stem(folded) if folded.isascii() else stem_by_script(folded)


def _parts(text: str, level: int) -> Iterator[str]:
    if level == len(_LEVELS):
        return
    pieces = _LEVELS[level](text)
    for piece in pieces:
        if piece != text:
            yield _normal(piece)
        yield from _parts(piece, level + 1)


def _at_separators(text: str) -> list[str]:
    return [piece for piece in re.split(r"[/\\:@&~#]+", text) if piece]


def _at_dots(text: str) -> list[str]:
    version = _VERSION.fullmatch(text)
    if not version:
        return [piece for piece in text.split(".") if piece]
    numbers = version[1].split(".")
    shorter = [".".join(numbers[:count]) for count in range(len(numbers) - 1, 1, -1)]
    exact = [version[1]] if version[2] else []
    telling = [number for number in numbers if len(number) > 1] if shorter else []
    return exact + shorter + telling


def _at_hyphens(text: str) -> list[str]:
    return [piece for piece in re.split(r"[-_]+", text) if piece]


def _at_apostrophes(text: str) -> list[str]:
    """Split `l'avion`, which holds a word, but not `don't` and `Ann's`, which do not hold two."""
    if "'" not in text:
        return [text]
    pieces = text.split("'")
    words = [piece for piece in pieces if len(piece) >= _SHORTEST_WORD]
    return words if pieces[-1] in words else []


def _at_capitals(text: str) -> list[str]:
    if not text.isascii() or (text.islower() and text.isalpha()):
        return [text]
    pieces = _CAMEL.findall(text)
    return pieces if len(pieces) > 1 and min(map(len, pieces)) > 1 else [text]


_LEVELS: tuple[Callable[[str], list[str]], ...] = (
    _at_separators,
    _at_dots,
    _at_hyphens,
    _at_apostrophes,
    _at_capitals,
)
