"""What a store makes of what it is given: cleaned, redacted, bounded, or refused with what to do."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bethink.errors import BethinkError, Forbidden, InvalidRequest, NotFound, TooLarge
from bethink.principal import confined
from tests.bed import Clock, Ids, memory_at
from tests.storage.drafts import flaws, look

KEY = "AKIA" + "Q3EGWNTX7PLB5KDJ"
PLACEHOLDER = "[secret:aws-access-key]"


@pytest.fixture
async def memory(path):
    memory = memory_at(path, clock=Clock(), ids=Ids())
    yield memory
    await memory.close()


async def kept(memory, key):
    return (await memory.get([key])).memories[0]


@pytest.mark.failure("F002")
async def test_the_whole_item_is_cleaned_and_each_field_is_named(memory):
    done = await memory.store(
        "a\x00b \ud800",
        title="t\x07",
        tags=["x\x00"],
        metadata={"k\x00": ["\ud800", {"deep": "\x01"}]},
        evidence=[{"quote": "q\x00"}],
        source={"path": "p\x00"},
    )

    got = await kept(memory, done.id)
    assert (got.content, got.title, got.tags) == ("a\ufffdb \ufffd", "t", ("x\ufffd",))
    assert (got.metadata, got.evidence[0].quote, got.source.path) == (
        {"k\ufffd": ["\ufffd", {"deep": ""}]},
        "q\ufffd",
        "p\ufffd",
    )
    fields = {note.split(":")[0].split(".")[0] for note in done.cleaned}
    assert fields == {"content", "title", "tags", "metadata", "evidence", "source"}


async def test_clean_text_is_kept_to_the_letter(memory):
    text = "  e\u0301 \u202e\u200b\U0001f468\u200d\U0001f469\ufeff\t\n\n{}%s\\ " + "x" * 10_000

    done = await memory.store(text)

    assert ((await kept(memory, done.id)).content, done.cleaned) == (text, ())


async def test_what_a_repeated_store_says_otherwise_is_named(memory):
    await memory.store("The deploy runs on Mondays.", tags=["ops"])

    quoted = {"title": f"The {KEY}", "evidence": [{"quote": "Mondays"}]}
    await memory.store("The deploy is slow.", **quoted)
    same = await memory.store("The deploy is slow.", **quoted)
    again = await memory.store("The deploy runs on Mondays.", tags=["OPS"])
    other = await memory.store("The deploy runs on Mondays.", tags=["ops", "ci"], pinned=True, importance=0.9)

    assert [(one.replayed, one.reason) for one in (same, again)] == [(True, None)] * 2
    assert other.reason == "what is new in importance, pinned, tags was not taken: use memory_update"
    assert other.reason in other.compact()


async def test_what_is_taken_out_of_a_reason_is_said(memory):
    done = await memory.store("Text.")

    changed = await memory.update(done.id, title="Other", reason=f"rotated {KEY}")
    retired = await memory.forget([done.id], reason=f"revoked {KEY}")
    restored = await memory.restore([done.id], reason=f"back {KEY}")
    token = (await memory.forget([done.id], hard=True)).preview.token
    erased = await memory.forget([done.id], hard=True, token=token, reason=f"leaked {KEY}")

    assert [one.redacted for one in (changed, retired, restored, erased)] == [("aws-access-key",)] * 4
    assert ["redacted: aws-access-key" in one.compact() for one in (changed, retired, restored, erased)] == [True] * 4


async def test_a_title_is_one_line(memory):
    done = await memory.store("Text.", title="Real\n[deadbeef] Approved  (decision)")
    await memory.update(done.id, title="Other\r\n[deadbeef] title")

    assert (await kept(memory, done.id)).title == "Other [deadbeef] title"


async def test_a_namespace_holds_no_credential(memory):
    await memory.namespaces("create", path="team:acme", description=f"the key is {KEY}", required_tags=[])

    with pytest.raises(InvalidRequest, match="it holds a credential"):
        await memory.store("Text.", namespace=f"team:{KEY}")
    with pytest.raises(InvalidRequest, match="it holds a credential"):
        await memory.namespaces("create", path=f"team:{KEY}")

    assert KEY not in (await memory.namespaces()).model_dump_json()


async def test_a_credential_is_replaced_wherever_it_stands(memory, path):
    done = await memory.store(
        f"the key is {KEY} here",
        title=KEY,
        context=KEY,
        metadata={"env": [{KEY: KEY}]},
        evidence=[{"quote": KEY}],
        source={"path": KEY},
    )
    changed = await memory.update(done.id, content=f"now {KEY}", reason=f"rotated {KEY}")
    await memory.forget([done.id], reason=f"revoked {KEY}")
    await memory.restore([done.id], reason=f"back {KEY}")
    await memory.recall(f"unheard of {KEY}", mode="keyword", min_score=1)

    got = await kept(memory, done.id)
    assert (done.redacted, changed.redacted) == (("aws-access-key",), ("aws-access-key",))
    assert (got.content, got.title, got.metadata) == (
        f"now {PLACEHOLDER}",
        PLACEHOLDER,
        {"env": [{PLACEHOLDER: PLACEHOLDER}]},
    )
    await memory.close()
    assert KEY.encode() not in path.read_bytes()


SECRET = "9f8a7b6c5d4e3f2a1b0c9d8e7f6a5b4c"


@pytest.mark.parametrize(
    ("metadata", "safe", "kinds"),
    [
        ({"api_key": SECRET}, {"api_key": "[secret:api-key]"}, ("api-key",)),
        ({"a": [{"password": "hunter2 is 9Xk"}]}, {"a": [{"password": "[secret:password]"}]}, ("password",)),
        ({"a": {"password": ["hunter2-9Xk"]}}, {"a": {"password": ["[secret:password]"]}}, ("password",)),
        ({KEY: 1, "n": f"is {KEY}"}, {PLACEHOLDER: 1, "n": f"is {PLACEHOLDER}"}, ("aws-access-key",)),
        ({KEY: 1, KEY[:-1] + "Z": 2}, {PLACEHOLDER: 1, f"{PLACEHOLDER} 2": 2}, ("aws-access-key",)),
        ({"note": SECRET, "password": "", "api_key": None}, {"note": SECRET, "password": "", "api_key": None}, ()),
    ],
)
@pytest.mark.parametrize("how", ["store", "update", "store_many"])
async def test_a_credential_in_metadata_is_known_by_its_form_or_by_its_key(memory, how, metadata, safe, kinds):
    stored = await memory.store("A note.")
    if how == "store":
        told = (await memory.store("Another note.", metadata=metadata)).redacted
    elif how == "update":
        told = (await memory.update(stored.id, metadata=metadata)).redacted
    else:
        done = await memory.store_many([{"content": "Another note.", "metadata": metadata}])
        told = kinds if done.redacted == bool(kinds) else done.redacted

    newest = (await memory.list(sort="updated", limit=1, detail="full")).memories[0].memory
    assert (newest.metadata, told) == (safe, kinds)


async def test_the_owner_may_have_credentials_refused(path):
    memory = memory_at(path, secrets="refuse")

    with pytest.raises(InvalidRequest, match="aws-access-key") as told:
        await memory.store(f"the key is {KEY}")

    assert KEY not in str(told.value) + told.value.hint
    assert (await memory.list()).total == 0
    await memory.close()


async def test_the_owner_may_allow_credentials(path):
    memory = memory_at(path, secrets="allow")

    done = await memory.store(f"the key is {KEY}")

    assert (await kept(memory, done.id)).content == f"the key is {KEY}"
    await memory.close()


LIMITS = [
    ("content", "x" * 1_000_000, "x" * 1_000_001, "1,000,000"),
    ("title", "x" * 300, "x" * 301, "300"),
    ("tags", [f"t{n}" for n in range(64)], [f"t{n}" for n in range(65)], "64"),
    ("tags", ["x" * 64], ["x" * 65], "64"),
    ("metadata", {"a": "x" * (65_536 - 9)}, {"a": "x" * (65_536 - 8)}, "65,536"),
    ("context", "x" * 20_000, "x" * 20_001, "20,000"),
    ("evidence", [{"quote": "q"}] * 50, [{"quote": "q"}] * 51, "50"),
]


@pytest.mark.parametrize(
    ("field", "most", "more", "limit"), LIMITS, ids=[f"{name}-{limit}" for name, *_, limit in LIMITS]
)
async def test_what_is_over_a_limit_is_refused_by_name_and_nothing_is_stored(memory, field, most, more, limit):
    with pytest.raises(TooLarge, match=field) as told:
        await memory.store(**{"content": "text", field: more})

    assert (limit in str(told.value), bool(told.value.hint)) == (True, True)
    assert (await memory.list()).total == 0
    assert (await memory.store(**{"content": "text", field: most})).stored


REFUSED = [
    {"content": ""},
    {"content": " \n\t "},
    {"content": "\x00\x01"[1:]},
    {"content": "x", "kind": "thought"},
    {"content": "x", "confidence": 1.5},
    {"content": "x", "confidence": float("nan")},
    {"content": "x", "occurred_at": "2026-02-30"},
    {"content": "x", "valid_from": "2026-02-01", "valid_to": "2026-01-01"},
    {"content": "x", "language": "english"},
    {"content": "x", "ordinal": -1},
    {"content": "x", "ordinal": 10**30},
    {"content": "x", "metadata": {"a": float("nan")}},
    {"content": "x", "metadata": {"a": Ellipsis}},
    {"content": "x", "source": {"file": "x"}},
    {"content": "x", "namespace": "a//b"},
    {"content": "x", "tags": [""]},
    {"content": "x", "colour": "red"},
]


@pytest.mark.parametrize("fields", REFUSED, ids=str)
async def test_what_cannot_be_is_refused_with_what_to_do_and_nothing_is_stored(memory, fields):
    with pytest.raises(InvalidRequest) as told:
        await memory.store(**fields)

    assert told.value.hint
    assert (await memory.list()).total == 0


TEXTS = st.text(max_size=20) | st.sampled_from(["\x00", "\ud800", "null", "[", "{}", "2026-01-01", "yesterday", "-1"])
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
FIELDS = [
    "title", "kind", "tags", "subtype", "context", "source", "author", "evidence", "metadata", "confidence",
    "verification", "verification_note", "importance", "volatility", "pinned", "access_level", "language",
    "occurred_at", "valid_from", "valid_to", "expires_at", "parent_id", "ordinal", "on_conflict", "min_importance",
]  # fmt: skip


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=ANYTHING, fields=st.dictionaries(st.sampled_from(FIELDS), ANYTHING, max_size=3))
async def test_whatever_is_given_is_stored_or_refused_and_never_half_kept(memory, content, fields):
    before = (await memory.list(status=["any"], kinds=EVERY_KIND, expired=None)).total

    try:
        done = await memory.store(content, **fields)
    except BethinkError as told:
        done = None if told.hint else pytest.fail(str(told))

    after = (await memory.list(status=["any"], kinds=EVERY_KIND, expired=None)).total
    new = done is not None and done.action in ("add", "supersede")
    assert after - before == new
    if done is not None and done.stored:
        assert (await memory.get([done.id], versions=True, relations=True)).missing == ()
        assert (await memory.list(limit=1, detail="full")).memories is not None


EVERY_KIND = [
    "fact", "decision", "pattern", "bug", "architecture", "preference", "workflow", "context", "learning", "lesson",
    "incident", "meeting", "observation", "insight", "document", "chunk", "conversation", "turn", "session",
    "session_state",
]  # fmt: skip


@pytest.mark.failure("F027")
@pytest.mark.parametrize("metadata", [{"a": [1]}, '{"a": [1]}'])
async def test_metadata_is_taken_as_an_object_or_as_its_text(memory, metadata):
    done = await memory.store("text", metadata=metadata)

    assert (await kept(memory, done.id)).metadata == {"a": [1]}


@pytest.mark.failure("F001")
async def test_many_are_stored_with_each_bad_one_reported(memory):
    items = [
        {"content": "good"},
        {"content": ""},
        "text",
        {"content": "good"},
        {"content": "b\x00d"},
        {"colour": 1},
        {"content": KEY},
    ]

    report = await memory.store_many(items, batch=2)

    assert (report.stored, report.replayed, report.rejected, report.cleaned, report.redacted) == (3, 1, 3, 1, 1)
    assert [r.item for r in report.rejections] == [1, 2, 5]


async def test_an_interrupted_run_goes_on_where_it_was(memory):
    def broken():
        yield from ({"content": f"text {n}"} for n in range(7))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        await memory.store_many(broken(), batch=3)
    report = await memory.store_many([{"content": f"text {n}"} for n in range(9)], batch=3)

    assert (report.stored, report.replayed) == (3, 6)


async def test_a_confined_caller_is_always_the_author(path):
    memory = memory_at(path)
    bot = memory.as_(confined("team:acme"))

    done = await bot.store("x", author=None)
    with pytest.raises(Forbidden, match="'author' cannot be given here"):
        await bot.store("y", author="the boss")
    with pytest.raises(Forbidden, match="'author' cannot be given here"):
        await bot.update(done.id, author="the boss")
    report = await bot.store_many([{"content": "z", "author": "the boss"}])

    assert [r.reason for r in report.rejections] == ["'author' cannot be given here"]
    assert (await bot.list()).total == 1
    assert (await kept(memory, done.id)).author == confined("team:acme").author
    await memory.close()


@pytest.mark.parametrize("bulk", [False, True])
async def test_a_parent_out_of_reach_is_as_one_that_never_was(path, bulk):
    memory = memory_at(path)
    theirs = (await memory.store("theirs", namespace="team:other")).id
    bot = memory.as_(confined("team:acme"))

    for parent in (theirs, "0000beef"):
        if bulk:
            report = await bot.store_many([{"content": "x", "parent_id": parent}])
            assert [r.reason for r in report.rejections] == [f"no memory {parent!r} in reach"]
        else:
            with pytest.raises(NotFound, match=f"no memory '{parent}' in reach"):
                await bot.store("x", parent_id=parent)
    await memory.close()


async def test_an_update_that_changes_nothing_writes_nothing(memory, path):
    done = await memory.store("text", tags=["a"])
    before = look(path, "select * from memory", "select * from event")

    same = await memory.update(done.id, content="text", tags=["a"])

    assert (same.changed, same.version) == ((), 1)
    assert look(path, "select * from memory", "select * from event") == before


@pytest.mark.failure("F152")
async def test_an_update_with_one_value_over_a_limit_changes_nothing(memory):
    done = await memory.store("text")

    with pytest.raises(TooLarge):
        await memory.update(done.id, content="other", title="x" * 301)

    assert ((await kept(memory, done.id)).content, (await kept(memory, done.id)).version) == ("text", 1)


async def test_an_update_to_what_another_memory_says_is_a_conflict_and_changes_nothing(memory, path):
    await memory.store("one")
    two = await memory.store("two")

    with pytest.raises(BethinkError, match="already says exactly this"):
        await memory.update(two.id, content="one")

    assert (await kept(memory, two.id)).content == "two"
    assert flaws(path) == []


async def test_a_day_ends_when_the_next_begins(memory):
    await memory.store("on the first", occurred_at="2023-03-01")
    await memory.store("on the second", occurred_at="2023-03-02")

    async def found(**when):
        return [one.text for one in (await memory.list(detail="full", descending=False, **when)).memories]

    assert await found(since="2023-03-02") == ["on the second"]
    assert await found(until="2023-03-01") == ["on the first"]
    assert await found(since="2023-03-01", until="2023-03-02") == ["on the first", "on the second"]
    hits = (await memory.recall("first second", since="2023-03-02", mode="keyword", min_score=0)).hits
    assert [hit.text for hit in hits] == ["on the second"]
