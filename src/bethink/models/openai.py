"""Embed with OpenAI, or with any server that speaks its `/v1/embeddings`: vLLM, LM Studio, llama.cpp, LiteLLM."""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter
from typing import Final
from urllib.parse import urlsplit

from .connection import Key
from .endpoint import WINDOW, EndpointEmbedder, Wire
from .protocol import Role

URL: Final = "https://api.openai.com/v1"
KEY_VARIABLE: Final = "OPENAI_API_KEY"


def openai_embedder(model: str, *, url: str = URL, key: str = "", window: int = WINDOW) -> EndpointEmbedder:
    """Return an embedder for `model` at the base URL; one without a path means its `/v1`."""
    base = url if urlsplit(url).path.strip("/") else f"{url.rstrip('/')}/v1"
    return EndpointEmbedder(WIRE, model, url=base, key=Key(key, KEY_VARIABLE), window=window)


def _body(model: str, texts: Sequence[str], role: Role) -> object:
    del role
    return {"model": model, "input": list(texts), "encoding_format": "float"}


def _rows(reply: object) -> list[list[float]]:
    if not isinstance(reply, dict):
        raise TypeError
    return [entry["embedding"] for entry in sorted(reply["data"], key=itemgetter("index"))]


WIRE: Final = Wire("openai", "/embeddings", _body, _rows)
