"""The benchmarks there are, and the quick set among them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Final

Figures = dict[str, Any]

_TALKS: Final = ("locomo/locomo.json", "retrieval/scifact/queries.jsonl")
_LONGMEMEVAL: Final = ("longmemeval/sessions.jsonl.xz", "longmemeval/questions.json")
_BEIR: Final = ("retrieval/*/corpus.jsonl", "retrieval/*/queries.jsonl", "retrieval/*/qrels.tsv")


@dataclass(frozen=True, slots=True)
class Bench:
    """One benchmark: what it measures, the data files it reads, and what its sample counts."""

    name: str
    measures: str
    sample: str
    files: tuple[str, ...] = ()

    def run(self, data: Path, *, sample: int | None, seed: int) -> Figures:
        """Run it and return its figures."""
        run: Callable[..., Figures] = import_module(f".{self.name}", __package__).run
        return run(data, sample=sample, seed=seed)


_ALL: Final = _TALKS + _LONGMEMEVAL

BENCHES: Final = {
    bench.name: bench
    for bench in (
        Bench("locomo", "finding turns and sessions of long talks, refusing what is not there", "questions", _TALKS),
        Bench("longmemeval", "finding the session that answers, a store a question", "questions", _LONGMEMEVAL),
        Bench("pooled", "the same with every session in one store", "questions", _LONGMEMEVAL),
        Bench("beam", "finding the messages of long chats with an assistant", "questions", ("beam/*.jsonl.xz",)),
        Bench("beir", "finding documents, in every set in BEIR form", "questions of each set", _BEIR),
        Bench("ablation", "what each source and stage is worth: one at a time off", "LongMemEval questions", _ALL),
        Bench("wear", "whether 1,000 recalls change what is found", "questions", _TALKS[:1]),
        Bench("languages", "finding the answer in twelve languages, by its words and without", "distractors of each"),
        Bench("latency", "what a recall and a store cost at 1,000 to 100,000 memories", "memories", _LONGMEMEVAL),
        Bench("scale", "what a recall costs and holds against the size of the store, drawn", "memories", _LONGMEMEVAL),
        Bench("worst", "what the costliest questions take at 100,000 memories", "memories", _LONGMEMEVAL[:1]),
        Bench("coldstart", "how soon a new server answers over MCP, and its idle memory", "starts"),
        Bench("tools", "what a model pays to be shown the tools", "nothing"),
        Bench("peers", "Bethink and other memories over MCP in the same run", "memories", (*_TALKS[:1], *_LONGMEMEVAL)),
        Bench("dedup", "how near two memories are that say the same", "pairs"),
        Bench("related", "from which cosine two memories belong to one matter", "pairs of each half", _TALKS[:1]),
        Bench("lexical", "the keyword index against SQLite's own", "texts", _LONGMEMEVAL),
        Bench(
            "graph",
            "what the ties between memories are worth to recall",
            "LongMemEval questions",
            _TALKS[:1] + _LONGMEMEVAL,
        ),
        Bench("calibration", "what the labels of hits are worth, and their constants", "LongMemEval questions", _ALL),
        Bench(
            "timing", "what the time counts that a question names", "LongMemEval questions", _LONGMEMEVAL + _TALKS[:1]
        ),
        Bench("ask", "how often what `ask` cites is what answers", "questions", _TALKS),
        Bench("fit", "how the weights and floors of the score were chosen", "LongMemEval questions", _ALL),
    )
}

# What `make bench` runs, with the sample of each: under ten minutes on two quiet cores without cached vectors.
QUICK: Final = {
    "tools": None,
    "coldstart": 3,
    "dedup": None,
    "locomo": 250,
    "wear": 100,
    "longmemeval": 6,
    "latency": 1_000,
}
