"""Embed with OpenAI, or with any server that speaks its `/v1/embeddings`: vLLM, TEI, LM Studio, llama.cpp, LiteLLM."""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter
from urllib.parse import urlsplit

from .endpoint import WINDOW, EndpointEmbedder, Wire

URL = "https://api.openai.com/v1"
KEY_VARIABLE = "OPENAI_API_KEY"


def openai_embedder(model: str, *, url: str = URL, key: str = "", window: int = WINDOW) -> EndpointEmbedder:
    """Return an embedder for `model` at the base URL; one without a path means its `/v1`."""
    base = url if urlsplit(url).path.strip("/") else f"{url.rstrip('/')}/v1"
    return EndpointEmbedder(WIRE, model, url=base, key=key, window=window)


def _body(model: str, texts: Sequence[str]) -> dict[str, object]:
    return {"model": model, "input": list(texts), "encoding_format": "float"}


def _rows(reply: object) -> list[list[float]]:
    if not isinstance(reply, dict):
        raise TypeError
    return [entry["embedding"] for entry in sorted(reply["data"], key=itemgetter("index"))]


WIRE = Wire("openai", "/embeddings", _body, _rows, KEY_VARIABLE)
