"""Texts are near by the runs of terms that they share."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from bethink.text.similarity import containment, overlap


def test_punctuation_case_and_inflection_do_not_make_a_text_another():
    assert overlap("We use tabs for indentation.", "we used TABS, for indentation!") == 1


def test_other_texts_share_nothing():
    assert overlap("We use tabs for indentation.", "The outage began at nine.") == 0


def test_a_part_is_contained_in_the_whole_and_not_the_other_way():
    part, whole = "tabs for indentation here", "We use tabs for indentation here since the last release of the tool"

    assert containment(part, whole) == 1
    assert containment(whole, part) < 0.5


def test_texts_without_words_are_equal_or_not():
    assert overlap("!!!", "!!!") == 1
    assert overlap("!!!", "???") == 0
    assert overlap("!!!", "word") == 0


@given(st.text(max_size=60), st.text(max_size=60))
def test_overlap_is_a_share_and_the_same_from_both_sides(left, right):
    assert 0 <= overlap(left, right) == overlap(right, left) <= 1
