"""Who speaks: the label at the head of a text, as in `Anna: ...`, and of a turn in a transcript."""

from __future__ import annotations

import re

from .analyzer import analyze

# At most forty characters, with a space behind the colon, or a full-width one, which needs none.
LABEL = re.compile(r"(?P<label>[^\W\d_][\w .'\u2019-]{0,39})(?:: |\uff1a)(?=\S)")
_MOST_WORDS = 3
# The parts of a conversation with an assistant: they name nobody.
_ROLES = frozenset({"assistant", "ai", "bot", "human", "model", "system", "user"})


def speaker_of(text: str) -> str | None:
    """Return the terms, with spaces between, of the name that a text begins with; None where it begins otherwise.

    A name is up to three words that do not begin in lower case: `The reason is: ...` names nobody.
    """
    found = LABEL.match(text.lstrip())
    words = found["label"].split() if found else []
    if not 0 < len(words) <= _MOST_WORDS or any(word[0].islower() for word in words):
        return None
    return None if found and found["label"].lower() in _ROLES else " ".join(dict.fromkeys(analyze(" ".join(words))))
