"""`bethink demo`: the main job on real text, through the real doors, in a temporary folder."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.panel import Panel

from bethink.errors import Unavailable
from bethink.text.cut import shorten

from .screen import console, plain
from .session import Command, delivering

if TYPE_CHECKING:
    from mcp.client import Client

_PATIENCE: Final = 120
_PAUSE: Final = 0.05
_TRIES: Final = 600
_SHOWN: Final = 240
_OFF_TOPIC: Final = "How long should I boil an egg?"
_DECISION: Final = "We moved the nightly backups from Frankfurt to Dublin, since storage there costs half as much."
_DECISION_ASKED: Final = "In which city are our backups?"


@dataclass(frozen=True, slots=True)
class Question:
    """A question in other words than the text's, and the file that answers it."""

    text: str
    answered_in: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back for a question, and how long the round trip took."""

    hits: list[dict[str, Any]]
    reason: str
    milliseconds: float


QUESTIONS: Final = (
    Question("Is my data sent to the cloud?", "README.md"),
    Question("Which folder are my notes saved in on a Mac?", "README.md"),
    Question("Can I undo it if I removed something by mistake?", "docs/concepts.md"),
    Question("What happens to passwords in what I save?", "docs/concepts.md"),
    Question("What if several apps write simultaneously?", "docs/design/decisions/0006-two-threads.md"),
    Question("Why not take a vector extension for SQLite?", "docs/design/decisions/0003-sign-bits.md"),
    Question("Why don't you commit the neural network's weights?", "docs/design/decisions/0005-model-at-build-time.md"),
)


@click.command("demo", cls=Command)
def command() -> int:
    """See it work: import the text of this project, ask about it in other words, over MCP, in a temporary folder.

    Your own store and settings are neither read nor changed. Exits with 0 only if everything worked.
    """
    with tempfile.TemporaryDirectory(prefix="bethink-demo-", ignore_cleanup_errors=True) as folder:
        try:
            return asyncio.run(_Demo(Path(folder)).run())
        except TimeoutError as late:
            raise Unavailable("the demo took too long", hint="Try again when the machine is less busy.") from late
        except BaseExceptionGroup as several:
            raise _first(several) from None


def _first(error: BaseException) -> BaseException:
    """Return what went wrong from within the client's groups of tasks."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


