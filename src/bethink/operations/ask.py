"""Answer one question from what is remembered, with what it rests on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Annotated, Any, Final, Literal, Unpack

from bethink.domain import Memory, Status, Value, to_micros
from bethink.errors import Unavailable
from bethink.models.protocol import embed_within
from bethink.operation import Call, Effect, operation
from bethink.recall.budget import cost
from bethink.recall.handles import resolve_all
from bethink.recall.hits import Hit
from bethink.recall.meaning import Meaning, embedded
from bethink.recall.passages import MEANING, Passage, Sought, best, passages, promising
from bethink.recall.plan import understand
from bethink.recall.selection import choose, reachable
from bethink.recall.walk import Reached, Walk, walk
from bethink.storage.protocol import Reader
from bethink.text.cut import shorten
from bethink.text.times import age
from bethink.vocabulary import Detail, Filters, MaxTokens, Query, about

from .recall import recall

_SEEDS: Final = 10
_LEAST_SHARE: Final = 0.2
_TOKENS_A_SENTENCE: Final = 250  # twice in the result, with what it rests on, and its share of what is around
_MOST_SENTENCES: Final = 20
_MOST_WEIGHED: Final = 40
_EVERYTHING: Final = 1_000_000
_SHORTEST_QUOTE: Final = 40

Hops = Annotated[int, about("How many edges to walk from what is found.", ge=0, le=4)]
Budget = Annotated[MaxTokens, about("Most tokens of the whole result.")]
Instructions = Annotated[str, about("How the answer should look, where a language model writes it.", max_length=2_000)]


class Citation(Value):
    """A sentence that the answer is made of: which memory it stands in, and between which characters."""

    handle: str
    quote: str
    start: int
    end: int
    kind: str
    occurred_at: datetime
    age: str
    status: str | None = None


class Visited(Value):
    """A memory that the answer was looked for in: found by the question itself, or so many `hops` from what was."""

    handle: str
    title: str
    kind: str
    hops: int
    relevance: float


class Edge(Value):
    """An edge between two of the memories."""

    source: str
    type: str
    target: str


class Answer(Value):
    """What memory says to a question. `extracted`: the answer is sentences of memories, cited one by one, in order.

    `unanswered` says why there is none. `skipped` names what could not run.
    """

    answer: str | None = None
    method: Literal["extracted"] | None = None
    citations: tuple[Citation, ...] = ()
    unanswered: str | None = None
    memories: tuple[Visited, ...] = ()
    relations: tuple[Edge, ...] = ()
    skipped: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    namespaces: tuple[str, ...] | None = None

    def compact(self) -> str:
        """Return it as the lines a model needs: each sentence with what it rests on, then what stands around it."""
        lines = [f"unanswered: {self.unanswered}"] if self.unanswered else ["extracted, best first:"]
        lines += [_cited(citation) for citation in self.citations]
        lines += [f"around: [{m.handle}] {m.title} ({m.kind}, {m.hops} hops)" for m in self.memories if m.hops]
        lines += [f"[{edge.source}] {edge.type} [{edge.target}]" for edge in self.relations]
        lines += [f"not used: {reason}" for reason in self.skipped]
        return "\n".join([*lines, *(f"note: {note}" for note in self.notes)])


def _cited(citation: Citation) -> str:
    facts = ", ".join(filter(None, [citation.kind, citation.age, citation.status]))
    return f"[{citation.handle}] {citation.quote} ({facts})"


@dataclass(frozen=True, slots=True)
class _Gathered:
    """What is around a question: the memories that were reached, their handles, and the passages in them."""

    walk: Walk
    memories: Mapping[str, Memory]
    handles: Mapping[str, str]
    passages: Sequence[Passage]


@operation(Effect.READ, tool="memory_ask", http="POST /ask", toolset="read")
async def ask(
    call: Call,
    query: Query,
    *,
    hops: Hops = 2,
    instructions: Instructions | None = None,
    max_tokens: Budget = 1_500,
    **filters: Unpack[Filters],
) -> Answer:
    """Answer one question in a few cited sentences, from what recall finds and what relations join to it.

    No language model writes it: the sentences stand in the memories as quoted, best first. Where the floor left
    nothing, `unanswered` says why. For whole memories and more of them use memory_recall.
    """
    most = min(max(max_tokens // _TOKENS_A_SENTENCE, 1), _MOST_SENTENCES)
    found = await recall(call, query, limit=max(_SEEDS, most), detail=Detail.full, max_tokens=_EVERYTHING, **filters)
    skipped = (*found.skipped, *(_UNFOLLOWED if instructions else ()))
    bare = Answer(skipped=skipped, notes=found.notes, namespaces=found.namespaces)
    if not found.hits:
        return bare.model_copy(update={"unanswered": found.reason})
    gathered = await call.ports.storage.read(
        lambda reader: _gathered(call, reader, query, found.hits, filters, hops=hops)
    )
    chosen = best(await _weighed(call, query, gathered.passages), most)
    return _within(call, chosen, gathered, bare.model_copy(update={"method": "extracted"}), max_tokens)


_UNFOLLOWED: Final = ("instructions: no language model is set, so the sentences are quoted as they stand",)


def _gathered(
    call: Call, reader: Reader, query: str, hits: Sequence[Hit], filters: Mapping[str, Any], *, hops: int
) -> _Gathered:
    top = hits[0].score or 1.0
    seeds = {hit.id: hit.score / top for hit in hits if hit.id and hit.score >= _LEAST_SHARE * top}
    reach = reachable(call, reader)
    for hit in hits:
        if hit.id in seeds:
            seeds |= dict.fromkeys(resolve_all(reader, hit.parts, reach)[0], seeds[hit.id])
    walked = walk(reader, seeds, choose(call, reader, filters, structural=True).selection, hops=hops)
    memories = {kept.memory.id: kept.memory for kept in reader.kept(list(walked.memories))}
    sought = Sought(reader.rarity(understand(query).terms))
    return _Gathered(
        walked,
        memories,
        reader.handles(list(memories), reachable(call, reader)),
        [p for memory in memories.values() for p in _passages(memory, walked.memories[memory.id], sought)],
    )


def _passages(memory: Memory, reached: Reached, sought: Sought) -> list[Passage]:
    return passages(memory.id, memory.title, memory.content, reached.relevance, sought)


async def _weighed(call: Call, query: str, found: Sequence[Passage]) -> Sequence[Passage]:
    """Return the most promising passages with how near each is to the question in meaning, where that can be told."""
    nearest = promising(found, _MOST_WEIGHED)
    meaning = await embedded(call, query)
    if meaning.vector is None:
        return nearest
    cosines = await _cosines(call, meaning, nearest)
    return [replace(p, score=p.score + MEANING * cosine) for p, cosine in zip(nearest, cosines, strict=True)]


async def _cosines(call: Call, meaning: Meaning, found: Sequence[Passage]) -> Iterator[float]:
    texts = [passage.text for passage in found]
    try:
        rows = await embed_within(call.ports.policy.seconds_for(len(texts)), call.ports.embedder, texts, "document")
    except Unavailable:  # the recall before it has said so, or the next one will
        return iter([0.0] * len(texts))
    return (meaning.trust * float(row @ meaning.vector) for row in rows)


def _within(call: Call, chosen: Sequence[Passage], gathered: _Gathered, bare: Answer, tokens: int) -> Answer:
    """Return the answer with as many sentences as fit, one at least, then as much of what is around as fits."""
    citations = [_citation(call, passage, gathered) for passage in chosen]
    answer = _of(bare, citations)
    while len(citations) > 1 and cost(answer) > tokens:
        answer = _of(bare, citations := citations[:-1])
    if citations and cost(answer) > tokens:
        answer = _of(bare, [_shortened(citations[0], max(tokens - cost(_of(bare, [])), 0))])
    return _with_graph(answer, gathered, tokens)


def _of(bare: Answer, citations: Sequence[Citation]) -> Answer:
    return bare.model_copy(
        update={"answer": " ".join(citation.quote for citation in citations), "citations": tuple(citations)}
    )


def _shortened(citation: Citation, tokens: int) -> Citation:
    quote = citation.quote[: max(tokens, _SHORTEST_QUOTE)]
    return citation.model_copy(update={"quote": quote, "end": citation.start + len(quote)})


def _citation(call: Call, passage: Passage, gathered: _Gathered) -> Citation:
    memory = gathered.memories[passage.memory]
    return Citation(
        handle=gathered.handles[memory.id],
        quote=passage.text,
        start=passage.start,
        end=passage.end,
        kind=memory.kind.value,
        occurred_at=memory.occurred_at,
        age=age(to_micros(memory.occurred_at), call.ports.now()),
        status=None if memory.status is Status.active else memory.status.value,
    )


def _with_graph(answer: Answer, gathered: _Gathered, tokens: int) -> Answer:
    """Add the memories that were reached, those that matter most first, with the edges between them, while they fit."""
    left = tokens - cost(answer)
    shown: dict[str, Visited] = {}
    for memory, reached in sorted(gathered.walk.memories.items(), key=lambda one: (-one[1].relevance, one[0])):
        if memory in gathered.memories:
            visited = _visited(gathered.memories[memory], gathered.handles[memory], reached)
            if (left := left - cost(visited)) < 0:
                break
            shown[memory] = visited
    edges = []
    for edge in gathered.walk.edges:
        if edge.source in shown and edge.target in shown:
            told = Edge(source=shown[edge.source].handle, type=edge.type, target=shown[edge.target].handle)
            if (left := left - cost(told)) < 0:
                break
            edges.append(told)
    return answer.model_copy(update={"memories": tuple(shown.values()), "relations": tuple(edges)})


def _visited(memory: Memory, handle: str, reached: Reached) -> Visited:
    return Visited(
        handle=handle,
        title=shorten(memory.title, 100),
        kind=memory.kind.value,
        hops=reached.hops,
        relevance=round(reached.relevance, 4),
    )
