"""Keep the vectors of benchmark texts on disk: a run embeds only what no run has embedded before."""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
import sqlite3
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from bethink.models.protocol import Embedder, Role, TokenEmbedder, Tokens, Vectors

_SCHEMA = """
create table if not exists v(h blob primary key, v blob) without rowid;
create table if not exists t(h blob primary key, v blob, codes blob, words text);
"""
_WAIT = 600.0  # seconds: other runs may be writing what they have embedded
_NOT_IN_A_FILE_NAME = re.compile(r"[^\w.-]+")


class CachedEmbedder:
    """Stand before an embedder, with one SQLite file an identity: SHA-256 of the text (UTF-8) to its float32 vector.

    What the embedder makes of each token is kept too, where that is asked for. Both roles share a vector: wrap only
    embedders that do not tell them apart.
    """

    def __init__(self, inner: Embedder, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._inner = inner
        self._file = sqlite3.connect(folder / file_name(inner.identity), timeout=_WAIT, check_same_thread=False)
        self._file.executescript(_SCHEMA)

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

    async def embed_tokens(self, texts: Sequence[str], role: Role) -> tuple[Vectors, list[Tokens]]:
        """Return one row a text with its tokens, in order, from the embedder where the file does not hold them."""
        assert isinstance(self._inner, TokenEmbedder)
        keys = [_key(text) for text in texts]
        found = await asyncio.to_thread(self._read_tokens, keys)
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
        if missing:
            rows, tokens = await self._inner.embed_tokens(list(missing.values()), role)
            fresh = {key: (row, one) for key, row, one in zip(missing, rows, tokens, strict=True)}
            await asyncio.to_thread(self._write_tokens, fresh)
            found |= fresh
        rows = np.array([found[key][0] for key in keys], np.float32).reshape(len(keys), self.dimensions)
        return rows, [found[key][1] for key in keys]

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

    def _read_tokens(self, keys: Sequence[bytes]) -> dict[bytes, tuple[Vectors, Tokens]]:
        found = (
            (key, self._file.execute("select v, codes, words from t where h = ?", (key,)).fetchone()) for key in keys
        )
        return {key: _tokens(*row) for key, row in found if row}

    def _write_tokens(self, fresh: dict[bytes, tuple[Vectors, Tokens]]) -> None:
        with self._file:
            rows = (
                (key, row.tobytes(), tokens.codes.tobytes(), json.dumps(tokens.words))
                for key, (row, tokens) in fresh.items()
            )
            self._file.executemany("insert or ignore into t values (?, ?, ?, ?)", rows)


def _tokens(vector: bytes, codes: bytes, words: str) -> tuple[Vectors, Tokens]:
    spans = tuple((start, stop) for start, stop in json.loads(words))
    rows = (
        np.frombuffer(codes, np.uint8).reshape(len(spans), -1) if spans else np.zeros((0, len(vector) // 32), np.uint8)
    )
    return np.frombuffer(vector, np.float32), Tokens(rows, spans)


def file_name(identity: str) -> str:
    """Return the name of the file that holds the vectors of this identity."""
    return _NOT_IN_A_FILE_NAME.sub("-", identity) + ".db"


def _key(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "replace")).digest()
