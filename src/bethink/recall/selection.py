"""Whose memories, and which of them: a principal and its filters, as a selection that the store applies."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from bethink.domain import STRUCTURAL, Kind, Level, Source, Status, level_of
from bethink.errors import InvalidRequest, NotFound, Unsupported
from bethink.operation import Call
from bethink.principal import AccessLevel, Principal, namespace_path
from bethink.storage.protocol import Snapshot
from bethink.storage.values import Place, Selection
from bethink.text.mentions import fold_name
from bethink.text.tags import fold_tag
from bethink.text.times import Span, parse_time
from bethink.vocabulary import UNSERVED_FILTERS

DEFAULT_STATUSES: Final = frozenset({Status.active.value, Status.stale.value})
EVERY_STATUS: Final = frozenset(s.value for s in Status)
_TOP: Final = max(level.rank for level in AccessLevel)
_EQUAL: Final = ("language", "author", "agent", "origin", "access_level", "pinned")
_AT_LEAST: Final = {"min_confidence": "confidence", "min_importance": "importance"}
_TIMES: Final = {"recorded": "recorded_at", "confirmed": "last_confirmed_at"}


@dataclass(frozen=True, slots=True)
class Chosen:
    """A selection, and the paths of the namespaces that it covers."""

    selection: Selection
    namespaces: tuple[str, ...]


def reachable(call: Call, reader: Snapshot) -> Selection:
    """Select everything that the caller may read, whatever its state."""
    principal, ids = call.principal, _reach(reader.places(), call.principal)
    return Selection(principal.tenant, call.ports.now(), ids, principal.ceiling.rank, frozenset(), None, expired=None)


def writable(call: Call, reader: Snapshot) -> Selection:
    """Select everything that the caller may change, whatever its state."""
    write = call.principal.write
    ids = None if write.everything else frozenset(p.id for p in reader.places() if write.covers(p.namespace.path))
    return Selection(
        call.principal.tenant, call.ports.now(), ids, call.principal.ceiling.rank, frozenset(), None, expired=None
    )


def everything(call: Call) -> Selection:
    """Select all there is, for what must hold whoever looks; nothing of it may be told."""
    return Selection(call.principal.tenant, call.ports.now(), None, _TOP, frozenset(), None, expired=None)


def choose(call: Call, reader: Snapshot, given: Mapping[str, Any], *, structural: bool = False) -> Chosen:
    """Turn the shared filters into a selection; structural kinds are left out unless asked for or named."""
    if unserved := sorted(UNSERVED_FILTERS & given.keys()):
        raise Unsupported(f"the filter {unserved[0]!r} is not served yet", hint="Leave it out.")
    places = named(reader.places(), call.principal, given.get("namespaces"))
    now = call.ports.now()
    statuses = _statuses(given.get("status"))
    levels = _levels(given.get("min_level"), statuses)
    selection = Selection(
        tenant=call.principal.tenant,
        now=now,
        namespaces=frozenset(p.id for p in places),
        ceiling=call.principal.ceiling.rank,
        statuses=statuses,
        valid_at=now if statuses <= DEFAULT_STATUSES else None,
        expired=given.get("expired", False if statuses <= DEFAULT_STATUSES else None),
        kinds=_kinds(given.get("kinds"), structural=structural),
        **_times(call, given),
        tags=_folded(given.get("tags")),
        tags_any=_folded(given.get("tags_any")),
        subtypes=tuple(given.get("subtypes") or ()),
        equal=tuple((name, _plain(given[name])) for name in _EQUAL if name in given),
        at_least=_at_least(call, given),
        below=_below(call, given),
        source=_source(given.get("source")),
        levels=levels,
        has_relations=given.get("has_relations"),
        entity=fold_name(given["entity"]) if "entity" in given else None,
        reach=_reach(reader.places(), call.principal),
    )
    return Chosen(selection, tuple(p.namespace.path for p in places))


def _reach(places: Sequence[Place], principal: Principal) -> frozenset[int] | None:
    return None if principal.read.everything else frozenset(p.id for p in _within(places, principal))


def _within(places: Sequence[Place], principal: Principal) -> list[Place]:
    return [p for p in places if principal.default_read.covers(p.namespace.path)]


def named(places: Sequence[Place], principal: Principal, names: Sequence[str] | None) -> list[Place]:
    """Return the namespaces of those names, or without names those that a read covers by default."""
    if not names:
        return _within(places, principal)
    by_path = {p.namespace.path: p for p in places if principal.read.covers(p.namespace.path)}
    found = []
    for name in names:
        if (path := namespace_path(name)) not in by_path:
            near = difflib.get_close_matches(path, by_path, n=3, cutoff=0.5)
            known = f" Near: {', '.join(near)}." if near else ""
            raise NotFound(f"no namespace {path!r} in reach", hint=f"List them with memory_namespaces.{known}")
        found.append(by_path[path])
    return found


def _statuses(given: Sequence[str] | None) -> frozenset[str]:
    if not given:
        return DEFAULT_STATUSES
    return EVERY_STATUS if "any" in given else frozenset(str(s) for s in given)


def _kinds(given: Sequence[Kind] | None, *, structural: bool) -> frozenset[str] | None:
    if given:
        return frozenset(k.value for k in given)
    return None if structural else frozenset(k.value for k in Kind if k not in STRUCTURAL)


def _times(call: Call, given: Mapping[str, Any]) -> dict[str, int | None]:
    since, until = moment(call, given, "since"), moment(call, given, "until")
    if since and until and since.start >= until.stop:
        raise _not_before("since", "until")
    return {"since": since.start if since else None, "until": until.stop if until else None}


def _not_before(one: str, other: str) -> InvalidRequest:
    return InvalidRequest(f"{one} is not before {other}", hint="Swap them, or leave one out.")


def moment(call: Call, given: Mapping[str, Any], name: str) -> Span | None:
    """Read one time parameter, relative expressions included."""
    text = given.get(name)
    if text is None:
        return None
    return parse_time(text, parameter=name, zone=call.ports.policy.timezone, now=call.ports.now())


def _at_least(call: Call, given: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    bounds = [(column, given[name]) for name, column in _AT_LEAST.items() if name in given]
    bounds += [(c, m.start) for n, c in _TIMES.items() if (m := moment(call, given, f"{n}_after"))]
    return tuple(bounds)


def _below(call: Call, given: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    bounds = []
    for name, column in _TIMES.items():
        if before := moment(call, given, f"{name}_before"):
            after = moment(call, given, f"{name}_after")
            if after and after.start >= before.start:
                raise _not_before(f"{name}_after", f"{name}_before")
            bounds.append((column, before.start))
    return tuple(bounds)


def _folded(tags: Sequence[str] | None) -> tuple[str, ...]:
    return tuple(dict.fromkeys(fold_tag(tag) for tag in tags or ()))


def _plain(value: Any) -> Any:
    return int(value) if isinstance(value, bool) else str(value)


def _source(source: Source | None) -> tuple[tuple[str, str], ...]:
    return tuple(source.model_dump(exclude_none=True).items()) if source else ()


def _levels(least: Level | None, statuses: frozenset[str]) -> frozenset[str] | None:
    if least is None:
        return None
    levels = list(Level)
    if not any(levels.index(level_of(Status(status), checked=True)) >= levels.index(least) for status in statuses):
        named = ", ".join(sorted(statuses))
        raise InvalidRequest(
            f"no memory of status {named} has the min_level {least.value!r}", hint="Leave one of the two out."
        )
    return frozenset(level.value for level in levels[levels.index(least) :])
