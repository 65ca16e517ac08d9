"""Each benchmark over a few lines of its data: the figures that such a set must give."""

import asyncio
import dataclasses

import numpy as np
import pytest

from bench import ablation, beam, beir, longmemeval, pooled, worst
from bench.bed import bed
from bench.evidence import Asked, Sources, Store, Weights
from bench.fit import aim, report, run, tables
from bench.locomo import sampled
from bench.related import lowest
from bench.tools import run as list_tools
from bench.tools import tokens
from bethink.recall.rank import ranked
from bethink.recall.timing import ANY_TIME, Around, When
from bethink.storage.values import Candidates
from bethink.text.times import DAY, Span


def test_longmemeval_finds_the_only_session_that_answers(data):
    found = longmemeval.run(data)

    assert {name: found[name] for name in ("any@1", "all@5", "n", "memories_a_store")} == {
        "any@1": 1.0,
        "all@5": 1.0,
        "n": 2,
        "memories_a_store": 2.0,
    }


def test_pooled_asks_one_store_of_all_sessions(data):
    found = pooled.run(data)

    assert {name: found[name] for name in ("any@1", "any@50", "n", "memories")} == {
        "any@1": 1.0,
        "any@50": 1.0,
        "n": 2,
        "memories": 2,
    }


def test_beam_measures_every_size_by_ability_with_the_baseline_beside_it(data):
    found = beam.run(data)["100k"]

    assert (found["frac@10"], found["n"]) == (1.0, 1)
    assert found["abilities"] == {"information_extraction frac@10": 1.0} == found["bm25"]["abilities"]


def test_beir_measures_every_folder_with_the_baseline_beside_it(data):
    (found,) = beir.run(data).values()

    assert {name: found[name] for name in ("ndcg@10", "r@1", "n", "memories")} == {
        "ndcg@10": 1.0,
        "r@1": 1.0,
        "n": 2,
        "memories": 2,
    }
    assert found["bm25"]["n"] == 2


def test_a_sample_of_talks_keeps_every_talk_and_category(data):
    from bench.data import locomo

    talks = sampled(locomo(data), 1, 0)

    assert [[case.label for case in talk.cases] for talk in talks] == [["1", "4", "5"]] * 4


def test_fit_asks_both_halves_of_both_sets(data):
    found = run(data)

    assert found["n"] == {
        "tune": {"locomo": 6, "longmemeval": 1, "far": 6},
        "held": {"locomo": 2, "longmemeval": 1, "far": 2},
    }
    assert [table.title.split(":")[0].split(";")[0] for table in tables(found)][:2] == ["locomo", "longmemeval"]


def asked(kind, half, gold, *terms):
    return Asked(kind, half, frozenset(gold), ("a", "b"), np.array(terms), np.zeros(2, np.int64), ("b", "a"))


EVIDENCE = [
    asked(kind, half, {"a"}, [0.2, 0.3], [0.9, 0.1], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0])
    for kind in ("locomo", "longmemeval")
    for half in ("tune", "held")
]


def test_fit_ranks_by_the_weighted_sum():
    (first, *_) = EVIDENCE

    assert first.ranked(Weights(1, 0, 0)) == ["b", "a"]
    assert first.ranked(Weights(1, 0.5, 0)) == ["a", "b"]


def test_fit_takes_the_weights_that_are_best_where_it_may_look():
    found = report(EVIDENCE)

    assert found["rows"]["keyword alone"]["tune"]["longmemeval"]["any@1"] == 0
    best = next(row for name, row in found["rows"].items() if name.startswith("best"))
    assert aim(best["tune"]) == aim(best["held"]) == 1


def test_fit_counts_far_questions_that_nothing_clears():
    far = asked("far", "tune", (), [0.05, 0.0], [0.1, 0.1], [0.1, 0.1], [0.0, 0.0], [0.0, 0.0])

    assert report([*EVIDENCE, far])["floors"]["0.12; inf"]["tune"] == {
        "far empty": 1.0,
        "any@10 lost": 0.0,
        "gold under": 0.0,
    }


def test_tools_are_counted_four_bytes_a_token():
    found = list_tools(None)

    assert found["core"] == tokens(b" " * found["bytes"]["core"]) <= found["full"]
    assert found["tools"]["core"] > 0


@pytest.mark.parametrize(("size", "count"), [(0, 0), (1, 1), (4, 1), (5, 2)])
def test_a_part_of_a_token_is_a_token(size, count):
    assert tokens(b"x" * size) == count


