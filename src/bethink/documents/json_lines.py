"""JSON Lines as memories: one object a line, with the fields of a store."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import IO, Any, Final

from .files import File, Refusal, as_text, decoded

LONGEST_LINE: Final = 8_000_000


def parts(file: File) -> Iterator[tuple[int, int, dict[str, Any] | Refusal]]:
    """Yield the number of each line from 1, its bytes, and its memory or why it is none; blank lines are not."""
    name = as_text(file.path)
    with file.path.open("rb") as stream:
        number = 0
        while line := stream.readline(LONGEST_LINE):
            number += 1
            size = len(line)
            if size == LONGEST_LINE and not line.endswith(b"\n"):
                size += _skip(stream)
                yield number, size, Refusal(name, f"the line is over the limit of {LONGEST_LINE:,} bytes", number)
            elif line.strip():
                yield number, size, _read(line, name, number)


def _skip(stream: IO[bytes]) -> int:
    size = 0
    while rest := stream.readline(LONGEST_LINE):
        size += len(rest)
        if rest.endswith(b"\n"):
            break
    return size


def _read(line: bytes, name: str, number: int) -> dict[str, Any] | Refusal:
    try:
        value = json.loads(decoded(line))
    except (ValueError, RecursionError) as wrong:
        return Refusal(name, f"not JSON: {wrong}", number)
    if not isinstance(value, dict):
        return Refusal(name, f"an object is expected, not {type(value).__name__}", number)
    return value
