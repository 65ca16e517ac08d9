"""Ids as callers write them: whole, or a tail that is unique within reach."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bethink.errors import Conflict, InvalidRequest, NotFound
from bethink.storage.protocol import Reader, Selection

_ID = re.compile(r"[0-9a-fA-F-]{6,36}")


def resolve_all(reader: Reader, texts: Sequence[str], selection: Selection) -> tuple[list[str], list[str]]:
    """Return the ids that `texts` mean, in order and once each, and the texts that mean none."""
    found: dict[str, None] = {}
    missing: dict[str, None] = {}
    for text in texts:
        ids = matching(reader, text, selection)
        if len(ids) > 1:
            raise Conflict(f"{text!r} means {len(ids)} memories", hint=f"Give more digits: {', '.join(ids)}.")
        if ids:
            found[ids[0]] = None
        else:
            missing[text] = None
    return list(found), list(missing)


def resolve_one(reader: Reader, text: str, selection: Selection) -> str:
    """Return the id that `text` means; an unknown one and one out of reach are the same error."""
    found, _ = resolve_all(reader, [text], selection)
    if not found:
        raise absent(text)
    return found[0]


def matching(reader: Reader, text: str, selection: Selection) -> list[str]:
    """Return every id within reach that `text` may mean."""
    if not _ID.fullmatch(text.strip()):
        raise InvalidRequest(
            f"{text[:80]!r} is not an id", hint="Give an id, or a tail of at least 6 hex digits of one."
        )
    return reader.resolve(text.strip(), selection)


def absent(text: str) -> NotFound:
    """Return the one error for an id that is not within reach."""
    return NotFound(f"no memory {text!r} in reach", hint="Recall or list to find its id.")
