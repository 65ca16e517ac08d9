"""The stem of Hindi words: Snowball's, of one of the two spellings that are both in use."""

from __future__ import annotations

import re

from .snowball import snowball

# `हिन्दी` is written `हिंदी` too: a nasal before a consonant of its own class.
_NASAL = re.compile("ङ्(?=[क-घ])|ञ्(?=[च-झ])|ण्(?=[ट-ढ])|न्(?=[त-ध])|म्(?=[प-भ])")
# `गये` and `गए`, `रुपये` and `रुपए`; `नयी` and `नई`.
_GLIDES = ((re.compile("(?<=.)ए$"), "ये"), (re.compile("(?<=.)यी$"), "ई"))


def hindi(word: str) -> str:
    """Return the stem of a folded word."""
    word = _NASAL.sub("ं", word)
    for written, meant in _GLIDES:
        word = written.sub(meant, word)
    return snowball("hindi", word)
