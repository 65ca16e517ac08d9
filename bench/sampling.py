"""A smaller set that keeps the shares of the whole."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

T = TypeVar("T")


def stratified(rows: Sequence[T], sample: int | None, seed: int, *, kind: Callable[[T], Hashable]) -> list[T]:
    """Return about `sample` rows, at least one of each kind, each kind in its share; the same for the same seed."""
    if sample is None or sample >= len(rows):
        return list(rows)
    kinds: defaultdict[Hashable, list[T]] = defaultdict(list)
    for row in rows:
        kinds[kind(row)].append(row)
    chance = random.Random(seed)  # noqa: S311  # a sample
    shares = (max(1, round(sample * len(members) / len(rows))) for members in kinds.values())
    return [row for members, share in zip(kinds.values(), shares, strict=True) for row in chance.sample(members, share)]
