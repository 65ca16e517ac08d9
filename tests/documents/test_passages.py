"""A text cut into passages: nothing lost, nothing too long."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink.documents.passages import LONGEST, passages


def squeezed(text):
    return re.sub(r"\s+", "", text)


def test_a_short_text_is_one_passage_and_a_blank_one_none():
    assert list(passages("one\n\ntwo")) == [(0, "one\n\ntwo")]
    assert list(passages(" \n\n ")) == []


def test_paragraphs_are_grouped_and_know_their_lines():
    text = "\n\n".join(["x" * 1500] * 5)

    assert [(line, len(passage)) for line, passage in passages(text)] == [(0, 3002), (4, 3002), (8, 1500)]


def test_code_between_fences_is_kept_together():
    code = "```\n" + "a\n\n" * 900 + "```"
    text = "y" * 2000 + "\n\n" + code

    assert [passage for _, passage in passages(text)] == ["y" * 2000, code]


def test_a_long_paragraph_is_cut_at_a_line_else_a_sentence_else_a_word():
    assert next(passages("line one of it\n" * 400))[1].endswith("line one of it")
    assert next(passages("A sentence. " * 500))[1].endswith("sentence.")
    assert next(passages("word " * 1000))[1].endswith("word")


def test_a_character_of_several_code_points_is_not_cut():
    family = "\U0001f468\u200d\U0001f469\u200d\U0001f467"

    assert all(len(passage) % 5 == 0 for _, passage in passages(family * 2000))


@pytest.mark.parametrize("unit", ["x", "word ", "a\n\n", "日本語。", "```\n", "\n \n", "e\u0301", "- item\n"])
def test_large_texts_are_cut_without_loss(unit):
    text = unit * 20_000

    cut = [passage for _, passage in passages(text)]

    assert max(map(len, cut), default=0) <= LONGEST
    assert squeezed("".join(cut)) == squeezed(text)


@given(st.lists(st.sampled_from(["word ", "x" * 3000, "\n", "\n\n", "```\n", "~~~\n", "é", "。", "  "]), max_size=40))
def test_every_text_is_cut_without_loss_at_the_right_lines(parts):
    text = "".join(parts)

    cut = list(passages(text))

    lines = text.split("\n")
    assert squeezed("".join(passage for _, passage in cut)) == squeezed(text)
    assert all(len(passage) <= LONGEST and passage.split("\n")[0] in lines[line] for line, passage in cut)
