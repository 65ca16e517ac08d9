"""Choose an embedder by its spec string."""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import urlsplit

from bethink.errors import InvalidRequest

from . import ollama, openai
from .endpoint import WINDOW
from .minilm import MiniLm
from .none import NoEmbedder
from .protocol import Embedder

FORMS = ("minilm", "none", "openai:MODEL[@URL]", "ollama:MODEL[@URL]")
# A model's own name may hold an '@': only one before a URL divides.
_ENDPOINT = re.compile(r"(?P<provider>openai|ollama):(?P<model>(?:(?!://)\S)+?)(?:@(?P<url>https?://\S+))?")


def embedder_from_spec(spec: str, *, environment: Mapping[str, str], window: int = WINDOW) -> Embedder:
    """Return the embedder that `spec` names, not loaded; `window` is what an endpoint's model reads, in tokens.

    The key of an endpoint comes from `environment` (`OPENAI_API_KEY`). Raises `InvalidRequest` for any other spec.
    """
    if spec == "minilm":
        return MiniLm()
    if spec == "none":
        return NoEmbedder()
    match = _ENDPOINT.fullmatch(spec)
    if match is None or not _is_url(match["url"]):
        raise InvalidRequest(f"unknown embedder {spec!r}", hint=f"Accepted: {', '.join(FORMS)}.")
    if match["provider"] == "ollama":
        return ollama.ollama_embedder(match["model"], url=match["url"] or ollama.URL, window=window)
    key = environment.get(openai.KEY_VARIABLE, "")
    return openai.openai_embedder(match["model"], url=match["url"] or openai.URL, key=key, window=window)


def _is_url(url: str | None) -> bool:
    if url is None:
        return True
    try:
        parts = urlsplit(url)
        return bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
