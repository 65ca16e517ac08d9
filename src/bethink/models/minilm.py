"""The embedded model: all-MiniLM-L6-v2 in 8-bit integers, 384 dimensions, English, no network."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from bethink.errors import Unavailable

from . import recipe
from .protocol import Role, Tokens, Vectors

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Encoding, Tokenizer

FOLDER = Path(__file__).parent / "minilm"
_WIDTH = 384
_WINDOW = 254
_ERRORS_ONLY = 3
_IDEOGRAPHS = "\u3000"


class MiniLm:
    """Embed on this machine, one text a run, on as many threads as there are cores.

    The vector of a text is a function of that text alone. Dynamic quantisation would make it depend on the texts that
    share its batch, so none are shared; on one thread a batch is no faster.
    """

    identity = recipe.IDENTITY
    dimensions = _WIDTH
    window = _WINDOW
    multilingual = False

    def __init__(self, *, folder: Path = FOLDER) -> None:
        self._folder = folder
        self._threads = ThreadPoolExecutor(os.cpu_count() or 1, thread_name_prefix="minilm")
        self._loading: Future[_Loaded] | None = None
        self._closed = False

    @property
    def ready(self) -> bool:
        """Whether the model is in memory."""
        return self._loading is not None and self._loading.done() and self._loading.exception() is None

    def start_loading(self) -> None:
        """Begin to load on a thread and return at once."""
        if self._loading is None and not self._closed:
            self._loading = self._threads.submit(_load, self._folder)

    async def load(self) -> None:
        """Wait until the model is in memory; raise `Unavailable` when it is missing or damaged."""
        self.start_loading()
        if self._loading is None:
            raise Unavailable("the memory is closed", hint="Open it again.")
        await asyncio.shield(asyncio.wrap_future(self._loading))

    def token_starts(self, text: str) -> list[int]:
        """Return the offset, in characters, at which each token of `text` starts."""
        return self._loaded().token_starts(text)

    def familiarity(self, text: str) -> float:
        """Return the share of the words of `text` that the tokenizer keeps as one known piece."""
        return self._loaded().familiarity(text)

    async def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        """Return one row of length 1 a text, in order; of a long text only the first `window` tokens are read."""
        del role
        import numpy as np

        loaded = self._loaded()
        loop = asyncio.get_running_loop()
        rows = await asyncio.gather(*(loop.run_in_executor(self._threads, loaded.vector, text) for text in texts))
        return np.array(rows, np.float32).reshape(len(rows), _WIDTH)

    async def embed_tokens(self, texts: Sequence[str], role: Role) -> tuple[Vectors, list[Tokens]]:
        """Return the same rows, and what the model made of each token; of a long text the first `window` of them."""
        del role
        import numpy as np

        loaded = self._loaded()
        loop = asyncio.get_running_loop()
        read = await asyncio.gather(*(loop.run_in_executor(self._threads, loaded.read, text) for text in texts))
        return np.array([row for row, _ in read], np.float32).reshape(len(read), _WIDTH), [tokens for _, tokens in read]

    async def close(self) -> None:
        """Drop what has not begun, wait for what has, and release the model."""
        self._loading, self._closed = None, True
        await asyncio.to_thread(self._threads.shutdown, cancel_futures=True)

    def _loaded(self) -> _Loaded:
        if self._loading is None or not self._loading.done():
            raise Unavailable("the embedded model is not loaded yet", hint="Keyword search works; try again shortly.")
        return self._loading.result()


class _Loaded:
    """The tokenizer and the session; both may be used from several threads at once."""

    def __init__(self, tokenizer: Tokenizer, session: InferenceSession) -> None:
        self._tokenizer = tokenizer
        self._session = session

    def token_starts(self, text: str) -> list[int]:
        encoding = self._tokenizer.encode(text, add_special_tokens=False)
        return [start for start, _ in encoding.offsets]

    def familiarity(self, text: str) -> float:
        encoding = self._tokenizer.encode(text, add_special_tokens=False)
        pieces: dict[int, list[str]] = {}
        for token, word in zip(encoding.tokens, encoding.word_ids, strict=True):
            if word is not None:
                pieces.setdefault(word, []).append(token)
        words = [tokens for tokens in pieces.values() if any(c.isalnum() for c in "".join(tokens))]
        return sum(map(_is_known, words)) / len(words) if words else 1.0

    def vector(self, text: str) -> Vectors:
        (rows,) = self._run(["sentence_embedding"], self._tokenizer.encode(text))
        row: Vectors = rows[0]
        return row

    def read(self, text: str) -> tuple[Vectors, Tokens]:
        import numpy as np

        encoding = self._tokenizer.encode(text)
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


def _is_known(tokens: list[str]) -> bool:
    """Whether a word is one piece; a lone ideograph is in the vocabulary without a meaning of its own."""
    (first, *more) = tokens
    return not more and first != "[UNK]" and not (len(first) == 1 and first >= _IDEOGRAPHS)


def _load(folder: Path) -> _Loaded:
    _check(folder, "tokenizer.json", "model.onnx")
    try:
        return _Loaded(_tokenizer(folder / "tokenizer.json"), _session(folder / "model.onnx"))
    except ImportError as exc:
        raise Unavailable(
            f"the embedded model cannot run: {exc}",
            hint="Reinstall onnxruntime and tokenizers; on Windows, install the Visual C++ runtime.",
        ) from exc


def _check(folder: Path, *names: str) -> None:
    """Raise unless each file is as the build wrote it: the libraries that parse them have no error one could catch."""
    try:
        stamp = json.loads((folder / "recipe.json").read_bytes())
        damaged = [name for name in names if _digest(folder / name) != stamp["sha256"][name]]
    except (OSError, ValueError) as exc:
        raise _unusable("missing or unreadable") from exc
    if stamp["identity"] != recipe.IDENTITY:
        raise _unusable("of another recipe")
    if damaged:
        raise _unusable(f"damaged ({', '.join(damaged)})")


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _tokenizer(path: Path) -> Tokenizer:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_buffer(path.read_bytes())
    # The published file cuts and pads every text to 128 tokens.
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def _session(path: Path) -> InferenceSession:
    # Read when the library is loaded; the call alone comes too late for the events of the start.
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    # Whole, before the library asks for a part of it from C: half imported, no thread could ever import it again.
    import numpy  # noqa: ICN001, F401
    import onnxruntime

    onnxruntime.disable_telemetry_events()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = False
    options.log_severity_level = _ERRORS_ONLY
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def _unusable(state: str) -> Unavailable:
    return Unavailable(f"the embedded model is {state}", hint="Reinstall bethink; in a checkout, run `make`.")
