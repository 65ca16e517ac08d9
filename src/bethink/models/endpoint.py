"""Embed through an HTTP endpoint: the batches and checks that every provider shares."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

from bethink.errors import Unavailable

from .connection import NO_KEY, Connection, Key, Pause, place
from .protocol import UNTOLD, Role, Vectors

# The widest text that a BERT-sized model reads (512 tokens) less its two special tokens.
WINDOW: Final = 510
LATER: Final = "Keyword search works meanwhile; what was stored is embedded later."

_BATCH: Final = 32  # text-embeddings-inference takes no more by default
_ROWS_AND_COLUMNS: Final = 2

# A sentence, the same in Chinese and in Japanese, and another sentence.
PROBE: Final = (
    "The invoice is due on Friday.",
    "发票星期五到期。",
    "請求書の期限は金曜日です。",
    "Cats sleep most of the day.",
)

_CJK: Final = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_TOKEN: Final = re.compile(rf"[{_CJK}]|(?:(?![{_CJK}])\w){{1,4}}|[^\w\s]")

Body = Callable[[str, Sequence[str], Role], object]


@dataclass(frozen=True, slots=True)
class Learned:
    """What an endpoint tells of its model: its name, the tokens that it reads, and how it is asked."""

    model: str
    window: int
    body: Body


@dataclass(frozen=True, slots=True)
class Wire:
    """How one provider is spoken to."""

    provider: str
    path: str
    body: Body
    rows: Callable[[object], list[list[float]]]
    """Take the vectors out of a reply, in order; a reply of another shape may raise KeyError or TypeError."""
    learn: Callable[[Connection], Awaitable[Learned]] | None = None
    """Ask which model it is, where the provider says so and the user does not."""


class EndpointEmbedder:
    """Embed with a model that an HTTP server runs.

    Nothing is loaded: it is ready at once, but where it has to say first which model it has. `load` asks for one small
    batch, which tells whether the endpoint answers, how long its vectors are and whether they cross languages.
    """

    def __init__(
        self,
        wire: Wire,
        model: str = UNTOLD,
        *,
        url: str,
        key: Key = NO_KEY,
        window: int = WINDOW,
        pause: Pause = asyncio.sleep,
    ) -> None:
        self.dimensions = 0
        self.window = window
        self.multilingual = False
        self._wire, self._body = wire, wire.body
        self._model, self._place, self._widest = model, place(url), window
        self._loaded = False
        self._connection = Connection(self.identity, url, key=key, later=LATER, pause=pause)

    @property
    def identity(self) -> str:
        """Provider, model and place."""
        return f"{self._wire.provider}:{self._model}@{self._place}"

    @property
    def ready(self) -> bool:
        """Whether it is known which model there is."""
        return self._model != UNTOLD

    def start_loading(self) -> None:
        """Do nothing: the model is loaded elsewhere."""

    async def load(self) -> None:
        """Learn what there is to know, once; raise `Unavailable` without an answer."""
        if self._loaded:
            return
        if not self.ready:
            await self._learn()
        self.multilingual = crosses_languages(await self.embed(PROBE, "document"))
        self._loaded = True

    def token_starts(self, text: str) -> list[int]:
        """Return about where the tokens of `text` start: the endpoint's own tokenizer is not to be had."""
        return approximate_token_starts(text)

    def familiarity(self, text: str) -> float:
        """Return 1: what the endpoint's model knows is not to be had."""
        del text
        return 1.0

    async def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        """Return one row of length 1 a text, in order; `role` is told to the providers that have a place for it."""
        import numpy as np

        if not self.ready:
            raise Unavailable(f"{self._connection.name} has not said yet which model it has", hint=LATER)
        batches = [texts[start : start + _BATCH] for start in range(0, len(texts), _BATCH)]
        try:
            rows = list(chain.from_iterable([await self._rows(batch, role) for batch in batches]))
            return self._unit_vectors(rows) if rows else np.empty((0, self.dimensions), np.float32)
        except Unavailable:
            self._forget()
            raise

    async def close(self) -> None:
        """Close the connections."""
        await self._connection.close()

    async def _learn(self) -> None:
        assert self._wire.learn is not None, "only such a provider goes without a model's name"
        try:
            learned = await self._wire.learn(self._connection)
        except (KeyError, TypeError, ValueError) as exc:
            raise self._malformed("the name and size of its model") from exc
        self._model, self._body = learned.model, learned.body
        self.window = min(self._widest, learned.window)
        self._connection.name = self.identity

    def _forget(self) -> None:
        """What comes back after a failure may be another model: it is asked again."""
        if self._wire.learn is not None:
            self._model, self.dimensions, self._loaded = UNTOLD, 0, False

    async def _rows(self, texts: Sequence[str], role: Role) -> list[list[float]]:
        reply = await self._connection.post(self._wire.path, self._body(self._model, texts, role))
        try:
            rows = self._wire.rows(reply)
        except (KeyError, TypeError) as exc:
            raise self._malformed() from exc
        if len(rows) != len(texts):
            raise self._malformed()
        return rows

    def _unit_vectors(self, rows: list[list[float]]) -> Vectors:
        import numpy as np

        try:
            vectors = np.array(rows, np.float32)
        except (TypeError, ValueError) as exc:
            raise self._malformed() from exc
        if vectors.ndim != _ROWS_AND_COLUMNS or not vectors.shape[1]:
            raise self._malformed()
        self._hold_dimensions(vectors.shape[1])
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not (np.isfinite(lengths).all() and lengths.all()):
            raise self._malformed()
        unit: Vectors = vectors / lengths
        return unit

    def _hold_dimensions(self, found: int) -> None:
        if self.dimensions not in {0, found}:
            raise Unavailable(
                f"{self.identity} answered with {found} dimensions after {self.dimensions}",
                hint="It serves another model under the same name now; restart Bethink and run `bethink reembed`.",
            )
        self.dimensions = found

    def _malformed(self, wanted: str = "one vector a text") -> Unavailable:
        return Unavailable(
            f"{self._connection.name} did not answer with {wanted}",
            hint="Check that the URL is that of an embedding endpoint and the model one that embeds.",
        )


def approximate_token_starts(text: str) -> list[int]:
    """Return where tokens of `text` start, as near as one can say without the model's tokenizer.

    A CJK character, a punctuation mark and each four characters of a word are a token. It errs towards more tokens
    than there are, so that a window cut with it fits.
    """
    return [match.start() for match in _TOKEN.finditer(text)]


def crosses_languages(probe: Vectors) -> bool:
    """Whether both translations in the probe are clearly nearer to the sentence than another sentence is."""
    chinese, japanese, unrelated = (float(similarity) for similarity in probe[1:] @ probe[0])
    bar = unrelated + (1 - unrelated) / 4
    return min(chinese, japanese) > bar
