"""The text of the reference: a page for each operation, and for settings, errors and commands."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from typing import Any, Final

import click
from pydantic.fields import FieldInfo

from bethink.errors import BethinkError
from bethink.operation import Effect, Operation
from bethink.settings import OF_PROJECTS, SETTINGS, Setting
from bethink.vocabulary import UNSET, Fold, ForModels, OwnerOnly, marks

_DOES: Final = {Effect.READ: "reads", Effect.WRITE: "writes", Effect.DESTROY: "can destroy"}
_SIMPLE: Final = {"string": "text", "boolean": "true or false", "null": "null", "object": "object"}

Schema = dict[str, Any]
Row = Sequence[str]


def index_page(listed: Sequence[Operation]) -> Iterator[str]:
    """Yield the lines of the overview."""
    yield "# Reference"
    yield ""
    yield "Every operation is declared once; the library method, the MCP tool, the command and these pages come from"
    yield "that. REST is not served yet: the endpoints in the contract are reserved for it."
    for toolset in dict.fromkeys(op.toolset for op in listed):
        rows = [_index_row(op) for op in listed if op.toolset == toolset]
        yield from ["", f"## Toolset `{toolset}`", "", *_table(("operation", "MCP tool", "command", "does"), rows)]
    yield ""
    yield "See also: [the command line](cli.md), [settings](settings.md), [errors and exit codes](errors.md), and the"
    yield "[frozen contract](contract.json) of names and schemas."


def _index_row(op: Operation) -> Row:
    tool = f"`{op.tool}`" if "mcp" in op.surfaces else "-"
    command = f"`{_command(op)}`" if "cli" in op.surfaces else "-"
    return f"[{op.name}]({op.name}.md)", tool, command, op.title


def _command(op: Operation) -> str:
    return f"bethink {op.name.replace('_', '-')}"


def operation_page(op: Operation) -> Iterator[str]:
    """Yield the lines of one operation."""
    yield from [f"# {op.name}", "", op.doc, "", *_facts(op), "", "## Parameters", ""]
    schema = parameters(op)
    fields = op.params.model_fields
    rows = [_parameter(name, fields[name], schema["properties"][name], schema) for name in fields]
    yield from _table(("parameter", "type", "default", "meaning"), rows) if rows else ["None."]
    result = op.result.model_json_schema(mode="serialization")
    yield from ["", "## Result", "", *_object(result, result)]
    for name, part in sorted(result.get("$defs", {}).items()):
        if "properties" in part:
            yield from ["", f"### {name}", "", *_object(part, result)]


def _facts(op: Operation) -> Iterator[str]:
    needs = f"; needs the permission `{op.permission}`" if op.permission else ""
    yield f"- It {_DOES[op.effect]}{needs}{', but not to read' if op.readable else ''}."
    yield f"- Library: `await memory.{op.name}(...)`"
    if "mcp" in op.surfaces:
        yield f"- MCP tool: `{op.tool}`, in the toolset `{op.toolset}`"
    if "cli" in op.surfaces:
        yield f"- Command: `{_command(op)}`"


def _parameter(name: str, field: FieldInfo, schema: Schema, whole: Schema) -> Row:
    said = marks(field)
    meaning = field.description or next((m.description for m in said if isinstance(m, FieldInfo) and m.description), "")
    notes = [f"over MCP inside `{m.into}`" for m in said if isinstance(m, Fold)]
    notes += [f"over MCP `{json.dumps(m.default)}` where it is absent" for m in said if isinstance(m, ForModels)]
    notes += ["owner only" for m in said if isinstance(m, OwnerOnly)]
    return f"`{name}`", _type(schema, whole), _default(field), meaning + (f" *({'; '.join(notes)})*" if notes else "")


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "required"
    value = field.default.value if isinstance(field.default, Enum) else field.default
    return "" if value is None or field.default is UNSET else f"`{json.dumps(value)}`"


def _object(schema: Schema, whole: Schema) -> Iterator[str]:
    if description := schema.get("description"):
        yield from [description, ""]
    rows = [(f"`{name}`", _type(part, whole)) for name, part in schema.get("properties", {}).items()]
    yield from _table(("field", "type"), rows)


def _type(schema: Schema, whole: Schema) -> str:
    if "enum" in schema:  # also beside a reference, where fewer values are taken than the type has
        return "one of " + ", ".join(f"`{value}`" for value in schema["enum"])
    if "$ref" in schema:
        name = str(schema["$ref"]).rpartition("/")[2]
        part = whole["$defs"][name]
        return (
            _type(part, whole)
            if "properties" not in part
            else f"object ({', '.join(f'`{p}`' for p in part['properties'])})"
        )
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(_type(part, whole) for part in schema["anyOf"]))
    if schema.get("type") == "array":
        return f"list of {_type(schema['items'], whole)}" if schema.get("items") else "list"
    return _scalar(schema)


def _scalar(schema: Schema) -> str:
    kind = schema.get("type", "any JSON value")
    low, high = schema.get("minimum"), schema.get("maximum")
    bounds = [f"from {low:,}" if low is not None else "", f"to {high:,}" if high is not None else ""]
    longest = f"at most {schema['maxLength']:,} characters" if "maxLength" in schema else ""
    extra = " ".join(filter(None, [*bounds, longest]))
    word = schema["format"].replace("date-time", "time") if "format" in schema else _SIMPLE.get(kind, kind)
    return f"{word}, {extra}" if extra else str(word)


def parameters(op: Operation) -> Schema:
    """Return the schema of an operation's parameters; what may be left out without a default has none."""
    schema = op.params.model_json_schema()
    for name, field in op.params.model_fields.items():
        if field.default is UNSET:
            schema["properties"][name].pop("default", None)
    return schema


