"""Say what was asked again and again and found nothing."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from itertools import accumulate
from typing import Annotated, Final

from bethink.domain import Value, from_micros
from bethink.errors import InvalidRequest
from bethink.operation import Call, Effect, operation
from bethink.principal import Permission, ancestors, namespace_path
from bethink.recall.budget import cost
from bethink.storage.protocol import Reader
from bethink.storage.values import Asker, Gap
from bethink.text.counts import counted
from bethink.text.cut import shorten
from bethink.text.times import age
from bethink.vocabulary import Detail, Filters, Namespaces, Needs, WhatFits, about

from .recall import recall

_ALL: Final = "all"
_LONGEST_QUESTION: Final = 300
_MOST_SEARCHED: Final = 64

Least = Annotated[int, about("Only what was asked so often.", ge=1, le=1_000_000)]
MostGaps = Annotated[int, about("Most questions.", ge=1, le=50)]
Forget = Annotated[
    list[Annotated[str, about("Of a question.", min_length=1, max_length=64)]],
    Needs(Permission.write),
    about("Ids of questions to take off this list, or `all`.", min_length=1, max_length=200),
]


class Question(Value):
    """A question that found nothing: how often, when first and last, and what would answer it by now, if anything.

    `question` is in the words of the last time; others differ in order, case or form. `answered_by` is a handle.
    """

    id: str
    text: str
    count: int
    first_asked: datetime
    last_asked: datetime
    age: str
    answered_by: str | None = None
    namespaces: tuple[str, ...] | None = None


class Gaps(Value):
    """Questions that found nothing, most frequent first; `more` were left off.

    `earlier` counts, for the owner, what found nothing before the log of questions begins. `forgotten` and `missing`
    tell what became of the ids in `forget`.
    """

    questions: tuple[Question, ...]
    more: int = 0
    earlier: int | None = None
    forgotten: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()

    def compact(self) -> str:
        """Return it as the lines a model needs, one a question."""
        lines = [_line(question) for question in self.questions] or ["no question found nothing so often"]
        lines += [f"{self.more:,} more"] if self.more else []
        lines += [f"{counted(self.earlier, 'question', 'questions')} before that found nothing"] if self.earlier else []
        said = {"forgotten": self.forgotten, "not found": self.missing}
        return "\n".join([*lines, *(f"{what}: {', '.join(ids)}" for what, ids in said.items() if ids)])


def _line(question: Question) -> str:
    times = counted(question.count, "time", "times")
    by = f"; [{question.answered_by}] answers it now" if question.answered_by else ""
    where = f" in {', '.join(question.namespaces)}" if question.namespaces else ""
    return f"[{question.id}] {question.text} ({times}{where}, last {question.age}{by})"


@operation(Effect.WRITE, tool="memory_gaps", http="POST /gaps", toolset="read", readable=True)
async def gaps(
    call: Call,
    *,
    least: Least = 2,
    limit: MostGaps = 20,
    forget: Forget | None = None,
    namespaces: Namespaces | None = None,
    max_tokens: WhatFits = None,
) -> Gaps:
    """List the questions that came again and found nothing, most frequent first: what is worth finding out and storing.

    Questions of the same words in another order or form count as one. `answered_by` names what was stored since and
    would answer; with `forget` such a question is taken off the list. No memory is changed.
    """
    if forget is not None:
        call.require(Permission.write, "gaps forget")
    asker = _asker(call, namespaces)
    gone, missing = await _forgotten(call, forget, asker)
    found, earlier, paths = await call.ports.storage.read(lambda reader: _read(call, reader, asker, least))
    shown = [await _shown(call, gap, paths) for gap in found[:limit]]
    if max_tokens is not None:
        shown = shown[: sum(total <= max_tokens for total in accumulate(map(cost, shown)))]
    return Gaps(questions=tuple(shown), more=len(found) - len(shown), earlier=earlier, forgotten=gone, missing=missing)


def _asker(call: Call, namespaces: Sequence[str] | None) -> Asker:
    if call.principal.confined:
        return Asker(principal=call.principal.name)
    return Asker(places=frozenset(map(namespace_path, namespaces)) if namespaces else None)


async def _forgotten(call: Call, asked: Sequence[str] | None, asker: Asker) -> tuple[tuple[str, ...], tuple[str, ...]]:
    if asked is None:
        return (), ()
    if _ALL in asked and len(asked) > 1:
        raise InvalidRequest("forget: 'all' stands beside ids", hint="Give ids, or all alone.")
    keys = None if _ALL in asked else list(asked)
    gone = await call.ports.storage.write(lambda writer: writer.forget_gaps(keys, asker))
    return tuple(gone), tuple(key for key in dict.fromkeys(keys or ()) if key not in gone)


def _read(call: Call, reader: Reader, asker: Asker, least: int) -> tuple[list[Gap], int | None, list[str]]:
    earlier = None if call.principal.confined else (reader.daily("missed") or None)
    return reader.gaps(asker, least), earlier, [place.namespace.path for place in reader.places()]


async def _shown(call: Call, gap: Gap, paths: Sequence[str]) -> Question:
    above = {path for place in gap.places for path in ancestors(place)}
    near = [path for path in paths if path in above or call.principal.default_read.covers(path)]
    return Question(
        id=gap.key,
        text=shorten(" ".join(gap.query.split()), _LONGEST_QUESTION),
        count=gap.count,
        first_asked=from_micros(gap.first),
        last_asked=from_micros(gap.last),
        age=age(gap.last, call.ports.now()),
        answered_by=await _answer(call, gap.query, near),
        namespaces=None if call.principal.confined else gap.places,
    )


async def _answer(call: Call, question: str, near: Sequence[str]) -> str | None:
    """What a recall finds by now where it was asked; it is not noted, or looking at the list would make it longer."""
    aside = Call(call.ports.unrecorded(), call.principal)
    where: Filters = {} if call.principal.confined or not near else {"namespaces": [*near][:_MOST_SEARCHED]}
    found = await recall(aside, question, limit=1, detail=Detail.ids, rerank=False, **where)
    return found.hits[0].handle if found.hits else None
