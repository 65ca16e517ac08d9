"""Each benchmark over a few lines of its data: the figures that such a set must give."""

import numpy as np
import pytest

from bench import longmemeval, pooled
from bench.evidence import Asked, Weights
from bench.fit import aim, report, run, tables
from bench.locomo import sampled
from bench.related import lowest
from bench.tools import run as list_tools
from bench.tools import tokens


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
    asked(kind, half, {"a"}, [0.2, 0.3], [0.9, 0.1], [0.0, 0.0], [0.0, 0.0])
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
    far = asked("far", "tune", (), [0.05, 0.0], [0.1, 0.1], [0.1, 0.1], [0.0, 0.0])

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
