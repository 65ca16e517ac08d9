"""Arguments as models send them: understood where they are unambiguous, else refused so that they can be mended."""

import json
from functools import reduce

import pytest

from bethink.domain import Evidence, Source
from bethink.engine import Bethink
from bethink.errors import BethinkError, InvalidRequest, TooLarge
from bethink.operation import operations

OPERATIONS = operations(Bethink)
SOURCE = {"repo": "acme/web", "path": "a.py"}
DEEP = json.loads("[" * 70 + "]" * 70)
EVIDENCE = {"quote": "it said so", "url": "https://a.example"}

BOTTOMLESS = reduce(lambda inner, _: {"in": inner}, range(3_000), {})


async def call(engine, name, **arguments):
    return await OPERATIONS[name].call(engine, arguments)


async def refused(engine, name, **arguments):
    with pytest.raises(BethinkError) as wrong:
        await OPERATIONS[name].call(engine, arguments)
    assert wrong.value.hint
    return wrong.value


@pytest.mark.failure("F026", "F027")
@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ({"tags": "a, b,,"}, {"tags": ("a", "b")}),
        ({"tags": '["a", "b, c"]'}, {"tags": ("a", "b, c")}),
        ({"tags": '"a, b"'}, {"tags": ("a, b",)}),
        ({"tags": 7}, {"tags": ("7",)}),
        ({"tags": ["x", 7, 1.5]}, {"tags": ("x", "7", "1.5")}),
        ({"tags": ""}, {"tags": ()}),
        ({"tags": None}, {"tags": ()}),
        ({"tags": ["A", "a", " a "]}, {"tags": ("A",)}),
        ({"confidence": "0.25"}, {"confidence": 0.25}),
        ({"confidence": 1}, {"confidence": 1.0}),
        ({"confidence": None}, {"confidence": 0.8}),
        ({"confidence": "null"}, {"confidence": 0.8}),
        ({"ordinal": "3"}, {"ordinal": 3}),
        ({"ordinal": 3.0}, {"ordinal": 3}),
        ({"pinned": "true"}, {"pinned": True}),
        ({"pinned": "no"}, {"pinned": False}),
        ({"kind": "bug"}, {"kind": "bug"}),
        ({"metadata": {"a": [1, None]}}, {"metadata": {"a": [1, None]}}),
        ({"metadata": '{"a": [1, null]}'}, {"metadata": {"a": [1, None]}}),
        ({"metadata": "null"}, {"metadata": None}),
        ({"source": SOURCE}, {"source": Source(**SOURCE)}),
        ({"source": json.dumps(SOURCE)}, {"source": Source(**SOURCE)}),
        ({"source": Source(**SOURCE)}, {"source": Source(**SOURCE)}),
        ({"source": {}}, {"source": None}),
        ({"title": 12}, {"title": "12"}),
        ({"title": "null"}, {"title": "null"}),
        ({"subtype": None, "context": None, "occurred_at": None}, {"subtype": None, "context": None}),
    ],
)
async def test_what_was_meant_is_kept(memory, given, kept):
    stored = await call(memory, "store", content="A text.", **given)

    (found,) = (await memory.get([stored.id])).memories
    assert {name: getattr(found, name) for name in kept} == kept


@pytest.mark.parametrize(
    "given", [EVIDENCE, [EVIDENCE], json.dumps(EVIDENCE), json.dumps([EVIDENCE]), Evidence(**EVIDENCE)]
)
async def test_one_object_stands_for_a_list_of_one(memory, given):
    given = [given] if isinstance(given, Evidence) else given
    stored = await call(memory, "store", content="A text.", evidence=given)

    (found,) = (await memory.get([stored.id])).memories
    assert [(e.quote, e.url) for e in found.evidence] == [("it said so", "https://a.example")]


@pytest.mark.parametrize("ids", ["{0}", "{0},{1}", '["{0}", "{1}"]', '"{0}"'])
async def test_ids_come_in_any_of_these_forms(memory, ids):
    stored = [(await memory.store(text)).id for text in ("One.", "Two.")]

    got = await call(memory, "get", ids=ids.format(*stored))

    assert [m.id for m in got.memories] == stored[: len(got.memories)]
    assert not got.missing


