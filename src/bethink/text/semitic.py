"""Light stems of Arabic and Hebrew words: without article, preposition, plural, gender. Both want folded words."""

from __future__ import annotations

# After Larkey, Ballesteros and Connell's light10 (2007), with the possessive endings of `we`, `you` and `they`.
ARTICLES = ("وال", "بال", "كال", "فال", "ولل", "لل", "ال")
_AND = "و"
_ARABIC_ENDINGS = ("هما", "كما", "ها", "ان", "ات", "ون", "ين", "يه", "نا", "هم", "كم", "ه", "ي")
_LEAST_ARABIC = 3
_MOST_ENDINGS = 2
_FEMININE = "ت"  # how ة is written where something follows it
_JOINED = "بلكف"  # prepositions and `so`, written together with the word

HEBREW_PREFIXES = frozenset("משהוכלב")
_HEBREW_PLURALS = ("יות", "יים", "ים", "ות")
_HEBREW_ENDINGS = frozenset("התי")
_LEAST_HEBREW = 3
FINAL_LETTERS = str.maketrans("ךםןףץ", "כמנפצ")


def arabic(word: str) -> str:
    """Return the light stem of an Arabic word."""
    if word.startswith(_AND) and len(word) > _LEAST_ARABIC and not word.startswith(ARTICLES):
        word = word[1:]
    article = next((a for a in ARTICLES if word.startswith(a) and len(word) - len(a) >= _LEAST_ARABIC - 1), "")
    bare = word[len(article) :]
    word = bare
    for _ in range(_MOST_ENDINGS):
        ending = next((e for e in _ARABIC_ENDINGS if word.endswith(e) and len(word) - len(e) >= _LEAST_ARABIC), "")
        word = word[: len(word) - len(ending)]
    return word[:-1] if word != bare and word.endswith(_FEMININE) and len(word) > _LEAST_ARABIC else word


def joined(stem: str) -> list[str]:
    """Return the stems that the word of an Arabic stem has with a preposition before it, or perhaps without."""
    bare = [stem[1:]] if stem[:1] in _JOINED and len(stem) > _LEAST_ARABIC else []
    return [*bare, *(letter + stem for letter in _JOINED)]


def hebrew(word: str) -> str:
    """Return the light stem of a Hebrew word: each leading letter that may be a preposition is taken off."""
    plural = next((p for p in _HEBREW_PLURALS if word.endswith(p) and len(word) - len(p) >= _LEAST_HEBREW), "")
    word = word[: len(word) - len(plural)]
    start = 0
    while word[start] in HEBREW_PREFIXES and len(word) - start > _LEAST_HEBREW:
        start += 1
    word = word[start:]
    while len(word) > _LEAST_HEBREW and word[-1] in _HEBREW_ENDINGS:
        word = word[:-1]
    return word.translate(FINAL_LETTERS)
