"""List, create and change namespaces."""

from __future__ import annotations

import difflib
from dataclasses import asdict, replace
from enum import StrEnum
from itertools import accumulate
from typing import Annotated, Any, Final

from bethink.domain import Namespace, Value, from_micros
from bethink.errors import Conflict, Forbidden, InvalidRequest, NotFound
from bethink.intake.item import without_secrets
from bethink.intake.places import checked_path, place_of
from bethink.intake.storing import log
from bethink.operation import Call, Effect, operation
from bethink.principal import ROOT, Permission, namespace_path
from bethink.recall.budget import cost
from bethink.recall.selection import reachable
from bethink.storage.protocol import Reader, Writer
from bethink.storage.values import Holding, Place
from bethink.text.counts import memories, sized
from bethink.vocabulary import OPTIONS, UNSET, Tag, Unset, WhatFits, about


class Action(StrEnum):
    """What to do with namespaces."""

    list = "list"
    create = "create"
    update = "update"


ActionOf = Annotated[Action, about("list, create or update.")]
Path = Annotated[str, about("The namespace, such as team:acme/project:web.", max_length=1100)]
Description = Annotated[str, about("What is kept there.", max_length=2_000)]
Threshold = Annotated[float, OPTIONS, about("cosine from which two memories are nearly the same, 0.5..1", ge=0.5, le=1)]
FloorOf = Annotated[float, OPTIONS, about("recall score under which nothing is an answer, 0..1", ge=0, le=1)]
HighFrom = Annotated[float, OPTIONS, about("chance from which a hit is labelled high, 0..1", ge=0, le=1)]
MediumFrom = Annotated[float, OPTIONS, about("chance from which a hit is labelled medium, 0..1", ge=0, le=1)]
RequiredTags = Annotated[list[Tag], OPTIONS, about("tags that every memory there must carry", max_length=16)]
MaxMemories = Annotated[int, OPTIONS, about("most memories it may hold, retired ones included", ge=1)]
Repo = Annotated[str, OPTIONS, about("the repository that a bare PR number means", max_length=300)]
_MOST_LISTED: Final = 200
_SETTINGS: Final = (
    "description", "dedup_threshold", "floor", "high_from", "medium_from", "required_tags", "max_memories",
    "default_repo",
)  # fmt: skip


class Namespaces(Value):
    """Namespaces in reach, with their settings and what the memories of each come to."""

    namespaces: tuple[Namespace, ...]
    more: int = 0
    changed: str | None = None

    def compact(self) -> str:
        """Return it as the lines a model needs, one a namespace."""
        lines = [_line(namespace) for namespace in self.namespaces]
        if self.more:
            lines.append(f"{self.more:,} more; list those below one of them with `path`")
        return "\n".join(lines) or "no namespace in reach yet: the first store creates one"


@operation(
    Effect.WRITE, tool="memory_namespaces", http="POST /namespaces", toolset="admin", permission=Permission.admin
)
async def namespaces(
    call: Call,
    action: ActionOf = Action.list,
    *,
    path: Path | None = None,
    description: Description | Unset | None = UNSET,
    dedup_threshold: Threshold | Unset | None = UNSET,
    floor: FloorOf | Unset | None = UNSET,
    high_from: HighFrom | Unset | None = UNSET,
    medium_from: MediumFrom | Unset | None = UNSET,
    required_tags: RequiredTags | Unset | None = UNSET,
    max_memories: MaxMemories | Unset | None = UNSET,
    default_repo: Repo | Unset | None = UNSET,
    max_tokens: WhatFits = None,
) -> Namespaces:
    """List the namespaces in reach, create one, or change one's description and settings; null clears a setting.

    A list with a path is of that namespace and those below it.
    """
    values = (
        description, dedup_threshold, floor, high_from, medium_from, required_tags, max_memories, default_repo,
    )  # fmt: skip
    named = {name: value for name, value in zip(_SETTINGS, values, strict=True) if value is not UNSET}
    given, _ = without_secrets(named, call.ports.policy.secrets)
    if action is Action.list:
        if given:
            raise InvalidRequest("list takes no settings", hint="Use action create or update.")
        below = namespace_path(path) if path else None
        return await call.ports.storage.read(lambda reader: _listed(call, reader, below=below, max_tokens=max_tokens))
    if path is None:
        raise InvalidRequest("path is required", hint=f"Name the namespace to {action.value}.")
    at = _writable(call, path)
    await call.ports.storage.write(lambda writer: _write(call, writer, at, action, given))
    return await call.ports.storage.read(
        lambda reader: _listed(call, reader, below=at, max_tokens=max_tokens, changed=at)
    )


