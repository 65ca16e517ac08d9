"""Models of the hub: fetched once over real HTTP from the loopback, verified, kept, and really run."""

import asyncio
import os

import numpy as np
import pytest

from bethink.errors import Unavailable
from bethink.models import hub as hub_
from bethink.models.hub import Hub, fetch
from bethink.models.hub_embedder import HubEmbedder
from bethink.models.protocol import shares_space
from bethink.models.spec import embedder_from_spec

from . import tiny
from .hub_server import COMMIT, MODEL


@pytest.fixture
async def opened(hub, tmp_path):
    """Return embedders for the hub's model that are closed in the end."""
    made = []

    def opened(files=None, **options):
        hub.files = hub.files or files or tiny.embedder()
        made.append(HubEmbedder(Hub(tmp_path / "models", hub.url), MODEL, **options))
        return made[-1]

    yield opened
    await asyncio.gather(*(embedder.close() for embedder in made))


async def vector(embedder, text, role="document"):
    (row,) = await embedder.embed([text], role)
    return row


async def test_a_model_of_the_hub_embeds(opened):
    embedder = opened()
    before = embedder.identity, embedder.ready, embedder.dimensions

    await embedder.load()
    cat, feline, tax = await embedder.embed(["cat", "feline", "tax"], "document")

    assert before == (f"hub:{MODEL}@?", False, 0)
    assert (embedder.identity, embedder.ready, embedder.dimensions) == (f"hub:{MODEL}@{COMMIT[:12]}", True, 4)
    assert cat @ feline > cat @ tax
    np.testing.assert_allclose([np.linalg.norm(row) for row in (cat, feline, tax)], 1, atol=1e-6)


async def test_it_is_named_by_a_spec_with_the_hub_and_the_token_of_the_environment(hub, tmp_path):
    hub.files, hub.gated = tiny.embedder(), True
    environment = {"HF_ENDPOINT": hub.url, "HF_TOKEN": "hf_secret"}
    embedder = embedder_from_spec(f"hub:{MODEL}@{COMMIT}", environment=environment, folder=tmp_path)

    await embedder.load()

    sent = {token for path, token in hub.tokens.items() if not path.startswith("/cdn/")}
    assert (embedder.ready, sent) == (True, {"Bearer hf_secret"})
    assert hub.tokens["/cdn/onnx/model.onnx"] is None
    await embedder.close()


async def test_only_what_is_needed_is_fetched_and_once(hub, opened):
    await opened().load()
    first = [path.rpartition("/")[2] for path in hub.requests]
    hub.requests.clear()
    hub.status = 503

    again = opened()
    await again.load()

    assert (again.ready, hub.requests) == (True, [])
    assert not {"README.md", "pytorch_model.bin"} & set(first)


@pytest.mark.failure("F302")
async def test_a_file_that_was_damaged_on_the_disk_is_fetched_again(hub, opened, tmp_path):
    await opened().load()
    graph = tmp_path / "models" / "acme--tiny" / "main" / "onnx" / "model.onnx"
    graph.write_bytes(graph.read_bytes()[:-1] + b"!")
    hub.requests.clear()

    again = opened()
    await again.load()

    assert again.ready
    assert [path for path in hub.requests if "resolve" in path] == [f"/{MODEL}/resolve/{COMMIT}/onnx/model.onnx"]


@pytest.mark.failure("F302")
@pytest.mark.parametrize("path", ["onnx/model.onnx", "tokenizer.json"])
def test_a_file_that_comes_damaged_is_not_taken(hub, tmp_path, path):
    hub.files = tiny.embedder()
    hub.served_instead = {path: hub.files[path][:-1] + b"!"}

    with pytest.raises(Unavailable, match=f"{path} of acme/tiny came damaged"):
        fetch(Hub(tmp_path, hub.url), MODEL)

    hub.served_instead.clear()
    assert fetch(Hub(tmp_path, hub.url), MODEL).commit == COMMIT


