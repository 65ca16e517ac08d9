"""The same calls on every surface: the same answers and the same errors, but for what is new each time."""

import asyncio
import inspect
import json
import re

import pytest
from mcp import Client

from bethink.app import open_app
from bethink.blocking import BlockingBethink
from bethink.engine import Bethink
from bethink.errors import BethinkError
from bethink.operation import operations
from bethink.settings import read_settings
from bethink.surfaces.cli import main
from bethink.surfaces.mcp import Surface

pytestmark = pytest.mark.usefixtures("bare")

OPERATIONS = operations(Bethink)
SURFACES = ("library", "blocking", "mcp", "cli")
NOT_ON = {
    "mcp": {"store_many", "reembed", "reindex", "evaluate", "golden"},
    "cli": {"store_many", "evaluate", "golden", "calibrate"},
}
NEVER = "01890000-0000-7000-8000-00000badc0de"

# Answers are named by their place: {0} is the id that the first call gave, {token:7} the token of the eighth.
SCRIPT = [
    ("store", {"content": "We chose PostgreSQL for its row-level security.", "kind": "decision", "tags": ["db", "a b"],
               "occurred_at": "2020-05-01", "source": {"repo": "acme/web"}, "metadata": {"n": [1, None, "é"]}}),
    ("store", {"content": "The deploy runs on Tuesdays ★ 成语", "title": "Deploys", "confidence": 0.5, "pinned": True}),
    ("store", {"content": "We chose PostgreSQL for its row-level security.", "kind": "decision",
               "occurred_at": "2020-05-01"}),
    ("store", {"content": "the key is AKIA" "IOSFODNN7" "EXAMPLQ", "hints": False, "namespace": "team:other"}),
    ("store", {"content": "ok", "min_importance": 0.99}),
    ("store", {"content": "A part of it.", "kind": "chunk", "parent_id": "{0}", "ordinal": 2}),
    ("recall", {"query": "why PostgreSQL?", "explain": True, "detail": "full"}),
    ("recall", {"query": "deploy Tuesdays", "kinds": ["fact"], "tags_any": ["x", "y"], "mode": "keyword"}),
    ("recall", {"query": "deploy PostgreSQL", "limit": 1, "min_score": 0}),
    ("recall", {"query": "deploy PostgreSQL", "limit": 1, "min_score": 0, "cursor": "{cursor:8}"}),
    ("get", {"ids": ["{0}", NEVER, "{handle:1}"], "chunks": True, "relations": True}),
    ("list", {"tags": ["db"], "detail": "full"}),
    ("list", {"sort": "title", "descending": False, "limit": 1, "namespaces": ["team", "team:other"]}),
    ("list", {"sort": "title", "descending": False, "limit": 1, "namespaces": ["team", "team:other"],
              "cursor": "{cursor:12}"}),
    ("update", {"id": "{handle:0}", "tags": ["db"], "metadata": None, "expected_version": 1, "reason": "tidier"}),
    ("update", {"id": "{0}", "content": "We chose PostgreSQL 16 for its row-level security."}),
    ("get", {"ids": ["{0}"], "versions": True}),
    ("forget", {"ids": ["{1}", NEVER], "reason": "no longer so"}),
    ("forget", {"ids": ["{1}"]}),
    ("restore", {"ids": ["{1}", "{0}"]}),
    ("forget", {"ids": ["{0}"], "hard": True}),
    ("forget", {"ids": ["{0}"], "hard": True, "token": "{token:20}"}),
    ("namespaces", {"action": "create", "path": "team:new", "description": "New", "required_tags": ["ops"]}),
    ("namespaces", {"action": "update", "path": "team:new", "description": None, "max_memories": 5}),
    ("namespaces", {}),
    ("stats", {}),
    ("stats", {"namespaces": ["team:other"]}),
    ("relate", {"source": "{1}", "target": "{3}", "type": "caused_by", "weight": 0.5, "metadata": {"n": [1]}}),
    ("relate", {"edges": [{"source": "{3}", "target": "{1}", "type": "related_to"},
                          {"source": "{handle:1}", "target": "{3}", "type": "caused_by"}]}),
    ("edges", {}),
    ("edges", {"memory": "{1}", "types": ["caused_by", "child_of"], "limit": 1, "origin": "authored"}),
    ("edges", {"limit": 1, "namespaces": ["team:other"]}),
    ("edges", {"limit": 1, "namespaces": ["team:other"], "cursor": "{cursor:31}"}),
    ("graph", {"ids": ["{1}"], "hops": 3, "direction": "out", "namespaces": ["team", "team:other"]}),
    ("recall", {"query": "deploy Tuesdays", "include_related": True, "namespaces": ["team", "team:other"],
                "mode": "keyword", "min_score": 0.3}),
    ("unrelate", {"source": "{1}", "target": "{3}", "type": "caused_by", "reverse": True, "dry_run": True}),
    ("unrelate", {"edges": [{"source": "{1}", "target": "{3}", "type": "caused_by"},
                            {"source": "{1}", "target": "{3}", "type": "mentions"}], "retype": "contradicts"}),
    ("relate", {"source": "{1}", "target": "{3}", "type": "supersedes"}),
    ("explore", {"facets": ["kind", "tag", "namespace", "occurred_month", "pinned", "source_repo"], "status": ["any"]}),
    ("explore", {"facets": ["tag"], "limit": 1, "tags_any": ["db"]}),
    ("explore", {"facets": ["entity"], "limit": 5}),
    ("excerpt", {"id": "{1}", "query": "DEPLOY", "context": 5, "start": 4, "end": 10}),
    ("excerpt", {"id": "{handle:1}", "query": "deploy", "case_sensitive": True}),
    ("related", {"id": "{1}", "limit": 3, "min_similarity": 0.1, "unlinked": True}),
    ("ask", {"query": "When does the deploy run?", "hops": 1, "instructions": "briefly", "kinds": ["fact"]}),
    ("ask", {"query": "Who feeds the parrot?", "max_tokens": 200}),
    ("gaps", {"least": 5}),
    ("gaps", {"least": 1_000, "forget": ["unknown"], "namespaces": ["team:nobody"]}),
    ("entities", {"action": "assert", "memory": "{1}", "entities": [{"name": "Staging", "kind": "service"}]}),
    ("entities", {"limit": 2}),
    ("entities", {"action": "get", "name": "staging"}),
    ("entities", {"action": "rename", "name": "Staging", "to": "Pre-production"}),
    ("recall", {"query": "deploy", "entity": "Pre-production", "use_graph": True}),
]  # fmt: skip
ERRORS = [
    ("store", {"content": " "}),
    ("store", {"content": "x" * 1_001, "title": "t" * 301}),
    ("store", {"content": "x", "kind": "memo"}),
    ("store", {"content": "x", "occurred_at": "2020-02-30"}),
    ("store", {"content": "x", "namespace": "a b"}),
    ("store", {"content": "x", "parent_id": NEVER}),
    ("store", {"content": "x", "namespace": "team:strict"}),
    ("recall", {"query": " "}),
    ("recall", {"query": "x", "limit": 51}),
    ("recall", {"query": "x", "mode": "semantic"}),
    ("recall", {"query": "x", "namespaces": ["team:nowhere"]}),
    ("recall", {"query": "x", "claims": "open"}),
    ("explore", {"facets": ["kind", "theme"]}),
    ("explore", {"facets": ["tags"]}),
    ("excerpt", {"id": NEVER, "query": "x"}),
    ("excerpt", {"id": "{0}", "start": 100}),
    ("excerpt", {"id": "{0}", "start": 5, "end": 2}),
    ("related", {"id": NEVER}),
    ("related", {"id": "{0}", "min_similarity": 2}),
    ("ask", {"query": " "}),
    ("ask", {"query": "x", "hops": 5}),
    ("gaps", {"forget": ["all", "x"]}),
    ("gaps", {"namespaces": ["a b"]}),
    ("list", {"cursor": "forged"}),
    ("list", {"min_level": "verified", "status": ["retired"]}),
    ("recall", {"query": "x", "recorded_after": "today", "recorded_before": "yesterday"}),
    ("list", {"since": "2020-05-02", "until": "2020-05-01"}),
    ("get", {"ids": ["not an id"]}),
    ("update", {"id": NEVER, "title": "x"}),
    ("update", {"id": "{0}", "expected_version": 7, "title": "x"}),
    ("update", {"id": "{0}", "status": "retired"}),
    ("forget", {"ids": ["{0}"], "token": "x"}),
    ("forget", {"ids": ["{0}"], "hard": True, "token": "x"}),
    ("forget", {"ids": [NEVER], "hard": True}),
    ("restore", {"ids": ["1234"]}),
    ("namespaces", {"action": "update", "path": "team:nowhere", "floor": 0.5}),
    ("namespaces", {"action": "create", "path": "team:strict"}),
    ("relate", {"source": "{0}", "target": "{0}", "type": "related_to"}),
    ("relate", {"source": "{0}", "target": NEVER, "type": "related_to"}),
    ("relate", {"source": "{0}", "target": "{0}", "type": "mentions"}),
    ("relate", {"source": "{0}"}),
    ("relate", {"edges": [{"source": "{0}", "target": "{0}", "kind": "related_to"}]}),
    ("edges", {"cursor": "forged"}),
    ("edges", {"memory": NEVER}),
    ("graph", {"ids": ["{0}"], "hops": 4}),
    ("graph", {"ids": [NEVER]}),
    ("unrelate", {"source": "{0}", "target": "{0}", "type": "related_to", "retype": "similar_to"}),
    ("calibrate", {}),
]
BEFORE_ERRORS = [
    ("store", {"content": "Something to refuse."}),
    ("namespaces", {"action": "create", "path": "team:strict", "required_tags": ["ops"]}),
]
CODES = {"invalid_request", "too_large", "not_found", "conflict", "unsupported"}


