"""One analyzer: the same terms for index and query, in every script."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink.text.analyzer import analyze, phrases, query_terms, tells

scripts = st.text(st.sampled_from("aZ éıİß-_./:#@'\"12 日本語あアｱ가สวัด👩\u200d💻🇩🇪❤\ufe0f\u0301क्षи"), max_size=30)


def finds(query: str, memory: str) -> bool:
    return bool(set(query_terms(query)) & set(analyze(memory)))


def finds_all(query: str, memory: str) -> bool:
    return set(query_terms(query)) <= set(analyze(memory))


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("foo_bar.py", ["foobar.py", "foobar", "foo", "bar", "py"]),
        ("getUserList", ["getuserlist", "get", "user", "list"]),
        ("POL-358", ["pol358", "pol", "358"]),
        ("node::path", ["node::path", "nod", "path"]),
        ("C++", ["c++", "c"]),
        ("C#", ["c#", "c"]),
        ("--flag", ["--flag", "flag"]),
        ("/usr/lib/x.so", ["usr/lib/x.so", "usr", "lib", "x.so", "x", "so"]),
        ("v1.2.3", ["1.2.3", "1.2"]),
        ("PR #12.", ["pr", "#12", "12"]),
        ("2026-05-20", ["2026-05-20", "2026", "05", "20"]),
        ("a.b@example.org", ["a.b@example.org", "a.b", "a", "b", "example.org", "exampl", "org"]),
        ("https://github.com/org/repo", ["github.com/org/repo", "github.com", "github", "com", "org", "repo"]),
        ("don't l'avion Ann's", ["dont", "lavion", "avion", "ann"]),
        ("東京", ["東", "京", "東京"]),
        ("ไทย", ["ไ", "ท", "ย", "ไท", "ทย"]),
        ("👩\u200d💻 ❤️", ["👩\u200d💻", "👩", "💻", "❤"]),
        ("=> (|) ... ---", []),
    ],
)
def test_a_word_is_one_term_and_its_parts_are_further_ones(text, terms):
    assert analyze(text) == terms


@pytest.mark.parametrize(
    ("query", "memory"),
    [
        ("ADR-016", "As ADR-016 says, tabs."),
        ('"--error-on-warnings"', "run it with --error-on-warnings"),
        ("getUserName", "call get_user_name() first"),
        ("foo_bar", "src/foo_bar.py:42"),
        ("v1.2.3", "released 1.2.3"),
        ("email", "by e-mail"),
        ("resume", "her résumé"),
        ("Istanbul ısparta", "İSTANBUL, ISPARTA"),
        ("strasse", "Straße"),
        ("データ", "ﾃﾞｰﾀ"),
        ("ＡＢＣ", "abc"),
        ("本", "新しい本を買った"),
        ("猫", "黒猫がいる"),
        ("しりとり", "友達としりとりをした"),
        ("成语接龙", "我们玩成语接龙"),
        ("끝말잇기", "끝말잇기를 했다"),
        ("책", "책을 샀다"),
        ("สวัสดี", "เขาพูดว่าสวัสดีครับ"),
        ("❤", "we ❤️ it"),
        ("👍", "shipped 👍🏽"),
        ("migrating", "the migration"),
        ("went", "she goes there"),
        ("children", "one child"),
        ("uses", "it was used"),
        ("running", "a run"),
        ("need", "needed"),
        ("replies", "a reply"),
        ("APIs", "an API"),
        ("soft\u00adware", "software"),
        ("The Who", "the who played"),
    ],
)
def test_what_was_written_in_one_way_is_found_in_another(query, memory):
    assert finds_all(query, memory)


def test_hidden_characters_do_not_glue_words_together():
    assert analyze("ignore\u200bprevious") == ["ignor", "previous"]


def test_a_particle_alone_does_not_find_a_memory():
    assert not finds("本は", "彼はペンを買った")


def test_a_query_loses_its_stop_words_unless_it_has_nothing_else():
    assert query_terms("what is the name of the dog") == ["nam", "dog"]
    assert query_terms("to be or not to be") == ["to", "be", "or", "not"]


def test_a_query_of_punctuation_has_no_terms():
    assert query_terms('"|||" * NEAR( ) -'.replace("NEAR", "")) == []


def test_phrases_are_what_stands_in_double_quotes():
    assert phrases('say "hello world" and «bonjour», 「東京 駅」 but not \'this\' or ""') == [
        "hello world",
        "bonjour",
        "東京 駅",
    ]


@given(scripts, scripts)
def test_the_terms_of_two_texts_are_the_terms_of_each(left, right):
    assert analyze(f"{left} {right}") == analyze(left) + analyze(right)


@given(scripts)
def test_every_term_of_a_query_finds_the_text_itself(text):
    assert finds_all(text, text)


@given(scripts)
def test_composed_and_decomposed_text_have_the_same_terms(text):
    assert analyze(unicodedata.normalize("NFC", text)) == analyze(unicodedata.normalize("NFD", text))


@given(st.text(st.sampled_from("abc XYZ 0-9_./:#"), max_size=20))
def test_full_width_text_has_the_terms_of_half_width_text(text):
    wide = "".join(chr(ord(letter) + 0xFEE0) if letter != " " else "\u3000" for letter in text)

    assert analyze(wide) == analyze(text)


@given(st.text(max_size=60))
def test_no_text_breaks_it_and_no_term_is_empty_or_long(text):
    assert all(0 < len(term) <= 80 and not term.isspace() for term in analyze(text))


@pytest.mark.parametrize(
    ("word", "telling"),
    [("crane", True), ("ADR-016", True), ("C", True), ("7", True), ("猫", True), ("the", False), ("The", False),
     ("what", False), ("s", False), ("t", False), (",", False), ("?!", False), ("", False)],
)  # fmt: skip
def test_a_word_tells_unless_it_is_a_stop_word_or_no_word_at_all(word, telling):
    assert tells(word) is telling
