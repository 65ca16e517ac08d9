"""Embed with a model that Ollama serves (`/api/embed`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from .endpoint import WINDOW, EndpointEmbedder, Wire
from .protocol import Role

URL: Final = "http://localhost:11434"


def ollama_embedder(model: str, *, url: str = URL, window: int = WINDOW) -> EndpointEmbedder:
    """Return an embedder for `model` at the server's URL."""
    return EndpointEmbedder(WIRE, model, url=url, window=window)


def _body(model: str, texts: Sequence[str], role: Role) -> object:
    del role
    # By default Ollama drops the end of a text that is too long and says nothing.
    return {"model": model, "input": list(texts), "truncate": False}


def _rows(reply: object) -> list[list[float]]:
    if not isinstance(reply, dict):
        raise TypeError
    return list(reply["embeddings"])


WIRE: Final = Wire("ollama", "/api/embed", _body, _rows)
