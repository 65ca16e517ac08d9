"""Writes src/bethink/blocking.py: the same memory for code that does not await, one method an operation."""

from __future__ import annotations

import enum
import inspect
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from bethink import domain, vocabulary
from bethink.engine import Bethink
from bethink.operation import Operation, operations

FILE: Final = Path("src", "bethink", "blocking.py")
_NAME: Final = re.compile(r"\b[A-Za-z_]\w*\b")
_HEAD: Final = '''"""A memory for code that does not await: every operation as an ordinary method.

Made by `make docs` from the operations; change those, not this file.
"""

from __future__ import annotations

from typing import Unpack

from . import domain, vocabulary
{imports}
from .portal import Portal


class BlockingBethink(Portal):
    """`Bethink` without `await`: it runs in a thread of its own. Use it as a context manager, or close it."""
'''


def write() -> None:
    """Make the file what it should be."""
    FILE.parent.mkdir(parents=True, exist_ok=True)
    FILE.write_text(source(), encoding="utf-8", newline="\n")


def is_stale() -> bool:
    """Say whether the file is missing or not what it should be."""
    return not FILE.is_file() or FILE.read_text(encoding="utf-8") != source()


def source() -> str:
    """Return the file as it should be."""
    declared = operations(Bethink)
    modules = sorted({op.fn.__module__.rpartition(".")[2] for op in declared.values()})
    imports = "\n".join(f"from .operations import {module} as {module}_" for module in modules)
    return "\n".join([_HEAD.format(imports=imports), *(line for op in declared.values() for line in _method(op))])


def _method(op: Operation) -> Iterator[str]:
    signature = inspect.signature(op.fn)
    parameters = list(signature.parameters.values())[1:]
    yield f"    def {op.name}("
    yield "        self,"
    yield from (f"        {line}," for line in _declared(op, parameters))
    yield f"    ) -> {_qualified(op, signature.return_annotation)}:"
    yield f'        """{op.title}."""'
    yield f"        return self.run(self.engine.{op.name}("
    yield from (f"            {_passed(parameter)}," for parameter in parameters)
    yield "        ))"
    yield ""


def _declared(op: Operation, parameters: list[inspect.Parameter]) -> Iterator[str]:
    starred = False
    for parameter in parameters:
        if parameter.kind is parameter.KEYWORD_ONLY and not starred:
            starred = True
            yield "*"
        stars = "**" if parameter.kind is parameter.VAR_KEYWORD else ""
        default = "" if parameter.default is parameter.empty else f" = {_default(op, parameter.default)}"
        yield f"{stars}{parameter.name}: {_qualified(op, str(parameter.annotation))}{default}"


def _default(op: Operation, value: object) -> str:
    if isinstance(value, enum.Enum):
        kind = type(value)
        return f"{_home(kind.__name__, kind, op)}.{kind.__name__}.{value.name}"
    return json.dumps(value) if isinstance(value, str) else repr(value)


def _passed(parameter: inspect.Parameter) -> str:
    if parameter.kind is parameter.VAR_KEYWORD:
        return f"**{parameter.name}"
    return f"{parameter.name}={parameter.name}" if parameter.kind is parameter.KEYWORD_ONLY else parameter.name


def _qualified(op: Operation, hint: str) -> str:
    known = vars(inspect.getmodule(op.fn))

    def named(match: re.Match[str]) -> str:
        if match[0] not in known or match[0] == "Unpack":
            return match[0]
        return f"{_home(match[0], known[match[0]], op)}.{match[0]}"

    return _NAME.sub(named, hint)


def _home(name: str, value: object, op: Operation) -> str:
    """The module, as the file knows it, that defines a name."""
    for shared in (domain, vocabulary):
        if vars(shared).get(name) is value:
            return shared.__name__.rpartition(".")[2]
    return f"{op.name}_"
