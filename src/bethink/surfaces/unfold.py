"""Arguments as a model sends them: `filter` and `options` opened into what they stand for, its own defaults set."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from bethink.coerce import not_json
from bethink.errors import InvalidRequest
from bethink.operation import Operation

from .schemas import fold_of, for_models


def unfold(operation: Operation, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return `arguments` flat: members of a folded object may be given in it, as JSON text, or beside it.

    What is absent and has a default of its own for models has that.
    Names are not judged here: `Operation.call` refuses an unknown one with the nearest that exists.
    """
    folds, defaults = _folds_and_defaults(operation)
    flat = {name: value for name, value in arguments.items() if name not in folds}
    for into in sorted(folds & arguments.keys()):
        for name, value in members(into, arguments[into]).items():
            if name in flat and flat[name] != value:
                raise _twice(operation, name, into)
            flat[name] = value
    return flat | {name: own for name, own in defaults.items() if flat.get(name) is None}


@cache
def _folds_and_defaults(operation: Operation) -> tuple[frozenset[str], Mapping[str, Any]]:
    """The objects that parameters are folded into, and the defaults that some have for models alone."""
    names = operation.params.model_fields
    folds = {into for name in names if (into := fold_of(operation, name))}
    defaults = {name: own for name in names if (own := for_models(operation, name)) is not None}
    return frozenset(folds), defaults


def _twice(operation: Operation, name: str, into: str) -> InvalidRequest:
    home = fold_of(operation, name) if name in operation.params.model_fields else None
    where = f"inside {home!r}" if home else f"beside {into!r}"
    return InvalidRequest(f"{name!r} is given twice, differently", hint=f"Give it once, {where}.")


def members(into: str, given: object) -> Mapping[str, Any]:
    """Return the members of an object that may be given as JSON text, or be absent."""
    read = _read(into, given) if isinstance(given, str) else given
    if read is None:
        return {}
    if not isinstance(read, Mapping):
        raise InvalidRequest(f"{into}: expected an object", hint=f'Write {into} as {{"name": value}}.')
    return read


def _read(into: str, text: str) -> object:
    if not text.strip():
        return None
    try:
        return json.loads(text, strict=False)  # a control character is for `clean` to take out, and to say so
    except (ValueError, RecursionError) as wrong:
        if text.lstrip().startswith("{"):
            raise not_json(into, text) from wrong
        return text
