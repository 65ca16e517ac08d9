"""The stem of German words: Snowball's, and what it leaves on verbs."""

from __future__ import annotations

import re

from .snowball import snowball

# "kopiert" with "kopieren", "geplant" with "planen", "hängt" with "hängen".
_FOREIGN_VERB = re.compile("(?<=.{3}i)ert$")
_PARTICIPLE = re.compile("^ge(?=.{3,}t$)")
_THIRD_PERSON = re.compile("(?<=.{3}[bcdfghklmnpr])t$")


def german(word: str) -> str:
    """Return the stem of a lower-case word."""
    stem = snowball("german", word)
    shorter = _FOREIGN_VERB.sub("", stem)
    return shorter if shorter != stem else _THIRD_PERSON.sub("", _PARTICIPLE.sub("", stem))
