"""Store many memories: batches embedded and committed together, every item reported."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, tzinfo
from itertools import islice
from typing import Annotated, Any, Final

from pydantic import BeforeValidator, ValidationError

from bethink.coerce import coerce, plain
from bethink.domain import Origin, Value, to_micros
from bethink.errors import BethinkError, Conflict, InvalidRequest
from bethink.explain import explain
from bethink.intake.embedding import embed_all
from bethink.intake.item import Item, identity, read_item, times_in
from bethink.intake.places import destination
from bethink.intake.storing import add_draft, draft_of, with_parent
from bethink.operation import Call, Effect, Operation, operation, refuse_namespaces
from bethink.storage.protocol import Reader, Writer
from bethink.storage.values import Draft
from bethink.text.clean import clean
from bethink.vocabulary import NamespaceName, about

from .store import store

_MOST_REJECTIONS: Final = 100
_OF_A_CALL: Final = frozenset({"namespace", "on_conflict", "hints", "min_importance"})


def _not_one(items: Any) -> Any:
    if isinstance(items, str | bytes | Mapping):
        raise ValueError("it is not a list of objects")  # noqa: TRY004  # what pydantic takes as a validator's answer
    return items


Items = Annotated[
    Iterable[Any], about("Memories as memory_store takes them, one object each."), BeforeValidator(_not_one)
]
BatchSize = Annotated[int, about("How many are embedded and committed together.", ge=1, le=1_000)]
OriginOf = Annotated[Origin, about("How they came to be: imported or authored.")]


class Rejection(Value):
    """An item that was not stored: its place, counted from 0, why, and what to do about it."""

    item: int
    reason: str
    hint: str


class StoredMany(Value):
    """What became of the items; what was committed stays whatever happens later, and a repeated run replays it."""

    stored: int = 0
    replayed: int = 0
    rejected: int = 0
    cleaned: int = 0
    redacted: int = 0
    without_vectors: int = 0
    rejections: tuple[Rejection, ...] = ()

    def compact(self) -> str:
        """Return it as a few lines."""
        lines = [f"{self.stored} stored, {self.replayed} known already, {self.rejected} rejected"]
        return "\n".join([*lines, *(f"item {r.item}: {r.reason}" for r in self.rejections)])


@operation(
    Effect.WRITE,
    tool="memory_store_many",
    http="POST /memories/batch",
    toolset="bulk",
    seconds=None,
    surfaces=frozenset({"http"}),
)
async def store_many(
    call: Call,
    items: Items,
    *,
    namespace: NamespaceName | None = None,
    batch: BatchSize = 64,
    origin: OriginOf = Origin.imported,
) -> StoredMany:
    """Store many memories at once, without hints. Takes any iterable; can be interrupted and run again."""
    key = await call.ports.storage.read(lambda reader: reader.secret())
    run = _Run(call, destination(call, namespace), key, origin)
    numbered = enumerate(items)
    while chunk := list(islice(numbered, batch)):
        await run.take(chunk)
        await call.report(run.seen)
    return run.result()


class _Run:
    """One run over the items, and what was counted."""

    def __init__(self, call: Call, path: str, key: bytes, origin: Origin) -> None:
        self._call, self._path, self._key, self._origin = call, path, key, origin
        self._counts = dict.fromkeys(("stored", "replayed", "cleaned", "redacted", "without_vectors"), 0)
        self._rejections: list[Rejection] = []
        # A list is cleaned at the door, with every other argument; other iterables item by item.
        self._cleaned = {note.split(".")[1] for note in call.cleaned if note.startswith("items.")}
        self.seen = 0

    async def take(self, chunk: list[tuple[int, Any]]) -> None:
        """Store one batch in one transaction."""
        self.seen += len(chunk)
        checked = list(self._checked(chunk))
        fresh = await self._call.ports.storage.read(lambda reader: list(self._unknown(reader, checked)))
        pieces = await embed_all(self._call, [(i.memory, "title" in i.given) for _, i in fresh])
        drafts = [(n, draft_of(i, p, self._key)) for (n, i), p in zip(fresh, pieces, strict=True)]
        outcomes = await self._call.ports.storage.write(lambda writer: self._write(writer, drafts))
        for number, outcome in outcomes:
            self._count(number, outcome)

    def result(self) -> StoredMany:
        """Return the report."""
        shown = tuple(self._rejections[:_MOST_REJECTIONS])
        return StoredMany(rejected=len(self._rejections), rejections=shown, **self._counts)

    def _checked(self, chunk: list[tuple[int, Any]]) -> Iterator[tuple[int, dict[str, Any], bool]]:
        for number, raw in chunk:
            try:
                if isinstance(raw, Mapping):
                    refuse_namespaces(self._call.principal, raw)
                fields, notes = checked_item(raw)
            except BethinkError as wrong:
                self._reject(number, wrong)
                continue
            yield number, fields, bool(notes)

    def _unknown(self, reader: Reader, checked: list[tuple[int, dict[str, Any], bool]]) -> Iterator[tuple[int, Item]]:
        """Read the items, and leave out what the store holds already, so that a repeated run embeds nothing twice."""
        for number, fields, cleaned in checked:
            try:
                whole = with_parent(self._call, reader, fields)
                item = read_item(self._call, whole, namespace=self._path, key=self._key, origin=self._origin)
            except BethinkError as wrong:
                self._reject(number, wrong)
                continue
            self._counts["cleaned"] += cleaned or str(number) in self._cleaned
            self._counts["redacted"] += bool(item.redacted)
            same = identity(self._key, item.memory, occurred_given="occurred" in item.given)
            if same and reader.by_identity(same):
                self._counts["replayed"] += 1
            else:
                yield number, item

    def _reject(self, number: int, wrong: BethinkError) -> None:
        self._rejections.append(Rejection(item=number, reason=str(wrong), hint=wrong.hint))

    def _write(self, writer: Writer, drafts: list[tuple[int, Draft]]) -> list[tuple[int, str | BethinkError]]:
        outcomes: list[tuple[int, str | BethinkError]] = []
        for number, draft in drafts:
            try:
                outcome = add_draft(self._call, writer, draft, None)
            except (InvalidRequest, Conflict) as wrong:  # of what its namespace asks
                outcomes.append((number, wrong))
                continue
            outcomes.append((number, outcome.action if outcome else "add"))
            if outcome and outcome.action == "add" and draft.pieces is None:
                self._counts["without_vectors"] += 1
        return outcomes

    def _count(self, number: int, outcome: str | BethinkError) -> None:
        if isinstance(outcome, BethinkError):
            self._reject(number, outcome)
        else:
            self._counts["stored" if outcome == "add" else "replayed"] += 1


def tried_item(raw: Any, zone: tzinfo) -> dict[str, Any]:
    """Return one item as a store would take it, its times read in `zone`; raise what would reject it."""
    fields, _ = checked_item(raw)
    times_in(fields, zone, to_micros(datetime.now(zone)))
    return fields


def checked_item(raw: Any) -> tuple[dict[str, Any], list[str]]:
    """Return one item as `store` would have validated it, and what was cleaned from it."""
    if not isinstance(raw, Mapping):
        raise InvalidRequest(f"an item is an object, not {type(raw).__name__}", hint="Give {'content': ...}.")
    declared: Operation = store.operation  # type: ignore[attr-defined]  # set by the decorator
    tidy, notes = clean(plain(raw))
    if of_a_call := sorted(_OF_A_CALL & tidy.keys()):
        raise InvalidRequest(f"{of_a_call[0]!r} is not of one item: it goes with the call", hint="Leave it out.")
    read, more = clean(coerce(tidy, declared.params, [n for n in declared.params.model_fields if n not in _OF_A_CALL]))
    try:
        model = declared.params.model_validate(read)
    except ValidationError as wrong:
        raise explain(wrong, declared.params) from None
    return {name: getattr(model, name) for name in model.model_fields_set}, [*notes, *more]
