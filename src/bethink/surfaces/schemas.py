"""What MCP shows of an operation: schemas that every client takes, short enough for a model to be given them all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema

from bethink.operation import Operation
from bethink.principal import Principal
from bethink.vocabulary import UNSERVED_FILTERS, UNSET, Fold, ForModels, marks

Schema = dict[str, Any]

_PLAIN: Final = TypeAdapter(Any)

_PROSE: Final = {"filter": "Any of", "options": "Rarely needed"}
_KEPT: Final = ("type", "enum", "minimum", "maximum", "const")
_TYPE_WORDS: Final = {"array": "list", "object": "object", "boolean": "bool", "integer": "int"}
_MOST_LISTED: Final = 12
_FAR: Final = 100_000  # a bound that no model comes near


class _Schema(GenerateJsonSchema):
    """Pydantic's schemas, in less time."""

    def encode_default(self, dft: Any) -> Any:
        """Return a default as it is: a serializer made for each would take a third of the time."""
        return _PLAIN.dump_python(dft, mode="json")


def input_schema(operation: Operation, principal: Principal) -> Schema:
    """Return the schema of the arguments as `principal` may give them, rare ones folded into `filter` and `options`."""
    whole = operation.params.model_json_schema(schema_generator=_Schema)
    shown = operation.shown_params(principal)
    flat: dict[str, Schema] = {}
    folded: dict[str, dict[str, Schema]] = {}
    for name in shown:
        part = _parameter(operation, name, whole)
        into = fold_of(operation, name)
        if into is None:
            flat[name] = part
        elif name not in UNSERVED_FILTERS:
            folded.setdefault(into, {})[name] = part
    objects = {into: _folded(into, members) for into, members in folded.items()}
    required = [name for name in whole.get("required", ()) if name in flat]
    schema: Schema = {"type": "object", "properties": flat | objects, "additionalProperties": False}
    return schema | ({"required": required} if required else {})


def output_schema(operation: Operation) -> Schema:
    """Return the schema of the structured result: its properties with their types, parts of parts left open.

    Nothing is required and nothing excluded, so that an error fits it too.
    """
    whole = operation.result.model_json_schema(schema_generator=_Schema, mode="serialization")
    properties = whole.get("properties", {}).items()
    return {"type": "object", "properties": {name: _shallow(_simple(part, whole)) for name, part in properties}}


def fold_of(operation: Operation, name: str) -> str | None:
    """Return the object that a parameter is shown inside, if it is."""
    found = marks(operation.params.model_fields[name])
    return next((mark.into for mark in found if isinstance(mark, Fold)), None)


def for_models(operation: Operation, name: str) -> Any:
    """Return the default that a parameter has on MCP alone, None where it has none of its own."""
    found = marks(operation.params.model_fields[name])
    return next((mark.default for mark in found if isinstance(mark, ForModels)), None)


def _parameter(operation: Operation, name: str, whole: Schema) -> Schema:
    part = whole["properties"][name]
    field = operation.params.model_fields[name]
    simple = _simple(part, whole)
    if not field.is_required() and field.default is not UNSET and field.default:
        simple["default"] = part["default"]
    if (own := for_models(operation, name)) is not None:
        simple["default"] = own
    return simple


def _folded(into: str, members: Mapping[str, Schema]) -> Schema:
    meant: dict[str, list[str]] = {}
    for name, part in members.items():
        meant.setdefault(_meaning(part), []).append(name)
    grammar = "; ".join(f"{', '.join(names)}{meaning}" for meaning, names in meant.items())
    return {"type": "object", "description": f"{_PROSE[into]}: {grammar}."}


def _meaning(part: Schema) -> str:
    words = part.get("description", "").rstrip(".")
    values = part.get("enum")
    if values and not all(value in words for value in values):
        return f" ({'|'.join(values)})"
    kind = "" if values else _TYPE_WORDS.get(part.get("type", ""), "")
    return (f" ({kind})" if kind else "") + (f": {words}" if words else "")


def _simple(part: Schema, whole: Schema) -> Schema:
    """Return `part` without references, titles, null branches, and bounds that only errors need to tell."""
    description = part.get("description")
    while "$ref" in part:
        part = whole["$defs"][part["$ref"].rpartition("/")[2]] | {k: v for k, v in part.items() if k != "$ref"}
    branches = [branch for branch in part.get("anyOf", ()) if branch.get("type") != "null"]
    if branches:
        return _joined([_simple(branch, whole) for branch in branches], description)
    simple: Schema = {key: part[key] for key in _KEPT if key in part}
    if simple.get("maximum", 0) > _FAR:
        del simple["maximum"]
    if simple.get("type") == "array":
        simple["items"] = _item(part, whole)
    if description is None and "enum" not in part and "properties" not in part:
        description = part.get("description")
    return simple | ({"description": description} if description else {})


def _item(part: Schema, whole: Schema) -> Schema:
    simple = _simple(part.get("items", {}), whole)
    left_out = {"description", "enum"} if len(simple.get("enum", ())) > _MOST_LISTED else {"description"}
    return {key: value for key, value in simple.items() if key not in left_out} or {"type": "string"}


def _joined(branches: list[Schema], description: str | None) -> Schema:
    if len(branches) == 1:
        return branches[0] | ({"description": description} if description else {})
    types = sorted({branch["type"] for branch in branches if "type" in branch})
    return {"type": types} | ({"description": description} if description else {})


def _shallow(part: Schema) -> Schema:
    kept = {key: part[key] for key in ("type", "enum") if key in part}
    return kept | ({"items": {}} if "items" in part else {})
