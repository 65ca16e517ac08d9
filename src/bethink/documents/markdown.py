"""A Markdown file as memories: one a section, named by the headings it stands under."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from bethink.text.cut import shorten

from .front_matter import split
from .passages import Fence, passages

_LONGEST_TITLE: Final = 300
_LONGEST_TAG: Final = 64
_MOST_TAGS: Final = 32
_ATX: Final = re.compile(r" {0,3}(?P<marks>#{1,6})(?:[ \t]+(?P<title>.*?))?(?:[ \t]+#+)?[ \t]*")
_UNDERLINE: Final = re.compile(r" {0,3}(?P<mark>=+|-+)[ \t]*")
_UNDERLINED: Final = re.compile(r" {0,3}(?![-+*>|#\s]|\d+[.)])\S.*")
_LINK: Final = re.compile(r"!?\[(?P<text>[^\[\]]*)\]\([^()]*\)")


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading, the line where it starts and the line after it."""

    level: int
    title: str
    start: int
    end: int


def parts(text: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the memories of a file, each with the number of its line, from 1."""
    said, body = split(text)
    skipped = text.count("\n", 0, len(text) - len(body)) + 1
    shared = _shared(said)
    name = str(said.get("title") or "")
    for path, start, section in _sections(body):
        titles = path if not name or path[:1] == (name,) else (name, *path)
        pieces = list(passages(section))
        for place, (line, content) in enumerate(pieces, 1):
            title = _title(titles, place if len(pieces) > 1 else 0)
            yield skipped + start + line, {"content": content, **shared, **({"title": title} if title else {})}


def _shared(said: Mapping[str, Any]) -> dict[str, Any]:
    metadata = {key: value for key, value in said.items() if key not in ("title", "tags")}
    tags = said.get("tags")
    listed = tags.split(",") if isinstance(tags, str) else tags if isinstance(tags, list) else []
    kept = [tag for tag in (str(t).strip().lstrip("#") for t in listed) if 0 < len(tag) <= _LONGEST_TAG]
    fits = len(kept) == len(listed) <= _MOST_TAGS
    if tags is not None and not fits:
        metadata["tags"] = tags
    shared = {"tags": kept if fits else [], "metadata": metadata}
    return {key: value for key, value in shared.items() if value}


def _title(titles: tuple[str, ...], part: int) -> str:
    if not titles:
        return ""
    suffix = f" (part {part})" if part else ""
    return shorten(" > ".join(titles), _LONGEST_TITLE - len(suffix)) + suffix


def _sections(text: str) -> Iterator[tuple[tuple[str, ...], int, str]]:
    """Yield the headings over each section, the line where its text starts, and its text.

    A heading with neither text nor headings below it is a section that says just that.
    """
    lines = text.split("\n")
    end = Heading(0, "", len(lines), len(lines))
    headings = [*_headings(lines), end]
    yield (), 0, "\n".join(lines[: headings[0].start])
    above: list[Heading] = []
    for heading, following in pairwise(headings):
        above = [*(h for h in above if h.level < heading.level), heading]
        body = "\n".join(lines[heading.end : following.start])
        path = tuple(h.title for h in above if h.title)
        if body.strip():
            yield path, heading.end, body
        elif heading.title and following.level <= heading.level:
            yield path, heading.start, heading.title


def _headings(lines: list[str]) -> Iterator[Heading]:
    fence, before = Fence(), ""
    for at, line in enumerate(lines):
        if fence.holds(line):
            before = line
            continue
        if found := _ATX.fullmatch(line):
            yield Heading(len(found["marks"]), _plain(found["title"] or ""), at, at + 1)
        elif (under := _UNDERLINE.fullmatch(line)) and _UNDERLINED.fullmatch(before) and _opens(lines, at - 1):
            yield Heading(1 if under["mark"][0] == "=" else 2, _plain(before), at - 1, at + 1)
        before = line


def _opens(lines: list[str], at: int) -> bool:
    return at == 0 or not lines[at - 1].strip()


def _plain(title: str) -> str:
    return " ".join(_LINK.sub(lambda link: link["text"], title).split())
