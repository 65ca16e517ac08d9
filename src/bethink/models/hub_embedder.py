"""Embed on this machine with a model of the hub, as its own files say how."""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from bethink.errors import Unavailable

from . import onnx
from .background import Background, InBackground
from .endpoint import PROBE, WINDOW, crosses_languages
from .hub import MAIN, Hub, Snapshot, fetch
from .hub_model import HubModel, usable
from .protocol import UNTOLD, Role, Vectors

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_SENTENCE: Final = "sentence_embedding"
_SHOWN_OF_COMMIT: Final = 12
_READ_MODULES: Final = {"Transformer", "Pooling", "Normalize"}
_POOLINGS: Final = {
    "pooling_mode_cls_token": "cls",
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_mean_sqrt_len_tokens": "mean",  # of another length, but vectors are brought to length 1
    "pooling_mode_max_tokens": "max",
    "pooling_mode_lasttoken": "lasttoken",
}
_PROMPTS: Final[Mapping[Role, tuple[str, ...]]] = {"query": ("query",), "document": ("document", "passage")}
# Their cards ask for these words before every text; their files do not name them.
_E5: Final = re.compile(r"(?i)/(multilingual-)?e5-(small|base|large)")
_PROMPTS_OF_E5: Final = {"query": "query: ", "document": "passage: "}


class HubEmbedder(InBackground["_Loaded"]):
    """Embed one text a run, on as many threads as there are cores.

    The first load fetches the model. Until then it is not known which commit a revision stands for.
    """

    def __init__(self, hub: Hub, model: str, revision: str = MAIN, *, window: int = WINDOW) -> None:
        self._model = model
        self._widest = window
        self._stop = threading.Event()
        self._background = Background(
            lambda: _load(fetch(hub, model, revision, stopped=self._stop.is_set), model), name=model, threads="hub"
        )

    @property
    def identity(self) -> str:
        """The model and the commit that its files are of."""
        loaded = self._background.model
        return f"hub:{self._model}@{loaded.commit[:_SHOWN_OF_COMMIT] if loaded else UNTOLD}"

    @property
    def dimensions(self) -> int:
        """Length of a vector, 0 before it is loaded."""
        loaded = self._background.model
        return loaded.probe.shape[1] if loaded else 0

    @property
    def window(self) -> int:
        """Most tokens that one vector can stand for."""
        loaded = self._background.model
        return min(self._widest, loaded.window) if loaded else self._widest

    @property
    def multilingual(self) -> bool:
        """Whether a question finds a text in another language, as it turned out at the load."""
        loaded = self._background.model
        return loaded is not None and loaded.multilingual

    def token_starts(self, text: str) -> list[int]:
        """Return the offset, in characters, at which each token of `text` starts."""
        return onnx.token_starts(self._background.loaded().tokenizer, text)

    def familiarity(self, text: str) -> float:
        """Return the share of the words of `text` that the tokenizer keeps as one, 1 where it knows many languages."""
        loaded = self._background.loaded()
        return 1.0 if loaded.multilingual else onnx.familiarity(loaded.tokenizer, text)

    async def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        """Return one row of length 1 a text, in order; of a long text only the first `window` tokens are read."""
        import numpy as np

        loaded = self._background.loaded()
        rows = await self._background.each(lambda text: loaded.vector(text, role), texts)
        return np.array(rows, np.float32).reshape(len(rows), self.dimensions)

    async def close(self) -> None:
        """Stop fetching, drop what has not begun, and release the model."""
        self._stop.set()
        await self._background.close()


@dataclass(frozen=True, slots=True)
class _Recipe:
    """How a model's files say that a text becomes a vector; no pooling where the graph does it."""

    pooling: str | None
    prompts: Mapping[Role, str]
    lower: bool


class _Loaded:
    """The model, and what a few sentences in three languages told of it."""

    def __init__(self, model: HubModel, recipe: _Recipe) -> None:
        import numpy as np

        self.tokenizer, self.commit = model.tokenizer, model.commit
        prompt = max(len(onnx.token_starts(model.tokenizer, text)) for text in (*recipe.prompts.values(), ""))
        self.window = model.longest - model.tokenizer.num_special_tokens_to_add(is_pair=False) - prompt
        self._model, self._recipe = model, recipe
        self.probe: Vectors = np.array([self.vector(text, "document") for text in PROBE], np.float32)
        self.multilingual = crosses_languages(self.probe)

    def vector(self, text: str, role: Role) -> Vectors:
        import numpy as np

        prompted = self._recipe.prompts.get(role, "") + text
        encoding = self.tokenizer.encode(prompted.lower() if self._recipe.lower else prompted)
        pooled = self._pooled(self._model.run(encoding))
        length = float(np.linalg.norm(pooled))
        if not np.isfinite(length) or not length:
            raise Unavailable(f"{self._model.name} made no vector of a text", hint="Use another model.")
        unit: Vectors = (pooled / length).astype(np.float32)
        return unit

    def _pooled(self, found: NDArray[np.float32]) -> NDArray[np.float32]:
        tokens: NDArray[np.float32] = found[0]
        pooled: NDArray[np.float32]
        match self._recipe.pooling:
            case None:
                pooled = tokens
            case "cls":
                pooled = tokens[0]
            case "lasttoken":
                pooled = tokens[-1]
            case "max":
                pooled = tokens.max(axis=0)
            case _:
                pooled = tokens.mean(axis=0)
        return pooled


def _load(snapshot: Snapshot, name: str) -> _Loaded:
    model = HubModel.opened(snapshot, name, outputs=(_SENTENCE, "last_hidden_state", "token_embeddings"))
    with usable(name):
        return _Loaded(model, _recipe(snapshot, name, pooled=model.output == _SENTENCE))


def _recipe(snapshot: Snapshot, name: str, *, pooled: bool) -> _Recipe:
    lower = bool(snapshot.described("sentence_bert_config.json").get("do_lower_case"))
    return _Recipe(None if pooled else _pooling(snapshot, name), _prompts(snapshot, name), lower)


def _pooling(snapshot: Snapshot, name: str) -> str:
    modules = [module["type"].rpartition(".")[2] for module in snapshot.described("modules.json") or ()]
    if unread := [module for module in modules if module not in _READ_MODULES]:
        raise Unavailable(f"{name} has a {unread[0]} layer outside its ONNX form", hint="Use another model.")
    told = snapshot.described("1_Pooling/config.json")
    modes = {_POOLINGS.get(key, key) for key, on in told.items() if key.startswith("pooling_mode_") and on is True}
    modes |= {told["pooling_mode"]} if isinstance(told.get("pooling_mode"), str) else set()
    if not modes:
        raise Unavailable(
            f"{name} does not say how the vectors of its tokens become one",
            hint="Name a model that has 1_Pooling/config.json, as those of Sentence Transformers do.",
        )
    if len(modes) > 1 or not modes <= {*_POOLINGS.values()}:
        raise Unavailable(f"{name} pools by {', '.join(sorted(modes))}", hint="Use a model with mean or cls pooling.")
    return str(modes.pop())


def _prompts(snapshot: Snapshot, name: str) -> Mapping[Role, str]:
    told: Mapping[str, Any] = snapshot.described("config_sentence_transformers.json")
    prompts = told.get("prompts") or (_PROMPTS_OF_E5 if _E5.search(name) else {})
    usual = prompts.get(told.get("default_prompt_name") or "", "")
    return {role: next((prompts[name] for name in names if name in prompts), usual) for role, names in _PROMPTS.items()}
