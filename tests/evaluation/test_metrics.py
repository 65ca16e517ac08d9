"""Figures over outcomes: what each counts, and of which questions."""

import pytest

from bethink.evaluation.comparing import by_chance, compared
from bethink.evaluation.metrics import Bin, Labelled, Outcome, bins, calibration_error, figures, labelled, percentile


def outcome(key="q", kind="answerable", **said):
    return Outcome(**{"key": key, "kind": kind, "hits": 10, "cpu_ms": 1.0, "wall_ms": 1.0, **said})


def answered(*ranks, answers=1, **said):
    return outcome(answers=answers, ranks=ranks, **said)


def test_the_figures_of_answerable_questions_are_those_of_the_literature():
    found = figures([answered(1), answered(4), answered(7, 2, answers=4), answered()])

    assert found["hit@1"] == 0.25
    assert found["hit@5"] == 0.75
    assert found["recall@10"] == pytest.approx((1 + 1 + 0.5 + 0) / 4)
    assert found["mrr"] == pytest.approx((1 + 1 / 4 + 1 / 2 + 0) / 4)
    ideal = 1 + 0.63093 + 0.5 + 0.43068
    assert found["ndcg@10"] == pytest.approx((1 + 0.43068 + (0.33333 + 0.63093) / ideal + 0) / 4, abs=1e-4)


def test_a_question_without_an_answer_counts_for_refusal_alone():
    asked = [outcome(kind="off_topic", hits=0), outcome(kind="off_topic", hits=1, label="low")]
    asked += [outcome(kind="near", label="high"), outcome(kind="near", label="medium"), outcome(kind="near", hits=0)]

    assert figures(asked) == {
        "off_topic_refused": 0.5,
        "near_refused": pytest.approx(1 / 3),
        "near_not_high": pytest.approx(2 / 3),
        "high_right": 0.0,
    }


def test_what_no_question_tells_is_not_a_figure():
    assert figures([]) == {}


def test_a_label_is_worth_the_share_of_its_first_hits_that_answer():
    asked = [answered(1, label="high"), answered(2, label="high"), outcome(kind="near", label="high"), answered(hits=0)]

    assert labelled(asked) == (
        Labelled(label="high", count=3, right=1 / 3),
        Labelled(label="medium", count=0, right=None),
        Labelled(label="low", count=0, right=None),
    )


def test_the_calibration_error_is_how_far_what_was_said_lies_from_what_was_so():
    found = bins([answered(1, chance=0.9), answered(chance=0.9), answered(1, chance=0.3), answered(chance=None)])

    assert found == (
        Bin(count=1, said=0.3, right=1.0),
        Bin(count=2, said=0.9, right=0.5),
    )
    assert calibration_error(found) == pytest.approx((0.7 + 2 * 0.4) / 3)
    assert calibration_error(bins([answered()])) is None


def test_a_percentile_is_one_of_the_values():
    assert [percentile([3.0, 1.0, 2.0, 4.0], share) for share in (0.01, 0.5, 0.95)] == [1.0, 2.0, 4.0]
    assert percentile([], 0.5) == 0.0


# Two runs.


def run(*ranks):
    return [outcome(f"q{n}", answers=1, ranks=() if rank is None else (rank,)) for n, rank in enumerate(ranks)]


def test_the_same_run_twice_differs_in_nothing():
    found = compared(run(1, 2, None), run(1, 2, None))

    assert {one.verdict for one in found.measures} == {"same"}
    assert (found.changes, found.worse) == ((), [])


def test_one_question_that_turns_is_within_noise_and_many_that_turn_one_way_are_not():
    before, one, many = run(*[1] * 40), run(None, *[1] * 39), run(*[None] * 8, *[1] * 32)

    few, lots = compared(before, one), compared(before, many)

    assert few.worse == []
    assert [(c.key, c.before, c.after) for c in few.changes] == [("q0", 1, None)]
    assert lots.worse == ["hit@1", "hit@5", "recall@10", "mrr", "ndcg@10"]
    assert {one.measure: one.verdict for one in compared(many, before).measures}["hit@1"] == "better"


def test_gains_that_make_up_for_losses_are_noise():
    before, after = run(*[1, None] * 10), run(*[None, 1] * 10)

    hit = next(one for one in compared(before, after).measures if one.measure == "hit@1")

    assert (hit.before, hit.after, hit.verdict) == (0.5, 0.5, "within noise")


def test_questions_of_one_run_alone_are_counted_and_left_out():
    found = compared(run(1, 1), [*run(1), outcome("new", answers=1)])

    assert (found.only_before, found.only_after) == (1, 1)
    assert {one.questions for one in found.measures} == {1}


@pytest.mark.parametrize(
    ("differences", "p"), [([], 1.0), ([0, 0], 1.0), ([1], 1.0), ([1] * 6, 2 / 64), ([1, -1], 1.0)]
)
def test_chance_turns_the_sign_of_each_difference(differences, p):
    assert by_chance(differences) == p


def test_of_many_differences_some_signs_are_drawn_the_same_each_time():
    assert by_chance([1.0] * 30) == by_chance([1.0] * 30) < 0.001
    assert by_chance([1.0, -1.0] * 30) == 1.0
