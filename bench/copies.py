"""Memories past the real ones: texts of which every third word is another's, with vectors as near to both."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

SWAPPED = 0.35
_A_THREAD = 17  # as many of the real ones share a session, in the mean
_KEPT, _TAKEN, _NOISE = 0.8, 0.35, 0.012
# The words of another may have more tokens: of a text that may fill the model's window this share of words is kept, so
# that a copy is one memory of one vector too.
_LONG, _FITS = 100, 0.8


@dataclass(frozen=True, slots=True)
class Copy:
    """A text, and the two that it was made of."""

    content: str
    of: str
    words_of: str
    thread: str


def copies(texts: Sequence[str], count: int, seed: int) -> Iterator[Copy]:
    """Yield `count` texts: each is one of `texts` with words of another, and no two are the same."""
    chosen = random.Random(seed)  # noqa: S311  # a sample
    for number in range(count):
        of, words_of = texts[number % len(texts)], chosen.choice(texts)
        others = words_of.split()
        own = of.split()
        own = own[: int(_FITS * len(own))] if len(own) > _LONG else own
        words = [chosen.choice(others) if chosen.random() < SWAPPED else word for word in own]
        yield Copy(f"{' '.join(words)} {number}", of, words_of, f"copy-{number // _A_THREAD}")


def vectors(made: Sequence[Copy], known: Mapping[str, Any], seed: int) -> dict[str, NDArray[np.float32]]:
    """Return a vector for each copy: what it was made of, mixed, and some noise."""
    noise = np.random.default_rng(seed)
    found = {}
    for copy in made:
        mixed = _KEPT * known[copy.of] + _TAKEN * known[copy.words_of]
        mixed += _NOISE * noise.standard_normal(len(mixed), dtype=np.float32)
        found[copy.content] = (mixed / np.linalg.norm(mixed)).astype(np.float32)
    return found
