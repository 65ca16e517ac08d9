"""A store in the hands of two server processes: opening it, asking over MCP, and seeing what the other has written."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .measure import Timer, percentiles, private_megabytes, thread_milliseconds
from .pipe import Client

_WRITES = 20
_BETWEEN_SECONDS = 0.02


def served(path: Path, questions: Sequence[str], namespaces: Sequence[str]) -> dict[str, Any]:
    """Return what the first recall and the following ones cost a server, its own memory, and how fresh it answers.

    Embedding, the protocol and the model's memory are part of all of it.
    """
    named = {"namespaces": list(namespaces)}
    with Client(path) as server, Client(path) as other:
        begun, used = time.perf_counter(), thread_milliseconds(server.pid)
        found = server.call("memory_recall", query=questions[0], **named)
        figures = {
            "open_s": time.perf_counter() - begun,
            "open_cpu_s": (thread_milliseconds(server.pid) - used) / 1000,
        }
        while found.get("skipped"):
            time.sleep(_BETWEEN_SECONDS)
            found = server.call("memory_recall", query=questions[0], **named)
        asked = _asked(server, questions, named)
        figures |= percentiles("mcp_cpu", asked.cpu) | percentiles("mcp_wall", asked.wall)
        return {**figures, **_fresh(server, other), "private_mb": private_megabytes(server.pid)}


def _asked(server: Client, questions: Sequence[str], named: dict[str, Any]) -> Timer:
    timer = Timer()
    for question in questions:
        wall, cpu = time.perf_counter(), thread_milliseconds(server.pid)
        server.call("memory_recall", query=question, **named)
        timer.wall.append(1000 * (time.perf_counter() - wall))
        timer.cpu.append(thread_milliseconds(server.pid) - cpu)
    return timer


def _fresh(server: Client, other: Client) -> dict[str, float]:
    """What a recall finds, and costs, right after another process has written."""
    seen, spent = 0, []
    for number in range(_WRITES):
        kept = other.call("memory_store", content=f"The password of the {number}th gate is kestrel{number}.")
        cpu = thread_milliseconds(server.pid)
        found = server.call("memory_recall", query=f"kestrel{number}")
        spent.append(thread_milliseconds(server.pid) - cpu)
        seen += kept["handle"] in [hit["handle"] for hit in found["hits"]]
    return {"fresh.share": seen / _WRITES, "fresh_cpu_p95": percentiles("x", spent)["x_p95"]}
