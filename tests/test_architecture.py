"""The house as docs/design/architecture.md draws it: who may import whom, one home for each library, sizes."""

import ast
import statistics
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1] / "src" / "bethink"
FILES = {file.relative_to(ROOT).as_posix(): ast.parse(file.read_text(encoding="utf-8")) for file in ROOT.rglob("*.py")}

_WORDS = {"errors", "principal", "domain", "vocabulary", "text"}
_PROTOCOLS = {"storage.protocol", "models.protocol"}
_PIPELINE = _WORDS | _PROTOCOLS | {"operation"}
ALLOWED = {
    "errors": set(),
    "text": {"errors"},
    "principal": {"errors"},
    "domain": {"principal"},
    "vocabulary": {"domain", "principal"},
    "coerce": {"errors", "text"},
    "explain": {"coerce", "errors"},
    "place": set(),
    "settings": {"errors"},
    "models.protocol": {"errors"},
    "models": {"errors", "models.protocol"},
    "storage.protocol": {"domain"},
    "storage.sqlite": _WORDS | {"storage.protocol"},
    "jobs.journal": {"errors", "storage.protocol"},
    "ports": {"jobs.journal"},
    "operation": {"errors", "principal", "vocabulary", "text", "coerce", "explain", "ports"},
    "recall": _PIPELINE,
    "evaluation": _PIPELINE | {"explain", "recall"},
    "intake": _PIPELINE | {"recall"},
    "graph": _PIPELINE | {"recall"},
    "truth": _PIPELINE | {"recall"},
    "jobs": _PROTOCOLS | {"domain", "errors", "operation", "principal", "ports", "intake", "text"},
    "documents": _WORDS,
    "operations": _PIPELINE | {"coerce", "evaluation", "explain", "recall", "intake", "graph", "truth", "jobs"},
    "engine": {"errors", "principal", "ports", "operation", "operations", "jobs"},
    "app": {"engine", "models", "place", "ports", "principal", "settings", "storage.sqlite"},
    "portal": {"engine", "errors", "principal"},
    "blocking": {"domain", "operations", "portal", "vocabulary"},
    "testing": {"errors", "models.protocol"},
    # A surface shows the values that operations and recall return; how they come about is none of its business.
    "surfaces": _WORDS
    | {"app", "coerce", "documents", "engine", "evaluation", "operation", "operations", "recall", "settings"},
    "__main__": {"surfaces"},
}
# `Bethink.open` reaches the composition root when it is called, not when it is imported.
LAZY = {("engine.py", "app")}

HOMES = {
    "click": "surfaces/",
    "rich": "surfaces/",
    "mcp": "surfaces/",
    "anyio": "surfaces/",
    "httpx2": "models/",
    "onnxruntime": "models/",
    "tokenizers": "models/",
    "sqlite3": "storage/sqlite/",
    "regex": "text/",
    "Stemmer": "text/",
    "platformdirs": "settings.py",
}
EVERYWHERE = {"numpy", "pydantic", "pydantic_core"}
# The edges of the process, where anything that comes is a bug: it is logged and answered.
EDGES = {"jobs/worker.py", "surfaces/cli.py", "surfaces/mcp.py"}


def test_imports_point_inward():
    outward = [
        (file, room)
        for file, tree in FILES.items()
        if (own := _room(file)) is not None
        for room in _rooms_imported(file, tree)
        if room not in ALLOWED[own] | {own} and (file, room) not in LAZY
    ]

    assert outward == []


def test_every_room_is_on_the_plan():
    assert {room for file in FILES if (room := _room(file))} <= ALLOWED.keys()


def test_a_library_has_one_home():
    strays = [
        (file, name)
        for file, tree in FILES.items()
        for name in _libraries(tree)
        if name not in EVERYWHERE and not file.startswith(HOMES.get(name, "nowhere"))
    ]

    assert strays == []


def test_functions_and_modules_are_short():
    sizes = [f.end_lineno - f.lineno + 1 for tree in FILES.values() for f in _functions(tree)]
    longest = {file: len((ROOT / file).read_text(encoding="utf-8").splitlines()) for file in FILES}

    assert statistics.median(sizes) <= 10
    assert sum(size > 60 for size in sizes) <= 0.02 * len(sizes)
    assert {file: lines for file, lines in longest.items() if lines > 600} == {}


