"""What the indexes need of a memory: weighted terms, and vectors of its windows."""

from __future__ import annotations

import re
from collections import Counter
from functools import partial
from typing import Final

from bethink.domain import Memory
from bethink.models.protocol import Embedder, Tokens
from bethink.text import analyzer
from bethink.text.analyzer import tells
from bethink.text.windows import windows

# Weights are in tenths of an occurrence: what an assistant said in a transcript counts a tenth of what a person said.
# Chosen on LongMemEval: bench/RESULTS.md, `fit`.
UNIT: Final = 10
TITLE_WEIGHT: Final = 2 * UNIT
TAG_WEIGHT: Final = 2 * UNIT
ASSISTANT_WEIGHT: Final = 1
# Other labels at the head of a paragraph, such as "Note: ", belong to the turn that they stand in.
_ROLE: Final = re.compile(
    r"(?:\A|(?<!\s)(?>\s*?\n[ \t]*\n\s*))(?:(?P<assistant>assistant|ai|model|bot|system)|user|human)[ \t]*:\s",
    re.IGNORECASE,
)
# Of the turns of LoCoMo 1 in 200 has more, of those of LongMemEval 58 in 100.
MOST_TELLING: Final = 48
_MOST_TITLE_TOKENS: Final = 64
_MOST_WEIGHT: Final = 255


def index_terms(memory: Memory, *, title_given: bool) -> dict[str, int]:
    """Return the terms of a memory and how much each weighs: how often it occurs, more in titles and tags."""
    weights: Counter[str] = Counter()
    add = partial(_add, weights, memory.language)
    for text, weight in _parts(memory.content):
        add(text, weight)
    if title_given:
        add(memory.title, TITLE_WEIGHT)
    if memory.context:
        add(memory.context, UNIT)
    for tag in memory.tags:
        add(tag, TAG_WEIGHT)
    return {term: min(weight, _MOST_WEIGHT) for term, weight in weights.items()}


def passages(memory: Memory, embedder: Embedder, *, title_given: bool) -> list[tuple[int, int, str]]:
    """Return the windows of a memory as (start, stop, the text to embed); a given title heads each of them."""
    head = f"{memory.title}\n" if title_given and memory.title not in memory.content[:400] else ""
    room = embedder.window - min(len(embedder.token_starts(head)), _MOST_TITLE_TOKENS) if head else embedder.window
    spans = windows(memory.content, embedder.token_starts(memory.content), room)
    return [(start, stop, head + memory.content[start:stop].strip()) for start, stop in spans]


def telling_codes(text: str, tokens: Tokens) -> bytes | None:
    """Return the codes of those tokens whose words tell what `text` is about, one after the other.

    None of a text that has many: one of few words is compared word by word, a longer one is told by its vectors.
    """
    telling = [tells(text[start:stop]) for start, stop in tokens.words]
    return tokens.codes[telling].tobytes() if sum(telling) <= MOST_TELLING else None


def _parts(content: str) -> list[tuple[str, int]]:
    """A text and its weight; in a transcript of a person and an assistant each turn with its own."""
    turns = list(_ROLE.finditer(content))
    if len(turns) < 2 or turns[0].start() != 0:  # noqa: PLR2004  # one label alone makes no conversation
        return [(content, UNIT)]
    stops = [*(turn.start() for turn in turns[1:]), len(content)]
    weights = [ASSISTANT_WEIGHT if turn["assistant"] else UNIT for turn in turns]
    return [(content[turn.end() : stop], weight) for turn, stop, weight in zip(turns, stops, weights, strict=True)]


def _add(weights: Counter[str], language: str | None, text: str, weight: int) -> None:
    for term, count in analyzer.index_terms(text, language).items():
        weights[term] += round(weight * count)
