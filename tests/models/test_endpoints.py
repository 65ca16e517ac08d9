"""OpenAI-compatible and Ollama endpoints over real HTTP on the loopback."""

import math

import numpy as np
import pytest

from bethink.errors import Unavailable
from bethink.models.connection import Key
from bethink.models.endpoint import EndpointEmbedder, approximate_token_starts, crosses_languages
from bethink.models.ollama import WIRE as OLLAMA
from bethink.models.ollama import ollama_embedder
from bethink.models.openai import WIRE as OPENAI
from bethink.models.openai import openai_embedder

KEY = "sk-secret-123"


def vector(text):
    return [float(len(text)), 3.0, 4.0]


def speak_openai(request):
    assert (request.path, set(request.body)) == ("/v1/embeddings", {"model", "input", "encoding_format"})
    data = [{"object": "embedding", "index": i, "embedding": vector(t)} for i, t in enumerate(request.body["input"])]
    return 200, {"object": "list", "data": data[::-1], "model": request.body["model"]}


def speak_ollama(request):
    assert (request.path, set(request.body)) == ("/api/embed", {"model", "input", "truncate"})
    return 200, {"model": request.body["model"], "embeddings": [vector(text) for text in request.body["input"]]}


def unit(text):
    length = math.hypot(*vector(text))
    return [part / length for part in vector(text)]


class Pauses:
    """Counts the seconds that an embedder would have waited."""

    def __init__(self):
        self.seconds = []

    async def __call__(self, seconds):
        self.seconds.append(seconds)


@pytest.fixture
def pauses():
    return Pauses()


@pytest.fixture
async def openai(endpoint, pauses):
    endpoint.answer = speak_openai
    embedder = EndpointEmbedder(OPENAI, "small", url=f"{endpoint.url}/v1", key=Key(KEY, "OPENAI_API_KEY"), pause=pauses)
    yield embedder
    await embedder.close()


@pytest.fixture
async def ollama(endpoint):
    endpoint.answer = speak_ollama
    embedder = EndpointEmbedder(OLLAMA, "nomic", url=endpoint.url)
    yield embedder
    await embedder.close()


async def test_openai_vectors_come_back_in_order_and_with_length_one(openai, endpoint):
    vectors = await openai.embed(["a", "four"], "query")

    np.testing.assert_allclose(vectors, [unit("a"), unit("four")], rtol=1e-6)
    assert [(r.authorization, r.body["model"]) for r in endpoint.requests] == [(f"Bearer {KEY}", "small")]


async def test_ollama_vectors_come_back_in_order_and_with_length_one(ollama, endpoint):
    vectors = await ollama.embed(["a", "four"], "document")

    np.testing.assert_allclose(vectors, [unit("a"), unit("four")], rtol=1e-6)
    assert [(r.authorization, r.body["truncate"]) for r in endpoint.requests] == [(None, False)]


async def test_many_texts_go_in_batches_of_32(openai, endpoint):
    texts = ["x" * length for length in range(1, 71)]

    vectors = await openai.embed(texts, "document")

    assert [len(request.body["input"]) for request in endpoint.requests] == [32, 32, 6]
    np.testing.assert_allclose(vectors, [unit(text) for text in texts], rtol=1e-6)


async def test_no_text_asks_nothing(openai, endpoint):
    assert (await openai.embed([], "document")).shape == (0, 0)
    assert endpoint.requests == []


async def test_load_learns_the_dimensions(openai):
    before = openai.dimensions
    await openai.load()

    assert (before, openai.dimensions, openai.ready) == (0, 3, True)


async def test_what_was_learned_is_not_asked_again(openai, endpoint):
    await openai.load()
    await openai.load()

    assert len(endpoint.requests) == 1


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
async def test_a_failure_that_may_pass_is_tried_again(openai, endpoint, pauses, status):
    endpoint.first = [(status, {}), (status, {})]

    vectors = await openai.embed(["a"], "query")

    np.testing.assert_allclose(vectors, [unit("a")], rtol=1e-6)
    assert pauses.seconds == [0.5, 1.0]


async def test_tries_end_and_the_failure_is_told(openai, endpoint, pauses):
    endpoint.answer = lambda _: (503, {"error": "overloaded"})

    with pytest.raises(Unavailable, match=r"answered 503: .*overloaded") as caught:
        await openai.embed(["a"], "query")

    assert caught.value.hint
    assert (len(endpoint.requests), pauses.seconds) == (4, [0.5, 1.0, 2.0])


async def test_the_server_says_how_long_to_wait_but_not_for_ever(openai, endpoint, pauses):
    endpoint.headers = {"Retry-After": "3600"}
    endpoint.first = [(429, {})]

    await openai.embed(["a"], "query")

    assert pauses.seconds == [10.0]


