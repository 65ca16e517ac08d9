"""Whose words a text says it is."""

import pytest

from bethink.text.analyzer import analyze
from bethink.text.speakers import ASKER, ASSISTANT, is_first_person, speaker_of


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
        "Assistant: hello\n\nUser: hello, and who are you?",
        "user: hello\n\nassistant: hello, what can I do?",
        "One Two Three Four: too many words for a name",
        "12:30: lunch",
        ": nothing",
        f"{'A' * 41}: a name of more than forty letters",
        "It rained. Anna: hello",
    ],
)
def test_other_texts_name_nobody(text):
    assert speaker_of(text) is None


@pytest.mark.parametrize("text", ["user: My sprint ends on Friday.", "Human: hello\n\nand more\n\nNote: and more"])
def test_a_turn_of_the_person_in_a_conversation_with_an_assistant_is_of_the_one_who_asks(text):
    assert speaker_of(text) == ASKER


@pytest.mark.parametrize("text", ["Assistant: hello", "ai: It ends on Friday.\n\nassistant: and so on"])
def test_a_turn_of_the_assistant_is_of_the_one_who_answers(text):
    assert speaker_of(text) == ASSISTANT


@pytest.mark.parametrize(
    "question",
    ["When does my sprint end?", "what did I say", "Wann endet mein Sprint?", "我的生日是什么时候？", "私の誕生日は？",
     "где мой паспорт?", "내가 산 책"],
)  # fmt: skip
def test_a_question_in_the_first_person_is_about_the_one_who_asks(question):
    assert is_first_person(question)


@pytest.mark.parametrize(
    "question", ["When does the sprint end?", "US elections", "Who is Ida?", "迎春花什么时候开？", "", "the MY file"]
)
def test_other_questions_are_not(question):
    assert not is_first_person(question)