@pytest.mark.parametrize(
    ("name", "given", "message", "hint"),
    [
        ("store", {"content": "x", "tag": ["a"]}, "'tag' is not a parameter", "Did you mean 'tags'?"),
        ("store", {"content": "x", "Kind": "fact"}, "'Kind' is not a parameter", "Did you mean 'kind'?"),
        ("store", {"text": "x"}, "'text' is not a parameter", "Did you mean 'context'?"),
        ("recall", {"query": "x", "Limit": 3}, "'Limit' is not a parameter", "Did you mean 'limit'?"),
        ("recall", {"query": "x", "tags_al": "a"}, "'tags_al' is not a parameter", "Did you mean 'tags_any'?"),
        ("forget", {"id": "00000001"}, "'id' is not a parameter", "Did you mean 'ids'?"),
        ("stats", {"zzzzzz": 1}, "'zzzzzz' is not a parameter", "Accepted: namespaces."),
        ("store", {"content": "x", "source": {"repos": "r"}}, "source: 'repos' is not a part of it", "'repo'"),
        ("store", {"content": "x", "source": {"typ": "x"}}, "source: 'typ' is not a part", "Did you mean 'type'?"),
        ("store", {"content": "x", "evidence": [{"qoute": "q"}]}, "evidence.0: 'qoute' is not", "mean 'quote'?"),
        ("recall", {"query": "x", "source": {"pth": "x"}}, "source: 'pth' is not a part", "Did you mean 'path'?"),
        ("store", {}, "content is required", "Give 'content'."),
        ("update", {"id": "00000001"}, "nothing to change", "at least one field"),
        ("store", {"content": "x", "kind": "memo"}, "kind: 'memo' is not accepted", "Use 'fact', 'decision'"),
        ("recall", {"query": "x", "mode": "fuzzy"}, "mode: 'fuzzy' is not accepted", "Use 'hybrid', 'semantic'"),
        ("recall", {"query": "x", "limit": "many"}, "limit: it is not a whole number", "Correct 'limit'"),
        ("recall", {"query": "x", "limit": 2.5}, "limit: it is not a whole number", "Correct 'limit'"),
        ("store", {"content": ["x"]}, "content: it is not a text", "Correct 'content'"),
        ("store", {"content": "x", "tags": '["a", "b'}, "tags: '[\"a\", \"b' is not JSON", 'Write tags as ["one"'),
        ("store", {"content": "x", "tags": "['a']"}, "tags: \"['a']\" is not JSON", "Write tags as"),
        ("store", {"content": "x", "metadata": "{broken"}, "metadata: '{broken' is not JSON", "quotes and brackets"),
        ("store", {"content": "x", "metadata": "broken"}, "metadata: it is not an object", "Correct 'metadata'"),
        ("store", {"content": "x", "evidence": '{"quote": "q'}, "evidence: '{\"quote\": \"q' is not JSON", "quotes"),
        ("store", {"content": "x", "evidence": ["it said so"]}, "evidence.0: it is not an object", "'evidence.0'"),
        ("store", {"content": "x", "evidence": [{**EVIDENCE, "seen_at": "once"}]}, "'once' is not a time", "2024-05"),
        ("store", {"content": "x", "metadata": [1]}, "metadata: it is not an object", "'metadata'"),
        ("store", {"content": "x", "metadata": {"n": float("nan")}}, "metadata is not JSON", "Use text, numbers"),
        ("store", {"content": "x", "language": "english"}, "'english' is not of the form", "Correct 'language'"),
        ("store", {"content": "x", "confidence": 1.5}, "confidence: 1.5 is more than 1", "Give 1 or less."),
        ("store", {"content": "x", "ordinal": 10**5_000}, "ordinal: it is more than 1,000,000,000", "1,000,000,000 or"),
        ("store", {"content": "x", "confidence": 7, "ordinal": -1}, "(1 more problem)", "Give 1 or less."),
        ("get", {"ids": []}, "ids: it is empty", "Correct 'ids'"),
        ("get", {"ids": ["not an id"]}, "'not an id' is not an id", "at least 6 hex digits"),
        ("get", {"ids": ["0000-1"]}, "'0000-1' is not an id", "at least 6 hex digits"),
        ("get", {"ids": ["------"]}, "'------' is not an id", "at least 6 hex digits"),
        ("forget", {"ids": ["0000001"]}, "ids.0: it has fewer than 8 characters", "'ids.0'"),
        ("forget", {"ids": ["0-000001"]}, "'0-000001' is not an id", "at least 8 hex digits"),
        ("restore", {"ids": ["0-000001"]}, "'0-000001' is not an id", "at least 8 hex digits"),
        ("update", {"id": "0-000001", "title": "x"}, "'0-000001' is not an id", "at least 8 hex digits"),
        ("forget", {"ids": ["00000001"], "token": "x"}, "token goes with hard=true", "Repeat the call with hard=true"),
        ("store_many", {"items": "text"}, "items: it is not a list of objects", "Correct 'items'"),
        ("store_many", {"items": {"content": "x"}}, "items: it is not a list of objects", "Correct 'items'"),
        ("store", {"content": "x", "source": {"a": {"b": 1}}}, "source: 'a' is not a part of it", "Accepted: type"),
        ("store", {"content": "x", "metadata": BOTTOMLESS}, "'metadata' is nested deeper than 64 levels", "Flatten"),
    ],
)  # fmt: skip
@pytest.mark.failure("F020", "F025", "F029")
async def test_what_cannot_be_meant_is_refused_and_the_way_out_said(memory, name, given, message, hint):
    wrong = await refused(memory, name, **given)

    assert isinstance(wrong, InvalidRequest)
    assert message in str(wrong)
    assert hint in wrong.hint


