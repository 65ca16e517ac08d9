"""Arguments as models send them, made what was meant where that is unambiguous."""

from __future__ import annotations

import difflib
import json
import types
import typing
from collections.abc import Mapping, Sequence
from typing import Any, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from .errors import InvalidRequest
from .text.clean import DEEPEST


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
    return InvalidRequest(f"{name!r} is not a parameter", hint=nearest(name, known))


def nearest(name: str, known: Sequence[str]) -> str:
    """Return the hint for a name that does not exist: the nearest that does, and all of them."""
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    return (f"Did you mean {near[0]!r}? " if near else "") + f"Accepted: {', '.join(known)}."


def not_json(name: str, text: str) -> InvalidRequest:
    """Return the error for a text that was to be JSON and is broken."""
    return InvalidRequest(f"{name}: {text[:80]!r} is not JSON", hint="Check its quotes and brackets.")


def members(annotation: Any) -> list[Any]:
    """Return what a value of an annotation may be, one by one."""
    origin = get_origin(annotation)
    if origin is typing.Annotated:
        return members(get_args(annotation)[0])
    if origin in (Union, types.UnionType):
        return [member for arg in get_args(annotation) for member in members(arg)]
    return [annotation]


def _read(name: str, value: Any, field: FieldInfo) -> Any:
    if isinstance(value, bool) and _is_number(field.annotation):  # Python would count it as 1 or 0
        raise InvalidRequest(f"{name}: {str(value).lower()} is not a number", hint=f"Correct {name!r} and call again.")
    if not isinstance(value, str):
        return [value] if _is_list(field.annotation) and isinstance(value, int | float | Mapping) else value
    if _is_list(field.annotation):
        return _read_list(name, value, field)
    if _is_object(field.annotation):
        return _read_object(name, value)
    return None if value == "null" and not _takes_text(field.annotation) else value


def _read_object(name: str, text: str) -> Any:
    read = _read_json(text, text)
    if read is text and text.lstrip().startswith("{"):
        raise not_json(name, text)
    return read


def _read_list(name: str, text: str, field: FieldInfo) -> Any:
    if text.lstrip().startswith(("[", "{", '"')):
        found = _read_json(text, None)
        if found is not None:
            return found if isinstance(found, list) else [found]
        if text.lstrip().startswith("{") and _holds_objects(field.annotation):
            raise not_json(name, text)
        if text.lstrip().startswith("["):
            raise InvalidRequest(f"{name}: {text[:80]!r} is not JSON", hint=f'Write {name} as ["one", "two"].')
    return [part.strip() for part in text.split(",") if part.strip()]


def _read_json(text: str, otherwise: Any) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return otherwise


def _is_list(annotation: Any) -> bool:
    return any((get_origin(m) or m) in (list, tuple, set, frozenset) for m in members(annotation))


def _is_number(annotation: Any) -> bool:
    return any(m in (int, float) for m in members(annotation))


def _is_object(annotation: Any) -> bool:
    return any(
        (get_origin(m) or m) is dict or (isinstance(m, type) and issubclass(m, BaseModel)) for m in members(annotation)
    )


def _holds_objects(annotation: Any) -> bool:
    return any(_is_object(item) for member in members(annotation) for item in get_args(member))


def _takes_text(annotation: Any) -> bool:
    return any(m is str for m in members(annotation))


def _takes_none(annotation: Any) -> bool:
    return any(m is type(None) for m in members(annotation))
