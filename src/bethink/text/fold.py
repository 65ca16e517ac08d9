"""Make the spellings of one word equal (width, ligature, accent, dotless i, invisible marks); tell scripts apart."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from .normal import nfkc

# What `shape` writes for a character that is not ASCII; ASCII stands for itself.
LETTER, SYMBOL, JOINER, BREAK = "a", "☺", "+", " "
HAN, HIRAGANA, KATAKANA, HANGUL, UNSPACED = "漢", "ひ", "カ", "한", "ไ"
DENSE = frozenset(HAN + HIRAGANA + KATAKANA + HANGUL + UNSPACED)

_STRAY_JOINER = re.compile("\u200d(?![\u2190-\u2bff\U0001f000-\U0001faff])")
_FOLDED_BY_HAND = {
    "ı": "i", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "ð": "d", "Ð": "D", "þ": "th", "Þ": "Th",
    "æ": "ae", "Æ": "Ae", "œ": "oe", "Œ": "Oe", "ħ": "h", "Ħ": "H", "ё": "е", "Ё": "Е",
    "ى": "ي", "ی": "ي", "ک": "ك", "ة": "ه", "ँ": "ं", "\u093c": "",  # Arabic letters by keyboard; candrabindu, nukta
    "\u2010": "-", "\u2012": "-", "\u2019": "'", "\u02bc": "'", "\u200b": " ", "\u200d": "\u200d",
}  # fmt: skip
_UNWRITTEN = ((0x0640, 0x0640), (0x20E3, 0x20E3), (0xFE00, 0xFE0F))  # tatweel, keycap, variation selectors
_TAKE_ACCENTS = ((0x0041, 0x03FF), (0x0590, 0x06FF))  # Latin, Greek; Hebrew, Arabic
_SKIN_TONES = ((0x1F3FB, 0x1F3FF),)
# Accents and points that are as often left out as written: Latin, Greek and Cyrillic stress, Hebrew, Arabic.
_OPTIONAL_MARKS = (
    (0x0300, 0x036F), (0x0591, 0x05BD), (0x05BF, 0x05C7), (0x0610, 0x061A), (0x064B, 0x065F), (0x0670, 0x0670),
)  # fmt: skip
_SCRIPTS = (
    (HIRAGANA, ((0x3041, 0x309F),)),
    (KATAKANA, ((0x30A0, 0x30FF), (0x31F0, 0x31FF))),
    (HAN, ((0x2E80, 0x2FDF), (0x3005, 0x3007), (0x3400, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x3FFFF))),
    (HANGUL, ((0x1100, 0x11FF), (0x3130, 0x318F), (0xA960, 0xA97F), (0xAC00, 0xD7FF))),
    (UNSPACED, ((0x0E01, 0x0E4E), (0x0E80, 0x0ECF), (0x1000, 0x103F), (0x1050, 0x109F), (0x1780, 0x17D3))),
    (UNSPACED, ((0x1950, 0x19DF), (0x1A20, 0x1AAD))),
)
# Two ways of typing what looks the same in Thai: แ as two เ, and the ring of ำ before the tone mark.
_THAI = ((re.compile("\u0e40\u0e40"), "\u0e41"), (re.compile("\u0e4d([\u0e48-\u0e4b])"), "\\1\u0e4d"))
_FRAMES = ((0x2500, 0x259F), (0x2800, 0x28FF))  # box drawing, blocks, braille cells: not words


def fold(text: str) -> str:
    """Return `text` with spelling variants made one; case is kept, for it tells the parts of an identifier.

    Accents are dropped rather than indexed beside the bare form: one term instead of two for the same word, and both
    spellings find both. Marks that make another letter (Devanagari vowels, kana voicing, Cyrillic й) stay.
    """
    if text.isascii():
        return text
    folded = nfkc(text).translate(_FOLD)
    if "\u200d" in folded:
        folded = _STRAY_JOINER.sub("", folded)
    return _typed(folded) if "\u0e40\u0e40" in folded or "\u0e4d" in folded else folded


def shape(text: str) -> str:
    """Return one character of class for each of `text`: what regular expressions over scripts are written against."""
    return text if text.isascii() else text.translate(_SHAPE)


def _typed(text: str) -> str:
    for written, meant in _THAI:
        text = written.sub(meant, text)
    return text


class _FoldTable(dict[int, str]):
    def __missing__(self, code: int) -> str:
        self[code] = _folded(chr(code))
        return self[code]


class _ShapeTable(dict[int, str]):
    def __missing__(self, code: int) -> str:
        self[code] = _shape(chr(code))
        return self[code]


_FOLD, _SHAPE = _FoldTable(), _ShapeTable()


def _folded(character: str) -> str:
    if character in _FOLDED_BY_HAND:
        return _FOLDED_BY_HAND[character]
    code = ord(character)
    if (digit := unicodedata.decimal(character, None)) is not None:
        return str(digit)
    if unicodedata.category(character) == "Cf" or _within(code, _UNWRITTEN + _OPTIONAL_MARKS):
        return ""
    bare = unicodedata.normalize("NFD", character)
    if len(bare) > 1 and _within(ord(bare[0]), _TAKE_ACCENTS) and _within(ord(bare[1]), _OPTIONAL_MARKS):
        return bare[0]
    return character


def _shape(character: str) -> str:
    if character.isascii():
        return character
    if character == "\u200d":
        return JOINER
    code = ord(character)
    for name, ranges in _SCRIPTS:
        if _within(code, ranges):
            return name
    kind = unicodedata.category(character)
    if kind[0] in "LNM":
        return LETTER
    drawn = kind in ("So", "Sm", "Sc") or _within(code, _SKIN_TONES)
    return SYMBOL if drawn and not _within(code, _FRAMES) else BREAK


def _within(code: int, ranges: Iterable[tuple[int, int]]) -> bool:
    return any(first <= code <= last for first, last in ranges)