def test_a_broad_except_stands_at_an_edge_or_raises_again():
    hidden = [
        (file, handler.lineno)
        for file, tree in FILES.items()
        if file not in EDGES
        for handler in ast.walk(tree)
        if isinstance(handler, ast.ExceptHandler) and _is_broad(handler) and not _raises_again(handler)
    ]

    assert hidden == []


def test_importing_bethink_loads_nothing_heavy_and_starts_nothing():
    told = _python(
        "import sys, threading; import bethink;"
        "heavy = {'numpy', 'pydantic', 'mcp', 'click', 'sqlite3', 'onnxruntime', 'tokenizers', 'asyncio'};"
        "print(sorted(heavy & sys.modules.keys()), threading.active_count())"
    )

    assert told == "[] 1"


def test_opening_a_store_loads_no_model_and_touches_no_file(tmp_path):
    told = _python(
        "import sys, threading; from bethink import Bethink;"
        f"Bethink.open({str(tmp_path / 'there' / 'memories.db')!r});"
        "print(sorted({'mcp', 'onnxruntime', 'tokenizers', 'httpx2'} & sys.modules.keys()), threading.active_count())"
    )

    assert told == "[] 1"
    assert list(tmp_path.iterdir()) == []


def _python(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    return done.stdout.strip()


def _room(file: str) -> str | None:
    """The room of a file; None for the package itself, whose names are looked up when they are asked for."""
    top, _, rest = file.removesuffix(".py").partition("/")
    if top == "__init__":
        return None
    if top == "storage":
        return "storage.sqlite" if rest.startswith("sqlite") else "storage.protocol"
    if (top, rest) in {("models", "protocol"), ("jobs", "journal")}:
        return f"{top}.{rest}"
    return top


def _rooms_imported(file: str, tree: ast.Module) -> Iterator[str]:
    for module in _modules_imported(file, tree):
        path = module.replace(".", "/")
        found = next((p for p in (f"{path}.py", f"{path}/__init__.py") if p in FILES), None)
        if found is not None and (room := _room(found)) is not None and found != "storage/__init__.py":
            yield room


def _modules_imported(file: str, tree: ast.Module) -> Iterator[str]:
    """Every module of ours that a file imports, as a path below the package; `from x import y` may name either."""
    folders = file.split("/")[:-1]
    for node in _runtime(tree):
        if isinstance(node, ast.ImportFrom):
            module = (node.module or "").split(".") if node.module else []
            if node.level:
                base = folders[: len(folders) - node.level + 1] + module
            elif module[:1] == ["bethink"]:
                base = module[1:]
            else:
                continue
            yield ".".join(base)
            yield from (".".join([*base, alias.name]) for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[2] for alias in node.names if alias.name.startswith("bethink."))


def _libraries(tree: ast.Module) -> set[str]:
    names = {
        name.partition(".")[0]
        for node in _runtime(tree)
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom) and not node.level
            else []
        )
    }
    return {name for name in names if name == "sqlite3" or name not in sys.stdlib_module_names | {"bethink", ""}}


def _runtime(tree: ast.Module) -> Iterator[ast.AST]:
    """Every node but those that only type checkers see."""
    unseen = {
        id(node)
        for block in ast.walk(tree)
        if isinstance(block, ast.If) and ast.unparse(block.test).endswith("TYPE_CHECKING")
        for node in ast.walk(block)
    }
    return (node for node in ast.walk(tree) if id(node) not in unseen)


def _functions(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def _is_broad(handler: ast.ExceptHandler) -> bool:
    return handler.type is None or ast.unparse(handler.type) in {"Exception", "BaseException"}


def _raises_again(handler: ast.ExceptHandler) -> bool:
    """Say whether it ends in the same exception, or in one of ours that keeps it as its cause."""
    last = handler.body[-1]
    kept = isinstance(last, ast.Raise) and isinstance(last.cause, ast.Name) and last.cause.id == handler.name
    return kept or (isinstance(last, ast.Raise) and last.exc is None)
