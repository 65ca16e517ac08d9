"""What every filter needs of every memory, in arrays indexed by number, kept in step with the table."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bethink.domain import Kind, Status
from bethink.principal import AccessLevel
from bethink.storage.protocol import Selection

Mask = NDArray[np.bool_]

_MOST_REACHES: Final = 16
OPEN: Final = np.iinfo(np.int64).max
KINDS: Final = {kind.value: place for place, kind in enumerate(Kind)}
STATUSES: Final = {status.value: place for place, status in enumerate(Status)}
LEVELS: Final = {level.value: level.rank for level in AccessLevel}

FIELDS: Final = (
    "number, namespace, kind, access_level, status, valid_from, valid_to, expires_at, occurred_at, occurred_until,"
    " length, wording, previous"
)
_TYPES: Final = {
    "namespace": np.int32,
    "kind": np.uint8,
    "access": np.uint8,
    "status": np.uint8,
    "valid_from": np.int64,
    "valid_to": np.int64,
    "expires": np.int64,
    "occurred": np.int64,
    "occurred_last": np.int64,
    "length": np.float32,
    "wording": np.int64,
}


class Columns:
    """Growing arrays; number n is at place n, and a place without a living memory has `alive` false.

    `previous` and `next` hold the numbers of the memories before and after it in its thread, 0 where there is none.
    """

    def __init__(self) -> None:
        self.size = 0
        self.alive: Mask = np.zeros(0, np.bool_)
        self.previous: NDArray[np.int64] = np.zeros(0, np.int64)
        self.next: NDArray[np.int64] = np.zeros(0, np.int64)
        self._arrays: dict[str, NDArray[Any]] = {name: np.zeros(0, kind) for name, kind in _TYPES.items()}
        self.count = 0
        self.total_length = 0.0
        self._reaches: dict[tuple[Any, ...], Mask] = {}

    def __getitem__(self, name: str) -> NDArray[Any]:
        """Return one column, `size` long."""
        return self._arrays[name][: self.size]

    def put(self, rows: Iterable[tuple[Any, ...]]) -> None:
        """Take rows of `FIELDS`, new or changed."""
        batch = [_encode(row) for row in rows]
        if not batch:
            return
        self._reaches.clear()
        numbers = np.array([row[0] for row in batch], np.int64)
        self.reserve(int(numbers.max()) + 1)
        fresh = numbers[~self.alive[numbers]]
        for place, name in enumerate(_TYPES, 1):
            self._arrays[name][numbers] = np.array([row[place] for row in batch], _TYPES[name])
        self.alive[numbers] = True
        self._unlink(numbers)
        previous = np.array([row[-1] for row in batch], np.int64)
        self.previous[numbers] = previous
        self.next[previous] = numbers
        self.next[0] = 0
        self.count += len(fresh)
        self.total_length += float(self._arrays["length"][fresh].sum())

    def drop(self, numbers: Iterable[int]) -> None:
        """Forget numbers that no longer stand for a memory."""
        for number in numbers:
            if number < self.size and self.alive[number]:
                self._reaches.clear()
                self._unlink(np.array([number]))
                self.alive[number] = False
                self.count -= 1
                self.total_length -= float(self._arrays["length"][number])

    @property
    def mean_length(self) -> float:
        """The mean length of a living memory, in weighted terms; 1 for an empty store."""
        return max(self.total_length / self.count, 1.0) if self.count else 1.0

    def visible(self, selection: Selection) -> Mask:
        """Say of every number whether it is alive, in reach and under the ceiling, and holds now."""
        keep = self._reached(selection)
        if selection.valid_at is None:
            return keep
        return keep & (self["valid_from"] <= selection.valid_at) & (self["valid_to"] > selection.valid_at)

    def _reached(self, selection: Selection) -> Mask:
        """What is alive, in reach and under the ceiling; a caller asks for the same again and again."""
        asked = (selection.namespaces, selection.ceiling, selection.statuses)
        if asked not in self._reaches:
            if len(self._reaches) >= _MOST_REACHES:
                self._reaches.clear()
            keep = self.alive[: self.size] & (self["access"] <= selection.ceiling)
            if selection.namespaces is not None:
                keep &= _lookup(int(self["namespace"].max(initial=0)) + 1, selection.namespaces)[self["namespace"]]
            if selection.statuses:
                keep &= _lookup(len(STATUSES), (STATUSES[s] for s in selection.statuses))[self["status"]]
            self._reaches[asked] = keep
        return self._reaches[asked]

    def narrowed(self, visible: Mask, selection: Selection) -> Mask:
        """Say which of the visible numbers pass the other filters that these columns can decide."""
        keep = visible.copy()
        if selection.kinds is not None:
            keep &= _lookup(len(KINDS), (KINDS[k] for k in selection.kinds))[self["kind"]]
        if selection.expired is not None:
            keep &= (self["expires"] <= selection.now) == selection.expired
        if selection.since is not None:
            keep &= self["occurred_last"] >= selection.since
        if selection.until is not None:
            keep &= self["occurred"] < selection.until
        return keep

    def reserve(self, size: int) -> None:
        """Make room for numbers below `size`."""
        if size > self.size:
            self._reaches.clear()
        if size > len(self.alive):
            room = max(size, len(self.alive) * 3 // 2, 1024)
            self.alive = _widened(self.alive, room)
            self.previous = _widened(self.previous, room)
            self.next = _widened(self.next, room)
            self._arrays = {name: _widened(array, room) for name, array in self._arrays.items()}
        self.size = max(self.size, size)

    def _unlink(self, numbers: NDArray[np.int64]) -> None:
        """Let nothing lead to `numbers` from what was before them."""
        before = self.previous[numbers]
        self.next[before[self.next[before] == numbers]] = 0


def _widened(array: NDArray[Any], room: int) -> NDArray[Any]:
    wide = np.zeros(room, array.dtype)
    wide[: len(array)] = array
    return wide


def _lookup(size: int, places: Iterable[int]) -> Mask:
    table = np.zeros(size, np.bool_)
    table[[place for place in places if place < size]] = True
    return table


def _encode(row: tuple[Any, ...]) -> tuple[Any, ...]:
    number, namespace, kind, access, status, valid_from, valid_to, expires, occurred, until, length, *rest = row
    wording, before = rest
    return (
        number,
        namespace,
        KINDS[kind],
        LEVELS[access],
        STATUSES[status],
        valid_from,
        OPEN if valid_to is None else valid_to,
        OPEN if expires is None else expires,
        occurred,
        occurred if until is None else until - 1,
        length,
        wording,
        before or 0,
    )