@pytest.mark.failure("F302")
def test_what_broke_off_goes_on_from_there(hub, tmp_path):
    hub.files = {**tiny.embedder(), "onnx/model.onnx_data": bytes(range(256)) * 16}
    hub.breaks_off_at = 1000
    with pytest.raises(Unavailable, match="the hub cannot be reached"):
        fetch(Hub(tmp_path, hub.url), MODEL)
    held = {part.name: part.stat().st_size for part in tmp_path.rglob("*.part")}
    hub.breaks_off_at = None

    snapshot = fetch(Hub(tmp_path, hub.url), MODEL)

    assert list(held.values()) == [1000]
    assert hub.ranges == ["bytes=1000-"]
    assert (snapshot.folder / "onnx" / "model.onnx_data").read_bytes() == hub.files["onnx/model.onnx_data"]
    assert list(tmp_path.rglob("*.part")) == []


def test_what_was_left_of_another_commit_is_begun_anew(hub, tmp_path):
    hub.files = tiny.embedder()
    part = tmp_path / "acme--tiny" / "main" / "onnx" / "model.onnx.part"
    part.parent.mkdir(parents=True)
    part.write_bytes(b"of another commit")
    os.utime(part, (0, 0))

    assert fetch(Hub(tmp_path, hub.url), MODEL).graph.read_bytes() == hub.files["onnx/model.onnx"]


def test_what_another_process_fetches_now_is_left_to_it(hub, tmp_path):
    hub.files = tiny.embedder()
    part = tmp_path / "acme--tiny" / "main" / "tokenizer.json.part"
    part.parent.mkdir(parents=True)
    part.write_bytes(b"half")

    with pytest.raises(Unavailable, match="acme/tiny is being fetched already"):
        fetch(Hub(tmp_path, hub.url), MODEL)

    assert part.read_bytes() == b"half"


def test_a_fetch_can_be_stopped_and_gone_on_with(hub, tmp_path):
    hub.files = tiny.embedder()
    with pytest.raises(Unavailable, match="was stopped"):
        fetch(Hub(tmp_path, hub.url), MODEL, stopped=lambda: True)

    assert fetch(Hub(tmp_path, hub.url), MODEL).commit == COMMIT


def test_without_a_network_it_says_so(tmp_path):
    with pytest.raises(Unavailable, match=r"acme/tiny cannot be fetched: .* \(ConnectError\)") as caught:
        fetch(Hub(tmp_path, "http://127.0.0.1:1"), MODEL)

    assert "fetched once" in caught.value.hint


@pytest.mark.parametrize(
    ("change", "message", "hint"),
    [
        ({"gated": True}, "acme/tiny is gated", "HF_TOKEN is not set"),
        ({"status": 503}, "the hub answered 503", "Try again later"),
        ({"files": {}}, "acme/tiny has no model in ONNX form", "onnx/model.onnx"),
        ({"files": {"onnx/model.onnx": b""}}, "acme/tiny has no tokenizer.json", "fast tokenizer"),
    ],
    ids=["gated", "down", "no graph", "no tokenizer"],
)
def test_what_is_not_to_be_had_is_told(hub, tmp_path, change, message, hint):
    hub.files = tiny.embedder()
    for name, value in change.items():
        setattr(hub, name, value)

    with pytest.raises(Unavailable, match=message) as caught:
        fetch(Hub(tmp_path, hub.url), MODEL)

    assert hint in caught.value.hint


@pytest.mark.parametrize(
    ("model", "revision", "message"),
    [
        ("acme/other", "main", "the hub shows no model acme/other"),
        (MODEL, "v2", "the hub has no revision 'v2' of acme/tiny"),
    ],
)
def test_a_name_that_the_hub_does_not_know_is_told(hub, tmp_path, model, revision, message):
    with pytest.raises(Unavailable, match=message):
        fetch(Hub(tmp_path, hub.url), model, revision)


def test_an_address_that_is_no_hub_is_told(endpoint, tmp_path):
    endpoint.answer = lambda _: (200, ["not", "a", "hub"])

    with pytest.raises(Unavailable, match="does not answer like a hub") as caught:
        fetch(Hub(tmp_path, endpoint.url), MODEL)

    assert hub_.URL_VARIABLE in caught.value.hint


def test_a_folder_that_cannot_be_written_is_told(hub, tmp_path):
    hub.files = tiny.embedder()
    (tmp_path / "models").write_text("a file")

    with pytest.raises(Unavailable, match="acme/tiny cannot be kept"):
        fetch(Hub(tmp_path / "models", hub.url), MODEL)


