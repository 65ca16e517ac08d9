"""Speak JSON over HTTP with a server that runs a model: the retries, time limits and refusals that all share."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from bethink.errors import Unavailable

if TYPE_CHECKING:
    from httpx2 import AsyncClient, Response

_DELAYS: Final = (0.5, 1.0, 2.0)
_LONGEST_DELAY: Final = 10.0
_SECONDS_TO_CONNECT, _SECONDS_TO_ANSWER = 5.0, 60.0
_SHOWN: Final = 200
_RETRIED: Final = {
    HTTPStatus.TOO_MANY_REQUESTS,
    HTTPStatus.INTERNAL_SERVER_ERROR,
    HTTPStatus.BAD_GATEWAY,
    HTTPStatus.SERVICE_UNAVAILABLE,
    HTTPStatus.GATEWAY_TIMEOUT,
}
_REFUSED_KEY: Final = {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}

Pause = Callable[[float], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Key:
    """The secret that a server wants, if it is known, where it is set, and the header that carries it."""

    secret: str = ""
    variable: str = "the key"
    header: str = "Authorization"
    form: str = "Bearer {}"

    def headers(self) -> dict[str, str]:
        """Return the header of a request."""
        return {self.header: self.form.format(self.secret)} if self.secret else {}

    def masked(self, text: str) -> str:
        """Return a text without the secret."""
        return text.replace(self.secret, "***") if self.secret else text

    def __repr__(self) -> str:
        """Name where it is set and nothing more."""
        return f"Key({self.variable})"


NO_KEY: Final = Key()


class Connection:
    """Ask one server. What may pass is tried again; what does not is `Unavailable`, in the server's own words.

    `name` is whom messages speak of, `later` what goes on until the server answers.
    """

    def __init__(
        self, name: str, url: str, *, key: Key = NO_KEY, later: str = "", pause: Pause = asyncio.sleep
    ) -> None:
        self.name = name
        self._url, self._key, self._later, self._pause = url, key, later, pause
        self._client: AsyncClient | None = None

    async def get(self, path: str) -> object:
        """Return what is at a path below the URL."""
        return await self._ask("GET", path, None)

    async def post(self, path: str, body: object) -> object:
        """Return the answer to a body."""
        return await self._ask("POST", path, body)

    async def close(self) -> None:
        """Let go of the sockets."""
        if self._client is not None:
            await self._client.aclose()

    async def _ask(self, method: str, path: str, body: object) -> object:
        for delay in _DELAYS:
            try:
                return await self._ask_once(method, path, body)
            except _Passing as failure:
                await self._pause(min(max(delay, failure.retry_after), _LONGEST_DELAY))
        return await self._ask_once(method, path, body)

    async def _ask_once(self, method: str, path: str, body: object) -> object:
        import httpx2

        try:
            response = await self._connected().request(method, path, json=body)
        except httpx2.TransportError as exc:
            hint = f"Check that the server runs and that the URL is right. {self._later}".rstrip()
            raise _Passing(f"{self.name} cannot be reached ({type(exc).__name__})", hint=hint) from exc
        if not response.is_success:
            raise self._refusal(response)
        try:
            reply: object = response.json()
        except ValueError as exc:
            hint = "Check that the URL is that of a model's server."
            raise Unavailable(f"{self.name} did not answer in JSON", hint=hint) from exc
        return reply

    def _connected(self) -> AsyncClient:
        if self._client is None:
            import httpx2

            timeout = httpx2.Timeout(_SECONDS_TO_ANSWER, connect=_SECONDS_TO_CONNECT)
            self._client = httpx2.AsyncClient(base_url=self._url, headers=self._key.headers(), timeout=timeout)
        return self._client

    def _refusal(self, response: Response) -> Unavailable:
        if response.status_code in _REFUSED_KEY:
            state = "was refused" if self._key.secret else "is not set"
            return Refused(f"{self.name} wants a valid key", hint=f"{self._key.variable} {state}.")
        said = self._key.masked(" ".join(response.text.split()))[:_SHOWN]
        message = f"{self.name} answered {response.status_code}: {said}"
        if response.status_code in _RETRIED:
            return _Passing(message, hint=self._later, retry_after=_retry_after(response))
        return Refused(message, hint="Check the model's name and the server's log.")


class Refused(Unavailable):
    """A request that the server does not accept, and would not if it came again."""


class _Passing(Unavailable):
    """A failure that another try may mend."""

    def __init__(self, message: str, *, hint: str, retry_after: float = 0.0) -> None:
        super().__init__(message, hint=hint)
        self.retry_after = retry_after


def place(url: str) -> str:
    """Return the URL without scheme, credentials and final slash."""
    parts = urlsplit(url)
    port = f":{parts.port}" if parts.port else ""
    return f"{parts.hostname}{port}{parts.path.rstrip('/')}"


def _retry_after(response: Response) -> float:
    try:
        return float(response.headers.get("retry-after", "0"))
    except ValueError:
        return 0.0
