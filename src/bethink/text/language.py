"""Guess the language of a text from its script, its letters and its most frequent words."""

from __future__ import annotations

from collections import Counter

_LOOKED_AT = 600
_LEAST_SHARE = 0.5
_LEAST_POINTS = 4

_WORDS = {
    "en": "the and of to is in that it for was on are with as be this have not but you from they we by an or at",
    "de": "der die das und ist nicht ein eine zu mit auf für von dem den im sich auch es wird als an werden wir ich",
    "fr": "le la les des et est une dans que pour pas qui sur du avec il nous ne ce au plus sont par je être cette",
    "es": "el la los las y es que en una por con para no se del lo como más un está pero su al son esta hay fue muy",
    "it": "il di che è la per non una sono del con si le dei nel della gli ma più anche come alla questo ha ho lo",
    "pt": "o a os as e é que não uma do da em para com por um se na no mais dos como mas foi ao são está você muito",
    "nl": "de het een en van is niet in dat op te zijn voor met die aan er om ook naar wordt maar we bij heeft dit",
    "sv": "och att det som en är på för inte med av den till har jag ett om vi var kan men så från de vid eller när",
    "da": "og det er ikke en at på til af som med der for har jeg et vi den de var men om kan fra blev hvad også",
    "no": "og det er ikke en å på til av som med for har jeg et vi den de var men om kan fra ble hva også etter",
    "fi": "ja on ei se että oli ovat mutta hän joka myös kun niin kuin tai sen olla tämä minä jos vain mitä sitä",
    "pl": "i w nie na się z do to jest że o jak ale za co od po przez tym dla jego są być ma tak już czy był",
    "cs": "a je se v na to že s z do o ale jako pro za by jsem od po jsou byl když jak nebo není bude také který",
    "tr": "ve bir bu için ile de da ne daha çok gibi olarak var olan kadar sonra değil ama en ben mi o olduğu her",
    "ro": "și de în a nu este la pe cu o un din care să mai pentru că se ce au sunt fi dar sau am după",
    "hu": "a az és hogy nem is egy van ez azt volt meg de csak már mint vagy ha el még kell ki lesz minden",
    "id": "yang dan di ini itu dengan untuk tidak dari dalam akan pada juga saya ke karena ada kami bisa oleh sudah",
    "vi": "và là của không có được cho một những trong người với các đã này khi để tôi ở cũng đến từ như",
}  # fmt: skip
# Letters that few of the Latin alphabets have.
_LETTERS = {
    "de": "ßäöü", "fr": "çèêëàùœîû", "es": "ñ¿¡áíóú", "it": "àèìòù", "pt": "ãõçáéêó", "sv": "åäö", "da": "æøå",
    "no": "æøå", "fi": "äö", "pl": "łąęśżźćń", "cs": "řěůčšžý", "tr": "ışğçöü", "ro": "șțăâî", "hu": "őűáéö",
    "vi": "ơưđạảấầậếệộớợụ",
}  # fmt: skip
_LANGUAGES_OF_WORD: dict[str, list[str]] = {}
for _language, _frequent in _WORDS.items():
    for _word in _frequent.split():
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
    points: Counter[str] = Counter()
    for word, count in Counter(sample.split()).items():
        languages = _LANGUAGES_OF_WORD.get(word, ())
        for language in languages:
            points[language] += (2 if len(languages) == 1 else 1) * min(count, 4)
    if not points:
        return None
    if not sample.isascii():
        present = set(sample)
        for language, letters in _LETTERS.items():
            points[language] += min(3, len(present.intersection(letters)))
    (first, most), *others = points.most_common(2)
    return first if most >= _LEAST_POINTS and most > 1.2 * (others[0][1] if others else 0) else None


def _script(code: int) -> str:
    return next((name for first, last, name in _SCRIPTS if first <= code <= last), "latin")
