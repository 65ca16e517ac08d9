"""Embed with a Gemini embedding model of Google's (`:batchEmbedContents`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from urllib.parse import quote

from .connection import Key
from .endpoint import WINDOW, EndpointEmbedder, Wire
from .protocol import Role

URL: Final = "https://generativelanguage.googleapis.com/v1beta"
KEY_VARIABLES: Final = ("GOOGLE_API_KEY", "GEMINI_API_KEY")
_TASKS: Final[dict[Role, str]] = {"query": "RETRIEVAL_QUERY", "document": "RETRIEVAL_DOCUMENT"}


def google_embedder(model: str, *, url: str = URL, key: str = "", window: int = WINDOW) -> EndpointEmbedder:
    """Return an embedder for `model`, with or without its `models/`, at the base URL."""
    name = model.removeprefix("models/")
    held = Key(key, " or ".join(KEY_VARIABLES), header="x-goog-api-key", form="{}")
    return EndpointEmbedder(wire(name), name, url=url, key=held, window=window)


def wire(model: str) -> Wire:
    """Return how a model is asked: its name is part of the path."""
    return Wire("google", f"/models/{quote(model, safe='')}:batchEmbedContents", _body, _rows)


def _body(model: str, texts: Sequence[str], role: Role) -> object:
    asked = {"model": f"models/{model}", "taskType": _TASKS[role]}
    return {"requests": [{**asked, "content": {"parts": [{"text": text}]}} for text in texts]}


def _rows(reply: object) -> list[list[float]]:
    if not isinstance(reply, dict):
        raise TypeError
    return [entry["values"] for entry in reply["embeddings"]]
