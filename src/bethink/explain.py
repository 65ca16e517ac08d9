"""What is wrong with arguments, in words that a caller can act on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, get_args

from pydantic import BaseModel, ValidationError

from .coerce import members, nearest, unknown
from .errors import InvalidRequest, TooLarge

_LONGEST_SHOWN: Final = 80
_MOST_BITS_SHOWN: Final = 64
_IS_NOT: Final = {
    "string_type": "it is not a text",
    "int_type": "it is not a whole number",
    "int_parsing": "it is not a whole number",
    "int_from_float": "it is not a whole number",
    "float_type": "it is not a number",
    "float_parsing": "it is not a number",
    "finite_number": "it is not a finite number",
    "bool_type": "it is neither true nor false",
    "bool_parsing": "it is neither true nor false",
    "list_type": "it is not a list",
    "tuple_type": "it is not a list",
    "iterable_type": "it is not a list",
    "dict_type": "it is not an object",
    "model_type": "it is not an object",
    "model_attributes_type": "it is not an object",
}
_BRANCHES: Final = frozenset({"str", "int", "float", "bool", "none"})

Path = Sequence[str | int]


def explain(wrong: ValidationError, model: type[BaseModel]) -> InvalidRequest:
    """Return the first thing that is wrong with arguments of `model`; a wrong name counts before what it leaves out."""
    errors = wrong.errors(include_url=False)
    first: Mapping[str, Any] = next((e for e in errors if e["type"] == "extra_forbidden"), errors[0])
    more = len(errors) - 1
    also = f" ({more} more problem{'s' if more > 1 else ''})" if more else ""
    path: Path = [part for part in first["loc"] if not _is_branch(part)]
    field = _named(path)
    match first["type"]:
        case "extra_forbidden":
            return _unknown(path, model, also)
        case "missing":
            return InvalidRequest(f"{field} is required{also}", hint=f"Give {field!r}.")
        case "string_too_long" | "too_long":
            return _too_large(field, first, also)
    said, hint = _told(first)
    return InvalidRequest(f"{field}: {said}{also}", hint=hint or f"Correct {field!r} and call again.")


def _is_branch(part: str | int) -> bool:
    return isinstance(part, str) and ("[" in part or part in _BRANCHES)


def _named(path: Path) -> str:
    return ".".join(map(str, path)) or "arguments"


def _unknown(path: Path, model: type[BaseModel], also: str) -> InvalidRequest:
    *above, last = path
    known = _names_at(above, model)
    if not above:
        return unknown(str(last), known)
    return InvalidRequest(f"{_named(above)}: {last!r} is not a part of it{also}", hint=nearest(str(last), known))


def _names_at(path: Path, model: type[BaseModel]) -> list[str]:
    """Return the names that the object at `path` may hold."""
    at: list[Any] = [model]
    for part in path:
        at = [inner for annotation in at for inner in _inside(annotation, part)]
    return [name for found in at if _is_model(found) for name in found.model_fields]


def _inside(annotation: Any, part: str | int) -> list[Any]:
    if _is_model(annotation):
        field = annotation.model_fields.get(part)
        return members(field.annotation) if field else []
    return [inner for argument in get_args(annotation) for inner in members(argument)]


def _is_model(annotation: Any) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, BaseModel)


def _too_large(field: str, first: Mapping[str, Any], also: str) -> TooLarge:
    context = first["ctx"]
    size, limit = context.get("actual_length") or len(first["input"]), context["max_length"]
    hint = "Shorten it or split it." if first["type"] == "string_too_long" else f"Give at most {limit:,}."
    return TooLarge(f"{field}: {size:,} is over the limit of {limit:,}{also}", hint=hint)


def _told(first: Mapping[str, Any]) -> tuple[str, str]:
    """Return what is wrong with a value, and where there is more to say than to correct it, what to do."""
    kind, context, shown = str(first["type"]), first.get("ctx", {}), _shown(first["input"])
    match kind:
        case "enum" | "literal_error":
            return f"{shown} is not accepted", f"Use {context['expected']}."
        case "less_than_equal" | "greater_than_equal":
            return _out_of_bounds(shown.strip("'"), **context)  # a number may have come as text
        case "string_pattern_mismatch":
            return f"{shown} is not of the form {context['pattern']}", ""
        case "string_too_short" | "too_short":
            return _too_short(context["min_length"], "characters" if kind == "string_too_short" else "values")
        case _ if kind.startswith("datetime"):
            return f"{shown} is not a time", "Write it as 2024-05-01T12:00:00Z."
    message = str(first["msg"]).removeprefix("Value error, ")
    return _IS_NOT.get(kind, message[:1].lower() + message[1:]), ""


def _out_of_bounds(shown: str, *, le: float | None = None, ge: float | None = None) -> tuple[str, str]:
    if shown == "nan":
        return "nan is not a number", "Give a number."
    bound = f"{ge if le is None else le:,}".removesuffix(".0")
    if le is None:
        return f"{shown} is less than {bound}", f"Give {bound} or more."
    return f"{shown} is more than {bound}", f"Give {bound} or less."


def _too_short(least: int, what: str) -> tuple[str, str]:
    return ("it is empty", "") if least == 1 else (f"it has fewer than {least} {what}", "")


def _shown(value: object) -> str:
    """Return a value as it was given, unless it is too large to be shown."""
    if isinstance(value, int) and value.bit_length() > _MOST_BITS_SHOWN:
        return "it"
    text = repr(value) if isinstance(value, str | int | float) else "it"
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}…"
