"""Tell a live-looking credential from a stand-in, a piece of code, a name or an id."""

from __future__ import annotations

import base64
import binascii
import json
import math
import re
from collections import Counter

_STAND_IN = re.compile(
    r"(?i)your|my[-_]|x{4}|\*{3}|\.{3}|…|0{8}|1234567890?$|placeholder|change[-_]?me|redacted|dummy|sample|replace|insert"
    r"|not[-_]?real|^https?://(?!hooks)|^[(:\[]|<|\{|\$|%[({sd]|\[secret:"
)
_LEFT_OUT = re.compile(r"[<{$]|\*{3}|x{4}|X{4}|\.{3}|…|%s|\[secret:")
_CODE = re.compile(
    r"[A-Za-z_][\w.]*(?:\(.*|\[.*)|[A-Za-z_]\w*(?:(?:\.|::|->)[A-Za-z_]\w*)+|(?:[A-Z][a-z]+\d{0,5}){2,}"
    r"|(?i:true|false|none|null|nil|undefined)"
)
_WORDS = re.compile(r"[A-Za-z]+[.,;:!?)]*|[A-Za-z]+(?:[-_/][A-Za-z]+)+")
_ID = re.compile(r"(?i)[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|\d{4}-\d\d-\d\d(?:T.*)?|\d+")
_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:T.*)?")
_BASE64_LINE = re.compile(r"[A-Za-z0-9+/=]{16}")
_KINDS_OF_CHARACTER = tuple(map(re.compile, ("[a-z]", "[A-Z]", r"\d", r"[^\w\s.,;:)-]")))

_FEWEST_CHARACTERS = 8  # different ones, in a token
_FEWEST_IN_PASSWORD = 4
_FEWEST_KINDS = 3
_LONG_PIECE = 16
_LEAST_ENTROPY = 3.0  # bits a character


def anything(_: str) -> bool:
    """Accept what the form alone makes sure of."""
    return True


def real(value: str) -> bool:
    """Accept a token that is no stand-in such as `xxxx` or `your-key`."""
    return not _STAND_IN.search(value) and len(set(value)) >= _FEWEST_CHARACTERS


def mixed(value: str) -> bool:
    """Accept a token with one long piece of letters and digits, as no name of a class or a package has."""
    pieces = re.split(r"[-_]", value)
    return real(value) and any(len(piece) >= _LONG_PIECE and not piece.isalpha() for piece in pieces)


def random(value: str) -> bool:
    """Accept a value with digits and high entropy that is not code."""
    return (
        real(value)
        and any(map(str.isdigit, value))
        and not _CODE.fullmatch(value)
        and _entropy(value) >= _LEAST_ENTROPY
    )


def random_and_no_id(value: str) -> bool:
    """Accept a random value that is not a UUID, a date or a number."""
    return random(value) and not _ID.fullmatch(value)


def password(value: str) -> bool:
    """Accept what could be a password where one is expected: no word, no code, no stand-in."""
    if _STAND_IN.search(value) or _CODE.fullmatch(value) or _DATE.fullmatch(value) or _WORDS.fullmatch(value):
        return False
    return len(set(value)) >= _FEWEST_IN_PASSWORD


def strong_password(value: str) -> bool:
    """Accept a password that no word of a sentence looks like."""
    return password(value) and sum(bool(kind.search(value)) for kind in _KINDS_OF_CHARACTER) >= _FEWEST_KINDS


def written_out(value: str) -> bool:
    """Accept a password in a URL unless it is a variable or blotted out."""
    return not _LEFT_OUT.search(value)


def key_block(value: str) -> bool:
    """Accept a PEM block that holds a key and not an ellipsis."""
    return bool(_BASE64_LINE.search(value.split("-----")[2]))


def json_web_token(value: str) -> bool:
    """Accept a token whose first part decodes to a JSON header."""
    head = value.split(".", 1)[0]
    try:
        header = json.loads(base64.urlsafe_b64decode(head + "=" * (-len(head) % 4)))
    except (ValueError, RecursionError):
        return False
    return isinstance(header, dict) and ("alg" in header or "typ" in header)


def basic(value: str) -> bool:
    """Accept what decodes to a user and a password."""
    try:
        return b":" in base64.b64decode(value, validate=True)
    except binascii.Error:
        return False


def _entropy(text: str) -> float:
    return -sum(count / len(text) * math.log2(count / len(text)) for count in Counter(text).values())
