"""Bethink beside other memories for agents, each as a model meets it: the server's tools over MCP, in the same run.

Packages are installed once into environments beside the cache of vectors, and all embed with the model inside Bethink.
Each is asked with its own defaults. `--sample` says how many LongMemEval turns the store holds on which searches are
timed; which turns of a talk are found is measured on LoCoMo's first conversation.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from . import data as data_
from .bed import cache_folder
from .data import Case, Talk
from .installed import NotInstalled, installed, lay_model
from .locomo import ADVERSARIAL
from .measure import private_megabytes, processor_seconds
from .pipe import Client, Server
from .progress import steps
from .report import Table, cell
from .sampling import stratified
from .scoring import any_of, mean

_MEMORIES: Final = 1_000
_QUESTIONS: Final = 50
_FOUND: Final = 10
_LONGEST_QUERY: Final = 250  # the most that one of them takes
_NUMBERED: Final = re.compile(r"^\d+\. (.*?)\n   Hash: ", re.MULTILINE | re.DOTALL)

Answer = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Peer:
    """A system: how its server is started in a folder, how a text is stored, how it is asked, what it found."""

    name: str
    start: Callable[[Path], Server]
    store: Callable[[str], tuple[str, dict[str, Any]]]
    ask: Callable[[str], tuple[str, dict[str, Any]]]
    found: Callable[[Answer], list[str]]


def run(data: Path, *, sample: int | None = None, seed: int = 0) -> dict[str, Any]:
    """Return the figures of each system; one that cannot be installed or started is left out with a message."""
    most = sample or _MEMORIES
    # Some refuse a text that they have, in whatever case, or a blank one.
    turns = {text.strip().lower(): text for text in data_.longmemeval_turns(data, 2 * most)}
    texts = [text for text in turns.values() if any(map(str.isalnum, text))][:most]
    asked = [q["question"][:_LONGEST_QUERY] for q in data_.longmemeval_questions(data)[:_QUESTIONS]]
    talk = data_.locomo(data)[0]
    cases = [case for case in talk.cases if case.gold and case.label != ADVERSARIAL]
    cases = stratified(cases, _QUESTIONS, seed, kind=lambda case: case.label)
    return {peer.name: measured(peer, texts, asked, talk, cases) for peer in steps(PEERS, "peers")}


def measured(
    peer: Peer, texts: Sequence[str], asked: Sequence[str], talk: Talk, cases: Sequence[Case]
) -> dict[str, Any]:
    """Return the figures of one system, or why it is left out."""
    try:
        return {**_speed(peer, texts, asked), **_quality(peer, talk, cases)}
    except (NotInstalled, OSError, RuntimeError, ValueError) as wrong:
        print(f"{peer.name} is left out: {wrong}", file=sys.stderr)
        return {"left_out": str(wrong)}


def tables(figures: Mapping[str, Any]) -> list[Table]:
    """Return a column a system."""
    names = dict.fromkeys(name for found in figures.values() for name in found)
    rows = tuple((name, *(cell(name, found.get(name)) for found in figures.values())) for name in names)
    return [Table(("measure", *figures), rows)]


def _speed(peer: Peer, texts: Sequence[str], asked: Sequence[str]) -> dict[str, Any]:
    with (
        tempfile.TemporaryDirectory() as folder,
        suppress(subprocess.TimeoutExpired),
        peer.start(Path(folder)) as server,
    ):
        listed = server.ask("tools/list")
        ready = time.perf_counter() - server.started
        begun = time.perf_counter()
        for text in texts:
            server.answer(*peer.store(text))
        rate = len(texts) / (time.perf_counter() - begun)
        server.answer(*peer.ask(asked[0]))
        wall, used = [], processor_seconds(server.pid)
        for question in asked:
            begun = time.perf_counter()
            server.answer(*peer.ask(question))
            wall.append(1000 * (time.perf_counter() - begun))
        spent = 1000 * (processor_seconds(server.pid) - used) / len(asked)
        figures = {
            "memories": len(texts),
            "search_p50": float(np.percentile(wall, 50)),
            "search_p95": float(np.percentile(wall, 95)),
            "search_cpu": spent,
            "stores_a_second": rate,
            "tools_list_s": ready,
            "tools": len(json.loads(listed)["result"]["tools"]),
            "tools_kb": len(listed) / 1000,
            "private_mb": private_megabytes(server.pid),
        }
    return figures


def _quality(peer: Peer, talk: Talk, cases: Sequence[Case]) -> dict[str, Any]:
    ids = {turn.text: turn.id for turn in reversed(talk.turns)}
    at5, at10 = [], []
    with (
        tempfile.TemporaryDirectory() as folder,
        suppress(subprocess.TimeoutExpired),
        peer.start(Path(folder)) as server,
    ):
        for text in dict.fromkeys(turn.text for turn in talk.turns):
            server.answer(*peer.store(text))
        for case in cases:
            texts = peer.found(server.answer(*peer.ask(case.question[:_LONGEST_QUERY])))
            found = [ids.get(text.strip(), "") for text in texts]
            at5.append(any_of(found, case.gold, 5))
            at10.append(any_of(found, case.gold, _FOUND))
    return {"any@5": mean(at5), "any@10": mean(at10), "n": len(cases)}


def _bethink(folder: Path) -> Server:
    return Client(folder / "memories.db")


def _gingugu(folder: Path) -> Server:
    hub = folder / "models" / "models--Qdrant--all-MiniLM-L6-v2-onnx"
    _model(hub / "snapshots" / "local")
    (hub / "refs").mkdir()
    (hub / "refs" / "main").write_text("local", encoding="utf-8")
    return _server("gingugu==0.28.0", ["gingugu"], folder, {
        "FASTEMBED_CACHE_PATH": str(folder / "models"),
        "HF_HUB_OFFLINE": "1",
        "MEMORY_EMBEDDINGS_MODEL": "sentence-transformers/all-MiniLM-L6-v2",
        "MEMORY_DB_PATH": str(folder / "memories.db"),
        "MEMORY_NAMESPACE": "bench",
    })  # fmt: skip


def _mempalace(folder: Path) -> Server:
    _model(folder / ".cache" / "chroma" / "onnx_models" / "all-MiniLM-L6-v2" / "onnx")
    return _server("mempalace==3.11.0", ["mempalace-mcp"], folder, {})


def _mcp_memory_service(folder: Path) -> Server:
    _model(folder / ".cache" / "mcp_memory" / "onnx_models" / "all-MiniLM-L6-v2" / "onnx")
    return _server("mcp-memory-service-lite==12.4.0", ["memory", "server"], folder, {
        "MCP_MEMORY_USE_ONNX": "true",
        "MCP_MEMORY_ONNX_ALLOW_DOWNLOAD": "0",
        "MCP_MEMORY_ALLOW_HASH_EMBEDDINGS": "0",
        "MCP_MEMORY_SQLITE_PATH": str(folder / "memories.db"),
        "MCP_MEMORY_BASE_DIR": str(folder),
    }, extendable=True)  # fmt: skip


def _server(
    package: str, command: Sequence[str], folder: Path, own: Mapping[str, str], *, extendable: bool = False
) -> Server:
    """Start a package's command with nothing of the user's settings: `folder` is its home."""
    place = cache_folder().absolute() / "peers" / package.partition("==")[0]
    commands = installed(package, place, extendable=extendable)
    program = shutil.which(command[0], path=str(commands))
    if program is None:
        raise NotInstalled(f"{package} brings no command {command[0]!r}")
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "SYSTEMROOT") if name in os.environ}
    home = {"HOME": str(folder), "USERPROFILE": str(folder)}
    return Server([program, *command[1:]], folder, {**kept, **home, **own})


def _model(folder: Path) -> None:
    laid = cache_folder().absolute() / "peers" / "model"
    lay_model(laid)
    shutil.copytree(laid, folder)


def _said(answer: Answer) -> str:
    text: str = answer["content"][0]["text"]
    return text


PEERS: Final = (
    Peer(
        "Bethink",
        _bethink,
        lambda text: ("memory_store", {"content": text}),
        lambda query: ("memory_recall", {"query": query, "limit": _FOUND}),
        lambda answer: [hit["text"] for hit in answer["structuredContent"]["hits"]],
    ),
    Peer(
        "gingugu",
        _gingugu,
        # Its hints, on by default, cost two searches a store: without them it is faster.
        lambda text: (
            "memory_store",
            {"content": text, "title": text[:60], "type": "fact", "dedupe_check": False, "relation_check": False},
        ),
        lambda query: ("memory_recall", {"query": query, "limit": _FOUND}),
        lambda answer: [memory["content"] for memory in json.loads(_said(answer)).get("memories", [])],
    ),
    Peer(
        "mempalace",
        _mempalace,
        lambda text: ("mempalace_add_drawer", {"wing": "bench", "room": "talk", "content": text}),
        lambda query: ("mempalace_search", {"query": query, "limit": _FOUND}),
        lambda answer: [drawer["text"] for drawer in json.loads(_said(answer)).get("results", [])],
    ),
    Peer(
        "mcp-memory-service",
        _mcp_memory_service,
        # A conversation's name keeps it from taking what is alike for the same.
        lambda text: ("memory_store", {"content": text, "conversation_id": "bench"}),
        lambda query: ("memory_search", {"query": query, "limit": _FOUND}),
        lambda answer: _NUMBERED.findall(_said(answer)),
    ),
)
