"""Look inside one memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Final

from bethink.domain import Memory, Value
from bethink.errors import InvalidRequest
from bethink.operation import Call, Effect, operation
from bethink.recall.budget import BYTES_A_TOKEN
from bethink.recall.handles import resolve_one
from bethink.recall.selection import reachable
from bethink.storage.protocol import Reader
from bethink.text.counts import counted
from bethink.text.cut import excerpt as around
from bethink.text.find import find, lines
from bethink.vocabulary import CONTENT_LIMIT, MemoryId, WhatFits, about

_MARKS: Final = 2  # an ellipsis at either end
_BYTES_A_MATCH: Final = 60  # of its offsets and its line, beside the text
_LEAST_READ: Final = 400  # bytes: what is asked for in parts must come to an end

Wanted = Annotated[str, about("Text to find, to the letter.", min_length=1, max_length=2_000)]
Start = Annotated[int, about("Read from this character.", ge=0, le=CONTENT_LIMIT)]
End = Annotated[int, about("Read up to this character.", ge=1, le=CONTENT_LIMIT)]
MaxMatches = Annotated[int, about("Most places shown.", ge=1, le=200)]
Context = Annotated[int, about("Characters shown before and behind.", ge=0, le=2_000)]
CaseSensitive = Annotated[bool, about("Tell A from a.")]


class Match(Value):
    """A place where the text stands: its offsets in characters, the line it begins in, and what is around it."""

    start: int
    end: int
    line: int
    text: str


class Slice(Value):
    """The characters of the text from `start` up to `end`."""

    start: int
    end: int
    text: str


class Excerpt(Value):
    """What was found and read in one memory of `length` characters and `lines`; `total` counts every place found."""

    handle: str
    title: str
    status: str | None = None
    length: int
    lines: int
    total: int | None = None
    matches: tuple[Match, ...] = ()
    slice: Slice | None = None
    notes: tuple[str, ...] = ()

    def compact(self) -> str:
        """Return it as the lines a model needs: what it is, each place found, then the part that was read."""
        size = f"{counted(self.length, 'character', 'characters')}, {counted(self.lines, 'line', 'lines')}"
        lines = [f"[{self.handle}] {self.title} ({', '.join(filter(None, [self.status, size]))})"]
        if self.total is not None:
            lines.append(f"found {counted(self.total, 'time', 'times')}, {len(self.matches)} shown")
        lines += [f"line {m.line}, {m.start}-{m.end}: {m.text}" for m in self.matches]
        if self.slice is not None:
            lines.append(f"characters {self.slice.start}-{self.slice.end}: {self.slice.text}")
        return "\n".join([*lines, *(f"note: {note}" for note in self.notes)])


@dataclass(frozen=True, slots=True)
class _Asked:
    """What is to be found and read in a text."""

    query: str | None
    start: int | None
    end: int | None
    max_matches: int
    context: int
    case_sensitive: bool


@operation(Effect.READ, tool="memory_excerpt", http="GET /memories/excerpt", toolset="read")
async def excerpt(
    call: Call,
    id: MemoryId,  # noqa: A002  # the parameter's name
    query: Wanted | None = None,
    *,
    start: Start | None = None,
    end: End | None = None,
    max_matches: MaxMatches = 10,
    context: Context = 120,
    case_sensitive: CaseSensitive = False,
    max_tokens: WhatFits = None,
) -> Excerpt:
    """Find a text inside one long memory, with offsets, line and what is around it, or read a part of it by offsets.

    Both may be asked at once: the search is of the whole memory. It says how long the memory is in any case.
    """
    if start is not None and end is not None and start >= end:
        raise InvalidRequest("start is not before end", hint="Swap them, or leave one out.")
    asked = _Asked(query, start, end, max_matches, context, case_sensitive)
    handle, memory = await call.ports.storage.read(lambda reader: _read(call, reader, id))
    return _excerpt(handle, memory, asked, max_tokens)


def _read(call: Call, reader: Reader, text: str) -> tuple[str, Memory]:
    reach = reachable(call, reader)
    found = resolve_one(reader, text, reach)
    (kept,) = reader.kept([found])
    return reader.handles([found], reach)[found], kept.memory


def _excerpt(handle: str, memory: Memory, asked: _Asked, tokens: int | None) -> Excerpt:
    room = None if tokens is None else tokens * BYTES_A_TOKEN
    total, matches = _found(memory.content, asked)
    shown, room = _fitting(matches, room)
    part = _part(memory.content, asked, room)
    return Excerpt(
        handle=handle,
        title=memory.title,
        status=None if memory.status == "active" else memory.status.value,
        length=len(memory.content),
        lines=lines(memory.content),
        total=total,
        matches=tuple(shown),
        slice=part,
        notes=tuple(_notes(asked, len(matches) - len(shown), part, len(memory.content))),
    )


def _found(content: str, asked: _Asked) -> tuple[int | None, list[Match]]:
    if asked.query is None:
        return None, []
    found = find(content, asked.query, most=asked.max_matches, case_sensitive=asked.case_sensitive)
    return found.total, list(_matches(content, found.spans, asked.context))


def _matches(content: str, spans: Sequence[tuple[int, int]], context: int) -> Iterator[Match]:
    line, counted_to = 1, 0
    for start, end in spans:
        line, counted_to = line + content.count("\n", counted_to, start), start
        yield Match(start=start, end=end, line=line, text=_around(content, start, end, context))


def _around(content: str, start: int, end: int, context: int) -> str:
    first, last = max(0, start - context), min(len(content), end + context)
    return around(content, (start, end), last - first + _MARKS)


def _fitting(matches: Sequence[Match], room: int | None) -> tuple[list[Match], int | None]:
    """Return the matches that fit, and how many bytes are left."""
    if room is None:
        return list(matches), None
    shown = []
    for match in matches:
        room -= len(match.text.encode()) + _BYTES_A_MATCH
        if room < 0:
            break
        shown.append(match)
    return shown, max(room, _LEAST_READ)


def _part(content: str, asked: _Asked, room: int | None) -> Slice | None:
    if asked.start is None and asked.end is None:
        return None
    start, end = asked.start or 0, min(len(content), CONTENT_LIMIT if asked.end is None else asked.end)
    if start >= len(content):
        size = counted(len(content), "character", "characters")
        raise InvalidRequest(f"start: {start} is behind the end of the text", hint=f"It has {size}: give less.")
    text = content[start:end]
    if room is not None:
        text = text.encode()[:room].decode(errors="ignore")
    return Slice(start=start, end=start + len(text), text=text)


def _notes(asked: _Asked, unshown: int, part: Slice | None, length: int) -> Iterator[str]:
    if unshown:
        yield f"{counted(unshown, 'place', 'places')} did not fit into max_tokens"
    if part is not None and part.end < min(length, CONTENT_LIMIT if asked.end is None else asked.end):
        yield f"to fit into max_tokens the part ends early; read on with start={part.end}"
    if asked.query is None and part is None:
        yield "nothing was looked for: give query to find a text, or start and end to read a part"
