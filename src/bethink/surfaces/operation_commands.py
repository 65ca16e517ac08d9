"""A command for each operation, made from its declaration."""

from __future__ import annotations

import asyncio
import inspect
import json
import re
import sys
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from enum import Enum
from types import UnionType
from typing import Annotated, Any, Final, TypeVar, Union, get_args, get_origin

import click
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from bethink.app import open_app
from bethink.engine import Bethink
from bethink.errors import InvalidRequest, NotFound
from bethink.operation import Operation, operations
from bethink.settings import is_missing
from bethink.vocabulary import UNSET, marks

from .progress import Bar
from .session import Command, Session, as_typed, delivering, print_json, text_from_stdin

T = TypeVar("T")

_PIPED: Final = frozenset({"content", "query"})
_BY_TOOL: Final = {op.tool: f"`bethink {op.name}`" for op in operations(Bethink).values()}
# What a result says beside what became of the memories that were named.
_BESIDE: Final = frozenset({"missing", "skipped", "redacted"})
_MOST_CHOICES_SHOWN: Final = 8
JSON_OPTION: Final = "as_json"


def command(name: str) -> click.Command:
    """Return the command of the operation `name`."""
    operation = operations(Bethink)[name.replace("-", "_")]

    @click.pass_obj
    def run(session: Session, /, *, as_json: bool, **values: object) -> int:
        return _run(operation, session.answering(as_json=as_json), _arguments(operation, values))

    params = [_parameter(operation, name, field) for name, field in operation.params.model_fields.items()]
    if cleared := _clearable(operation):
        what = "Set this to nothing; can be repeated."
        params.append(click.Option(["--clear"], multiple=True, type=click.Choice(cleared), metavar="FIELD", help=what))
    params.append(json_option())
    return Command(name, params=params, callback=run, help=_help(operation), short_help=operation.title)


def json_option() -> click.Option:
    """Return the option that every command has."""
    return click.Option(["--json", JSON_OPTION], is_flag=True, help="Answer in JSON.")


def with_engine(session: Session, work: Callable[[Bethink], Awaitable[T]], *, creates: bool = True) -> T:
    """Open the store, do `work`, close the store; where the work creates nothing, a store that was named must exist."""
    settings = session.settings()
    if not creates and settings["db"] and is_missing(settings.db):
        origin = settings.values["db"].origin
        named_by = "--db" if origin == "flag" else origin
        raise NotFound(
            f"there is no store at {settings.db}", hint=f"Check {named_by}; the first store or import makes one."
        )

    async def opened() -> T:
        engine = open_app(settings, waits=True)
        try:
            return await work(engine)
        finally:
            await engine.close()

    return asyncio.run(opened())


def _run(operation: Operation, session: Session, arguments: dict[str, Any]) -> int:
    creates = _creates(operation, arguments)
    result = with_engine(session, lambda engine: _called(operation, engine, arguments), creates=creates)
    if (token := _token(result)) and not session.as_json and sys.stdin.isatty() and sys.stderr.isatty():
        _show(session, result)
        if not click.confirm("Go ahead?", err=True):
            return 1
        result = with_engine(session, lambda engine: _called(operation, engine, {**arguments, "token": token}))
    _show(session, result)
    return _exit_code(result)


def _creates(operation: Operation, arguments: Mapping[str, Any]) -> bool:
    """Say whether a call may be the first thing that is done with a store."""
    return operation.name == "store" or (operation.name == "namespaces" and arguments.get("action") == "create")


def _show(session: Session, result: BaseModel) -> None:
    with delivering():
        if session.as_json:
            print_json(result.model_dump(mode="json", exclude_none=True))
        else:
            from .terminal import show

            show(result)


async def _called(operation: Operation, engine: Bethink, arguments: dict[str, Any]) -> BaseModel:
    with Bar(operation.name) as bar:
        return await operation.call(engine, arguments, progress=bar.report)


def _token(result: BaseModel) -> str | None:
    """Return the token of a preview, with which the same call does what it shows."""
    return getattr(getattr(result, "preview", None), "token", None)


def _exit_code(result: BaseModel) -> int:
    """Return 3 where nothing that was named exists, 6 where all of it is out of the write reach, else 0."""
    outcomes = {str(outcome) for edge in getattr(result, "edges", ()) if (outcome := getattr(edge, "outcome", None))}
    if outcomes and outcomes <= {"not_found", "skipped"}:
        return 3 if "not_found" in outcomes else 6
    missing, skipped = getattr(result, "missing", None), getattr(result, "skipped", None)
    if missing is None or any(v for n, v in result if n not in _BESIDE):
        return 0
    return 3 if missing else 6 if skipped else 0


def _arguments(operation: Operation, values: Mapping[str, Any]) -> dict[str, Any]:
    cleared = values.get("clear")
    given: dict[str, Any] = dict.fromkeys(cleared) if isinstance(cleared, tuple) else {}
    for name, field in operation.params.model_fields.items():
        value = values[name]
        if name in _PIPED and (value == "-" or (value is None and field.is_required())):
            given[name] = _piped(name)
        elif isinstance(value, tuple):
            given |= {name: _listed(map(as_typed, value))} if value else {}
        elif value is not None:
            given[name] = as_typed(value) if isinstance(value, str) else value
    return given


