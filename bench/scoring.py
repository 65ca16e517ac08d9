"""Metrics over a ranking: a list of ids, best first, without repeats; Okapi BM25 as the baseline of every figure."""

from __future__ import annotations

import math
from array import array
from collections import Counter, defaultdict
from collections.abc import Sequence
from collections.abc import Set as AbstractSet

import numpy as np
from numpy.typing import NDArray

from bethink.text.analyzer import analyze, query_terms

Gold = AbstractSet[str]


def fraction(ranked: Sequence[str], gold: Gold, k: int) -> float:
    """Return the share of the gold that stands among the first k."""
    return len(set(gold).intersection(ranked[:k])) / len(gold)


def any_of(ranked: Sequence[str], gold: Gold, k: int) -> float:
    """Return 1 when one of the gold stands among the first k."""
    return float(not set(gold).isdisjoint(ranked[:k]))


def all_of(ranked: Sequence[str], gold: Gold, k: int) -> float:
    """Return 1 when all of the gold stands among the first k."""
    return float(set(gold).issubset(ranked[:k]))


def reciprocal(ranked: Sequence[str], gold: Gold) -> float:
    """Return one over the place of the first of the gold."""
    return next((1 / place for place, i in enumerate(ranked, 1) if i in gold), 0.0)


def gain(ranked: Sequence[str], gold: Gold, k: int) -> float:
    """Return nDCG@k: each of the gold counts less the later it comes, as a share of the best order."""
    got = sum(1 / math.log2(place + 1) for place, i in enumerate(ranked[:k], 1) if i in gold)
    return got / sum(1 / math.log2(place + 1) for place in range(1, min(k, len(gold)) + 1))


def distinct(ids: Sequence[str]) -> list[str]:
    """Return ids in order, each once."""
    return list(dict.fromkeys(ids))


def area(positives: Sequence[float], negatives: Sequence[float]) -> float | None:
    """Return how often a positive scores above a negative, a tie half: the area under the operating curve."""
    if not positives or not negatives:
        return None
    scores = np.array([*positives, *negatives])
    order = scores.argsort(kind="stable")
    ranks = np.empty(len(scores))
    ranks[order] = np.arange(1, len(scores) + 1)
    for value in np.unique(scores):
        same = scores == value
        ranks[same] = ranks[same].mean()
    count = len(positives)
    return float((ranks[:count].sum() - count * (count + 1) / 2) / (count * len(negatives)))


def mean(values: Sequence[float]) -> float:
    """Return the mean, 0 of nothing."""
    return float(np.mean(values)) if len(values) else 0.0


class Bm25:
    """Okapi BM25 (k1 1.2, b 0.75) over whole texts with the product's analyzer: what a plain index reaches."""

    def __init__(self, texts: Sequence[str], *, k1: float = 1.2, b: float = 0.75) -> None:
        self._places: defaultdict[str, array[int]] = defaultdict(lambda: array("i"))
        self._counts: defaultdict[str, array[int]] = defaultdict(lambda: array("i"))
        lengths = np.zeros(len(texts))
        for place, text in enumerate(texts):
            counts = Counter(analyze(text))
            lengths[place] = counts.total()
            for term, count in counts.items():
                self._places[term].append(place)
                self._counts[term].append(count)
        self._size, self._k1 = len(texts), k1
        self._norm = k1 * (1 - b + b * lengths / max(lengths.mean(), 1e-9))

    def rank(self, question: str) -> NDArray[np.int64]:
        """Return the places of all texts, best first."""
        scores = np.zeros(self._size)
        for term in set(query_terms(question)) & self._places.keys():
            places, counts = np.array(self._places[term]), np.array(self._counts[term])
            idf = math.log(1 + (self._size - len(places) + 0.5) / (len(places) + 0.5))
            scores[places] += idf * counts * (self._k1 + 1) / (counts + self._norm[places])
        return np.argsort(-scores, kind="stable")
