"""A model of the hub in memory: its tokenizer, its graph, and how much it reads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Self

from bethink.errors import BethinkError, Unavailable

from .hub import Snapshot
from .onnx import open_session, open_tokenizer

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from onnxruntime import InferenceSession
    from tokenizers import Encoding, Tokenizer

_LONGEST: Final = 512
_KNOWN_INPUTS: Final = {"input_ids", "attention_mask", "token_type_ids", "position_ids"}
_OFFSET_OF_ROBERTA: Final = 2  # its positions are counted from two
_SHOWN: Final = 200


@dataclass(frozen=True, slots=True)
class HubModel:
    """Runs one text, or a pair of texts, at a time; `output` is what of its results is asked for."""

    name: str
    commit: str
    tokenizer: Tokenizer
    session: InferenceSession
    inputs: frozenset[str]
    output: str
    longest: int

    @classmethod
    def opened(cls, snapshot: Snapshot, name: str, *, outputs: Sequence[str]) -> Self:
        """Return the model in memory; of `outputs` the first that it has counts."""
        with usable(name):
            tokenizer = open_tokenizer(snapshot.folder / "tokenizer.json")
            session = open_session(snapshot.graph)
            longest = _longest(snapshot)
        inputs = frozenset(node.name for node in session.get_inputs())
        if unknown := sorted(inputs - _KNOWN_INPUTS):
            raise Unavailable(f"{name} wants {unknown[0]!r} beside a text", hint="Use another model.")
        had = [node.name for node in session.get_outputs()]
        output = next((output for output in outputs if output in had), None)
        if output is None:
            raise Unavailable(f"{name} makes {', '.join(had)}, not {' or '.join(outputs)}", hint="Use another model.")
        return cls(name, snapshot.commit, tokenizer, session, inputs, output, longest)

    def run(self, encoding: Encoding) -> NDArray[np.float32]:
        """Return what the model makes of a text; of a long one of its first tokens, and the last, which ends it."""
        import numpy as np

        ids, types = np.array(encoding.ids, np.int64), np.array(encoding.type_ids, np.int64)
        if len(ids) > self.longest:
            read = [*range(self.longest - 1), -1]
            ids, types = ids[read], types[read]
        given = {
            "input_ids": ids,
            "attention_mask": np.ones_like(ids),
            "token_type_ids": types,
            "position_ids": np.arange(len(ids), dtype=np.int64),
        }
        feed = {name: given[name][None] for name in self.inputs}
        (found,) = self.session.run([self.output], feed)
        result: NDArray[np.float32] = found
        return result


@contextmanager
def usable(name: str) -> Iterator[None]:
    """Make of whatever goes wrong with a model that it cannot be used: what the libraries raise is of no one class."""
    try:
        yield
    except BethinkError:
        raise
    except Exception as exc:
        told = " ".join(str(exc).split())[:_SHOWN]
        raise Unavailable(f"{name} cannot be used: {told}", hint="Use another model.") from exc


def _longest(snapshot: Snapshot) -> int:
    """Return how many tokens the model reads, those that frame a text included."""
    config = snapshot.described("config.json")
    offset = _OFFSET_OF_ROBERTA if str(config.get("model_type")).endswith("roberta") else 0
    positions = config.get("max_position_embeddings")
    told: list[Any] = [
        snapshot.described("sentence_bert_config.json").get("max_seq_length"),
        snapshot.described("tokenizer_config.json").get("model_max_length"),
        positions - offset if isinstance(positions, int) else None,
    ]
    return min([_LONGEST, *(int(tokens) for tokens in told if tokens)])
