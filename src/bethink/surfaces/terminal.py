"""Results as a person at a terminal reads them: nothing hidden in a text, nothing cut off."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from functools import singledispatch
from typing import Final

from pydantic import BaseModel
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from bethink.domain import Memory, Namespace
from bethink.operations.forget import Forgotten
from bethink.operations.get import Got
from bethink.operations.list import Page
from bethink.operations.namespaces import Namespaces
from bethink.operations.recall import Recalled
from bethink.operations.stats import Stats
from bethink.recall.hits import Hit
from bethink.text.counts import memories, sized

from .present import Compact
from .screen import bar, console, drawn, plain, table, whole

_GOOD: Final = 0.5


def show(result: BaseModel) -> None:
    """Print a result on standard output."""
    console().print(rendered(result), crop=False)


@singledispatch
def rendered(result: object) -> RenderableType:
    """Return a result as it is printed; those without a form of their own as the lines that a model gets."""
    assert isinstance(result, Compact)
    return plain(result.compact())


@rendered.register
def _(result: Recalled) -> RenderableType:
    blocks: list[RenderableType] = [_hit(place, hit) for place, hit in enumerate(result.hits, 1)]
    notes = [f"nothing found: {result.reason}"] if result.reason else []
    notes += [f"not searched: {reason}" for reason in result.skipped] + [f"note: {note}" for note in result.notes]
    if not result.hits and result.namespaces:
        notes.append(f"searched: {', '.join(result.namespaces)}")
    notes += result.explained.lines() if result.explained else []
    more = [whole(f"{result.more} more: --cursor {result.cursor}")] if result.cursor else []
    return Group(*blocks, *(plain(note, "dim") for note in notes), *more)


def _hit(place: int, hit: Hit) -> RenderableType:
    style = "bold green" if hit.score >= _GOOD else "bold"
    head = Text.assemble(plain(f"{place}. "), plain(hit.title or hit.handle, "bold"), "  ", (f"{hit.score:.2f}", style))
    replaced = f"replaced by {hit.superseded_by}" if hit.superseded_by else None
    facts = [hit.handle, hit.kind, hit.age, hit.namespace, hit.confidence_label, hit.status, replaced, *_tags(hit.tags)]
    lines: list[RenderableType] = [plain(" · ".join(filter(None, facts)), "dim")]
    if hit.parent:
        lines.append(plain(f"part of {hit.parent.handle} {hit.parent.title}", "dim"))
    lines += [plain(f"{what} {', '.join(ids)}", "dim") for what, ids in _beside(hit).items() if ids]
    if hit.text and hit.text != hit.title:
        lines.append(plain(hit.text))
    lines += [plain(f"{n.relation} {n.handle} {n.title or ''}", "dim") for n in hit.related]
    lines += _explained(hit)
    return Group(head, Padding(Group(*lines), (0, 0, 1, 3), expand=False))


def _beside(hit: Hit) -> dict[str, tuple[str, ...]]:
    return {"same text as": hit.same_text, "also parts of it:": hit.parts}


def _explained(hit: Hit) -> list[RenderableType]:
    """The terms of a score as bars at a terminal, in a line elsewhere."""
    said = hit.explanation()
    if hit.terms is None or not drawn():
        return [plain(line, "cyan") for line in said]
    bars = Table.grid(padding=(0, 2))
    for name, value in hit.counting().items():
        bars.add_row(plain(name, "cyan"), plain(f"{value:.4f}", "dim"), plain(bar(value), "cyan"))
    bars.add_row(plain("score", "bold"), plain(f"{hit.score:.4f}", "bold"), plain(bar(hit.score), "bold"))
    return [bars, plain(hit.standing(), "dim")]


def _tags(tags: Iterable[str]) -> Iterator[str]:
    return (f"#{tag}" for tag in tags)


@rendered.register
def _(result: Got) -> RenderableType:
    blocks = [_memory(memory) for memory in result.memories]
    for chunks in (result.chunks or {}).values():
        blocks += [_memory(chunk) for chunk in chunks]
    lines = [
        f"{memory} version {v.number}, until {_day(v.replaced_at)}: {v.content}"
        for memory, versions in (result.versions or {}).items()
        for v in versions
    ]
    lines += [f"{r.source} {r.type} {r.target}" for r in result.relations or ()]
    return Group(*blocks, *map(plain, lines), *(plain(f"not found: {text}", "red") for text in result.missing))


def _memory(memory: Memory) -> RenderableType:
    head = Text.assemble(plain(memory.title, "bold"), plain(f"  {memory.id}", "dim"))
    shown = {"id", "title", "content", "content_hash"}
    facts = Table.grid(padding=(0, 2))
    for name, value in memory.model_dump(mode="json", exclude=shown, exclude_defaults=True).items():
        facts.add_row(plain(name.replace("_", " "), "dim"), plain(_said(value), "dim"))
    return Group(head, plain(memory.content), Padding(facts, (0, 0, 1, 3), expand=False))


def _said(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name}: {_said(part)}" for name, part in value.items())
    if isinstance(value, list):
        return ", ".join(map(_said, value))
    return str(value)


def _day(time: datetime | None) -> str:
    return f"{time:%Y-%m-%d}" if time else ""


@rendered.register
def _(result: Page) -> RenderableType:
    if any(listed.memory for listed in result.memories):
        blocks: list[RenderableType] = [_memory(listed.memory) for listed in result.memories if listed.memory]
    else:
        several = len({listed.namespace for listed in result.memories}) > 1
        rows = [
            (
                listed.handle,
                _day(listed.occurred_at),
                listed.kind,
                f"{listed.title or ''}{'' if listed.status == 'active' else f' ({listed.status})'}",
                " ".join(_tags(listed.tags)),
                *([listed.namespace] if several else []),
            )
            for listed in result.memories
        ]
        heads = ("id", "when", "kind", "title", "tags", *(["namespace"] if several else []))
        blocks = [table(*heads, rows=rows)] if rows else []
    more = [whole(f"more: --cursor {result.cursor}")] if result.cursor else []
    return Group(*blocks, plain(f"{len(result.memories)} of {result.total}", "dim"), *more)


@rendered.register
def _(result: Stats) -> RenderableType:
    counts = {"kind": result.by_kind, "status": result.by_status, "language": result.by_language}
    counts |= {"recorded in the last": result.growth, "confirmed before": result.ages}
    counts |= {"namespace": result.by_namespace or {}, "store": result.store or {}}
    rows = [(what, name, f"{n:,}") for what, by in counts.items() for name, n in by.items()]
    rows += [("size", part, sized(n)) for part, n in (result.bytes or {}).items()]
    ready = "ready" if result.embedder_ready else "not loaded"
    vectors = f"; the vectors are of {result.vectors_of}" if result.vectors_of not in (None, result.embedder) else ""
    lines = [f"{memories(result.memories)} in reach", result.use(), f"embedder {result.embedder}, {ready}{vectors}"]
    if result.reranker:
        lines.append(f"reranker {result.reranker}, {'ready' if result.reranker_ready else 'not loaded'}")
    if result.without_vectors:
        lines.append(f"{memories(result.without_vectors)} without vectors yet")
    state = [plain(f"attention: {reason}", "red") for reason in result.reasons] or [plain(result.status, "green")]
    return Group(*state, *map(plain, lines), *([table("by", "", "count", rows=rows)] if rows else []))


@rendered.register
def _(result: Namespaces) -> RenderableType:
    if not result.namespaces:
        return plain(result.compact())
    columns = list(zip(*map(_cells, result.namespaces), strict=True))
    told = [(head, column) for head, column in zip(_OF_A_NAMESPACE, columns, strict=True) if any(column)]
    return table(*(head for head, _ in told), rows=zip(*(column for _, column in told), strict=True))


_OF_A_NAMESPACE: Final = (
    "namespace", "memories", "live", "retired", "pending", "size", "last write", "description", "settings",
)  # fmt: skip


def _cells(namespace: Namespace) -> tuple[str, ...]:
    """What is said of one namespace, in the order of the heads; a column that is empty for all is not shown."""
    few = [f"{count:,}" if count else "" for count in (namespace.retired, namespace.pending)]
    size = sized(namespace.bytes) if namespace.memories else ""
    told = (size, _day(namespace.last_write), namespace.description, _settings(namespace))
    return namespace.path, f"{namespace.memories:,}", f"{namespace.live:,}", *few, *told


def _settings(namespace: Namespace) -> str:
    shown = {"path", "memories", "live", "retired", "pending", "bytes", "last_write", "description", "created_at"}
    return _said(namespace.model_dump(mode="json", exclude=shown, exclude_defaults=True))


@rendered.register
def _(result: Forgotten) -> RenderableType:
    if (preview := result.preview) is None:
        return plain(result.compact())
    lines = preview.compact().splitlines()[:-1]
    lines += [f"not found: {text}" for text in result.missing]
    lines += [f"outside the write reach: {text}" for text in result.skipped]
    how = "to erase within the hour, repeat the command with"
    return Group(*map(plain, lines), plain(how, "dim"), whole(f"--token {preview.token}"))
