"""The graph as a source: what hangs together with a question by what memories mention and how they are related."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np

from bethink.recall.rank import first_scores
from bethink.storage.protocol import Reader
from bethink.storage.values import Candidates, Question, Selection

from .pagerank import walk
from .question import named

_SEEDS: Final = 10
_MOST_ADDED: Final = 50


def linked_candidates(
    reader: Reader, question: Question, selection: Selection, *, query: str, trust: float
) -> Candidates:
    """Return candidates with how far each is tied to the question, and with what only its ties lead to.

    Where the candidates were chosen already (`question.among`), no others are added.
    """
    ties = _Ties(reader, selection, query, trust, adds=question.among is None)
    found = reader.candidates(question, selection, widen=ties.reach)
    return replace(found, linked=np.array([ties.reached.get(number, 0.0) for number in found.numbers.tolist()]))


@dataclass(slots=True)
class _Ties:
    """What a walk from the question and its best hits comes to."""

    reader: Reader
    selection: Selection
    query: str
    trust: float
    adds: bool
    reached: dict[int, float] = field(default_factory=dict)

    def reach(self, found: Candidates) -> list[int]:
        """Walk from what was found, and return what else to take up."""
        score = first_scores(found, trust=self.trust)
        best = np.lexsort((found.numbers, -score))[:_SEEDS]
        seeds = {int(found.numbers[place]): float(score[place]) for place in best if score[place] > 0}
        entities = named(self.reader, self.selection, self.query)
        self.reached = walk(self.reader, self.selection, entities, seeds, found.size)
        others = self.reached.keys() - set(found.numbers.tolist()) if self.adds else ()
        return sorted(others, key=lambda number: (-self.reached[number], number))[:_MOST_ADDED]
