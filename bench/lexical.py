"""The keyword index against SQLite's own: the same terms, the same questions, side by side in one run.

Own posting lists (exact BM25 with length normalisation) against FTS5 ranked by its bm25, and against FTS5 without
lengths behind a rare-term gate. Texts are LongMemEval turns; questions are its questions.
"""

from __future__ import annotations

import sqlite3
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bethink.storage.sqlite import postings
from bethink.storage.sqlite.columns import OPEN, Columns
from bethink.storage.sqlite.lists import Lists
from bethink.storage.sqlite.postings import UNIT
from bethink.storage.sqlite.store import SEAL_AT
from bethink.text.analyzer import analyze, query_terms

from .data import longmemeval_questions, longmemeval_turns
from .measure import percentiles
from .progress import steps

SIZES = (10_000, 100_000)
_GATE_BUDGET = 20_000
_DEPTH = 100
_QUESTIONS = 200
# The fields of a memory that differ from nothing: what the keyword index reads of one are its number and its length.
_BEFORE_LENGTH = (0, 1, "fact", "public", "active", 0, OPEN, OPEN, 0, 0)
_AFTER_LENGTH = (0, None, None, None, None, None, None, None, "authored", None, "normal", 0, 0, 0.0, 0.0, 0, 0)
Ranked = list[int]


def _row(number: int, length: int) -> tuple[Any, ...]:
    return number, *_BEFORE_LENGTH, length, *_AFTER_LENGTH


def run(data: Path, *, sample: int | None = None, seed: int = 0) -> dict[str, Any]:
    """Return, for each size and way, the CPU of a query, build rate, file size, and agreement with exact BM25."""
    del seed
    sizes = [size for size in SIZES if sample is None or size <= sample] or [sample or 0]
    questions = [tuple(query_terms(q["question"])) for q in longmemeval_questions(data)][:_QUESTIONS]
    texts = longmemeval_turns(data, max(sizes))
    return {str(size): _at(texts[:size], questions) for size in steps(sizes, "lexical") if len(texts) >= size}


def _at(texts: Sequence[str], questions: Sequence[tuple[str, ...]]) -> dict[str, Any]:
    terms = [Counter(analyze(text)) for text in texts]
    with tempfile.TemporaryDirectory() as folder:
        own = _Own(Path(folder) / "own.db", terms)
        exact = [own.exact(question) for question in questions]
        ways = {
            "own postings": (own.rank, own.built),
            "fts5 bm25": _fts(Path(folder) / "fts.db", terms, gated=False),
            "fts5 gated, no lengths": _fts(Path(folder) / "gated.db", terms, gated=True),
        }
        return {name: _measured(way, built, questions, exact) for name, (way, built) in ways.items()}


def _measured(
    way: Callable[[tuple[str, ...]], Ranked],
    built: dict[str, float],
    questions: Sequence[tuple[str, ...]],
    exact: list[Ranked],
) -> dict[str, float]:
    spent, agreed = [], []
    for question, best in zip(questions, exact, strict=True):
        started = time.thread_time()
        found = way(question)
        spent.append(1000 * (time.thread_time() - started))
        agreed.append(len(set(found[:10]) & set(best[:10])) / max(len(best[:10]), 1))
    return {**built, **percentiles("cpu", spent), "top10_of_exact": float(np.mean(agreed))}


