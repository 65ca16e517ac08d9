"""Twelve languages, two sets each: twenty questions over twenty answers among distractors of the same language.

Half of the questions share content words with their answers, in other forms; half share none. Sentences, templates and
words are in bench/sets/languages; those in its folder `heldout` are by somebody who had not seen the analyzer's rules.
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
PARTS: Final = {"first": ("keyword", "meaning"), "heldout": ("tune", "held", "meaning")}
_WAYS: Final = ("hybrid", "keyword mode", "bm25")
_SEVERAL: Final = 5


@dataclass(frozen=True, slots=True)
class Frame:
    """A sentence with places in it, and the words that may stand in each."""

    template: str
    words: dict[str, list[str]]

    def filled(self, chance: random.Random) -> str:
        """Return the sentence with words drawn by chance."""
        names = dict.fromkeys(name for _, name, _, _ in string.Formatter().parse(self.template) if name)
        return _sentence(self.template.format(**{name: chance.choice(self.words[name]) for name in names}))


@dataclass(frozen=True, slots=True)
class Language:
    """The labelled set of one language: (answer, question) pairs by part, and what distractors are made of."""

    code: str
    name: str
    pairs: dict[str, list[tuple[str, str]]]
    frames: list[Frame]

    @property
    def answers(self) -> list[str]:
        """Every answer, part after part."""
        return [answer for pairs in self.pairs.values() for answer, _ in pairs]

    def distractors(self, count: int, seed: int = 0) -> list[str]:
        """Return `count` different sentences from the frames in turn, the same for the same seed."""
        chance = random.Random(f"{self.code} {seed}")  # noqa: S311  # a sample
        found: dict[str, None] = {}
        for frame in cycle(self.frames):
            if len(found) == count:
                return list(found)
            found[frame.filled(chance)] = None
        return []


def sets() -> dict[str, list[Language]]:
    """Return every labelled set; the distractors of `heldout` are made of its own frames and those of `first`."""
    first = [_read(path, "first") for path in sorted(FOLDER.glob("*.toml"))]
    heldout = [_read(FOLDER / "heldout" / f"{one.code}.toml", "heldout", one.frames) for one in first]
    return {"first": first, "heldout": heldout}


def run(data: Path, *, sample: int | None = None, seed: int = 0) -> dict[str, Any]:
    """Return, for each set, language, part and way, how often the answer stands first and among the first five."""
    del data
    return {"embedder": MiniLm().identity, **asyncio.run(_run(sample or DISTRACTORS, seed))}


def tables(figures: Mapping[str, Any]) -> list[Table]:
    """Return a table a set of what stands first, a row a language and one for all of them."""
    under = f"{figures['embedder']}; {figures['distractors']:,} distractors"
    return [_table(f"{kind}; {under}", figures[kind], parts) for kind, parts in PARTS.items()]


def _table(title: str, figures: Mapping[str, Any], parts: Sequence[str]) -> Table:
    columns = [(part, way) for part in parts for way in _WAYS]
    rows = [(one["name"], [one[part][way]["hit@1"] for part, way in columns]) for one in figures.values()]
    rows.append(("all", [mean(column) for column in zip(*(shares for _, shares in rows), strict=True)]))
    heads = [f"{part}, {way}" for part, way in columns]
    return Table(
        ("hit@1", *heads), tuple((name, *(cell("hit@1", share) for share in shares)) for name, shares in rows), title
    )


async def _run(count: int, seed: int) -> dict[str, Any]:
    both = [(kind, language) for kind, found in sets().items() for language in found]
    figures: dict[str, Any] = {"distractors": count, **{kind: {} for kind in PARTS}}
    for kind, language in steps(both, "languages"):
        figures[kind][language.code] = await _measured(language, count, seed)
    return figures


async def _measured(language: Language, count: int, seed: int) -> dict[str, Any]:
    texts = [*language.distractors(count, seed), *language.answers]
    index = Bm25(texts)
    figures: dict[str, Any] = {"name": language.name}
    async with bed() as memory:
        await fill(memory, ({"content": text, "source": {"id": str(place)}} for place, text in enumerate(texts)))
        for part, pairs in language.pairs.items():
            places = [(texts.index(answer), question) for answer, question in pairs]
            ranks = {way: [await _found(memory, question, way, index) for _, question in places] for way in _WAYS}
            figures[part] = {way: _hits(found, [place for place, _ in places]) for way, found in ranks.items()}
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


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _read(path: Path, kind: str, frames: Sequence[Frame] = ()) -> Language:
    kept = tomllib.loads(path.read_text(encoding="utf-8"))
    words = {name: [word.strip() for word in listed.split("|")] for name, listed in kept["slots"].items()}
    pairs = {part: [(answer, question) for answer, question in kept[part]] for part in PARTS[kind]}
    return Language(path.stem, kept["name"], pairs, [*(Frame(one, words) for one in kept["templates"]), *frames])
