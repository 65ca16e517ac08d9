"""Reading the benchmark data; what is missing says how to get it."""

from __future__ import annotations

import json
import lzma
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bethink.text.times import DAY, parse_time

_ANY_BEIR = "any set in BEIR form, such as allenai/scifact (CC BY 4.0) or JSQuAD (CC BY-SA 4.0)"
SOURCES = {
    "locomo/locomo.json": "snap-research/locomo, data/locomo10.json (CC BY-NC 4.0)",
    "longmemeval/sessions.jsonl.xz": "xiaowu0162/LongMemEval, cleaned S set, one session a line (MIT)",
    "longmemeval/questions.json": "xiaowu0162/LongMemEval, cleaned S set, questions with their haystacks (MIT)",
    "retrieval/scifact/queries.jsonl": "allenai/scifact, the claims in BEIR form (CC BY 4.0)",
    "beam/*.jsonl.xz": "mohammadtavakoli78/BEAM, a file a size, one chat a line (no licence stated)",
    **{f"retrieval/*/{name}": _ANY_BEIR for name in ("corpus.jsonl", "queries.jsonl", "qrels.tsv")},
}
_UNDATED = "2023-01-01T00:00:00+00:00"


class Missing(Exception):
    """The data of a benchmark is not there; the message says how to get it."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of a LoCoMo conversation."""

    id: str
    session: str
    text: str
    occurred_at: str


@dataclass(frozen=True, slots=True)
class Case:
    """One question with the ids that answer it, and its label."""

    question: str
    gold: frozenset[str]
    label: str


@dataclass(frozen=True, slots=True)
class Talk:
    """One conversation with its questions."""

    name: str
    turns: list[Turn]
    cases: list[Case]

    @property
    def asked_at(self) -> int:
        """A day after its last turn, in microseconds since the epoch: its questions are about what was said."""
        return max(micros(turn.occurred_at) for turn in self.turns) + DAY


@dataclass(frozen=True, slots=True)
class Document:
    """One document of a set in BEIR form."""

    id: str
    title: str
    text: str


def need(data: Path, name: str) -> list[Path]:
    """Return the paths of a data file, or of all that fit a pattern; if there is none, raise with where to get it."""
    found = sorted(data.glob(name))
    if not found:
        raise Missing(
            f"{data / name} is missing. Get it from {SOURCES[name]}, in the form that bench/README.md tells;"
            " say where it is with --data or BETHINK_BENCH_DATA."
        )
    return found


def locomo(data: Path) -> list[Talk]:
    """Return the LoCoMo conversations: one memory a turn, 'Speaker: text', image captions included."""
    samples = json.loads(_one(data, "locomo/locomo.json").read_text(encoding="utf-8"))
    return [_talk(sample) for sample in samples]


def locomo_statements(data: Path) -> dict[str, list[tuple[str, frozenset[str]]]]:
    """Return for each conversation what people wrote down of it: statements, each with the turns that it rests on."""
    samples = json.loads(_one(data, "locomo/locomo.json").read_text(encoding="utf-8"))
    return {sample["sample_id"]: _statements(sample.get("observation", {})) for sample in samples}


def longmemeval_sessions(data: Path) -> Iterator[tuple[str, list[dict[str, str]]]]:
    """Yield (id, turns) of every LongMemEval session."""
    for row in _compressed(_one(data, "longmemeval/sessions.jsonl.xz")):
        yield row["id"], row["turns"]


def longmemeval_questions(data: Path) -> list[dict[str, Any]]:
    """Return the LongMemEval questions with their haystacks."""
    found: list[dict[str, Any]] = json.loads(_one(data, "longmemeval/questions.json").read_text(encoding="utf-8"))
    return found


def longmemeval_turns(data: Path, most: int) -> list[str]:
    """Return the texts of the first turns, at most 1,000 characters each."""
    texts: list[str] = []
    for _, turns in longmemeval_sessions(data):
        texts += [turn["content"][:1000] for turn in turns if turn["content"].strip()]
        if len(texts) >= most:
            return texts[:most]
    return texts


def session_text(turns: list[dict[str, str]]) -> str:
    """Return a LongMemEval session as one text, a paragraph a turn."""
    return "\n\n".join(f"{turn['role']}: {turn['content'].strip()}" for turn in turns)


