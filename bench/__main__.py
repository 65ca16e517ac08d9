"""`python -m bench NAME`: run a benchmark, for people as a table, with --json for programs."""

from __future__ import annotations

import argparse
import json
import os
import shlex
import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import Final

from .catalogue import BENCHES, QUICK, Bench, Figures
from .circumstances import Circumstances, begin
from .data import Missing, need
from .record import record
from .report import Table, show, tables

_DATA: Final = Path(__file__).parent / "data"
_INVALID: Final = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what is asked for and return the exit code."""
    asked = _parser().parse_args(arguments)
    data = Path(asked.data or os.environ.get("BETHINK_BENCH_DATA") or _DATA)
    if asked.name is None:
        _list(as_json=asked.json)
        return 0
    if asked.name == "quick":
        return _quick(data, asked)
    try:
        figures = _figures(BENCHES[asked.name], data, asked, sample=asked.sample)
    except Missing as missing:
        print(missing, file=sys.stderr)
        return _INVALID
    if asked.json:
        print(json.dumps(figures))
    return 0


def _quick(data: Path, asked: argparse.Namespace) -> int:
    """Run the quick set; a benchmark without its data is named and left out."""
    found: Figures = {}
    for name, sample in QUICK.items():
        try:
            found[name] = _figures(BENCHES[name], data, asked, sample=sample)
        except Missing as missing:
            print(f"{name} is left out: {missing}\n", file=sys.stderr)
    if asked.json:
        print(json.dumps(found))
    return 0


def _figures(bench: Bench, data: Path, asked: argparse.Namespace, *, sample: int | None) -> Figures:
    """Run a benchmark, show it unless a program asks, record it if that is wanted; return figures and circumstances."""
    files = [path for name in bench.files for path in need(data, name)]
    begun = begin()
    with redirect_stdout(sys.stderr):
        figures = bench.run(data, sample=sample, seed=asked.seed)
    of = begun.ended(_command(bench, sample, asked.seed), files, data)
    found = tables(bench.name, figures)
    if not asked.json:
        _show(bench, found, of)
    if asked.record:
        record(bench.name, found, of)
    return {**figures, "run": of.as_json()}


def _show(bench: Bench, found: Sequence[Table], of: Circumstances) -> None:
    print(f"{bench.name}: {bench.measures}")
    print(f"{of.machine}; load {of.load_before:.1f} before, {of.load_after:.1f} after; {of.seconds:.0f} s")
    show(found)


def _command(bench: Bench, sample: int | None, seed: int) -> str:
    """Return the command that repeats a run; where the data lies is the reader's own."""
    words = ["python", "-m", "bench", bench.name]
    words += ["--sample", str(sample)] if sample is not None else []
    words += ["--seed", str(seed)] if seed else []
    return shlex.join(words)


def _list(*, as_json: bool) -> None:
    if as_json:
        print(json.dumps({name: bench.measures for name, bench in BENCHES.items()}))
        return
    for name, bench in BENCHES.items():
        print(f"{name:12} {bench.measures} (--sample counts {bench.sample})")
    parts = (name if sample is None else f"{name} --sample {sample}" for name, sample in QUICK.items())
    print(f"{'quick':12} what `make bench` runs: {', '.join(parts)}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m bench", description="Measure quality and speed; without NAME, list.")
    parser.add_argument("name", nargs="?", choices=[*BENCHES, "quick"], metavar="NAME")
    parser.add_argument("--data", help="folder of the data (default: BETHINK_BENCH_DATA, else bench/data)")
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    parser.add_argument("--sample", type=_count, metavar="N", help="measure a part: what N counts is in the list")
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="which sample (default: 0)")
    parser.add_argument("--record", action="store_true", help="put the run into bench/RESULTS.md")
    return parser


def _count(text: str) -> int:
    count = int(text)
    if count < 1:
        raise argparse.ArgumentTypeError("at least 1")
    return count


if __name__ == "__main__":
    sys.exit(main())