class _Demo:
    """One run: the processes it starts, what it says, and what failed."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._failed = folder, list[str]()
        self._print = delivering()(console().print)
        inherited = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith("BETHINK_") or name == "BETHINK_LOG"
        }
        self._environment = inherited | {"XDG_CONFIG_HOME": str(folder / "config")}
        store = ("--db", str(folder / "memories.db"), "--namespace", "demo", "--embedder", "minilm")
        self._bethink = [sys.executable, "-m", "bethink", *store]

    async def run(self) -> int:
        """Do it all and return the exit code."""
        started = time.perf_counter()
        self._print(Panel(plain("Bethink remembers its own documentation", "bold"), expand=False))
        text = _gathered(self._folder / "text")
        self._import(text)
        async with self._client() as client:
            await _until_ready(client)
            for question in QUESTIONS:
                if (text / question.answered_in).is_file():
                    self._judge(question, await _ask(client, question.text))
            self._nothing(await _ask(client, _OFF_TOPIC))
            await _call(client, "memory_store", {"content": _DECISION, "kind": "decision"})
        self._survives()
        return self._end(time.perf_counter() - started)

    def _import(self, text: Path) -> None:
        report, seconds = self._run("import", str(text))
        stored = report["stored"]
        said = f"`bethink import` made {stored} memories of {report['files']} files in {seconds:.1f} s"
        self._step(bool(stored) and not report["rejected"], said)

    @asynccontextmanager
    async def _client(self) -> AsyncIterator[Client]:
        """Start a server and connect to it over its standard input and output, as any client does."""
        from mcp.client import Client
        from mcp.client.stdio import StdioServerParameters, stdio_client

        program, *arguments = self._bethink
        server = StdioServerParameters(command=program, args=arguments, env=self._environment, cwd=self._folder)
        started = time.perf_counter()
        async with asyncio.timeout(_PATIENCE), Client(stdio_client(server)) as client:
            tools = (await client.list_tools()).tools
            seconds = time.perf_counter() - started
            self._step(
                bool(tools), f"an MCP client started the server and saw {len(tools)} tools after {seconds:.1f} s"
            )
            self._print()
            yield client

    def _judge(self, question: Question, answer: Answer) -> None:
        right = next((hit for hit in answer.hits if _path(hit) == question.answered_in), None)
        shown = right or next(iter(answer.hits), None)
        lines = [plain(answer.reason, "dim")] if shown is None else _hit(shown)
        self._step(right is not None, question.text, f"{answer.milliseconds:.0f} ms", lines)

    def _nothing(self, answer: Answer) -> None:
        lines = [line for hit in answer.hits for line in _hit(hit)] or [plain(f"nothing: {answer.reason}")]
        self._step(not answer.hits, _OFF_TOPIC, f"{answer.milliseconds:.0f} ms", lines)

    def _survives(self) -> None:
        found, seconds = self._run("recall", _DECISION_ASKED, "--limit", "1", "--explain")
        hit = next((h for h in found["hits"] if h["text"] == _DECISION), None)
        lines = _hit(hit) if hit else [plain("not found")]
        self._print(plain("That server has stored a decision and ended.", "dim"))
        self._step(hit is not None, f"a new process was asked: {_DECISION_ASKED}", f"{seconds:.1f} s", lines)

    def _run(self, *arguments: str) -> tuple[dict[str, Any], float]:
        started = time.perf_counter()
        command = [*self._bethink, *arguments, "--json"]
        ran = subprocess.run(  # noqa: S603  # this very program
            command, env=self._environment, cwd=self._folder, stdout=subprocess.PIPE, check=False, timeout=_PATIENCE
        )
        answer: dict[str, Any] = json.loads(ran.stdout or b"{}")
        if "error" in answer or not answer:
            raise Unavailable(f"`bethink {arguments[0]}` failed: {answer.get('error', {}).get('message', 'no answer')}")
        return answer, time.perf_counter() - started

    def _step(self, worked: bool, what: str, took: str = "", lines: Iterable[RenderableType] = ()) -> None:  # noqa: FBT001
        if not worked:
            self._failed.append(what)
        head = plain("✓ " if worked else "✗ ", "bold green" if worked else "bold red")
        self._print(head.append_text(plain(what, "bold")).append_text(plain(took and f"  {took}", "dim")))
        if said := list(lines):
            self._print(Padding(Group(*said), (0, 0, 1, 2), expand=False))

    def _end(self, seconds: float) -> int:
        self._print()
        if self._failed:
            self._print(plain(f"{len(self._failed)} of these did not work.", "bold red"))
            return 1
        self._print(plain(f"All of it worked, in {seconds:.0f} s, on this machine alone.", "bold green"))
        return 0


def _gathered(folder: Path) -> Path:
    """Copy the text of the checkout, or of the package's description where there is none."""
    root = Path(__file__).resolve().parents[3]
    folder.mkdir()
    if not (root / "docs").is_dir() or not (root / "README.md").is_file():
        (folder / "README.md").write_text(_description(), encoding="utf-8")
        return folder
    pages = [root / "README.md", *(root / "docs").rglob("*.md")]
    for page in pages:
        name = page.relative_to(root)
        if page.is_file() and not {"reference", "failures.md"} & set(name.parts):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(page, folder / name)
    return folder


def _description() -> str:
    try:
        said = metadata("bethink").json["description"]
    except (PackageNotFoundError, KeyError):
        raise Unavailable("the package's text is not there", hint="Install Bethink again.") from None
    return str(said)


async def _until_ready(client: Client) -> None:
    for _ in range(_TRIES):
        if (await _call(client, "memory_stats", {})).get("embedder_ready"):
            return
        await asyncio.sleep(_PAUSE)
    raise Unavailable("the embedding model does not load", hint="Install Bethink again.")


async def _ask(client: Client, text: str) -> Answer:
    started = time.perf_counter()
    found = await _call(client, "memory_recall", {"query": text, "limit": 3, "explain": True})
    milliseconds = 1_000 * (time.perf_counter() - started)
    return Answer(found["hits"], found.get("reason", ""), milliseconds)


async def _call(client: Client, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    result = await client.call_tool(tool, arguments)
    answer: dict[str, Any] = result.structured_content or {}
    if result.is_error:
        raise Unavailable(f"{tool} failed: {answer.get('error', {}).get('message', '')}")
    return answer


def _path(hit: dict[str, Any]) -> str:
    return str(hit.get("source", {}).get("path", ""))


def _hit(hit: dict[str, Any]) -> list[RenderableType]:
    title, text = str(hit["title"]), " ".join(str(hit["text"]).split())
    why = " + ".join(f"{name} {value:.2f}" for name, value in hit["terms"].items())
    facts = [_path(hit), f"score {hit['score']:.2f} ({hit['confidence_label']}) = {why}"]
    return [
        plain(title, "green"),
        *([] if text.startswith(title) and len(text) <= len(title) + 1 else [plain(shorten(text, _SHOWN))]),
        plain(" · ".join(filter(None, facts)), "dim"),
    ]
