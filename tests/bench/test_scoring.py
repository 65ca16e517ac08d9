import math

import pytest

from bench.scoring import Bm25, all_of, any_of, area, distinct, fraction, gain, mean, reciprocal

RANKED = ["a", "b", "c", "d"]


@pytest.mark.parametrize(
    ("metric", "gold", "k", "expected"),
    [
        (any_of, {"b", "z"}, 2, 1.0),
        (any_of, {"c"}, 2, 0.0),
        (all_of, {"a", "b"}, 2, 1.0),
        (all_of, {"a", "c"}, 2, 0.0),
        (fraction, {"a", "c"}, 2, 0.5),
        (fraction, {"a", "b"}, 3, 1.0),
    ],
)
def test_a_metric_looks_at_the_first_k_alone(metric, gold, k, expected):
    assert metric(RANKED, gold, k) == expected


def test_reciprocal_is_one_over_the_place_of_the_first_answer():
    assert reciprocal(RANKED, {"c", "d"}) == pytest.approx(1 / 3)


def test_reciprocal_is_nothing_when_no_answer_is_ranked():
    assert reciprocal(RANKED, {"z"}) == 0


def test_gain_is_a_share_of_the_best_order():
    assert gain(RANKED, {"a", "b"}, 10) == 1
    assert gain(RANKED, {"b"}, 10) == pytest.approx(1 / math.log2(3))
    assert gain(RANKED, {"c"}, 2) == 0


def test_distinct_keeps_the_first_place_of_each():
    assert distinct(["b", "a", "b", "c", "a"]) == ["b", "a", "c"]


def test_area_counts_how_often_a_positive_is_above_a_negative():
    assert area([0.9, 0.4], [0.5, 0.1]) == 0.75


def test_area_counts_a_tie_half():
    assert area([0.5], [0.5]) == 0.5


def test_area_is_unknown_without_negatives():
    assert area([0.5], []) is None


def test_the_mean_of_nothing_is_nothing():
    assert mean([]) == 0


def test_bm25_prefers_the_short_text():
    assert list(Bm25(["a cat", "a long tale of a dog, a bird and a fish", "a dog barks"]).rank("dogs")) == [2, 1, 0]


def test_bm25_prefers_the_rare_word():
    assert next(iter(Bm25(["cat one", "cat two", "dog three"]).rank("dog or cat"))) == 2


def test_bm25_ranks_everything_when_no_word_is_known():
    assert sorted(Bm25(["one", "two"]).rank("zebra")) == [0, 1]
