"""How near two memories must be to say nearly the same, with and without a check of the facts in them."""

from __future__ import annotations

import asyncio
import json
import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from bethink.intake.facts import differs_in_fact
from bethink.models.minilm import MiniLm

from .report import Table, cell
from .sampling import stratified

PAIRS: Final = Path(__file__).parent / "sets" / "dedup.jsonl"
MATCH_PRECISION: Final = 0.99
HINT_PRECISION: Final = 0.80
_LOWEST: Final = 0.5  # what a namespace may set
_SHOWN: Final = tuple(round(0.80 + step / 100, 2) for step in range(20))
_ONE_MATTER: Final = frozenset(
    {
        *("number", "version", "date", "negation", "state", "preference", "plan_done", "added_fact"),
        *("unforeseen", "blind"),
    }
)
_Z: Final = 1.959964  # 95%


@dataclass(frozen=True, slots=True)
class Pair:
    """Two memories, whether one would do, and how near the embedder holds them."""

    number: int
    duplicate: bool
    family: str
    cosine: float
    differs: bool

    @property
    def one_matter(self) -> bool:
        """Whether whoever stores one should see the other: a duplicate, or another state of the same matter."""
        return self.duplicate or self.family in _ONE_MATTER


@dataclass(frozen=True, slots=True)
class Judged:
    """A pair as one rule sees it: how near (below any threshold when refused), and whether to find it is right."""

    score: float
    right: bool


def run(data: Path, *, sample: int | None = None, seed: int = 0) -> dict[str, Any]:
    """Return thresholds chosen on the even half of the pairs, and what they give on the odd half."""
    del data
    pairs = asyncio.run(_measured(stratified(_read(), sample, seed, kind=_stratum)))
    tune = [pair for pair in pairs if pair.number % 2 == 0]
    report = [pair for pair in pairs if pair.number % 2]
    return {
        "n": {"tune": len(tune), "report": len(report)},
        "match": {
            "cosine": _chosen(_by_cosine(tune), _by_cosine(report), MATCH_PRECISION),
            "combined": _chosen(_by_facts(tune), _by_facts(report), MATCH_PRECISION),
        },
        "hint": {
            "duplicate": _chosen(_by_cosine(tune), _by_cosine(report), HINT_PRECISION),
            "one_matter": _chosen(_by_matter(tune), _by_matter(report), HINT_PRECISION),
        },
        "table": {str(at): _row(report, at) for at in _SHOWN},
        "families": _families(report),
    }


def tables(figures: Mapping[str, Any]) -> list[Table]:
    """Return the thresholds, what every threshold gives on the report half, and the families."""
    rules = {
        "the same, by cosine": figures["match"]["cosine"],
        "the same, by cosine and facts": figures["match"]["combined"],
        "a hint of the same": figures["hint"]["duplicate"],
        "a hint of one matter": figures["hint"]["one_matter"],
    }
    found = [(name, cell("", rule["threshold"]), *_shares(rule.get("report"))) for name, rule in rules.items()]
    ways = ("cosine", "combined", "one_matter")
    measured = [(f"{float(at):.2f}", figures["table"][at]) for at in list(figures["table"])[::2]]
    steps = [
        (at, *(cell("share", row[way][what]["share"]) for way in ways for what in ("precision", "recall")))
        for at, row in measured
    ]
    families = [
        (name, str(family["duplicate"]), str(family["n"]), str(family["differs"]), f"{family['cosine'][2]:.2f}")
        for name, family in figures["families"].items()
    ]
    both = tuple(f"{way}: {what}" for way in ("cosine", "and facts", "one matter") for what in ("precision", "recall"))
    return [
        Table(("rule", "threshold", "precision (95%)", "recall (95%)"), tuple(found), "chosen on the even half"),
        Table(("from", *both), tuple(steps), "by threshold, on the odd half"),
        Table(("family", "duplicate", "pairs", "differ in a fact", "median cosine"), tuple(families), "families"),
    ]


def _shares(scored: Mapping[str, Any] | None) -> tuple[str, str]:
    if scored is None:
        return "-", "-"
    precision, recall = (_interval(scored[name]) for name in ("precision", "recall"))
    return precision, recall


