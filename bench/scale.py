"""Cost against size: what `latency` measures, at more sizes, drawn as PNG and SVG.

`--sample 1000000` goes up to a million memories, which takes an hour. The drawings go into `bench/plots`, or the folder
that BETHINK_BENCH_PLOTS names.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from . import latency
from .data import Missing

SIZES: Final = (1_000, 3_000, 10_000, 30_000, 100_000, 1_000_000)
_MOST_BY_DEFAULT: Final = 100_000
_COSTS: Final = {
    "cpu_p95": "recall",
    "cpu_p50": "recall, p50",
    "filtered_cpu_p95": "recall in four namespaces of 1% and a date",
    "tagged_cpu_p95": "recall of a tag of 10%",
    "alone_cpu_p95": "keyword and vector stage alone",
    "store_cpu_p95": "store",
    "mcp_cpu_p95": "recall over MCP, embedding included",
}
_SPACES: Final = {"private_mb": "private memory of a server, MB", "file_mb": "file, MB"}
_OPENING: Final = {"open_cpu_s": "first recall of a server, s of processor time"}


def run(data: Path, *, sample: int | None = None, seed: int = 0) -> dict[str, Any]:
    """Return the figures of `latency` at each size up to `sample` memories, and draw them."""
    _pyplot()
    sizes = [size for size in SIZES if size <= (sample or _MOST_BY_DEFAULT)] or [sample or 0]
    figures = asyncio.run(latency.measured(data, sizes, seed))
    draw(figures, folder())
    return figures


def folder() -> Path:
    """Return where drawings go."""
    return Path(os.environ.get("BETHINK_BENCH_PLOTS") or Path(__file__).parent / "plots")


def draw(figures: Mapping[str, Mapping[str, float]], into: Path) -> list[Path]:
    """Draw cost and room against size, both on logarithmic scales, as `scale.png` and `scale.svg`."""
    pyplot = _pyplot()
    drawing, (cost, room) = pyplot.subplots(1, 2, figsize=(12, 5), layout="constrained")
    sizes = [int(size) for size in figures]
    _lines(cost, figures, _COSTS)
    _lines(room, figures, _SPACES | _OPENING)
    cost.set(title="processor time of a call (p95 where nothing is said)", ylabel="ms")
    room.set(title="room, and the first recall", ylabel="MB or s")
    for axes in (cost, room):
        axes.set(xlabel="memories", xscale="log", yscale="log", xlim=(min(sizes) * 0.9, max(sizes) * 1.1))
        axes.grid(visible=True, which="both", alpha=0.3)
        axes.legend()
    into.mkdir(parents=True, exist_ok=True)
    drawn = [into / f"scale.{form}" for form in ("png", "svg")]
    for path in drawn:
        drawing.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)
    pyplot.close(drawing)
    return drawn


def _lines(axes: Any, figures: Mapping[str, Mapping[str, float]], named: Mapping[str, str]) -> None:
    for key, name in named.items():
        points: Sequence[tuple[int, float]] = [(int(s), f[key]) for s, f in figures.items() if f.get(key)]
        axes.plot(*zip(*points, strict=True), marker="o", label=name) if points else None


def _pyplot() -> Any:
    try:
        import matplotlib as mpl
    except ImportError as wrong:
        raise Missing("matplotlib is missing, which draws the plot: it is in requirements/dev.lock.") from wrong
    mpl.use("agg")
    mpl.rcParams["svg.hashsalt"] = "scale"  # else each drawing differs from the one before
    from matplotlib import pyplot as plt

    return plt
