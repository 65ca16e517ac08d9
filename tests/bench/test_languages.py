"""The labelled sets of languages are whole, and their distractors the same each time."""

from __future__ import annotations

import pytest

from bench.languages import languages

SETS = languages()


def test_there_are_twelve():
    assert [language.code for language in SETS] == [
        "ar",
        "de",
        "el",
        "es",
        "he",
        "hi",
        "ja",
        "ko",
        "ru",
        "th",
        "tr",
        "zh",
    ]


@pytest.mark.parametrize("language", SETS, ids=lambda language: language.code)
def test_each_has_ten_questions_a_half_and_distractors_that_are_none_of_the_answers(language):
    distractors = language.distractors(2_000)

    assert {half: len(pairs) for half, pairs in language.pairs.items()} == {"keyword": 10, "meaning": 10}
    assert len(set(distractors) - set(language.answers)) == 2_000
    assert distractors == language.distractors(2_000)
