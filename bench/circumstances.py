"""What a figure means nothing without: command, commit, date, machine, load, data."""

from __future__ import annotations

import hashlib
import os
import platform
import sqlite3
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from .measure import load

_HERE: Final = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Circumstances:
    """Where and when figures were taken, and of what."""

    command: str
    commit: str
    date: str
    machine: str
    load_before: float
    load_after: float
    seconds: float
    data: Mapping[str, str]

    def as_json(self) -> dict[str, Any]:
        """Return it for the JSON object."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Begun:
    """A run that has begun."""

    at: datetime
    load: float

    def ended(self, command: str, files: Iterable[Path], data: Path) -> Circumstances:
        """Return the circumstances of the run that ends now."""
        return Circumstances(
            command=command,
            commit=commit(),
            date=self.at.strftime("%Y-%m-%d %H:%M UTC"),
            machine=machine(),
            load_before=self.load,
            load_after=load(),
            seconds=(datetime.now(UTC) - self.at).total_seconds(),
            data={path.relative_to(data).as_posix(): digest(path) for path in files},
        )


def begin() -> Begun:
    """Note the time and the load."""
    return Begun(datetime.now(UTC), load())


def commit() -> str:
    """Return the commit of this checkout, marked when files have changed since; 'unknown' outside one."""
    asked = ["git", "describe", "--always", "--dirty", "--abbrev=10", "--exclude=*"]
    try:
        found = subprocess.run(asked, cwd=_HERE, capture_output=True, text=True, check=True)  # noqa: S603  # fixed words
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return found.stdout.strip()


def machine() -> str:
    """Return the processor, its cores, and the versions that figures depend on."""
    python = f"{platform.python_implementation()} {platform.python_version()}"
    return f"{_processor()}, {os.cpu_count()} cores, {python}, SQLite {sqlite3.sqlite_version}"


def digest(path: Path) -> str:
    """Return the SHA-256 of a file, as hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.processor() or platform.machine())
