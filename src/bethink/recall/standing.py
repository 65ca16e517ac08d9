"""How far a memory can be trusted and how fresh it is: what decides between those that answer about equally well."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from bethink.domain import VERIFICATIONS, Verification, Volatility
from bethink.errors import InvalidRequest
from bethink.storage.values import Candidates
from bethink.text.times import DAY

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Values: TypeAlias = NDArray[np.float64]

TRUST: Final = "trust"
FRESHNESS: Final = "freshness"
"""The terms of a score that say so."""

# Together a twentieth of a memory's own score, so that they move near ties alone: more of a score for what answers
# would let a sure memory hide a right one.
_TRUSTED: Final = 0.03
_FRESH: Final = 0.02
# What trust is left by how a memory was checked, and of one that is stale or that another, newer one contradicts.
_CHECKED: Final = {
    Verification.source_verified: 1.0,
    Verification.tool_verified: 1.0,
    Verification.asserted: 0.9,
    None: 0.9,
    Verification.unverified: 0.7,
}
_STALE: Final = 0.7
_CONTRADICTED: Final = 0.5
# A memory as it is stored where nothing is said of it: its score is neither raised nor lowered.
_USUAL: Final = 0.8 * 0.9
# After how many days half of what a memory says may be out of date, and what is left of it at least: none is forgotten
# by its age alone.
HALF_LIVES: Final = {Volatility.volatile: 14.0, Volatility.normal: 180.0, Volatility.stable: math.inf}
LEAST: Final = 0.35
_SHORTEST, _LONGEST = 0.01, 36_500
_DECAY: Final = re.compile(r"(?P<shape>half_life|linear):(?P<days>[0-9]{1,5}(?:\.[0-9]{1,6})?)", re.ASCII)
_ACCEPTED: Final = f"Accepted: none, auto, half_life:N, linear:N; N in days, from {_SHORTEST} to {_LONGEST:,}."


@dataclass(frozen=True, slots=True)
class Decay:
    """How the age of memories counts.

    `half_life` and `linear` are days after which half of each score is left, or all of it gone but for what is left at
    least. Without either the age decides near ties by how fast each memory goes out of date, or, with `counts` false,
    nothing.
    """

    half_life: float | None = None
    linear: float | None = None
    counts: bool = True


AUTO: Final = Decay()


def decay_of(text: str) -> Decay:
    """Read `none`, `auto`, `half_life:N` or `linear:N`; anything else is an InvalidRequest that names them."""
    if text == "auto":
        return AUTO
    if text == "none":
        return Decay(counts=False)
    given = _DECAY.fullmatch(text)
    days = float(given["days"]) if given else 0.0
    if given is None or not _SHORTEST <= days <= _LONGEST:
        raise InvalidRequest(f"decay: {text[:64]!r} is not accepted", hint=_ACCEPTED)
    return Decay(half_life=days) if given["shape"] == "half_life" else Decay(linear=days)


def standing(found: Candidates, scores: Values, *, now: int, decay: Decay = AUTO) -> dict[str, Values]:
    """Return what trust and freshness add to the score of each, by the names that `explain` prints."""
    terms = {TRUST: _TRUSTED * (_trust(found) - _USUAL) * scores}
    if decay.counts:
        share = _FRESH if decay == AUTO else 1.0
        terms[FRESHNESS] = -share * (1 - _freshness(found, now, decay)) * scores
    return terms


def _trust(found: Candidates) -> Values:
    import numpy as np

    checked = np.array([_CHECKED[way] for way in VERIFICATIONS])[found.verification]
    held: Values = np.where(found.stale, _STALE, 1.0) * np.where(found.contradicted, _CONTRADICTED, 1.0)
    trust: Values = found.confidence * checked * held
    return trust


def _freshness(found: Candidates, now: int, decay: Decay) -> Values:
    """What is left of each at its age in whole days, from when it happened or was last said to hold."""
    import numpy as np

    days = np.maximum(now - np.maximum(found.occurred_last, found.confirmed), 0) // DAY
    lives = np.array([HALF_LIVES[volatility] for volatility in Volatility])[found.volatility]
    left: Values = 0.5 ** (days / (decay.half_life or lives)) if decay.linear is None else 1 - days / decay.linear
    return np.maximum(left, LEAST)
