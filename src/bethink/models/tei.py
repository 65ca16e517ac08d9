"""Embed or rerank with text-embeddings-inference, which says itself which model it serves (`/info`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final, get_args

from .connection import Connection, Key, Refused
from .endpoint import WINDOW, EndpointEmbedder, Learned, Wire
from .protocol import Role
from .rerank_endpoint import EndpointReranker, RerankWire, Scores

KEY_VARIABLE: Final = "TEI_API_KEY"
_SPECIAL_TOKENS: Final = 2


def tei_embedder(url: str, *, key: str = "", window: int = WINDOW) -> EndpointEmbedder:
    """Return an embedder for whatever model is served at the URL."""
    return EndpointEmbedder(WIRE, url=url, key=Key(key, KEY_VARIABLE), window=window)


def tei_reranker(url: str, *, key: str = "") -> EndpointReranker:
    """Return a reranker for whatever cross-encoder is served at the URL."""
    return EndpointReranker(RERANK_WIRE, url=url, key=Key(key, KEY_VARIABLE))


async def _learn(connection: Connection) -> Learned:
    about = await connection.get("/info")
    if not isinstance(about, dict):
        raise TypeError
    prompts = [role for role in get_args(Role) if await _has_prompt(connection, role)]
    window = int(about["max_input_length"]) - _SPECIAL_TOKENS
    return Learned(str(about["model_id"]), window, partial(_body, prompts=prompts))


async def _has_prompt(connection: Connection, role: Role) -> bool:
    """Say whether the model has a prompt of this name, of which `/info` tells nothing: an unknown one is refused."""
    try:
        await connection.post(WIRE.path, _body("", [role], role, prompts=[role]))
    except Refused:
        return False
    return True


def _body(model: str, texts: Sequence[str], role: Role, *, prompts: Sequence[Role] = ()) -> Mapping[str, object]:
    del model
    # The window is the model's own; where it was estimated too wide, a few tokens less are better than no vector.
    asked = {"inputs": list(texts), "normalize": True, "truncate": True}
    return asked | {"prompt_name": role} if role in prompts else asked


def _rows(reply: object) -> list[list[float]]:
    if not isinstance(reply, list):
        raise TypeError
    return reply


def _pairs(model: str, query: str, texts: Sequence[str]) -> object:
    del model
    return {"query": query, "texts": list(texts), "raw_scores": False, "truncate": True}


def _scores(reply: object) -> Scores:
    if not isinstance(reply, list):
        raise TypeError
    return [(entry["index"], entry["score"]) for entry in reply]


WIRE: Final = Wire("tei", "/embed", _body, _rows, _learn)
RERANK_WIRE: Final = RerankWire("tei", "/rerank", _pairs, _scores)
