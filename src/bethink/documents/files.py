"""Which files of the paths given are read, which are left aside by rule, and which are refused."""

from __future__ import annotations

import codecs
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from bethink.errors import InvalidRequest, NotFound

MARKDOWN: Final = frozenset({".md", ".markdown", ".mdown", ".mkd"})
LINES: Final = frozenset({".jsonl", ".ndjson"})
_TEXT: Final = frozenset({".txt", ".text", ".rst"})
_READ: Final = MARKDOWN | LINES | _TEXT
_LEFT_ASIDE: Final = frozenset({"node_modules", "__pycache__"})
LARGEST: Final = 20_000_000
_LOOKED_AT: Final = 8_192


@dataclass(frozen=True, slots=True)
class File:
    """A file to be read, the folder it was found under, and its size when it was found."""

    path: Path
    folder: Path
    size: int

    @property
    def name(self) -> str:
        """Its path within the folder, for people."""
        return as_text(self.path.relative_to(self.folder))


@dataclass(frozen=True, slots=True)
class Refusal:
    """A file or a line of one that cannot be taken, and why."""

    path: str
    reason: str
    line: int | None = None


@dataclass(slots=True)
class Found:
    """Files in order, how many were left aside for which reason, and what was refused."""

    files: list[File] = field(default_factory=list)
    aside: Counter[str] = field(default_factory=Counter)
    refused: list[Refusal] = field(default_factory=list)

    @property
    def size(self) -> int:
        """The bytes of all files."""
        return sum(file.size for file in self.files)


def find(paths: Sequence[Path]) -> Found:
    """Look for Markdown, text and JSON Lines under `paths`; a file that is named itself is read whatever its suffix."""
    found = Found()
    known: set[Path] = set()
    for path in paths:
        _refuse_unreachable(path)
        folder = path.resolve()
        root, candidates = (folder, _under(folder, found)) if path.is_dir() else (folder.parent, iter([folder]))
        for file in candidates:
            if file.resolve() not in known:
                known.add(file.resolve())
                _take(file, root, found)
    return found


def read_text(file: File) -> str | None:
    """Return a file's text, None when it is not text.

    A byte order mark is dropped, line ends become newlines. Bytes that are not UTF-8 become lone surrogates, which the
    write path replaces and reports.
    """
    content = file.path.read_bytes()
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        text = content.decode("utf-16", "replace")
    elif b"\0" in content[:_LOOKED_AT]:
        return None
    else:
        text = decoded(content)
    return text.replace("\r\n", "\n").replace("\r", "\n")


def decoded(content: bytes) -> str:
    """Decode UTF-8 without its mark; what is not UTF-8 stays visible to the write path."""
    return content.removeprefix(codecs.BOM_UTF8).decode("utf-8", "surrogateescape")


def without_home(path: Path) -> str:
    """Return a path as text in which `~` stands for the user's home: memories are shared, its name need not be."""
    try:
        return as_text("~" / path.relative_to(Path.home()))
    except ValueError:  # elsewhere
        return as_text(path)


def as_text(path: Path) -> str:
    """Return a path as text with forward slashes; undecodable bytes of a name are replaced."""
    return os.fsencode(path.as_posix()).decode("utf-8", "replace")


def _refuse_unreachable(path: Path) -> None:
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError) as wrong:
        raise NotFound(f"no file or folder {as_text(path)!r}", hint="Check the path.") from wrong
    except OSError as wrong:
        raise InvalidRequest(f"{as_text(path)!r} cannot be read: {wrong.strerror}", hint="Check the path.") from wrong


def _under(folder: Path, found: Found) -> Iterator[Path]:
    def unreadable(wrong: OSError) -> None:
        found.refused.append(Refusal(as_text(Path(wrong.filename)), wrong.strerror or "cannot be read"))

    for above, folders, names in os.walk(folder, onerror=unreadable):
        entered = sorted(name for name in folders if not name.startswith(".") and name not in _LEFT_ASIDE)
        found.aside["folders that are hidden or hold packages"] += len(folders) - len(entered)
        folders[:] = entered
        for name in sorted(names):
            if name.startswith("."):
                found.aside["hidden files"] += 1
            elif Path(name).suffix.lower() not in _READ:
                found.aside["files of other sorts"] += 1
            elif not (file := Path(above, name)).resolve().is_relative_to(folder):
                found.aside["links that lead out of the folder"] += 1
            else:
                yield file


def _take(path: Path, folder: Path, found: Found) -> None:
    try:
        size = path.stat().st_size
    except OSError as wrong:
        found.refused.append(Refusal(as_text(path), wrong.strerror or "cannot be read"))
        return
    if not size:
        found.aside["empty files"] += 1
    elif size > LARGEST and path.suffix.lower() not in LINES:
        found.refused.append(Refusal(as_text(path), f"{size:,} bytes is over the limit of {LARGEST:,}"))
    else:
        found.files.append(File(path, folder, size))
