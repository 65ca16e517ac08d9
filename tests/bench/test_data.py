import pytest

from bench import data as data_
from bench.data import Case, Document, Missing, Turn


def test_a_talk_is_its_turns_with_speaker_caption_session_and_time(data):
    first, second, *_ = data_.locomo(data)[0].turns

    assert first == Turn("D1:1", "D1", "Ann: I planted four apple trees behind the house.", "2023-05-08T13:56:00+00:00")
    assert second.text == "Bob: Lovely! Mine were eaten by deer. [shares an image: a bare trunk]"


def test_a_question_has_all_the_turns_that_its_evidence_names(data):
    asked = data_.locomo(data)[0].cases[1]

    assert asked == Case("What did Ann plant behind the house?", frozenset({"D1:1", "D1:3"}), "4")


def test_a_turn_without_a_date_has_one_all_the_same(data):
    assert data_.locomo(data)[0].turns[-1].occurred_at == "2023-01-01T00:00:00+00:00"


def test_sessions_come_out_of_the_compressed_file(data):
    assert [name for name, _ in data_.longmemeval_sessions(data)] == ["s1", "s2"]


def test_a_session_is_a_text_with_a_paragraph_a_turn(data):
    turns = dict(data_.longmemeval_sessions(data))["s1"]

    assert data_.session_text(turns) == (
        "user: I adopted a greyhound called Pixel last week.\n\nassistant: Congratulations! Greyhounds sleep a lot."
    )


def test_turns_stop_at_the_most_that_are_wanted(data):
    assert len(data_.longmemeval_turns(data, 2)) == 2


def test_a_date_of_longmemeval_is_read():
    assert data_.longmemeval_time("2023/05/20 (Sat) 02:21") == "2023-05-20T02:21:00+00:00"


def test_claims_are_texts(data):
    assert data_.scifact_claims(data) == ["Statins lower serum cholesterol.", "BRCA1 repairs DNA breaks."]


def test_missing_data_says_where_it_comes_from_and_how_to_name_it(tmp_path):
    with pytest.raises(Missing, match=r"snap-research/locomo.*--data or BETHINK_BENCH_DATA"):
        data_.locomo(tmp_path)


def test_a_chat_is_its_messages_with_role_session_and_the_time_that_was_given_last(data):
    (chat,) = data_.beam(data)["100k"]

    assert chat.turns[1:] == [
        Turn("1", "1", "assistant: Noted. Which framework do you use?", "2024-03-15T00:00:00+00:00"),
        Turn("2", "2", "user: Flask, with a SQLite file behind it.", "2024-04-02T00:00:00+00:00"),
    ]


def test_a_question_that_nothing_answers_is_not_asked_of_a_chat(data):
    assert data_.beam(data)["100k"][0].cases == [
        Case("When does my first sprint end?", frozenset({"0"}), "information_extraction")
    ]


def test_a_set_in_beir_form_has_documents_and_the_questions_that_are_graded(data):
    documents, cases = data_.beir(data)["scifact"]

    assert documents[0] == Document("d1", "Statins", "They lower serum cholesterol in most patients.")
    assert [case.gold for case in cases] == [{"d1"}, {"d2"}]
