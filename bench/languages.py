"""Twelve languages: twenty questions each over twenty answers among distractors of the same language.

Half of the questions share content words with their answers, in other forms; half share none. Sentences, templates and
words are in bench/sets/languages.
"""

from __future__ import annotations

import asyncio
import random
import string
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import Any, Final

from bethink.engine import Bethink
from bethink.models.minilm import MiniLm
from bethink.vocabulary import Mode

from .bed import bed, fill
from .progress import steps
from .report import Table, cell
from .scoring import Bm25, mean

FOLDER: Final = Path(__file__).parent / "sets" / "languages"
DISTRACTORS: Final = 2_000
_HALVES: Final = ("keyword", "meaning")
_WAYS: Final = ("hybrid", "keyword mode", "bm25")
_SEVERAL: Final = 5


@dataclass(frozen=True, slots=True)
class Language:
    """The labelled set of one language: (answer, question) pairs by half, and what distractors are made of."""

    code: str
    name: str
    pairs: dict[str, list[tuple[str, str]]]
    templates: list[str]
    words: dict[str, list[str]]

    @property
    def answers(self) -> list[str]:
        """Every answer, those of the keyword half first."""
        return [answer for half in _HALVES for answer, _ in self.pairs[half]]

    def distractors(self, count: int, seed: int = 0) -> list[str]:
        """Return `count` different sentences from the templates in turn, the same for the same seed."""
        chance = random.Random(f"{self.code} {seed}")  # noqa: S311  # a sample
        found: dict[str, None] = {}
        for template in cycle(self.templates):
            if len(found) == count:
                return list(found)
            names = dict.fromkeys(name for _, name, _, _ in string.Formatter().parse(template) if name)
            found[_sentence(template.format(**{name: chance.choice(self.words[name]) for name in names}))] = None
        return []


def languages() -> list[Language]:
    """Return every labelled set."""
    return [_read(path) for path in sorted(FOLDER.glob("*.toml"))]


def run(data: Path, *, sample: int | None = None, seed: int = 0) -> dict[str, Any]:
    """Return, for each language, half and way, how often the answer stands first and among the first five."""
    del data
    return {"embedder": MiniLm().identity, **asyncio.run(_run(sample or DISTRACTORS, seed))}


def tables(figures: Mapping[str, Any]) -> list[Table]:
    """Return a table of what stands first, a row a language."""
    rows = [(names["name"], *_shares(names)) for names in figures.values() if isinstance(names, Mapping)]
    heads = [f"{half} half, {way}" for half in _HALVES for way in _WAYS]
    return [Table(("hit@1", *heads), tuple(rows), f"{figures['embedder']}; {figures['distractors']:,} distractors")]


async def _run(count: int, seed: int) -> dict[str, Any]:
    found = {language.code: await _measured(language, count, seed) for language in steps(languages(), "languages")}
    return {"distractors": count, **found}


async def _measured(language: Language, count: int, seed: int) -> dict[str, Any]:
    texts = [*language.distractors(count, seed), *language.answers]
    index = Bm25(texts)
    figures: dict[str, Any] = {"name": language.name}
    async with bed() as memory:
        await fill(memory, ({"content": text, "source": {"id": str(place)}} for place, text in enumerate(texts)))
        for half in _HALVES:
            places = [(texts.index(answer), question) for answer, question in language.pairs[half]]
            ranks = {way: [await _found(memory, question, way, index) for _, question in places] for way in _WAYS}
            figures[half] = {way: _hits(found, [place for place, _ in places]) for way, found in ranks.items()}
    return figures


async def _found(memory: Bethink, question: str, way: str, index: Bm25) -> list[int]:
    if way == "bm25":
        return index.rank(question)[:_SEVERAL].tolist()
    mode = Mode.hybrid if way == "hybrid" else Mode.keyword
    page = await memory.recall(question, limit=_SEVERAL, mode=mode)
    return [int(hit.source.id) for hit in page.hits if hit.source]


def _hits(found: Sequence[Sequence[int]], places: Sequence[int]) -> dict[str, float]:
    pairs = list(zip(found, places, strict=True))
    return {
        f"hit@{depth}": mean([float(place in ranked[:depth]) for ranked, place in pairs]) for depth in (1, _SEVERAL)
    }


def _shares(figures: Mapping[str, Any]) -> list[str]:
    return [cell("hit@1", figures[half][way]["hit@1"]) for half in _HALVES for way in _WAYS]


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _read(path: Path) -> Language:
    kept = tomllib.loads(path.read_text(encoding="utf-8"))
    words = {name: [word.strip() for word in listed.split("|")] for name, listed in kept["slots"].items()}
    pairs = {half: [(answer, question) for answer, question in kept[half]] for half in _HALVES}
    return Language(path.stem, kept["name"], pairs, kept["templates"], words)
