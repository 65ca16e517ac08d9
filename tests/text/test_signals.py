"""A text tells how much it matters, how fast it goes out of date, and what it is about."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink.text.signals import importance, keywords, volatility


def test_a_specific_decision_matters_more_than_a_remark_and_that_more_than_small_talk():
    decision = importance("We decided on PostgreSQL 16.2 because of ADR-016; rollout 2026-05-20.", "decision")
    remark = importance("The sky was blue over the harbour that day.")

    assert decision > remark > importance("ok thanks")


@given(st.text(max_size=200), st.sampled_from(["fact", "decision", "turn", "unheard-of"]))
def test_importance_is_a_share(text, kind):
    assert 0 <= importance(text, kind) <= 1


@pytest.mark.parametrize(
    ("text", "kind", "expected"),
    [
        ("The build is currently failing, waiting for CI.", "fact", "volatile"),
        ("Next steps: merge the branch.", "session_state", "volatile"),
        ("Ann prefers tabs.", "preference", "stable"),
        ("By design the API never retries.", "fact", "stable"),
        ("The service runs on port 8080.", "fact", "normal"),
    ],
)
def test_words_about_now_and_always_tell_how_long_a_text_holds(text, kind, expected):
    assert volatility(text, kind) == expected


def test_keywords_are_names_identifiers_and_what_recurs_in_any_script():
    found = keywords("The payments service uses get_user_name; payments moved. データベースを東京に移行した。", 4)

    assert found[:2] == ["get_user_name", "payments"]
    assert "データベース" in keywords("データベースを東京に移行した。")
    assert "Датабаза" in keywords("Датабаза быстрая.")


@given(st.text(max_size=100))
def test_no_text_breaks_the_keywords(text):
    assert len(keywords(text, 5)) <= 5
