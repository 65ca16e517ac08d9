"""Questions in other languages than English find memories by the forms of their words; particles find nothing."""

from __future__ import annotations

import asyncio

import pytest

from tests.operations.test_recall import best, fill

TEXTS = (
    "Der Schlüssel zum Keller hängt im Flur.",
    "Die Datenbanksicherung läuft jede Nacht.",
    "Die Häuser am Hafen wurden verkauft.",
    "La llave del sótano está en el cajón.",
    "Las nueces se guardan en el armario.",
    "Anahtarlar mutfaktaki çekmecede duruyor.",
    "Isparta'daki depo ilkbaharda taşındı.",
    "Les chevaux du voisin sont malades.",
    "Ключи от подвала висят за дверью.",
    "Ещё одна берёза растёт у ворот.",
    "Ο κωδικός του δρομολογητή είναι στο χαρτί.",
    "مفاتيح القبو في درج المطبخ والكلب في الحديقة.",
    "המפתחות של המרתף במגירה.",
    "तहख़ाने की चाबियाँ दराज़ में हैं।",
    "सर्वर २०२७ में बदला जाएगा।",
    "地下室の鍵は引き出しにあります。",
    "黒猫が庭で寝ている。",
    "备份每天晚上复制到第二台服务器。",
    "지하실 열쇠는 서랍에 있다.",
    "새 책을 샀다.",
    "กุญแจห้องใต้ดินอยู่ในลิ้นชัก",
    "プリンターの紙が切れた。",
    "The report is due on Friday.",
)


@pytest.fixture(scope="module")
def texts(shared):
    asyncio.run(fill(shared, *TEXTS))
    return shared


@pytest.mark.failure("F211")
@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("Wo hängen die Kellerschlüssel?", "Der Schlüssel zum Keller hängt im Flur."),
        ("Wann laufen Sicherungen der Datenbanken?", "Die Datenbanksicherung läuft jede Nacht."),
        ("Haus am Hafen", "Die Häuser am Hafen wurden verkauft."),
        ("Häusern", "Die Häuser am Hafen wurden verkauft."),
        ("¿Dónde están las llaves?", "La llave del sótano está en el cajón."),
        ("nuez", "Las nueces se guardan en el armario."),
        ("Mutfağın anahtarı nerede?", "Anahtarlar mutfaktaki çekmecede duruyor."),
        ("ISPARTA depoları", "Isparta'daki depo ilkbaharda taşındı."),
        ("isparta deposu", "Isparta'daki depo ilkbaharda taşındı."),
        ("Les voisins ont un cheval malade ?", "Les chevaux du voisin sont malades."),
        ("ключ", "Ключи от подвала висят за дверью."),
        ("ключами", "Ключи от подвала висят за дверью."),
        ("еще березы", "Ещё одна берёза растёт у ворот."),
        ("κωδικοί δρομολογητών", "Ο κωδικός του δρομολογητή είναι στο χαρτί."),
        ("ΚΩΔΙΚΟΣ", "Ο κωδικός του δρομολογητή είναι στο χαρτί."),
        ("قبو", "مفاتيح القبو في درج المطبخ والكلب في الحديقة."),
        ("كلبنا", "مفاتيح القبو في درج المطبخ والكلب في الحديقة."),
        ("מפתח למרתף", "המפתחות של המרתף במגירה."),
        ("מַרְתֵּף", "המפתחות של המרתף במגירה."),
        ("चाबी", "तहख़ाने की चाबियाँ दराज़ में हैं।"),
        ("तहखाना", "तहख़ाने की चाबियाँ दराज़ में हैं।"),
        ("2027", "सर्वर २०२७ में बदला जाएगा।"),
        ("鍵はどこですか", "地下室の鍵は引き出しにあります。"),
        ("猫", "黒猫が庭で寝ている。"),
        ("猫は？", "黒猫が庭で寝ている。"),
        ("备份复制到哪里？", "备份每天晚上复制到第二台服务器。"),
        ("열쇠가 어디에 있나요?", "지하실 열쇠는 서랍에 있다."),
        ("책은?", "새 책을 샀다."),
        ("กุญแจอยู่ที่ไหน", "กุญแจห้องใต้ดินอยู่ในลิ้นชัก"),
    ],
)
async def test_a_word_is_found_in_another_form_of_its_language(texts, query, found):
    assert await best(texts, query, mode="keyword") == found


@pytest.mark.failure("F311")
@pytest.mark.parametrize(
    ("text", "other", "query"),
    [
        ("שילמתי על המחשב אלף שקל.", "השלום בבית חשוב לסבא.", "כמה שילמתי על המחשב?"),
        ("المطار مغلق بسبب الضباب الكثيف.", "المطر كثيف.", "لماذا المطار مغلق؟"),
    ],
)
async def test_a_word_itself_is_found_before_another_of_its_root(memory, text, other, query):
    await fill(memory, other, text, "The sun is out.", "It rained.")

    assert await best(memory, query, mode="keyword") == text


@pytest.mark.failure("F212")
@pytest.mark.parametrize("query", ["犬は", "本を", "我的狗吗", "강아지는", "개를"])
async def test_a_particle_beside_a_word_finds_nothing(texts, query):
    assert (await texts.recall(query, mode="keyword")).hits == ()


