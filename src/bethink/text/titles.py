"""A title for a text that came without one."""

from __future__ import annotations

import re

from .cut import shorten

LONGEST_TITLE = 120
_LOOKED_AT = 2_000

_FRONTMATTER = re.compile(r"\A\ufeff?---[ \t]*\n.{0,4000}?\n---[ \t]*(?:\n|\Z)", re.DOTALL)
_FENCE = re.compile(r"^[ \t]*(?:```|~~~).*$", re.MULTILINE)
_HEADING = re.compile(r"[ ]{0,3}#{1,6}[ \t]+(?P<words>[^\n]*?)[ \t#]*(?:\n|\Z)")
_UNDERLINED = re.compile(r"(?P<words>[^\n]*\S)[ \t]*\n(?:={3,}|-{3,})[ \t]*(?:\n|\Z)")
_LEADER = re.compile(
    r"^[ \t]*(?:>[ \t]?|[-*+•][ \t]+(?:\[[ xX]\][ \t]+)?|\d{1,3}[.)][ \t]+|#{1,6}[ \t]+)+|[ \t]#+[ \t]*$", re.MULTILINE
)
_LINK = re.compile(r"!?\[([^\]\n]{1,300})\]\([^()\s]{1,500}\)")
_WIKILINK = re.compile(r"\[\[([^\]|#\n]{1,200})(?:#[^\]|\n]{0,200})?(?:\|([^\]\n]{1,200}))?\]\]")
_EMPHASIS = re.compile(r"(\*\*|__|~~|`+|(?<!\w)[*_](?=\S))(\S|\S[^\n]{0,300}?\S)\1(?!\w)")
# A full stop ends a sentence before a space and no lower-case word: "e.g. this" and "v1.2" go on.
_SENTENCE_END = re.compile(
    r"(?:(?<!\b[A-Za-z])(?<!\bDr)(?<!\bMr)(?<!\bMs)(?<!\bMrs)(?<!\bSt)\.|[!?]+|…)[\"'”’)\]]*(?=\s+[^\sa-z])|[。！？]"
)


def derive_title(content: str) -> str:
    """Return the first heading, or else the first sentence, in at most 120 characters, without markup."""
    text = _opening(content)
    heading = _HEADING.match(text) or _UNDERLINED.match(text)
    if heading and (words := _plain(heading["words"])):
        return shorten(words, LONGEST_TITLE)
    first = next(filter(None, map(str.strip, _paragraphs(text))), "")
    sentence = _first_sentence(_plain(first))
    return shorten(sentence, LONGEST_TITLE) or shorten(" ".join(content[:_LOOKED_AT].split()), LONGEST_TITLE)


def _opening(content: str) -> str:
    opening = _FRONTMATTER.sub("", content[: _LOOKED_AT + 4_100], count=1)
    return _FENCE.sub("", opening[:_LOOKED_AT]).lstrip("\ufeff\n \t")


def _paragraphs(text: str) -> list[str]:
    return re.split(r"\n[ \t]*\n", text)


def _plain(text: str) -> str:
    text = _LEADER.sub("", text)
    text = _LINK.sub(r"\1", text)
    text = _WIKILINK.sub(lambda link: link[2] or link[1], text)
    text = _EMPHASIS.sub(r"\2", text)
    return " ".join(text.split())


def _first_sentence(text: str) -> str:
    end = _SENTENCE_END.search(text)
    sentence = text[: end.end()] if end else text
    return sentence.removesuffix(".") if not sentence.endswith("..") else sentence
