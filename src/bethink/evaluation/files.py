"""Golden sets and runs as files: read whole and checked before anything is done, written whole or not at all."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Final, TypeVar

from pydantic import BaseModel, ValidationError

from bethink.domain import Value
from bethink.errors import Conflict, InvalidRequest, NotFound
from bethink.explain import explain

from .golden import Golden
from .metrics import Outcome

M = TypeVar("M", bound=BaseModel)

RUN: Final = "bethink-eval-1"


class Run(Value):
    """A run as it is saved: enough to compare another with it, question by question."""

    format: str
    bethink: str
    embedder: str
    reranker: str | None = None
    at: str
    figures: dict[str, float]
    outcomes: tuple[Outcome, ...]


def read_golden(path: Path) -> Golden:
    """Return the golden questions of a file: an object with `questions`, or a list of them."""
    told = _json(path)
    return _read(Golden, {"questions": told} if isinstance(told, list) else told, path)


def read_run(path: Path) -> Run:
    """Return a saved run."""
    told = _json(path)
    if not isinstance(told, dict) or told.get("format") != RUN:
        raise InvalidRequest(f"{path} is not a saved run", hint="Give a file that `bethink eval --save` wrote.")
    return _read(Run, told, path)


def check_new(path: Path, *, replaces: str | None = None) -> None:
    """Refuse a path that cannot be written, or that holds something else than a file of this format."""
    if not path.absolute().parent.is_dir():
        raise NotFound(f"there is no folder {path.absolute().parent}", hint="Make it first, or name another.")
    if not path.exists():
        return
    if replaces is None or path.is_dir():
        raise Conflict(f"{path} exists already", hint="Remove it, or name another file.")
    if not _is(path, replaces):
        raise Conflict(f"{path} holds something else than a saved run", hint="Remove it, or name another file.")


def write(path: Path, told: BaseModel) -> None:
    """Write a value as JSON; what was there stays until all of it is written."""
    text = json.dumps(told.model_dump(mode="json", exclude_defaults=True), ensure_ascii=False, indent=1)
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        beside.write_text(text + "\n", encoding="utf-8")
        beside.replace(path)
    except OSError as wrong:
        beside.unlink(missing_ok=True)
        raise InvalidRequest(f"{path} cannot be written: {wrong.strerror}", hint="Name another file.") from wrong


def _is(path: Path, format_: str) -> bool:
    try:
        told = _json(path)
    except (InvalidRequest, NotFound):
        return False
    return isinstance(told, dict) and told.get("format") == format_


def _json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        raise NotFound(f"there is no file {path}", hint="Check its name.") from None
    except (OSError, UnicodeDecodeError) as wrong:
        raise InvalidRequest(f"{path} cannot be read: {wrong}", hint="Give a JSON file in UTF-8.") from wrong
    except ValueError as wrong:
        raise InvalidRequest(f"{path} is not JSON: {wrong}", hint="Correct it; nothing was asked.") from wrong


def _read(model: type[M], told: object, path: Path) -> M:
    if not isinstance(told, dict):
        raise InvalidRequest(f"{path} holds neither questions nor a list of them", hint='Write {"questions": [...]}.')
    try:
        return model.model_validate(told)
    except ValidationError as wrong:
        error = explain(wrong, model)
        raise type(error)(f"{path}: {error}", hint=error.hint) from None