NUMBERS = [
    (op.name, name)
    for op in OPERATIONS.values()
    for name, part in op.params.model_json_schema()["properties"].items()
    if {"integer", "number"} & {branch.get("type") for branch in (part, *part.get("anyOf", ()))}
]


@pytest.mark.parametrize(("given", "said"), [(True, "true"), (False, "false")])
async def test_yes_and_no_are_no_numbers(memory, given, said):
    wrong = {(name, field): str(await refused(memory, name, **{field: given})) for name, field in NUMBERS}

    assert wrong == {(name, field): f"{field}: {said} is not a number" for name, field in NUMBERS}


async def test_yes_and_no_are_no_numbers_in_an_item_of_many(memory):
    done = await memory.store_many([{"content": "One.", "confidence": True}])

    assert [r.reason for r in done.rejections] == ["confidence: true is not a number"]


@pytest.mark.failure("F020")
@pytest.mark.parametrize("blank", ["", " ", "\n\t ", "\u3000", "\u200b", "\ufeff \u2060", "\u2800\u3164", "\x00"])
@pytest.mark.parametrize("name", ["content", "title", "tags"])
async def test_blank_texts_are_refused_at_store_and_update(memory, name, blank):
    kept = await memory.store("A text.", title="A title", tags=["t"])
    given = [blank] if name == "tags" else blank
    whole = {"content": "Another."} | {name: given}

    if blank == "\x00":  # becomes a character that can be seen
        assert (await call(memory, "store", **whole)).cleaned
        return
    said = [await refused(memory, "store", **whole), await refused(memory, "update", id=kept.id, **{name: given})]

    assert all("blank" in str(wrong) or "it is empty" in str(wrong) for wrong in said)
    assert (await memory.list()).total == 1


