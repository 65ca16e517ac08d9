"""Standard output as a person reads it: tables that fold, colours only at a terminal, nothing hidden in a text."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from bethink.text.show import visible

_WIDTH_OF_A_PIPE: Final = 120
_WIDTH_OF_A_BAR: Final = 40
_EIGHTHS: Final = " ▏▎▍▌▋▊▉"


def console() -> Console:
    """Return standard output as a console; without colours where it is no terminal, and not narrow there."""
    wide = Console(highlight=False, emoji=False, markup=False)
    if not wide.is_terminal and not os.environ.get("COLUMNS", "").isdigit():
        wide.width = _WIDTH_OF_A_PIPE
    return wide


def plain(text: object, style: str = "") -> Text:
    """Return text as it is, with what cannot be seen made visible."""
    return Text(visible(str(text)), style, overflow="fold")


def whole(text: str) -> Text:
    """Return a line that is meant to be copied: never broken."""
    return Text(visible(text), "dim", no_wrap=True, overflow="ignore")


def drawn() -> bool:
    """Say whether standard output is for bars: a terminal, where nobody asked for plain text with NO_COLOR."""
    shown = console()
    return shown.is_terminal and not shown.no_color


def bar(share: float, width: int = _WIDTH_OF_A_BAR) -> str:
    """Return a share, 0..1, as a bar that is exact to an eighth of a character."""
    whole, eighths = divmod(round(min(max(share, 0.0), 1.0) * width * 8), 8)
    return "█" * whole + _EIGHTHS[eighths].strip()


def table(*heads: str, rows: Iterable[Iterable[object]]) -> Table:
    """Return a table whose cells are folded, never cut."""
    made = Table(box=None, pad_edge=False, header_style="bold", show_header=any(heads))
    for head in heads:
        made.add_column(head, overflow="fold")
    for row in rows:
        made.add_row(*(cell if isinstance(cell, Text) else plain("" if cell is None else cell) for cell in row))
    return made
