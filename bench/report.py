"""Figures as tables: for a terminal, and as Markdown for the record."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final

from rich import box
from rich.table import Table as RichTable

from bethink.surfaces.screen import console

BASELINE: Final = "bm25"
_SHARES: Final = frozenset({"mrr", "auc", "empty", "before", "after", "precision", "recall", "share"})
_LABEL: Final = "measure"


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of text under heads, the first column naming the row."""

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    title: str = ""


def tables(name: str, figures: Mapping[str, Any]) -> list[Table]:
    """Return what a benchmark found as tables: its own, where it has a form of its own."""
    own = getattr(import_module(f".{name}", __package__), "tables", None)
    return own(figures) if own else general(figures)


def general(figures: Mapping[str, Any]) -> list[Table]:
    """Return any figures as tables: beside the baseline, in columns where all parts measure the same, else a list."""
    if BASELINE in figures:
        return [_beside(figures)]
    parts = list(figures.values())
    if parts and all(isinstance(part, Mapping) and BASELINE in part for part in parts):
        return [_beside(part, title=key) for key, part in figures.items()]
    if parts and all(isinstance(part, Mapping) and part.keys() == parts[0].keys() for part in parts):
        if all(isinstance(value, Mapping) for part in parts for value in part.values()):
            return [_columns(part, title=key) for key, part in figures.items()]
        return [_columns(figures)]
    return [_columns({"value": figures})]


def show(found: Sequence[Table]) -> None:
    """Print tables on standard output."""
    wide = console()
    for table in found:
        drawn = RichTable(*table.heads, title=table.title or None, title_justify="left", box=box.SIMPLE_HEAD)
        for column in drawn.columns[1:]:
            column.justify = "right"
        for row in table.rows:
            drawn.add_row(*row)
        wide.print(drawn)


def markdown(found: Sequence[Table]) -> str:
    """Return tables as Markdown."""
    return "\n\n".join("\n".join(_markdown(table)) for table in found)


def cell(name: str, value: object) -> str:
    """Return a figure as it is read: shares in per cent, whole numbers whole, the rest with what matters of it."""
    last = name.rsplit(".", 1)[-1]
    if value is None:
        return "-"
    if not isinstance(value, float):
        return f"{value:,}" if isinstance(value, int) else str(value)
    return f"{100 * value:.1f} %" if "@" in name or last in _SHARES else f"{value:,.2f}"


def _beside(figures: Mapping[str, Any], title: str = "") -> Table:
    ours = {key: value for key, value in figures.items() if key != BASELINE}
    return _columns({"Bethink": ours, "BM25": figures[BASELINE]}, title)


def _columns(columns: Mapping[str, Mapping[str, Any]], title: str = "") -> Table:
    flat = {head: dict(_flat(figures)) for head, figures in columns.items()}
    names = dict.fromkeys(name for figures in flat.values() for name in figures)
    rows = tuple((name, *(cell(name, figures.get(name)) for figures in flat.values())) for name in names)
    return Table((_LABEL, *map(_grouped, flat)), rows, _grouped(title))


def _flat(figures: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in figures.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{above}{key}.")
        else:
            yield f"{above}{key}", value


def _grouped(head: str) -> str:
    return f"{int(head):,}" if head.isdigit() else head


def _markdown(table: Table) -> Iterator[str]:
    if table.title:
        yield f"**{table.title}**\n"
    yield f"| {' | '.join(table.heads)} |"
    yield f"| --- |{' ---: |' * (len(table.heads) - 1)}"
    for row in table.rows:
        yield f"| {' | '.join(text.replace('|', '/') for text in row)} |"
