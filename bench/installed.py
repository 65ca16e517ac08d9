"""Packages of others in environments of their own, with Bethink's embedding model where they look for theirs."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import venv
from pathlib import Path
from typing import Final

from bethink.models import minilm

_MODEL: Final = Path(minilm.__file__).parent / "minilm"
_PYTHONS: Final = (sys.executable, "/usr/bin/python3", "python3.14", "python3.13", "python3.12", "python3.11")
_EXTENDABLE: Final = "import sqlite3; sqlite3.Connection.enable_load_extension"
_TOKENIZER: Final = {"model_max_length": 256, "pad_token": "[PAD]", "tokenizer_class": "BertTokenizer"}
_SPECIAL: Final = {"unk_token": "[UNK]", "sep_token": "[SEP]", "pad_token": "[PAD]", "cls_token": "[CLS]"}


class NotInstalled(Exception):
    """A package cannot be had here; the message says why."""


def installed(package: str, folder: Path, *, extendable: bool = False) -> Path:
    """Return the folder of a package's commands, installing it into `folder` the first time.

    `extendable`: with a Python whose SQLite can load extensions.
    """
    commands = folder / ("Scripts" if sys.platform == "win32" else "bin")
    done = folder / "installed.txt"
    if done.exists() and done.read_text(encoding="utf-8") == package:
        return commands
    _environment(folder, _extendable() if extendable else sys.executable)
    pip = [sys.executable, "-m", "pip", "--python", str(folder), "install", "--quiet", package]
    ended = subprocess.run(pip, capture_output=True, text=True, check=False)  # noqa: S603  # a benchmark's own words
    if ended.returncode:
        raise NotInstalled(f"pip could not install {package}: {(ended.stderr.strip() or 'no reason given')[-300:]}")
    done.write_text(package, encoding="utf-8")
    return commands


def lay_model(folder: Path) -> None:
    """Write the embedded model into `folder` in the form that its publishers gave it: three inputs, token vectors."""
    import onnx

    if (folder / "model.onnx").exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    model = onnx.load(_MODEL / "model.onnx")
    segments = onnx.ValueInfoProto()
    segments.CopyFrom(model.graph.input[0])
    segments.name = "token_type_ids"
    model.graph.input.append(segments)
    del model.graph.output[1:]
    shutil.copyfile(_MODEL / "tokenizer.json", folder / "tokenizer.json")
    words = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))["model"]["vocab"]
    (folder / "vocab.txt").write_text("\n".join(sorted(words, key=lambda word: int(words[word]))), encoding="utf-8")
    for name, what in (
        ("config", {"pad_token_id": 0}),
        ("tokenizer_config", _TOKENIZER),
        ("special_tokens_map", _SPECIAL),
    ):
        (folder / f"{name}.json").write_text(json.dumps(what), encoding="utf-8")
    onnx.save(model, folder / "model.onnx")


def _environment(folder: Path, python: str) -> None:
    if python == sys.executable:
        venv.create(folder, with_pip=False, clear=True)
        return
    subprocess.run([python, "-m", "venv", "--without-pip", "--clear", str(folder)], check=True)  # noqa: S603  # as above


def _extendable() -> str:
    for python in _PYTHONS:
        found = shutil.which(python)
        if found and not subprocess.run([found, "-c", _EXTENDABLE], capture_output=True, check=False).returncode:  # noqa: S603  # as above
            return found
    raise NotInstalled("no Python here has an SQLite that can load extensions")
