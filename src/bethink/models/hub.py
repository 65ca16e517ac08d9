"""Fetch a model from the Hugging Face hub once: its files are verified, kept, and from then on need no network."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final, cast

from bethink.errors import Unavailable

from .onnx import digest

if TYPE_CHECKING:
    from httpx2 import Client, Response

log = logging.getLogger("bethink.models")

URL: Final = "https://huggingface.co"
KEY_VARIABLES: Final = ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN")
URL_VARIABLE: Final = "HF_ENDPOINT"
MAIN: Final = "main"

# Full precision first: what a model's card says of its quality was measured with that.
_GRAPHS: Final = (
    "onnx/model.onnx",
    "model.onnx",
    "onnx/model_optimized.onnx",
    "model_optimized.onnx",
    "onnx/model_quantized.onnx",
    "model_quantized.onnx",
)
_NEEDED: Final = ("tokenizer.json",)
_DESCRIPTIONS: Final = (
    "config.json",
    "tokenizer_config.json",
    "modules.json",
    "sentence_bert_config.json",
    "config_sentence_transformers.json",
    "1_Pooling/config.json",
)
_MANIFEST: Final = "bethink.json"
_SECONDS_TO_CONNECT, _SECONDS_TO_ANSWER = 5.0, 30.0
_OTHERS_PART: Final = 2 * _SECONDS_TO_ANSWER
_HIDDEN: Final = {401, 403, 404}
_PARTIAL: Final = 206


@dataclass(frozen=True, slots=True)
class Hub:
    """Where models are fetched from, with which token, and the folder that keeps them."""

    folder: Path
    url: str = URL
    token: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The files of one commit of a model, on this machine."""

    folder: Path
    commit: str
    graph: Path

    def described(self, name: str) -> Any:
        """Return what a JSON file of the model says, an empty object where it has none."""
        path = self.folder / name
        return json.loads(path.read_bytes()) if path.exists() else {}


@dataclass(frozen=True, slots=True)
class _File:
    """A file as the hub lists it."""

    path: str
    size: int
    sha256: str | None
    blob: str | None

    def is_in(self, path: Path) -> bool:
        """Say whether a file on this machine is the one that was listed."""
        if path.stat().st_size != self.size:
            return False
        return digest(path) == self.sha256 if self.sha256 else _git_digest(path) == self.blob


def fetch(hub: Hub, model: str, revision: str = MAIN, *, stopped: Callable[[], bool] = lambda: False) -> Snapshot:
    """Return a model's files, fetched where they are not there yet or damaged.

    Raises `Unavailable` where the model has no ONNX form, is not to be had, or `stopped` says so; what was fetched by
    then stays and is gone on with.
    """
    folder = hub.folder / model.replace("/", "--") / revision.replace("/", "--")
    kept = _kept(folder)
    if kept is not None:
        return kept
    _Fetching(hub, model, stopped).into(folder, revision)
    return _kept(folder) or _damaged(folder)


def _kept(folder: Path) -> Snapshot | None:
    """Return what the folder keeps, if it is whole and as it was fetched."""
    try:
        manifest = json.loads((folder / _MANIFEST).read_bytes())
        whole = all(digest(folder / path) == sha256 for path, sha256 in manifest["sha256"].items())
    except (OSError, ValueError, KeyError):
        return None
    return Snapshot(folder, manifest["commit"], folder / manifest["graph"]) if whole else None


def _damaged(folder: Path) -> Snapshot:
    raise Unavailable(f"the model in {folder.name} is damaged", hint="Check the disk and try again.")


