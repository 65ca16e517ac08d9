"""Forms of words in languages of the Latin script: what text and question share."""

from __future__ import annotations

import pytest

from bethink.text.analyzer import further, index_terms, length, query_terms
from bethink.text.forms import alike, forms


def offered(question):
    return {form for word in alike(question).values() for form in (*word.stems, *word.heads, *word.tails)}


def finds(question, text, language=None):
    held, asked = index_terms(text, language), query_terms(question)
    return all({term, *further(question, asked).forms.get(term, ())} & held.keys() for term in asked)


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
        ("İstanbul'da oturuyoruz ve çok mutluyuz.", "istanbul"),
        ("İzmir'de toplantı yapacağız.", "IZMIR"),
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


@pytest.mark.failure("F311")
@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("بيوت", "بيت"),
        ("الأصدقاء", "صديقي"),
        ("مشاريع", "المشروع"),
        ("رسائل", "رسالة"),
        ("أقلام", "قلم"),
        ("شوارع", "شارع"),
        ("مدن", "مدينة"),
        ("يسافر", "سافرنا"),
        ("تسافر", "سفر"),
        ("إرسال", "أرسلت"),
        ("ينظف", "نظفها"),
        ("استخدم", "تستخدمون"),
        ("أزور", "زيارة"),
        ("כתבתי", "כותב"),
        ("לכתוב", "כתבה"),
        ("נסעו", "נוסעת"),
        ("עובדים", "עבד"),
        ("תיקון", "תיקנו"),
    ],
)
def test_a_semitic_word_is_found_by_its_root(text, question):
    assert finds(question, text)
    assert finds(text, question)


@pytest.mark.failure("F311")
@pytest.mark.parametrize(
    ("text", "question"), [("لمريم", "مريم"), ("بسيارتها", "السيارة"), ("مكتبته", "المكتبة"), ("كأستاذ", "أستاذ")]
)
def test_an_arabic_preposition_or_pronoun_is_no_part_of_the_word(text, question):
    assert finds(question, text)
    assert finds(text, question)


@pytest.mark.parametrize(("text", "question"), [("جدة", "وجد"), ("بيان", "بنت"), ("وصف", "صف")])
def test_arabic_words_of_two_consonants_are_told_by_the_place_of_the_vowel(text, question):
    assert not finds(question, text)


@pytest.mark.parametrize("question", ["\u0640\u0640\u0640", "\u064b\u064b\u064b", "\u05b0\u05b0\u05b0", "ااا", "תתת"])
def test_a_semitic_word_that_is_none_asks_for_nothing_and_breaks_nothing(question):
    assert not query_terms(question) or not finds(question, "كتاب כתב")


@pytest.mark.failure("F312")
@pytest.mark.parametrize(
    ("text", "question"),
    [("引っ越し", "引越"), ("申し込み", "申込"), ("打ち合わせ", "打合せ"), ("売り上げ", "売上"), ("取り扱い", "取扱")],
)
def test_a_japanese_compound_is_found_with_and_without_the_end_of_its_first_word(text, question):
    assert set(query_terms(question)) & set(index_terms(text)) - set(text)
    assert set(query_terms(text)) & set(index_terms(question)) - set(question)


@pytest.mark.parametrize("text", ["山の上", "本を読む", "犬が走る", "猫と犬"])
def test_what_a_japanese_particle_joins_is_no_compound(text):
    assert not {"山上", "本読", "犬走", "猫犬"} & set(index_terms(text))


@pytest.mark.failure("F313")
@pytest.mark.parametrize(
    ("text", "question", "language"),
    [
        ("gegangen", "ging", "de"),
        ("geholfen", "hilft", "de"),
        ("angerufen", "anrufen", "de"),
        ("einzukaufen", "einkaufen", "de"),
        ("angenommen", "annehmen", "de"),
        ("unterschrieben", "unterschreibt", "de"),
        ("duerme", "dormir", "es"),
        ("cierra", "cerraron", "es"),
        ("busqué", "buscar", "es"),
        ("empiece", "empezó", "es"),
        ("conozco", "conoce", "es"),
        ("hizo", "hacemos", "es"),
        ("mantuvo", "mantengo", "es"),
        ("tradujo", "traducir", "es"),
        ("devuélvelo", "devuelve", "es"),
        ("aldık", "alıyor", "tr"),
        ("içtim", "içmek", "tr"),
        ("bekliyoruz", "beklemek", "tr"),
        ("yazdım", "yazmak", "tr"),
        ("лежат", "лежит", "ru"),
        ("держат", "держала", "ru"),
        ("слышат", "слышишь", "ru"),
        ("пишут", "пишет", "ru"),
        ("заказать", "заказывали", "ru"),
        ("использует", "использовать", "ru"),
        ("έγραψα", "γράφω", "el"),
        ("τρέχουν", "έτρεξε", "el"),
        ("πλήρωσε", "πληρώνει", "el"),
        ("άνοιξε", "ανοίγω", "el"),
        ("μαγείρεψε", "μαγειρεύω", "el"),
        ("έστειλα", "στέλνει", "el"),
        ("έκανα", "κάνουμε", "el"),
        ("έδωσα", "δίνει", "el"),
    ],
)
def test_a_verb_is_found_in_a_tense_that_changes_its_stem(text, question, language):
    assert finds(question, text, language)
    assert finds(text, question, language)


@pytest.mark.failure("F313")
@pytest.mark.parametrize(
    ("text", "question"),
    [("ошибок", "ошибка"), ("отец", "отца"), ("настроек", "настройка"), ("палец", "пальца"), ("заказы", "заказать")],
)
def test_a_russian_noun_is_found_when_its_last_vowel_goes(text, question):
    assert finds(question, text)
    assert finds(text, question)


def test_what_a_german_compound_may_be_made_of_is_no_form_of_a_strong_verb():
    assert not finds("läuft", "Die Lieferung ist da.", "de")


@pytest.mark.failure("F314")
@pytest.mark.parametrize(
    ("text", "question"),
    [("हिन्दी", "हिंदी"), ("प्लम्बर", "प्लंबर"), ("गये", "गए"), ("रुपए", "रुपया"), ("नयी", "नई"), ("น้ำ", "นํ้า"), ("แกง", "เเกง")],
)
def test_two_spellings_of_a_word_that_are_both_in_use_find_each_other(text, question):
    assert finds(question, text)
    assert finds(text, question)
