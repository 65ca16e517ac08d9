"""Choose an embedder, and a reranker, by its spec string."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from bethink.errors import InvalidRequest

from . import cohere, google, hub, ollama, openai, tei
from .endpoint import WINDOW
from .hub import Hub
from .hub_embedder import HubEmbedder
from .hub_reranker import HubReranker
from .minilm import MiniLm
from .none import NoEmbedder
from .protocol import NONE, Embedder, Reranker

FORMS: Final = (
    "minilm",
    "none",
    "hub:ORG/NAME[@REVISION]",
    "openai:MODEL[@URL]",
    "ollama:MODEL[@URL]",
    "google:MODEL[@URL]",
    "tei:URL",
)
RERANKER_FORMS: Final = ("none", "hub:ORG/NAME[@REVISION]", "cohere:MODEL[@URL]", "tei:URL")
# A model's own name may hold an '@': only one before a URL divides.
_MODEL: Final = re.compile(r"(?P<provider>[a-z]+):(?P<model>(?:(?!://)\S)+?)(?:@(?P<url>https?://\S+))?")
_SERVER: Final = re.compile(r"(?P<provider>tei):(?P<url>https?://\S+)")
_HUB: Final = re.compile(r"hub:(?P<model>\w[\w.-]*/\w[\w.-]*)(?:@(?P<revision>\w[\w.-]*(?:/\w[\w.-]*)*))?")


def embedder_from_spec(spec: str, *, environment: Mapping[str, str], folder: Path, window: int = WINDOW) -> Embedder:
    """Return the embedder that `spec` names, not loaded; `window` is what an endpoint's model reads, in tokens.

    Models of the hub are kept in `folder`. Keys come from `environment`. Raises `InvalidRequest` for any other spec.
    """
    if spec == "minilm":
        return MiniLm()
    if spec == NONE:
        return NoEmbedder()
    if of_hub := _HUB.fullmatch(spec):
        return HubEmbedder(_hub(folder, environment), of_hub["model"], of_hub["revision"] or hub.MAIN, window=window)
    found = _endpoint_embedder(*_endpoint(spec), key=partial(_first, environment), window=window)
    if found is None:
        raise InvalidRequest(f"unknown embedder {spec!r}", hint=f"Accepted: {', '.join(FORMS)}.")
    return found


def reranker_from_spec(spec: str, *, environment: Mapping[str, str], folder: Path) -> Reranker | None:
    """Return the reranker that `spec` names, not loaded, or that there is none; the rest as for an embedder."""
    if spec == NONE:
        return None
    if of_hub := _HUB.fullmatch(spec):
        return HubReranker(_hub(folder, environment), of_hub["model"], of_hub["revision"] or hub.MAIN)
    provider, model, url = _endpoint(spec)
    match provider:
        case "cohere":
            key = _first(environment, *cohere.KEY_VARIABLES)
            return cohere.cohere_reranker(model, url=url or cohere.URL, key=key)
        case "tei":
            return tei.tei_reranker(url, key=_first(environment, tei.KEY_VARIABLE))
    raise InvalidRequest(f"unknown reranker {spec!r}", hint=f"Accepted: {', '.join(RERANKER_FORMS)}.")


def _endpoint_embedder(provider: str, model: str, url: str, *, key: Callable[..., str], window: int) -> Embedder | None:
    match provider:
        case "openai":
            return openai.openai_embedder(model, url=url or openai.URL, key=key(openai.KEY_VARIABLE), window=window)
        case "google":
            return google.google_embedder(model, url=url or google.URL, key=key(*google.KEY_VARIABLES), window=window)
        case "ollama":
            return ollama.ollama_embedder(model, url=url or ollama.URL, window=window)
        case "tei":
            return tei.tei_embedder(url, key=key(tei.KEY_VARIABLE), window=window)
        case _:
            return None


def _endpoint(spec: str) -> tuple[str, str, str]:
    """Return the provider, the model and the URL that a spec names, each empty where it does not."""
    if (server := _SERVER.fullmatch(spec)) and _is_url(server["url"]):
        return server["provider"], "", server["url"]
    match = _MODEL.fullmatch(spec)
    if match is None or match["provider"] == "tei" or not (match["url"] is None or _is_url(match["url"])):
        return "", "", ""
    return match["provider"], match["model"], match["url"] or ""


def _hub(folder: Path, environment: Mapping[str, str]) -> Hub:
    url = environment.get(hub.URL_VARIABLE) or hub.URL
    if not (url.startswith(("http://", "https://")) and _is_url(url)):
        raise InvalidRequest(f"{hub.URL_VARIABLE}: {url!r} is not a URL", hint="Correct it, or leave it out.")
    return Hub(folder, url.rstrip("/"), _first(environment, *hub.KEY_VARIABLES))


def _first(environment: Mapping[str, str], *variables: str) -> str:
    return next((environment[name] for name in variables if environment.get(name)), "")


def _is_url(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
