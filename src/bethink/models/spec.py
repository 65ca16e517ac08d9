"""Choose an embedder by its spec string."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final
from urllib.parse import urlsplit

from bethink.errors import InvalidRequest

from . import google, ollama, openai, tei
from .endpoint import WINDOW
from .minilm import MiniLm
from .none import NoEmbedder
from .protocol import Embedder

FORMS: Final = ("minilm", "none", "openai:MODEL[@URL]", "ollama:MODEL[@URL]", "google:MODEL[@URL]", "tei:URL")
# A model's own name may hold an '@': only one before a URL divides.
_MODEL: Final = re.compile(r"(?P<provider>openai|ollama|google):(?P<model>(?:(?!://)\S)+?)(?:@(?P<url>https?://\S+))?")
_SERVER: Final = re.compile(r"(?P<provider>tei):(?P<url>https?://\S+)")


def embedder_from_spec(spec: str, *, environment: Mapping[str, str], window: int = WINDOW) -> Embedder:
    """Return the embedder that `spec` names, not loaded; `window` is what an endpoint's model reads, in tokens.

    The key of an endpoint comes from `environment`. Raises `InvalidRequest` for any other spec.
    """
    if spec == "minilm":
        return MiniLm()
    if spec == "none":
        return NoEmbedder()
    match = _MODEL.fullmatch(spec) or _SERVER.fullmatch(spec)
    if match is None or not _is_url(match["url"]):
        raise InvalidRequest(f"unknown embedder {spec!r}", hint=f"Accepted: {', '.join(FORMS)}.")
    return _endpoint(match, environment, window)


def _endpoint(match: re.Match[str], environment: Mapping[str, str], window: int) -> Embedder:
    def key(*variables: str) -> str:
        return next((environment[name] for name in variables if environment.get(name)), "")

    url = match["url"]
    match match["provider"]:
        case "openai":
            return openai.openai_embedder(
                match["model"], url=url or openai.URL, key=key(openai.KEY_VARIABLE), window=window
            )
        case "google":
            return google.google_embedder(
                match["model"], url=url or google.URL, key=key(*google.KEY_VARIABLES), window=window
            )
        case "ollama":
            return ollama.ollama_embedder(match["model"], url=url or ollama.URL, window=window)
        case _:
            return tei.tei_embedder(url, key=key(tei.KEY_VARIABLE), window=window)


def _is_url(url: str | None) -> bool:
    if url is None:
        return True
    try:
        parts = urlsplit(url)
        return bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
