"""Front matter: read where it is simple, whole where it is not, never lost."""

import pytest

from bethink.documents.front_matter import split


def test_simple_values_and_lists_are_read():
    text = """---
title: "Quick: start"
count: 42
ratio: 0.5
draft: false
empty:
when: 2024-05-01
# a comment
aliases: [one, 'two', 3]
tags:
  - setup
  - mcp
---
body
"""

    assert split(text) == (
        {
            "title": "Quick: start",
            "count": 42,
            "ratio": 0.5,
            "draft": False,
            "when": "2024-05-01",
            "aliases": ["one", "two", 3],
            "tags": ["setup", "mcp"],
        },
        "body\n",
    )


@pytest.mark.parametrize(
    "said",
    [
        'a: "unterminated\ntags: [x]',
        "tags: [keep, 42, {m: x}]",
        "a: b: c",
        "a: &anchor x",
        "a: |\n  folded",
        "a: 1\na: 2",
        "a:\n  nested: x",
        "a: [[x]]",
        'a: "with \\"escape"',
    ],
)
def test_what_is_not_simple_is_kept_whole(said):
    assert split(f"---\n{said}\n---\nbody") == ({"front_matter": said}, "body")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "---\n",
        "no front matter",
        "---\na rule, then text\n---\nmore",
        "---\ntitle: never closed\n",
        "text\n---\na: b\n---\n",
    ],
)
def test_a_text_that_has_none_comes_back_as_it_is(text):
    assert split(text) == ({}, text)


def test_front_matter_that_is_very_long_is_text():
    text = "---\n" + "key: value\n" * 5_000 + "---\nbody"

    assert split(text) == ({}, text)