def longmemeval_time(text: str) -> str:
    """Return '2023/05/20 (Sat) 02:21' as RFC 3339."""
    day, _, clock = text.partition(" (")
    return datetime.strptime(f"{day} {clock[-5:]}", "%Y/%m/%d %H:%M").replace(tzinfo=UTC).isoformat()


def longmemeval_asked_at(question: dict[str, Any]) -> int:
    """Return when a question is asked, in microseconds since the epoch.

    Some haystacks hold sessions that are dated later than their question: it is asked after the last of them.
    """
    dates = (question["question_date"], *question["haystack_dates"])
    return max(micros(longmemeval_time(date)) for date in dates)


def micros(text: str) -> int:
    """Return an RFC 3339 time in microseconds since the epoch."""
    return parse_time(text, parameter="time", zone=UTC).start


def scifact_claims(data: Path) -> list[str]:
    """Return the SciFact claims, off topic for every conversation."""
    return [row["text"] for row in _rows(_one(data, "retrieval/scifact/queries.jsonl"))]


def beam(data: Path) -> dict[str, list[Talk]]:
    """Return the BEAM chats of each size: one memory a message, 'role: text', a session wherever a time is given."""
    sizes = need(data, "beam/*.jsonl.xz")
    return {path.name.removesuffix(".jsonl.xz"): [_chat(row) for row in _compressed(path)] for path in sizes}


def beir(data: Path) -> dict[str, tuple[list[Document], list[Case]]]:
    """Return the documents and questions of each set in BEIR form, by the name of its folder."""
    return {path.parent.name: _collection(path.parent) for path in need(data, "retrieval/*/corpus.jsonl")}


def _one(data: Path, name: str) -> Path:
    return need(data, name)[0]


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def _compressed(path: Path) -> Iterator[dict[str, Any]]:
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def _chat(row: dict[str, Any]) -> Talk:
    cases = [Case(q["question"], frozenset(map(str, q["gold"])), q["ability"]) for q in row["questions"] if q["gold"]]
    return Talk(row["chat"], list(_messages(row["messages"])), cases)


def _messages(messages: list[dict[str, Any]]) -> Iterator[Turn]:
    session, when = 0, _UNDATED
    for message in messages:
        if message["time"]:
            session += 1
            when = datetime.strptime(message["time"], "%B-%d-%Y").replace(tzinfo=UTC).isoformat()
        yield Turn(str(message["id"]), str(session), f"{message['role']}: {message['text']}", when)


def _collection(folder: Path) -> tuple[list[Document], list[Case]]:
    documents = [Document(row["_id"], row.get("title", ""), row["text"]) for row in _rows(folder / "corpus.jsonl")]
    gold: defaultdict[str, set[str]] = defaultdict(set)
    for line in (folder / "qrels.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        question, document, grade = line.split("\t")
        if int(grade) > 0:
            gold[question].add(document)
    asked = {row["_id"]: row["text"] for row in _rows(folder / "queries.jsonl")}
    return documents, [Case(asked[i], frozenset(found), folder.name) for i, found in gold.items() if i in asked]


def _talk(sample: dict[str, Any]) -> Talk:
    turns = [turn for number in range(1, 100) for turn in _session(sample["conversation"], number)]
    ids = {turn.id for turn in turns}
    return Talk(sample["sample_id"], turns, [_case(qa, ids) for qa in sample["qa"]])


def _session(conversation: dict[str, Any], number: int) -> Iterator[Turn]:
    when = _locomo_time(conversation.get(f"session_{number}_date_time", ""))
    for turn in conversation.get(f"session_{number}", []):
        caption = f" [shares an image: {turn['blip_caption']}]" if turn.get("blip_caption") else ""
        yield Turn(turn["dia_id"], f"D{number}", f"{turn['speaker']}: {turn['text']}{caption}", when)


def _statements(observed: dict[str, Any]) -> list[tuple[str, frozenset[str]]]:
    said = (row for by_speaker in observed.values() for rows in by_speaker.values() for row in rows)
    return [(text, frozenset(re.findall(r"D\d+:\d+", str(turns)))) for text, turns in said]


def _case(qa: dict[str, Any], ids: set[str]) -> Case:
    gold = frozenset(i for e in qa.get("evidence", []) for i in re.findall(r"D\d+:\d+", e) if i in ids)
    return Case(qa["question"], gold, str(qa["category"]))


def _locomo_time(text: str) -> str:
    """Return '1:56 pm on 8 May, 2023' as RFC 3339."""
    if not text:
        return _UNDATED
    return datetime.strptime(text, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC).isoformat()
