"""Words for times in several languages, each as the tokens that the grammar of `time_words` reads.

A token is a letter and a value. Words are folded (no case, no accents); a word that is common in another language, or
that is no time on its own (`may`, `march`, `second`, `fall`), becomes a time only by what stands around it.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple


class Token(NamedTuple):
    """A word as the grammar sees it: which sort of word (one letter of those below), its value, and itself."""

    code: str
    value: int = 0
    word: str = ""


NUMBER, ORDINAL, UNIT, MONTH, WEEKDAY, YEAR, DAY_OF_MONTH, DATE = "N", "O", "U", "M", "W", "Y", "K", "Z"
NAMED_DAY, WHICH, WHICH_BEHIND, AGO, AGO_BEFORE, SEASON, FEAST, PART = "D", "L", "l", "A", "G", "Q", "E", "P"
# Written in digits; a month by its number or short form; a season that is another word as well.
DIGITS, ORDINAL_DIGITS, MONTH_NUMBER, SHORT_MONTH, SEASON_OR_NOT, QUARTER_NUMBER = "n", "o", "j", "m", "q", "R"
YEAR_RANGE: Final = "r"  # its value: the first year, times so many, and the last
YEARS_APART: Final = 10_000
IN, BEFORE, AFTER, SINCE, UNTIL, BETWEEN, AND, EVERY, COMMA, OTHER = "I", "B", "F", "S", "X", "T", "&", "V", ",", "."
_TELLING: Final = (UNIT, MONTH, SHORT_MONTH, WEEKDAY, NAMED_DAY, SEASON, SEASON_OR_NOT, FEAST)
THE: Final = "H"  # left out, but before a month: `the march`
ARTICLE: Final = ""  # left out of what the grammar reads

DAY, WEEK, MONTHS, QUARTER, YEARS, WEEKEND, HALF = range(7)
SPRING, SUMMER, AUTUMN, WINTER = range(4)
CHRISTMAS, NEW_YEAR, NEW_YEARS_EVE, HALLOWEEN, VALENTINE, CHRISTMAS_EVE = range(6)
FEASTS: Final = ((12, 25), (1, 1), (12, 31), (10, 31), (2, 14), (12, 24))

# By sort and value: the words, with `_` for a space inside one.
_WORDS: Final = {
    NUMBER: {
        1: "a an one ein eine einem einer einen un una une uno",
        2: "two zwei dos deux",
        3: "three few several drei einigen paar tres unos unas trois quelques",
        4: "four vier cuatro quatre",
        5: "five funf cinco cinq",
        6: "six sechs seis",
        7: "seven sieben siete",
        8: "eight acht ocho huit",
        9: "nine neun nueve neuf",
        10: "ten zehn diez dix",
        11: "eleven elf onze",
        12: "twelve zwolf doce douze",
    },
    ORDINAL: {
        1: "first erste ersten erster primer primera premier premiere",
        2: "second zweite zweiten segundo segunda deuxieme",
        3: "third dritte dritten tercer tercera troisieme",
        4: "fourth vierte vierten cuarto cuarta quatrieme",
    },
    UNIT: {
        DAY: "day days tag tage tagen tages dia dias jour jours",
        WEEK: "week weeks woche wochen semana semanas semaine semaines",
        MONTHS: "month months monat monate monaten monats mes meses mois",
        QUARTER: "quarter quarters quartal quartals trimestre trimestres",
        YEARS: "year years jahr jahre jahren jahres ano anos ans annee annees",
        WEEKEND: "weekend weekends wochenende fin_de_semana week-end",
        HALF: "half halfte mitad moitie",
    },
    MONTH: {
        1: "january januar janner enero janvier",
        2: "february februar febrero fevrier",
        3: "march marz marzo mars",
        4: "april abril avril",
        5: "may mai mayo",
        6: "june juni junio juin",
        7: "july juli julio juillet",
        8: "august agosto aout",
        9: "september septiembre setiembre septembre",
        10: "october oktober octubre octobre",
        11: "november noviembre novembre",
        12: "december dezember diciembre decembre",
    },
    WEEKDAY: {
        0: "monday montag lunes lundi",
        1: "tuesday dienstag martes mardi",
        2: "wednesday mittwoch miercoles mercredi",
        3: "thursday donnerstag jueves jeudi",
        4: "friday freitag viernes vendredi",
        5: "saturday samstag sonnabend sabado samedi",
        6: "sunday sonntag domingo dimanche",
    },
    NAMED_DAY: {
        -2: "day_before_yesterday vorgestern anteayer avant-hier",
        -1: "yesterday last_night gestern ayer d_hier hier_soir",
        0: "today tonight this_morning this_afternoon this_evening heute hoy aujourd_hui",
        1: "tomorrow",
        2: "day_after_tomorrow",
    },
    WHICH: {
        -2: "vorletzte vorletzten vorletzter vorletztes",
        -1: "last past previous letzte letzten letzter letztes letztem vorige vorigen voriges vergangene vergangenen"
        " ultimo ultima ultimos ultimas",
        0: "this current diese dieser dieses diesen diesem este esta ce cette",
        1: "next coming upcoming nachste nachsten nachster nachstes",
        2: "ubernachste ubernachsten ubernachster ubernachstes",
    },
    WHICH_BEHIND: {
        -2: "antepasado antepasada",
        -1: "pasado pasada pasados pasadas dernier derniere derniers dernieres passe passee",
        1: "proximo proxima prochain prochaine",
    },
    AGO: {0: "ago"},
    AGO_BEFORE: {0: "hace il_y_a"},
    SEASON: {
        SPRING: "fruhling fruhjahr primavera printemps",
        SUMMER: "summer sommer verano",
        AUTUMN: "autumn herbst otono automne",
        WINTER: "winter invierno hiver",
    },
    SEASON_OR_NOT: {SPRING: "spring", SUMMER: "ete", AUTUMN: "fall"},
    FEAST: {
        CHRISTMAS: "christmas christmas_day xmas weihnachten navidad noel",
        NEW_YEAR: "new_year new_years new_year_s new_year_s_day new_years_day neujahr ano_nuevo nouvel_an",
        NEW_YEARS_EVE: "new_year_s_eve new_years_eve silvester nochevieja",
        HALLOWEEN: "halloween",
        VALENTINE: "valentine_s_day valentines_day valentinstag san_valentin saint-valentin",
        CHRISTMAS_EVE: "christmas_eve heiligabend nochebuena",
    },
    PART: {
        0: "early beginning start anfang principios debut",
        1: "mid middle mitte mediados milieu",
        2: "late end ende finales fin",
    },
    IN: {0: "in during on of from for im am wahrend en durante del de du pendant"},
    BEFORE: {0: "before prior_to bevor antes avant antes_de", 1: "vor"},
    AFTER: {0: "after nach nachdem despues apres despues_de"},
    SINCE: {0: "since seit desde depuis"},
    UNTIL: {0: "until till by bis hasta jusqu_a jusqu_en"},
    BETWEEN: {0: "between zwischen entre"},
    AND: {0: "and und y et to"},
    THE: {0: "the"},
    EVERY: {0: "every each jeden jede jedes cada chaque"},
    ARTICLE: {0: "der die das den dem des el la los las le les l s"},
}
# Where a month's or a weekday's short form may stand, a number beside it says that it is one.
_SHORT_MONTHS: Final = "jan feb mar apr may jun jul aug sep oct nov dec"
_MORE: Final = {
    "sept": (Token(SHORT_MONTH, 9),),
    "un an": (Token(NUMBER, 1), Token(UNIT, YEARS)),
    "an dernier": (Token(UNIT, YEARS), Token(WHICH_BEHIND, -1)),
    "an passe": (Token(UNIT, YEARS), Token(WHICH_BEHIND, -1)),
    "a few": (Token(NUMBER, 3),),
    "a couple of": (Token(NUMBER, 2),),
    "a couple": (Token(NUMBER, 2),),
    "anoche": (Token(NAMED_DAY, -1),),
}

# Common in another language, and a time only among French words.
ONLY_FRENCH: Final = {"hier": Token(NAMED_DAY, -1)}
_FRENCH: Final = "qu que quoi qui quel quelle est ai avons avez nous je tu vous le les une ce cette du et"
FRENCH: Final = frozenset(_FRENCH.split())


def _spaced() -> dict[str, tuple[Token, ...]]:
    found = {
        re.sub("[_-]", " ", word): (Token(code, value),) if code else ()
        for code, values in _WORDS.items()
        for value, words in values.items()
        for word in words.split()
    }
    short = {
        word: (Token(SHORT_MONTH, number),) for number, word in enumerate(_SHORT_MONTHS.split(), 1) if word not in found
    }
    return found | short | _MORE


SPACED: Final = _spaced()
# By the first word of each: how many words the longest has.
LONGEST: Final = {
    first: max(len(words) for words in map(str.split, SPACED) if words[0] == first)
    for first in {word.split()[0] for word in SPACED}
}

# One of these words at least, or a digit, is in every time.
TELLING: Final = (
    frozenset(
        part
        for word, tokens in SPACED.items()
        if any(token.code in _TELLING for token in tokens)
        for part in word.split()
        if len(part) > 1
    )
    | ONLY_FRENCH.keys()
)

_DENSE_WORDS: Final = {
    "一昨日 おととい 前天": (Token(NAMED_DAY, -2),),
    "昨日 きのう 昨天": (Token(NAMED_DAY, -1),),
    "今日 きょう 今天": (Token(NAMED_DAY, 0),),
    "明日 明天": (Token(NAMED_DAY, 1),),
    "先週末 上周末 上週末": (Token(WHICH, -1), Token(UNIT, WEEKEND)),
    "今週末 这周末 這週末 本周末": (Token(WHICH, 0), Token(UNIT, WEEKEND)),
    "先々週 上上周 上上週 上上个星期 上上個星期": (Token(WHICH, -2), Token(UNIT, WEEK)),
    "先週 上周 上週 上星期 上个星期 上個星期 上礼拜": (Token(WHICH, -1), Token(UNIT, WEEK)),
    "今週 这周 這週 本周 本週 这个星期 這個星期": (Token(WHICH, 0), Token(UNIT, WEEK)),
    "来週 下周 下週 下个星期 下個星期": (Token(WHICH, 1), Token(UNIT, WEEK)),
    "先々月 上上个月 上上個月": (Token(WHICH, -2), Token(UNIT, MONTHS)),
    "先月 上个月 上個月 上月": (Token(WHICH, -1), Token(UNIT, MONTHS)),
    "今月 这个月 這個月 本月": (Token(WHICH, 0), Token(UNIT, MONTHS)),
    "来月 下个月 下個月 下月": (Token(WHICH, 1), Token(UNIT, MONTHS)),
    "一昨年 おととし 前年": (Token(WHICH, -2), Token(UNIT, YEARS)),
    "去年 昨年": (Token(WHICH, -1), Token(UNIT, YEARS)),
    "今年": (Token(WHICH, 0), Token(UNIT, YEARS)),
    "来年 明年": (Token(WHICH, 1), Token(UNIT, YEARS)),
    "の春 春天": (Token(IN), Token(SEASON, SPRING)),
    "の夏 夏天": (Token(IN), Token(SEASON, SUMMER)),
    "の秋 秋天": (Token(IN), Token(SEASON, AUTUMN)),
    "の冬 冬天": (Token(IN), Token(SEASON, WINTER)),
    "の 的": (Token(IN),),
}
DENSE: Final = {word: tokens for words, tokens in _DENSE_WORDS.items() for word in words.split()}
_NUMERAL: Final = r"[0-9]{1,4}|[一二两兩三四五六七八九十]{1,3}"
_DENSE_UNITS: Final = {
    DAY: "日 日間 天",
    WEEK: "週 週間 周 星期 个星期 個星期",
    MONTHS: "か月 ヶ月 カ月 ヵ月 箇月 个月 個月",
    YEARS: "年 年間",
}
DENSE_UNITS: Final = {word: unit for unit, words in _DENSE_UNITS.items() for word in words.split()}
_WEEKDAYS: Final = "月火水木金土日"
_ZH_WEEKDAYS: Final = "一二三四五六日"
_OF_NUMBER: Final = "|".join(sorted(DENSE_UNITS, key=len, reverse=True))
# Compiled at its first use.
DENSE_PATTERN: Final = (
    rf"(?P<year>[12][0-9]{{3}})年|(?P<number>{_NUMERAL})(?P<unit>{_OF_NUMBER})(?:之前|以前|前)"
    r"|(?P<month>[0-9]{1,2}|十[一二]?|[一二三四五六七八九])月(?!曜)|(?P<day>[0-9]{1,2})[日号號]"
    rf"|(?P<weekday>[{_WEEKDAYS}])曜日?|(?:星期|礼拜|(?<![上下这這本])[周週])(?P<xingqi>[一二三四五六日天])"
    r"|(?<=[上下这這本][周週])(?P<day_of_it>[一二三四五六日天])(?![个個月年天])"
    rf"|(?P<word>{'|'.join(sorted(DENSE, key=len, reverse=True))})"
)
_NUMERALS: Final = {c: n for n, c in enumerate("一二三四五六七八九十", 1)} | {"两": 2, "兩": 2}


def numeral(text: str) -> int:
    """Return a number up to 99 written in digits or Chinese numerals."""
    if text.isdecimal():
        return int(text)
    tens, ten, ones = text.rpartition("十")
    return (_NUMERALS.get(tens[:1], 1) * 10 if ten else 0) + (_NUMERALS.get(ones[:1], 0) if ones else 0)


def dense_tokens(match: re.Match[str]) -> tuple[Token, ...]:
    """Return the tokens of one match of `DENSE_PATTERN`."""
    if match["word"]:
        return DENSE[match["word"]]
    if match["number"]:
        return Token(NUMBER, numeral(match["number"])), Token(UNIT, DENSE_UNITS[match["unit"]]), Token(AGO)
    if match["year"]:
        return Token(IN), Token(YEAR, int(match["year"]))
    if match["month"]:
        return (Token(MONTH_NUMBER, numeral(match["month"])),)
    return (Token(DAY_OF_MONTH, int(match["day"])) if match["day"] else _dense_weekday(match),)


def _dense_weekday(match: re.Match[str]) -> Token:
    if match["weekday"]:
        return Token(WEEKDAY, _WEEKDAYS.index(match["weekday"]))
    return Token(WEEKDAY, _ZH_WEEKDAYS.index((match["xingqi"] or match["day_of_it"]).replace("天", "日")))
