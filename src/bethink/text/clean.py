"""Make one whole item storable: no lone surrogate, no NUL, no control characters, at any depth."""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet
from typing import TypeVar, cast

from bethink.errors import InvalidRequest

from .counts import counted

T = TypeVar("T")

DEEPEST = 64
_LONGEST_SHOWN = 40

_DIRTY = re.compile("[\x00-\x08\x0b-\x1f\ud800-\udfff]")
_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
# A return ends a line: dropping a lone one would join two words, keeping one would let a terminal overwrite a line.
_RETURN = re.compile("\r\n?")
_CONTROL = re.compile("[\x01-\x08\x0b-\x1f]")


def clean(value: T) -> tuple[T, list[str]]:
    """Return `value` with every text in it made storable, and one note for each field that changed.

    Keys of objects are cleaned too. What is clean already comes back as the same object. Apart from what the notes
    say, text is kept as written. Nesting past 64 levels is an InvalidRequest.
    """
    notes: list[str] = []
    return cast("T", _clean(value, (), notes)), notes  # the shape stays, texts remain texts


def _clean(value: object, path: tuple[str, ...], notes: list[str]) -> object:
    if isinstance(value, str):
        return _clean_text(value, path, notes)
    if not isinstance(value, (dict, list, tuple, set, frozenset)):
        return value
    if len(path) >= DEEPEST:
        raise InvalidRequest(
            f"{path[0]!r} is nested deeper than {DEEPEST} levels", hint="Flatten it, or store it as text."
        )
    if isinstance(value, dict):
        return _clean_object(value, path, notes)
    before = len(notes)
    items = [_clean(item, (*path, str(place)), notes) for place, item in enumerate(value)]
    return value if len(notes) == before else type(value)(items)


def _clean_object(value: dict[object, object], path: tuple[str, ...], notes: list[str]) -> dict[object, object]:
    before = len(notes)
    cleaned: dict[object, object] = {}
    for key, item in value.items():
        name = key
        if isinstance(key, str) and _DIRTY.search(key):
            name = _free(_clean_text(key, (*path, "key"), notes), value.keys() | cleaned.keys())
        cleaned[name] = _clean(item, (*path, str(name)), notes)
    return value if len(notes) == before else cleaned


def _free(name: str, taken: AbstractSet[object]) -> str:
    """Return a key of its own where two differ in control characters alone, so that both keep their values."""
    while name in taken:
        name += "\ufffd"
    return name


def _clean_text(text: str, path: tuple[str, ...], notes: list[str]) -> str:
    if not _DIRTY.search(text):
        return text
    text, joined = _PAIR.subn(lambda pair: _character(pair[0]), text)
    text, replaced = _UNSTORABLE.subn("\ufffd", text)
    text, returns = _RETURN.subn("\n", text)
    text, removed = _CONTROL.subn("", text)
    counts = [
        (joined, "surrogate pair joined", "surrogate pairs joined"),
        (replaced, "character replaced", "characters replaced"),
        (returns, "line ending changed", "line endings changed"),
        (removed, "control character removed", "control characters removed"),
    ]
    said = [counted(count, one, many) for count, one, many in counts if count]
    notes.append(f"{_field(path)}: {', '.join(said)}")
    return text


def _character(pair: str) -> str:
    return pair.encode("utf-16-le", "surrogatepass").decode("utf-16-le")


def _field(path: tuple[str, ...]) -> str:
    return (
        ".".join(part if len(part) <= _LONGEST_SHOWN else part[: _LONGEST_SHOWN - 1] + "…" for part in path) or "text"
    )
