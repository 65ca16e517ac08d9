"""Keep the vectors of benchmark texts on disk: a run embeds only what no run has embedded before."""

from __future__ import annotations

import asyncio
import hashlib
import re
import sqlite3
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from bethink.models.protocol import Embedder, Role, Vectors

_SCHEMA = "create table if not exists v(h blob primary key, v blob) without rowid"
_NOT_IN_A_FILE_NAME = re.compile(r"[^\w.-]+")


class CachedEmbedder:
    """Stand before an embedder, with one SQLite file an identity: SHA-256 of the text (UTF-8) to its float32 vector.

    Both roles share a vector: wrap only embedders that do not tell them apart.
    """

    def __init__(self, inner: Embedder, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._inner = inner
        self._file = sqlite3.connect(folder / file_name(inner.identity), check_same_thread=False)
        self._file.execute(_SCHEMA)

    @property
    def identity(self) -> str:
        """The identity of the embedder behind."""
        return self._inner.identity

    @property
    def dimensions(self) -> int:
        """The dimensions of the embedder behind."""
        return self._inner.dimensions

    @property
    def window(self) -> int:
        """The window of the embedder behind."""
        return self._inner.window

    @property
    def multilingual(self) -> bool:
        """Whether the embedder behind crosses languages."""
        return self._inner.multilingual

    @property
    def ready(self) -> bool:
        """Whether the embedder behind is ready."""
        return self._inner.ready

    def start_loading(self) -> None:
        """Begin to load the embedder behind."""
        self._inner.start_loading()

    async def load(self) -> None:
        """Wait for the embedder behind."""
        await self._inner.load()

    def token_starts(self, text: str) -> list[int]:
        """Return where the tokens start for the embedder behind."""
        return self._inner.token_starts(text)

    def familiarity(self, text: str) -> float:
        """Return what the embedder behind says."""
        return self._inner.familiarity(text)

    async def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        """Return one row a text, in order, embedding only the texts that the file does not hold."""
        keys = [_key(text) for text in texts]
        rows = await asyncio.to_thread(self._read, keys)
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in rows}
        if missing:
            made = await self._inner.embed(list(missing.values()), role)
            fresh = dict(zip(missing, made, strict=True))
            await asyncio.to_thread(self._write, fresh)
            rows |= fresh
        return np.array([rows[key] for key in keys], np.float32).reshape(len(keys), self.dimensions)

    async def close(self) -> None:
        """Close the file and the embedder behind."""
        self._file.close()
        await self._inner.close()

    def _read(self, keys: Sequence[bytes]) -> dict[bytes, Vectors]:
        found = ((key, self._file.execute("select v from v where h = ?", (key,)).fetchone()) for key in keys)
        return {key: np.frombuffer(row[0], np.float32) for key, row in found if row}

    def _write(self, rows: dict[bytes, Vectors]) -> None:
        with self._file:
            values = ((key, row.tobytes()) for key, row in rows.items())
            self._file.executemany("insert or ignore into v values (?, ?)", values)


def file_name(identity: str) -> str:
    """Return the name of the file that holds the vectors of this identity."""
    return _NOT_IN_A_FILE_NAME.sub("-", identity) + ".db"


def _key(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "replace")).digest()
