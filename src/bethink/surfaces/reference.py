"""Write docs/reference from what is declared, so that it cannot go stale: `python -m bethink.surfaces.reference`."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

from bethink.engine import Bethink
from bethink.operation import Operation, operations
from bethink.vocabulary import OwnerOnly, marks

from . import facade
from .cli import bethink
from .pages import commands_page, errors_page, index_page, operation_page, parameters, settings_page
from .schemas import fold_of, for_models

FOLDER: Final = Path("docs", "reference")
_MADE: Final = "<!-- Made by `make docs`; change the declaration, not this page. -->"


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the pages, or with `--check` name those that are not current and return 1 if there are any."""
    parser = argparse.ArgumentParser(prog="python -m bethink.surfaces.reference", description=__doc__)
    parser.add_argument(
        "--check", action="store_true", help="write nothing; name stale files and fail if there are any"
    )
    if not parser.parse_args(arguments).check:
        write(FOLDER)
        facade.write()
        return 0
    outdated = [FOLDER / name for name in stale(FOLDER)]
    if facade.is_stale():
        outdated.append(facade.FILE)
    for file in outdated:
        print(f"stale: {file.as_posix()} (run `make docs`)", file=sys.stderr)  # noqa: T201  # its answer
    return int(bool(outdated))


def write(folder: Path) -> None:
    """Make `folder` hold exactly the current pages."""
    folder.mkdir(parents=True, exist_ok=True)
    current = pages()
    for file in folder.iterdir():
        if file.name not in current:
            file.unlink()
    for name, text in current.items():
        (folder / name).write_text(text, encoding="utf-8", newline="\n")


def stale(folder: Path) -> list[str]:
    """Return the names of the files in `folder` that differ from the current pages, are missing or do not belong."""
    current = pages()
    there = {f.name: f.read_text(encoding="utf-8") for f in folder.iterdir()} if folder.is_dir() else {}
    return sorted(name for name in current.keys() | there.keys() if current.get(name) != there.get(name))


def pages() -> dict[str, str]:
    """Return every page by its file name."""
    listed = list(operations(Bethink).values())
    return {
        "index.md": _page(index_page(listed)),
        "cli.md": _page(commands_page(bethink)),
        "settings.md": _page(settings_page()),
        "errors.md": _page(errors_page()),
        "contract.json": contract(listed),
        **{f"{op.name}.md": _page(operation_page(op)) for op in listed},
    }


def contract(listed: Iterable[Operation]) -> str:
    """Return what callers may rely on, as JSON that changes only when a declaration does."""
    frozen = {op.name: _frozen(op) for op in listed}
    return json.dumps(frozen, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def _frozen(op: Operation) -> dict[str, Any]:
    return {
        "tool": op.tool,
        "toolset": op.toolset,
        "effect": op.effect.value,
        "idempotent": op.idempotent,
        "permission": op.permission.value if op.permission else None,
        "readable": op.readable,
        "http": op.http,
        "surfaces": sorted(op.surfaces),
        "parameters": _bare(parameters(op)),
        "owner_only": [name for name in op.params.model_fields if _is_owner_only(op, name)],
        "inside": {name: into for name in op.params.model_fields if (into := fold_of(op, name))},
        "for_models": {n: own for n in op.params.model_fields if (own := for_models(op, n)) is not None},
        "result": _bare(op.result.model_json_schema(mode="serialization")),
    }


def _is_owner_only(op: Operation, name: str) -> bool:
    return any(isinstance(mark, OwnerOnly) for mark in marks(op.params.model_fields[name]))


def _bare(schema: Any) -> Any:  # any JSON value
    """Return a schema without its prose: a better wording breaks nobody."""
    if isinstance(schema, list):
        return [_bare(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        name: _bare(part)
        for name, part in schema.items()
        if not (name in ("title", "description") and isinstance(part, str))
    }


def _page(lines: Iterable[str]) -> str:
    return "\n".join([_MADE, "", *lines]).rstrip() + "\n"


if __name__ == "__main__":
    sys.exit(main())
