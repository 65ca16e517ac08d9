"""Ids as callers write them: whole, or a tail that is unique within reach."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from bethink.errors import Conflict, InvalidRequest, NotFound
from bethink.storage.protocol import Snapshot
from bethink.storage.values import Selection

_ID = re.compile(r"[0-9a-fA-F-]{6,36}")
SHORTEST: Final = 6
# What destroys or overwrites wants more of an id than what reads.
EXACT: Final = 8


def resolve_all(
    reader: Snapshot, texts: Sequence[str], selection: Selection, *, least: int = SHORTEST
) -> tuple[list[str], list[str]]:
    """Return the ids that `texts`, of at least so many digits, mean, in order, once each, and those that mean none."""
    found: dict[str, None] = {}
    missing: dict[str, None] = {}
    for text in texts:
        ids = matching(reader, text, selection, least=least)
        if len(ids) > 1:
            raise Conflict(f"{text!r} means {len(ids)} memories", hint=f"Give more digits: {', '.join(ids)}.")
        if ids:
            found[ids[0]] = None
        else:
            missing[text] = None
    return list(found), list(missing)


def resolve_one(reader: Snapshot, text: str, selection: Selection, *, least: int = SHORTEST) -> str:
    """Return the id that `text` means; an unknown one and one out of reach are the same error."""
    found, _ = resolve_all(reader, [text], selection, least=least)
    if not found:
        raise absent(text)
    return found[0]


def matching(reader: Snapshot, text: str, selection: Selection, *, least: int) -> list[str]:
    """Return every id within reach that `text` may mean."""
    if not _ID.fullmatch(text.strip()) or len(text.strip().replace("-", "")) < least:
        raise InvalidRequest(
            f"{text[:80]!r} is not an id", hint=f"Give an id, or a tail of at least {least} hex digits of one."
        )
    return reader.resolve(text.strip(), selection)


def absent(text: str) -> NotFound:
    """Return the one error for an id that is not within reach."""
    return NotFound(f"no memory {text!r} in reach", hint="Recall or list to find its id.")
