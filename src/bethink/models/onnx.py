"""Run a model in ONNX form with its tokenizer; both may be used from several threads at once."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

_ERRORS_ONLY: Final = 3
_IDEOGRAPHS: Final = "\u3000"


def open_session(path: Path) -> InferenceSession:
    """Return a session that takes one thread, and no memory that it does not need."""
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


def open_tokenizer(path: Path) -> Tokenizer:
    """Return a tokenizer that neither cuts nor pads: many published files do both."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_buffer(path.read_bytes())
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def digest(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def token_starts(tokenizer: Tokenizer, text: str) -> list[int]:
    """Return the offset, in characters, at which each token of `text` starts."""
    encoding = tokenizer.encode(text, add_special_tokens=False)
    return [start for start, _ in encoding.offsets]


def familiarity(tokenizer: Tokenizer, text: str) -> float:
    """Return the share of the words of `text` that the tokenizer keeps as one known piece."""
    encoding = tokenizer.encode(text, add_special_tokens=False)
    pieces: dict[int, list[str]] = {}
    for token, word in zip(encoding.tokens, encoding.word_ids, strict=True):
        if word is not None:
            pieces.setdefault(word, []).append(token)
    words = [tokens for tokens in pieces.values() if any(c.isalnum() for c in "".join(tokens))]
    return sum(map(_is_known, words)) / len(words) if words else 1.0


def _is_known(tokens: list[str]) -> bool:
    """Whether a word is one piece; a lone ideograph is in the vocabulary without a meaning of its own."""
    (first, *more) = tokens
    return not more and first != "[UNK]" and not (len(first) == 1 and first >= _IDEOGRAPHS)
