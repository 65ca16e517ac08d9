"""Arguments as a model sends them: `filter` and `options` opened into what they stand for, its own defaults set."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from bethink.errors import InvalidRequest
from bethink.operation import Operation

from .schemas import fold_of, for_models


def unfold(operation: Operation, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return `arguments` flat: members of a folded object may be given in it, as JSON text, or beside it.

    What is absent and has a default of its own for models has that.
    Names are not judged here: `Operation.call` refuses an unknown one with the nearest that exists.
    """
    folds = {into for name in operation.params.model_fields if (into := fold_of(operation, name))}
    flat = {name: value for name, value in arguments.items() if name not in folds}
    for into in sorted(folds & arguments.keys()):
        for name, value in _members(into, arguments[into]).items():
            if name in flat and flat[name] != value:
                raise InvalidRequest(f"{name!r} is given twice, differently", hint=f"Give it once, inside {into!r}.")
            flat[name] = value
    defaults = {name: own for name in operation.params.model_fields if (own := for_models(operation, name)) is not None}
    return flat | {name: own for name, own in defaults.items() if flat.get(name) is None}


def _members(into: str, given: object) -> Mapping[str, Any]:
    members = _read(given) if isinstance(given, str) else given
    if members is None:
        return {}
    if not isinstance(members, Mapping):
        raise InvalidRequest(f"{into}: expected an object", hint=f'Write {into} as {{"name": value}}.')
    return members


def _read(text: str) -> object:
    if not text.strip():
        return None
    try:
        return json.loads(text, strict=False)  # a control character is for `clean` to take out, and to say so
    except (ValueError, RecursionError):
        return text
