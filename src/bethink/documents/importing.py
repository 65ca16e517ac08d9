"""One run over files: memories as `store_many` takes them, and an account of where each came from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from . import json_lines, markdown
from .files import LINES, MARKDOWN, File, Found, Refusal, as_text, read_text, without_home
from .front_matter import UNREAD, split
from .passages import passages


@dataclass(slots=True)
class Import:
    """Reads the files that were found, lazily and once.

    `kind` is for memories that name none; `tags` are added to every memory. Files whose front matter was kept whole
    rather than read are named, for its title and tags are then none.
    """

    found: Found
    kind: str | None = None
    tags: Sequence[str] = ()
    bytes_read: int = 0
    files_read: int = 0
    refused: list[Refusal] = field(default_factory=list)
    unread_front_matter: list[str] = field(default_factory=list)
    _places: list[tuple[str, int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.refused += self.found.refused

    @property
    def count(self) -> int:
        """How many memories were yielded so far."""
        return len(self._places)

    def place(self, number: int) -> tuple[str, int]:
        """Return the file and line of the memory that was yielded as `number`, from 0."""
        return self._places[number]

    def items(self) -> Iterator[dict[str, Any]]:
        """Yield every memory; what cannot be read is added to `refused` and the rest goes on."""
        for file in self.found.files:
            before, refused, at = self.count, len(self.refused), self.bytes_read
            try:
                for line, item in self._read(file):
                    self._places.append((as_text(file.path), line))
                    yield self._completed(item)
            except OSError as wrong:
                self.refused.append(Refusal(as_text(file.path), wrong.strerror or "cannot be read"))
            self.bytes_read = at + file.size
            self.files_read += self.count > before
            if (self.count, len(self.refused)) == (before, refused):
                self.found.aside["files that hold no text"] += 1

    def _read(self, file: File) -> Iterator[tuple[int, dict[str, Any]]]:
        if file.path.suffix.lower() in LINES:
            yield from self._lines(file)
            return
        text = read_text(file)
        if text is None:
            self.refused.append(Refusal(as_text(file.path), "not text"))
            return
        source = _source(file) | {"thread": without_home(file.path)}
        is_markdown = file.path.suffix.lower() in MARKDOWN
        if is_markdown and UNREAD in split(text)[0]:
            self.unread_front_matter.append(as_text(file.path))
        for line, fields in markdown.parts(text) if is_markdown else _passages(text):
            yield line, {**fields, "source": source}

    def _lines(self, file: File) -> Iterator[tuple[int, dict[str, Any]]]:
        source = _source(file)
        for line, size, read in json_lines.parts(file):
            self.bytes_read += size
            if isinstance(read, Refusal):
                self.refused.append(read)
            else:
                yield line, {"source": source, **read}

    def _completed(self, item: dict[str, Any]) -> dict[str, Any]:
        if self.kind is not None:
            item.setdefault("kind", self.kind)
        if self.tags:
            given = item.get("tags") or []
            listed = [tag.strip() for tag in given.split(",")] if isinstance(given, str) else given
            item["tags"] = [*listed, *self.tags] if isinstance(listed, list) else listed
        return item


def _passages(text: str) -> Iterator[tuple[int, dict[str, Any]]]:
    return ((line + 1, {"content": content}) for line, content in passages(text))


def _source(file: File) -> dict[str, str]:
    return {"type": "file", "path": file.name, "folder": without_home(file.folder)}
