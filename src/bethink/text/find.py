"""Literal search inside one text: spellings that Unicode counts as equal match, and offsets are those of the text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .graphemes import clusters
from .normal import nfc

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Finds:
    """How often something stands in a text, none of the places overlapping, and where it stands first."""

    total: int
    spans: list[Span]


def find(text: str, wanted: str, *, most: int, case_sensitive: bool = False) -> Finds:
    """Look for `wanted` to the letter; without regard to case unless told otherwise. Takes time in step with `text`."""
    needle = _comparable(wanted, case_sensitive=case_sensitive)
    haystack = _comparable(text, case_sensitive=case_sensitive)
    if len(haystack) == len(text) and nfc(text) == text:  # no letter changes its length alone: each stands where it did
        return Finds(haystack.count(needle), list(_places(haystack, needle, most)))
    return _mapped(text, needle, most, case_sensitive=case_sensitive)


def lines(text: str) -> int:
    """Return how many lines a text has; what ends with a line break begins no further one."""
    return text.count("\n") + (0 if text.endswith("\n") else 1)


def _comparable(text: str, *, case_sensitive: bool) -> str:
    return nfc(text) if case_sensitive else nfc(text).casefold()


def _places(haystack: str, needle: str, most: int) -> Iterator[Span]:
    at = -len(needle)
    for _ in range(most):
        at = haystack.find(needle, at + len(needle))
        if at < 0:
            return
        yield at, at + len(needle)


def _mapped(text: str, needle: str, most: int, *, case_sensitive: bool) -> Finds:
    """Search what the characters of a reader come to one by one, and lead each place back to where it stood."""
    parts = clusters(text)
    folded = [_comparable(part, case_sensitive=case_sensitive) for part in parts]
    haystack = "".join(folded)
    spans = list(_places(haystack, needle, most))
    wanted = sorted({at for span in spans for at in span})
    led = dict(zip(wanted, _led_back(parts, folded, wanted), strict=True))
    return Finds(haystack.count(needle), [(led[start][0], led[stop][1]) for start, stop in spans])


def _led_back(parts: Sequence[str], folded: Sequence[str], wanted: Sequence[int]) -> Iterator[Span]:
    """For sorted places in the folded text: where a span that begins there begins, and where one that ends there ends.

    Inside a character that kept its length a place stays what it is; in any other a span takes the character whole.
    """
    place, at, start = 0, 0, 0
    for target in wanted:
        while place < len(parts) and start + len(folded[place]) <= target:
            start += len(folded[place])
            at += len(parts[place])
            place += 1
        inside = target - start
        if not inside or place == len(parts):
            yield at, at
        elif len(parts[place]) == len(folded[place]):
            yield at + inside, at + inside
        else:
            yield at, at + len(parts[place])
