"""Whose words a text says it is."""

import pytest

from bethink.text.analyzer import analyze
from bethink.text.speakers import speaker_of


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Anna: I moved to Porto.", "Anna"),
        ("  Anna Smith: hello", "Anna Smith"),
        ("Dr. Anna Smith: hello", "Dr. Anna Smith"),
        ("O'Neill: hello", "O'Neill"),
        ("田中：明日は休みます", "田中"),
        ("Ольга: привет", "Ольга"),
        ("Decision: we keep PostgreSQL.", "Decision"),
    ],
)
def test_a_text_may_begin_with_the_name_of_who_speaks(text, name):
    assert speaker_of(text) == " ".join(dict.fromkeys(analyze(name)))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Anna",
        "Anna:",
        "Anna:hello",
        "http://example.org: a page",
        "The reason is: it rains.",
        "user: hello",
        "Assistant: hello",
        "One Two Three Four: too many words for a name",
        "12:30: lunch",
        ": nothing",
        f"{'A' * 41}: a name of more than forty letters",
        "It rained. Anna: hello",
    ],
)
def test_other_texts_name_nobody(text):
    assert speaker_of(text) is None
