"""Keep a result within a caller's tokens: long texts are shortened alike, and what then does not fit is left out."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

from pydantic import BaseModel

from bethink.domain import Memory, Version
from bethink.text.cut import shorten

BYTES_A_TOKEN: Final = 4
_SHORTEST: Final = 200
_BARE: Final[dict[str, Any]] = {"metadata": None, "evidence": (), "source": None, "verification_note": None}

T = TypeVar("T", Memory, Version)


@dataclass(frozen=True, slots=True)
class Fitted(Generic[T]):
    """What is shown, which places of it were shortened, and how many at the end were left out."""

    shown: list[T]
    cut: frozenset[int]
    left_out: int


def cost(value: BaseModel) -> int:
    """Return how many tokens a value takes as JSON, about."""
    return math.ceil(len(value.model_dump_json(exclude_none=True).encode()) / BYTES_A_TOKEN)


def fitted(values: Sequence[T], tokens: int, *, least: int = 1) -> Fitted[T]:
    """Return as many values as fit into `tokens`, at least so many, with contents of a length that lets them fit."""
    if sum(map(cost, values)) <= tokens:
        return Fitted(list(values), frozenset(), 0)
    slim = [_slim(value) for value in values]
    kept = max(_count(slim, tokens), least)
    room = max(tokens - sum(cost(_cut(v, 0)) for v in slim[:kept]), _SHORTEST // BYTES_A_TOKEN)
    level = _level([_size(v.content) for v in values[:kept]], room * BYTES_A_TOKEN)
    shown = [_cut(v, level) for v in slim[:kept]]
    cut = frozenset(n for n, (whole, short) in enumerate(zip(values, shown, strict=False)) if whole != short)
    return Fitted(shown, cut, len(values) - kept)


def _slim(value: T) -> T:
    """A memory whose bulky extras alone would take the place of its text goes without them."""
    if isinstance(value, Version) or cost(value.model_copy(update={"content": ""})) <= 2 * _SHORTEST:
        return value
    context = shorten(value.context, _SHORTEST) if value.context else None
    return value.model_copy(update={**_BARE, "context": context})


def _count(values: Sequence[T], tokens: int) -> int:
    """How many from the first fit when each is cut to the shortest."""
    spent = 0
    for count, value in enumerate(values):
        spent += cost(_cut(value, _SHORTEST))
        if spent > tokens:
            return count
    return len(values)


def _level(sizes: Sequence[int], room: int) -> int:
    """The length to which all are cut so that together they take `room`: what short ones leave, long ones get."""
    left, waiting = room, len(sizes)
    for size in sorted(sizes):
        if size * waiting > left:
            return left // waiting
        left, waiting = left - size, waiting - 1
    return max(sizes, default=0)


def _cut(value: T, size: int) -> T:
    """A value whose content takes at most `size` bytes, about."""
    whole = _size(value.content)
    if whole <= size:
        return value
    return value.model_copy(update={"content": shorten(value.content, len(value.content) * size // whole)})


def _size(text: str) -> int:
    return len(json.dumps(text, ensure_ascii=False).encode())
