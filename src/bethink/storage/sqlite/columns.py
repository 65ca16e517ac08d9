"""What filters need of every memory, in arrays indexed by number, kept in step with the table."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import MAXYEAR, MINYEAR, datetime, timedelta, tzinfo
from itertools import islice
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bethink.domain import CHECKED, EPOCH, VERIFICATIONS, Kind, Level, Origin, Status, Volatility, level_of
from bethink.principal import AccessLevel
from bethink.text.speakers import ASKER, ASSISTANT

Mask = NDArray[np.bool_]

OPEN: Final = np.iinfo(np.int64).max
NEVER: Final = -OPEN
_NO_CODE: Final = -1
_FEW: Final = 16  # values that are compared one after the other in less time than a table takes to be looked up in
_BATCH: Final = 1000  # rows at a time: 100,000 at once take half as long again


@dataclass(frozen=True, slots=True)
class _Column:
    """How one property is kept: the type of its array, what SQL reads it, and of words those with the first codes."""

    kind: type[np.generic]
    sql: str
    words: tuple[str | None, ...] | None = None


def _one_of(words: Iterable[str | None], sql: str) -> _Column:
    return _Column(np.uint8, sql, tuple(words))


def _interned(sql: str) -> _Column:
    """Words that nobody knows beforehand, coded as they come."""
    return _Column(np.int32, sql, (None,))


_COLUMNS: Final = {
    "namespace": _Column(np.int32, "namespace"),
    "kind": _one_of(Kind, "kind"),
    "access_level": _one_of(AccessLevel, "access_level"),
    "status": _one_of(Status, "status"),
    "valid_from": _Column(np.int64, "valid_from"),
    "valid_to": _Column(np.int64, f"coalesce(valid_to, {OPEN})"),
    "expires": _Column(np.int64, f"coalesce(expires_at, {OPEN})"),
    "occurred": _Column(np.int64, "occurred_at"),
    "occurred_last": _Column(np.int64, "coalesce(occurred_until - 1, occurred_at)"),
    "length": _Column(np.float32, "length"),
    "wording": _Column(np.int64, "wording"),
    "speaker": _interned("speaker"),
    "thread": _interned("namespace || ' ' || thread"),
    "document": _interned("iif(kind = 'chunk', parent_id, null)"),
    "subtype": _interned("subtype"),
    "author": _interned("author"),
    "agent": _interned("agent"),
    "language": _interned("language"),
    "origin": _one_of(Origin, "origin"),
    "verification": _one_of(VERIFICATIONS, "verification"),
    "volatility": _one_of(Volatility, "volatility"),
    "pinned": _Column(np.uint8, "pinned"),
    "embedded": _Column(np.uint8, "embedded"),
    "confidence": _Column(np.float64, "confidence"),
    "importance": _Column(np.float64, "importance"),
    "recorded_at": _Column(np.int64, "recorded_at"),
    "last_confirmed_at": _Column(np.int64, f"coalesce(last_confirmed_at, {NEVER})"),
}
FIELDS: Final = f"number, coalesce(previous, 0), {', '.join(column.sql for column in _COLUMNS.values())}"


class Columns:
    """Growing arrays; number n is at place n, and a place without a living memory has `alive` false.

    `previous` and `next` hold the numbers of the memories before and after it in its thread, 0 where there is none.
    """

    def __init__(self) -> None:
        self.size = 0
        self.alive: Mask = np.zeros(0, np.bool_)
        self.previous: NDArray[np.int64] = np.zeros(0, np.int64)
        self.next: NDArray[np.int64] = np.zeros(0, np.int64)
        self._arrays: dict[str, NDArray[Any]] = {name: np.zeros(0, c.kind) for name, c in _COLUMNS.items()}
        self._codes = {name: _coded(c.words) for name, c in _COLUMNS.items() if c.words is not None}
        # The speakers by each term of their names, as far as they are taken in.
        self._speakers: defaultdict[str, list[int]] = defaultdict(list)
        self._known_speakers = 0
        self.count = self.dropped = 0
        self.total_length = 0.0

    def __getitem__(self, name: str) -> NDArray[Any]:
        """Return one column, `size` long."""
        return self._arrays[name][: self.size]

    def put(self, rows: Iterable[tuple[Any, ...]]) -> list[int]:
        """Take rows of `FIELDS`, new or changed, and return their numbers."""
        taken: list[int] = []
        waiting = iter(rows)
        while batch := list(islice(waiting, _BATCH)):
            fields = list(zip(*batch, strict=True))
            self._take(fields)
            taken += fields[0]
        return taken

    def drop(self, numbers: Iterable[int]) -> list[int]:
        """Forget numbers that no longer stand for a memory, and return those that did."""
        gone = [number for number in numbers if number < self.size and self.alive[number]]
        for number in gone:
            self._unlink(np.array([number]))
            self.alive[number] = False
            self.count -= 1
            self.total_length -= float(self._arrays["length"][number])
        self.dropped += len(gone)
        return gone

    @property
    def mean_length(self) -> float:
        """The mean length of a living memory, in weighted terms; 1 for an empty store."""
        return max(self.total_length / self.count, 1.0) if self.count else 1.0

    def occurring(self, spans: Iterable[tuple[int, int]]) -> Mask:
        """Say of every number whether it is about a time in one of the spans."""
        first, last = self["occurred"], self["occurred_last"]
        found = np.zeros(self.size, np.bool_)
        for start, stop in spans:
            found |= (first < stop) & (last >= start)
        return found

    def tally(self, name: str, among: Mask) -> dict[Any, int]:
        """Count the numbers in `among` by one property; None stands for those without a word."""
        values, words = self._counted(name)
        counts = np.bincount(values[among])
        return {words[code] if words else code: int(counts[code]) for code in np.flatnonzero(counts).tolist()}

    def months(self, name: str, among: Mask, zone: tzinfo) -> dict[str, int]:
        """Count the numbers in `among` by the month, as it is in a zone, of one of their times."""
        times = self._times(name)[among]
        months = times.astype("datetime64[us]").astype("datetime64[M]").astype(np.int64)
        # Counted, not sorted, which takes three times as long.
        present = np.flatnonzero(np.bincount(months - _FIRST_MONTH)) + _FIRST_MONTH
        # A zone moves a time by a day at most: into the month before or behind.
        near = np.unique(np.concatenate([present - 1, present, present + 1]))
        starts = {_start_of(month, zone): month for month in near.tolist() if _FIRST_MONTH <= month <= _LAST_MONTH}
        places = np.searchsorted(np.array(list(starts), np.int64), times, side="right") - 1
        labels = [str(np.datetime64(month, "M")) for month in starts.values()]
        counts = np.bincount(np.maximum(places, 0), minlength=len(labels)).tolist()
        return {label: count for label, count in zip(labels, counts, strict=True) if count}

    def _counted(self, name: str) -> tuple[NDArray[Any], Sequence[Any]]:
        """The values of one property, as numbers from 0, and what each stands for; no words where it is itself."""
        if name == "level":
            return _LEVEL_CODES[self["status"], self["verification"]], list(Level)
        if name in _IN_TENTHS:
            return np.floor(self[name] * 10 + 1e-9).astype(np.int64), [f"{tenth / 10:.1f}" for tenth in range(11)]
        return self[name], list(self._codes.get(name, ()))

    def spread(self, name: str, among: Mask, bounds: Sequence[int]) -> list[int]:
        """Count the numbers in `among` before the first bound, between each two, and from the last on."""
        places = np.searchsorted(np.array(bounds, np.int64), self._times(name)[among], side="right")
        return [int(count) for count in np.bincount(places, minlength=len(bounds) + 1)]

    def _times(self, name: str) -> NDArray[np.int64]:
        """One of the times; `confirmed` is when each was last said to hold, at first when it was recorded."""
        if name != "confirmed":
            return self[name]
        confirmed: NDArray[np.int64] = self["last_confirmed_at"]
        return np.where(confirmed == NEVER, self["recorded_at"], confirmed)

    def spoken(self, numbers: NDArray[np.int64], terms: Iterable[str]) -> NDArray[np.float64]:
        """Return 1 for those of `numbers` whose speaker has one of `terms` in the name, 0 for others."""
        named = self._speaking(terms)
        return np.zeros(len(numbers)) if not named else is_one_of(self["speaker"][numbers], named).astype(np.float64)

    def by_others(self, numbers: NDArray[np.int64], terms: Iterable[str]) -> NDArray[np.float64]:
        """Return 1 for what somebody else says in a conversation, where one of `terms` names who speaks in another."""
        named = self._speaking(terms)
        speakers = self["speaker"][numbers]
        if not named or not (asked := is_one_of(speakers, named)).any():
            return np.zeros(len(numbers))
        nameless = self.among("speaker", (None, ASKER, ASSISTANT), numbers)
        return (~asked & ~nameless & (self["thread"][numbers] > 0)).astype(np.float64)

    def _speaking(self, terms: Iterable[str]) -> list[int]:
        """The codes of the speakers who have one of `terms` in the name."""
        names = self._codes["speaker"]
        for name in islice(names, self._known_speakers, None):
            for term in (name or "").split():
                self._speakers[term].append(names[name])
        self._known_speakers = len(names)
        return [code for term in terms for code in self._speakers.get(term, ())]

    def reserve(self, size: int) -> None:
        """Make room for numbers below `size`."""
        if size > len(self.alive):
            room = max(size * 9 // 8, 1024)  # zeros that nobody has written to take no memory
            self.alive = _widened(self.alive, room)
            self.previous = _widened(self.previous, room)
            self.next = _widened(self.next, room)
            self._arrays = {name: _widened(array, room) for name, array in self._arrays.items()}
        self.size = max(self.size, size)

    def _take(self, fields: Sequence[tuple[Any, ...]]) -> None:
        numbers, previous = (np.array(field, np.int64) for field in fields[:2])
        self.reserve(int(numbers.max()) + 1)
        fresh = numbers[~self.alive[numbers]]
        for name, values in zip(_COLUMNS, fields[2:], strict=True):
            self._arrays[name][numbers] = self._encoded(name, values)
        self.alive[numbers] = True
        self._unlink(numbers)
        self.previous[numbers] = previous
        self.next[previous] = numbers
        self.next[0] = 0
        self.count += len(fresh)
        self.total_length += float(self._arrays["length"][fresh].sum())

    def _encoded(self, name: str, values: Sequence[Any]) -> Sequence[Any]:
        codes = self._codes.get(name)
        return values if codes is None else [codes.setdefault(value, len(codes)) for value in values]

    def code(self, name: str, value: Any) -> Any:
        """Return how a value stands in a column."""
        codes = self._codes.get(name)
        return value if codes is None else codes.get(value, _NO_CODE)

    def among(self, name: str, words: Iterable[str | None], at: NDArray[np.int64] | slice) -> Mask:
        """Say of some numbers whether one of `words` stands in a column."""
        return is_one_of(self[name][at], [code for word in words if (code := self.code(name, word)) != _NO_CODE])

    def _unlink(self, numbers: NDArray[np.int64]) -> None:
        """Let nothing lead to `numbers` from what was before them."""
        before = self.previous[numbers]
        self.next[before[self.next[before] == numbers]] = 0


def _widened(array: NDArray[Any], room: int) -> NDArray[Any]:
    wide = np.zeros(room, array.dtype)
    wide[: len(array)] = array
    return wide


def is_one_of(column: NDArray[Any], values: Collection[int]) -> Mask:
    """Say where a column of numbers from 0 has one of `values`."""
    if len(values) > _FEW:
        table = np.zeros(max(int(column.max(initial=0)), *values) + 1, np.bool_)
        table[list(values)] = True
        among: Mask = table[column]
        return among
    found = np.zeros(len(column), np.bool_)
    for value in values:
        found |= column == value
    return found


def _coded(words: Sequence[str | None]) -> dict[str | None, int]:
    return {word: code for code, word in enumerate(words)}


def levels(wanted: Collection[str]) -> Mask:
    """Say of every status, however it was checked, whether its level is wanted."""
    of_levels: Mask = np.array([level in wanted for level in Level])[_LEVEL_CODES]
    return of_levels


def _start_of(month: int, zone: tzinfo) -> int:
    """When a month, counted from January 1970, begins in a zone; in microseconds since the epoch."""
    year, place = divmod(month, 12)
    return (datetime(1970 + year, place + 1, 1, tzinfo=zone) - EPOCH) // timedelta(microseconds=1)


_FIRST_MONTH, _LAST_MONTH = 12 * (MINYEAR - 1970), 12 * (MAXYEAR - 1969) - 1
_IN_TENTHS: Final = frozenset({"confidence", "importance"})
# The level of each status by how it was checked.
_LEVEL_CODES: Final = np.array(
    [[list(Level).index(level_of(status, checked=way in CHECKED)) for way in VERIFICATIONS] for status in Status]
)