@pytest.mark.parametrize(
    ("pooling", "expected"),
    [
        ("mean", np.mean([tiny.ELSEWHERE, tiny.NEAR["cat"], tiny.NEAR["dog"], tiny.ELSEWHERE], axis=0)),
        ("max", [1, 0.8, 0.01, 0.3]),
        ("cls", tiny.ELSEWHERE),
        ("lasttoken", tiny.ELSEWHERE),
    ],
)
async def test_the_tokens_become_one_vector_as_the_models_files_say(opened, pooling, expected):
    embedder = opened(tiny.embedder(pooling=pooling))
    await embedder.load()

    np.testing.assert_allclose(await vector(embedder, "cat dog"), expected / np.linalg.norm(expected), atol=1e-6)


async def test_a_graph_that_makes_the_vector_itself_is_believed(opened):
    files = tiny.embedder(output="sentence_embedding")
    del files["1_Pooling/config.json"]
    embedder = opened(files)

    await embedder.load()

    assert embedder.dimensions == 4


async def test_a_role_goes_by_the_prompt_of_the_models_files(opened):
    embedder = opened(tiny.embedder(prompts={"query": "dog ", "passage": "tax "}))
    await embedder.load()

    asked, kept = await vector(embedder, "cat", "query"), await vector(embedder, "cat", "document")

    np.testing.assert_allclose(asked, (await vector_without_prompts(opened, "dog cat")), atol=1e-6)
    np.testing.assert_allclose(kept, (await vector_without_prompts(opened, "tax cat")), atol=1e-6)


async def vector_without_prompts(opened, text):
    plain = opened()
    await plain.load()
    loaded = plain._background.loaded()
    loaded._recipe.prompts.clear()
    return loaded.vector(text, "document")


async def test_of_a_text_it_reads_as_many_tokens_as_the_model_does_beside_the_prompt(opened):
    embedder = opened(tiny.embedder(prompts={"query": "query : "}, max_seq_length=10))
    await embedder.load()

    long, short = await vector(embedder, "cat " * 8 + "dog " * 50), await vector(embedder, "cat " * 8)

    assert embedder.window == 10 - 2 - 2
    np.testing.assert_allclose(long, short, atol=1e-6)


async def test_tokens_are_those_of_the_models_own_tokenizer_however_long_the_text(opened):
    embedder = opened()
    await embedder.load()

    assert embedder.token_starts("cat dog " * 20) == list(range(0, 160, 4))


async def test_how_far_it_knows_the_words_is_told_by_its_tokenizer(opened):
    embedder = opened()
    await embedder.load()

    assert (embedder.familiarity("cat dog"), embedder.familiarity("cat xylophone")) == (1.0, 0.5)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"1_Pooling/config.json": b"{}"}, "does not say how the vectors of its tokens become one"),
        ({"1_Pooling/config.json": b'{"pooling_mode": "attention"}'}, "pools by attention"),
        ({"modules.json": b'[{"type": "sentence_transformers.models.Dense"}]'}, "has a Dense layer"),
        ({"modules.json": b"7"}, "cannot be used"),
        ({"config.json": b"{"}, "cannot be used"),
        ({"tokenizer.json": b"{}"}, "cannot be used"),
        ({"onnx/model.onnx": b"not a graph"}, "cannot be used"),
        ({"onnx/model.onnx": tiny.reranker()["onnx/model.onnx"]}, "makes logits, not sentence_embedding"),
    ],
    ids=["no pooling", "unknown pooling", "dense", "modules", "config", "tokenizer", "graph", "cross-encoder"],
)
async def test_a_model_that_cannot_be_run_is_refused_with_the_reason(opened, change, message):
    embedder = opened({**tiny.embedder(), **change})

    with pytest.raises(Unavailable, match=f"acme/tiny.* {message}"):
        await embedder.load()

    assert not embedder.ready


async def test_it_is_taken_for_the_kept_model_until_it_is_known_which_commit_it_is(opened):
    embedder = opened()
    kept, other = (f"hub:{MODEL}@{COMMIT[:12]}", 4), (f"hub:{MODEL}@000000000000", 4)
    before = shares_space(embedder, kept), shares_space(embedder, other), shares_space(embedder, ("minilm", 4))

    await embedder.load()

    assert (before, shares_space(embedder, kept), shares_space(embedder, other)) == ((True, True, False), True, False)
