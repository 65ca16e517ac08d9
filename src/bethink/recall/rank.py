"""One additive score over what the sources found, and the floor under it. Pure: values in, values out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bethink.storage.values import Candidates, entries

from .confidence import RIVAL
from .ranking import Ranking
from .standing import AUTO, Decay, standing
from .timing import ANY_TIME, When, nearness, placed

# Chosen on training splits, with the floor and the words: bench/RESULTS.md, `fit`. They sum to one, so a score is 0..1.
WEIGHTS: Final = {"keyword": 0.403, "meaning": 0.127, "neighbours": 0.098, "speaker": 0.046, "words": 0.326}
# What the ties of a memory to the question count, where a caller asks for them: decision 0013.
GRAPH: Final = 0.013
# What the comparison of words would say, where it is missing, by what the other sources say: a long memory holds many
# words by chance, so what it means stands in for more of it than a regression over compared ones has it. Decision 0020.
STAND_IN: Final = {"keyword": 0.3, "meaning": 0.2, "neighbours": 0.1}
# What stands in a memory stands there, however long it is: where all of the question does, the keyword score is this
# at least. With 0.15 LongMemEval loses a question: decision 0020.
STANDING: Final = 0.1
# What its thread counts for a memory beside its own score of one: an answer stands near what matches best. The two that
# follow the best of a thread raise it by this share of what they reach beyond so much of the best: a talk about the
# matter comes before one good word in passing. What is in no thread has its own score in that place.
THREAD_SHARE: Final = 0.5
_COMPANY: Final = 0.4
_NEAR: Final = 0.7
_FOLLOW: Final = 2
# What the time counts beside them, where a question names one; and its order, where it asks for the first or the latest
# of what answers about as well. See bench/RESULTS.md, `timing`.
TIME: Final = 0.1
# Where a question asks for nothing else, the time counts this share and everything beside it the rest: a choice of
# meaning, for what is of another time is no answer then.
TIME_ALONE: Final = 0.7
ORDER: Final = 0.02
# What an assistant says to a person counts this share less for that person's own questions: it tells back what it was
# told, and at length.
RETOLD: Final = 0.4
# Where a question names who speaks in a conversation and somebody else says all that comes nearest, it is likely that
# nothing answers: this share of every score is doubted then. The nearest are so many, the better the more they say.
DOUBT: Final = 0.7
_DOUBTED: Final = 5
_TELLING: Final = 4
# What off-topic questions stay under: memories whose words were compared with theirs, and those whose were not.
FLOOR: Final = 0.16
FLOOR_UNCOMPARED: Final = 0.11
# Where something answers, what comes a third as near may answer too: the floor is there to say that nothing does.
FOLLOWING: Final = 0.3
# A literal hit is evidence of its own: this share of the best keyword score is enough. That score falls with the length
# of a text; where half of the question stands in it, words weighed by how rare they are, its length does not matter.
# It is a choice of meaning: on the benchmarks it changes nothing, see bench/RESULTS.md, `fit`.
LITERAL: Final = 0.12
# By meaning too an answer would be near: a little more is wanted of the words where the meaning is trusted.
LITERAL_BESIDE_MEANING: Final = 0.15
HELD: Final = 0.5

Values = NDArray[np.float64]


def ranked(
    found: Candidates,
    *,
    trust: float,
    now: int,
    when: When = ANY_TIME,
    decay: Decay = AUTO,
    floor: float | None = None,
    floors: Mapping[int, float] | None = None,
    explain: bool = False,
) -> Ranking:
    """Score candidates and order them, ties by number; `trust` (0..1): how far the embedder knows the words.

    `when` is the time asked about; by the age of a memory at `now` its score falls as `decay` says. `floor` is the
    caller's own, for all; `floors` those of namespaces that have one of their own, by id. What does not clear it is
    kept where the caller is to explain.
    """
    terms = _terms(found, trust, when)
    scores = _sum(terms)
    order = np.lexsort((found.numbers, -scores))
    doubt, third = _doubt(found, scores, order), _third(found, scores, order)
    least = _least(found, trust)
    usual = float(least[order[0]]) if len(order) else FLOOR
    terms |= _beside(found, scores, doubt, now, decay)
    total = _sum(terms)
    order = np.lexsort((found.numbers, -total))
    if floor is not None:
        clears = np.round(total, 4) >= floor  # as it is shown
    else:
        said, beside = (found, scores) if when == ANY_TIME else _beside_time(found, trust, when)
        clears = _clears(said, beside, least, floors or {}, trust)
        if when.alone:
            clears |= terms["time"] >= TIME_ALONE / 2
    clears = clears[order]
    under = order[~clears] if explain else order[:0]
    return _in_order(found, terms, order[clears], doubt=doubt, under=under, third=third, floor=usual)


def ranked_again(
    found: Candidates,
    numbers: Sequence[int],
    *,
    trust: float,
    now: int,
    when: When = ANY_TIME,
    decay: Decay = AUTO,
    doubt: float,
    third: float,
) -> Ranking:
    """Score candidates that were ranked before, in the order of `numbers`, with the doubt and third they had then."""
    terms = _terms(found, trust, when)
    terms |= _beside(found, _sum(terms), doubt, now, decay)
    places = {number: place for place, number in enumerate(found.numbers.tolist())}
    order = np.array([places[number] for number in numbers], np.int64)
    return _in_order(found, terms, order, doubt=doubt, under=order[:0], third=third)


def _sum(terms: Mapping[str, Values]) -> Values:
    first, *others = terms.values()
    return sum(others, first)  # a handful of short arrays: stacking them costs more than adding them up


def _beside(found: Candidates, scores: Values, doubt: float, now: int, decay: Decay) -> dict[str, Values]:
    """Return what counts of each memory but not for whether anything answers: the doubt, the trust, the freshness."""
    doubted = {"doubt": -doubt * scores} if doubt else {}
    return doubted | standing(found, (1 - doubt) * scores, now=now, decay=decay)


def _third(found: Candidates, scores: Values, order: NDArray[np.int64]) -> float:
    """Return the score of the third best entry, 0 where there is none: what takes one place counts once."""
    seen: set[int] = set()
    taken = entries(found.wordings, found.documents)
    for place in order.tolist():
        seen.add(int(taken[place]))
        if len(seen) == RIVAL:
            return float(scores[place])
    return 0.0


def _doubt(found: Candidates, scores: Values, order: NDArray[np.int64]) -> float:
    """Return which share of every score is in doubt, as the best are said by others than the one asked about."""
    if not found.by_others.any():
        return 0.0
    best = order[:_DOUBTED]
    weights = scores[best] ** _TELLING
    return DOUBT * float(weights @ found.by_others[best]) / float(weights.sum() or 1.0)


def _in_order(
    found: Candidates,
    terms: dict[str, Values],
    order: NDArray[np.int64],
    *,
    doubt: float,
    under: NDArray[np.int64],
    third: float,
    floor: float | None = None,
) -> Ranking:
    scores = _sum(terms)
    return Ranking(
        numbers=found.numbers[order],
        scores=scores[order],
        terms={name: values[order] for name, values in terms.items()},
        windows=found.window[order],
        wordings=found.wordings[order],
        documents=found.documents[order],
        namespaces=found.namespaces[order],
        doubt=doubt,
        rival=third,
        floor=floor,
        dropped=len(found.numbers) - len(order),
        under=found.numbers[under],
        under_scores=scores[under],
    )


def _beside_time(found: Candidates, trust: float, when: When) -> tuple[Candidates, Values]:
    """Return the candidates as they answer what a question asks beside its time, and their scores for that.

    The right time alone makes no answer, and the words that name it need not stand in one.
    """
    every = sum(found.rarity.values())
    asked = every - sum(found.rarity.get(term, 0.0) for term in when.aside)
    if 0 < asked < every:
        share = asked / every
        found = replace(found, best_keyword=found.best_keyword * share, held=found.held / share)
    return found, _sum(_terms(found, trust))


def _clears(
    found: Candidates, scores: Values, least: Values, floors: Mapping[int, float], trust: float
) -> NDArray[np.bool_]:
    literal = LITERAL + trust * (LITERAL_BESIDE_MEANING - LITERAL)
    clears = (scores >= least) | (found.keyword >= literal * (found.best_keyword or 1.0)) | (found.held >= HELD)
    measured = np.ones(len(scores), np.bool_)
    for namespace, own in floors.items():
        here = found.namespaces == namespace
        clears[here], measured[here] = scores[here] >= own, False
    if (clears & measured).any():
        clears |= measured & (scores >= least * FOLLOWING)
    return clears


def _least(found: Candidates, trust: float) -> Values:
    """Return the usual floor of each, as far as its words were compared and say something."""
    return np.where(np.isnan(found.words), FLOOR_UNCOMPARED, FLOOR_UNCOMPARED + trust * (FLOOR - FLOOR_UNCOMPARED))


def first_scores(found: Candidates, *, trust: float, when: When = ANY_TIME) -> Values:
    """Score candidates by themselves, before their words are compared."""
    scores = _own(_said(found, trust))
    beside, timely = _shares(when)
    return beside * scores + timely * nearness(when.times, found) if when.times else scores


def evidence(found: Candidates, *, trust: float) -> dict[str, Values]:
    """Return what each source says of each candidate, from 0 to 1 and unweighed, by the names that `explain` prints.

    The time is none of them: `timing.nearness` says it, where a question names one.
    """
    said = _said(found, trust)
    stand_in = sum((share * said[name] for name, share in STAND_IN.items()), np.zeros(len(found.numbers)))
    told = (1 - RETOLD * found.by_assistant) * found.words
    words = np.where(np.isnan(told), stand_in, trust * told + (1 - trust) * stand_in)
    known = said | {"words": words}
    return known if found.linked is None else known | {"graph": found.linked}


def _said(found: Candidates, trust: float) -> dict[str, Values]:
    """What is known without a comparison of words."""
    own = np.where(np.isnan(found.cosine), 0.0, found.cosine)
    around = np.where(np.isnan(found.neighbour_cosine), own, found.neighbour_cosine)
    counted = 1 - RETOLD * found.by_assistant
    keyword = found.keyword / (found.best_keyword or 1.0)
    return {
        "keyword": counted * np.minimum(np.maximum(keyword, STANDING * found.held), 1.0),
        "meaning": trust * counted * own,
        "neighbours": trust * counted * around,
        "speaker": found.spoken,
    }


def _own(said: Mapping[str, Values]) -> Values:
    return _sum({name: WEIGHTS[name] * values for name, values in said.items()})


def of_thread(threads: NDArray[np.int64], scores: Values) -> Values:
    """Return for each the best score of its thread, raised where others of it come near; its own where in none."""
    if not threads.any():
        return scores
    order = np.lexsort((-scores, threads))
    starts = np.flatnonzero(np.diff(threads[order], prepend=-1))
    thread = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(order)))
    falling = scores[order]
    best, place = falling[starts], np.arange(len(order)) - starts[thread]
    beyond = np.maximum(falling - _NEAR * best[thread], 0.0)
    raised = best + _COMPANY * np.bincount(thread, np.where((place > 0) & (place <= _FOLLOW), beyond, 0.0))
    found = np.empty(len(scores))
    found[order] = raised[thread]
    return np.where(threads > 0, found, scores)


def _terms(found: Candidates, trust: float, when: When = ANY_TIME) -> dict[str, Values]:
    weights = WEIGHTS | {"graph": GRAPH}
    beside, timely = _shares(when)
    share = beside / (1 + THREAD_SHARE)
    own = {name: share * weights[name] * said for name, said in evidence(found, trust=trust).items()}
    terms = own | {"thread": of_thread(found.threads, THREAD_SHARE * _sum(own))}
    if when.times:
        terms["time"] = timely * nearness(when.times, found)
    if when.order:
        terms["order"] = ORDER * placed(when.order, found, _sum(terms))
    return terms


def _shares(when: When) -> tuple[float, float]:
    """Return what counts for everything else, and for the time that a question names."""
    return (1 - TIME_ALONE, TIME_ALONE) if when.alone else (1.0, TIME)