def _interval(found: Mapping[str, Any]) -> str:
    return f"{cell('share', found['share'])} ({100 * found['low']:.0f} to {100 * found['high']:.0f})"


def _read() -> list[dict[str, Any]]:
    return [json.loads(line) for line in PAIRS.read_text(encoding="utf-8").splitlines()]


def _stratum(row: dict[str, Any]) -> tuple[str, int]:
    return row["family"], row["id"] % 2


async def _measured(rows: Sequence[dict[str, Any]]) -> list[Pair]:
    embedder = MiniLm()
    await embedder.load()
    try:
        left = await embedder.embed([row["a"] for row in rows], "document")
        right = await embedder.embed([row["b"] for row in rows], "document")
    finally:
        await embedder.close()
    cosines = np.einsum("ij,ij->i", left, right)
    return [_pair(row, float(cosine)) for row, cosine in zip(rows, cosines, strict=True)]


def _pair(row: dict[str, Any], cosine: float) -> Pair:
    return Pair(row["id"], row["duplicate"], row["family"], cosine, differs_in_fact(row["a"], row["b"]))


def _by_cosine(pairs: Sequence[Pair]) -> list[Judged]:
    return [Judged(pair.cosine, pair.duplicate) for pair in pairs]


def _by_facts(pairs: Sequence[Pair]) -> list[Judged]:
    return [Judged(-1.0 if pair.differs else pair.cosine, pair.duplicate) for pair in pairs]


def _by_matter(pairs: Sequence[Pair]) -> list[Judged]:
    return [Judged(pair.cosine, pair.one_matter) for pair in pairs]


def _chosen(tune: Sequence[Judged], report: Sequence[Judged], precision: float) -> dict[str, Any]:
    threshold = lowest(tune, precision)
    if threshold is None:
        return {"threshold": None}
    return {"threshold": threshold, "tune": score(tune, threshold), "report": score(report, threshold)}


def lowest(judged: Sequence[Judged], precision: float) -> float | None:
    """Return the lowest threshold, in hundredths, from which what is found is right at this precision or better."""
    best = None
    for at in (hundredths / 100 for hundredths in range(99, round(_LOWEST * 100) - 1, -1)):
        found = [pair.right for pair in judged if pair.score >= at]
        if found and sum(found) < precision * len(found):
            break
        best = at if found else best
    return best


def score(judged: Sequence[Judged], threshold: float) -> dict[str, Any]:
    """Return precision and recall at `threshold`, each with its 95% interval (Wilson)."""
    found = [pair.right for pair in judged if pair.score >= threshold]
    hits, right = sum(found), sum(pair.right for pair in judged)
    return {"precision": proportion(hits, len(found)), "recall": proportion(hits, right)}


def proportion(hits: int, n: int) -> dict[str, Any]:
    """Return hits of n as a share with its 95% interval (Wilson), or no share for n = 0."""
    if n == 0:
        return {"share": None, "low": 0.0, "high": 1.0, "hits": 0, "n": 0}
    share, spread = hits / n, _Z * _Z / n
    middle = (share + spread / 2) / (1 + spread)
    half = _Z / (1 + spread) * math.sqrt(share * (1 - share) / n + spread / (4 * n))
    return {"share": share, "low": max(0.0, middle - half), "high": min(1.0, middle + half), "hits": hits, "n": n}


def _row(pairs: Sequence[Pair], at: float) -> dict[str, Any]:
    return {
        "cosine": score(_by_cosine(pairs), at),
        "combined": score(_by_facts(pairs), at),
        "one_matter": score(_by_matter(pairs), at),
    }


def _families(pairs: Sequence[Pair]) -> dict[str, Any]:
    families = defaultdict(list)
    for pair in pairs:
        families[pair.family].append(pair)
    return {name: _family(members) for name, members in families.items()}


def _family(pairs: Sequence[Pair]) -> dict[str, Any]:
    cosines = [pair.cosine for pair in pairs]
    quartiles = [float(quartile) for quartile in np.quantile(cosines, (0, 0.25, 0.5, 0.75, 1))]
    return {
        "n": len(pairs),
        "duplicate": pairs[0].duplicate,
        "differs": sum(p.differs for p in pairs),
        "cosine": quartiles,
    }
