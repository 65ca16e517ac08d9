"""The labelled sets of languages are whole, and their distractors the same each time."""

from __future__ import annotations

import pytest

from bench.languages import sets, tables

CODES = ["ar", "de", "el", "es", "he", "hi", "ja", "ko", "ru", "th", "tr", "zh"]
SETS = sets()
SIZES = {"first": {"keyword": 10, "meaning": 10}, "heldout": {"tune": 5, "held": 5, "meaning": 10}}
EVERY = [pytest.param(kind, one, id=f"{kind}-{one.code}") for kind, found in SETS.items() for one in found]


def test_there_are_twelve_of_each_set():
    assert {kind: [language.code for language in found] for kind, found in SETS.items()} == {
        "first": CODES,
        "heldout": CODES,
    }


@pytest.mark.parametrize(("kind", "language"), EVERY)
def test_each_has_twenty_questions_and_distractors_that_are_none_of_the_answers(kind, language):
    distractors = language.distractors(2_000)

    assert {part: len(pairs) for part, pairs in language.pairs.items()} == SIZES[kind]
    assert len(set(language.answers)) == 20
    assert len(set(distractors) - set(language.answers)) == 2_000
    assert distractors == language.distractors(2_000)


def test_the_two_sets_of_a_language_share_no_sentence():
    for first, heldout in zip(SETS["first"], SETS["heldout"], strict=True):
        assert not _sentences(first) & _sentences(heldout)


def test_a_table_a_set_ends_with_the_mean_of_its_languages():
    way = {name: {"hit@1": 1.0} for name in ("hybrid", "keyword mode", "bm25")}
    half = {name: {"hit@1": 0.5} for name in way}
    figures = {"embedder": "a model", "distractors": 10}
    for kind, parts in SIZES.items():
        figures[kind] = {"de": {"name": "German", **dict.fromkeys(parts, way)}}
        figures[kind]["tr"] = {"name": "Turkish", **dict.fromkeys(parts, half)}

    first, heldout = tables(figures)

    assert [row[0] for row in first.rows] == ["German", "Turkish", "all"]
    assert heldout.rows[-1] == ("all", *["75.0 %"] * 9)
    assert heldout.title == "heldout; a model; 10 distractors"


def _sentences(language):
    return {sentence for pairs in language.pairs.values() for pair in pairs for sentence in pair}
