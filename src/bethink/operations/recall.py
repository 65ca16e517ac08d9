"""Find the memories that answer a question."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Any, Final, Unpack

from bethink.domain import Value
from bethink.errors import Unsupported
from bethink.operation import Call, Effect, operation
from bethink.recall import hits as hits_
from bethink.recall.budget import cost
from bethink.recall.confidence import HIGH, MEDIUM, Thresholds
from bethink.recall.cursor import issue, redeem
from bethink.recall.explaining import Explained, explained, ranks
from bethink.recall.hits import Hit
from bethink.recall.meaning import NOT_ASKED, Meaning, comparable, embedded
from bethink.recall.plan import Plan, understand
from bethink.recall.ranking import Ranking
from bethink.recall.related import wake
from bethink.recall.rerank import (
    UNJUDGED,
    Judged,
    Reading,
    awaited,
    judge,
    readings,
    reranked,
    restored,
    with_relevance,
)
from bethink.recall.selection import Chosen, choose, reachable
from bethink.recall.slips import meant
from bethink.recall.standing import Decay, decay_of
from bethink.recall.timing import When, dated, when
from bethink.recall.words import compared
from bethink.storage.protocol import Reader
from bethink.storage.values import Candidates, Glimpse, Miss, Question
from bethink.text.analyzer import VERSION
from bethink.text.secrets import redact
from bethink.vocabulary import (
    OPTIONS,
    Cursor,
    Detail,
    Filters,
    Fraction,
    Limit,
    MaxTokens,
    Mode,
    Query,
    TimeText,
    about,
)

_PURPOSE: Final = "recall"
# Ten further pages; a longer order would cost who reads the result more tokens than its hits.
_MOST_FROZEN: Final = 100
# A phrase is looked for in the texts of the candidates, which hold its words, so that there must be more of them.
_QUOTED_DEPTH: Final = 500
_OTHER_TERMS: Final = (
    "another version of Bethink made the keyword index, so words may be missed: `bethink reindex` rebuilds it, as a"
    " server does by itself"
)

ModeOf = Annotated[Mode, OPTIONS, about("hybrid, semantic or keyword")]
UseGraph = Annotated[bool, OPTIONS, about("follow ties")]
Rerank = Annotated[bool, OPTIONS, about("reread the best")]
RerankTop = Annotated[int, OPTIONS, about("how many", ge=1, le=100)]
DecayOf = Annotated[str, OPTIONS, about("none, auto, half_life:DAYS, linear:DAYS")]
MinScore = Annotated[Fraction, OPTIONS, about("floor")]
Explain = Annotated[bool, OPTIONS, about("why each score")]
IncludeRelated = Annotated[bool, about("And 3 related a hit.")]
RefersTo = Annotated[TimeText, about("Time asked about; ranks.")]
DetailOf = Annotated[Detail, about("summary: around the match.")]


class Recalled(Value):
    """Hits, best first. `reason` says why there are none; `skipped` which sources could not run.

    `explained` says what came into question and what of it was left out, where that was asked for.
    """

    hits: tuple[Hit, ...]
    more: int = 0
    cursor: str | None = None
    reason: str | None = None
    skipped: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    namespaces: tuple[str, ...] | None = None
    explained: Explained | None = None

    def compact(self) -> str:
        """Return it as the lines a model needs: a heading a hit, then its text."""
        lines = [line for hit in self.hits for line in _shown(hit)]
        if self.reason:
            lines.append(f"nothing found: {self.reason}")
        lines += [f"not searched: {reason}" for reason in self.skipped] + [f"note: {note}" for note in self.notes]
        lines += self.explained.lines() if self.explained else []
        if self.cursor:
            lines.append(f"{self.more} more; cursor={self.cursor}")
        return "\n".join(lines)


def _shown(hit: Hit) -> list[str]:
    facts = [
        hit.kind,
        hit.age,
        hit.namespace,
        hit.status,
        f"replaced by {hit.superseded_by}" if hit.superseded_by else None,
        f"part of {hit.parent.title} [{hit.parent.handle}]" if hit.parent else None,
        f"same text as {_names(hit, hit.same_text)}" if hit.same_text else None,
        f"as are {_names(hit, hit.parts)}" if hit.parts else None,
    ]
    tags = "".join(f" #{tag}" for tag in hit.tags)
    head = (
        f"[{hit.handle}] {hit.title or ''} ({', '.join(filter(None, facts))}; {hit.confidence_label} {hit.score}){tags}"
    )
    related = [f"  {n.relation} [{n.handle}] {n.title or ''}: {n.text or ''}".rstrip(": ") for n in hit.related]
    return [head, *([hit.text] if hit.text and hit.text != hit.title else []), *related, *hit.explanation()]


def _names(hit: Hit, others: Sequence[str]) -> str:
    more = (hit.copies or 0) - len(others)
    return ", ".join(others) + (f" and {more} more" if more > 0 else "")


@dataclass(frozen=True, slots=True)
class _Asked:
    """Everything about one call that its pages share."""

    plan: Plan
    given: Mapping[str, Any]
    limit: int
    detail: Detail
    max_tokens: int
    explain: bool
    related: bool
    mode: Mode
    floor: float | None
    when: When
    decay: Decay
    refers_to: str | None
    use_graph: bool
    rerank: bool | None
    rerank_top: int

    @property
    def key(self) -> list[Any]:
        """What a cursor is bound to."""
        how = [self.mode.value, self.floor, self.use_graph, str(self.decay)]
        return [self.plan.query, self.refers_to, how, sorted((k, str(v)) for k, v in self.given.items())]


@operation(Effect.READ, tool="memory_recall", http="POST /recall")
async def recall(
    call: Call,
    query: Query,
    *,
    refers_to: RefersTo | None = None,
    limit: Limit = 10,
    cursor: Cursor | None = None,
    detail: DetailOf = Detail.summary,
    max_tokens: MaxTokens = 8_000,
    include_related: IncludeRelated = False,
    explain: Explain = False,
    mode: ModeOf = Mode.hybrid,
    min_score: MinScore | None = None,
    use_graph: UseGraph = False,
    decay: DecayOf = "auto",
    rerank: Rerank | None = None,
    rerank_top: RerankTop = 20,
    **filters: Unpack[Filters],
) -> Recalled:
    """Find what is remembered about a question, best first. Call it before you guess or start work.

    An empty list means that nothing answers it, and `reason` says why: try other words once.
    Without a question use memory_list.
    """
    asked_when = when(query, refers_to, zone=call.ports.policy.timezone, now=call.ports.now())
    asked = _Asked(
        understand(query), filters, limit, detail, max_tokens, explain, include_related, mode, min_score, asked_when,
        decay_of(decay), refers_to, use_graph, rerank, rerank_top,
    )  # fmt: skip
    meaning = NOT_ASKED if mode is Mode.keyword else await embedded(call, query)
    if cursor is None:
        judged = await _judged(call, asked, meaning)
        result, shown = await call.ports.storage.read(lambda reader: _searched(call, reader, asked, meaning, judged))
    else:
        result, shown = await call.ports.storage.read(lambda reader: _continued(call, reader, asked, meaning, cursor))
    _record(call, shown, None if result.hits or cursor else asked.plan)
    return result


async def _judged(call: Call, asked: _Asked, meaning: Meaning) -> Judged:
    """Return what the reranker says of the best memories, where one is set and wanted; they are searched for it."""
    reranker = call.ports.reranker
    if asked.rerank is False or (asked.rerank is None and reranker is None):
        return UNJUDGED
    if reranker is None:
        return Judged({}, "no reranker is set")
    if why := await awaited(call, reranker):
        return Judged({}, why)
    found = await call.ports.storage.read(lambda reader: _to_read(call, reader, asked, meaning))
    return await judge(call, reranker, asked.plan.query, found) if found else UNJUDGED


def _to_read(call: Call, reader: Reader, asked: _Asked, meaning: Meaning) -> list[Reading]:
    search = _search(call, reader, asked, meaning)
    return readings(reader, search.ranking, search.asked.plan, asked.rerank_top)


@dataclass(frozen=True, slots=True)
class _Search:
    """What was asked in the end, where it was searched, what came into question, and in which order."""

    asked: _Asked
    chosen: Chosen
    meaning: Meaning
    candidates: Candidates
    ranking: Ranking


def _search(call: Call, reader: Reader, asked: _Asked, meaning: Meaning) -> _Search:
    """Search; where nothing holds what is quoted in a question by its words alone, where nothing answers for slips."""
    found = _searched_once(call, reader, asked, meaning)
    plan = asked.plan
    if plan.is_more_than_quoted and not hits_.fill(reader, found.ranking, plan, 1).found:
        plan = plan.loosen()
        found = _searched_once(call, reader, replace(asked, plan=plan), meaning)
    if len(found.ranking) or plan.phrases:
        return found
    taken = meant(reader, found.chosen.selection, found.candidates, forms=plan.forms, words=plan.words)
    if not taken.forms:
        return found
    return _searched_once(call, reader, replace(asked, plan=plan.taken_for(taken.forms, taken.notes)), meaning)


def _searched_once(call: Call, reader: Reader, asked: _Asked, meaning: Meaning) -> _Search:
    meaning = comparable(call, reader, meaning)
    chosen = choose(call, reader, asked.given, structural=True)
    time = dated(asked.when, reader, chosen.selection)
    from bethink.recall.rank import ranked

    candidates = _gathered(reader, asked, _question(asked, meaning, time), chosen, meaning, time=time)
    # What holds the quoted phrase to the letter is an answer, however frequent its words are.
    floor = 0.0 if asked.plan.phrases and asked.floor is None else asked.floor
    ranking = ranked(
        candidates,
        trust=meaning.trust,
        now=chosen.selection.now,
        when=time,
        decay=asked.decay,
        floor=floor,
        floors=_floors(reader),
        explain=asked.explain,
    )
    return _Search(asked, chosen, meaning, candidates, ranking)


def _searched(
    call: Call, reader: Reader, asked: _Asked, meaning: Meaning, judged: Judged
) -> tuple[Recalled, list[str]]:
    search = _search(call, reader, asked, meaning)
    asked, ranking = search.asked, reranked(search.ranking, judged.relevance)
    page, shown = _page(call, reader, asked, ranking, search.chosen, found=search.candidates, judged=judged)
    nothing = partial(_is_empty, call, reader, search.chosen)
    said = {
        **_said(reader, asked, search.meaning, page, judged),
        "reason": None if page.hits else _why_empty(asked, search.candidates, nothing, dropped=ranking.dropped),
    }
    return page.model_copy(update=said), shown


def _gathered(
    reader: Reader, asked: _Asked, question: Question, chosen: Chosen, meaning: Meaning, *, time: When
) -> Candidates:
    """The candidates of all sources, the best of them compared word by word."""
    from bethink.recall.rank import first_scores

    if asked.use_graph and asked.plan.terms:
        from bethink.graph.linked import linked_candidates

        found = linked_candidates(reader, question, chosen.selection, query=asked.plan.query, trust=meaning.trust)
    else:
        found = reader.candidates(question, chosen.selection)
    return compared(reader, found, meaning.words, first_scores(found, trust=meaning.trust, when=time))


def _question(asked: _Asked, meaning: Meaning, time: When) -> Question:
    if asked.mode is Mode.semantic and meaning.vector is None:
        raise Unsupported(f"meaning cannot be searched: {meaning.skipped}", hint="Use mode hybrid or keyword.")
    if not asked.plan.terms:  # of marks alone a model makes a vector too, which is near to anything
        return Question()
    if asked.mode is Mode.semantic:
        question = Question(vector=meaning.vector, spans=time.spans)
    else:
        more = asked.plan.further
        terms = asked.plan.terms + more.parts
        question = Question(
            terms, meaning.vector,
            speakers=asked.plan.speakers, forms=asked.plan.forms, unsure=more.unsure, spans=time.spans,
        )  # fmt: skip
    return replace(question, depth=_QUOTED_DEPTH, required=asked.plan.required) if asked.plan.phrases else question


def _said(reader: Reader, asked: _Asked, meaning: Meaning, page: Recalled, judged: Judged) -> dict[str, Any]:
    other = () if reader.analyzer() == VERSION else (_OTHER_TERMS,)
    skipped = {"meaning": meaning.skipped, "rerank": judged.skipped}
    return {
        "skipped": tuple(f"{source}: {why}" for source, why in skipped.items() if why),
        "notes": (*asked.plan.notes, *meaning.notes, *page.notes, *other),
    }


def _floors(reader: Reader) -> dict[int, float]:
    return {place.id: place.namespace.floor for place in reader.places() if place.namespace.floor is not None}


def _thresholds(reader: Reader) -> dict[int, Thresholds]:
    settings = ((place.id, place.namespace.high_from, place.namespace.medium_from) for place in reader.places())
    return {
        place: Thresholds(HIGH if high is None else high, MEDIUM if medium is None else medium)
        for place, high, medium in settings
        if (high, medium) != (None, None)
    }


def _is_empty(call: Call, reader: Reader, chosen: Chosen) -> bool:
    """Say whether the searched namespaces hold nothing that the caller may see, whatever its state."""
    return not reader.count(replace(reachable(call, reader), namespaces=chosen.selection.namespaces))


def _why_empty(asked: _Asked, found: Candidates, nothing: Callable[[], bool], *, dropped: int) -> str:
    if not asked.plan.terms:
        return "the query holds no word to look up"
    if nothing():
        return "nothing is stored in reach"
    if asked.plan.phrases and len(found.numbers) >= _QUOTED_DEPTH:
        return f"none of the {len(found.numbers):,} memories that come nearest holds the quoted phrase"
    if asked.plan.phrases:
        return "no memory holds the quoted phrase"
    if dropped:
        return f"{dropped} came near, none near enough to be an answer"
    return "no memory in reach matches the filters and the question"


def _continued(call: Call, reader: Reader, asked: _Asked, meaning: Meaning, cursor: str) -> tuple[Recalled, list[str]]:
    """Go on in the order that the cursor froze; what is scored anew are the memories, not their places."""
    bound = [call.principal.name, *asked.key]
    state, frozen = redeem(reader.secret(), cursor, purpose=_PURPOSE, call=bound, now=call.ports.now())
    third, doubt, loosened, forms, *kept = state
    plan = asked.plan.loosen() if loosened else asked.plan
    asked = replace(asked, plan=plan.taken_for(forms)) if forms else replace(asked, plan=plan)
    meaning = comparable(call, reader, meaning)
    chosen = choose(call, reader, asked.given, structural=True)
    current = reader.current(frozen, chosen.selection)
    numbers = tuple(current[number] for number in frozen if number in current)
    time = dated(asked.when, reader, chosen.selection)
    question = _question(asked, meaning, time)
    candidates = _gathered(reader, asked, replace(question, among=numbers), chosen, meaning, time=time)
    from bethink.recall.rank import ranked_again

    judged = restored(kept, [current.get(number) for number in frozen])
    ranking = ranked_again(
        candidates,
        numbers,
        trust=meaning.trust,
        now=chosen.selection.now,
        when=time,
        decay=asked.decay,
        doubt=doubt,
        third=third,
    )
    ranking = with_relevance(ranking, judged.relevance)
    # The places by each source are those among all that came into question, also on a later page.
    found = _gathered(reader, asked, question, chosen, meaning, time=time) if asked.explain else candidates
    page, shown = _page(call, reader, asked, ranking, chosen, found=found, judged=judged)
    told = _said(reader, asked, meaning, page, judged)
    if page.cursor is None:
        told["notes"] += ("the order ends here; what came less near is found by other words or memory_list",)
    return page.model_copy(update=told), shown


def _page(
    call: Call, reader: Reader, asked: _Asked, ranking: Ranking, chosen: Chosen, *, found: Candidates, judged: Judged
) -> tuple[Recalled, list[str]]:
    filled = hits_.fill(reader, ranking, asked.plan, asked.limit)
    reach = reachable(call, reader)
    shown = hits_.hits(
        call, reader, filled, ranking, asked.plan,
        reach=reach, detail=asked.detail, thresholds=_thresholds(reader),
        ranks=ranks(found) if asked.explain else None,
    )  # fmt: skip
    fitting = hits_.within(shown, asked.max_tokens)
    fit = len(fitting)
    rest = filled.after(fit)[:_MOST_FROZEN]
    told = None
    if asked.explain:
        floors = _floors_told(call, reader, asked, ranking, chosen)
        told = explained(reader, found, ranking, filled, floors=floors, fit=fit, reach=reach)
    result = Recalled(
        hits=tuple(fitting),
        more=len(set(ranking.entries[rest].tolist())),
        cursor=_cursor(call, reader, asked, ranking, rest=rest, judged=judged) if rest else None,
        notes=tuple(_cut(shown, fitting)),
        namespaces=None if call.principal.confined else chosen.namespaces,
        explained=told,
    )
    memories = [f.memory for f in filled.found[:fit]]
    if asked.related:
        return _with_related(call, reader, asked, result, found=memories, chosen=chosen)
    return result, [memory.id for memory in memories]


def _floors_told(call: Call, reader: Reader, asked: _Asked, ranking: Ranking, chosen: Chosen) -> dict[str, float]:
    """Return the floors that applied, by whose they are."""
    if asked.floor is not None:
        return {"min_score": asked.floor}
    if asked.plan.phrases:
        return {"quotation": 0.0}
    searched = (place.namespace for place in reader.places() if place.namespace.path in chosen.namespaces)
    measured = [(namespace.path, namespace.floor) for namespace in searched if namespace.floor is not None]
    own = {
        f"measured {number}" if call.principal.confined else f"measured in {path}": floor
        for number, (path, floor) in enumerate(measured, 1)
    }
    usual = {} if ranking.floor is None or len(own) == len(chosen.namespaces) else {"usual": ranking.floor}
    return usual | own


def _with_related(
    call: Call, reader: Reader, asked: _Asked, page: Recalled, *, found: Sequence[Glimpse], chosen: Chosen
) -> tuple[Recalled, list[str]]:
    """Return the page with what its hits are connected with, as far as tokens are left, and the ids of all it shows."""
    left = max(asked.max_tokens - sum(map(cost, page.hits)), 0)
    reach, bare = reachable(call, reader), asked.detail is Detail.ids
    woken = wake(reader, found, chosen.selection, reach=reach, tokens=left, bare=bare)
    hits = [
        hit.model_copy(update={"related": woken.neighbours.get(memory.id, ())})
        for hit, memory in zip(page.hits, found, strict=True)
    ]
    cut = (f"{woken.left_out} related did not fit into max_tokens",) if woken.left_out else ()
    said = page.model_copy(update={"hits": tuple(hits), "notes": (*page.notes, *cut)})
    return said, [*(memory.id for memory in found), *woken.ids]


def _cut(shown: Sequence[Hit], fitting: Sequence[Hit]) -> Iterator[str]:
    if len(fitting) < len(shown):
        yield f"{len(shown) - len(fitting)} more did not fit into max_tokens"
    if fitting and fitting[0] != shown[0]:
        yield f"the text of {fitting[0].handle} was shortened to fit into max_tokens"


def _cursor(call: Call, reader: Reader, asked: _Asked, ranking: Ranking, *, rest: Sequence[int], judged: Judged) -> str:
    """Freeze the order, and what was said of memories: the reranker is not asked again for a later page."""
    bound, order = [call.principal.name, *asked.key], ranking.numbers[rest].tolist()
    plan = asked.plan
    frozen = [round(ranking.rival, 4), round(ranking.doubt, 4) or 0, int(plan.loosened), plan.meant or 0]
    state = [*frozen, *judged.kept(order)]
    return issue(reader.secret(), purpose=_PURPOSE, call=bound, state=state, now=call.ports.now(), order=order)


def _record(call: Call, shown: list[str], missed: Plan | None) -> None:
    """Leave what was shown to the journal; nothing of it is on the answer's path."""
    principal, now = call.principal, call.ports.now()
    rows = [(principal.name, principal.agent or "", memory, now) for memory in shown]
    call.ports.journal.note(rows, _miss(call, missed, now) if missed is not None and missed.terms else None)


def _miss(call: Call, plan: Plan, now: int) -> Miss:
    query = plan.query if call.ports.policy.secrets == "allow" else redact(plan.query)[0]
    return Miss(call.principal.name, call.principal.place, query, plan.key, now)
