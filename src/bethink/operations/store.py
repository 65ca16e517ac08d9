"""Store one memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack

from bethink.domain import Kind, Memory, Value, to_micros
from bethink.intake.gate import Near
from bethink.intake.storing import Outcome, store_item
from bethink.models.protocol import NONE, Embedder, mismatch, shares_space
from bethink.operation import Call, Effect, operation
from bethink.recall.selection import reachable
from bethink.storage.protocol import Reader
from bethink.text.cut import shorten
from bethink.text.signals import importance as importance_of
from bethink.vocabulary import (
    Conflicting,
    Content,
    Hints,
    KindOf,
    MinImportance,
    NamespaceName,
    OnConflict,
    Properties,
    Tags,
    Title,
)

_SUMMARY = 200
_ALONE = "found by keyword alone"


class Hint(Value):
    """A near memory, in short."""

    handle: str
    title: str
    summary: str
    similarity: float
    basis: str


class Stored(Value):
    """What became of the text: `stored` says whether a memory now holds it, `action` how that came.

    `embedded` says whether it is found by meaning yet; it is absent where search by meaning is off.
    """

    stored: bool
    action: str
    id: str | None = None
    handle: str | None = None
    namespace: str | None = None
    version: int | None = None
    replayed: bool = False
    embedded: bool | None = None
    superseded: str | None = None
    similar: tuple[Hint, ...] = ()
    suggested_relations: tuple[Hint, ...] = ()
    cleaned: tuple[str, ...] = ()
    redacted: tuple[str, ...] = ()
    importance: float | None = None
    scorer: str | None = None
    reason: str | None = None

    def compact(self) -> str:
        """Return it as the few lines a model needs."""
        if not self.stored:
            return f"not stored: {self.reason}"
        lines = [f"{_SAID[self.action]} {self.handle}"]
        if self.reason:
            lines.append(self.reason)
        if self.superseded:
            lines.append(f"supersedes {self.superseded}")
        if self.embedded is False and _ALONE not in (self.reason or ""):
            lines.append("found by keyword now, by meaning once it is embedded")
        lines += [f"redacted: {kind}" for kind in self.redacted] + [f"cleaned: {note}" for note in self.cleaned]
        return "\n".join([*lines, *hint_lines(self.similar, self.suggested_relations)])


_SAID = {
    "add": "stored as",
    "supersede": "stored as",
    "update": "added to",
    "skip": "known already, nothing added:",
    "replay": "stored before as",
    "echo": "shown by recall a short while ago, not stored again:",
}
_REASONS = {
    "echo": "this is what recall has just shown",
    "skip": "a memory that says nearly the same is there",
}


@operation(Effect.WRITE, tool="memory_store", http="POST /memories")
async def store(
    call: Call,
    content: Content,
    *,
    title: Title | None = None,
    kind: KindOf = Kind.fact,
    tags: Tags | None = None,
    namespace: NamespaceName | None = None,
    on_conflict: OnConflict = Conflicting.add,
    hints: Hints = True,
    min_importance: MinImportance | None = None,
    **properties: Unpack[Properties],
) -> Stored:
    """Remember something that will matter later: a decision and why, a fix, a preference, how something works.

    Store when you learn it, one self-contained statement each. Returns its id, and memories that say nearly the same
    (`similar`): update or supersede those rather than adding variants. The same text stored twice is one memory.
    """
    fields = {"content": content, "title": title, "kind": kind, "tags": tags, **properties}
    if min_importance is not None and (low := _too_low(fields, min_importance)):
        return low
    outcome = await store_item(call, fields, namespace=namespace, on_conflict=on_conflict, hints=hints)
    return await call.ports.storage.read(lambda reader: _stored(call, reader, outcome))


def _too_low(fields: dict[str, object], least: float) -> Stored | None:
    given = fields.get("importance")
    score = float(given) if isinstance(given, float) else importance_of(str(fields["content"]), str(fields["kind"]))
    if score >= least:
        return None
    scorer = "given" if given is not None else "wording"
    return Stored(
        stored=False,
        action="below",
        importance=score,
        scorer=scorer,
        reason=f"importance {score:.2f} is below {least:.2f}",
    )


def _stored(call: Call, reader: Reader, outcome: Outcome) -> Stored:
    memory = outcome.memory
    hints = outcome.hints.unlinked(reader, memory.id)
    ids = [memory.id, *hints.memories(), *filter(None, [outcome.superseded])]
    handles = reader.handles(ids, reachable(call, reader))
    return Stored(
        stored=outcome.action not in _REASONS,
        action=outcome.action,
        id=memory.id,
        handle=handles[memory.id],
        namespace=None if call.principal.confined else memory.namespace,
        version=memory.version,
        replayed=outcome.action == "replay",
        embedded=None if call.ports.embedder.identity == NONE else memory.embedded,
        superseded=handles[outcome.superseded] if outcome.superseded else None,
        similar=tuple(hint(n, handles) for n in hints.similar),
        suggested_relations=tuple(hint(n, handles) for n in hints.related),
        cleaned=call.cleaned,
        redacted=outcome.redacted,
        reason="; ".join(_reasons(call, reader, outcome)) or None,
    )


def _reasons(call: Call, reader: Reader, outcome: Outcome) -> list[str]:
    memory = outcome.memory
    said = [_reason(outcome), _unserved(call.ports.embedder, reader, memory), _lapsed(memory, call.ports.now())]
    return [reason for reason in said if reason]


def _lapsed(memory: Memory, now: int) -> str | None:
    """Say that reads leave a memory out from the start, and how it is read."""
    ends = {"expires_at": memory.expires_at, "valid_to": memory.valid_to}
    past = [name for name, end in ends.items() if end is not None and to_micros(end) <= now]
    if not past:
        return None
    return (
        f"{past[0]} is past: recall leaves it out unless {'expired=true' if past == ['expires_at'] else 'status=any'}"
    )


def _reason(outcome: Outcome) -> str | None:
    if outcome.left_out:
        return f"what is new in {', '.join(outcome.left_out)} was not taken: use memory_update"
    return _REASONS.get(outcome.action)


def _unserved(embedder: Embedder, reader: Reader, memory: Memory) -> str | None:
    """Say why a memory will not be found by meaning, where waiting does not help."""
    if memory.embedded or embedder.identity == NONE:
        return None
    kept = reader.embedder()
    if kept is None or shares_space(embedder, kept):
        return None
    return f"{_ALONE}: {mismatch(embedder, kept)}: run `bethink reembed`"


def hint_lines(similar: Sequence[Hint], related: Sequence[Hint]) -> list[str]:
    """Return hints as the lines a model needs."""
    said = {"similar": similar, "may be related": related}
    return [f"{what} ({h.similarity:.2f}): {h.handle} {h.title}" for what, hints in said.items() for h in hints]


def hint(near: Near, handles: dict[str, str]) -> Hint:
    """Return a near memory in short."""
    return Hint(
        handle=handles[near.memory.id],
        title=near.memory.title,
        summary=shorten(near.memory.content, _SUMMARY),
        similarity=round(near.similarity, 4),
        basis=near.basis,
    )