@pytest.fixture
def run(tmp_path, capsys):
    """Run calls on a surface, on a store of its own; return the answers."""

    def surface(name, calls):
        db = tmp_path / name / "memories.db"
        flags = {
            "db": str(db),
            "namespace": "team",
            "embedder": "none",
            "agent": "tester",
            "timezone": "UTC",
            "tools": "full",
        }
        return _RUN[name](read_settings(flags=flags, environment={}), calls, capsys)

    return surface


def test_every_operation_is_in_the_script():
    named = {name for name, _ in [*SCRIPT, *ERRORS]}

    assert named | NOT_ON["mcp"] == set(OPERATIONS)
    for surface in ("mcp", "cli"):
        assert {n for n, op in OPERATIONS.items() if surface not in op.surfaces} == NOT_ON[surface]


@pytest.mark.failure("F092")
def test_the_same_calls_have_the_same_answers_on_every_surface(run):
    answers = {name: _steadied(run(name, SCRIPT)) for name in SURFACES}

    for number, call in enumerate(SCRIPT):
        assert "error" not in answers["library"][number], (call, answers["library"][number])
        for name in SURFACES[1:]:
            assert answers[name][number] == answers["library"][number], (name, call)


@pytest.mark.failure("F092", "F105")
def test_the_same_mistakes_have_the_same_errors_on_every_surface(run):
    calls = [*BEFORE_ERRORS, *ERRORS]

    said = {name: [a.get("error") for a in run(name, calls)][len(BEFORE_ERRORS) :] for name in SURFACES}

    assert {error["code"] for error in said["library"]} == CODES
    assert all(error["hint"] for error in said["library"])
    for number, call in enumerate(ERRORS):
        for name in SURFACES[1:]:
            assert _unnamed(said[name][number]) == _unnamed(said["library"][number]), (name, call)


