"""Markdown: one memory a section, under the headings it stands beneath."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink.documents.markdown import parts


def titled(text):
    return [(line, part.get("title"), part["content"]) for line, part in parts(text)]


def test_a_section_is_named_by_its_headings_and_knows_its_line():
    text = "Before.\n\n# Quickstart\n\nIntro.\n\n## Connect\n\nText.\n\n# Other\nEnd."

    assert titled(text) == [
        (1, None, "Before."),
        (5, "Quickstart", "Intro."),
        (9, "Quickstart > Connect", "Text."),
        (12, "Other", "End."),
    ]


def test_underlined_and_closed_headings_and_links_in_them_are_read():
    text = "Title\n=====\na\n\nSub [one](http://x.example)\n---\nb\n\n### Three ###\nc"

    assert titled(text) == [
        (3, "Title", "a"),
        (7, "Title > Sub one", "b"),
        (10, "Title > Sub one > Three", "c"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "```sh\n# a comment\n```",
        "~~~\n# x\n```\n# y\n~~~",
        "- item\n---\nmore",
        "| a |\n---\n",
        "#hashtag",
        "    # indented code",
        "a\nb\n---",
    ],
)
def test_what_only_looks_like_a_heading_is_text(text):
    assert titled(text) == [(1, None, text.rstrip("\n"))]


def test_headings_without_text_are_kept_where_nothing_stands_below_them():
    assert titled("# List\n## Buy milk\n## Call Ann\n") == [
        (2, "List > Buy milk", "Buy milk"),
        (3, "List > Call Ann", "Call Ann"),
    ]


def test_front_matter_becomes_title_tags_and_metadata_of_every_section():
    text = "---\ntitle: Guide\ntags: [setup, '#mcp']\ndate: 2024-05-01\n---\nOne.\n## Two\nText."

    assert list(parts(text)) == [
        (6, {"content": "One.", "title": "Guide", "tags": ["setup", "mcp"], "metadata": {"date": "2024-05-01"}}),
        (8, {"content": "Text.", "title": "Guide > Two", "tags": ["setup", "mcp"], "metadata": {"date": "2024-05-01"}}),
    ]


def test_a_title_that_repeats_the_first_heading_stands_once():
    assert [title for _, title, _ in titled("---\ntitle: Guide\n---\n# Guide\ntext")] == ["Guide"]


def test_tags_that_cannot_be_tags_stay_in_the_metadata():
    (_, part), *_ = parts(f"---\ntags: [{'x' * 65}]\n---\ntext")

    assert part == {"content": "text", "metadata": {"tags": ["x" * 65]}}


def test_a_long_section_is_numbered_parts_of_one_name():
    text = "# Long\n\n" + "\n\n".join(["x" * 3000] * 3)

    assert [(line, title) for line, title, _ in titled(text)] == [
        (3, "Long (part 1)"),
        (5, "Long (part 2)"),
        (7, "Long (part 3)"),
    ]


def test_a_title_fits_however_deep_and_long_its_headings_are():
    text = "\n".join(f"{'#' * n} {'heading ' * 30}" for n in range(1, 7)) + "\ntext"

    assert [len(title) <= 300 for _, title, _ in titled(text)] == [True]


@given(
    st.lists(st.sampled_from(["# A", "## B", "---", "===", "text", "", "```", "- x", "#", "> q", "a: b"]), max_size=30)
)
def test_no_word_of_any_file_is_lost(lines):
    text = "\n".join(["no front matter", *lines])

    said = " ".join(f"{part.get('title', '')} {part['content']} {part.get('metadata', '')}" for _, part in parts(text))

    assert all(word in said for word in ("A", "B", "text", "- x", "> q") if any(word in line for line in lines))