class _Fetching:
    """One fetch of one model."""

    def __init__(self, hub: Hub, model: str, stopped: Callable[[], bool]) -> None:
        self._hub, self._model, self._stopped = hub, model, stopped

    def into(self, folder: Path, revision: str) -> None:
        """Fetch the files of a revision; the manifest, which says that all are there, comes last."""
        with self._client() as client:
            commit, listed = self._listed(client, revision)
            graph, files = _chosen(self._model, listed)
            log.info("fetching %s: %.0f MB", self._model, sum(file.size for file in files) / 1e6)
            try:
                for file in files:
                    self._file(client, commit, file, folder / file.path)
                manifest = {
                    "model": self._model,
                    "commit": commit,
                    "graph": graph,
                    "sha256": {file.path: digest(folder / file.path) for file in files},
                }
                _write(folder / _MANIFEST, json.dumps(manifest, indent=1).encode())
            except OSError as exc:
                raise Unavailable(
                    f"{self._model} cannot be kept: {exc.strerror}", hint=f"Check {self._hub.folder} and its disk."
                ) from exc

    @contextmanager
    def _client(self) -> Iterator[Client]:
        import httpx2

        headers = {"Authorization": f"Bearer {self._hub.token}"} if self._hub.token else {}
        timeout = httpx2.Timeout(_SECONDS_TO_ANSWER, connect=_SECONDS_TO_CONNECT)
        # Large files come from elsewhere; the library takes the token to no other host.
        with httpx2.Client(base_url=self._hub.url, headers=headers, timeout=timeout, follow_redirects=True) as client:
            try:
                yield client
            except httpx2.TransportError as exc:
                raise Unavailable(
                    f"{self._model} cannot be fetched: the hub cannot be reached ({type(exc).__name__})",
                    hint="It is fetched once and then needs no network; keyword search works meanwhile.",
                ) from exc

    def _listed(self, client: Client, revision: str) -> tuple[str, list[_File]]:
        path = f"/api/models/{self._model}/revision/{revision.replace('/', '%2F')}"
        response = client.get(path, params={"blobs": "true"})
        if not response.is_success:
            raise self._refusal(response, f"revision {revision!r} of {self._model}")
        try:
            about = response.json()
            files = [_file(sibling) for sibling in about["siblings"] if sibling.get("size") is not None]
            return str(about["sha"]), files
        except (ValueError, KeyError, TypeError, AttributeError) as exc:
            raise Unavailable(f"{self._hub.url} does not answer like a hub", hint=f"Check {URL_VARIABLE}.") from exc

    def _file(self, client: Client, commit: str, file: _File, path: Path) -> None:
        if path.exists() and file.is_in(path):
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(path.name + ".part")
        held = self._claimed(part)
        for _ in range(2):  # what another fetch left may be of another commit, so that it is begun anew once
            self._append(client, f"/{self._model}/resolve/{commit}/{file.path}", part, held if held < file.size else 0)
            if file.is_in(part):
                part.replace(path)
                return
            held = 0
        part.unlink()
        raise Unavailable(
            f"{file.path} of {self._model} came damaged", hint="Try again; it is fetched anew from its beginning."
        )

    def _claimed(self, part: Path) -> int:
        """Return how much of a file is there, unless another process is at it."""
        try:
            found = part.stat()
        except FileNotFoundError:
            return 0
        if found.st_size and 0 <= time.time() - found.st_mtime < _OTHERS_PART:
            raise Unavailable(f"{self._model} is being fetched already", hint="Try again in a minute.")
        return found.st_size

    def _append(self, client: Client, path: str, part: Path, held: int) -> None:
        headers = {"Accept-Encoding": "identity"} | ({"Range": f"bytes={held}-"} if held else {})
        with client.stream("GET", path, headers=headers) as response:
            if not response.is_success:
                raise self._refusal(response, path.rpartition("/")[2])
            with _part(part, "ab" if response.status_code == _PARTIAL else "wb") as out:
                for chunk in response.iter_bytes():
                    out.write(chunk)
                    if self._stopped():
                        raise Unavailable(f"the fetch of {self._model} was stopped", hint="It goes on from there.")

    def _refusal(self, response: Response, what: str) -> Unavailable:
        said = response.headers.get("x-error-code", "")
        token = f"{KEY_VARIABLES[0]} is {'set' if self._hub.token else 'not set'}"
        if said == "GatedRepo":
            terms = f"Accept its terms at {self._hub.url}/{self._model}; {token}."
            return Unavailable(f"{self._model} is gated", hint=terms)
        if said in {"RevisionNotFound", "EntryNotFound"}:
            return Unavailable(f"the hub has no {what}", hint="Check the name of the model and its revision.")
        if response.status_code in _HIDDEN:
            hint = f"Check its name; a private one wants a token: {token}."
            return Unavailable(f"the hub shows no model {self._model}", hint=hint)
        return Unavailable(f"the hub answered {response.status_code} for {what}", hint="Try again later.")


@contextmanager
def _part(path: Path, mode: str) -> Iterator[BinaryIO]:
    """Open a file that is being fetched. Its time says since when nobody is at it: whoever ends leaves it free."""
    try:
        with path.open(mode) as file:
            yield cast("BinaryIO", file)
    finally:
        os.utime(path, (0, 0))


def _file(sibling: dict[str, Any]) -> _File:
    lfs = sibling.get("lfs") or {}
    return _File(sibling["rfilename"], int(sibling["size"]), lfs.get("sha256"), sibling.get("blobId"))


def _chosen(model: str, listed: Sequence[_File]) -> tuple[str, list[_File]]:
    """Return the model's graph, and all files that are needed to run it."""
    files = {file.path: file for file in listed}
    graph = next((path for path in _GRAPHS if path in files), None)
    if graph is None:
        raise Unavailable(
            f"{model} has no model in ONNX form", hint=f"Name a model that has {_GRAPHS[0]}, or one of its exports."
        )
    if missing := [path for path in _NEEDED if path not in files]:
        raise Unavailable(f"{model} has no {missing[0]}", hint="Name a model that has a fast tokenizer.")
    return graph, [files[path] for path in (*_NEEDED, *_DESCRIPTIONS, *_weights(graph, files), graph) if path in files]


def _weights(graph: str, paths: Iterable[str]) -> list[str]:
    """Return the files beside a graph that hold its weights: one over 2 GB cannot hold them itself."""
    beside = re.compile(re.escape(graph) + r"[._]data(_\d+)?")
    return [path for path in paths if beside.fullmatch(path)]


def _git_digest(path: Path) -> str:
    content = path.read_bytes()  # small: what is large is in LFS
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def _write(path: Path, content: bytes) -> None:
    part = path.with_name(path.name + ".part")
    part.write_bytes(content)
    part.replace(path)
