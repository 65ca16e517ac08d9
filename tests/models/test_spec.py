"""Embedders by spec string, and the one that is none."""

from pathlib import Path

import pytest

from bethink.errors import InvalidRequest, Unavailable
from bethink.models.minilm import MiniLm
from bethink.models.none import NoEmbedder
from bethink.models.spec import FORMS, embedder_from_spec

NOWHERE = Path("nowhere")


@pytest.mark.parametrize(
    ("spec", "identity"),
    [
        ("none", "none"),
        ("minilm", MiniLm.identity),
        ("openai:text-embedding-3-small", "openai:text-embedding-3-small@api.openai.com/v1"),
        ("openai:bge-m3@http://localhost:8080/v1", "openai:bge-m3@localhost:8080/v1"),
        ("openai:@cf/baai/bge-m3@https://gateway.example/v1", "openai:@cf/baai/bge-m3@gateway.example/v1"),
        ("google:gemini-embedding-001", "google:gemini-embedding-001@generativelanguage.googleapis.com/v1beta"),
        ("google:models/gemini-embedding-001@http://proxy:90/v1", "google:gemini-embedding-001@proxy:90/v1"),
        ("tei:http://localhost:8080/", "tei:?@localhost:8080"),
        ("hub:BAAI/bge-small-en-v1.5", "hub:BAAI/bge-small-en-v1.5@?"),
        ("hub:BAAI/bge-small-en-v1.5@refs/pr/1", "hub:BAAI/bge-small-en-v1.5@?"),
        ("ollama:nomic-embed-text:v1.5", "ollama:nomic-embed-text:v1.5@localhost:11434"),
        ("ollama:nomic-embed-text@http://10.0.0.5:11434", "ollama:nomic-embed-text@10.0.0.5:11434"),
    ],
)
async def test_a_spec_names_an_embedder(spec, identity):
    embedder = embedder_from_spec(spec, environment={}, folder=NOWHERE)

    assert embedder.identity == identity
    await embedder.close()


@pytest.mark.parametrize(
    "spec",
    [
        "",
        "MINILM",
        "openai",
        "openai:",
        "ollama:m@ftp://host",
        "openai:m@http://",
        "openai:m@http://host:99999",
        "tei:m",
        "tei:m@http://host",
        "tei:http://",
        "google:",
        "hub:bert",
        "hub:../models",
        "hub:BAAI/bge@../..",
        "hub:BAAI/bge@",
    ],
)
def test_any_other_spec_is_refused_with_the_accepted_forms(spec):
    with pytest.raises(InvalidRequest) as caught:
        embedder_from_spec(spec, environment={}, folder=NOWHERE)

    assert caught.value.hint == f"Accepted: {', '.join(FORMS)}."


async def test_the_key_comes_from_the_environment(endpoint):
    endpoint.answer = lambda _: (200, {"data": [{"index": 0, "embedding": [1.0]}]})
    embedder = embedder_from_spec(f"openai:m@{endpoint.url}", environment={"OPENAI_API_KEY": "sk-1"}, folder=NOWHERE)

    await embedder.embed(["a"], "query")

    assert [request.authorization for request in endpoint.requests] == ["Bearer sk-1"]
    await embedder.close()


@pytest.mark.parametrize("url", ["hub.example", "ftp://hub.example", "https://"])
def test_a_hub_at_no_url_is_refused(url):
    with pytest.raises(InvalidRequest, match=r"HF_ENDPOINT: .* is not a URL"):
        embedder_from_spec("hub:org/name", environment={"HF_ENDPOINT": url}, folder=NOWHERE)


def test_the_window_of_an_endpoint_is_a_setting():
    assert embedder_from_spec("ollama:m", environment={}, folder=NOWHERE, window=8000).window == 8000


async def test_none_is_never_ready_and_says_so():
    embedder = NoEmbedder()

    embedder.start_loading()

    assert (embedder.ready, embedder.dimensions) == (False, 0)
    with pytest.raises(Unavailable, match="search by meaning is off"):
        await embedder.load()
    with pytest.raises(Unavailable, match="search by meaning is off"):
        await embedder.embed(["text"], "query")
    with pytest.raises(Unavailable, match="search by meaning is off"):
        embedder.token_starts("text")
    await embedder.close()