def _writable(call: Call, path: str) -> str:
    at = namespace_path(path)
    if not call.principal.write.covers(at) or (call.principal.confined and at == ROOT):
        raise Forbidden(f"{at!r} is outside the write reach", hint="Name one within it.")
    return at


def _write(call: Call, writer: Writer, path: str, action: Action, given: dict[str, Any]) -> None:
    there = place_of(writer, path)
    if action is Action.create and there is not None:
        raise Conflict(f"{path!r} exists already", hint="Use action update to change it.")
    if action is Action.update and there is None:
        known = [p.namespace.path for p in writer.places() if call.principal.write.covers(p.namespace.path)]
        near = difflib.get_close_matches(path, known, n=3, cutoff=0.5)
        raise NotFound(f"no namespace {path!r}", hint=f"Near: {', '.join(near)}." if near else "Use action create.")
    kept = settings_of(there.namespace) if there else {}
    if there is None:
        writer.add_place(checked_path(call, path), call.ports.now())
    settings = {name: value for name, value in {**kept, **given}.items() if value is not None}
    writer.change_place(path, settings)
    log(call, writer, f"namespace.{action.value}", (), sorted(given))


def _line(namespace: Namespace) -> str:
    said = [f"{namespace.path}: {_held(namespace)}"]
    for name, value in settings_of(namespace).items():
        text = ", ".join(value) if isinstance(value, tuple) else str(value)
        said.append(text if name == "description" else f"{name} {text}")
    return " ".join("; ".join(said).split())


def _held(namespace: Namespace) -> str:
    said = [memories(namespace.memories)]
    if namespace.live != namespace.memories:
        said.append(f"{namespace.live:,} live")
    said += [f"{n:,} {name}" for name in ("retired", "pending") if (n := getattr(namespace, name))]
    if namespace.last_write is not None:
        said += [sized(namespace.bytes), f"last write {namespace.last_write:%Y-%m-%d}"]
    return ", ".join(said)


def settings_of(namespace: Namespace) -> dict[str, Any]:
    """Return what is set of a namespace, without what is as usual."""
    return namespace.model_dump(include=set(_SETTINGS), exclude_defaults=True)


def _listed(
    call: Call, reader: Reader, *, below: str | None, max_tokens: int | None, changed: str | None = None
) -> Namespaces:
    # What a confined caller may only read, such as what stands above its place, is not its to know by name.
    reach = call.principal.write if call.principal.confined else call.principal.read
    within = [p for p in reader.places() if reach.covers(p.namespace.path)]
    if below is not None:
        within = [p for p in within if p.namespace.path == below or p.namespace.path.startswith(f"{below}/")]
    shown = tuple(_fitting(_counted(call, reader, within[:_MOST_LISTED]), max_tokens))
    return Namespaces(namespaces=shown, more=len(within) - len(shown), changed=changed)


def _counted(call: Call, reader: Reader, places: list[Place]) -> list[Namespace]:
    """Return namespaces with what the caller may see in them."""
    seen = replace(reachable(call, reader), namespaces=frozenset(place.id for place in places))
    holdings = reader.holdings(seen)
    return [_with(p.namespace, holdings.get(p.id)) for p in places]


def _with(namespace: Namespace, holding: Holding | None) -> Namespace:
    if holding is None:
        return namespace
    return namespace.model_copy(update={**asdict(holding), "last_write": from_micros(holding.last_write)})


def _fitting(namespaces: list[Namespace], tokens: int | None) -> list[Namespace]:
    """Return as many as fit, at least one."""
    if tokens is None:
        return namespaces
    return namespaces[: max(1, sum(total <= tokens for total in accumulate(map(cost, namespaces))))]
