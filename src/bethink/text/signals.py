"""What a text tells about itself: how much it matters, how fast it goes out of date, what it is about."""

from __future__ import annotations

import math
import re
from collections import Counter
from functools import cache
from typing import Literal

from . import fold
from .analyzer import analyze
from .stopwords import STOP_WORDS

_LOOKED_AT = 20_000
_SCANT = 20

_OF_KIND = {
    "decision": 0.65, "incident": 0.65, "architecture": 0.6, "preference": 0.6, "lesson": 0.6, "bug": 0.55,
    "pattern": 0.55, "workflow": 0.55, "learning": 0.55, "insight": 0.55, "observation": 0.5, "meeting": 0.45,
    "fact": 0.45, "context": 0.4, "document": 0.4, "session_state": 0.35, "session": 0.3, "conversation": 0.3,
    "chunk": 0.3, "turn": 0.25,
}  # fmt: skip
_OF_OTHER_KIND = 0.45
_WEIGHTY = (
    "decide decided decision agreed chose chosen approved rejected must never always required critical important"
    " outage incident breach vulnerability vulnerabilities deadline deadlines regression warning postmortem remember"
    " prefer prefers allergic root-cause data-loss breaking-change rolled-back do-not must-not blocked-by"
)
_SMALL_TALK = re.compile(
    r"\A\W*(?:ok(?:ay)?|thanks?(?: you)?|hi|hello|hey|yes|no|sure|great|cool|lol|test)\b[^\n]{0,20}\Z", re.IGNORECASE
)
_SPECIFIC = re.compile(r"[0-9_@]|::|\(\)|://|[a-z][A-Z]|[A-Z]{2}|\w\.[a-z]{1,5}\b")
_STABLE_KINDS = frozenset(
    {"preference", "lesson", "learning", "pattern", "incident", "meeting", "turn", "conversation"}
)
_VOLATILE_KINDS = frozenset({"session", "session_state"})
_VOLATILE = (
    "currently today tonight tomorrow temporary temporarily wip pending todo blocked right-now at-the-moment for-now"
    " this-week this-sprint this-morning in-progress waiting-for waiting-on next-step next-steps on-call is-down"
    " is-running is-failing is-open will-be-done will-be-fixed will-be-merged as-of"
)
_STABLE = "always never convention birthday policy principle prefer prefers permanently by-design in-general was-born"
_LETTERS = re.compile("[a-z]+")
_WORD = re.compile(r"[^\W_][\w'’.+#/:-]*[\w+#]|[^\W_]")
_DENSE_WORD = re.compile(f"{fold.HAN}{{2,6}}|{fold.KATAKANA}{{3,}}|{fold.HANGUL}{{2,}}|{fold.UNSPACED}{{4,}}")


def importance(text: str, kind: str = "fact") -> float:
    """Return 0 to 1 from the kind, the wording of decisions and incidents, and how specific the text is."""
    sample = text[:_LOOKED_AT]
    if _SMALL_TALK.match(sample):
        return 0.1
    score = _OF_KIND.get(kind, _OF_OTHER_KIND)
    score += min(0.15, 0.05 * _cues(sample, _WEIGHTY))
    score += min(0.15, 0.03 * _specifics(sample))
    if len(sample) < _SCANT:
        score -= 0.1
    return round(max(0.0, min(score, 1.0)), 3)


def volatility(text: str, kind: str = "fact") -> Literal["volatile", "normal", "stable"]:
    """Return how fast the text goes out of date, from its kind and its words about now and always."""
    sample = text[:_LOOKED_AT]
    now, always = _cues(sample, _VOLATILE), _cues(sample, _STABLE)
    if kind in _VOLATILE_KINDS or (now > always and kind not in _STABLE_KINDS):
        return "volatile"
    return "stable" if (kind in _STABLE_KINDS and now <= always) or always > now else "normal"


def keywords(text: str, limit: int = 8) -> list[str]:
    """Return the words that tell most of what `text` is about, as written, the most telling first."""
    spellings: dict[str, Counter[str]] = {}
    for word in _candidates(text[:_LOOKED_AT]):
        terms = analyze(word)
        if terms:
            spellings.setdefault(terms[0], Counter())[word] += 1
    ranked = sorted(spellings.values(), key=_telling, reverse=True)
    return [spelling.most_common(1)[0][0] for spelling in ranked[:limit]]


def _cues(text: str, cues: str) -> int:
    """How many different cues stand in `text`; a hyphen in a cue is a gap between words."""
    words, runs = _split_cues(cues)
    present = _LETTERS.findall(text.lower())
    line = f" {' '.join(present)} "
    return len(words.intersection(present)) + sum(run in line for run in runs)


@cache
def _split_cues(cues: str) -> tuple[frozenset[str], tuple[str, ...]]:
    every = cues.split()
    runs = tuple(f" {cue.replace('-', ' ')} " for cue in every if "-" in cue)
    return frozenset(cue for cue in every if "-" not in cue), runs


def _specifics(text: str) -> int:
    """How many different words are identifiers, numbers, dates or addresses."""
    return sum(1 for word in set(text.split()) if not word.islower() or not word.isalpha() if _SPECIFIC.search(word))


def _candidates(text: str) -> list[str]:
    words = [word for word in _WORD.findall(text) if word.isascii() or not _is_dense(word)]
    spaced = [word for word in words if word[2:] and word.lower() not in STOP_WORDS and not word.isdigit()]
    if text.isascii():
        return spaced
    folded = fold.fold(text)
    return spaced + [folded[found.start() : found.end()] for found in _DENSE_WORD.finditer(fold.shape(folded))]


def _is_dense(word: str) -> bool:
    return any(character in fold.DENSE for character in fold.shape(word))


def _telling(spelling: Counter[str]) -> float:
    word = spelling.most_common(1)[0][0]
    identifier = bool(re.search(r"[\d_./:#+-]|[a-z][A-Z]", word))
    name = word[:1].isupper()
    return math.sqrt(spelling.total()) * (1 + 0.6 * identifier + 0.4 * name + 0.02 * min(len(word), 12))
