"""One whole item is made storable at the door, at any depth, and what changed is said."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink.errors import InvalidRequest
from bethink.text.clean import DEEPEST, clean
from bethink.text.normal import nfc

any_text = st.text(st.characters())
any_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | any_text,
    lambda inner: st.lists(inner) | st.dictionaries(any_text, inner),
    max_leaves=20,
)


def test_nul_and_lone_surrogates_become_replacement_characters():
    assert clean({"content": "a\x00b\ud83dc"}) == ({"content": "a\ufffdb\ufffdc"}, ["content: 2 characters replaced"])


def test_control_characters_go_and_tab_and_newline_stay():
    assert clean({"content": "a\x07\tb\n\x1b[31mc"})[0] == {"content": "a\tb\n[31mc"}


def test_every_line_ending_becomes_a_newline():
    assert clean({"content": "a\r\nb\rc"}) == ({"content": "a\nb\nc"}, ["content: 2 line endings changed"])


def test_a_split_surrogate_pair_becomes_its_character():
    assert clean("\ud83d\ude00") == ("\U0001f600", ["text: 1 surrogate pair joined"])


def test_nested_metadata_keys_and_tags_are_cleaned_and_named():
    item = {"metadata": {"a\x00": [{"b": "\x01c"}]}, "tags": ["x\x00"]}

    cleaned, notes = clean(item)

    assert cleaned == {"metadata": {"a\ufffd": [{"b": "c"}]}, "tags": ["x\ufffd"]}
    assert notes == [
        "metadata.key: 1 character replaced",
        "metadata.a\ufffd.0.b: 1 control character removed",
        "tags.0: 1 character replaced",
    ]


def test_keys_that_become_equal_both_keep_their_values():
    cleaned, _ = clean({"a\x01": 1, "a": 2, "a\x02": 3})

    assert sorted(cleaned.values()) == [1, 2, 3]
    assert cleaned["a"] == 2


def test_clean_items_come_back_as_they_are():
    item = {"content": "héllo \u200d ok", "tags": ["a"], "metadata": {"n": [1, None]}}

    cleaned, notes = clean(item)

    assert cleaned is item
    assert notes == []


def test_nesting_without_end_is_refused_by_the_name_of_the_field():
    deep: list = []
    for _ in range(DEEPEST + 10):
        deep = [deep]

    with pytest.raises(InvalidRequest, match="'metadata' is nested deeper than 64 levels"):
        clean({"metadata": deep})


@given(any_json)
def test_what_was_cleaned_is_storable_and_stays_as_it_is(value):
    cleaned, _ = clean(value)

    json.dumps(cleaned, ensure_ascii=False).encode("utf-8")
    assert "\x00" not in json.dumps(cleaned, ensure_ascii=False)
    assert clean(cleaned) == (cleaned, [])


@given(any_text)
def test_composed_and_decomposed_keys_are_one(text):
    assert nfc(nfc(text)) == nfc(text)


def test_composed_and_decomposed_accents_are_one_key():
    assert nfc("Cafe\u0301") == nfc("Café") == "Café"


def test_a_run_of_marks_without_end_takes_linear_time():
    hostile = "a" + "\u0315\u0300" * 200_000

    assert nfc(hostile) == hostile
