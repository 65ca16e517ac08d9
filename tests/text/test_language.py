"""The language of a text is guessed, or left open."""

from __future__ import annotations

import pytest

from bethink.text.language import detect, likely


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "The quick brown fox jumps over the lazy dog and it was not amused by that."),
        ("de", "Wir haben die Datenbank auf PostgreSQL umgestellt, weil die alte nicht mehr gepflegt wird."),
        ("fr", "Nous avons décidé de ne pas utiliser cette bibliothèque dans le projet."),
        ("es", "El equipo decidió que la base de datos no se cambia por ahora."),
        ("it", "Abbiamo deciso di non usare questa libreria per il progetto."),
        ("pt", "A equipe decidiu que não vamos usar essa biblioteca para o projeto."),
        ("nl", "We hebben besloten dat het project niet met deze bibliotheek wordt gebouwd."),
        ("sv", "Vi har beslutat att inte använda det biblioteket för projektet."),
        ("pl", "Zdecydowaliśmy, że nie będziemy używać tej biblioteki w projekcie."),
        ("tr", "Bu projede bir veritabanı olarak PostgreSQL kullanmak için karar verdik ve çok iyi oldu."),
        ("ru", "Мы решили не использовать эту библиотеку."),
        ("uk", "Ми вирішили не використовувати цю бібліотеку."),
        ("ja", "データベースをPostgreSQLに移行した。"),
        ("zh", "我们决定使用这个数据库。"),
        ("ko", "우리는 데이터베이스를 바꾸기로 했다."),
        ("th", "เราตัดสินใจใช้ฐานข้อมูลนี้"),
        ("ar", "قررنا استخدام قاعدة البيانات هذه"),
        ("fa", "ما تصمیم گرفتیم از این پایگاه داده استفاده کنیم"),
        ("he", "החלטנו להשתמש במסד הנתונים"),
        ("el", "Αποφασίσαμε να χρησιμοποιήσουμε"),
        ("en", "When did Ann go to the lake?"),
        ("de", "Wo hängen die Kellerschlüssel?"),
        ("es", "¿Dónde está la llave?"),
        ("tr", "Anahtar nerede asılıydı?"),
        (None, "foo_bar baz 123"),
        (None, "POL-358"),
        (None, "👍"),
        (None, ""),
    ],
)
def test_a_sentence_tells_its_language_and_an_identifier_does_not(language, text):
    assert detect(text) == language


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("Häuser am See", "de"),
        ("Sounds great, see you there!", "en"),
        ("la llave del sótano", "es"),
        ("eski pencereler", "tr"),
    ],
)
def test_a_few_words_tell_what_they_are_likely_to_be(text, first):
    assert likely(text)[0] == first


def test_words_that_speak_for_no_language_are_likely_in_none():
    assert likely("foo_bar POL-358") == []