def test_the_same_items_have_the_same_report_from_the_library_and_from_an_imported_file(run, tmp_path):
    items = [
        {"content": "One.", "tags": ["a"], "occurred_at": "2020-05-01"},
        {"content": "One.", "tags": ["b"], "occurred_at": "2020-05-01"},
        {"content": " "},
        {"content": "a\x00b"},
        {"content": "the key is AKIAIOSFODNN7EXAMPLQ"},
        {"contents": "x"},
    ]
    file = tmp_path / "items.jsonl"
    file.write_text("".join(json.dumps(item) + "\n" for item in items), encoding="utf-8")
    listed = ("list", {"sort": "title"})

    library = run("library", [("store_many", {"items": items}), listed])
    blocking = run("blocking", [("store_many", {"items": iter(items)}), listed])
    imported = run("cli", [("import", {"paths": [str(file)]}), listed])

    counts = ("stored", "cleaned", "redacted", "rejected")
    assert blocking[0] == library[0]
    assert {name: imported[0][name] for name in counts} == {name: library[0][name] for name in counts}
    assert imported[0]["known"] == library[0]["replayed"] == 1
    assert [r["reason"] for r in imported[0]["rejections"]] == [r["reason"] for r in library[0]["rejections"]]
    stored = [[(m["text"], m["tags"]) for m in run[1]["memories"]] for run in (library, blocking, imported)]
    assert stored[0] == stored[1] == stored[2]
    assert len(stored[0]) == 3


@pytest.mark.failure("F107", "F142")
def test_a_program_is_given_everything_and_a_model_what_it_can_read(run):
    calls = [
        ("store", {"content": "word " * 20_000}),
        ("get", {"ids": ["{0}"]}),
        ("list", {"detail": "full"}),
        ("get", {"ids": ["{0}"], "max_tokens": 100_000}),
    ]

    said = {name: run(name, calls)[1:] for name in SURFACES}

    sizes = {name: [len(json.dumps(answer)) for answer in answers] for name, answers in said.items()}
    assert all(size > 100_000 for name in ("library", "blocking", "cli") for size in sizes[name])
    assert [size < 40_000 for size in sizes["mcp"]] == [True, True, False]
    assert all(len(answer["cut"]) == 1 for answer in said["mcp"][:2])


async def _closed_after(engine, work):
    try:
        return await work(engine)
    finally:
        await engine.close()


