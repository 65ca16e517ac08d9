"""Arguments as models send them, made what was meant where that is unambiguous, and errors that say what to do."""

from __future__ import annotations

import difflib
import json
import types
import typing
from collections.abc import Mapping, Sequence
from typing import Any, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from .errors import InvalidRequest, TooLarge
from .text.clean import DEEPEST

_TOO_LARGE = frozenset({"string_too_long", "too_long"})


def plain(value: Any, depth: int = 0) -> Any:
    """Return `value` with models turned into the dictionaries that were given, down to where `clean` refuses it."""
    if isinstance(value, BaseModel):
        return value.model_dump(exclude_unset=True)
    if depth > DEEPEST:
        return value
    if isinstance(value, Mapping):
        return {key: plain(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item, depth + 1) for item in value]
    return value


def coerce(arguments: dict[str, Any], model: type[BaseModel], shown: Sequence[str]) -> dict[str, Any]:
    """Refuse unknown names; read JSON in strings, comma lists, scalars for arrays, null for absent."""
    for name in arguments:
        if name not in shown:
            raise unknown(str(name), shown)
    fields = model.model_fields
    read = {name: _read(name, value, fields[name]) for name, value in arguments.items()}
    return {n: v for n, v in read.items() if v is not None or _takes_none(fields[n].annotation)}


def unknown(name: str, known: Sequence[str]) -> InvalidRequest:
    """Return the error for a parameter that does not exist, with the nearest one that does."""
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    hint = f"Did you mean {near[0]!r}? " if near else ""
    return InvalidRequest(f"{name!r} is not a parameter", hint=f"{hint}Accepted: {', '.join(known)}.")


def not_json(name: str, text: str) -> InvalidRequest:
    """Return the error for a text that was to be JSON and is broken."""
    return InvalidRequest(f"{name}: {text[:80]!r} is not JSON", hint="Check its quotes and brackets.")


def explain(wrong: ValidationError) -> InvalidRequest:
    """Return the first thing that is wrong as an error a model can act on."""
    first = wrong.errors(include_url=False)[0]
    field = ".".join(str(part) for part in first["loc"] if not _is_branch(part)) or "arguments"
    context = first.get("ctx", {})
    more = wrong.error_count() - 1
    also = f" ({more} more problem{'s' if more > 1 else ''})" if more else ""
    if first["type"] in _TOO_LARGE:
        size = context.get("actual_length") or len(first["input"])
        limit = context["max_length"]
        return TooLarge(f"{field}: {size:,} is over the limit of {limit:,}{also}", hint="Shorten it or split it.")
    if first["type"] == "missing":
        return InvalidRequest(f"{field} is required{also}", hint=f"Give {field!r}.")
    message = str(first["msg"]).removeprefix("Value error, ")
    return InvalidRequest(
        f"{field}: {message[0].lower()}{message[1:]}{also}", hint=f"Correct {field!r} and call again."
    )


def _is_branch(part: str | int) -> bool:
    return isinstance(part, str) and ("[" in part or part in {"str", "int", "float", "bool", "none"})


def _read(name: str, value: Any, field: FieldInfo) -> Any:
    if isinstance(value, bool) and _is_number(field.annotation):  # Python would count it as 1 or 0
        raise InvalidRequest(f"{name}: {str(value).lower()} is not a number", hint=f"Correct {name!r} and call again.")
    if not isinstance(value, str):
        return [value] if _is_list(field.annotation) and isinstance(value, int | float | Mapping) else value
    if _is_list(field.annotation):
        return _read_list(name, value)
    if _is_object(field.annotation):
        return _read_json(value, value)
    return None if value == "null" and not _takes_text(field.annotation) else value


def _read_list(name: str, text: str) -> Any:
    if text.lstrip().startswith(("[", "{", '"')):
        found = _read_json(text, None)
        if found is not None:
            return found if isinstance(found, list) else [found]
        if text.lstrip().startswith("["):
            raise InvalidRequest(f"{name}: {text[:80]!r} is not JSON", hint=f'Write {name} as ["one", "two"].')
    return [part.strip() for part in text.split(",") if part.strip()]


def _read_json(text: str, otherwise: Any) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return otherwise


def _members(annotation: Any) -> list[Any]:
    origin = get_origin(annotation)
    if origin is typing.Annotated:
        return _members(get_args(annotation)[0])
    if origin in (Union, types.UnionType):
        return [member for arg in get_args(annotation) for member in _members(arg)]
    return [annotation]


def _is_list(annotation: Any) -> bool:
    return any((get_origin(m) or m) in (list, tuple, set, frozenset) for m in _members(annotation))


def _is_number(annotation: Any) -> bool:
    return any(m in (int, float) for m in _members(annotation))


def _is_object(annotation: Any) -> bool:
    return any(
        (get_origin(m) or m) is dict or (isinstance(m, type) and issubclass(m, BaseModel)) for m in _members(annotation)
    )


def _takes_text(annotation: Any) -> bool:
    return any(m is str for m in _members(annotation))


def _takes_none(annotation: Any) -> bool:
    return any(m is type(None) for m in _members(annotation))
