"""Choose an embedder by its spec string."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from bethink.errors import InvalidRequest

from . import google, hub, ollama, openai, tei
from .endpoint import WINDOW
from .hub import Hub
from .hub_embedder import HubEmbedder
from .minilm import MiniLm
from .none import NoEmbedder
from .protocol import Embedder

FORMS: Final = (
    "minilm",
    "none",
    "hub:ORG/NAME[@REVISION]",
    "openai:MODEL[@URL]",
    "ollama:MODEL[@URL]",
    "google:MODEL[@URL]",
    "tei:URL",
)
# A model's own name may hold an '@': only one before a URL divides.
_MODEL: Final = re.compile(r"(?P<provider>openai|ollama|google):(?P<model>(?:(?!://)\S)+?)(?:@(?P<url>https?://\S+))?")
_SERVER: Final = re.compile(r"(?P<provider>tei):(?P<url>https?://\S+)")
_HUB: Final = re.compile(r"hub:(?P<model>\w[\w.-]*/\w[\w.-]*)(?:@(?P<revision>\w[\w.-]*(?:/\w[\w.-]*)*))?")


def embedder_from_spec(spec: str, *, environment: Mapping[str, str], folder: Path, window: int = WINDOW) -> Embedder:
    """Return the embedder that `spec` names, not loaded; `window` is what an endpoint's model reads, in tokens.

    Models of the hub are kept in `folder`. Keys come from `environment`. Raises `InvalidRequest` for any other spec.
    """
    if spec == "minilm":
        return MiniLm()
    if spec == "none":
        return NoEmbedder()
    if of_hub := _HUB.fullmatch(spec):
        return HubEmbedder(_hub(folder, environment), of_hub["model"], of_hub["revision"] or hub.MAIN, window=window)
    match = _MODEL.fullmatch(spec) or _SERVER.fullmatch(spec)
    if match is None or not _is_url(match["url"]):
        raise InvalidRequest(f"unknown embedder {spec!r}", hint=f"Accepted: {', '.join(FORMS)}.")
    return _endpoint(match, environment, window)


def _hub(folder: Path, environment: Mapping[str, str]) -> Hub:
    url = environment.get(hub.URL_VARIABLE) or hub.URL
    if not (url.startswith(("http://", "https://")) and _is_url(url)):
        raise InvalidRequest(f"{hub.URL_VARIABLE}: {url!r} is not a URL", hint="Correct it, or leave it out.")
    return Hub(folder, url.rstrip("/"), _first(environment, *hub.KEY_VARIABLES))


def _first(environment: Mapping[str, str], *variables: str) -> str:
    return next((environment[name] for name in variables if environment.get(name)), "")


def _endpoint(match: re.Match[str], environment: Mapping[str, str], window: int) -> Embedder:
    key = partial(_first, environment)
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
