"""Who speaks: the label at the head of a text, as in `Anna: ...`, and of a turn; whether a question means its asker."""

from __future__ import annotations

import re

from .analyzer import analyze

# At most forty characters, with a space behind the colon, or a full-width one, which needs none.
LABEL = re.compile(r"(?P<label>[^\W\d_][\w .'\u2019-]{0,39})(?:: |\uff1a)(?=\S)")
_MOST_WORDS = 3
_LOOKED_AT = 2_000
# The parts of a conversation with an assistant: they name nobody, but a person's turn is of whoever asks as "I".
_PERSONS = frozenset({"human", "user"})
_ASSISTANTS = frozenset({"assistant", "ai", "bot", "model", "system"})
_ROLES = _PERSONS | _ASSISTANTS
# Where another has the word further down, a text is no turn but a transcript.
_ANSWERED, _ASKED = (
    re.compile(rf"\n[ \t]*\n\s*(?:{'|'.join(sorted(roles))})[ \t]*:\s", re.IGNORECASE)
    for roles in (_ASSISTANTS, _PERSONS)
)
# They stand for the two in a conversation with an assistant; no text has them as terms.
ASKER, ASSISTANT = "(asker)", "(assistant)"
_FIRST_PERSON_WORDS = """
i me my mine myself we us our ours ourselves
ich mich mir mein meine meinem meinen meiner wir uns unser unsere je moi mon mes nous notre nos
yo mi mis nuestro nuestra eu meu meus minha minhas io mio mia miei mie я меня мне мой моя мои мы нам нас наш
"""
_FIRST_PERSON = frozenset(_FIRST_PERSON_WORDS.split())
_UNSPACED_FIRST_PERSON = re.compile("[我私僕俺]|(?<!\\w)(?:나는|내가|나의|저는|제가)")


def speaker_of(text: str) -> str | None:
    """Return the terms, with spaces between, of the name that a text begins with; None where it begins otherwise.

    A name is up to three words that do not begin in lower case: `The reason is: ...` names nobody. `user: ...`, a turn
    and no transcript, is of the one who asks, and `assistant: ...` of the one who answers.
    """
    found = LABEL.match(text.lstrip())
    if found and (role := found["label"].lower()) in _ROLES:
        speaker, other = (ASKER, _ANSWERED) if role in _PERSONS else (ASSISTANT, _ASKED)
        return None if other.search(text) else speaker
    words = found["label"].split() if found else []
    if not 0 < len(words) <= _MOST_WORDS or any(word[0].islower() for word in words):
        return None
    return " ".join(dict.fromkeys(analyze(" ".join(words))))


def is_first_person(question: str) -> bool:
    """Say whether a question is about the one who asks it; `US` and `MY` in capitals are names."""
    words = re.findall(r"[^\W\d_]+", question[:_LOOKED_AT])
    spoken = (word.lower() for word in words if len(word) == 1 or not word.isupper())
    return not _FIRST_PERSON.isdisjoint(spoken) or _UNSPACED_FIRST_PERSON.search(question[:_LOOKED_AT]) is not None
