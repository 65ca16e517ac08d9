"""Embed through an HTTP endpoint: the batches, retries, time limits and checks that every provider shares."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from itertools import chain
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from bethink.errors import Unavailable

from .protocol import Role, Vectors

if TYPE_CHECKING:
    from httpx2 import AsyncClient, Response

# The widest text that a BERT-sized model reads (512 tokens) less its two special tokens.
WINDOW = 510

_BATCH = 32  # text-embeddings-inference takes no more by default
_DELAYS = (0.5, 1.0, 2.0)
_LONGEST_DELAY = 10.0
_SECONDS_TO_CONNECT, _SECONDS_TO_ANSWER = 5.0, 60.0
_SHOWN = 200
_ROWS_AND_COLUMNS = 2
_TRY_LATER = "Keyword search works meanwhile; what was stored is embedded later."
_RETRIED = {
    HTTPStatus.TOO_MANY_REQUESTS,
    HTTPStatus.INTERNAL_SERVER_ERROR,
    HTTPStatus.BAD_GATEWAY,
    HTTPStatus.SERVICE_UNAVAILABLE,
    HTTPStatus.GATEWAY_TIMEOUT,
}
_REFUSED_KEY = {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}

# A sentence, the same in Chinese and in Japanese, and another sentence.
PROBE = (
    "The invoice is due on Friday.",
    "发票星期五到期。",
    "請求書の期限は金曜日です。",
    "Cats sleep most of the day.",
)

_CJK = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_TOKEN = re.compile(rf"[{_CJK}]|(?:(?![{_CJK}])\w){{1,4}}|[^\w\s]")


@dataclass(frozen=True, slots=True)
class Wire:
    """How one provider is spoken to."""

    provider: str
    path: str
    body: Callable[[str, Sequence[str]], dict[str, object]]
    rows: Callable[[object], list[list[float]]]
    """Take the vectors out of a reply, in order; a reply of another shape may raise KeyError or TypeError."""
    key_variable: str = ""


class EndpointEmbedder:
    """Embed with a model that an HTTP server runs.

    Nothing is loaded: it is ready at once. `load` asks for one small batch, which tells whether the endpoint answers,
    how long its vectors are and whether they cross languages.
    """

    ready = True

    def __init__(
        self,
        wire: Wire,
        model: str,
        *,
        url: str,
        key: str = "",
        window: int = WINDOW,
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.identity = f"{wire.provider}:{model}@{_place(url)}"
        self.dimensions = 0
        self.window = window
        self.multilingual = False
        self._wire = wire
        self._model = model
        self._url = url
        self._key = key
        self._pause = pause
        self._client: AsyncClient | None = None

    def start_loading(self) -> None:
        """Do nothing: the model is loaded elsewhere."""

    async def load(self) -> None:
        """Ask for one small batch to learn `dimensions` and `multilingual`; raise `Unavailable` without an answer."""
        self.multilingual = crosses_languages(await self.embed(PROBE, "document"))

    def token_starts(self, text: str) -> list[int]:
        """Return about where the tokens of `text` start: the endpoint's own tokenizer is not to be had."""
        return approximate_token_starts(text)

    def familiarity(self, text: str) -> float:
        """Return 1: what the endpoint's model knows is not to be had."""
        del text
        return 1.0

    async def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        """Return one row of length 1 a text, in order; neither wire format has a place for `role`."""
        del role
        import numpy as np

        batches = [texts[start : start + _BATCH] for start in range(0, len(texts), _BATCH)]
        rows = list(chain.from_iterable([await self._rows(batch) for batch in batches]))
        if not rows:
            return np.empty((0, self.dimensions), np.float32)
        return self._unit_vectors(rows)

    async def close(self) -> None:
        """Close the connections."""
        if self._client is not None:
            await self._client.aclose()

    async def _rows(self, texts: Sequence[str]) -> list[list[float]]:
        reply = await self._post(self._wire.body(self._model, texts))
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

    async def _post(self, body: dict[str, object]) -> object:
        for delay in _DELAYS:
            try:
                return await self._post_once(body)
            except _Passing as failure:
                await self._pause(min(max(delay, failure.retry_after), _LONGEST_DELAY))
        return await self._post_once(body)

    async def _post_once(self, body: dict[str, object]) -> object:
        import httpx2

        try:
            response = await self._connected().post(self._wire.path, json=body)
        except httpx2.TransportError as exc:
            raise self._unreachable(exc) from exc
        if response.is_success:
            return self._json(response)
        raise self._refusal(response)

    def _connected(self) -> AsyncClient:
        if self._client is None:
            import httpx2

            headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
            timeout = httpx2.Timeout(_SECONDS_TO_ANSWER, connect=_SECONDS_TO_CONNECT)
            self._client = httpx2.AsyncClient(base_url=self._url, headers=headers, timeout=timeout)
        return self._client

    def _json(self, response: Response) -> object:
        try:
            reply: object = response.json()
        except ValueError as exc:
            raise self._malformed() from exc
        return reply

    def _refusal(self, response: Response) -> Unavailable:
        if response.status_code in _REFUSED_KEY:
            state = "was refused" if self._key else "is not set"
            variable = self._wire.key_variable or "the key"
            return Unavailable(f"{self.identity} wants a valid key", hint=f"{variable} {state}.")
        said = " ".join(response.text.split())[:_SHOWN]
        if self._key:
            said = said.replace(self._key, "***")
        message = f"{self.identity} answered {response.status_code}: {said}"
        if response.status_code in _RETRIED:
            return _Passing(message, hint=_TRY_LATER, retry_after=_retry_after(response))
        return Unavailable(message, hint="Check the model's name and the server's log.")

    def _unreachable(self, exc: Exception) -> Unavailable:
        hint = f"Check that the server runs and that the URL is right. {_TRY_LATER}"
        return _Passing(f"{self.identity} cannot be reached ({type(exc).__name__})", hint=hint)

    def _malformed(self) -> Unavailable:
        return Unavailable(
            f"{self.identity} did not answer with one vector a text",
            hint="Check that the URL is that of an embedding endpoint and the model one that embeds.",
        )


class _Passing(Unavailable):
    """A failure that another try may mend."""

    def __init__(self, message: str, *, hint: str, retry_after: float = 0.0) -> None:
        super().__init__(message, hint=hint)
        self.retry_after = retry_after


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


def _place(url: str) -> str:
    """Return the URL without scheme, credentials and final slash."""
    parts = urlsplit(url)
    port = f":{parts.port}" if parts.port else ""
    return f"{parts.hostname}{port}{parts.path.rstrip('/')}"


def _retry_after(response: Response) -> float:
    try:
        return float(response.headers.get("retry-after", "0"))
    except ValueError:
        return 0.0