def _by_library(settings, calls, _):
    async def work(engine):
        said = []
        for name, arguments in calls:
            said.append(await _told(getattr(engine, name)(**_filled(arguments, said))))
        return said

    return asyncio.run(_closed_after(open_app(settings, waits=True), work))


async def _told(call):
    try:
        return (await call).model_dump(mode="json", exclude_none=True)
    except BethinkError as wrong:
        return {"error": {"code": wrong.code, "message": str(wrong), "hint": wrong.hint}}


def _by_blocking(settings, calls, _):
    said = []
    with BlockingBethink(open_app(settings, waits=True)) as memory:
        for name, arguments in calls:
            try:
                result = getattr(memory, name)(**_filled(arguments, said))
                said.append(result.model_dump(mode="json", exclude_none=True))
            except BethinkError as wrong:
                said.append({"error": {"code": wrong.code, "message": str(wrong), "hint": wrong.hint}})
    return said


def _by_mcp(settings, calls, _):
    async def work(engine):
        said = []
        async with Client(Surface(engine, settings).server()) as client:
            for name, arguments in calls:
                result = await client.call_tool(OPERATIONS[name].tool, _filled(arguments, said))
                assert result.is_error == ("error" in result.structured_content)
                said.append(result.structured_content)
        return said

    return asyncio.run(_closed_after(open_app(settings, waits=True), work))


def _by_cli(settings, calls, capsys):
    flags = [f"--{name}={settings[name]}" for name in ("db", "namespace", "embedder")]
    said = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BETHINK_AGENT", settings["agent"])
        patch.setenv("BETHINK_TIMEZONE", "UTC")
        for name, arguments in calls:
            code = main([*flags, *_command(name, _filled(arguments, said)), "--json"])
            out, err = capsys.readouterr()
            said.append(json.loads(out))
            assert err == ""
            assert "error" not in said[-1] or code == _exit_codes()[said[-1]["error"]["code"]]
    return said


_RUN = {"library": _by_library, "blocking": _by_blocking, "mcp": _by_mcp, "cli": _by_cli}


def _exit_codes():
    kinds, codes = [BethinkError], {}
    while kinds:
        kind = kinds.pop()
        codes[kind.code] = kind.exit_code
        kinds += kind.__subclasses__()
    return codes


def _command(name, arguments):
    """A call as somebody types it."""
    if name == "import":
        return [name, *arguments["paths"]]
    signature = inspect.signature(OPERATIONS[name].fn)
    positional = [p.name for p in signature.parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD][1:]
    words, options = [name.replace("_", "-")], []
    for argument, value in arguments.items():
        if argument in positional:
            words += value if isinstance(value, list) else [value]
        else:
            options += _option(argument, value)
    return [*words, *options]


def _option(name, value):
    flag = name.replace("_", "-")
    if value is None:
        return ["--clear", name]
    if isinstance(value, bool):
        return [f"--{flag}" if value else f"--no-{flag}"]
    return [f"--{flag}={value if isinstance(value, str) else json.dumps(value)}"]


def _filled(value, said):
    """An argument with the places of earlier answers filled in."""
    if isinstance(value, dict):
        return {name: _filled(part, said) for name, part in value.items()}
    if isinstance(value, list):
        return [_filled(part, said) for part in value]
    if isinstance(value, str) and (place := re.fullmatch(r"\{(?:(\w+):)?(\d+)\}", value)):
        answer = said[int(place[2])]
        name = place[1] or "id"
        return answer.get("preview", answer)[name]
    return value


def _steadied(said):
    """Answers without what is new each time: ids and handles are named by when they came up, times are those given."""
    ids = list(
        dict.fromkeys(
            re.findall(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", json.dumps(said))
        )
    )
    text = json.dumps(said, sort_keys=True)
    for number, memory in enumerate(ids):
        digits = memory.replace("-", "")
        for form in (memory, digits[-12:], digits[-11:], digits[-10:], digits[-9:], digits[-8:]):
            text = text.replace(form, f"ID{number}")
    text = re.sub(r'"(?!2020)\d{4}-\d\d-\d\dT[\d:.]+Z"', '"T"', text)
    return [
        {name: part for name, part in answer.items() if part not in ([], {})} for answer in _masked(json.loads(text))
    ]


def _masked(value):
    if isinstance(value, dict):
        return {name: _masked(part) for name, part in value.items() if name not in NEW_EACH_TIME}
    return [_masked(part) for part in value] if isinstance(value, list) else value


# Reads are counted off the answer's path, so when they show depends on when a process ends.
NEW_EACH_TIME = {
    "cursor", "token", "content_hash", "export", "export_sha256", "access_count", "last_accessed_at", "wal",
}  # fmt: skip


def _unnamed(error):
    return json.loads(re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}", "ID", json.dumps(error)))
