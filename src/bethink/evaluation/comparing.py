"""Two runs over the same questions: what differs, and whether that is more than chance. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from typing import Final, Literal

from bethink.domain import Value

from .metrics import MEASURES, Outcome

CERTAIN: Final = 0.05
_ENUMERATED: Final = 12
_FLIPS: Final = 20_000

Verdict = Literal["same", "within noise", "better", "worse"]


class Difference(Value):
    """One measure before and after, over the questions that both runs asked and to which it applies.

    `p` is how often chance alone makes so great a difference: the signs of the differences of single questions are
    turned at random. Under 0.05 it counts as better or worse.
    """

    measure: str
    questions: int
    before: float
    after: float
    p: float
    verdict: Verdict


class Change(Value):
    """A question whose first answer stands elsewhere than before; None: not among the first ten."""

    key: str
    before: int | None
    after: int | None


class Comparison(Value):
    """What differs between two runs; questions that only one of them asked are counted and left out."""

    measures: tuple[Difference, ...]
    changes: tuple[Change, ...]
    only_before: int
    only_after: int

    @property
    def worse(self) -> list[str]:
        """The measures that got worse beyond chance."""
        return [one.measure for one in self.measures if one.verdict == "worse"]


def compared(before: Iterable[Outcome], after: Iterable[Outcome]) -> Comparison:
    """Compare two runs question by question."""
    old, new = {one.key: one for one in before}, {one.key: one for one in after}
    both = [(old[key], new[key]) for key in new if key in old]
    differences = (_difference(name, both) for name in MEASURES)
    changes = (Change(key=a.key, before=_first(b), after=_first(a)) for b, a in both)
    return Comparison(
        measures=tuple(one for one in differences if one is not None),
        changes=tuple(one for one in changes if one.before != one.after),
        only_before=len(old) - len(both),
        only_after=len(new) - len(both),
    )


def by_chance(differences: Sequence[float]) -> float:
    """Return how often differences with random signs sum to as much, either way: 1 where there are none."""
    import numpy as np

    told = np.array([d for d in differences if d])
    if not len(told):
        return 1.0
    if len(told) <= _ENUMERATED:
        signs = np.array(list(product((-1.0, 1.0), repeat=len(told))))
        return float((np.abs(signs @ told) >= abs(told.sum()) - 1e-9).mean())
    signs = np.random.default_rng(0).choice((-1.0, 1.0), (_FLIPS, len(told)))
    as_much = int((np.abs(signs @ told) >= abs(told.sum()) - 1e-9).sum())
    return (as_much + 1) / (_FLIPS + 1)


def _difference(name: str, both: Sequence[tuple[Outcome, Outcome]]) -> Difference | None:
    measure = MEASURES[name]
    pairs = [(b, a) for old, new in both if (b := measure(old)) is not None and (a := measure(new)) is not None]
    if not pairs:
        return None
    changed = [after - before for before, after in pairs]
    p, total = by_chance(changed), sum(changed)
    verdict: Verdict = "same" if not any(changed) else "within noise"
    if p < CERTAIN:
        verdict = "better" if total > 0 else "worse"
    return Difference(
        measure=name,
        questions=len(pairs),
        before=sum(before for before, _ in pairs) / len(pairs),
        after=sum(after for _, after in pairs) / len(pairs),
        p=p,
        verdict=verdict,
    )


def _first(one: Outcome) -> int | None:
    return min(one.ranks, default=None)
