"""Forms of words in languages of the Latin script: what text and question share."""

from __future__ import annotations

import pytest

from bethink.text.analyzer import index_terms, length
from bethink.text.forms import alike, forms


def offered(question):
    return {form for word in alike(question).values() for form in (*word.stems, *word.heads, *word.tails)}


@pytest.mark.failure("F213")
@pytest.mark.parametrize(
    "text", ["When is the report due?", "She opened the garden and it was broken.", "foo_bar POL-358"]
)
def test_english_has_no_further_forms(text):
    assert forms(text) == []


def test_an_english_question_asks_for_none():
    assert alike("When did the server break?") == {}


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("Wir haben die Häuser gestrichen.", "Haus"),
        ("Der Vertrag ist gekündigt.", "Verträge"),
        ("Die Sicherung der Datenbank ist fertig.", "Datenbanksicherung"),
        ("Die Datenbanksicherung ist fertig.", "Sicherungen"),
        ("Das Haus am See ist alt.", "Häuschen"),
        ("El perro se comió las nueces.", "nuez"),
        ("Bu evlerin kapıları eski.", "kapi"),
        ("Les chevaux sont malades et fatigués.", "fatigué"),
        ("De huizen zijn verkocht.", "huis"),
        ("Wszystkie książki są w szafie.", "książka"),
    ],
)
def test_a_word_alone_offers_a_form_that_the_text_has(text, question):
    assert offered(question) & set(forms(text))


def test_the_language_that_is_given_counts_where_the_text_tells_none():
    assert "haus·de" in forms("Haus verkauft", "de")


def test_forms_make_a_text_no_longer():
    assert length(index_terms("Die Datenbanksicherung ist fertig.")) == len(
        ["Die", "Datenbanksicherung", "ist", "fertig."]
    )
