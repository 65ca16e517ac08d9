"""The stemmers of the Snowball project, for the languages in which they are better than a short list of endings."""

from __future__ import annotations

import threading
from collections.abc import Callable

_LONGEST = 80
_OF_THREAD = threading.local()  # a stemmer is not to be used by two threads at once


def snowball(algorithm: str, word: str) -> str:
    """Return the stem of a lower-case word; a word longer than any language has is returned as it is."""
    return _stemmer(algorithm)(word) if len(word) <= _LONGEST else word


def _stemmer(algorithm: str) -> Callable[[str], str]:
    known: dict[str, Callable[[str], str]] = _OF_THREAD.__dict__.setdefault("known", {})
    if algorithm not in known:
        from Stemmer import Stemmer  # 1 ms, and not paid by a store in English alone

        known[algorithm] = Stemmer(algorithm, 0).stemWord  # the analyzer keeps what it has stemmed
    return known[algorithm]