def test_statements_of_one_matter_are_told_by_the_lowest_cosine_that_is_right_often_enough():
    pairs = [(0.9, True), (0.72, True), *((cosine, False) for cosine in (0.71, 0.62, 0.61, 0.58, 0.57, 0.57, 0.56))]

    assert (lowest(pairs), lowest([(0.9, False)]), lowest([])) == (0.6, None, None)


def test_statements_are_read_with_the_turns_that_they_rest_on(data):
    from bench.data import locomo_statements
    from bench.related import run as belong

    found = belong(data)

    assert [len(said) for said in locomo_statements(data).values()] == [2] * 4
    assert locomo_statements(data)["talk-0"][0] == ("Ann planted trees.", frozenset({"D1:1", "D1:3"}))
    assert found["tune"]["any"] == found["report"]["any"]
    assert (found["tune"]["any"]["hits"], found["tune"]["any"]["n"]) == (2, 2)


def test_ablation_has_a_row_for_every_source_and_stage_over_the_same_questions(data):
    found = ablation.run(data)

    assert list(found) == [*ablation.WAYS, ablation.APART, "n"]
    assert found["n"] == {"locomo": 8, "near": 4, "far": 8, "beam": 1, "longmemeval": 2}
    assert found["everything on"]["far.empty"] > found["no floor"]["far.empty"]
    assert len({tuple(row) for way, row in found.items() if way != "n"}) == 1


@pytest.mark.parametrize("name", [way for way in ablation.WAYS if way not in {"everything on", "no forms of words"}])
def test_what_is_switched_off_changes_what_is_shown_or_the_score(name):
    candidates = Candidates(
        numbers=np.array([1, 2, 3, 4, 5]),
        keyword=np.array([1.0, 2.0, 0.1, 0.6, 0.0]),
        held=np.array([0.5, 1.0, 0.1, 0.1, 0.0]),
        cosine=np.array([0.1, 0.3, 0.01, 0.0, 0.0]),
        neighbour_cosine=np.array([0.4, 0.2, 0.01, 0.0, 0.0]),
        window=np.zeros(5, np.int64),
        spoken=np.array([1.0, 0.0, 0.0, 0.0, 0.0]),
        by_others=np.array([0.0, 1.0, 0.0, 0.0, 0.0]),
        by_assistant=np.array([0.0, 1.0, 0.0, 0.0, 0.0]),
        words=np.array([0.9, 0.2, 0.3, 0.1, 0.1]),
        occurred=np.array([0, DAY, 40 * DAY, 0, 90 * DAY]),
        occurred_last=np.array([0, DAY, 40 * DAY, 0, 90 * DAY]),
        confirmed=np.zeros(5, np.int64),
        confidence=np.array([0.8, 1.0, 0.2, 0.8, 0.8]),
        verification=np.array([0, 1, 2, 3, 4], np.uint8),
        volatility=np.array([0, 1, 2, 0, 1], np.uint8),
        stale=np.array([True, False, False, False, False]),
        contradicted=np.array([True, False, False, False, False]),
        rarity={},
        threads=np.array([1, 1, 2, 3, 4]),
        namespaces=np.zeros(5, np.int64),
        wordings=np.array([1, 2, 3, 4, 5]),
        documents=np.zeros(5, np.int64),
        best_keyword=4.0,
        size=5,
    )
    way, soon = ablation.WAYS[name], When((Around(Span(0, DAY), DAY, DAY, 1.0),))

    def shown(off):
        left = off.left(candidates)
        nothing = np.full(5, np.nan)
        asked = off.sources
        left = left if asked.meaning else dataclasses.replace(left, cosine=nothing, neighbour_cosine=nothing)
        left = left if asked.words else dataclasses.replace(left, words=nothing)
        order = ranked(left, trust=1.0, now=100 * DAY, when=soon if asked.time else ANY_TIME, floor=off.floor)
        return dict(zip(order.numbers.tolist(), order.scores.round(4).tolist(), strict=True))

    assert shown(way) != shown(ablation.WAYS["everything on"])


def test_without_forms_a_word_in_another_form_is_not_looked_up():
    async def keyword(sources):
        async with bed() as memory:
            await memory.store("Der Vertrag liegt oben im Aktenschrank.")
            found, *_ = await (await Store.of(memory)).found("Was liegt in den Aktenschränken?", sources=sources)
            return found.keyword.max(initial=0.0)

    assert asyncio.run(keyword(Sources())) > asyncio.run(keyword(Sources(forms=False)))


def test_worst_asks_every_question_and_names_the_costliest(data):
    found = worst.run(data, sample=3)

    assert found["questions"].keys() == {case.name for case in worst.hard([])}
    assert found["worst"] in found["questions"]
    assert len(worst.tables(found)[0].rows) == len(found["questions"])
