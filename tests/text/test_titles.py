"""A text without a title gets one from its heading or first sentence."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink.text.titles import LONGEST_TITLE, derive_title


@pytest.mark.parametrize(
    ("content", "title"),
    [
        ("# Move to **PostgreSQL** ##\n\nWe moved.", "Move to PostgreSQL"),
        ("Setext\n======\nbody", "Setext"),
        ("We use e.g. Redis v1.2 here. Then more.", "We use e.g. Redis v1.2 here"),
        ("Dr. Smith met J. Doe. Bye.", "Dr. Smith met J. Doe"),
        ("---\ntitle: x\n---\n\nReal text begins. Second.", "Real text begins"),
        ("- [ ] fix `foo_bar` in [the docs](http://x.y) now", "fix foo_bar in the docs now"),
        ("see [[Page|alias]]!", "see alias!"),
        ("日本語の文です。次の文。", "日本語の文です。"),
        ("```py\nrun()\n```", "run()"),
        ("!!!", "!!!"),
        (" \n", ""),
    ],
)
def test_the_title_is_the_heading_or_the_first_sentence(content, title):
    assert derive_title(content) == title


@given(st.text(max_size=400))
def test_no_text_breaks_it_and_no_title_is_too_long(content):
    title = derive_title(content)

    assert len(title) <= LONGEST_TITLE
    assert "\n" not in title
    assert bool(title) or not any(map(str.isalnum, content))