def _piped(name: str) -> str:
    if sys.stdin.isatty():
        raise InvalidRequest(f"{name} is missing", hint="Give it as an argument, or pipe it in.")
    return text_from_stdin()


def _listed(values: Iterable[str]) -> list[Any]:
    """Read values of a repeatable option: JSON, or a comma list."""
    items: list[Any] = []
    for value in values:
        try:
            read = json.loads(value) if value.lstrip().startswith(("[", "{")) else value.split(",")
        except ValueError:
            raise InvalidRequest(f"{value[:80]!r} is not JSON", hint="Check its quotes and brackets.") from None
        items += read if isinstance(read, list) else [read]
    return [item.strip() if isinstance(item, str) else item for item in items if item != ""]


def _parameter(operation: Operation, name: str, field: FieldInfo) -> click.Parameter:
    types = _types(field.annotation)
    listed = list in types
    if name in _positional(operation):
        required = field.is_required() and name not in _PIPED
        many = -1 if listed else 1
        return click.Argument([name], required=required, nargs=many, default=None, metavar=_metavar(name, types))
    switch = bool in types
    option = name.replace("_", "-")
    declared = [f"--{option}/--no-{option}" if switch else f"--{option}", name]
    if listed and _singular(option) != option:
        declared.insert(0, f"--{_singular(option)}")
    metavar = None if switch else _metavar(name, types, _offered(field))
    meaning = _meaning(field) + _default(field, option)
    return click.Option(declared, multiple=listed, default=None, metavar=metavar, help=meaning)


def _default(field: FieldInfo, option: str) -> str:
    if field.default is None or field.default is UNSET:
        return ""
    if isinstance(field.default, bool):
        return f" Default: --{'' if field.default else 'no-'}{option}."
    return f" Default: {field.default.value if isinstance(field.default, Enum) else field.default}."


def _meaning(field: FieldInfo) -> str:
    """Return what is said of a parameter, also where that stands inside its optional type."""
    inside = (mark.description for mark in marks(field) if isinstance(mark, FieldInfo) and mark.description)
    said = field.description or next(inside, "")
    return said if said.endswith(".") else f"{said[:1].upper()}{said[1:]}."


def _metavar(name: str, types: list[Any], offered: Sequence[str] = ()) -> str:
    every = next((list(t) for t in types if isinstance(t, type) and issubclass(t, Enum)), [])
    choices = offered or [str(choice.value) for choice in every]
    if choices and len(choices) <= _MOST_CHOICES_SHOWN:
        return "|".join(choices)
    if any(t is dict or (isinstance(t, type) and issubclass(t, BaseModel)) for t in types):
        return "JSON"
    if int in types or float in types:
        return "NUMBER"
    return _singular(name.removesuffix("_any")).upper() if list in types else name.upper()


def _offered(field: FieldInfo) -> list[str]:
    """Return the values that a parameter takes of all those of its type."""
    for mark in [field, *marks(field)]:
        extra = mark.json_schema_extra if isinstance(mark, FieldInfo) else None
        if isinstance(extra, dict) and isinstance(values := extra.get("enum"), list):
            return [str(value) for value in values]
    return []


def _singular(name: str) -> str:
    if name.endswith("ies"):
        return f"{name.removesuffix('ies')}y"
    return name[:-1] if name.endswith("s") and not name.endswith("us") else name


def _types(annotation: object) -> list[Any]:
    """Return the plain types within an annotation."""
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _types(inner[0])
    if origin in (Union, UnionType, list, dict):
        outer = [] if origin in (Union, UnionType) else [origin]
        return [*outer, *(found for part in inner for found in _types(part))]
    return [annotation]


def _positional(operation: Operation) -> list[str]:
    _call, *rest = inspect.signature(operation.fn).parameters.values()
    return [p.name for p in rest if p.kind is p.POSITIONAL_OR_KEYWORD]


def _clearable(operation: Operation) -> list[str]:
    """Name the parameters that null clears: every one that takes it, where the operation tells null from absent."""
    if not any(p.default is UNSET for p in inspect.signature(operation.fn).parameters.values()):
        return []
    fields = operation.params.model_fields.items()
    return [name for name, field in fields if field.default is UNSET and type(None) in _types(field.annotation)]


def _help(operation: Operation) -> str:
    fields = operation.params.model_fields
    named = [(name, fields[name]) for name in _positional(operation)]
    lines = [f"{_metavar(name, _types(field.annotation))}: {_meaning(field)}" for name, field in named]
    piped = ["It is read from standard input where it is left out or '-'."] if _PIPED & {n for n, _ in named} else []
    doc = re.sub(r"memory_\w+", lambda tool: _BY_TOOL.get(tool[0], tool[0]), operation.doc)
    return doc + ("\n\n\b\n" + "\n".join([*lines, *piped]) if lines else "")
