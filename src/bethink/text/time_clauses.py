"""What a question sets in time without naming one: which of several comes first, or before or after which event."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from typing import Final

from .fold import fold

_MOST_READ: Final = 1_200


class Order(Enum):
    """Which of what answers about as well is asked for."""

    first = "first"
    latest = "latest"


class Side(Enum):
    """On which side of an event the time asked about lies."""

    before = "before"
    after = "after"


@dataclass(frozen=True, slots=True)
class Anchor:
    """An event, in the words of the question, folded, and the side of it that is asked about."""

    side: Side
    words: str


def order_asked(text: str) -> Order | None:
    """Return the order that `text` asks for: `who first suggested it`, `the latest figures`."""
    read = _read(text)
    if re.search(_FIRST, read):
        return Order.first
    return Order.latest if re.search(_LATEST, read) else None


def anchor_asked(text: str) -> Anchor | None:
    """Return the event that `text` names a time by: `before the migration`; the caller sees that it is no date."""
    read = _read(text)
    for side, pattern in _ANCHORS:
        if match := re.search(pattern, read):
            return Anchor(side, match["words"].strip())
    return None


def _read(text: str) -> str:
    return fold(text[:_MOST_READ]).lower()


# Each is compiled at its first use. What follows a preposition ends with its clause.
_FIRST: Final = (
    r"\b(?:first|earliest|originally|initially|zuerst|zum ersten mal|anfangs|primero|por primera vez|al principio"
    r"|en premier|d'abord|pour la premiere fois)\b|最初|初めて|最早|首次|第一次"
)
_LATEST: Final = (
    r"\b(?:latest|newest|most recent|most recently|last time|currently|current|zuletzt|neueste[nrs]?|derzeit"
    r"|aktuelle?[nrs]?|mas reciente|actualmente|ultima vez|plus recente?|actuellement|la derniere fois)\b"
    r"|最新|最後に|現在|目前|最近"
)
_CLAUSE: Final = r"(?P<words>[^,;:.?!\n]{3,160})"
_BEFORE: Final = rf"\b(?:before|prior to|bevor|vor de[mnr]|antes de(?:l| que)?|avant (?:que|de|la|le|les)) {_CLAUSE}"
_AFTER: Final = (
    r"\b(?:after|since|nachdem|nach de[mnr]|seit de[mnr]|despues de(?:l| que)?|desde que|apres (?:que|la|le|les)"
    rf"|depuis (?:que|la|le|les)) {_CLAUSE}"
)
_ANCHORS: Final = (
    (Side.before, _BEFORE),
    (Side.before, r"(?P<words>[^、。，？?\s]{2,40}?)(?:の前|する前|した前|之前|以前)"),
    (Side.after, _AFTER),
    (Side.after, r"(?P<words>[^、。，？?\s]{2,40}?)(?:の後|した後|以来|之后|之後|以后|以後)"),
)
