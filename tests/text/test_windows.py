"""A text is cut into windows that an embedder can read whole."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from bethink.text.windows import turn_starts, windows

PIECES = ["word ", "Ann: hi", "\n\n", "\n", ". ", "! ", "x" * 30, "Bob: yes", "。", "日本", "  "]
texts = st.lists(st.sampled_from(PIECES), max_size=60).map("".join)


def token_starts(text: str) -> list[int]:
    return [token.start() for token in re.finditer(r"\w{1,4}|[^\w\s]", text)]


def test_a_text_that_fits_is_one_window():
    assert windows("one two", [0, 4], 2) == [(0, 7)]


def test_a_cut_falls_between_sentences_where_one_ends_late_enough():
    text = "One two three. Four five six."

    assert windows(text, [token.start() for token in re.finditer(r"\w+|\.", text)], 5) == [(0, 15), (15, 29)]


def test_the_last_line_of_a_text_of_several_windows_is_one_by_itself():
    text = "One two three.\nFour five.\nSix seven.\n"

    assert windows(text, [token.start() for token in re.finditer(r"\w+", text)], 5) == [(0, 26), (26, 37)]
    assert windows(text, [token.start() for token in re.finditer(r"\w+", text)], 4) == [(0, 15), (15, 26), (26, 37)]
    assert windows(text, [token.start() for token in re.finditer(r"\w+", text)], 7) == [(0, 37)]


def test_turns_of_a_transcript_are_windows_of_their_own():
    text = "Ann: hello\n\nBob: hi"

    assert windows(text, token_starts(text), 50) == [(0, 12), (12, 19)]


def test_a_character_of_more_tokens_than_the_limit_is_kept_whole():
    assert windows("😀😀", [0, 0, 0, 0, 1, 1, 1, 1], 2) == [(0, 1), (1, 2)]


@given(texts, st.integers(1, 20))
def test_windows_cover_the_text_in_order_within_the_limit(text, limit):
    spans = windows(text, token_starts(text), limit)

    covered = [place for start, end in spans for place in range(start, end)]
    assert covered == sorted(set(covered))
    assert not "".join(text[place] for place in sorted(set(range(len(text))) - set(covered))).strip()
    assert all(sum(start <= token < end for token in token_starts(text)) <= limit for start, end in spans)


@given(texts, st.integers(1, 20))
def test_no_window_joins_two_turns(text, limit):
    turns = turn_starts(text)

    assert not [turn for start, end in windows(text, token_starts(text), limit) for turn in turns if start < turn < end]
