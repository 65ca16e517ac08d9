"""Which numbers a selection admits, as far as columns say: worked out once, then mended where memories change."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bethink.storage.values import Selection

from .columns import NEVER, OPEN, Columns, Mask, is_one_of, levels

_MOST: Final = 32
_EVERYWHERE: Final = slice(None)

Numbers = NDArray[np.int64]
Where = Numbers | slice


class Masks:
    """What callers ask for again and again: a mask over all numbers would be most of the cost of a large store.

    A mask holds until some memory begins or ceases to hold by itself, which is known beforehand; what is written in the
    meantime changes it at the numbers that were written alone.
    """

    def __init__(self, columns: Columns) -> None:
        self._columns = columns
        self._kept: dict[Hashable, _Kept] = {}

    def visible(self, selection: Selection) -> Mask:
        """Say of every number whether it is alive, in reach and under the ceiling, and holds now."""
        return self._of(_reach(selection), selection, _visible, _next_begin_or_end)

    def admitted(self, selection: Selection) -> Mask:
        """Say which of those pass the other filters that the columns can decide."""
        asked = (
            *_reach(selection), selection.kinds, selection.expired, selection.since, selection.until,
            selection.equal, selection.at_least, selection.below, selection.subtypes, selection.levels,
        )  # fmt: skip
        return self._of(asked, selection, _admitted, _next_change)

    def mend(self, numbers: Numbers) -> None:
        """Work out anew what was written or has gone."""
        for kept in self._kept.values():
            kept.mend(self._columns, numbers)

    def _of(self, asked: Hashable, selection: Selection, test: Test, change: Change) -> Mask:
        kept = self._kept.pop(asked, None)
        if kept is None or not kept.holds(selection):
            columns = self._columns
            mask, until = test(columns, selection, _EVERYWHERE), change(columns, selection, _EVERYWHERE)
            kept = _Kept(selection, test, change, mask, until)
        self._kept[asked] = kept  # the last of them, so that the first is the one least asked for
        if len(self._kept) > _MOST:
            del self._kept[next(iter(self._kept))]
        kept.widen(self._columns.size)
        return kept.mask[: self._columns.size]


Test = Callable[[Columns, Selection, Where], Mask]
Change = Callable[[Columns, Selection, Where], tuple[int, int]]


@dataclass(slots=True)
class _Kept:
    """A mask, how it was worked out, and until when, of `valid_at` and of `now`, it holds by itself."""

    selection: Selection
    test: Test
    change: Change
    mask: Mask
    until: tuple[int, int]

    def holds(self, selection: Selection) -> bool:
        """Say whether nothing begins or ends between the moments it was worked out for and those asked about."""
        return (_valid_at(self.selection) <= _valid_at(selection) < self.until[0]) and (
            self.selection.now <= selection.now < self.until[1]
        )

    def mend(self, columns: Columns, numbers: Numbers) -> None:
        """Bring it up to date at some numbers."""
        self.widen(columns.size)
        self.mask[numbers] = self.test(columns, self.selection, numbers)
        (valid, now), (next_valid, next_now) = self.until, self.change(columns, self.selection, numbers)
        self.until = min(valid, next_valid), min(now, next_now)

    def widen(self, size: int) -> None:
        """Make room for numbers below `size`; of a new one nothing is known until it is mended."""
        if size > len(self.mask):
            mask = np.zeros(size * 9 // 8, np.bool_)
            mask[: len(self.mask)] = self.mask
            self.mask = mask


def _reach(selection: Selection) -> tuple[Any, ...]:
    return selection.namespaces, selection.ceiling, selection.statuses, selection.valid_at is None


def _visible(columns: Columns, selection: Selection, at: Where) -> Mask:
    keep = columns.alive[: columns.size][at] & (columns["access_level"][at] <= selection.ceiling)
    if selection.namespaces is not None:
        keep &= is_one_of(columns["namespace"][at], selection.namespaces)
    if selection.statuses:
        keep &= columns.among("status", selection.statuses, at)
    if selection.valid_at is not None:
        keep &= columns["valid_from"][at] <= selection.valid_at
        keep &= columns["valid_to"][at] > selection.valid_at
    return keep


def _admitted(columns: Columns, selection: Selection, at: Where) -> Mask:
    keep = _visible(columns, selection, at)
    if selection.kinds is not None:
        keep &= columns.among("kind", selection.kinds, at)
    if selection.expired is not None:
        keep &= (columns["expires"][at] <= selection.now) == selection.expired
    if selection.since is not None:
        keep &= columns["occurred_last"][at] >= selection.since
    if selection.until is not None:
        keep &= columns["occurred"][at] < selection.until
    for name, value in selection.equal:
        keep &= columns[name][at] == columns.code(name, value)
    for name, bound in selection.at_least:
        keep &= columns[name][at] >= bound
    for name, bound in selection.below:
        keep &= (columns[name][at] < bound) & (columns[name][at] != NEVER)
    if selection.subtypes:
        keep &= columns.among("subtype", selection.subtypes, at)
    if selection.levels is not None:
        keep &= levels(selection.levels)[columns["status"][at], columns["verification"][at]]
    return keep


def _next_begin_or_end(columns: Columns, selection: Selection, at: Where) -> tuple[int, int]:
    """When the next memory begins or ceases to be valid; what expires has no part in it."""
    if selection.valid_at is None:
        return OPEN, OPEN
    bounds = (columns["valid_from"][at], columns["valid_to"][at])
    return min(_next(times, selection.valid_at) for times in bounds), OPEN


def _next_change(columns: Columns, selection: Selection, at: Where) -> tuple[int, int]:
    expiry = OPEN if selection.expired is None else _next(columns["expires"][at], selection.now)
    return _next_begin_or_end(columns, selection, at)[0], expiry


def _next(times: Numbers, moment: int) -> int:
    return int(times.min(initial=OPEN, where=times > moment))


def _valid_at(selection: Selection) -> int:
    return NEVER if selection.valid_at is None else selection.valid_at
