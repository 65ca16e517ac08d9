"""The stem of Russian words: Snowball's, and what it leaves on verbs and on nouns whose last vowel comes and goes."""

from __future__ import annotations

import re

from .snowball import snowball

_LEAST = 3
_PERSON = 2  # letters that say who does it
# After a hissing letter `ят` is written `ат`: `лежат` with `лежит`.
_THEY = ("жат", "чат", "шат", "щат")
# `пишут` with `пишет`; `заказать` with `заказ`, `заказывать`; `использовать` with `использует`.
_VERB = re.compile("(?<=.{2}[жчшщ])(?:ет|ут)$|(?<=.{3})(?:[ыи]ва|[ое]ва|а)$")
_CONSONANT = "[бвгджзклмнпрстфхцчшщ]"
# `ошибок` with `ошибка`, `отец` with `отца`, `палец` with `пальца`; after a vowel it is `й`: `строек` with `стройка`.
_FLEETING = re.compile(f"(?<=.{_CONSONANT})(?:[ое]|ь)(?={_CONSONANT}$)")
_FLEETING_AFTER_VOWEL = re.compile("(?<=.[аеиоуыюя])е(?=[кц]$)")


def russian(word: str) -> str:
    """Return the stem of a folded lower-case word."""
    if word.endswith(_THEY) and len(word) >= _LEAST + _PERSON:
        return word[:-_PERSON]
    stem = _VERB.sub("", snowball("russian", word))
    return _FLEETING_AFTER_VOWEL.sub("й", _FLEETING.sub("", stem))