def commands_page(group: click.Group) -> Iterator[str]:
    """Yield the lines of the command line."""
    context = click.Context(group, info_name="bethink")
    yield from ["# Command line", "", "`bethink` alone is the MCP server on standard input and output."]
    yield "`bethink [OPTIONS] COMMAND` runs one command; the options come before its name."
    yield from ["", *_options(group), "", "Answers go to standard output, what went wrong to standard error. An option"]
    yield "that takes a list can be repeated, and takes comma lists. Exit codes are those of"
    yield "[errors](errors.md)."
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        usage = " ".join(["bethink", name, *(_argument(p) for p in command.params if isinstance(p, click.Argument))])
        yield from ["", f"## bethink {name}", "", f"`{usage}`", "", _first(command), "", *_options(command)]


def _first(command: click.Command) -> str:
    return (command.help or "").split("\n\n", 1)[0].strip()


def _argument(argument: click.Argument) -> str:
    shown = argument.metavar or (argument.name or "").upper()
    many = "..." if argument.nargs == -1 else ""
    return f"{shown}{many}" if argument.required else f"[{shown}]{many}"


def _options(command: click.Command) -> Iterator[str]:
    rows = [_option(o) for o in command.params if isinstance(o, click.Option) and not o.hidden]
    yield from _table(("option", "meaning"), rows)


def _option(option: click.Option) -> Row:
    names = ", ".join([*option.opts, *option.secondary_opts])
    return f"`{names}{f' {option.metavar}' if option.metavar else ''}`", option.help or ""


def settings_page() -> Iterator[str]:
    """Yield the lines of the settings."""
    yield from ["# Settings", ""]
    yield "A flag wins over the environment, the environment over `.bethink.toml` (the nearest at or above the working"
    yield "folder), that over `config.toml` in the user's configuration folder, and that over the default. In a file a"
    yield 'setting has its bare name: `embedder = "none"`. An unknown name is an error that says the nearest one.'
    yield f"`.bethink.toml` may come with somebody else's repository, so it sets only {_project_names()}; anything"
    yield "else in it is refused."
    yield "`bethink config` prints every setting with its value and where it came from. The library reads none of them."
    yield ""
    yield from _table(("name in a file", "variable", "default", "meaning"), [_setting(s) for s in SETTINGS])


def _project_names() -> str:
    *others, last = [f"`{name}`" for name in OF_PROJECTS]
    return f"{', '.join(others)} and {last}"


def _setting(setting: Setting) -> Row:
    choices = f": {', '.join(f'`{c}`' for c in setting.choices)}" if setting.choices else ""
    default = f"`{setting.default}`" if setting.default else ""
    return f"`{setting.name}`", f"`{setting.variable}`", default, setting.meaning + choices


def errors_page() -> Iterator[str]:
    """Yield the lines of the errors."""
    yield from ["# Errors and exit codes", ""]
    yield "Every error has a stable code, one line that says what is wrong, and a hint that says what to do. A command"
    yield "exits with 0 when it is done and 1 for a fault of Bethink's own."
    yield ""
    rows = [
        (f"`{e.code}`", str(e.exit_code), str(e.http_status), (e.__doc__ or "").strip()) for e in _kinds(BethinkError)
    ]
    yield from _table(("code", "exit code", "HTTP status", "meaning"), rows)


def _kinds(error: type[BethinkError]) -> Iterator[type[BethinkError]]:
    for kind in error.__subclasses__():
        if "code" in vars(kind):
            yield kind
        yield from _kinds(kind)


def _table(head: Row, rows: Iterable[Row]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield f"| {' | '.join('---' for _ in head)} |"
    for row in rows:
        yield f"| {' | '.join(_cell(text) for text in row)} |"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
