"""Text is cut between what a reader sees as characters."""

from __future__ import annotations

import regex
from hypothesis import given
from hypothesis import strategies as st

from bethink.text.cut import excerpt, shorten
from bethink.text.graphemes import clusters, floor

PIECES = [
    "word ",
    "longer",
    "日本。",
    "e\u0301",
    "👩\u200d💻",
    "👍🏽",
    "🇩🇪",
    "🇩",
    "\r\n",
    "\n",
    ", ",
    "สวัสดีกำ",
    "क्षि",
    "\u0600",
    "\u1100\u1161",
]
texts = st.lists(st.sampled_from(PIECES), max_size=30).map("".join)


def boundaries(text: str) -> set[int]:
    return {cluster.start() for cluster in regex.finditer(r"\X", text)} | {len(text)}


def test_a_short_text_stays_and_a_long_one_ends_between_words_with_an_ellipsis():
    assert shorten("four words stand here", 40) == "four words stand here"
    assert shorten("four words stand here", 12) == "four words…"


def test_a_family_is_not_torn_apart():
    assert shorten("👨\u200d👩\u200d👧👨\u200d👩\u200d👧", 8) == "👨\u200d👩\u200d👧…"


def test_an_excerpt_shows_the_span_with_what_stands_around_it():
    text = "one two three four five six seven eight nine ten"

    assert excerpt(text, (text.index("five"), text.index("five") + 4), 24) == "…four five six seven…"


@given(texts, st.integers(0, 60))
def test_what_is_cut_fits_and_ends_on_a_boundary(text, limit):
    cut = shorten(text, limit)

    assert len(cut) <= limit or cut == text
    assert cut in (text, "") or (text.startswith(cut[:-1]) and len(cut) - 1 in boundaries(text))


@given(texts, st.integers(0, 60), st.data())
def test_an_excerpt_fits_and_holds_its_span(text, limit, data):
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 10)))

    cut = excerpt(text, (start, end), limit)

    assert len(cut) <= max(limit, 0) or cut == text
    assert cut.strip("…") in text


@given(texts, st.integers(0, 80))
def test_the_boundaries_are_those_of_the_standard(text, at):
    known = boundaries(text)

    assert "".join(clusters(text)) == text
    assert floor(text, at) == max(place for place in known if place <= at)
