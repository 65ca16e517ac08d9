"""From a ranking to a page: each text and each document once, previews around what matched, within the budget."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import accumulate
from typing import TYPE_CHECKING, Final

from bethink.domain import STRUCTURAL, Source, Status, Value, from_micros
from bethink.operation import Call
from bethink.storage.protocol import Reader
from bethink.storage.values import Glimpse, Selection
from bethink.text.cut import excerpt, shorten
from bethink.text.times import age
from bethink.vocabulary import Detail

from .budget import BYTES_A_TOKEN, cost
from .confidence import Thresholds
from .plan import Plan
from .ranking import Ranking
from .related import Neighbour, heads

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

PREVIEW: Final = 600
_MOST_COPIES: Final = 10
_USUAL: Final = Thresholds()
_MOST_LOADED: Final = 200


class Parent(Value):
    """What a hit is a part of."""

    handle: str
    title: str


class Hit(Value):
    """One memory that answers, with how well and why.

    `copies` says how many others share its place: they hold the same text (`same_text`), or are chunks of the same
    document (`parts`), of which up to ten are named. `parent` is the document or the conversation that it is a part of,
    `related` what it is connected with, where that was asked for. Where an explanation was asked for, `terms` sum to
    the score, `ranks` say which place each source gave it, and `chance` is how often such a hit answers, by which it is
    labelled.
    """

    handle: str
    id: str | None = None
    kind: str
    title: str | None = None
    text: str | None = None
    score: float
    confidence_label: str
    why: tuple[str, ...] = ()
    namespace: str | None = None
    tags: tuple[str, ...] = ()
    occurred_at: datetime | None = None
    age: str | None = None
    source: Source | None = None
    status: str | None = None
    superseded_by: str | None = None
    parent: Parent | None = None
    same_text: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    copies: int | None = None
    related: tuple[Neighbour, ...] = ()
    terms: dict[str, float] | None = None
    ranks: dict[str, int] | None = None
    chance: float | None = None

    def explanation(self) -> list[str]:
        """Return what explains the score, as a line where it was asked for."""
        if self.terms is None:
            return []
        terms = " + ".join(f"{name} {value:g}" for name, value in self.counting().items())
        return [f"{self.score} = {terms}; {self.standing()}"]

    def counting(self) -> dict[str, float]:
        """Return the terms of the score but for those that add nothing."""
        return {name: value for name, value in (self.terms or {}).items() if value}

    def standing(self) -> str:
        """Return how likely it answers, and its place by each source."""
        ranks = ", ".join(f"{source} #{rank}" for source, rank in (self.ranks or {}).items())
        return f"answers with a chance of {self.chance}" + (f"; {ranks}" if ranks else "")


@dataclass(frozen=True, slots=True)
class Found:
    """A memory on the page, its place in the ranking, and the places of those that share it."""

    memory: Glimpse
    place: int
    copies: list[int]


@dataclass(frozen=True, slots=True)
class Page:
    """The memories of a page, and the places of the ranking that come after it."""

    found: list[Found]
    rest: list[int]

    def after(self, shown: int) -> list[int]:
        """Return the places that come after the first `shown` memories of the page."""
        cut = [place for f in self.found[shown:] for place in (f.place, *f.copies)]
        return sorted(cut) + self.rest


def fill(reader: Reader, ranking: Ranking, plan: Plan, limit: int, *, by: NDArray[np.int64] | None = None) -> Page:
    """Take memories in order until `limit` entries are found; phrases must be in them.

    `by` says what is one entry, by default what takes one place in an answer.
    """
    found: dict[int, Found] = {}
    entries = (ranking.entries if by is None else by).tolist()
    last = -1
    without: set[int] = set()
    for place, memory in _loaded(reader, ranking, limit):
        last = place
        if not _has_phrases(memory, plan):
            without.add(place)
        elif entries[place] not in found:
            found[entries[place]] = Found(memory, place, [])
        if len(found) == limit:  # before the generator loads more
            break
    rest = []
    for place, entry in enumerate(entries):
        if entry not in found:
            rest += [place] if place > last else []
        elif place != found[entry].place and place not in without:
            found[entry].copies.append(place)
    return Page(list(found.values()), rest)


def hits(
    call: Call,
    reader: Reader,
    page: Page,
    ranking: Ranking,
    plan: Plan,
    *,
    reach: Selection,
    detail: Detail,
    thresholds: Mapping[int, Thresholds],
    ranks: Mapping[int, dict[str, int]] | None,
) -> list[Hit]:
    """Return the page as it is shown to the caller.

    `thresholds` are those of namespaces with their own, by id; `ranks`, by number, are given where hits are explained.
    """
    ids = [f.memory.id for f in page.found]
    parents = _parents(reader, [f.memory for f in page.found], reach)
    overtaken = [f.memory.id for f in page.found if f.memory.status == Status.superseded]
    replaced = heads(reader, overtaken, reach)
    handles = reader.handles([*ids, *replaced.values()], reach)
    shown = {old: handles[new] for old, new in replaced.items()}
    copies = _copies(reader, page, ranking, reach)
    return [
        _hit(
            call, f, ranking, plan,
            handles=handles, parents=parents, replaced=shown, copies=copies,
            detail=detail, thresholds=thresholds, ranks=ranks,
        )
        for f in page.found
    ]  # fmt: skip


def within(found: Sequence[Hit], max_tokens: int) -> list[Hit]:
    """Return the first hits that fit into `max_tokens`; of a first one that alone is too long, as much as fits."""
    fit = sum(total <= max_tokens for total in accumulate(map(cost, found)))
    if fit or not found:
        return list(found[:fit])
    first = found[0]
    over = (cost(first) - max_tokens) * BYTES_A_TOKEN
    text = (first.text or "").encode()[: -over or None].decode(errors="ignore")
    return [first.model_copy(update={"text": shorten(first.text or "", max(len(text), 1))})]


def _loaded(reader: Reader, ranking: Ranking, chunk: int) -> Iterator[tuple[int, Glimpse]]:
    """Load a page at first, then ever more: where a phrase is looked for, most of what is loaded does not hold it."""
    at = 0
    while at < len(ranking):
        numbers = ranking.numbers[at : at + chunk].tolist()
        yield from zip(range(at, at + len(numbers)), reader.glimpses(numbers), strict=True)
        at, chunk = at + chunk, min(2 * chunk, _MOST_LOADED)


def _copies(reader: Reader, page: Page, ranking: Ranking, reach: Selection) -> dict[int, str]:
    """The handles of the memories that share the place of a hit, by their own."""
    places = [place for found in page.found for place in found.copies[:_MOST_COPIES]]
    if not places:
        return {}
    memories = reader.ids([int(ranking.numbers[place]) for place in places])
    handles = reader.handles(memories, reach)
    return {place: handles[memory] for place, memory in zip(places, memories, strict=True)}


def _parents(reader: Reader, memories: Sequence[Glimpse], reach: Selection) -> dict[str, Parent]:
    """What parts of documents and conversations are parts of, as far as it is in reach."""
    parents = {memory.parent for memory in memories if memory.parent is not None and memory.kind in STRUCTURAL}
    seen = list(reader.numbers(sorted(parents), reach)) if parents else []
    if not seen:
        return {}
    handles = reader.handles(seen, reach)
    return {
        parent: Parent(handle=handles[parent], title=named.title) for parent, named in reader.outlines(seen).items()
    }


def _has_phrases(memory: Glimpse, plan: Plan) -> bool:
    return all(phrase.stands_in(f"{memory.title}\n{memory.content}") for phrase in plan.phrases)


def _hit(
    call: Call,
    found: Found,
    ranking: Ranking,
    plan: Plan,
    *,
    handles: dict[str, str],
    parents: Mapping[str, Parent],
    replaced: dict[str, str],
    copies: dict[int, str],
    detail: Detail,
    thresholds: Mapping[int, Thresholds],
    ranks: Mapping[int, dict[str, int]] | None,
) -> Hit:
    memory, place = found.memory, found.place
    others = tuple(copies[place] for place in found.copies if place in copies)
    terms, chance = ranking.parts(place), ranking.chance(place)
    shown = detail is not Detail.ids
    return Hit(
        handle=handles[memory.id],
        id=memory.id if detail is Detail.full else None,
        kind=memory.kind,
        title=memory.title if shown else None,
        text=_text(memory, plan, int(ranking.windows[place]), detail) if shown else None,
        score=round(float(ranking.scores[place]), 4),
        confidence_label=thresholds.get(int(ranking.namespaces[place]), _USUAL).label(chance),
        why=tuple(name for name, value in sorted(terms.items(), key=lambda t: -t[1]) if value > 0),
        namespace=None if call.principal.confined else memory.namespace,
        tags=memory.tags,
        occurred_at=from_micros(memory.occurred_at),
        age=age(memory.occurred_at, call.ports.now()),
        source=memory.source,
        status=None if memory.status == Status.active else memory.status,
        superseded_by=replaced.get(memory.id),
        parent=parents.get(memory.parent or ""),
        same_text=() if ranking.documents[place] else others,
        parts=others if ranking.documents[place] else (),
        copies=len(found.copies) or None,
        terms=None if ranks is None else ranking.explained(place),
        ranks=None if ranks is None else ranks.get(int(ranking.numbers[place]), {}),
        chance=None if ranks is None else round(chance, 2),
    )


def _text(memory: Glimpse, plan: Plan, window: int, detail: Detail) -> str:
    content = memory.content
    if detail is Detail.full or len(content) <= PREVIEW:
        return content
    at = _first_match(content, plan)
    start = at if at is not None else window
    return excerpt(content, (start, min(start + 40, len(content))), PREVIEW) if start else shorten(content, PREVIEW)


def _first_match(content: str, plan: Plan) -> int | None:
    """Where the longest word of the question that the text holds stands."""
    lowered = content.lower()
    if len(lowered) != len(content):  # a few letters change their length in lower case
        return None
    return next((at for word in plan.words if (at := lowered.find(word)) >= 0), None)
