"""What a memory may have several of, or few have at all (tags, parts of a source), for counting; read when first asked.

Pairs of a memory's number and a word's code: counting 100,000 memories by them takes a millisecond, and what has
changed since the last count is read anew alone.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bethink.domain import Source
from bethink.text.tags import fold_tag

from .columns import Mask

TAG: Final = "tag"
# Left to itself the planner looks through all tags for each memory.
_TAGS: Final = """
select m.number, t.spelled from memory m
left join tag t indexed by tag_memory on t.tenant = m.tenant and t.memory = m.id
where m.tenant = ? and m.change > ?
"""
_PART: Final = """
select m.number, json_extract(b.source, '$.{}') from memory m join body b on b.number = m.number
where m.tenant = ? and m.change > ?
"""
SOURCES: Final = {TAG: _TAGS, **{f"source_{part}": _PART.format(part) for part in Source.model_fields}}


class Labels:
    """The words of one sort that memories have; a memory may have none, one or several."""

    def __init__(self, tenant: int, by: str) -> None:
        self._tenant, self._by = tenant, by
        self._change = -1
        self._numbers: NDArray[np.int64] = np.zeros(0, np.int64)
        self._codes: NDArray[np.int64] = np.zeros(0, np.int64)
        self._words: dict[str, int] = {}

    def refresh(self, db: sqlite3.Connection, change: int) -> None:
        """Take in what was written up to a change."""
        if change == self._change:
            return
        rows = db.execute(SOURCES[self._by], (self._tenant, self._change)).fetchall()
        anew = _marked(np.array([number for number, _ in rows], np.int64), self._numbers)
        pairs = [(number, self._words.setdefault(word, len(self._words))) for number, word in rows if word is not None]
        numbers, codes = np.array(pairs, np.int64).reshape(-1, 2).T
        kept = ~anew[self._numbers]
        self._numbers = np.concatenate([self._numbers[kept], numbers])
        self._codes = np.concatenate([self._codes[kept], codes])
        self._change = change

    def tally(self, among: Mask) -> dict[str | None, int]:
        """Count the memories in `among` by each word, and under None those that have none."""
        inside = among[self._numbers]
        counts = np.bincount(self._codes[inside], minlength=len(self._words)).tolist()
        told = _one_spelling(dict(zip(self._words, counts, strict=True)), self._by)
        without = int(np.count_nonzero(among)) - int(np.count_nonzero(_marked(self._numbers[inside])))
        return dict([*told.items(), *([(None, without)] if without else [])])


def _marked(numbers: NDArray[np.int64], *others: NDArray[np.int64]) -> Mask:
    """Say of each number up to the greatest of all whether it is among `numbers`: without sorting them."""
    marked = np.zeros(max(int(some.max(initial=0)) for some in (numbers, *others)) + 1, np.bool_)
    marked[numbers] = True
    return marked


def _one_spelling(counts: Mapping[str, int], by: str) -> dict[str, int]:
    """Return what is counted at all; spellings of one tag together under the most frequent, the first of equals."""
    held = {word: count for word, count in counts.items() if count}
    if by != TAG:
        return held
    spellings: defaultdict[str, list[str]] = defaultdict(list)
    for word in sorted(held, key=lambda word: (-held[word], word)):
        spellings[fold_tag(word)].append(word)
    return {words[0]: sum(held[word] for word in words) for words in spellings.values()}
