"""The stem of Spanish words: Snowball's, made one where the spelling or the vowel of a stem changes."""

from __future__ import annotations

import re

from .irregular import stems
from .snowball import snowball

_SHORTEST = 4
_SOFT = re.compile("(?:z?c|(qu)|(gu))$")  # before e and i; `zc` before others too
_ACCENT = re.compile("[áéíóú]")
# `devuélvele` has that of `devuelve`.
_JOINED = re.compile("(?<=[aeiouáéíóúrn])(?:[mts]e|nos)?l(?:[ao]s?|e)$|(?<=[aeiou])me$")
_STRESSED = re.compile("(?:(i)|u)e(?=[^aeiou]+$)")
_IRREGULAR = stems("""
    abr: abiert abert abrir; anda: anduv; cab: cup; conduz: conduj; cubr: cubiert cubert; descubr: descubiert
    descubert; devolv: devuelt devolt; dez: dij dich dig diz; dorm: durm; eleg: elig elij; escrib: escrit escr; haz:
    hiz hech hag; jug: jueg; med: mid; mor: mur muert mort; ped: pid; pod: pud pued; prefer: prefir; produz: produj;
    quer: quis quier; reduz: reduj; repet: repit; resolv: resuelt resolt; romp: rot; sab: sup; sent: sint; serv:
    sirv; tra: traj traig; traduz: traduj; volv: vuelt volt
""")
_PREFIXED = re.compile(
    "(|com|con|de|dis|ex|im|man|ob|pro|re|sos|su)(?:(tuv|teng|tendr|tien)|(?:pus|puest|post|pong|pondr))"
)


def spanish(word: str) -> str:
    """Return the stem of a lower-case word.

    `nuez` has that of `nueces`, `copió` of `copia`, `alergia` of `alérgica`, `casita` of `casa`, `busqué` of `busca`,
    `duerme` of `dormir`, `hizo` of `hecho`.
    """
    if _ACCENT.search(word):
        word = _JOINED.sub("", word)
    stem = _spelled(word, _shortened(snowball("spanish", word)))
    if stem in _IRREGULAR:
        return _IRREGULAR[stem]
    if verb := _PREFIXED.fullmatch(stem):
        return verb[1] + ("ten" if verb[2] else "pon")
    plain = _STRESSED.sub(lambda found: "e" if found[1] else "o", stem)
    return _IRREGULAR.get(plain, plain) if len(plain) >= _SHORTEST else stem


def _shortened(stem: str) -> str:
    if stem.endswith("it") and len(stem) > _SHORTEST:
        return stem[:-2]
    return stem[:-1] if stem.endswith("i") and len(stem) >= _SHORTEST else stem


def _spelled(word: str, stem: str) -> str:
    """Write the end of a stem as it is before other vowels: `lápices` with `lápiz`, `pague` with `pagar`."""
    if stem.endswith("zc"):
        return stem[:-1]
    if word[len(stem) :][:1] not in set("eiéí") or not (end := _SOFT.search(stem)):
        return stem
    return stem[: end.start()] + ("c" if end[1] else "g" if end[2] else "z")
