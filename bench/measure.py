"""Measuring on a shared machine: processor time beside wall time, percentiles, memory, the load."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np


@dataclass(slots=True)
class Timer:
    """Milliseconds of wall time and of the process's processor time, one entry a measured call."""

    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)

    @contextmanager
    def call(self) -> Iterator[None]:
        """Measure what runs inside."""
        wall, cpu = time.perf_counter(), time.process_time()
        yield
        self.wall.append(1000 * (time.perf_counter() - wall))
        self.cpu.append(1000 * (time.process_time() - cpu))


@contextmanager
def one_core() -> Iterator[None]:
    """Keep every thread to one core (Linux), so that no call is charged for memory that the other core has to fetch."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    cores = os.sched_getaffinity(0)
    _keep_to({max(cores)})
    try:
        yield
    finally:
        _keep_to(cores)


def _keep_to(cores: set[int]) -> None:
    for thread in Path("/proc/self/task").iterdir():
        with suppress(ProcessLookupError):  # it has ended
            os.sched_setaffinity(int(thread.name), cores)


def percentiles(name: str, values: Sequence[float]) -> dict[str, float]:
    """Return the 50th, 95th and 99th percentile of `values`, named `name_p50` and so on."""
    points = np.percentile(values, (50, 95, 99)) if len(values) else (0.0, 0.0, 0.0)
    return {f"{name}_p{p}": float(v) for p, v in zip((50, 95, 99), points, strict=True)}


def private_megabytes(process: int | str = "self") -> float:
    """Return the memory that belongs to a process alone (Linux; 0 elsewhere)."""
    rollup = Path(f"/proc/{process}/smaps_rollup")
    if not rollup.exists():
        return 0.0
    lines = rollup.read_text(encoding="ascii").splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("Private_")) / 1024


def processor_seconds(process: int) -> float:
    """Return the processor time that a process has used (Linux; 0 elsewhere)."""
    stat = Path(f"/proc/{process}/stat")
    if not stat.exists():
        return 0.0
    fields = stat.read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def thread_milliseconds(process: int) -> float:
    """Return the processor time of all running threads of a process, to the microsecond (Linux; 0 elsewhere)."""
    spent = 0
    for thread in Path(f"/proc/{process}/task").glob("*/schedstat"):
        with suppress(OSError):  # it has ended
            spent += int(thread.read_text(encoding="ascii").split()[0])
    return spent / 1e6


def load() -> float:
    """Return the machine's load average over the last minute."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