async def test_a_date_to_retry_after_is_not_minded(openai, endpoint, pauses):
    endpoint.headers = {"Retry-After": "Wed, 21 Oct 2026 07:28:00 GMT"}
    endpoint.first = [(429, {})]

    await openai.embed(["a"], "query")

    assert pauses.seconds == [0.5]


async def test_a_refused_key_is_told_once_and_never_printed(openai, endpoint):
    endpoint.answer = lambda _: (401, {"error": {"message": f"Incorrect API key provided: {KEY}"}})

    with pytest.raises(Unavailable, match="wants a valid key") as caught:
        await openai.embed(["a"], "query")

    assert caught.value.hint == "OPENAI_API_KEY was refused."
    assert len(endpoint.requests) == 1
    assert KEY not in f"{caught.value}{openai!r}{openai.identity}"


async def test_a_missing_key_is_told(endpoint):
    endpoint.answer = lambda _: (401, {})
    embedder = openai_embedder("small", url=endpoint.url)

    with pytest.raises(Unavailable) as caught:
        await embedder.embed(["a"], "query")

    assert caught.value.hint == "OPENAI_API_KEY is not set."
    await embedder.close()


async def test_a_key_that_the_server_echoes_is_masked(openai, endpoint):
    endpoint.answer = lambda _: (400, f"bad request with {KEY}")

    with pytest.raises(Unavailable, match=r"bad request with \*\*\*"):
        await openai.embed(["a"], "query")


async def test_an_unknown_model_is_told_in_the_servers_words(ollama, endpoint):
    endpoint.answer = lambda _: (404, {"error": 'model "nomic" not found, try pulling it first'})

    with pytest.raises(Unavailable, match=r"answered 404: .* try pulling it first"):
        await ollama.embed(["a"], "query")


async def test_a_server_that_is_not_there_is_unavailable(pauses):
    embedder = EndpointEmbedder(OLLAMA, "nomic", url="http://127.0.0.1:1", pause=pauses)

    with pytest.raises(Unavailable, match=r"cannot be reached \(ConnectError\)"):
        await embedder.load()

    assert len(pauses.seconds) == 3
    await embedder.close()


@pytest.mark.parametrize(
    "reply",
    [
        [],
        {},
        {"embeddings": None},
        {"embeddings": []},
        {"embeddings": [[]]},
        {"embeddings": [1.0]},
        {"embeddings": [["a"]]},
        {"embeddings": [[0.0, 0.0]]},
        {"embeddings": [[float("nan"), 1.0]]},
        {"embeddings": [[1.0], [2.0]]},
    ],
    ids=repr,
)
async def test_a_reply_that_is_not_one_vector_a_text_is_refused(ollama, endpoint, reply):
    endpoint.answer = lambda _: (200, reply)

    with pytest.raises(Unavailable, match="one vector a text"):
        await ollama.embed(["a"], "query")


async def test_a_page_for_people_is_no_answer(ollama, endpoint):
    endpoint.answer = lambda _: (200, "<html>hello</html>")

    with pytest.raises(Unavailable, match="did not answer in JSON"):
        await ollama.embed(["a"], "query")


async def test_vectors_of_unequal_length_are_refused(ollama, endpoint):
    endpoint.answer = lambda _: (200, {"embeddings": [[1.0], [1.0, 2.0]]})

    with pytest.raises(Unavailable, match="one vector a text"):
        await ollama.embed(["a", "b"], "query")


async def test_an_endpoint_that_changes_its_dimensions_is_refused(ollama, endpoint):
    await ollama.load()
    endpoint.answer = lambda _: (200, {"embeddings": [[1.0, 2.0]]})

    with pytest.raises(Unavailable, match="2 dimensions after 3") as caught:
        await ollama.embed(["a"], "query")

    assert "reembed" in caught.value.hint


def test_the_identity_names_provider_model_and_place_but_no_secret():
    embedder = openai_embedder("bge-m3", url="https://ann:pass@models.example:8443/v1/", key=KEY)

    assert embedder.identity == "openai:bge-m3@models.example:8443/v1"


def test_a_base_url_without_a_path_means_v1():
    assert openai_embedder("m", url="http://localhost:8080").identity == "openai:m@localhost:8080/v1"


def test_ollama_is_looked_for_on_this_machine():
    assert ollama_embedder("nomic-embed-text").identity == "ollama:nomic-embed-text@localhost:11434"


def test_tokens_are_estimated_by_words_marks_and_cjk_characters():
    assert approximate_token_starts("tokenization, 東京 a") == [0, 4, 8, 12, 14, 15, 17]


def test_an_embedder_crosses_languages_when_translations_are_clearly_nearer():
    sentence, unrelated = [1.0, 0.0], [0.7, 0.714]

    assert crosses_languages(np.array([sentence, [0.9, 0.436], [0.88, 0.475], unrelated], np.float32))
    assert not crosses_languages(np.array([sentence, [0.9, 0.436], [0.72, 0.694], unrelated], np.float32))
