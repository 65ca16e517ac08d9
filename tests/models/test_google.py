"""The Gemini API's embeddings over real HTTP on the loopback."""

import numpy as np
import pytest

from bethink.errors import Unavailable
from bethink.models.google import google_embedder
from bethink.models.spec import embedder_from_spec

KEY = "AIza-secret"


def speak_google(request):
    assert request.path == "/v1beta/models/gemini-embedding-001:batchEmbedContents"
    asked = request.body["requests"]
    assert {one["model"] for one in asked} == {"models/gemini-embedding-001"}
    texts = [part["text"] for one in asked for part in one["content"]["parts"]]
    return 200, {"embeddings": [{"values": [float(len(text)), 3.0, 4.0]} for text in texts]}


@pytest.fixture
async def google(endpoint):
    endpoint.answer = speak_google
    embedder = google_embedder("gemini-embedding-001", url=f"{endpoint.url}/v1beta", key=KEY)
    yield embedder
    await embedder.close()


async def test_vectors_come_back_in_order_and_with_length_one(google):
    vectors = await google.embed(["", "twelve chars"], "query")

    np.testing.assert_allclose(vectors, [[0, 0.6, 0.8], [12 / 13, 3 / 13, 4 / 13]], rtol=1e-6)


async def test_a_question_and_a_memory_are_different_tasks(google, endpoint):
    await google.embed(["a"], "query")
    await google.embed(["a", "b"], "document")

    tasks = [[one["taskType"] for one in request.body["requests"]] for request in endpoint.requests]
    assert tasks == [["RETRIEVAL_QUERY"], ["RETRIEVAL_DOCUMENT", "RETRIEVAL_DOCUMENT"]]


async def test_many_texts_go_in_batches_of_32(google, endpoint):
    await google.embed(["a"] * 40, "document")

    assert [len(request.body["requests"]) for request in endpoint.requests] == [32, 8]


async def test_the_key_goes_in_a_header_and_is_never_shown(google, endpoint):
    endpoint.first = [(400, {"error": {"code": 400, "message": f"API key not valid: {KEY}", "status": "INVALID"}})]

    with pytest.raises(Unavailable, match=r"answered 400: .*API key not valid: \*\*\*") as caught:
        await google.embed(["a"], "query")

    (request,) = endpoint.requests
    assert (request.headers["x-goog-api-key"], request.authorization) == (KEY, None)
    assert KEY not in f"{request.path}{caught.value}{caught.value.hint}{google!r}{google.identity}{vars(google)}"


async def test_a_missing_key_is_told(endpoint):
    endpoint.answer = lambda _: (403, {"error": {"code": 403, "status": "PERMISSION_DENIED"}})
    embedder = google_embedder("gemini-embedding-001", url=endpoint.url)

    with pytest.raises(Unavailable) as caught:
        await embedder.embed(["a"], "query")

    assert caught.value.hint == "GOOGLE_API_KEY or GEMINI_API_KEY is not set."
    await embedder.close()


@pytest.mark.parametrize("variable", ["GOOGLE_API_KEY", "GEMINI_API_KEY"])
async def test_the_key_comes_from_either_variable(endpoint, variable, tmp_path):
    endpoint.answer = lambda _: (200, {"embeddings": [{"values": [1.0]}]})
    embedder = embedder_from_spec(
        f"google:m@{endpoint.url}", environment={variable: KEY, "GOOGLE_API_KEYS": "no"}, folder=tmp_path
    )

    await embedder.embed(["a"], "query")

    assert [request.headers["x-goog-api-key"] for request in endpoint.requests] == [KEY]
    await embedder.close()


@pytest.mark.parametrize(
    "reply",
    [[], {}, {"embeddings": []}, {"embeddings": [[1.0]]}, {"embeddings": [{"values": []}]}, {"embeddings": [{}]}],
    ids=repr,
)
async def test_a_reply_that_is_not_one_vector_a_text_is_refused(google, endpoint, reply):
    endpoint.answer = lambda _: (200, reply)

    with pytest.raises(Unavailable, match="one vector a text"):
        await google.embed(["a"], "query")
