"""Guess the language of a text from its script, its letters and its most frequent words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

from .stopwords import OF_LANGUAGE

_LOOKED_AT = 600
_LEAST_SHARE = 0.5
_LEAST_POINTS = 2.5
_LEAST_LIKELY = 1.0
_NEAR_THE_BEST = 0.6
_MOST_OF_ONE_WORD = 4
_CLEAR = 6.0  # points of English, from which on endings are not looked at
_POINTS_A_LETTER, _POINTS_AN_ENDING = 1.0, 0.5
_SHORTEST_ENDED = 5  # characters of a word whose ending is looked at

_ENGLISH = (
    "the and of to is in that it for was on are with as be this have not but you from they we by an or at a i"
    " what when where who which why how did does do has had their his her she he him them our us my me your will would"
    " can could should about there been were more than then some so just very really out up if no yes all any into"
    " after before during every its use used get got must need needs like said new time day while also because"
)
# Of words that tell something, the frequent ones tell the language too.
_TELLING = {
    "de": "hinter neben zwischen jede jeden jeder ab gestern heute morgen woche wieder mehr alle",
    "fr": "tous toute toutes chaque depuis hier on",
    "es": "cada todos todas todo ayer hoy siempre después antes detrás debajo junto",
    "it": "ogni tutti dopo prima sempre ieri oggi",
    "pt": "todos toda cada sempre depois antes ontem hoje",
    "nl": "elke altijd gisteren na",
    "sv": "efter alla varje igår",
    "da": "efter alle hver",
    "no": "etter alle hver",
    "fi": "ennen jälkeen aina jo nyt",
    "pl": "zawsze",
    "cs": "vždy",
    "tr": "yok önce hep göre sonra dün bugün şimdi yeni eski oldu olduğu olacak diye ya veya artık iki gün günü içinde",
    "ro": "după iar",
    "hu": "után előtt mindig minden nekünk",
    "id": "kita kami saya mereka dia setelah sebelum selalu sudah",
    "vi": "người tôi",
}
_WORDS = {"en": _ENGLISH.split()} | {code: [*words, *_TELLING[code].split()] for code, words in OF_LANGUAGE.items()}
# Letters that few of the Latin alphabets have.
_LETTERS = {
    "de": "ßäöü", "fr": "éçèêëàùœîû", "es": "ñ¿¡áéíóú", "it": "àèéìòù", "pt": "ãõçáéêó", "sv": "åäö", "da": "æøå",
    "no": "æøå", "fi": "äö", "pl": "ąęłśżźćń", "cs": "éřěůčšžý", "tr": "ışğçöü", "ro": "șțăâî", "hu": "őűáéö",
    "vi": "ơưđạảấầậếệộớợụ",
}  # fmt: skip
_ENDINGS = {
    language: tuple(endings.split())
    for language, endings in {
        "de": "ung ungen heit keit lich lichen isch ischen schaft chen",
        "es": "ción ciones dad dades mente aron ieron amos imos ando iendo ado ada ados adas",
        "fr": "tion eux euse ement ées aient ons ez eau",
        "it": "zione zioni mente ato ata ati ate ità are ere ire",
        "pt": "ção ções dade mente ado ada ados adas aram eram inho",
        "tr": "lar ler ları leri dan den tan ten nın nin nun nün ında inde ına ine ıyor iyor uyor üyor acak ecek mış"
        " miş dı di du dü dır dir lık lik ıyla iyle",
    }.items()
}
_WORD = re.compile(r"[^\W\d_]+")
_LANGUAGES_OF_WORD: dict[str, list[str]] = {}
for _language, _frequent in _WORDS.items():
    for _word in dict.fromkeys(_frequent):
        _LANGUAGES_OF_WORD.setdefault(_word, []).append(_language)

# By block, for the scripts of one language or of one that is by far the most written.
_SCRIPTS = (
    (0x0000, 0x036F, "latin"), (0x0370, 0x03FF, "el"), (0x0400, 0x04FF, "cyrillic"), (0x0530, 0x058F, "hy"),
    (0x0590, 0x05FF, "he"), (0x0600, 0x06FF, "arabic"), (0x0900, 0x097F, "hi"), (0x0980, 0x09FF, "bn"),
    (0x0A00, 0x0A7F, "pa"), (0x0A80, 0x0AFF, "gu"), (0x0B00, 0x0B7F, "or"), (0x0B80, 0x0BFF, "ta"),
    (0x0C00, 0x0C7F, "te"), (0x0C80, 0x0CFF, "kn"), (0x0D00, 0x0D7F, "ml"), (0x0D80, 0x0DFF, "si"),
    (0x0E00, 0x0E7F, "th"), (0x0E80, 0x0EFF, "lo"), (0x1000, 0x109F, "my"), (0x10A0, 0x10FF, "ka"),
    (0x1100, 0x11FF, "ko"), (0x1200, 0x137F, "am"), (0x1780, 0x17FF, "km"), (0x3040, 0x30FF, "kana"),
    (0x3400, 0x9FFF, "han"), (0xAC00, 0xD7AF, "ko"), (0x20000, 0x3FFFF, "han"),
)  # fmt: skip
_CYRILLIC = (("uk", "іїєґ"), ("be", "ўі"), ("sr", "ђјљњћџ"), ("mk", "ѓѕќ"))
_ARABIC = (("ur", "ٹڈڑےں"), ("fa", "پچژگ"))


def detect(text: str) -> str | None:
    """Return the ISO 639-1 code of the language that the beginning of `text` is in, or None when that is not clear."""
    sample = text[:_LOOKED_AT].lower()
    if not sample.isascii() and (found := _by_script(sample)):
        return found
    return _by_words(sample)


def likely(text: str) -> list[str]:
    """Return the languages of the Latin script that the beginning of `text` may be in, the likeliest first.

    None where nothing speaks for any. A text too short to tell Danish from Norwegian may be in both.
    """
    points = _points(text[:_LOOKED_AT].lower())
    least = max(_LEAST_LIKELY, _NEAR_THE_BEST * points[0][1]) if points else 0
    return [language for language, found in points if found >= least]


def is_frequent(word: str, language: str | None) -> bool:
    """Say whether a lower-case word is one of the most frequent of a language, or where none is named, of any."""
    languages = _LANGUAGES_OF_WORD.get(word, ())
    return language in languages or (language is None and bool(languages))


def _by_script(sample: str) -> str | None:
    characters = Counter(sample)
    scripts: Counter[str] = Counter()
    letters = 0
    for character, count in characters.items():
        if character.isalpha():
            letters += count
            scripts[_script(ord(character))] += count
    dense = scripts["kana"] + scripts["han"] + scripts["ko"]
    if dense > letters / 3:  # a dense character says more than a Latin letter does
        return _east_asian(scripts, dense)
    script, count = scripts.most_common(1)[0] if scripts else ("latin", 0)
    if script == "latin" or count < _LEAST_SHARE * letters:
        return None
    if script == "cyrillic":
        return _by_letters(characters, _CYRILLIC) or ("bg" if _is_bulgarian(characters) else "ru")
    return (_by_letters(characters, _ARABIC) or "ar") if script == "arabic" else script


def _east_asian(scripts: Counter[str], dense: int) -> str:
    if scripts["ko"] > dense / 2:
        return "ko"
    return "ja" if scripts["kana"] > dense / 20 else "zh"


def _is_bulgarian(characters: Counter[str]) -> bool:
    return not (characters["ы"] or characters["э"]) and characters["ъ"] * 100 > characters.total()


def _by_letters(characters: Counter[str], cues: tuple[tuple[str, str], ...]) -> str | None:
    for language, letters in cues:
        if any(characters[letter] for letter in letters):
            return language
    return None


def _by_words(sample: str) -> str | None:
    points = _points(sample)
    if not points:
        return None
    (first, most), *others = points
    return first if most >= _LEAST_POINTS and most > 1.2 * (others[0][1] if others else 0) else None


@lru_cache(maxsize=256)  # one text is asked about several times in a row
def _points(sample: str) -> tuple[tuple[str, float], ...]:
    """How much speaks for each language of the Latin script, the most first: frequent words, letters, endings."""
    points = dict.fromkeys(_WORDS, 0.0)
    words = Counter(_WORD.findall(sample))
    for word, count in words.items():
        if languages := _LANGUAGES_OF_WORD.get(word):
            share = 2 / len(languages) * min(count, _MOST_OF_ONE_WORD)
            for language in languages:
                points[language] += share
    if not sample.isascii():
        present = set(sample)
        for language, letters in _LETTERS.items():
            points[language] += _POINTS_A_LETTER * min(3, len(present.intersection(letters)))
    if points["en"] < _CLEAR or points["en"] < max(points.values()):
        _add_endings(points, words)
    return tuple(sorted(((code, found) for code, found in points.items() if found), key=lambda of: -of[1]))


def _add_endings(points: dict[str, float], words: Iterable[str]) -> None:
    ended = [word for word in words if len(word) >= _SHORTEST_ENDED and word not in _LANGUAGES_OF_WORD]
    for language, endings in _ENDINGS.items():
        points[language] += _POINTS_AN_ENDING * sum(word.endswith(endings) for word in ended)


def _script(code: int) -> str:
    return next((name for first, last, name in _SCRIPTS if first <= code <= last), "latin")
