"""Texts that are made to take long: everything that reads a whole text takes a time in proportion to it."""

from datetime import UTC

import pytest

from bethink.domain import Memory, from_micros
from bethink.intake.indexing import index_terms
from bethink.recall.passages import Sought, passages
from bethink.recall.plan import understand
from bethink.recall.timing import when
from bethink.text.analyzer import query_terms
from bethink.text.clean import clean
from bethink.text.cut import excerpt, shorten
from bethink.text.find import find
from bethink.text.graphemes import clusters
from bethink.text.language import detect
from bethink.text.mentions import mentions
from bethink.text.secrets import redact
from bethink.text.sentences import sentences
from bethink.text.similarity import shingles
from bethink.text.titles import derive_title
from bethink.text.windows import windows
from tests.bed import START

SIZE = 100_000
AT = from_micros(START)
LETTERS = (
    "x",
    "A",
    "aB",
    "1",
    "0x",
    "é",
    "日",
    "漢字",
    "の",
    "한",
    "ไ",
    "क्",
    "😀",
    "👩\u200d",
    "🇩",
    "\u0301",
    "a\u0315\u0300",
    "\u0f73",
    "\uff9e",
)
SIGNS = (
    "_",
    ".",
    "#",
    "@",
    "/",
    "\\",
    "$",
    "~",
    "-",
    ":",
    '"',
    "“",
    "„",
    "«",
    "「",
    "(",
    "`",
    "*",
    "=",
    "\u200b",
    "\u200d",
)
BLANKS = (" ", "\t", "\n", "\n \n", "\r", " \n", "\u2028", "\n\n\t")
MIXED = (
    *("a/", "a-", "a_", "a.", "a:", "a@", "1.", "1.2.", "12:", "2020-01-", "http://", "a://", "a://a:", "--a", "a b"),
    *("[[a", "[[a|", "《a", "Ab ", "Ab of ", "Ab's ", "ア・", "aさ", "A. ", "@a", "#a", "git@a:", "a/b#1 "),
    *("user: a\n\n", "Ann: \n\n", "- x\n", "# h\n", "a.\n", "“a”", "(a", "<a>", "k=v;"),
)
KEYS = (
    *("-----BEGIN PRIVATE KEY-----", "eyJ", "eyJaaaaaaaaaaaa.", "password=", "password:'", "secret ", "Bearer ", "xox"),
    *("basic aaaa", "secret_key:::: ", "sk-a_", "0:A", "SG.a", "twilio token ", "AKIA"),
)


def indexed(text):
    times = dict.fromkeys(("occurred_at", "valid_from", "recorded_at", "updated_at"), AT)
    named = {"id": "0", "namespace": "work", "kind": "fact", "title": "", "content_hash": "0"}
    index_terms(Memory(content=text, **named, **times), title_given=False)


TIMES = ("last ", "week before ", "7 may ", "between ", "1 ", "an hour ", "2024年", "昨日", "before x ", "前", "q3 ")


READERS = {
    "the words of a question": query_terms,
    "what a question asks for": understand,
    "when a question is about": lambda text: when(text, None, zone=UTC, now=START),
    "the terms of a memory": indexed,
    "credentials": redact,
    "cleaning": clean,
    "what is spoken of": mentions,
    "language": detect,
    "title": derive_title,
    "near matches": shingles,
    "windows": lambda text: windows(text, range(0, len(text), 3), 250),
    "a short form": lambda text: shorten(text, len(text) - 10),
    "an excerpt": lambda text: excerpt(text, (len(text) // 2, len(text) // 2 + 40), 600),
    "what a reader sees as characters": clusters,
    "sentences": sentences,
    "the places of a word": lambda text: find(text, "straße", most=100),
    "the places of what it is made of": lambda text: find(text, text[2 : 2 + len(text) // 2] + "!", most=100),
    "the passages of a memory": lambda text: passages("0", "", text, 1.0, Sought({"x": 1.0})),
}


@pytest.mark.failure("F030")
@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize(
    "pieces",
    [LETTERS, SIGNS, BLANKS, MIXED, KEYS, TIMES],
    ids=["letters", "signs", "blanks", "mixed", "keys", "times"],
)
def test_no_text_takes_more_than_its_length(reader, pieces, patience):
    texts = {piece: f"x {piece * (SIZE // len(piece))}" for piece in pieces}

    first_that_does = next((piece for piece, text in texts.items() if not patience(READERS[reader], text)), None)

    assert first_that_does is None
