import pytest

from bench import data as data_
from bench.data import Case, Missing, Turn


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
