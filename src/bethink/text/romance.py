"""The stem of Spanish words: Snowball's, made one where spelling or an unstressed i parts it."""

from __future__ import annotations

from .snowball import snowball

_SHORTEST = 4


def spanish(word: str) -> str:
    """Return the stem of a lower-case word.

    `nuez` has that of `nueces`, `copió` of `copia`, `alergia` of `alérgica`, `casita` of `casa`.
    """
    stem = snowball("spanish", word)
    if word.endswith("ces") and stem.endswith("c"):
        return stem[:-1] + "z"
    if stem.endswith("it") and len(stem) > _SHORTEST:
        return stem[:-2]
    return stem[:-1] if stem.endswith("i") and len(stem) >= _SHORTEST else stem
