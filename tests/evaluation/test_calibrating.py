"""Where a floor and labels are drawn between what answers and what does not."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as some

from bethink.evaluation.calibrating import floor_of, labels_of
from bethink.evaluation.generating import candidates
from bethink.evaluation.metrics import Outcome
from bethink.evaluation.off_topic import OFF_TOPIC
from bethink.recall.confidence import Thresholds, chance
from bethink.text.language import detect


def answer(score, *, right=True, said=None):
    return Outcome(
        key="q", kind="answerable", answers=1, ranks=(1,) if right else (), hits=1,
        score=score, answer_score=score if right else None, chance=said, cpu_ms=1, wall_ms=1,
    )  # fmt: skip


def other(score):
    return Outcome(key="q", kind="off_topic", hits=int(score is not None), score=score, cpu_ms=1, wall_ms=1)


def test_a_floor_lies_over_nearly_all_other_questions_and_under_the_answers():
    found = floor_of(
        [*(answer(0.3 + n / 1000) for n in range(100)), *(other(n / 1000) for n in range(99)), other(None)]
    )

    assert found.floor == pytest.approx(0.094, abs=0.0015)
    assert (found.refused, found.lost, found.own, found.others) == (pytest.approx(0.95, abs=0.011), 0.0, 100, 100)


def test_where_they_overlap_answers_are_kept():
    found = floor_of([*(answer(0.1 + n / 1000) for n in range(100)), *(other(n / 200) for n in range(100))])

    assert found.lost <= 0.01
    assert found.refused < 0.3


def test_high_is_what_is_right_four_times_in_five_and_medium_what_is_right_every_second_time():
    sure = [answer(0.5, right=n % 10 < 9, said=0.9) for n in range(20)]
    likely = [answer(0.5, right=n % 10 < 6, said=0.6) for n in range(20)]
    unlikely = [answer(0.5, right=n % 10 < 2, said=0.2) for n in range(20)]

    found = labels_of([*sure, *likely, *unlikely])

    assert (found.questions, found.high_from, found.medium_from) == (60, 0.9, 0.6)
    assert (found.high_right, found.has_high) == (pytest.approx(0.9), pytest.approx(1 / 3))


def test_nothing_is_high_where_no_chance_is_sure_enough_and_nothing_is_measured_on_few():
    wrong = [answer(0.5, right=False, said=0.9) for _ in range(60)]

    assert (labels_of(wrong).high_from, labels_of(wrong).medium_from) == (None, None)
    assert labels_of(wrong[:49]) is None


# The words for it.


def test_a_hit_far_above_the_third_is_likely_right_and_one_among_equals_is_not():
    alone, among, second = chance(0.6, 0.3), chance(0.6, 0.58), chance(0.55, 0.3)

    assert [Thresholds().label(c) for c in (alone, second)] == ["high", "high"]
    assert among < 0.5
    assert Thresholds().label(among) != "high"


def test_a_small_store_makes_nothing_surer():
    assert Thresholds().label(chance(0.26, 0.0)) == "low"


@given(some.floats(0, 1), some.floats(0, 1), some.floats(0, 1))
def test_a_better_score_is_never_less_likely(lower, higher, third):
    lower, higher = sorted((lower, higher))

    assert 0 <= chance(lower, third) <= chance(higher, third) <= 1


# Questions that are made.


@pytest.mark.parametrize(
    "text",
    ["The red crane stands at the old pier and turns twice a day.", "明日の会議は十時から本社の三階で行われます。",
     'He said "never again" and left the burning house by the door.'],
)  # fmt: skip
def test_a_phrase_is_a_part_of_its_text_and_the_same_for_the_same_seed(text):
    first, again = (list(candidates(text, random.Random(7))) for _ in range(2))

    assert first == again
    assert first
    assert all(phrase in text and '"' not in phrase for phrase in first)


@pytest.mark.parametrize("text", ["", "ok", '"', "\n\n"])
def test_a_text_that_says_little_makes_no_question(text):
    assert list(candidates(text, random.Random(0))) == []


def test_the_questions_about_other_things_are_many_and_of_several_languages():
    assert len(set(OFF_TOPIC)) == len(OFF_TOPIC) >= 60
    assert len({detect(text) for text in OFF_TOPIC}) >= 10
