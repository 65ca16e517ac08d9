"""What a model pays to be shown the tools: the answer to tools/list as it goes over the pipe, 4 bytes a token."""

from __future__ import annotations

import json
import math
import tempfile
from pathlib import Path
from typing import Any

from bethink.recall.budget import BYTES_A_TOKEN

from .pipe import Client

_TOOLSETS = ("core", "full")


def run(data: Path, *, sample: int | None = None, seed: int = 0) -> dict[str, Any]:
    """Return the tokens of both toolsets, with their bytes, tools, and the largest tool."""
    del data, sample, seed
    answers = {name: _listed(name) for name in _TOOLSETS}
    tools = {name: json.loads(answer)["result"]["tools"] for name, answer in answers.items()}
    sizes = {tool["name"]: tokens(_compact(tool)) for tool in tools["full"]}
    largest = max(sizes, key=lambda name: sizes[name])
    return {
        **{name: tokens(answer) for name, answer in answers.items()},
        "bytes": {name: len(answer) for name, answer in answers.items()},
        "tools": {name: len(listed) for name, listed in tools.items()},
        "largest": {"name": largest, "tokens": sizes[largest]},
    }


def tokens(text: bytes) -> int:
    """Return how many tokens a text is taken for."""
    return math.ceil(len(text) / BYTES_A_TOKEN)


def _listed(toolsets: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder, Client(Path(folder) / "memories.db", tools=toolsets) as client:
        return client.ask("tools/list").strip()


def _compact(tool: dict[str, Any]) -> bytes:
    return json.dumps(tool, separators=(",", ":"), ensure_ascii=False).encode()
