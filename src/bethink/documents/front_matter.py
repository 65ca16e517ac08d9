"""The front matter of a Markdown file, read where it is simple and kept whole where it is not."""

from __future__ import annotations

import re
from typing import Any, Final

UNREAD: Final = "front_matter"
Scalar = str | int | float | bool | None

_LONGEST: Final = 16_000
_BLOCK: Final = re.compile(r"---[ \t]*\n(?P<body>.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_KEY: Final = re.compile(r"(?P<key>[\w.-]+)[ \t]*:(?:[ \t]+(?P<value>.*))?")
_ITEM: Final = re.compile(r"[ \t]*-[ \t]+(?P<value>\S.*)")
_QUOTED: Final = re.compile(r""""(?P<double>[^"\\]*)"|'(?P<single>[^']*)'""")
_LIST: Final = re.compile(r"\[(?P<items>[^\[\]{}]*)\]")
_NOT_PLAIN: Final = re.compile(r"""[\[\]{}&*!|>%@`"'#,?-]|.*(?::\s|\s#|:$)""")
_NUMBER: Final = re.compile(r"[+-]?(?:0|[1-9]\d{0,14})(?:\.\d{1,14})?")
_WORDS: Final[dict[str, bool | None]] = {"true": True, "false": False, "null": None, "~": None, "": None}


class _NotSimpleError(ValueError):
    """The front matter uses more of YAML than is read here."""


def split(text: str) -> tuple[dict[str, Any], str]:
    """Return what the front matter of `text` says, and the text after it.

    Keys with a text, a number, a truth value or a list of these are read. Front matter that holds anything else comes
    back whole under `UNREAD`. A text that only begins with a rule has none.
    """
    found = _BLOCK.match(text, 0, _LONGEST)
    if found is None or not _KEY.match(_first_line(found["body"])):
        return {}, text
    try:
        said = _read(found["body"])
    except _NotSimpleError:
        said = {UNREAD: found["body"]}
    return said, text[found.end() :]


def _first_line(body: str) -> str:
    return next((line for line in body.split("\n") if line.strip() and not line.startswith("#")), "")


def _read(body: str) -> dict[str, Any]:
    said: dict[str, Any] = {}
    open_key: str | None = None
    for line in body.split("\n"):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        item, pair = _ITEM.fullmatch(line), _KEY.fullmatch(line.rstrip())
        if item and open_key is not None:
            said[open_key] = [*(said[open_key] or []), _scalar(item["value"].strip())]
        elif pair and pair["key"] not in said:
            value = (pair["value"] or "").strip()
            said[pair["key"]] = _value(value)
            open_key = None if value else pair["key"]
        else:
            raise _NotSimpleError(line)
    return {key: value for key, value in said.items() if value is not None}


def _value(text: str) -> Scalar | list[Scalar]:
    if found := _LIST.fullmatch(text):
        return [_scalar(part.strip()) for part in found["items"].split(",") if part.strip()]
    return _scalar(text)


def _scalar(text: str) -> Scalar:
    if quoted := _QUOTED.fullmatch(text):
        return str(quoted["single"] if quoted["double"] is None else quoted["double"])
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    if _NUMBER.fullmatch(text):
        return float(text) if "." in text else int(text)
    if _NOT_PLAIN.match(text):
        raise _NotSimpleError(text)
    return text
