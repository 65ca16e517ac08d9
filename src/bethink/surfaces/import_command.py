"""`bethink import`: files into memories, with a progress bar, an account of everything, and no second copy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, TypedDict, Unpack
from zoneinfo import ZoneInfo

import click
from pydantic import BaseModel
from rich.console import Group

from bethink.documents.files import find
from bethink.documents.importing import Import
from bethink.engine import Bethink
from bethink.errors import BethinkError
from bethink.operations.store_many import Rejection, StoredMany, checked_item, tried_item
from bethink.settings import path_of
from bethink.text.counts import memories

from .operation_commands import json_option, with_engine
from .progress import Bar
from .screen import console, plain, table
from .session import Command, Session, as_typed, delivering, print_json

_INTERRUPTED: Final = 130
_SHOWN: Final = 20


class How(TypedDict):
    """How memories are made beyond what the files say."""

    kind: str | None
    tags: Sequence[str]
    namespace: str | None


class Rejected(BaseModel):
    """What was not stored: a file, or a line of it, why, and what to do about it."""

    path: str
    line: int | None = None
    reason: str
    hint: str | None = None


class Planned(BaseModel):
    """A memory that a dry run would store."""

    path: str
    line: int
    title: str | None = None
    characters: int


class Report(BaseModel):
    """What became of an import; an interrupted one may be run again and goes on where it stopped."""

    files: int
    memories: int
    stored: int = 0
    known: int = 0
    cleaned: int = 0
    redacted: int = 0
    without_vectors: int = 0
    rejected: int = 0
    rejections: list[Rejected] = []
    left_aside: dict[str, int] = {}
    unread_front_matter: list[str] | None = None
    planned: list[Planned] | None = None
    interrupted: bool = False


@click.command("import", cls=Command, params=[json_option()])
@click.argument("paths", nargs=-1, required=True)
@click.option("--kind", metavar="KIND", help="The kind of memories that name none. Default: fact.")
@click.option(
    "--tag", "--tags", "tags", metavar="TAG", multiple=True, help="A label for every memory; can be repeated."
)
@click.option("--namespace", metavar="PATH", help="Where they go; default: the namespace of this process.")
@click.option("--dry-run", is_flag=True, help="Show what would be stored; store nothing.")
@click.pass_obj
def command(session: Session, /, *, paths: Sequence[str], dry_run: bool, as_json: bool, **how: Unpack[How]) -> int:
    """Store Markdown, text and JSON Lines files; of folders, everything such below them.

    Markdown makes one memory a section, named by its headings; text one a file or group of paragraphs; JSON Lines one a
    line, with the fields that `bethink store` takes. Hidden files, node_modules and files of other sorts are left
    aside. What is stored already is not stored again, so an interrupted import is run again to go on.

    Exits with 1 when anything was rejected or nothing was found.
    """
    session = session.answering(as_json=as_json)
    tags = [tag.strip() for value in how["tags"] for tag in as_typed(value).split(",") if tag.strip()]
    checked_item({"content": "of any item", "kind": how["kind"], "tags": tags})
    run = Import(find([path_of("import", path) for path in paths]), how["kind"], tags)
    if not run.found.files:
        report = _report(run, [])
    elif dry_run:
        report = _planned(run, session.settings().timezone)
    else:
        report = _stored(session, run, how["namespace"])
    with delivering():
        _answer(session, report)
    return _INTERRUPTED if report.interrupted else int(bool(report.rejected) or not report.memories)


def _planned(run: Import, zone: ZoneInfo) -> Report:
    planned: list[Planned] = []
    rejections: list[Rejected] = []
    for number, item in enumerate(run.items()):
        path, line = run.place(number)
        try:
            fields = tried_item(item, zone)
        except BethinkError as wrong:
            rejections.append(Rejected(path=path, line=line, reason=str(wrong), hint=wrong.hint))
            continue
        content = fields["content"]
        planned.append(Planned(path=path, line=line, title=fields.get("title"), characters=len(content)))
    return _report(run, rejections).model_copy(update={"planned": planned})


def _stored(session: Session, run: Import, namespace: str | None) -> Report:
    where = {} if namespace is None else {"namespace": as_typed(namespace)}
    committed = 0

    async def store(engine: Bethink) -> StoredMany:
        async def moved(done: int, total: int | None) -> None:
            nonlocal committed
            del total
            committed = done
            bar.move(run.bytes_read, run.found.size, memories=done)

        declared: Any = Bethink.store_many
        result = await declared.operation.call(engine, {"items": run.items(), **where}, progress=moved)
        assert isinstance(result, StoredMany)
        return result

    try:
        with Bar("import") as bar:
            done = with_engine(session, store)
    except KeyboardInterrupt:
        return Report(files=run.files_read, memories=committed, interrupted=True)
    rejections = [_rejected(run, rejection) for rejection in done.rejections]
    counts = done.model_dump(include={"stored", "cleaned", "redacted", "without_vectors"})
    report = _report(run, rejections, unlisted=done.rejected - len(rejections))
    return report.model_copy(update={"known": done.replayed, **counts})


def _rejected(run: Import, rejection: Rejection) -> Rejected:
    path, line = run.place(rejection.item)
    return Rejected(path=path, line=line, reason=rejection.reason, hint=rejection.hint)


def _report(run: Import, rejections: list[Rejected], *, unlisted: int = 0) -> Report:
    refused = [Rejected(path=r.path, line=r.line, reason=r.reason) for r in run.refused]
    return Report(
        files=run.files_read,
        memories=run.count,
        rejected=len(refused) + len(rejections) + unlisted,
        rejections=[*refused, *rejections],
        left_aside={reason: count for reason, count in run.found.aside.items() if count},
        unread_front_matter=run.unread_front_matter or None,
    )


def _answer(session: Session, report: Report) -> None:
    if session.as_json:
        print_json(report.model_dump(mode="json", exclude_none=True))
        return
    printed = console()
    if report.interrupted:
        printed.print(plain(f"interrupted: kept {memories(report.memories)}; run the same command again to go on"))
    elif report.planned is not None:
        printed.print(_plan(report.planned), _rejections(report), _unread(report))
    else:
        printed.print(_summary(report), _rejections(report), _unread(report))
    if not report.memories and not report.rejected:
        printed.print(plain("nothing was found: name Markdown, text or JSON Lines files, or folders that hold some"))


def _summary(report: Report) -> Group:
    counts = [
        ("files read", report.files),
        ("stored", report.stored),
        ("known already", report.known),
        ("rejected", report.rejected),
        ("cleaned of characters that cannot be stored", report.cleaned),
        ("with credentials taken out", report.redacted),
        ("found by keyword until they are embedded", report.without_vectors),
        *((f"left aside: {reason}", count) for reason, count in report.left_aside.items()),
    ]
    always = {"files read", "stored", "known already", "rejected"}
    return Group(table("", "", rows=[(f"{count:,}", what) for what, count in counts if count or what in always]))


def _plan(planned: Sequence[Planned]) -> Group:
    rows = [(f"{p.path}:{p.line}", p.title, f"{p.characters:,}") for p in planned[:_SHOWN]]
    more = f", of which the first {_SHOWN} are shown" if len(planned) > _SHOWN else ""
    would = plain(f"would store {memories(len(planned))}{more}")
    return Group(table("from", "title", "characters", rows=rows), would)


def _rejections(report: Report) -> Group:
    shown = report.rejections[:_SHOWN]
    lines = [plain(f"rejected: {r.path}{f':{r.line}' if r.line else ''}: {r.reason}", "red") for r in shown]
    more = [plain(f"and {report.rejected - len(shown):,} more", "dim")] if report.rejected > len(shown) else []
    hints = [plain(f"hint: {hint}") for hint in dict.fromkeys(r.hint for r in shown) if hint]
    return Group(*lines, *more, *hints)


def _unread(report: Report) -> Group:
    paths = report.unread_front_matter or []
    lines = [plain(f"front matter kept in the metadata as it is, not understood: {path}") for path in paths[:_SHOWN]]
    more = [plain(f"and {len(paths) - _SHOWN:,} more", "dim")] if len(paths) > _SHOWN else []
    return Group(*lines, *more)
