"""The embedded model: all-MiniLM-L6-v2 in 8-bit integers, 384 dimensions, English, no network."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bethink.errors import Unavailable

from . import onnx, recipe
from .background import Background, InBackground
from .protocol import Role, Tokens, Vectors

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Encoding, Tokenizer

FOLDER: Final = Path(__file__).parent / "minilm"
_WIDTH: Final = 384
_WINDOW: Final = 254


class MiniLm(InBackground["_Loaded"]):
    """Embed on this machine, one text a run, on as many threads as there are cores.

    The vector of a text is a function of that text alone. Dynamic quantisation would make it depend on the texts that
    share its batch, so none are shared; on one thread a batch is no faster.
    """

    identity = recipe.IDENTITY
    dimensions = _WIDTH
    window = _WINDOW
    multilingual = False

    def __init__(self, *, folder: Path = FOLDER) -> None:
        self._background = Background(lambda: _load(folder), name="the embedded model", threads="minilm")

    def token_starts(self, text: str) -> list[int]:
        """Return the offset, in characters, at which each token of `text` starts."""
        return onnx.token_starts(self._background.loaded().tokenizer, text)

    def familiarity(self, text: str) -> float:
        """Return the share of the words of `text` that the tokenizer keeps as one known piece."""
        return onnx.familiarity(self._background.loaded().tokenizer, text)

    async def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        """Return one row of length 1 a text, in order; of a long text only the first `window` tokens are read."""
        del role
        import numpy as np

        rows = await self._background.each(self._background.loaded().vector, texts)
        return np.array(rows, np.float32).reshape(len(rows), _WIDTH)

    async def embed_tokens(self, texts: Sequence[str], role: Role) -> tuple[Vectors, list[Tokens]]:
        """Return the same rows, and what the model made of each token; of a long text the first `window` of them."""
        del role
        import numpy as np

        read = await self._background.each(self._background.loaded().read, texts)
        return np.array([row for row, _ in read], np.float32).reshape(len(read), _WIDTH), [tokens for _, tokens in read]

    async def close(self) -> None:
        """Drop what has not begun, wait for what has, and release the model."""
        await self._background.close()


class _Loaded:
    """The tokenizer and the session."""

    def __init__(self, tokenizer: Tokenizer, session: InferenceSession) -> None:
        self.tokenizer = tokenizer
        self._session = session

    def vector(self, text: str) -> Vectors:
        (rows,) = self._run(["sentence_embedding"], self.tokenizer.encode(text))
        row: Vectors = rows[0]
        return row

    def read(self, text: str) -> tuple[Vectors, Tokens]:
        import numpy as np

        encoding = self.tokenizer.encode(text)
        rows, states = self._run(["sentence_embedding", "last_hidden_state"], encoding)
        inner = slice(1, len(states[0]) - 1)  # between the two that frame the text
        codes = np.packbits(states[0, inner] > 0, axis=1)
        return rows[0], Tokens(codes, tuple(_words(encoding)[inner]))

    def _run(self, outputs: list[str], encoding: Encoding) -> list[Vectors]:
        import numpy as np

        ids = encoding.ids
        if len(ids) > _WINDOW + 2:
            ids = [*ids[: _WINDOW + 1], ids[-1]]
        tokens = np.array([ids], np.int64)
        found: list[Vectors] = self._session.run(outputs, {"input_ids": tokens, "attention_mask": np.ones_like(tokens)})
        return found


def _words(encoding: Encoding) -> list[tuple[int, int]]:
    """From where to where the word stands that each token is of."""
    spans: dict[int | None, tuple[int, int]] = {}
    for word, (start, stop) in zip(encoding.word_ids, encoding.offsets, strict=True):
        first, last = spans.get(word, (start, stop))
        spans[word] = min(first, start), max(last, stop)
    return [spans[word] for word in encoding.word_ids]


def _load(folder: Path) -> _Loaded:
    _check(folder, "tokenizer.json", "model.onnx")
    try:
        return _Loaded(onnx.open_tokenizer(folder / "tokenizer.json"), onnx.open_session(folder / "model.onnx"))
    except ImportError as exc:
        raise Unavailable(
            f"the embedded model cannot run: {exc}",
            hint="Reinstall onnxruntime and tokenizers; on Windows, install the Visual C++ runtime.",
        ) from exc


def _check(folder: Path, *names: str) -> None:
    """Raise unless each file is as the build wrote it: the libraries that parse them have no error one could catch."""
    try:
        stamp = json.loads((folder / "recipe.json").read_bytes())
        damaged = [name for name in names if onnx.digest(folder / name) != stamp["sha256"][name]]
    except (OSError, ValueError) as exc:
        raise _unusable("missing or unreadable") from exc
    if stamp["identity"] != recipe.IDENTITY:
        raise _unusable("of another recipe")
    if damaged:
        raise _unusable(f"damaged ({', '.join(damaged)})")


def _unusable(state: str) -> Unavailable:
    return Unavailable(f"the embedded model is {state}", hint="Reinstall bethink; in a checkout, run `make`.")
