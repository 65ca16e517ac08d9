"""RESULTS.md: one section a benchmark, its runs newest first, the last three of each command."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from .circumstances import Circumstances
from .report import Table, markdown

RESULTS: Final = Path(__file__).parent / "RESULTS.md"
_KEPT: Final = 3
_SECTION: Final = re.compile(r"^(?=## )", re.MULTILINE)
_ENTRY: Final = re.compile(r"^(?=### )", re.MULTILINE)
_COMMAND: Final = re.compile(r"^`(.+?)`", re.MULTILINE)


def record(name: str, found: Sequence[Table], of: Circumstances, *, results: Path = RESULTS) -> None:
    """Put a run on top of its benchmark's section; what is written there by hand stays."""
    text = results.read_text(encoding="utf-8") if results.exists() else "# Results\n"
    results.write_text(_with(text, name, _entry(found, of)), encoding="utf-8")


def _with(text: str, name: str, entry: str) -> str:
    head, *sections = _SECTION.split(text)
    titles = [section.split("\n", 1)[0].removeprefix("## ").strip() for section in sections]
    if name not in titles:
        sections.append(f"## {name}\n")
        titles.append(name)
    place = titles.index(name)
    written, *entries = _ENTRY.split(sections[place])
    sections[place] = "\n\n".join(part.strip() for part in (written, *_last([entry, *entries])))
    return "\n\n".join(part.strip() for part in (head, *sections)) + "\n"


def _last(entries: Sequence[str]) -> list[str]:
    """Return the newest entries of each command."""
    commands = [_command(entry) for entry in entries]
    return [entry for place, entry in enumerate(entries) if commands[:place].count(commands[place]) < _KEPT]


def _command(entry: str) -> str:
    found = _COMMAND.search(entry)
    return found[1] if found else ""


def _entry(found: Sequence[Table], of: Circumstances) -> str:
    lines = [
        f"### {of.date}, {of.commit}",
        "",
        f"`{of.command}`",
        "",
        f"{of.machine}; load {of.load_before:.1f} before, {of.load_after:.1f} after; {of.seconds:,.0f} s",
    ]
    if of.data:
        lines += ["", "Data: " + ", ".join(f"{path} `{sha[:16]}`" for path, sha in of.data.items())]
    return "\n".join([*lines, "", markdown(found)])
