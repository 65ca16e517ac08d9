"""The graph as a source: what hangs together with a question by what memories mention and how they are related."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from bethink.graph.question import named
from bethink.graph.walk import walk
from bethink.storage.protocol import Candidates, Question, Reader, Selection

from .rank import scores

_SEEDS: Final = 10
_MOST_ADDED: Final = 50


def with_links(
    reader: Reader, found: Candidates, question: Question, selection: Selection, *, query: str, trust: float
) -> Candidates:
    """Return candidates with how far each is tied to the question, and with what only its ties lead to.

    Where the candidates were chosen already (`question.among`), no others are added.
    """
    score = scores(found, trust=trust)
    best = np.lexsort((found.numbers, -score))[:_SEEDS]
    seeds = {int(found.numbers[place]): float(score[place]) for place in best if score[place] > 0}
    entities = [entity for one in named(reader, selection, query) for entity in one.ids.values()]
    reached = walk(reader, selection, entities, seeds, found.size)
    if question.among is None:
        known = set(found.numbers.tolist())
        added = sorted(reached.keys() - known, key=lambda number: (-reached[number], number))[:_MOST_ADDED]
        if added:
            found = reader.candidates(replace(question, among=(*known, *added)), selection)
    return replace(found, linked=np.array([reached.get(number, 0.0) for number in found.numbers.tolist()]))