class _Own:
    """The product's posting lists over the same terms, without threads."""

    def __init__(self, path: Path, terms: Sequence[Counter[str]]) -> None:
        started = time.process_time()
        self._db = sqlite3.connect(path, isolation_level=None)
        self._db.executescript(_TABLES)
        kept = [(n, postings.encode({t: min(10 * c, 255) for t, c in doc.items()})) for n, doc in enumerate(terms, 1)]
        for at in range(0, len(kept), SEAL_AT):
            part = kept[at : at + SEAL_AT]
            self._db.execute("begin")
            postings.seal(self._db, 1, part[-1][0], part)
            self._db.execute("commit")
        self._db.execute("pragma wal_checkpoint(truncate)")
        spent = time.process_time() - started
        self.built = {"build_ms_a_text": 1000 * spent / len(terms), "file_mb": _megabytes(path)}
        self._columns, self._lists, self._scratch = Columns(), Lists(1), postings.Scratch()
        self._columns.put(_row(number, UNIT * doc.total()) for number, doc in enumerate(terms, 1))

    def rank(self, question: tuple[str, ...]) -> Ranked:
        """Return what the index proposes, best first."""
        scores = self._scores(question)
        return self._ordered(scores, scores.chosen(self._every, _DEPTH))

    def exact(self, question: tuple[str, ...]) -> Ranked:
        """Return the ten best of all texts by BM25 without any gate."""
        return self._ordered(self._scores(question), np.arange(1, self._columns.size))[:10]

    def _scores(self, question: tuple[str, ...]) -> postings.Scores:
        return postings.score(
            self._db, question, lists=self._lists, columns=self._columns, scratch=self._scratch,
            visible=self._every, keep=self._every,
        )  # fmt: skip

    @property
    def _every(self) -> NDArray[np.bool_]:
        return self._columns.alive[: self._columns.size]

    def _ordered(self, scores: postings.Scores, numbers: NDArray[np.int64]) -> Ranked:
        bm25, _ = scores.of(numbers)
        best = np.argsort(-bm25, kind="stable")[:_DEPTH]
        return [int(numbers[place]) for place in best if bm25[place] > 0]


def _fts(
    path: Path, terms: Sequence[Counter[str]], *, gated: bool
) -> tuple[Callable[[tuple[str, ...]], Ranked], dict[str, float]]:
    started = time.process_time()
    db = sqlite3.connect(path, isolation_level=None)
    lengths = ", columnsize=0" if gated else ""
    db.executescript(
        "pragma journal_mode = wal; pragma cache_size = -65536; pragma mmap_size = 1000000000;"
        f"create virtual table f using fts5(t, content=''{lengths}, tokenize='unicode61 remove_diacritics 0');"
    )
    names: dict[str, str] = {}
    held: Counter[str] = Counter()
    db.execute("begin")
    for number, doc in enumerate(terms, 1):
        words = [names.setdefault(t, f"t{len(names)}") for t in doc.elements()]
        held.update(doc.keys())
        db.execute("insert into f (rowid, t) values (?, ?)", (number, " ".join(words)))
    db.execute("commit")
    db.execute("pragma wal_checkpoint(truncate)")
    built = time.process_time() - started

    def rank(question: tuple[str, ...]) -> Ranked:
        known = sorted((held[t], names[t]) for t in dict.fromkeys(question) if t in names)
        if not known:
            return []
        return [row[0] for row in db.execute(_FTS, (_expression(known, gated=gated),))]

    return rank, {"build_ms_a_text": 1000 * built / len(terms), "file_mb": _megabytes(path)}


_TABLES = """
pragma journal_mode = wal;
pragma cache_size = -65536;
pragma mmap_size = 1000000000;
create table meta (tenant, key, value, primary key (tenant, key)) without rowid;
create table posting (
  id integer primary key, tenant, term text, block integer, count integer, numbers blob, weights blob,
  unique (tenant, term, block)
);
"""
_FTS = f"select rowid, bm25(f) as score from f where f match ? order by score limit {_DEPTH}"


def _expression(known: Sequence[tuple[int, str]], *, gated: bool) -> str:
    everything = " OR ".join(name for _, name in known)
    if not gated:
        return everything
    rare: list[str] = []
    spent = 0
    for count, name in known:
        if rare and spent + count > _GATE_BUDGET:
            break
        rare.append(name)
        spent += count
    return everything if len(rare) == len(known) else f"({' OR '.join(rare)}) AND ({everything})"


def _megabytes(path: Path) -> float:
    return sum(f.stat().st_size for f in path.parent.glob(f"{path.name}*")) / 2**20