PARTICLES = {
    "ja": ("の", "は", "を", "には", "ですか？"),
    "zh": ("的", "了", "在", "是", "吗？"),
    "ko": ("는", "을", "에서", "입니다"),
    "th": ("ของ", "ที่", "และ", "เป็น"),
    "ar": ("في", "من", "على", "و", "في من"),
    "he": ("של", "את", "על", "ה", "את של"),
    "hi": ("का", "की", "में", "है", "में है"),
    "ru": ("в", "на", "и", "не", "и на"),
    "el": ("του", "ΤΗΣ", "και", "στο", "από το"),
    "de": ("der", "und", "Der", "von dem", "mit der"),
    "tr": ("ve", "bir", "için", "Bu", "da"),
    "es": ("el", "de", "en", "los", "de la"),
}


@pytest.mark.failure("F212")
@pytest.mark.parametrize(
    "query", [pytest.param(one, id=f"{code}-{one}") for code, found in PARTICLES.items() for one in found]
)
async def test_particles_alone_find_nothing(texts, query):
    assert (await texts.recall(query)).hits == ()


@pytest.mark.failure("F212")
@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("Die Schlüssel", "Der Schlüssel zum Keller hängt im Flur."),
        ("for the report", "The report is due on Friday."),
        ("猫の", "黒猫が庭で寝ている。"),
        ("ключи в", "Ключи от подвала висят за дверью."),
        ("המפתחות של", "המפתחות של המרתף במגירה."),
        ("จดหมายกุญแจ", "กุญแจห้องใต้ดินอยู่ในลิ้นชัก"),
    ],
)
async def test_particles_beside_a_word_take_nothing_from_it(texts, query, found):
    assert await best(texts, query, mode="keyword") == found


@pytest.mark.parametrize("query", ["MIT", "mit", "the UN", "un"])
async def test_a_name_that_is_a_particle_elsewhere_is_found(memory, query):
    await fill(memory, "The UN wrote to MIT.", "It was sunny.")

    assert await best(memory, query, mode="keyword") == "The UN wrote to MIT."


@pytest.mark.failure("F314")
@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("ｒｅｐｏｒｔ", "The report is due on Friday."),
        ("ＳＣＨＬÜＳＳＥＬ", "Der Schlüssel zum Keller hängt im Flur."),
        ("schlussel", "Der Schlüssel zum Keller hängt im Flur."),
        ("Schlu\u0308ssel", "Der Schlüssel zum Keller hängt im Flur."),
        ("SÓTANO", "La llave del sótano está en el cajón."),
        ("sotano", "La llave del sótano está en el cajón."),
        ("cekmece", "Anahtarlar mutfaktaki çekmecede duruyor."),
        ("ISPARTA", "Isparta'daki depo ilkbaharda taşındı."),
        ("ісpарта ISPARTA'DAKİ", "Isparta'daki depo ilkbaharda taşındı."),
        ("ЕЩЕ БЕРЕЗА", "Ещё одна берёза растёт у ворот."),
        ("ключи́", "Ключи от подвала висят за дверью."),
        ("δρομολογητη", "Ο κωδικός του δρομολογητή είναι στο χαρτί."),
        ("ΔΡΟΜΟΛΟΓΗΤΗΣ", "Ο κωδικός του δρομολογητή είναι στο χαρτί."),
        ("القَبْو", "مفاتيح القبو في درج المطبخ والكلب في الحديقة."),
        ("المطبـــخ", "مفاتيح القبو في درج المطبخ والكلب في الحديقة."),
        ("מַרְתֵּף", "המפתחות של המרתף במגירה."),
        ("तहखाने", "तहख़ाने की चाबियाँ दराज़ में हैं।"),
        ("चाबियां", "तहख़ाने की चाबियाँ दराज़ में हैं।"),
        ("٢٠٢٧", "सर्वर २०२७ में बदला जाएगा।"),
        ("２０２７", "सर्वर २०२७ में बदला जाएगा।"),
        ("ﾌﾟﾘﾝﾀｰ", "プリンターの紙が切れた。"),
        ("プリンタ", "プリンターの紙が切れた。"),
        ("紙", "プリンターの紙が切れた。"),
        ("열쇠", "지하실 열쇠는 서랍에 있다."),
        ("책", "새 책을 샀다."),
        ("备份", "备份每天晚上复制到第二台服务器。"),
        ("鍵", "地下室の鍵は引き出しにあります。"),
        ("引出し", "地下室の鍵は引き出しにあります。"),
        ("ลิ้นชัก", "กุญแจห้องใต้ดินอยู่ในลิ้นชัก"),
    ],
)
async def test_width_accents_and_points_may_be_written_or_not(texts, query, found):
    assert await best(texts, query, mode="keyword") == found


@pytest.mark.failure("F213")
async def test_forms_of_other_languages_take_nothing_from_an_english_question(memory):
    await fill(memory, "The report is due on Friday.")
    before = (await memory.recall("When is the report due?", mode="keyword")).hits

    await fill(memory, *(f"Haus Nummer {number} wurde verkauft." for number in "abc"))

    assert [h.text for h in (await memory.recall("When is the report due?", mode="keyword")).hits] == [before[0].text]


@pytest.mark.failure("F212")
async def test_a_quoted_phrase_keeps_its_stop_words(texts):
    assert await best(texts, "„Schlüssel zum Keller“", mode="keyword") == "Der Schlüssel zum Keller hängt im Flur."
    assert await best(texts, '"Schlüssel für Keller"', mode="keyword") is None
