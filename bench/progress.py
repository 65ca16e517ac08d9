"""How far a run is, on standard error: standard output is for the figures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

from rich.console import Console
from rich.progress import track

T = TypeVar("T")


def steps(items: Sequence[T], what: str) -> Iterator[T]:
    """Yield the items with a bar beside them, where somebody watches; nothing of it stays."""
    watched = Console(stderr=True)
    yield from track(items, what, console=watched, transient=True) if watched.is_terminal else items
