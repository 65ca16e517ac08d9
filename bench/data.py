"""Reading the benchmark data; what is missing says how to get it."""

from __future__ import annotations

import json
import lzma
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

SOURCES = {
    "locomo/locomo.json": "snap-research/locomo, data/locomo10.json (CC BY-NC 4.0)",
    "longmemeval/sessions.jsonl.xz": "xiaowu0162/LongMemEval, cleaned S set, one session a line (MIT)",
    "longmemeval/questions.json": "xiaowu0162/LongMemEval, cleaned S set, questions with their haystacks (MIT)",
    "retrieval/scifact/queries.jsonl": "allenai/scifact, the claims in BEIR form (CC BY 4.0)",
}


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
    """One LoCoMo conversation with its questions."""

    name: str
    turns: list[Turn]
    cases: list[Case]


def need(data: Path, name: str) -> Path:
    """Return the path of a data file, or raise with where it comes from."""
    path = data / name
    if not path.exists():
        raise Missing(
            f"{path} is missing. Get it from {SOURCES[name]}, in the form that bench/README.md tells;"
            " say where it is with --data or BETHINK_BENCH_DATA."
        )
    return path


def locomo(data: Path) -> list[Talk]:
    """Return the LoCoMo conversations: one memory a turn, 'Speaker: text', image captions included."""
    samples = json.loads(need(data, "locomo/locomo.json").read_text(encoding="utf-8"))
    return [_talk(sample) for sample in samples]


def locomo_statements(data: Path) -> dict[str, list[tuple[str, frozenset[str]]]]:
    """Return for each conversation what people wrote down of it: statements, each with the turns that it rests on."""
    samples = json.loads(need(data, "locomo/locomo.json").read_text(encoding="utf-8"))
    return {sample["sample_id"]: _statements(sample.get("observation", {})) for sample in samples}


def longmemeval_sessions(data: Path) -> Iterator[tuple[str, list[dict[str, str]]]]:
    """Yield (id, turns) of every LongMemEval session."""
    with lzma.open(need(data, "longmemeval/sessions.jsonl.xz"), "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            yield row["id"], row["turns"]


def longmemeval_questions(data: Path) -> list[dict[str, Any]]:
    """Return the LongMemEval questions with their haystacks."""
    found: list[dict[str, Any]] = json.loads(need(data, "longmemeval/questions.json").read_text(encoding="utf-8"))
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


def scifact_claims(data: Path) -> list[str]:
    """Return the SciFact claims, off topic for every conversation."""
    path = need(data, "retrieval/scifact/queries.jsonl")
    return [json.loads(line)["text"] for line in path.read_text(encoding="utf-8").splitlines()]


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
        return "2023-01-01T00:00:00+00:00"
    return datetime.strptime(text, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC).isoformat()
