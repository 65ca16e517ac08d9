"""Rerank with Cohere, or with any server that speaks its `/rerank`: Jina, vLLM, llama.cpp, LiteLLM, Infinity."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from urllib.parse import urlsplit

from .connection import Key
from .rerank_endpoint import EndpointReranker, RerankWire, Scores

URL: Final = "https://api.cohere.com/v2"
KEY_VARIABLES: Final = ("COHERE_API_KEY", "CO_API_KEY")


def cohere_reranker(model: str, *, url: str = URL, key: str = "") -> EndpointReranker:
    """Return a reranker for `model` at the base URL; one without a path means its `/v1`."""
    base = url if urlsplit(url).path.strip("/") else f"{url.rstrip('/')}/v1"
    return EndpointReranker(WIRE, model, url=base, key=Key(key, " or ".join(KEY_VARIABLES)))


def _body(model: str, query: str, texts: Sequence[str]) -> object:
    return {"model": model, "query": query, "documents": list(texts)}


def _scores(reply: object) -> Scores:
    if not isinstance(reply, dict):
        raise TypeError
    return [(entry["index"], entry["relevance_score"]) for entry in reply["results"]]


WIRE: Final = RerankWire("cohere", "/rerank", _body, _scores)