@pytest.mark.failure("F021", "F061")
@pytest.mark.parametrize(
    ("name", "given", "kind", "message"),
    [
        ("store", {"content": "x" * 1_000_001}, TooLarge, "content: 1,000,001 is over the limit of 1,000,000"),
        ("store", {"content": "é" * 1_000_001}, TooLarge, "content: 1,000,001 is over the limit of 1,000,000"),
        ("store", {"content": "x", "title": "t" * 301}, TooLarge, "title: 301 is over the limit of 300"),
        ("store", {"content": "x", "tags": ["t" * 65]}, TooLarge, "tags.0: 65 is over the limit of 64"),
        ("store", {"content": "x", "tags": [str(n) for n in range(65)]}, TooLarge, "tags: 65 is over the limit of 64"),
        ("store", {"content": "x", "metadata": {"a": "é" * 40_000}}, TooLarge, "80,009 bytes is over the limit of"),
        ("store", {"content": "x", "context": "c" * 20_001}, TooLarge, "context: 20,001 is over the limit of 20,000"),
        ("store", {"content": "x", "evidence": [EVIDENCE] * 51}, TooLarge, "evidence: 51 is over the limit of 50"),
        ("recall", {"query": "q" * 100_001}, TooLarge, "query: 100,001 is over the limit of 100,000"),
        ("recall", {"query": "q", "limit": 51}, InvalidRequest, "limit: 51 is more than 50"),
        ("recall", {"query": "q", "limit": 0}, InvalidRequest, "limit: 0 is less than 1"),
        ("recall", {"query": "q", "max_tokens": 99}, InvalidRequest, "max_tokens: 99 is less than 100"),
        ("list", {"limit": 201}, InvalidRequest, "limit: 201 is more than 200"),
        ("list", {"limit": -1}, InvalidRequest, "limit: -1 is less than 1"),
        ("get", {"ids": [f"{n:08}" for n in range(201)]}, TooLarge, "ids: 201 is over the limit of 200"),
        ("forget", {"ids": [f"{n:08}" for n in range(201)]}, TooLarge, "ids: 201 is over the limit of 200"),
        ("store", {"content": "x", "metadata": {"a": DEEP}}, InvalidRequest, "deeper than 64 levels"),
        ("store", {"content": "x", "metadata": '{"a":' * 70 + "1" + "}" * 70}, InvalidRequest, "deeper than 64 levels"),
    ],
)  # fmt: skip
async def test_over_a_limit_is_refused_naming_the_limit_and_the_size(memory, name, given, kind, message):
    wrong = await refused(memory, name, **given)

    assert type(wrong) is kind
    assert message in str(wrong)
    assert len(str(wrong) + wrong.hint) < 500
    assert (await memory.list()).total == 0


@pytest.mark.parametrize(
    ("given", "hint"),
    [
        ({"tags": [str(n) for n in range(65)]}, "Give at most 64."),
        ({"tags": ["t" * 65]}, "Shorten it or split it."),
        ({"evidence": [EVIDENCE] * 51}, "Give at most 50."),
    ],
)
async def test_too_many_values_are_to_be_fewer_and_a_long_text_shorter(memory, given, hint):
    assert (await refused(memory, "store", content="x", **given)).hint == hint


async def test_at_the_limits_nothing_is_refused(memory):
    tags = [f"{n:064}" for n in range(64)]

    stored = await memory.store("word " * 200_000, title="t" * 300, tags=tags, metadata={"a": "x" * 65_500})

    (kept,) = (await memory.get([stored.id])).memories
    assert (len(kept.content), kept.title, kept.tags) == (1_000_000, "t" * 300, tuple(tags))


@pytest.mark.failure("F002", "F003")
async def test_what_cannot_be_stored_is_replaced_also_where_json_in_a_text_hides_it(memory):
    stored = await call(
        memory, "store", content="a\x00b", tags='["t\\ud800"]', metadata='{"k\\u0000": "v\\udfff"}', title="x\x07y"
    )

    (kept,) = (await memory.get([stored.id])).memories
    assert (kept.content, kept.tags, kept.metadata, kept.title) == (
        "a\ufffdb",
        ("t\ufffd",),
        {"k\ufffd": "v\ufffd"},
        "xy",
    )
    assert {note.partition(":")[0] for note in stored.cleaned} == {
        "content", "title", "tags.0", "metadata.key", "metadata.k\ufffd",
    }  # fmt: skip


async def test_a_positional_argument_and_a_named_one_are_the_same_call(memory):
    first, second = await memory.store("Said once."), await memory.store(content="Said once.")

    assert (second.id, second.replayed) == (first.id, True)


@pytest.mark.parametrize("given", [{"limit": 3}, {"nothing": 1}])
async def test_python_refuses_what_is_no_parameter_of_a_method(memory, given):
    with pytest.raises((TypeError, InvalidRequest)):
        await memory.stats(**given)
