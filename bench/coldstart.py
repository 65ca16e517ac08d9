"""How soon a fresh server process answers over MCP, and what it holds in memory when it idles.

Each start is a real `python -m bethink` with the embedded model, asked in raw JSON-RPC lines: the handshake, the list
of tools, a recall at once, then recalls until one has used the meaning too. One start before the measured ones brings
the files into the system's cache. How long a process takes that only imports the MCP SDK stands beside: it tells a slow
machine from a slow program.
"""

from __future__ import annotations

import asyncio
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from bethink.models.minilm import MiniLm

from .bed import fill, opened
from .measure import private_megabytes, processor_seconds
from .pipe import Client
from .progress import steps

_STARTS: Final = 5
_MEMORIES: Final = 200
_IDLE_SECONDS: Final = 3.0
_BETWEEN_SECONDS: Final = 0.02
_QUESTION: Final = "why is the storage of invoices the way it is?"


@dataclass(frozen=True, slots=True)
class Start:
    """Seconds from a process's start to three answers, its processor time to the first, its own megabytes later.

    And the seconds of a process that imports the SDK and ends.
    """

    tools_list_s: float
    tools_list_cpu_s: float
    first_recall_s: float
    first_meaning_s: float
    rss_mb: float
    sdk_import_s: float


def run(data: Path, *, sample: int | None = None, seed: int = 0) -> dict[str, Any]:
    """Return the medians of `sample` starts on a store of 200 memories, their best, and the medians on an empty one."""
    del data, seed
    count = sample or _STARTS
    with tempfile.TemporaryDirectory() as folder:
        filled, empty = Path(folder) / "filled" / "memories.db", Path(folder) / "empty" / "memories.db"
        for path in (filled, empty):
            path.parent.mkdir()
        asyncio.run(_fill(filled))
        _start(filled)
        starts = [_start(filled) for _ in steps(range(count), "coldstart, 200 memories")]
        bare = [_start(empty) for _ in steps(range(count), "coldstart, empty")]
    return {
        **_over(statistics.median, starts),
        "best": _over(min, starts),
        "empty": _over(statistics.median, bare),
        "memories": _MEMORIES,
        "starts": count,
    }


def _over(of: Any, starts: Sequence[Start]) -> dict[str, float]:  # a function of a list of numbers
    return {name: of([asdict(start)[name] for start in starts]) for name in asdict(starts[0])}


def _start(db: Path) -> Start:
    sdk = _sdk_import()
    with Client(db) as client:
        client.ask("tools/list")
        listed, used = time.perf_counter(), processor_seconds(client.pid)
        found = client.call("memory_recall", query=_QUESTION)
        recalled = time.perf_counter()
        while found.get("skipped"):
            time.sleep(_BETWEEN_SECONDS)
            found = client.call("memory_recall", query=_QUESTION)
        meant = time.perf_counter()
        time.sleep(_IDLE_SECONDS)
        since, private = client.started, private_megabytes(client.pid)
        return Start(listed - since, used, recalled - since, meant - since, private, sdk)


def _sdk_import() -> float:
    begun = time.perf_counter()
    subprocess.run([sys.executable, "-c", "import mcp.server.lowlevel"], check=True)
    return time.perf_counter() - begun


async def _fill(path: Path) -> None:
    async with opened(path, MiniLm()) as memory:
        await fill(memory, ({"content": _text(number)} for number in range(_MEMORIES)))


def _text(number: int) -> str:
    what = ("storage", "format", "numbering", "export", "archive")[number % 5]
    whose = ("invoices", "orders", "customers", "reports", "contracts", "messages", "backups", "logs")[number % 8]
    why = ("the law asks for it", "it was the cheapest", "an audit found a gap", "a customer wished it")[number % 4]
    return f"Decision {number}: the {what} of {whose} stays as it is until version {number // 10 + 2}, because {why}."
